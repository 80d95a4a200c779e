"""Phrases that fit one thing of a scene and no other: by its name, a quality, a relation, its clothes or its side."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from counterpoint.core.items import Step
from counterpoint.language.english import be, possessive
from counterpoint.scenes.programs import add_relation, add_step, select_objects
from counterpoint.world.facts import SINGLE_WORD_FAMILIES, SceneFacts, Thing

_STATES_BEFORE_NOUN = frozenset(
    {"open", "closed", "full", "empty", "dirty", "broken", "bare", "overturned", "striped", "sliced", "wilted"}
)
_POSES_BEFORE_NOUN = frozenset({"sitting", "standing", "running", "walking", "jumping", "waving", "lying"})
_TELLING_ACTIONS = (
    "holding",
    "carrying",
    "riding",
    "kicking",
    "pushing",
    "reading",
    "flying",
    "walking",
    "watering",
    "feeding",
    "eating",
    "sitting on",
)
_OUTER_CLOTHES = ("jacket", "shirt", "dress", "hat", "scarf", "skirt", "pants", "shorts")


@dataclass(frozen=True, slots=True)
class Referent:
    """A definite phrase for one thing, with the program that finds it and the classes of facts it gives away."""

    thing: Thing
    text: str
    steps: tuple[Step, ...]
    tells: frozenset[str] = frozenset()
    word: str = ""  # the head noun where it is not the name

    @property
    def noun(self) -> str:
        """The noun that verbs agree with."""
        return self.word or self.thing.name

    @property
    def be(self) -> str:
        """ "is" or "are", as the noun asks."""
        return be(self.noun)


class ReferentFinder:
    """Finds phrases for the things of one scene; `plainness` says how often the bare name is used where it serves."""

    def __init__(self, facts: SceneFacts, plainness: float = 0.6) -> None:
        self.facts, self.plainness = facts, plainness
        self._known: dict[str, tuple[Referent, ...]] = {}

    def all(self, thing: Thing) -> tuple[Referent, ...]:
        """Every phrase that we have for a thing, the plainest first."""
        if thing.id not in self._known:
            self._known[thing.id] = tuple(self._phrases(thing))
        return self._known[thing.id]

    def plain(self, thing: Thing) -> Referent | None:
        """ "the cup", where there is but one."""
        found = self.all(thing)
        return found[0] if found and not found[0].tells else None

    def refer(self, thing: Thing | None, rng: Random, *avoid: str) -> Referent | None:
        """A phrase that gives none of these classes away (color, state, pose, name, or a relation's name)."""
        if thing is None:
            return None
        fitting = [referent for referent in self.all(thing) if not referent.tells.intersection(avoid)]
        if not fitting:
            return None
        if not fitting[0].tells and rng.random() < self.plainness:
            return fitting[0]
        return rng.choice(fitting)

    def _phrases(self, thing: Thing) -> Iterator[Referent]:
        if not self.facts.surely_named(thing.name):
            return
        others = self.facts.named(thing.name)
        start = select_objects(thing.name, [other.id for other in others])
        if thing.is_worn:
            yield from self._worn(thing)
        if len(others) == 1:
            yield Referent(thing, f"the {thing.name}", select_objects(thing.name, [thing.id]))
        else:
            yield from self._by_side(thing, others, start)
        yield from self._by_quality(thing, others, start)
        if thing.is_person:
            yield from self._by_clothes(thing)
            yield from self._by_action(thing)
        elif not thing.is_worn:
            yield from self._by_support(thing)
        yield from self._by_family(thing)

    def _by_quality(self, thing: Thing, others: tuple[Thing, ...], start: tuple[Step, ...]) -> Iterator[Referent]:
        """One adjective before the noun."""
        color = thing.seen_color
        rivals = [other for other in others if color == other.color or not other.seen_color]
        if color and _alone(thing, rivals):
            yield self._adjective(thing, color, add_step(start, "filter color", color), "color")
        for state in thing.states:
            if state in _STATES_BEFORE_NOUN and _alone(thing, [other for other in others if state in other.states]):
                yield self._adjective(thing, state, add_step(start, "filter state", state), "state")
        still = thing.pose in _POSES_BEFORE_NOUN and not self.facts.is_busy(thing)
        if still and _alone(thing, [other for other in others if other.pose in (thing.pose, "")]):
            yield self._adjective(thing, thing.pose, add_step(start, "filter pose", thing.pose), "pose")

    def _adjective(self, thing: Thing, word: str, steps: tuple[Step, ...], kind: str) -> Referent:
        return Referent(thing, f"the {word} {thing.name}", steps, frozenset({kind}))

    def _by_side(self, thing: Thing, others: tuple[Thing, ...], start: tuple[Step, ...]) -> Iterator[Referent]:
        side = self.facts.side(thing.object)
        sides = [self.facts.side(other.object) for other in others]
        if side and not thing.is_worn and all(sides) and sides.count(side) == 1:
            steps = add_step(start, "filter hposition", side)
            yield Referent(
                thing,
                f"the {thing.name} on the {side}",
                steps,
                frozenset({"hposition", "to the left of", "to the right of"}),
            )

    def _by_clothes(self, person: Thing) -> Iterator[Referent]:
        """ "the man in the red shirt"."""
        for garment in self.facts.objects_of(person, "wearing"):
            color = garment.seen_color
            if garment.name not in _OUTER_CLOTHES or not color:
                continue
            rivals = [
                other
                for other in self.facts.named(person.name)
                if any(g.name == garment.name and g.color == color for g in self.facts.objects_of(other, "wearing"))
            ]
            if _alone(person, rivals):
                steps = add_step(
                    select_objects(garment.name, [g.id for g in self.facts.named(garment.name)]), "filter color", color
                )
                steps = add_relation(steps, person.name, "wearing", "s", [person.id])
                text = f"the {person.name} in the {color} {garment.name}"
                yield Referent(person, text, steps, frozenset({"color", "wearing"}))

    def _by_action(self, person: Thing) -> Iterator[Referent]:
        """ "the woman holding the umbrella", "the person holding the umbrella"."""
        for link in self.facts.scene.relations_of(person.id):
            other = self.facts.by_id[link.object]
            if link.name not in _TELLING_ACTIONS or len(self.facts.named(other.name)) != 1:
                continue
            if not self.facts.surely_named(other.name) or len(self.facts.subjects_of(link.name, other)) != 1:
                continue
            tells = frozenset({link.name, "relation", "pose", other.name})
            start = select_objects(other.name, [other.id])
            for word, more in ((person.name, ()), ("person", ("name",))):
                steps = add_relation(start, word, link.name, "s", [person.id])
                yield Referent(person, f"the {word} {link.name} the {other.name}", steps, tells.union(more), word)

    def _by_support(self, thing: Thing) -> Iterator[Referent]:
        """ "the cup on the table", where there is one table and one cup on it."""
        for relation in ("on", "under"):
            for below in self.facts.objects_of(thing, relation):
                same = [other for other in self.facts.subjects_of(relation, below) if other.name == thing.name]
                if (
                    len(self.facts.named(below.name)) == 1
                    and _alone(thing, same)
                    and self.facts.surely_named(below.name)
                ):
                    steps = add_relation(select_objects(below.name, [below.id]), thing.name, relation, "s", [thing.id])
                    tells = frozenset({relation, "relation", below.name})
                    yield Referent(thing, f"the {thing.name} {relation} the {below.name}", steps, tells)

    def _by_family(self, thing: Thing) -> Iterator[Referent]:
        """ "the animal", "the red vehicle"."""
        family = thing.family
        if family not in SINGLE_WORD_FAMILIES or not self.facts.clear_family(family):
            return
        relatives = self.facts.by_family[family]
        start = select_objects(family, [other.id for other in relatives])
        if len(relatives) == 1:
            yield Referent(thing, f"the {family}", start, frozenset({"family", "hides name"}), family)
        color = thing.seen_color
        rivals = [other for other in relatives if other.color == color or not other.seen_color]
        if color and len(relatives) > 1 and _alone(thing, rivals):
            tells = frozenset({"color", "family", "hides name"})
            yield Referent(thing, f"the {color} {family}", add_step(start, "filter color", color), tells, family)

    def _worn(self, garment: Thing) -> Iterator[Referent]:
        """ "the woman's shirt"."""
        wearer = self.facts.wearer(garment)
        if wearer and len(self.facts.named(wearer.name)) == 1:
            steps = add_relation(select_objects(wearer.name, [wearer.id]), garment.name, "wearing", "o", [garment.id])
            text = f"the {possessive(wearer.name)} {garment.name}"
            yield Referent(garment, text, steps, frozenset({"wearing"}))


def _alone(thing: Thing, found: list[Thing]) -> bool:
    return [one.id for one in found] == [thing.id]
