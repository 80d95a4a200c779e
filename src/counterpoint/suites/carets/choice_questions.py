"""Questions that list what may be answered: what it is, how it looks, what it does, by two or three of one class.

Of each object each value is tried once, and wrong choices are drawn once each by how often they are correct in the
source: a draw that does not fit is not repeated. Then a set of choices is equally likely to be offered whichever of
them is correct, and words tell nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from random import Random

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import be, head, is_countable, is_plural
from counterpoint.language.lexicon.attributes import excludes
from counterpoint.language.lexicon.senses import hypernym_names, is_a
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.scenes.ambiguity import may_be
from counterpoint.scenes.attributes import (
    action_class,
    action_synonyms,
    attribute_class,
    can_be_said,
    canonical_value,
    denies,
    goes_before_noun,
    modified_noun,
    value_synonyms,
)
from counterpoint.scenes.cooccurrence import WeightedWords
from counterpoint.scenes.names import DATA, general_names, sure_hypernyms
from counterpoint.scenes.views import ReferringExpression, SceneSampler, choose_expression, relation_expressions
from counterpoint.suites.carets.templates import QuestionContent, question_about
from counterpoint.suites.question_groups import Tags

_THREE = 0.7  # how often a third choice is looked for, so that two and three come about evenly
_BY_RELATION = 0.4  # of the general names that a relation could single out, the share where it does


_NO_LOOKS = "no attributes are annotated"
_NO_DEEDS, _NO_KIND = "nobody is annotated as doing anything", "nothing is surely of a general kind"
_NO_MORE = "everything that is known for sure was tried"
SCENE_WIDE_REASONS = frozenset({_NO_LOOKS, _NO_DEEDS, _NO_KIND, _NO_MORE})
"""Reasons that hold for the whole scene, so that another attempt does not help."""


def sample_attribute(kind: str, view: SceneSampler, rng: Random) -> tuple[ReferringExpression, str, str] | str:
    """A referring expression, a value of its object, and a plausible value that it does not have."""
    if not view.has_attributes:
        return _NO_LOOKS
    drawn = view.draw_once(kind, lambda: [(one, value) for one in view.scene for value in view.values(one)], rng)
    if drawn is None:
        return _NO_MORE
    thing, value = drawn
    expression = choose_expression(view, thing, rng, avoid=(attribute_class(value),))
    if expression is None:
        return "it cannot be referred to without doubt"
    wrong = view.statistics.values(expression.thing.name, attribute_class(value)).draw(rng)
    is_excluded = can_be_said(wrong, expression.thing.name) and denies(view.values(expression.thing), wrong)
    return (expression, value, wrong) if is_excluded else "no plausible value is excluded"


def attribute_choice(view: SceneSampler, rng: Random) -> QuestionContent | str:
    """Choose the attribute of an object among two or three values of one class."""
    sampled = sample_attribute("attribute choice", view, rng)
    if isinstance(sampled, str):
        return sampled
    expression, value, wrong = sampled
    thing, sort = expression.thing, attribute_class(value)
    if any(other != value and attribute_class(other) == sort for other in view.values(thing)):
        return "it has several values of the class"
    options = _options(value, wrong, thing.name, view.statistics.values(thing.name, sort), rng)
    answers = (canonical_value(value), *value_synonyms(value)) if sort == "material" else value_synonyms(value)
    proof = f"{thing.name} {thing.id} {be(thing.name)} annotated as {value}, and the choices exclude each other"
    return _choice_question("attribute choice", expression, options, answers, proof, sort)


def action_choice(view: SceneSampler, rng: Random) -> QuestionContent | str:
    """Choose what a person or animal does among two or three actions of one class."""
    if not view.doers:
        return _NO_DEEDS
    drawn = view.draw_once(
        "action choice", lambda: [(one, deed) for one in view.doers for deed in view.sure_actions(one)], rng
    )
    if drawn is None:
        return _NO_MORE
    thing, deed = drawn
    sort = action_class(deed)
    expression = choose_expression(view, thing, rng, avoid=(sort,))
    if expression is None:
        return "it cannot be referred to without doubt"
    usually = view.statistics.actions(thing.name, sort)
    wrong = usually.draw(rng)
    if not wrong or not excludes(deed, wrong):
        return "no plausible action is excluded"
    proof = f"{thing.name} {thing.id} {be(thing.name)} annotated as {deed}, and the choices exclude each other"
    options = _options(deed, wrong, thing.name, usually, rng)
    return _choice_question("action choice", expression, options, action_synonyms(deed), proof, sort)


def object_choice(view: SceneSampler, rng: Random) -> QuestionContent | str:
    """Choose the name of an object that is referred to by a hypernym with a value or a relation."""
    drawn = view.draw_once("object choice", lambda: _general_kinds(view), rng)
    if drawn is None:
        return _NO_MORE if any(_general_kinds(view)) else _NO_KIND
    thing, general = drawn
    expression = _general_expression(view, thing, general, rng)
    if expression is None:
        return "nothing of its kind can be referred to without doubt"
    options = [thing.name]
    for name in (view.statistics.members(general).draw(rng) for _ in range(2 if rng.random() < _THREE else 1)):
        is_usable = is_singular(name) and head(name) != general and can_be_chosen_among(name, options)
        if is_usable and not any(may_be(name, other.name) for other in expression.others):
            options.append(name)
    if len(options) < 2:
        return "no plausible choice is excluded"
    assert all(can_be_chosen_among(one, [other]) for one, other in combinations(options, 2)), "choices exclude others"
    rng.shuffle(options)
    proof = f"{thing.name} {thing.id} is the only {expression.noun} {expression.where}".rstrip()
    proof += ", and the choices exclude each other"
    return _choice_question("object choice", expression, options, (thing.name,), proof, general)


def _general_kinds(view: SceneSampler) -> Iterator[tuple[SceneObject, str]]:
    """Every object that is seen and named in the singular, with each kind that it surely is of."""
    for thing in view.scene:
        for general in _kinds_to_choose_within(thing.name) if view.is_recognizable(thing) else ():
            yield thing, general


@cache
def _kinds_to_choose_within(name: str) -> tuple[str, ...]:
    if not is_singular(name):
        return ()
    return tuple(kind for kind in sure_hypernyms(name) if kind in general_names() and kind != head(name))


def can_be_chosen_among(name: str, others: Iterable[str]) -> bool:
    """Whether a question may offer a name beside others: nothing is called by two of them, if one has to be chosen.

    >>> can_be_chosen_among("bus", ["truck"]), can_be_chosen_among("sofa", ["couch"])
    (True, False)
    """
    return all(not may_be(name, other) or _are_told_apart(name, other) for other in others)


@cache
def _are_told_apart(name: str, other: str) -> bool:
    rows = map(split_list, word_table("doubts", DATA)["told_apart"])
    return not (is_a(name, other) or is_a(other, name)) and any(name in row and other in row for row in rows)


def is_singular(name: str) -> bool:
    """Whether a name is that of a single thing."""
    return is_countable(name) and not is_plural(name)


def _general_expression(
    view: SceneSampler, thing: SceneObject, general: str, rng: Random
) -> ReferringExpression | None:
    """A referring expression with a hypernym as its noun, or nothing."""
    spoken = general_names()[general]
    if rng.random() < _BY_RELATION:
        related = [row for row in relation_expressions(view, thing, general, spoken) if row.relation != "wearing"]
        if related:
            return rng.choice(related)
    values = [value for value in view.values(thing) if goes_before_noun(value) and attribute_class(value) != "size"]
    values = [value for value in values if view.singles_out(thing, general, value)]
    if not values:
        return None
    value = rng.choice(values)
    return ReferringExpression(thing, modified_noun(value, spoken), gives=attribute_class(value))


def _options(right: str, wrong: str, name: str, words: WeightedWords, rng: Random) -> list[str]:
    """Two or three values that exclude each other, in random order."""
    options = [right, wrong]
    third = words.draw(rng) if rng.random() < _THREE else ""
    if third and third not in name.split() and excludes(right, third) and excludes(wrong, third):
        options.append(third)
    rng.shuffle(options)
    return options


def _choice_question(
    kind: str, expression: ReferringExpression, options: Sequence[str], answers: Sequence[str], proof: str, sort: str
) -> QuestionContent:
    tags: Tags = (("class", sort), ("hypernym", next(iter(hypernym_names(expression.thing.name)), "none")))
    tags = (*(tags if kind != "object choice" else (("hypernym", sort),)), ("choices", str(len(options))))
    return question_about(expression, kind, options, Gold.of(*dict.fromkeys(answers)), proof, sort, tags)
