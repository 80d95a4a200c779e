"""Co-occurrence statistics over the scenes of a source: what plausible wrong answers are drawn from."""

from bisect import bisect, bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import itemgetter
from random import Random
from typing import Any, TypeAlias, TypeVar

from counterpoint.core.ids import content_id
from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.absence_index import AbsenceIndex
from counterpoint.scenes.ambiguity import learn_names
from counterpoint.scenes.attributes import action_class, agent_kind, attribute_class, can_be_said, sure_actions
from counterpoint.scenes.names import can_be_asked, is_known, sure_hypernyms
from counterpoint.scenes.recognition import visible_names
from counterpoint.scenes.relations import can_follow_noun, opposed_relation

T = TypeVar("T")
_Key: TypeAlias = tuple[str, ...]
_SAMPLE = 256  # scenes by which it is estimated how often a name can be denied
_PRIOR = 10  # annotations of every value that are taken for granted, so that few decide nothing
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
        place = bisect_left(self.words, word)
        if self.words[place : place + 1] != (word,):
            return 0.0
        return (self.bounds[place] - (self.bounds[place - 1] if place else 0)) / self.bounds[-1]


def draw_weighted(values: Sequence[T], bounds: Sequence[float], rng: Random) -> T:
    """One of some values with cumulative weights: what `rng.choices` draws, in a third of its time."""
    return values[bisect(bounds, rng.random() * bounds[-1], 0, len(bounds) - 1)]


@dataclass(slots=True)
class NameCooccurrence:
    """In how many scenes names occur, alone and together.

    Names count as occurring together with another only where a question may ask for them as present.
    """

    scenes: int = 0
    having: Counter[str] = field(default_factory=Counter)  # scenes with such an object
    clear: Counter[str] = field(default_factory=Counter)  # of these, the scenes where a question may ask for it
    together: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, scene: Scene) -> list[str]:
        """Count one scene; returns the names that were counted."""
        learn_names(scene.names)
        names = sorted(name for name in scene.names if can_be_asked(name))
        clear = visible_names(scene, sorted(scene.names))
        self.scenes += 1
        self.having.update(names)
        self.clear.update(clear)
        for name in names:
            self.together[name].update(clear)
        return names

    def merge(self, other: "NameCooccurrence") -> None:
        """Count the scenes of another part of the source too."""
        self.scenes += other.scenes
        self.having.update(other.having)
        self.clear.update(other.clear)
        for name, counts in other.together.items():
            self.together[name].update(counts)


