"""Antonym consistency: a door that is open is not closed."""

from collections.abc import Iterator
from functools import cache, partial
from random import Random

from counterpoint.core.groups import Gold, Relation
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import be
from counterpoint.language.lexicon.attributes import attribute_classes, classes_of, is_said_of, opposites
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.attributes import ACTION_CLASSES, denies, has_value
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.scenes.names import word_set
from counterpoint.scenes.views import ReferringExpression, SceneSampler, choose_expression
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.carets.templates import fitting_templates, group_candidate, question_about
from counterpoint.suites.suite import Rejection, Suite

KIND = "attribute verification"
PAIRS_PER_SCENE = 6
"""How many pairs a scene gives at most."""
ON_REQUEST = ("color", "sex")
"""Classes with opposites that only suites of their own ask for, each with its tag."""
FAMILIES = (frozenset({"color", "tone", "sunlight"}),)
"""Classes of which one tells another, so that a thing that is called white is not asked to be dark."""


def propose_antonyms(
    scene: Scene, statistics: SceneStatistics, rng: Random, *, requested: str = ""
) -> Iterator[Candidate | Rejection]:
    """Ask whether an object has an annotated value, and whether it has the opposite one, in random order.

    Of two opposites the more usual one is passed over as often as needed for each to be annotated equally often.
    """
    view = SceneSampler.of(scene, statistics)
    rows = [] if view.obstacle else [(thing, *pair) for thing in scene for pair in _pairs(view, thing, requested)]
    if not rows:
        has_any = any(thing.attributes for thing in scene)
        lack = "nothing has an opposite" if has_any else "no attributes are annotated"
        yield Rejection(KIND, view.obstacle or lack)
        return
    made = 0
    for thing, value, other in rng.sample(rows, len(rows)):
        if made == PAIRS_PER_SCENE:
            break
        expression = choose_expression(view, thing, rng, avoid=_family(pair_class(value, other)))
        if expression is None:
            yield Rejection(KIND, "it cannot be referred to without doubt")
        elif rng.random() >= statistics.odds(other, value, thing.name):
            yield Rejection(KIND, "too usual a value beside its opposite")
        else:
            made += 1
            yield _antonym_candidate(scene, expression, value, other, rng)


@cache
def pair_class(value: str, other: str) -> str:
    """The class in which a question may treat two values as opposites, or nothing.

    >>> pair_class("long", "short"), pair_class("young", "old"), pair_class("healthy", "unhealthy")
    ('length', 'age', '')
    >>> pair_class("walking", "running"), pair_class("polka dot", "plain")
    ('', '')
    """
    canonical = {"-".join(sorted((one, another))) for one in _spellings(value) for another in _spellings(other)}
    if other not in opposites(value) or not canonical.isdisjoint(word_set("attributes.contrasts")):
        return ""
    shared = [name for name in classes_of(value) if name in classes_of(other)]
    return next((name for name in shared if _is_asked(name)), "")


def _family(sort: str) -> frozenset[str]:
    """The classes that would answer a question for one of them."""
    return next((family for family in FAMILIES if sort in family), frozenset({sort}))


def _spellings(value: str) -> tuple[str, ...]:
    """A value, and the canonical words for it."""
    return (value, *(attribute_classes()[name].canonical(value) for name in classes_of(value)))


def _is_asked(name: str) -> bool:
    if attribute_classes()[name].kind == "action":
        return name in ACTION_CLASSES
    return name in ON_REQUEST or name not in word_set("attributes.not_asked") - word_set("attributes.antonyms_asked")


def _pairs(view: SceneSampler, thing: SceneObject, requested: str) -> Iterator[tuple[str, str]]:
    """The values of an object, each with an antonym that no object of its name has."""
    if view.scene.is_hard_to_see(thing):
        return
    sure = view.properties(thing)
    values = (*sure, *(value for value in thing.attributes if _is_only_antonym(value) and value not in sure))
    for value in values:
        for other in opposites(value):
            sort = pair_class(value, other)
            if not sort or (sort in ON_REQUEST and sort != requested) or other in thing.name.split():
                continue
            if not _fits(value, other, thing.name) or not denies((*values, *thing.attributes), other):
                continue
            if not any(has_value(named.attributes, other) for named in view.scene.named(thing.name)):
                yield value, other


@cache
def _is_only_antonym(value: str) -> bool:
    """Whether a value is asked for only beside its opposite, since values between the two are a matter of taste."""
    return any(name in word_set("attributes.antonyms_asked") or name in ON_REQUEST for name in classes_of(value))


@cache
def _fits(value: str, other: str, name: str) -> bool:
    """Whether two values are opposites for an object of a name, and the value has no opposite of another class for it.

    An old man is not young, an old car is not new; a short table may be low, or not long.
    """
    shared = {sort for one in opposites(value) for sort in classes_of(value) if sort in classes_of(one)}
    sort = pair_class(value, other)
    if attribute_classes()[sort].kind == "action" or sort in ON_REQUEST:
        return True
    return {one for one in shared if is_said_of(one, name)} == {sort}


def _antonym_candidate(scene: Scene, expression: ReferringExpression, value: str, other: str, rng: Random) -> Candidate:
    name, sort = expression.thing.name, pair_class(value, other)
    fact = f"{name} {expression.thing.id} {be(name)} annotated as {value}"
    tags = (
        ("class", sort),
        ("pair", "-".join(sorted((value, other)))),
        ("colors", "yes" if sort == "color" else "no"),
        ("sex", "yes" if sort == "sex" else "no"),
        ("hypernym", next(iter(hypernym_names(name)), "none")),
    )
    proof = f"{fact}, which excludes {other}, and no {name} is annotated as {other}"
    both = [
        question_about(expression, KIND, (word,), Gold.of(answer), proof, sort, tags)
        for word, answer in ((value, "yes"), (other, "no"))
    ]
    template = rng.choice(fitting_templates(both[0])).ask
    rng.shuffle(both)
    return group_candidate(scene, [(template, content) for content in both], Relation.DIFFERS)


suite = Suite(
    "antonym",
    tests="an object with an attribute does not have the opposite attribute",
    propose=propose_antonyms,
    survey=survey_scenes,
    merges=True,
)
with_colors = Suite(
    "antonym-colors",
    tests="an object with an attribute does not have the opposite one, black and white included",
    propose=partial(propose_antonyms, requested="color"),
    survey=survey_scenes,
    merges=True,
)
with_sex = Suite(
    "antonym-sex",
    tests="an object with an attribute does not have the opposite one, male and female included",
    propose=partial(propose_antonyms, requested="sex"),
    survey=survey_scenes,
    merges=True,
)
