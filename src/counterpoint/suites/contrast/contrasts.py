"""Contrasts: a question under one template, the survey of its source, and the question with one atom changed."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from math import log
from random import Random
from typing import NamedTuple, TypeAlias, TypeVar

from counterpoint.core.groups import Gold
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import article, be, do, have, is_countable, is_mass, is_plural, plural, singular
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.nouns import is_pair
from counterpoint.scenes.attributes import attribute_class
from counterpoint.scenes.cooccurrence import NameCooccurrence
from counterpoint.scenes.names import is_known
from counterpoint.scenes.recognition import is_indoors
from counterpoint.suites.bloom_filter import BloomFilter
from counterpoint.suites.contrast.grounding import Description, Phrase, SceneGrounder
from counterpoint.suites.contrast.question_forms import Clue, QuestionRejected, UnknownWording, match_wording
from counterpoint.suites.question_groups import Tags

T = TypeVar("T")
_YES, _NO = Gold.of("yes"), Gold.of("no")
_TWICE = 2  # scenes that have two things, from which they are seen together
_ENOUGH = 6  # objects of a name, from which its usual color is known
_GROUNDERS = 1 << 14  # held at once: more than the validation split of GQA has scenes


@dataclass(slots=True)
class ContrastSurvey:
    """Name statistics over the scenes, and the questions that the source asks."""

    scenes: set[str] = field(default_factory=set)  # ids
    names: NameCooccurrence = field(default_factory=NameCooccurrence)
    related: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # objects by relation
    colors: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))  # by name
    questions: BloomFilter = field(default_factory=BloomFilter)
    _companions: dict[str, Mapping[str, float]] = field(default_factory=dict, repr=False, compare=False)
    _all_names: list[str] | None = field(default=None, repr=False, compare=False)
    _grounders: dict[str, SceneGrounder] = field(default_factory=dict, repr=False, compare=False)

    def add(self, item: GroundedQuestion) -> None:
        """Count one question, and its scene if it was not counted before."""
        self.questions.add(item.scene.id, item.question.text)
        self.add_scene(item.scene)

    def add_scene(self, scene: Scene) -> None:
        """Count one scene if it was not counted before."""
        if scene.id not in self.scenes:
            self.scenes.add(scene.id)
            self.names.add(scene)
            for link in scene.relations:
                self.related[link.name][scene[link.object].name] += 1
            for thing in scene:
                self.colors[thing.name].update(value for value in thing.attributes if attribute_class(value) == "color")

    def companions(self, name: str) -> Mapping[str, float]:
        """What occurs with such an object more often than by chance, with the number of scenes in excess."""
        if name not in self._companions:
            together, forms = self.names.together, (name, singular(name), plural(name))
            counted = next((form for form in forms if form in together), "")
            share = self.names.having[counted] / max(self.names.scenes, 1)
            counts = sorted(together[counted].items()) if counted else []
            excess = {other: count - share * self.names.clear[other] for other, count in counts if other != counted}
            self._companions[name] = {other: more for other, more in excess.items() if more > 0}
        return self._companions[name]

    def grounder(self, scene: Scene) -> SceneGrounder:
        """The grounder of a scene, kept for later questions about it: what it finds out is the same for all."""
        grounder = self._grounders.get(scene.id)
        if grounder is None or grounder.scene is not scene:
            if len(self._grounders) >= _GROUNDERS:
                self._grounders.clear()
            grounder = self._grounders[scene.id] = SceneGrounder(scene)
        return grounder

    def color_share(self, name: str, color: str) -> float:
        """The share of objects of a name that have a color, of those that have any; 0 where too few are known."""
        counts = self.colors.get(name, Counter[str]())
        return counts[color] / counts.total() if counts.total() >= _ENOUGH else 0.0

    def absent_names(self, scene: Scene, beside: str, rng: Random) -> Iterator[str]:
        """What may be asked for beside such an object in a scene.

        What occurs with it comes first, by weight, then any name at random of what may be in such a place: nobody asks
        for a toothbrush to the right of a football player, as one scene of both would have it.
        """
        companions = self.companions(beside)
        together: Mapping[str, int] = self.names.together.get(beside, {})
        indoors = is_indoors(scene)
        for name in weighted_order(companions, rng):
            if together.get(name, 0) >= _TWICE or is_plausible(name, indoors):
                yield name
        if self._all_names is None:
            self._all_names = sorted(self.names.having)
        for name in rng.sample(self._all_names, len(self._all_names)):
            if name not in companions and is_plausible(name, indoors):
                yield name


@cache
def is_plausible(name: str, indoors: bool) -> bool:
    """Whether a thing may be expected in any house, or in any place outdoors.

    >>> is_plausible("dog", True), is_plausible("sofa", True), is_plausible("sofa", False), is_plausible("truck", False)
    (True, True, False, True)
    """
    placed = ("furniture", "appliance", "electronic device") if indoors else ("motor vehicle", "bicycle", "bird")
    return is_known(name) and any(is_a(name, kind) for kind in ("person", "dog", "cat", "bag", *placed))


def survey(items: Iterable[GroundedQuestion]) -> ContrastSurvey:
    """One pass over the questions of a source, and over all its scenes where it holds them."""
    statistics = ContrastSurvey()
    scenes: Mapping[str, Scene] = getattr(items, "scenes", {})
    for scene in scenes.values():
        statistics.add_scene(scene)
    for item in items:
        statistics.add(item)
    return statistics


def weighted_order(weights: Mapping[str, float], rng: Random) -> list[str]:
    """All words in weighted random order, without replacement."""
    keys = {word: log(1 - rng.random()) / weight for word, weight in weights.items()}
    return sorted(keys, key=lambda word: -keys[word])


def alternate(*sources: Iterable[T]) -> Iterator[T]:
    """The first of each, then the second of each, and so on.

    >>> "".join(alternate("abc", "x", "12"))
    'ax1b2c'
    """
    waiting = [iter(source) for source in sources]
    while waiting:
        left = []
        for source in waiting:
            for value in source:
                yield value
                left.append(source)
                break
        waiting = left


def first_of(*sources: Iterable[T]) -> Iterator[T]:
    """All of the first of some sources that has anything.

    >>> list(first_of("", "ab", "c"))
    ['a', 'b']
    """
    for source in map(iter, sources):
        for first in source:
            yield first
            yield from source
            return


def order_by_spelling(word: str, others: Iterable[str], rng: Random) -> list[str]:
    """Other words by similarity of spelling to a word, ties in random order."""
    rows = [(-spelling_similarity(word, other), rng.random(), other) for other in others]
    return [other for _, _, other in sorted(rows)]


@cache
def spelling_similarity(one: str, other: str) -> float:
    """The similarity of the spelling of two words, from 0 to 1.

    >>> spelling_similarity("dishwasher", "dishes") > spelling_similarity("dishwasher", "kite")
    True
    """
    first, second = sorted((one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


Span = tuple[int, int]


def rewrite_spans(text: str, changes: Mapping[Span, str]) -> str:
    """A text with some spans replaced.

    >>> rewrite_spans("Is the cup red?", {(7, 10): "shoes", (0, 2): "are"})
    'Are the shoes red?'
    """
    for (start, end), words in sorted(changes.items(), reverse=True):
        replacement = words[:1].upper() + words[1:] if text[start:end][:1].isupper() else words
        text = text[:start] + replacement + text[end:]
    return text


def replace_definite(text: str, match: re.Match[str], phrase: Phrase, words: Description, *, whole: bool = True) -> str:
    """The question about another object: with its description in the place of a phrase, or of the noun alone."""
    span = phrase.span if whole else phrase.at
    agreeing = _verbs(match, words.noun) if phrase.at[0] < match.end("x") else {}
    return rewrite_spans(text, {span: f"the {words.words}" if whole else words.words} | agreeing)


def text_of(text: str, phrase: Phrase) -> str:
    """The words of a definite phrase without its article."""
    return text[phrase.span[0] : phrase.span[1]].lower().removeprefix("the ")


def replace_value(text: str, phrase: Phrase, place: int, value: str) -> str:
    """The question with another value before the noun of a phrase."""
    span = phrase.values[place][1]
    if phrase.determiner in ("a", "an") and place == 0:
        return rewrite_spans(text, {span: value, phrase.determiner_at: article(value)})
    return rewrite_spans(text, {span: value})


def replace_indefinite(
    text: str,
    match: re.Match[str],
    phrase: Phrase,
    name: str,
    *,
    alike: bool = False,
    bare: bool = False,
    things: Sequence[SceneObject] | None = None,
) -> str:
    """The question after "a" or "any" thing of another name, or nothing where its number does not fit.

    A count noun keeps the number of the noun in whose place it stands; mass nouns and pairs ask for "any". Where both
    have to be `alike`, in a list of two, a count noun takes the place of a count noun only; after a verb they are
    `bare`. Where `things` make the answer yes, there are as many as the number says: one bed is not "some beds".
    """
    form = name
    if not is_mass(name) and is_countable(name):  # count nouns are many beside mass nouns
        is_many = (is_plural(phrase.noun) and not is_pair(phrase.noun)) or is_mass(phrase.noun)
        is_many = is_many or (bool(things) and all(is_plural(thing.name) for thing in things or ()))
        form = plural(name) if is_many else singular(name)
        if is_many and things is not None and len(things) < 2 and not any(is_plural(thing.name) for thing in things):
            return ""
    was, now = _class(phrase.noun), _class(form)
    if alike and was != now:
        return ""
    changes = {phrase.at: form} | (_verbs(match, form) if phrase.at[0] < match.end("x") else {})
    if phrase.determiner in ("a", "an") and bare and now != "one" and not phrase.values:
        changes = {(phrase.determiner_at[0], phrase.at[1]): form}
    elif phrase.determiner in ("a", "an"):
        first = phrase.values[0][0] if phrase.values and phrase.values[0][1][1] else form
        changes[phrase.determiner_at] = article(first) if now == "one" else "any"
    elif phrase.determiner in ("some", "any") and now == "one" != was:
        changes[phrase.determiner_at] = article(form)
    elif not phrase.determiner and now == "one":
        if phrase.values:
            return ""
        changes[phrase.at] = f"{article(form)} {form}"
    return rewrite_spans(text, changes)


def _class(noun: str) -> str:
    return "many" if is_plural(noun) else "mass" if is_mass(noun) else "one"


_AGREEING: Mapping[str, Callable[[str], str]] = {"be": be, "be2": be, "do": do, "have": have}


def _verbs(match: re.Match[str], noun: str) -> dict[Span, str]:
    """The verbs of a wording that agree with its first noun."""
    named = match.re.groupindex
    return {match.span(group): form(noun) for group, form in _AGREEING.items() if group in named and match[group]}


class Contrast(NamedTuple):
    """A question that differs in one atom, an object, a relation or an attribute, with its answer and the proof."""

    text: str
    gold: Gold
    atom: str
    before: str
    after: str
    proof: str
    objects: tuple[SceneObject, ...] = ()

    @property
    def tags(self) -> Tags:
        """The change and the proof, as tags of the query."""
        return (("atom", self.atom), ("from", self.before), ("to", self.after), ("proof", self.proof))


@dataclass(frozen=True, slots=True)
class ContrastPlan:
    """The objects of a question, how its nouns were grounded, and its contrasts in sampled order."""

    objects: tuple[SceneObject, ...]
    grounding: str
    contrasts: Iterator[Contrast]
    lack: str = "nothing in the picture or its like changes the answer for sure"  # the reason if there are none


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """A question with its scene, read by one template."""

    template: str
    question: Question
    grounder: SceneGrounder
    survey: ContrastSurvey
    rng: Random

    @property
    def text(self) -> str:
        """The words of the question."""
        return self.question.text

    def read(self, relation: str = "") -> re.Match[str]:
        """The question as a wording of the template."""
        match = match_wording(self.template, self.text, relation)
        if match is None:
            raise UnknownWording(f"a wording that is not known of: {self.template}")
        return match

    def phrase(self, match: re.Match[str], part: str, clue: Clue) -> Phrase:
        """The phrase X or Y of a wording, checked against the program."""
        return self.grounder.phrase(self.text, match.span(part), clue)

    @property
    def truth(self) -> bool:
        """The answer of a question that asks for yes or no."""
        gold = self.question.gold.best
        if gold not in ("yes", "no"):
            raise QuestionRejected("its answer is neither yes nor no")
        return gold == "yes"

    @property
    def contrary(self) -> Gold:
        """The other answer of a question that asks for yes or no."""
        return _NO if self.truth else _YES

    def require_agreement(self, truth: bool | str | None, gold: bool | str) -> None:
        """Reject a question whose gold answer the scene contradicts."""
        if truth not in (None, "", gold):
            raise QuestionRejected("the scene contradicts its answer")


ContrastPlanner: TypeAlias = Callable[[QuestionContext], ContrastPlan]
"""Plans the contrasts of a question under one template, or raises QuestionRejected."""
