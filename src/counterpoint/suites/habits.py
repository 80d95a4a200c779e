"""What the scenes of a source usually have, for plausible wrongs: what comes together, and what it looks like."""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

from counterpoint.core.scenes import Scene
from counterpoint.language.senses import hypernym_names
from counterpoint.suites.doubts import can_be_asked, is_clear
from counterpoint.suites.looks import can_be_said, sort_of


@dataclass(frozen=True, slots=True)
class Urn:
    """Words with weights, in alphabetical order, to draw from."""

    words: tuple[str, ...]
    bounds: tuple[int, ...]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "Urn":
        """An urn with so many tickets for each word."""
        words = tuple(sorted(counts))
        return cls(words, tuple(accumulate(counts[word] for word in words)))

    def draw(self, rng: Random) -> str:
        """One word, or nothing of nothing."""
        return self.words[bisect(self.bounds, rng.randrange(self.bounds[-1]))] if self.words else ""

    def share(self, word: str) -> float:
        """The chance of a word, from 0 to 1."""
        if word not in self.words:
            return 0.0
        place = self.words.index(word)
        return (self.bounds[place] - (self.bounds[place - 1] if place else 0)) / self.bounds[-1]


@dataclass(slots=True)
class Habits:
    """Counts over scenes; two sources, or two parts of one, are merged by adding them."""

    scenes: int = 0
    having: Counter[str] = field(default_factory=Counter)  # scenes that have such a thing
    together: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    # for each name, what was with it and could have been asked after: shoes cannot, since everyone may wear some
    looks: defaultdict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _urns: dict[tuple[str, ...], Urn] = field(default_factory=dict, repr=False, compare=False)
    _by_name: dict[str, dict[str, int]] = field(default_factory=dict, repr=False, compare=False)

    def add(self, scene: Scene) -> None:
        """Count one scene."""
        self.scenes += 1
        names = [name for name in scene.names if can_be_asked(name)]
        self.having.update(names)
        clear = [name for name in names if is_clear(name, scene.names)]
        for name in names:
            self.together[name].update(clear)
        for one in scene:
            for value in one.attributes:
                if can_be_said(value, one.name):
                    self.looks[one.name, sort_of(value)][value] += 1

    def __add__(self, other: "Habits") -> "Habits":
        both = Habits(self.scenes + other.scenes, self.having + other.having)
        for one in (self, other):
            for name, counts in one.together.items():
                both.together[name].update(counts)
            for key, counts in one.looks.items():
                both.looks[key].update(counts)
        return both

    def share(self, name: str) -> float:
        """The share of scenes that have such a thing."""
        return self.having[name] / max(self.scenes, 1)

    def companions(self, name: str) -> Urn:
        """What is seen together with such a thing."""
        return self._urn(("with", name), lambda: self.together.get(name, {}))

    def values(self, name: str, sort: str) -> Urn:
        """The values of one sort that things of this name have."""
        return self._urn(("looks", name, sort), lambda: self.looks.get((name, sort), {}))

    def any_values(self, name: str) -> Urn:
        """The values of all sorts that things of this name have."""
        return self._urn(("any", name), lambda: self._looks_by_name().get(name, {}))

    def _looks_by_name(self) -> Mapping[str, Mapping[str, int]]:
        if not self._by_name:
            for (name, _), counts in self.looks.items():
                self._by_name.setdefault(name, {}).update(counts)
        return self._by_name

    def members(self, general: str) -> Urn:
        """The names that are surely of a general kind."""
        return self._urn(
            ("kind", general), lambda: {n: count for n, count in self.having.items() if general in hypernym_names(n)}
        )

    def _urn(self, key: tuple[str, ...], counts: Callable[[], Mapping[str, int]]) -> Urn:
        if key not in self._urns:
            self._urns[key] = Urn.of(counts())
        return self._urns[key]


def survey(scenes: Iterable[Scene]) -> Habits:
    """One pass over the scenes of a source."""
    habits = Habits()
    for scene in scenes:
        habits.add(scene)
    return habits
