"""Ontological consistency: where there is a dog there is an animal; where there is no animal there is no dog."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import accumulate
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.language.english import be, head, is_mass, is_plural, plural
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.ambiguity import general_names
from counterpoint.scenes.attributes import attribute_class, denies, goes_before_noun
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.scenes.views import ObjectClaim, SceneSampler
from counterpoint.suites.carets.question_sampling import verification_question
from counterpoint.suites.carets.templates import fitting_templates, group_wordings
from counterpoint.suites.suite import Rejection, Suite

KIND = "object verification"
PAIRS_PER_SCENE = 5
"""How many pairs a scene gives at most."""
EXTRA_GENERAL_NAMES = ("drink", "food", "meat", "person")
"""General names that read well in these questions, beside those that a question may choose within."""

_RELATIVE = frozenset({"size", "height", "length", "width", "thickness", "age", "weight"})
# a small elephant is no small animal
_WITH_ATTRIBUTE = 0.4
_TRIES = 8


def propose_hypernyms(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Group | Rejection]:
    """Ask for a present object, then for its hypernym; or for an absent kind, then for a hyponym of it."""
    view = SceneSampler(scene, statistics)
    for _ in range(PAIRS_PER_SCENE):
        if view.obstacle:
            yield Rejection(KIND, view.obstacle)
            continue
        up, down = _up(view, rng), _down(view, rng)
        if isinstance(up, str) or isinstance(down, str):
            yield Rejection(KIND, up if isinstance(up, str) else str(down))
            continue
        special, general = up if (truth := rng.random() < 0.5) else down
        claims = (special, general) if truth else (general, special)
        tags = (("direction", "up" if truth else "down"), ("general", general.name))
        contents = [verification_question(KIND, (claim,), truth, tags) for claim in claims]
        template = rng.choice(fitting_templates(contents[0])).ask
        yield group_wordings(scene, [(template, content) for content in contents])


def _up(view: SceneSampler, rng: Random) -> tuple[ObjectClaim, ObjectClaim] | str:
    """A present object and a hypernym of it, rare hypernyms more often."""
    names, bounds = view.weighted_names
    if not names:
        return "nothing is surely there"
    name = rng.choices(names, cum_weights=bounds)[0]
    above = [general for general in hypernym_names(name) if _is_above(general, name)]
    above = [general for general in above if rng.random() >= view.statistics.kind_share(general)]
    if not above:
        return "it has no general name, or too usual a one"
    general = rng.choice(above)
    things = view.scene.named(name)
    value = _shared_value(view.draw_own_value(rng.choice(things), rng)) if rng.random() < _WITH_ATTRIBUTE else ""
    with_value = view.having(things, value)
    fact = f"{name} {with_value[0].id} {be(name)} annotated" + (f" as {value}" if value else "")
    wider = [x for x in view.called(general)[0] if x.name == name or general in hypernym_names(x.name)]
    return (
        ObjectClaim(name, value, True, fact, with_value),
        ObjectClaim(
            _in_number_of(general, name),
            value,
            True,
            f"{fact}, which is of the kind {general}",
            view.having(wider, value),
        ),
    )


def _down(view: SceneSampler, rng: Random) -> tuple[ObjectClaim, ObjectClaim] | str:
    """An absent object and its absent kind, or both with a value that nothing of the kind has."""
    kinds = [general for general in sorted(_usable_general_names()) if view.statistics.kinds[general]]
    if not kinds:
        return "the source has nothing of a general kind"
    bounds = list(accumulate(view.statistics.kinds[general] for general in kinds))
    for _ in range(_TRIES):
        general = rng.choices(kinds, cum_weights=bounds)[0]
        name = view.statistics.members(general).draw(rng)
        if not name or not _is_above(general, name):
            continue
        value = _shared_value(view.draw_usual_value(name, rng)) if rng.random() < _WITH_ATTRIBUTE else ""
        if proof := _absence(view, general, value):
            objects = tuple(view.called(general)[0]) if value else ()
            special = ObjectClaim(name, value, False, proof, objects)
            return special, replace(special, name=_in_number_of(general, name))
    return "no general kind is surely absent"


def _absence(view: SceneSampler, general: str, value: str) -> str:
    """The proof that nothing of a kind is present, or nothing of it with this value, or nothing."""
    if not view.absence_doubt(general):
        return f"nothing annotated is of the kind {general}, could be, or may show such a thing"
    things, showing = view.called(general)
    if not value or showing or not things or not all(denies(view.values(thing), value) for thing in things):
        return ""
    return f"nothing of the kind {general} is {value}: {view.excluding_facts(things, value)}"


def _shared_value(value: str) -> str:
    """A value that means the same for an object and for its kind, or nothing."""
    return value if value and goes_before_noun(value) and attribute_class(value) not in _RELATIVE else ""


def _is_above(general: str, name: str) -> bool:
    """Whether a general name reads well in the place of a special one: grass is hardly "a plant"."""
    return general in _usable_general_names() and general != head(name) and (is_mass(general) or not is_mass(name))


def _in_number_of(general: str, name: str) -> str:
    """A general name in the number of a special one: animals for dogs, clothing for pants."""
    return plural(general) if is_plural(name) and not is_mass(general) else general


@cache
def _usable_general_names() -> frozenset[str]:
    return frozenset((*general_names(), *EXTRA_GENERAL_NAMES))


suite = Suite(
    "ontology",
    tests="a question by the name of a kind has the answer of its member",
    propose=propose_hypernyms,
    survey=survey_scenes,
)
