"""A scene as a careful asker sees it: what is surely there, what surely is not, and what can be told apart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random

from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.language.english import be
from counterpoint.scenes.absence import ambiguity_reason, ambiguity_reasons, is_unambiguous
from counterpoint.scenes.ambiguity import can_be_asked, is_known, may_be, may_show, word_set
from counterpoint.scenes.attributes import (
    attribute_class,
    denies,
    goes_before_noun,
    has_value,
    modified_noun,
    visible_values,
)
from counterpoint.scenes.cooccurrence import SceneStatistics, WeightedWords
from counterpoint.scenes.relations import can_follow_noun, opposed_relation

_TRIES = 24
_WITH_ATTRIBUTE = 0.4
_OF_ANOTHER_LOOK = 0.5  # of the attributed things that are not there, the share that is there with another value


@dataclass(frozen=True, slots=True)
class ObjectClaim:
    """A thing that a question names, perhaps with a value: whether it is there, and how that is known."""

    name: str
    value: str
    is_there: bool
    proof: str
    objects: tuple[SceneObject, ...] = ()

    @property
    def phrase(self) -> str:
        """The value and the name."""
        return modified_noun(self.value, self.name)


class SceneView:
    """One scene of a source with these habits; `refused` counts, by reason, what was drawn and could not be used."""

    def __init__(self, scene: Scene, habits: SceneStatistics) -> None:
        self.scene, self.habits = scene, habits
        self.names: Sequence[str] = sorted(scene.names)
        self.refused: Counter[str] = Counter()
        self._values: dict[str, tuple[str, ...]] = {}
        self._called: dict[str, tuple[list[SceneObject], list[SceneObject]]] = {}

    @cached_property
    def obstacle(self) -> str:
        """Why nothing can be asked about the scene, if so: a thing of an unknown name could be anything."""
        if not self.names:
            return "nothing is annotated"
        return "" if all(is_known(name) for name in self.names) else "something has a name that no lexicon knows"

    @cached_property
    def clear(self) -> tuple[list[str], list[float]]:
        """Names of what is there that could as well have been proved absent, rarer ones with more weight."""
        names = [name for name in self.names if can_be_asked(name) and is_unambiguous(name, self.names)]
        weights = [1 - self.habits.share(name) for name in names]
        return (names, list(accumulate(weights))) if sum(weights) > 0 else ([], [])

    @cached_property
    def wearer(self) -> Mapping[str, str]:
        """Who wears a garment, by the garment's id."""
        return {link.object: link.subject for link in self.scene.relations if link.name == "wearing"}

    @cached_property
    def _worn(self) -> Mapping[str, list[SceneObject]]:
        found: dict[str, list[SceneObject]] = {}
        for garment, who in self.wearer.items():
            found.setdefault(who, []).append(self.scene[garment])
        return found

    @cached_property
    def links(self) -> Mapping[str, list[Link]]:
        """The relations that a sentence can say, by name in alphabetical order."""
        found: dict[str, list[Link]] = {}
        for link in self.scene.relations:
            if self.can_say(link):
                found.setdefault(link.name, []).append(link)
        return dict(sorted(found.items()))

    def can_say(self, link: Link) -> bool:
        """Whether a relation reads well: things lie on the floor, but nothing is to the left of it."""
        other = self.scene[link.object].name
        if not can_follow_noun(link.name) or other in word_set("the_picture"):
            return False
        return not opposed_relation(link.name) or can_be_asked(other)

    @cached_property
    def linked(self) -> frozenset[tuple[str, str, str]]:
        """Every relation, as subject, name and object."""
        return frozenset((link.subject, link.name, link.object) for link in self.scene.relations)

    @cached_property
    def has_looks(self) -> bool:
        """Whether anything is annotated with any attribute."""
        return any(one.attributes for one in self.scene)

    def values(self, one: SceneObject) -> tuple[str, ...]:
        """How a thing looks, as far as nobody would doubt it."""
        if one.id not in self._values:
            self._values[one.id] = visible_values(self.scene, one, self._worn.get(self.wearer.get(one.id, ""), ()))
        return self._values[one.id]

    def present(self, rng: Random) -> ObjectClaim | None:
        """Something that is there, rare things more often."""
        names, bounds = self.clear
        if not names:
            return None
        name = rng.choices(names, cum_weights=bounds)[0]
        found = self.scene.named(name)
        if rng.random() < _WITH_ATTRIBUTE:
            one = found[0] if len(found) == 1 else rng.choice(found)
            value = self.own_look(one, rng)
            if value:
                such = tuple(thing for thing in found if has_value(self.values(thing), value))
                return ObjectClaim(name, value, True, f"{name} {one.id} {be(name)} annotated as {value}", such)
        return ObjectClaim(name, "", True, f"{name} {found[0].id} {be(name)} annotated", found)

    def absent(self, rng: Random) -> ObjectClaim | None:
        """Something that is not there, but often is where such things are."""
        with_value = rng.random() < _WITH_ATTRIBUTE
        if with_value and rng.random() < _OF_ANOTHER_LOOK:
            found = self._of_another_look(rng)
            if found:
                return found
        for _ in range(_TRIES if self.names else 0):
            name = self._checked(self.habits.companions(rng.choice(self.names)), rng)
            if name:
                return self.gone(name, self.usual_look(name, rng) if with_value else "")
        return None

    def absent_from(self, urn: WeightedWords, rng: Random) -> str:
        """A name out of an urn that is truly absent, or nothing."""
        found = (self._checked(urn, rng) for _ in range(min(_TRIES, 2 * len(urn.words))))
        return next(filter(None, found), "")

    def gone(self, name: str, value: str = "") -> ObjectClaim:
        """A thing that is truly absent."""
        fact = f"no {name} {be(name)} annotated, nor anything that could be called so or may show such a thing"
        return ObjectClaim(name, value, False, fact)

    def _checked(self, urn: WeightedWords, rng: Random) -> str:
        name = urn.draw(rng)
        problem = ambiguity_reason(name, self.names) if name else ""
        if problem:
            self.refused[problem] += 1
        return "" if problem or not can_be_asked(name) else name

    def _of_another_look(self, rng: Random) -> ObjectClaim | None:
        names, bounds = self.clear
        name = rng.choices(names, cum_weights=bounds)[0] if names else ""
        value = self.usual_look(name, rng) if name else ""
        found = self.scene.named(name)
        if not value or not all(denies(self.values(one), value) for one in found):
            return None
        facts = ", ".join(f"{name} {one.id} {be(name)} {self.rival_look(one, value)}" for one in found)
        return ObjectClaim(name, value, False, f"no {name} {be(name)} {value}: {facts}", found)

    def rival_look(self, one: SceneObject, value: str) -> str:
        """A value of a thing that excludes another one."""
        return next(own for own in self.values(one) if denies([own], value))

    def own_look(self, one: SceneObject, rng: Random) -> str:
        """A value of a thing that can stand before its name, or nothing."""
        values = [value for value in self.values(one) if goes_before_noun(value)]
        value = rng.choice(values) if values else ""
        return value if value and self._is_asked(one.name, value, rng) else ""

    def usual_look(self, name: str, rng: Random) -> str:
        """A value that such things have, unless it is too usual, or nothing."""
        value = self.habits.any_values(name).draw(rng)
        return value if value and goes_before_noun(value) and self._is_asked(name, value, rng) else ""

    def _is_asked(self, name: str, value: str, rng: Random) -> bool:
        """A draw that passes over usual values, so that what is said of a thing does not tell whether it is there."""
        return rng.random() >= self.habits.values(name, attribute_class(value)).share(value)

    def called(self, name: str) -> tuple[list[SceneObject], list[SceneObject]]:
        """The things here that could go by a name, and those that may show such a thing unannotated."""
        if name not in self._called:
            might, show = list[SceneObject](), list[SceneObject]()
            known = ambiguity_reasons(name)
            for other in self.names:
                if known[other]:
                    might += self.scene.named(other) if may_be(other, name) else ()
                    show += self.scene.named(other) if may_show(other, name) else ()
            self._called[name] = (might, show)
        return self._called[name]

    def rivals(self, one: SceneObject, name: str) -> list[SceneObject] | None:
        """The other things that could be meant by a name, or None where something may show such a thing besides."""
        might, show = self.called(name)
        if show and any(other.id not in (one.id, self.wearer.get(one.id)) for other in show):
            return None
        return [other for other in might if other.id != one.id]

    def singles_out(self, one: SceneObject, name: str, value: str = "") -> bool:
        """Whether nothing else in the picture could be meant by this name, or by this value and name."""
        rivals = self.rivals(one, name)
        if rivals is None:
            return False
        return not rivals or (value != "" and all(denies(self.values(other), value) for other in rivals))
