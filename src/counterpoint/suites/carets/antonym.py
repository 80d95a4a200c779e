"""Antonym consistency: a door that is open is not closed."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import be
from counterpoint.language.lexicon.attributes import opposites
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.attributes import (
    action_class,
    annotated_actions,
    attribute_class,
    can_be_said,
    denies,
    has_value,
    is_contradicted,
)
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.scenes.views import ReferringExpression, SceneSampler, choose_expression
from counterpoint.suites.carets.templates import fitting_templates, group_wordings, question_about
from counterpoint.suites.suite import Rejection, Suite

KIND = "attribute verification"
PAIRS_PER_SCENE = 2
"""How many pairs a scene gives at most."""


def propose_antonyms(
    scene: Scene, statistics: SceneStatistics, rng: Random, *, colors: bool = False
) -> Iterator[Group | Rejection]:
    """Ask whether an object has an annotated value, and whether it has the opposite one, in random order."""
    view = SceneSampler(scene, statistics)
    rows = [] if view.obstacle else [(thing, *pair) for thing in scene for pair in _pairs(view, thing, colors)]
    if not rows:
        lack = "nothing has an opposite" if view.has_attributes else "no attributes are annotated"
        yield Rejection(KIND, view.obstacle or lack)
        return
    for thing, value, other in rng.sample(rows, min(PAIRS_PER_SCENE, len(rows))):
        expression = choose_expression(view, thing, rng, avoid=(attribute_class(value) or action_class(value),))
        if expression is None:
            yield Rejection(KIND, "it cannot be referred to without doubt")
        else:
            yield _antonym_group(scene, expression, value, other, rng)


def _pairs(view: SceneSampler, one: SceneObject, colors: bool) -> Iterator[tuple[str, str]]:
    """The values of an object, each with an antonym that no object of its name has."""
    does = annotated_actions(one)
    if len(does) != 1 or is_contradicted(does[0], view.scene.relations_of(one.id)):
        does = []
    values = (*view.values(one), *does)
    for value in values:
        for other in opposites(value):
            sort = attribute_class(value) or action_class(value)
            if sort != (attribute_class(other) or action_class(other)) or (sort == "color" and not colors):
                continue
            if not (action_class(other) or can_be_said(other, one.name)) or not denies(values, other):
                continue
            if not any(has_value(thing.attributes, other) for thing in view.scene.named(one.name)):
                yield value, other


def _antonym_group(scene: Scene, expression: ReferringExpression, value: str, other: str, rng: Random) -> Group:
    name, sort = expression.thing.name, attribute_class(value) or action_class(value)
    fact = f"{name} {expression.thing.id} {be(name)} annotated as {value}"
    tags = (
        ("class", sort),
        ("pair", "-".join(sorted((value, other)))),
        ("colors", "yes" if sort == "color" else "no"),
        ("hypernym", next(iter(hypernym_names(name)), "none")),
    )
    proof = f"{fact}, which excludes {other}, and no {name} is annotated as {other}"
    both = [
        question_about(expression, KIND, (word,), Gold.of(answer), proof, sort, tags)
        for word, answer in ((value, "yes"), (other, "no"))
    ]
    template = rng.choice(fitting_templates(both[0])).ask
    rng.shuffle(both)
    return group_wordings(scene, [(template, content) for content in both], relation=Relation.DIFFERS)


suite = Suite(
    "antonym",
    tests="an object with an attribute does not have the opposite attribute",
    propose=propose_antonyms,
    survey=survey_scenes,
)
with_colors = Suite(
    "antonym-colors",
    tests="an object with an attribute does not have the opposite one, black and white included",
    propose=partial(propose_antonyms, colors=True),
    survey=survey_scenes,
)
