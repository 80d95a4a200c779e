"""Ontological consistency: where there is a dog there is an animal; where there is no animal there is no dog.

Either name may come first, and with either answer, so that neither tells the answer.
"""

from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from random import Random

from msgspec.structs import replace

from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import be, head, is_mass, is_plural, plural
from counterpoint.language.lexicon.senses import hypernym_names, is_a
from counterpoint.scenes.attributes import (
    ACTION_CLASSES,
    action_goes_before_noun,
    agent_kind,
    attribute_class,
    denies,
    goes_before_noun,
)
from counterpoint.scenes.cooccurrence import SceneStatistics, WeightedWords, draw_weighted, survey_scenes
from counterpoint.scenes.names import general_names, sure_hypernyms
from counterpoint.scenes.views import ObjectClaim, SceneSampler
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.carets.question_sampling import verification_question
from counterpoint.suites.carets.templates import fitting_templates, group_candidate
from counterpoint.suites.suite import Rejection, Suite

KIND = "object verification"
PAIRS_PER_SCENE = 10
"""How many pairs a scene gives at most."""
EXTRA_GENERAL_NAMES = ("drink", "food", "meat", "person")
"""General names that read well in these questions, beside those that a question may choose within."""

_RELATIVE = frozenset({"size", "height", "length", "width", "thickness", "age", "weight"})
# a small elephant is no small animal
_WITH_ATTRIBUTE = 0.35
_WITH_PROPERTY = 0.6  # with an attribute, or with an action: a jogging woman
_TRIES = 8


def propose_hypernyms(scene: Scene, statistics: SceneStatistics, rng: Random) -> Iterator[Candidate | Rejection]:
    """Ask for an object, present or absent, by its name and by that of its kind; a coin decides which is the base."""
    view = SceneSampler.of(scene, statistics)
    if view.obstacle:
        yield Rejection(KIND, view.obstacle, PAIRS_PER_SCENE)
        return
    here, everywhere = _present_kinds(view), statistics.kinds_with_members(_usable_general_names())
    for _ in range(PAIRS_PER_SCENE):
        present, absent = _present_pair(view, here, rng), _absent_pair(view, everywhere, rng)
        if isinstance(present, str) or isinstance(absent, str):
            yield Rejection(KIND, present if isinstance(present, str) else str(absent))
            continue
        special, general = present if (truth := rng.random() < 0.5) else absent
        goes_up = rng.random() < 0.5
        claims = (special, general) if goes_up else (general, special)
        tags = (("direction", "up" if goes_up else "down"), ("general", general.name))
        contents = [verification_question(KIND, (claim,), truth, tags) for claim in claims]
        template = rng.choice(fitting_templates(contents[0])).ask
        yield group_candidate(scene, [(template, content) for content in contents])


def _present_kinds(view: SceneSampler) -> tuple[list[tuple[str, str]], list[float]]:
    """The names of present objects with each of their kinds, weighted by how often the kind could be denied."""
    pairs = [(name, kind) for name in view.visible_names for kind in sure_hypernyms(name) if _is_above(kind, name)]
    shares = {row: share for row in pairs if (share := view.statistics.denial_share(row[1]))}
    return list(shares), list(accumulate(shares.values()))


def _present_pair(
    view: SceneSampler, kinds: tuple[list[tuple[str, str]], list[float]], rng: Random
) -> tuple[ObjectClaim, ObjectClaim] | str:
    """A present object and a hypernym of it, sooner one that could often be denied in the source."""
    if not kinds[0]:
        return "nothing that is surely there has a general name"
    name, general = draw_weighted(*kinds, rng)
    things = view.recognizable(name)
    value = _own_property(view, rng.choice(things), rng)
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


def _absent_pair(view: SceneSampler, kinds: WeightedWords, rng: Random) -> tuple[ObjectClaim, ObjectClaim] | str:
    """An absent object and its absent kind, or both with a value or action that nothing of the kind has."""
    if not kinds.words:
        return "the source has nothing of a general kind"
    for _ in range(_TRIES):
        general = kinds.draw(rng)
        name = view.statistics.members(general).draw(rng)
        if not _is_above(general, name):
            continue
        value = _usual_property(view, name, rng)
        if proof := _absence(view, general, value):
            objects = tuple(view.called(general)[0]) if value else ()
            special = ObjectClaim(name, value, False, proof, objects)
            return special, replace(special, name=_in_number_of(general, name))
    return "no general kind is surely absent"


def _own_property(view: SceneSampler, thing: SceneObject, rng: Random) -> str:
    """A value or an action of an object that can stand before its name and before that of its kind, or nothing."""
    draw = rng.random()
    if draw < _WITH_ATTRIBUTE:
        return _shared_value(view.draw_own_value(thing, rng))
    deeds = list(filter(action_goes_before_noun, view.sure_actions(thing))) if draw < _WITH_PROPERTY else []
    return rng.choice(deeds) if deeds else ""


def _usual_property(view: SceneSampler, name: str, rng: Random) -> str:
    """A value or an action that such objects have, or nothing."""
    draw = rng.random()
    if draw < _WITH_ATTRIBUTE:
        return _shared_value(view.draw_usual_value(name, rng))
    if draw >= _WITH_PROPERTY or not agent_kind(name):
        return ""
    deed = view.statistics.actions(name, rng.choice(ACTION_CLASSES)).draw(rng)
    return deed if action_goes_before_noun(deed) else ""


def _absence(view: SceneSampler, general: str, value: str) -> str:
    """The proof that nothing of a kind is present, or nothing of it with this value, or nothing."""
    if not view.absence_doubt(general):
        return f"nothing annotated is of the kind {general}, could be, or may show such a thing"
    things, showing = view.called(general)
    if not value or showing or not things or not all(denies(view.properties(thing), value) for thing in things):
        return ""
    return f"nothing of the kind {general} is {value}: {view.excluding_facts(things, value)}"


def _shared_value(value: str) -> str:
    """A value that means the same for an object and for its kind, or nothing."""
    return value if value and goes_before_noun(value) and attribute_class(value) not in _RELATIVE else ""


@cache
def _is_above(general: str, name: str) -> bool:
    """Whether a general name reads well in the place of a special one: grass is hardly a plant, a bag no container."""
    if general == "container" and is_a(name, "bag"):
        return False
    return general in _usable_general_names() and general != head(name) and (is_mass(general) or not is_mass(name))


def _in_number_of(general: str, name: str) -> str:
    """A general name in the number of a special one: animals for dogs, clothing for pants."""
    return plural(general) if is_plural(name) and not is_mass(general) else general


@cache
def _usable_general_names() -> tuple[str, ...]:
    return tuple(sorted({*general_names(), *EXTRA_GENERAL_NAMES}))


suite = Suite(
    "ontology",
    tests="a question by the name of a kind has the answer of its member",
    propose=propose_hypernyms,
    survey=survey_scenes,
    merges=True,
)
