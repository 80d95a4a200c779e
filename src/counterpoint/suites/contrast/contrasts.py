"""Contrasts: a question under one template, the survey of its source, and the question with one atom changed."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from math import log
from random import Random
from typing import TypeAlias

from counterpoint.core.groups import Gold
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import article, be, do, have, is_countable, is_mass, is_plural, plural, singular
from counterpoint.scenes.cooccurrence import NameCooccurrence
from counterpoint.suites.bloom_filter import BloomFilter
from counterpoint.suites.contrast.grounding import Phrase, SceneGrounder
from counterpoint.suites.contrast.question_forms import Clue, QuestionRejected, UnknownWording, match_wording
from counterpoint.suites.question_groups import Tags


@dataclass(slots=True)
class ContrastSurvey:
    """Name statistics over the scenes, and the questions that the source asks."""

    scenes: set[str] = field(default_factory=set)  # ids
    names: NameCooccurrence = field(default_factory=NameCooccurrence)
    questions: BloomFilter = field(default_factory=BloomFilter)
    _companions: dict[str, Mapping[str, float]] = field(default_factory=dict, repr=False, compare=False)

    def add(self, item: GroundedQuestion) -> None:
        """Count one question, and its scene if it was not counted before."""
        self.questions.add(item.scene.id, item.question.text)
        if item.scene.id not in self.scenes:
            self.scenes.add(item.scene.id)
            self.names.add(item.scene)

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


def survey(items: Iterable[GroundedQuestion]) -> ContrastSurvey:
    """One pass over the questions of a source."""
    statistics = ContrastSurvey()
    for item in items:
        statistics.add(item)
    return statistics


def weighted_order(weights: Mapping[str, float], rng: Random) -> list[str]:
    """All words in weighted random order, without replacement."""
    keys = {word: log(1 - rng.random()) / weight for word, weight in weights.items()}
    return sorted(keys, key=lambda word: -keys[word])


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


def replace_definite(text: str, match: re.Match[str], phrase: Phrase, name: str) -> str:
    """The question with another name after "the", in the number of that name."""
    return rewrite_spans(text, {phrase.at: name} | _verbs(match, name))


def replace_value(text: str, phrase: Phrase, place: int, value: str) -> str:
    """The question with another value before the noun of a phrase."""
    span = phrase.values[place][1]
    if phrase.determiner in ("a", "an") and place == 0:
        return rewrite_spans(text, {span: value, phrase.determiner_at: article(value)})
    return rewrite_spans(text, {span: value})


def replace_indefinite(text: str, match: re.Match[str], phrase: Phrase, name: str, *, alike: bool = False) -> str:
    """The question after "a" or "any" thing of another name, or nothing where its number does not fit.

    A count noun keeps the number of the noun in whose place it stands; mass nouns and pairs ask for "any". Where both
    have to be `alike`, in a list of two, a count noun takes the place of a count noun only.
    """
    form = name
    if not is_mass(name) and is_countable(name):  # count nouns are many beside mass nouns
        form = plural(name) if is_plural(phrase.noun) or is_mass(phrase.noun) else singular(name)
    was, now = _class(phrase.noun), _class(form)
    if alike and was != now:
        return ""
    changes = {phrase.at: form} | (_verbs(match, form) if phrase.at[0] < match.end("x") else {})
    if phrase.determiner in ("a", "an"):
        first = phrase.values[0][0] if phrase.values and phrase.values[0][1][1] else form
        changes[phrase.determiner_at] = article(first) if now == "one" else "any"
    elif not phrase.determiner and now == "one":
        return ""
    return rewrite_spans(text, changes)


def _class(noun: str) -> str:
    return "many" if is_plural(noun) else "mass" if is_mass(noun) else "one"


def _verbs(match: re.Match[str], noun: str) -> dict[Span, str]:
    """The verbs of a wording that agree with its first noun."""
    forms = {"be": be(noun), "be2": be(noun), "do": do(noun), "have": have(noun)}
    named = match.groupdict()
    return {match.span(group): form for group, form in forms.items() if named.get(group)}


@dataclass(frozen=True, slots=True)
class Contrast:
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
        if self.question.gold.best not in ("yes", "no"):
            raise QuestionRejected("its answer is neither yes nor no")
        return self.question.gold.best == "yes"

    @property
    def contrary(self) -> Gold:
        """The other answer of a question that asks for yes or no."""
        return Gold.of("no" if self.truth else "yes")

    def require_agreement(self, truth: bool | str | None, gold: bool | str) -> None:
        """Reject a question whose gold answer the scene contradicts."""
        if truth not in (None, "", gold):
            raise QuestionRejected("the scene contradicts its answer")


ContrastPlanner: TypeAlias = Callable[[QuestionContext], ContrastPlan]
"""Plans the contrasts of a question under one template, or raises QuestionRejected."""
