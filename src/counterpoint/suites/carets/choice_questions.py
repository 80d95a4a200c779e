"""Questions that list what may be answered: what it is, how it looks, what it does, by two or three of one class."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import SceneObject
from counterpoint.language.english import be, head, is_countable, is_plural
from counterpoint.language.lexicon.attributes import excludes
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.ambiguity import general_names, may_be
from counterpoint.scenes.attributes import (
    action_class,
    action_synonyms,
    agent_kind,
    annotated_actions,
    attribute_class,
    can_be_said,
    canonical_value,
    denies,
    goes_before_noun,
    is_contradicted,
    modified_noun,
    value_synonyms,
)
from counterpoint.scenes.cooccurrence import WeightedWords
from counterpoint.scenes.views import ReferringExpression, SceneSampler, choose_expression, relation_expressions
from counterpoint.suites.carets.templates import QuestionContent, question_about
from counterpoint.suites.question_groups import Tags

_TRIES = 6
_THREE = 0.65  # where a third choice is found, how often it is offered, so that two and three come about evenly
_BY_RELATION = 0.4  # of the general names that a relation could single out, the share where it does


_NO_LOOKS = "no attributes are annotated"
_NO_DEEDS, _NO_KIND = "nobody is annotated as doing anything", "nothing is surely of a general kind"
SCENE_WIDE_REASONS = frozenset({_NO_LOOKS, _NO_DEEDS, _NO_KIND})
"""Reasons that hold for the whole scene, so that another attempt does not help."""


def sample_attribute(view: SceneSampler, rng: Random) -> tuple[ReferringExpression, str, str] | str:
    """A referring expression, a value of its object, and a plausible value that it does not have."""
    if not view.has_attributes:
        return _NO_LOOKS
    things = [one for one in view.scene if view.values(one)]
    if not things:
        return "nothing is known for sure of how anything looks"
    expression = choose_expression(view, rng.choice(things), rng)
    if expression is None:
        return "it cannot be referred to without doubt"
    values = [value for value in view.values(expression.thing) if attribute_class(value) != expression.gives]
    if not values:
        return "nothing more is known of how it looks"
    value = rng.choice(values)
    usually = view.statistics.values(expression.thing.name, attribute_class(value))
    if rng.random() < usually.share(value):
        return "too usual a value for its kind"
    values_of_thing = view.values(expression.thing)
    draws = (one for one in (usually.draw(rng) for _ in range(_TRIES)) if can_be_said(one, expression.thing.name))
    wrong = next((one for one in draws if denies(values_of_thing, one)), "")
    return (expression, value, wrong) if wrong else "no plausible value is excluded"


def attribute_choice(view: SceneSampler, rng: Random) -> QuestionContent | str:
    """Choose the attribute of an object among two or three values of one class."""
    sampled = sample_attribute(view, rng)
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
    doers = [(thing, actions) for thing in view.scene if (actions := annotated_actions(thing))]
    if not doers:
        return _NO_DEEDS
    thing, actions = rng.choice(doers)
    deed = rng.choice(actions)
    sort = action_class(deed)
    does_more = sum(action_class(other) == sort for other in actions) > 1
    if does_more or is_contradicted(deed, view.scene.relations_of(thing.id)):
        return "it does several things of the class"
    expression = choose_expression(view, thing, rng, avoid=(sort,))
    if expression is None:
        return "it cannot be referred to without doubt"
    usually = view.statistics.counted("doing", agent_kind(thing.name), sort)
    if rng.random() < usually.share(deed):
        return "too usual an action for its kind"
    wrong = next((other for other in (usually.draw(rng) for _ in range(_TRIES)) if excludes(deed, other)), "")
    if not wrong:
        return "no plausible action is excluded"
    proof = f"{thing.name} {thing.id} {be(thing.name)} annotated as {deed}, and the choices exclude each other"
    options = _options(deed, wrong, thing.name, usually, rng)
    return _choice_question("action choice", expression, options, action_synonyms(deed), proof, sort)


def object_choice(view: SceneSampler, rng: Random) -> QuestionContent | str:
    """Choose the name of an object that is referred to by a hypernym with a value or a relation."""
    things = [thing for thing in view.scene if is_singular(thing.name)]
    kinds = [(thing, general) for thing in things for general in hypernym_names(thing.name)]
    rows = [row for row in kinds if row[1] in general_names() and row[1] != head(row[0].name)]
    if not rows:
        return _NO_KIND
    thing, general = rng.choice(rows)
    expression = _general_expression(view, thing, general, rng)
    if expression is None:
        return "nothing of its kind can be referred to without doubt"
    members = view.statistics.members(general)
    if rng.random() < members.share(thing.name):
        return "too usual a member of its kind"
    draws = dict.fromkeys(members.draw(rng) for _ in range(_TRIES))
    wrong = [name for name in draws if is_singular(name) and not may_be(name, thing.name) and head(name) != general]
    wrong = [name for name in wrong if not any(may_be(name, other.name) for other in expression.others)]
    if not wrong:
        return "no plausible choice is excluded"
    options = [thing.name, wrong[0]]
    third = next((name for name in wrong[1:] if not may_be(name, wrong[0])), "")
    options += [third] if third and rng.random() < _THREE else []
    assert not any(may_be(one, other) for one, other in combinations(options, 2)), "choices exclude each other"
    rng.shuffle(options)
    proof = f"{thing.name} {thing.id} is the only {expression.noun} {expression.where}".rstrip()
    proof += ", and the choices exclude each other"
    return _choice_question("object choice", expression, options, (thing.name,), proof, general)


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
    draws = (value for value in (words.draw(rng) for _ in range(_TRIES)) if value not in name.split())
    third = next((value for value in draws if excludes(right, value) and excludes(wrong, value)), "")
    options += [third] if third and rng.random() < _THREE else []
    rng.shuffle(options)
    return options


def _choice_question(
    kind: str, expression: ReferringExpression, options: Sequence[str], answers: Sequence[str], proof: str, sort: str
) -> QuestionContent:
    tags: Tags = (("class", sort), ("hypernym", next(iter(hypernym_names(expression.thing.name)), "none")))
    tags = (*(tags if kind != "object choice" else (("hypernym", sort),)), ("choices", str(len(options))))
    return question_about(expression, kind, options, Gold.of(*dict.fromkeys(answers)), proof, sort, tags)