@dataclass(slots=True)
class SceneStatistics:
    """Counts over scenes.

    The keys of `counts` begin with what is counted: the "looks" of a name, of all attribute classes or of one; what a
    name is "doing" by class of actions, or a kind of agents ("doing of"); what is "annotated"; the "subjects" of a
    relation to a name; the "objects" of a name and a relation.
    """

    names: NameCooccurrence = field(default_factory=NameCooccurrence)
    kinds: Counter[str] = field(default_factory=Counter)  # scenes that have anything of a general kind
    counts: defaultdict[_Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    sample: list[tuple[int, Scene]] = field(default_factory=list)  # of scenes, those with the smallest hashes
    _absences: AbsenceIndex | None = field(default=None, repr=False, compare=False)  # made when the sample is complete
    _denials: dict[str, float] = field(default_factory=dict, repr=False, compare=False)
    _kept: tuple[Scene, Any] | None = field(default=None, repr=False, compare=False)
    _samplers: dict[_Key, WeightedWords] = field(default_factory=dict, repr=False, compare=False)

    def add(self, scene: Scene) -> None:
        """Count one scene."""
        names = self.names.add(scene)
        insort(self.sample, (content_id([scene.id]), scene), key=itemgetter(0))
        del self.sample[_SAMPLE:]
        self.kinds.update({kind for name in names for kind in hypernym_names(name)})
        for thing in scene:
            for value in thing.attributes:
                if can_be_said(value, thing.name):
                    self.counts["looks", thing.name, attribute_class(value)][value] += 1
                    self.counts["looks", thing.name][value] += 1
                    for kind in hypernym_names(thing.name) if is_known(thing.name) else ():
                        self.counts["looks of", kind, attribute_class(value)][value] += 1
                self.counts["annotated", thing.name][value] += 1
                self.counts[("annotated",)][value] += 1
            for deed in sure_actions(scene, thing):
                self.counts["doing", thing.name, action_class(deed)][deed] += 1
                self.counts["doing of", agent_kind(thing.name), action_class(deed)][deed] += 1
        for link in scene.relations:
            if not opposed_relation(link.name) and can_follow_noun(link.name):
                name, other = scene[link.subject].name, scene[link.object].name
                if can_be_asked(name) and is_known(other):
                    self.counts["subjects", link.name, other][name] += 1
                    self.counts["objects", name, link.name][other] += 1

    def merge(self, other: "SceneStatistics") -> None:
        """Count the scenes of another part of the source too; what was counted decides, not in which parts."""
        self.names.merge(other.names)
        self.kinds.update(other.kinds)
        for key, counts in other.counts.items():
            self.counts[key].update(counts)
        self.sample = sorted([*self.sample, *other.sample], key=itemgetter(0))[:_SAMPLE]

    def keep(self, scene: Scene, view: Callable[[], T]) -> T:
        """What is found out about a scene, kept until another is asked for: suites made together share it."""
        if self._kept is None or self._kept[0] is not scene:
            self._kept = scene, view()
        kept: T = self._kept[1]
        return kept

    def share(self, name: str) -> float:
        """The share of scenes that have such an object."""
        return self.names.having[name] / max(self.names.scenes, 1)

    def denial_share(self, name: str) -> float:
        """The share of scenes, in a sample of them, where a name could be proved absent.

        A present object is asked for with this weight: absent ones are drawn by how often they are present elsewhere,
        and only this share of the draws can be proved, so that each name is as often absent as present.
        """
        if name not in self._denials:
            if self._absences is None:
                self._absences = AbsenceIndex(scene for _, scene in self.sample)
            self._denials[name] = self._absences.absences(name) / max(len(self.sample), 1)
        return self._denials[name]

    def companions(self, name: str) -> WeightedWords:
        """What occurs together with such an object."""
        key = ("with", name)
        return self._samplers.get(key) or self._sampler(key, self.names.together.get(name, {}))

    def values(self, name: str, sort: str) -> WeightedWords:
        """The values of one class that objects of this name have, or those of its kind where too few are known."""
        key = ("values", name, sort)
        if key not in self._samplers:
            of_name = self.counted("looks", name, sort)
            kinds = (self.counted("looks of", kind, sort) for kind in (hypernym_names(name) if is_known(name) else ()))
            rich = (words for words in (of_name, *kinds) if len(words.words) > 1 and words.bounds[-1] >= _ENOUGH)
            self._samplers[key] = next(rich, of_name)
        return self._samplers[key]

    def actions(self, name: str, sort: str) -> WeightedWords:
        """The actions of one class that objects of this name do, or those of its kind of agents where few are known."""
        of_name = self.counted("doing", name, sort)
        is_rich = bool(of_name.words) and of_name.bounds[-1] >= _ENOUGH
        return of_name if is_rich else self.counted("doing of", agent_kind(name), sort)

    def odds(self, value: str, other: str, name: str) -> float:
        """How often a value is annotated for each time that another is, on objects of a name or at all; at most 1.

        Of two opposites each is correct as often as the other if the usual one is asked for with this probability.
        """
        counts = [self.counts.get(key, Counter[str]()) for key in (("annotated", name), ("annotated",))]
        return min(1.0, *((every[value] + _PRIOR) / (every[other] + _PRIOR) for every in counts))

    def members(self, general: str) -> WeightedWords:
        """The names that are surely of a general kind."""
        key, having = ("kind", general), self.names.having
        if key not in self._samplers:
            self._sampler(key, {name: having[name] for name in having if general in sure_hypernyms(name)})
        return self._samplers[key]

    def kinds_with_members(self, generals: tuple[str, ...]) -> WeightedWords:
        """Those of some general kinds of which the source has anything, weighted by how often names are of them."""
        key = ("kinds", *generals)
        if key not in self._samplers:
            members = ((general, self.members(general)) for general in generals)
            self._sampler(key, {general: names.bounds[-1] for general, names in members if names.words})
        return self._samplers[key]

    def counted(self, *key: str) -> WeightedWords:
        """What is counted under a key of `counts`, weighted by frequency."""
        return self._samplers.get(key) or self._sampler(key, self.counts.get(key, {}))

    def _sampler(self, key: _Key, counts: Mapping[str, int]) -> WeightedWords:
        sampler = self._samplers[key] = WeightedWords.of(counts)
        return sampler


def survey_scenes(scenes: Iterable[Scene]) -> SceneStatistics:
    """One pass over the scenes of a source."""
    statistics = SceneStatistics()
    for scene in scenes:
        statistics.add(scene)
    return statistics
