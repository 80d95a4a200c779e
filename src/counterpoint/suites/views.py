"""A scene as a careful asker sees it: what is surely there, what surely is not, and what can be told apart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random

from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import be
from counterpoint.suites.doubts import can_be_asked, is_clear, is_known, may_be, may_show
from counterpoint.suites.habits import Habits
from counterpoint.suites.looks import before_noun, denies, goes_before_noun, has, looks, sort_of

_TRIES = 24
_WITH_ATTRIBUTE = 0.4
_OF_ANOTHER_LOOK = 0.5  # of the attributed things that are not there, the share that is there with another value


@dataclass(frozen=True, slots=True)
class Mention:
    """A thing that a question names, perhaps with a value: whether it is there, and how that is known."""

    name: str
    value: str
    is_there: bool
    proof: str
    objects: tuple[SceneObject, ...] = ()

    @property
    def phrase(self) -> str:
        """The value and the name."""
        return before_noun(self.value, self.name)


class View:
    """One scene of a source with these habits."""

    def __init__(self, scene: Scene, habits: Habits) -> None:
        self.scene, self.habits = scene, habits
        self.names: Sequence[str] = sorted(scene.names)
        self._values: dict[str, tuple[str, ...]] = {}

    @cached_property
    def obstacle(self) -> str:
        """Why nothing can be asked about the scene, if so: a thing of an unknown name could be anything."""
        if not self.names:
            return "nothing is annotated"
        return "" if all(is_known(name) for name in self.names) else "something has a name that no lexicon knows"

    @cached_property
    def _clear(self) -> tuple[list[str], list[float]]:
        """Names of what is there that could as well have been proved absent, rarer ones with more weight."""
        names = [name for name in self.names if can_be_asked(name) and is_clear(name, self.names)]
        weights = [1 - self.habits.share(name) for name in names]
        return (names, list(accumulate(weights))) if sum(weights) > 0 else ([], [])

    @cached_property
    def _wearer(self) -> Mapping[str, str]:
        return {link.object: link.subject for link in self.scene.relations if link.name == "wearing"}

    @cached_property
    def _worn(self) -> Mapping[str, list[SceneObject]]:
        found: dict[str, list[SceneObject]] = {}
        for garment, who in self._wearer.items():
            found.setdefault(who, []).append(self.scene[garment])
        return found

    def values(self, one: SceneObject) -> tuple[str, ...]:
        """How a thing looks, as far as nobody would doubt it."""
        if one.id not in self._values:
            self._values[one.id] = looks(self.scene, one, self._worn.get(self._wearer.get(one.id, ""), ()))
        return self._values[one.id]

    def present(self, rng: Random) -> Mention | None:
        """Something that is there, rare things more often."""
        names, bounds = self._clear
        if not names:
            return None
        name = rng.choices(names, cum_weights=bounds)[0]
        found = self.scene.named(name)
        if rng.random() < _WITH_ATTRIBUTE:
            one = rng.choice(found)
            values = [value for value in self.values(one) if goes_before_noun(value)]
            value = rng.choice(values) if values else ""
            if value and self._is_asked(name, value, rng):
                such = tuple(thing for thing in found if has(self.values(thing), value))
                return Mention(name, value, True, f"{name} {one.id} {be(name)} annotated as {value}", such)
        return Mention(name, "", True, f"{name} {found[0].id} {be(name)} annotated", found)

    def absent(self, rng: Random) -> Mention | None:
        """Something that is not there, but often is where such things are."""
        with_value = rng.random() < _WITH_ATTRIBUTE
        if with_value and rng.random() < _OF_ANOTHER_LOOK:
            found = self._of_another_look(rng)
            if found:
                return found
        names = [name for name in self.names if name in self.habits.together]
        if not names:
            return None
        drawn = (self.habits.companions(rng.choice(names)).draw(rng) for _ in range(_TRIES))
        name = next((one for one in drawn if one not in self.scene.names and is_clear(one, self.names)), "")
        if not name:
            return None
        value = self._usual_look(name, rng) if with_value else ""
        fact = f"no {name} {be(name)} annotated, nor anything that could be called so or may show such a thing"
        return Mention(name, value, False, fact)

    def _of_another_look(self, rng: Random) -> Mention | None:
        names, bounds = self._clear
        name = rng.choices(names, cum_weights=bounds)[0] if names else ""
        value = self._usual_look(name, rng) if name else ""
        found = self.scene.named(name)
        if not value or not all(denies(self.values(one), value) for one in found):
            return None
        facts = ", ".join(f"{name} {one.id} {be(name)} {self._rival(one, value)}" for one in found)
        return Mention(name, value, False, f"no {name} {be(name)} {value}: {facts}", found)

    def _rival(self, one: SceneObject, value: str) -> str:
        return next(own for own in self.values(one) if denies([own], value))

    def _usual_look(self, name: str, rng: Random) -> str:
        value = self.habits.any_values(name).draw(rng)
        return value if value and goes_before_noun(value) and self._is_asked(name, value, rng) else ""

    def _is_asked(self, name: str, value: str, rng: Random) -> bool:
        """A draw that passes over usual values, so that what is said of a thing does not tell whether it is there."""
        return rng.random() >= self.habits.values(name, sort_of(value)).share(value)

    @cached_property
    def spoken_of(self) -> list[tuple[SceneObject, str, str]]:
        """Every thing that can be singled out, with a phrase for it and the sort of the value that this uses."""
        return [(one, *found[0]) for one in self.scene if (found := self.referents(one))]

    def referents(self, one: SceneObject) -> list[tuple[str, str]]:
        """Phrases that single a thing out, each with the sort of the value it uses: "cup", "red cup"."""
        if not can_be_asked(one.name):
            return []
        if self.singles_out(one, one.name):
            return [(one.name, "")]
        values = [value for value in self.values(one) if goes_before_noun(value)]
        return [
            (before_noun(value, one.name), sort_of(value)) for value in values if self.singles_out(one, one.name, value)
        ]

    def singles_out(self, one: SceneObject, name: str, value: str = "") -> bool:
        """Whether nothing else in the picture could be meant by this name, or by this value and name."""
        itself = (one.id, self._wearer.get(one.id))
        if any(other.id not in itself for whole in self._named(may_show, name) for other in self.scene.named(whole)):
            return False
        rivals = (other for called in self._named(may_be, name) for other in self.scene.named(called))
        return all(value != "" and denies(self.values(other), value) for other in rivals if other.id != one.id)

    def _named(self, relation: Callable[[str, str], bool], name: str) -> list[str]:
        """The names here that stand in a relation to one."""
        return [other for other in self.names if relation(other, name)]
