"""Co-occurrence statistics over the scenes of a source: what plausible wrong answers are drawn from."""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random
from typing import TypeAlias

from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.ambiguity import can_be_asked, clear_names, is_known
from counterpoint.scenes.attributes import action_class, agent_kind, attribute_class, can_be_said
from counterpoint.scenes.relations import can_follow_noun, opposed_relation

_Key: TypeAlias = tuple[str, ...]
_ENOUGH = 6  # objects with a value, below which the statistics of their kind are used


@dataclass(frozen=True, slots=True)
class WeightedWords:
    """Words in alphabetical order with cumulative weights, for weighted sampling."""

    words: tuple[str, ...]
    bounds: tuple[int, ...]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "WeightedWords":
        """Words weighted by their counts."""
        words = tuple(sorted(counts))
        return cls(words, tuple(accumulate(counts[word] for word in words)))

    def draw(self, rng: Random) -> str:
        """One word, or nothing if there is none."""
        return self.words[bisect(self.bounds, int(rng.random() * self.bounds[-1]))] if self.words else ""

    def share(self, word: str) -> float:
        """The probability of a word, from 0 to 1."""
        if word not in self.words:
            return 0.0
        place = self.words.index(word)
        return (self.bounds[place] - (self.bounds[place - 1] if place else 0)) / self.bounds[-1]


@dataclass(slots=True)
class NameCooccurrence:
    """In how many scenes names occur, alone and together.

    Names count as occurring together with another only where they could also have been proved absent: shoes could not,
    since everyone may wear some.
    """

    scenes: int = 0
    having: Counter[str] = field(default_factory=Counter)  # scenes with such an object
    clear: Counter[str] = field(default_factory=Counter)  # of these, the scenes where its absence could be proved
    together: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, scene: Scene) -> list[str]:
        """Count one scene; returns the names that were counted."""
        names = sorted(name for name in scene.names if can_be_asked(name))
        clear = clear_names(scene, sorted(scene.names))
        self.scenes += 1
        self.having.update(names)
        self.clear.update(clear)
        for name in names:
            self.together[name].update(clear)
        return names


@dataclass(slots=True)
class SceneStatistics:
    """Counts over scenes.

    The keys of `counts` begin with what is counted: the "looks" of a name, of all attribute classes or of one; what a
    kind of agent was "doing" by class of actions; the "subjects" of a relation to a name; the "objects" of a name and a
    relation.
    """

    names: NameCooccurrence = field(default_factory=NameCooccurrence)
    kinds: Counter[str] = field(default_factory=Counter)  # scenes that have anything of a general kind
    counts: defaultdict[_Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _samplers: dict[_Key, WeightedWords] = field(default_factory=dict, repr=False, compare=False)

    def add(self, scene: Scene) -> None:
        """Count one scene."""
        names = self.names.add(scene)
        self.kinds.update({kind for name in names for kind in hypernym_names(name)})
        for thing in scene:
            agent = agent_kind(thing.name) if thing.attributes else ""
            for value in thing.attributes:
                if can_be_said(value, thing.name):
                    self.counts["looks", thing.name, attribute_class(value)][value] += 1
                    self.counts["looks", thing.name][value] += 1
                    for kind in hypernym_names(thing.name) if is_known(thing.name) else ():
                        self.counts["looks of", kind, attribute_class(value)][value] += 1
                if agent and (action := action_class(value)):
                    self.counts["doing", agent, action][value] += 1
        for link in scene.relations:
            if not opposed_relation(link.name) and can_follow_noun(link.name):
                name, other = scene[link.subject].name, scene[link.object].name
                if can_be_asked(name) and is_known(other):
                    self.counts["subjects", link.name, other][name] += 1
                    self.counts["objects", name, link.name][other] += 1

    def share(self, name: str) -> float:
        """The share of scenes that have such an object."""
        return self.names.having[name] / max(self.names.scenes, 1)

    def kind_share(self, kind: str) -> float:
        """The share of scenes that have anything of a general kind."""
        return self.kinds[kind] / max(self.names.scenes, 1)

    def companions(self, name: str) -> WeightedWords:
        """What occurs together with such an object."""
        return self._sampler(("with", name), lambda: self.names.together.get(name, {}))

    def values(self, name: str, sort: str) -> WeightedWords:
        """The values of one class that objects of this name have, or those of its kind where too few are known."""
        key = ("values", name, sort)
        if key not in self._samplers:
            of_name = self.counted("looks", name, sort)
            kinds = (self.counted("looks of", kind, sort) for kind in (hypernym_names(name) if is_known(name) else ()))
            rich = (words for words in (of_name, *kinds) if len(words.words) > 1 and words.bounds[-1] >= _ENOUGH)
            self._samplers[key] = next(rich, of_name)
        return self._samplers[key]

    def members(self, general: str) -> WeightedWords:
        """The names that are surely of a general kind."""
        having = self.names.having
        names = (name for name in having if general in hypernym_names(name))
        return self._sampler(("kind", general), lambda: {name: having[name] for name in names})

    def counted(self, *key: str) -> WeightedWords:
        """What is counted under a key of `counts`, weighted by frequency."""
        return self._sampler(key, lambda: self.counts.get(key, {}))

    def _sampler(self, key: _Key, counts: Callable[[], Mapping[str, int]]) -> WeightedWords:
        if key not in self._samplers:
            self._samplers[key] = WeightedWords.of(counts())
        return self._samplers[key]


def survey_scenes(scenes: Iterable[Scene]) -> SceneStatistics:
    """One pass over the scenes of a source."""
    statistics = SceneStatistics()
    for scene in scenes:
        statistics.add(scene)
    return statistics
