"""A scene of the world indexed for question and caption writers: objects with attributes by class, and ambiguity."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from types import MappingProxyType
from typing import TypeVar

from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.language.english import plural
from counterpoint.scenes.relations import SceneIndex, side_of_picture
from counterpoint.world.confusable_names import confusable_names, is_clear_family, narrower_names, showing_names
from counterpoint.world.kinds import COLORS, OPPOSITES, Kind, kinds

_T = TypeVar("_T")

MATERIALS: Mapping[str, str] = MappingProxyType(
    {"wooden": "wood", "metal": "metal", "plastic": "plastic", "brick": "brick"}
)
"""The adjective that an object carries, and the noun that a question is answered with."""
SIZES = ("small", "large")
"""Sizes that are annotated where they are unusual for the kind."""
POSES = ("standing", "sitting", "lying", "running", "walking", "eating", "flying", "jumping", "waving")
"""What a person's or an animal's body does."""
ACTIONS = (
    "holding",
    "carrying",
    "riding",
    "kicking",
    "pushing",
    "throwing",
    "feeding",
    "eating",
    "drinking from",
    "reading",
    "flying",
    "walking",
    "watering",
    "sitting on",
    "chasing",
)
"""Relations in which the first does something with the second."""
OPPOSED_RELATIONS: Mapping[str, str] = MappingProxyType(
    {
        "to the left of": "to the right of",
        "to the right of": "to the left of",
        "in front of": "behind",
        "behind": "in front of",
        "above": "below",
        "below": "above",
    }
)
"""Relations of which one excludes the other."""
SINGLE_WORD_FAMILIES = ("person", "animal", "vehicle", "fruit", "vegetable", "plant", "toy", "building")
"""Families whose word can stand for one member: "the animal", but not "the furniture"."""

_OTHER_STATE = MappingProxyType({one: other for pair in OPPOSITES for one, other in (pair, pair[::-1])})
_FINERY = MappingProxyType({"hat": 10, "scarf": 5, "glasses": 5})
_COLOR_HIDDEN_BY = frozenset({"bare", "sliced", "broken", "wilted"})
_SMALLEST_COLORED = 90  # pixels of a box below which a colour is a guess


def other_state(state: str) -> str:
    """The state that excludes this one: closed for open."""
    return _OTHER_STATE[state]


@cache
def family_members(family: str) -> tuple[str, ...]:
    """The names of the kinds of a family, in the order of the file."""
    return tuple(name for name, kind in kinds().items() if kind.family == family)


@dataclass(frozen=True, slots=True)
class Thing:
    """An object of the scene with its attributes by class; an empty text where it has none."""

    object: SceneObject
    kind: Kind
    color: str = ""
    material: str = ""
    size: str = ""
    states: tuple[str, ...] = ()
    pose: str = ""
    covered: bool = False  # by another garment

    @classmethod
    def of(cls, thing: SceneObject, covered: bool = False) -> "Thing":
        """Sort the attributes of an object into their classes."""
        words = thing.attributes
        return cls(
            thing,
            kinds()[thing.name],
            next((word for word in words if word in COLORS), ""),
            next((MATERIALS[word] for word in words if word in MATERIALS), ""),
            next((word for word in words if word in SIZES), ""),
            tuple(word for word in words if word in _OTHER_STATE),
            next((word for word in words if word in POSES), ""),
            covered,
        )

    @property
    def id(self) -> str:
        """The id of the object."""
        return self.object.id

    @property
    def name(self) -> str:
        """The name of the object, which is that of its kind."""
        return self.object.name

    @property
    def family(self) -> str:
        """The family of its kind."""
        return self.kind.family

    @property
    def is_person(self) -> bool:
        """Whether it is someone."""
        return self.kind.family == "person"

    @property
    def is_worn(self) -> bool:
        """Whether it is a garment."""
        return self.kind.spot == "worn"

    @property
    def seen_states(self) -> tuple[str, ...]:
        """Its states where they can be seen: not under a jacket."""
        return () if self.covered else self.states

    @property
    def seen_color(self) -> str:
        """Its colour where it is unambiguous: not on a bare tree or a sliced fruit, and not under a jacket."""
        box = self.object.box
        if self.covered or self.color == self.name:
            return ""
        if _COLOR_HIDDEN_BY.intersection(self.states) or (box is not None and box.area < _SMALLEST_COLORED):
            return ""
        return self.color


class SceneFacts(SceneIndex):
    """The objects of a scene by name, family and relation."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        covered = _covered(scene)
        self.things = tuple(Thing.of(one, one.id in covered) for one in scene.objects)
        self.by_id = {thing.id: thing for thing in self.things}
        self.by_name = _grouped((thing.name, thing) for thing in self.things)
        self.by_family = _grouped((thing.family, thing) for thing in self.things)
        self.names = frozenset(self.by_name)

    def side(self, thing: SceneObject) -> str:
        """Left or right, for an object that lies clearly in one half of the picture; else nothing."""
        return side_of_picture(self.scene, thing)

    @property
    def place(self) -> str:
        """Where the scene is."""
        return self.scene.place

    @property
    def weather(self) -> str:
        """The weather outdoors."""
        return self.scene.weather

    @cached_property
    def people(self) -> tuple[Thing, ...]:
        """Everyone in the scene."""
        return tuple(thing for thing in self.things if thing.is_person)

    @cached_property
    def unworn(self) -> tuple[Thing, ...]:
        """Everything but clothes."""
        return tuple(thing for thing in self.things if not thing.is_worn)

    @cached_property
    def asked_names(self) -> list[str]:
        """The names of present objects, but for clothes that everyone wears, whose presence is never in question."""
        return sorted({thing.name for thing in self.things if not thing.is_worn or thing.name in _FINERY})

    @cached_property
    def hidden_names(self) -> frozenset[str]:
        """The names of things that are hard to see: nothing is asked or told about these."""
        return frozenset(thing.name for thing in self.things if self.scene.is_hard_to_see(thing.object))

    def names_hidden(self, *texts: str) -> bool:
        """Whether a text names something that is hard to see, or its family."""
        if not self.hidden_names:
            return False
        families = {thing.family for name in self.hidden_names for thing in self.named(name)}
        words = {form for name in self.hidden_names | families for form in (name, plural(name))}
        return any(re.search(rf"\b(?:{'|'.join(sorted(words))})\b", text.lower()) for text in texts)

    def wearer(self, garment: Thing) -> Thing | None:
        """The person who wears a garment."""
        return self.by_id[self.wearers[garment.id]] if garment.id in self.wearers else None

    @cached_property
    def links(self) -> Mapping[str, tuple[Link, ...]]:
        """The relations of the scene by their name; of two things on the ground none is above the other."""
        return _grouped((link.name, link) for link in self.scene.relations if self._is_plain(link))

    def _is_plain(self, link: Link) -> bool:
        upper = {"above": link.subject, "below": link.object}.get(link.name)
        return upper is None or self.by_id[upper].kind.spot in ("sky", "wall")

    @cached_property
    def actions(self) -> tuple[Link, ...]:
        """Who does something with what."""
        return tuple(link for link in self.scene.relations if link.name in ACTIONS)

    @cached_property
    def _touching(self) -> frozenset[tuple[str, str]]:
        return frozenset((link.subject, link.object) for link in self.actions)

    def acts_on(self, agent: Thing, other: Thing) -> bool:
        """Whether one does anything at all with the other."""
        return (agent.id, other.id) in self._touching

    def is_busy(self, thing: Thing) -> bool:
        """Whether someone does something with anything."""
        return any(link.subject == thing.id for link in self.actions)

    def named(self, name: str) -> tuple[Thing, ...]:
        """The things of this name."""
        return self.by_name.get(name, ())

    def called(self, word: str) -> tuple[Thing, ...]:
        """The things of this name or family."""
        return self.by_name.get(word) or self.by_family.get(word, ())

    def holds(self, subject: Thing, relation: str, other: Thing) -> bool:
        """Whether the relation is annotated."""
        return (subject.id, relation, other.id) in self.triples

    def objects_of(self, subject: Thing, relation: str) -> tuple[Thing, ...]:
        """What the subject relates to in this way."""
        return tuple(self.by_id[link.object] for link in self.links.get(relation, ()) if link.subject == subject.id)

    def subjects_of(self, relation: str, other: Thing) -> tuple[Thing, ...]:
        """What relates to the other in this way."""
        return tuple(self.by_id[link.subject] for link in self.links.get(relation, ()) if link.object == other.id)

    def surely_absent(self, name: str) -> bool:
        """Whether nothing in the picture is of this name or could be taken for it."""
        return name not in self.names and not self.names.intersection((*confusable_names(name), *showing_names(name)))

    def surely_named(self, name: str) -> bool:
        """Whether the name picks out exactly those annotated with it: "tree" does not beside a palm tree."""
        return not self.names.intersection(narrower_names(name))

    def surely_counted(self, name: str) -> bool:
        """Whether every such thing in the picture is annotated: books are not beside a bookshelf."""
        return self.surely_named(name) and not self.names.intersection(showing_names(name))

    def clear_family(self, family: str) -> bool:
        """Whether membership in a family is unambiguous here, which it is not for a tomato among fruit."""
        return is_clear_family(family, self.names)

    def absent(self, rng: Random, among: Sequence[str] | None = None) -> Iterator[str]:
        """Names of kinds that are not here but could be, likelier ones for the place first more often."""
        rows = (*_weighted(self.place), *(_FINERY.items() if self.people else ()))
        pool = [(name, weight) for name, weight in rows if among is None or name in among]
        while pool:
            name = rng.choices([row[0] for row in pool], [row[1] for row in pool])[0]
            pool = [row for row in pool if row[0] != name]
            if self.surely_absent(name):
                yield name


def _covered(scene: Scene) -> frozenset[str]:
    """The shirts that are worn below a jacket."""
    jackets = {thing.id for thing in scene.named("jacket")}
    wearers = {link.subject for link in scene.relations if link.name == "wearing" and link.object in jackets}
    shirts = {thing.id for thing in scene.named("shirt")}
    worn = (link for link in scene.relations if link.name == "wearing" and link.subject in wearers)
    return frozenset(link.object for link in worn if link.object in shirts)


@cache
def _weighted(place: str) -> tuple[tuple[str, int], ...]:
    """Kinds with their weight in a place."""
    return tuple((name, one.places[place]) for name, one in kinds().items() if one.places.get(place))


def _grouped(pairs: Iterator[tuple[str, _T]]) -> dict[str, tuple[_T, ...]]:
    groups: dict[str, list[_T]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in groups.items()}
