"""What the scenes of a source usually have, for plausible wrongs: what comes together, how it looks, what it does."""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from random import Random
from typing import TypeAlias

from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.absence import is_unambiguous
from counterpoint.scenes.actions import action_class, agent_kind
from counterpoint.scenes.ambiguity import can_be_asked, is_known
from counterpoint.scenes.attributes import attribute_class, can_be_said
from counterpoint.scenes.relations import can_follow_noun, opposed_relation

Key: TypeAlias = tuple[str, ...]
_ENOUGH = 6  # things with a value, below which their kind tells more of what is usual than they do


@dataclass(frozen=True, slots=True)
class WeightedWords:
    """Words with weights, in alphabetical order, to draw from."""

    words: tuple[str, ...]
    bounds: tuple[int, ...]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "WeightedWords":
        """An urn with so many tickets for each word."""
        words = tuple(sorted(counts))
        return cls(words, tuple(accumulate(counts[word] for word in words)))

    def draw(self, rng: Random) -> str:
        """One word, or nothing of nothing."""
        return self.words[bisect(self.bounds, int(rng.random() * self.bounds[-1]))] if self.words else ""

    @property
    def is_rich(self) -> bool:
        """Whether enough was counted to tell what is usual."""
        return len(self.words) > 1 and self.bounds[-1] >= _ENOUGH

    def share(self, word: str) -> float:
        """The chance of a word, from 0 to 1."""
        if word not in self.words:
            return 0.0
        place = self.words.index(word)
        return (self.bounds[place] - (self.bounds[place - 1] if place else 0)) / self.bounds[-1]


_NOTHING = WeightedWords((), ())


@dataclass(slots=True)
class SceneStatistics:
    """Counts over scenes; two sources, or two parts of one, are merged by adding them.

    The keys of `counts` begin with what is counted: what was "with" a name and could have been asked after (shoes could
    not, since everyone may wear some), the "looks" of a name by sort, what a sort of doer was "doing" by class, and the
    "subjects" and "objects" of a relation.
    """

    scenes: int = 0
    having: Counter[str] = field(default_factory=Counter)  # scenes that have such a thing
    kinds: Counter[str] = field(default_factory=Counter)  # scenes that have anything of a general kind
    counts: defaultdict[Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _urns: dict[Key, WeightedWords] = field(default_factory=dict, repr=False, compare=False)

    def add(self, scene: Scene) -> None:
        """Count one scene."""
        self.scenes += 1
        names = [name for name in scene.names if can_be_asked(name)]
        self.having.update(names)
        self.kinds.update({kind for name in names for kind in hypernym_names(name)})
        clear = [name for name in names if is_unambiguous(name, scene.names)]
        for name in names:
            self.counts["with", name].update(clear)
        for one in scene:
            who = agent_kind(one.name) if one.attributes else ""
            for value in one.attributes:
                if can_be_said(value, one.name):
                    self.counts["looks", one.name, attribute_class(value)][value] += 1
                    self.counts["looks", one.name][value] += 1
                    for kind in hypernym_names(one.name) if is_known(one.name) else ():
                        self.counts["looks of", kind, attribute_class(value)][value] += 1
                if who and (deed := action_class(value)):
                    self.counts["doing", who, deed][value] += 1
        for link in scene.relations:
            if not opposed_relation(link.name) and can_follow_noun(link.name):
                name, other = scene[link.subject].name, scene[link.object].name
                if _can_be_linked(name, other):
                    self.counts["subjects", link.name, other][name] += 1
                    self.counts["objects", name, link.name][other] += 1

    def __add__(self, other: "SceneStatistics") -> "SceneStatistics":
        both = SceneStatistics(self.scenes + other.scenes, self.having + other.having, self.kinds + other.kinds)
        for one in (self, other):
            for key, counts in one.counts.items():
                both.counts[key].update(counts)
        return both

    def share(self, name: str) -> float:
        """The share of scenes that have such a thing."""
        return self.having[name] / max(self.scenes, 1)

    def companions(self, name: str) -> WeightedWords:
        """What is seen together with such a thing."""
        return self._urn("with", name)

    def values(self, name: str, sort: str) -> WeightedWords:
        """The values of one sort that things of this name have, or those of its kind where too few are known of it."""
        key = ("values", name, sort)
        if key not in self._urns:
            own = self._urn("looks", name, sort)
            kinds = (self._urn("looks of", kind, sort) for kind in (hypernym_names(name) if is_known(name) else ()))
            self._urns[key] = next((urn for urn in (own, *kinds) if urn.is_rich), own)
        return self._urns[key]

    def any_values(self, name: str) -> WeightedWords:
        """The values of all sorts that things of this name have."""
        return self._urn("looks", name)

    def deeds(self, who: str, sort: str) -> WeightedWords:
        """What such doers do, of one class of actions."""
        return self._urn("doing", who, sort)

    def subjects(self, relation: str, to: str) -> WeightedWords:
        """What stands in a relation to things of this name."""
        return self._urn("subjects", relation, to)

    def objects(self, name: str, relation: str) -> WeightedWords:
        """What things of this name stand in a relation to."""
        return self._urn("objects", name, relation)

    def members(self, general: str) -> WeightedWords:
        """The names that are surely of a general kind."""
        return self._made(
            ("kind", general), lambda: {n: count for n, count in self.having.items() if general in hypernym_names(n)}
        )

    def _urn(self, *key: str) -> WeightedWords:
        return self._made(key, lambda: self.counts.get(key, {}))

    def _made(self, key: Key, counts: Callable[[], Mapping[str, int]]) -> WeightedWords:
        if key not in self._urns:
            found = counts()
            self._urns[key] = WeightedWords.of(found) if found else _NOTHING
        return self._urns[key]


@cache
def _can_be_linked(name: str, other: str) -> bool:
    return can_be_asked(name) and is_known(other)


def survey_scenes(scenes: Iterable[Scene]) -> SceneStatistics:
    """One pass over the scenes of a source."""
    habits = SceneStatistics()
    for scene in scenes:
        habits.add(scene)
    return habits
