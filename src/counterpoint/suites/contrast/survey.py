"""What a source has, for plausible changes: what comes together in its scenes, and what it asks already."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from hashlib import blake2b
from math import log
from random import Random

from counterpoint.core.items import GroundedQuestion
from counterpoint.core.scenes import Scene
from counterpoint.language.nouns import plural, singular
from counterpoint.scenes.absence import is_unambiguous
from counterpoint.scenes.ambiguity import can_be_asked

_BITS = 27  # sixteen megabytes, whatever is put in; a million questions give one false find in a billion


class BloomFilter:
    """Questions by picture and words, in a space that does not grow.

    What was put in is always found; what was not is found once in a very long while, and then a contrast is not made.

    >>> asked = BloomFilter()
    >>> asked.add("7", "Is there a cup?")
    >>> asked.has("7", "is there a  cup"), asked.has("8", "Is there a cup?")
    (True, False)
    """

    def __init__(self) -> None:
        self._marks = bytearray(1 << (_BITS - 3))

    def add(self, scene: str, text: str) -> None:
        """Put in one question."""
        for place in _places(scene, text):
            self._marks[place >> 3] |= 1 << (place & 7)

    def has(self, scene: str, text: str) -> bool:
        """Whether a question was put in, in whatever letters and with whatever marks."""
        return all(self._marks[place >> 3] & 1 << (place & 7) for place in _places(scene, text))

    def merge(self, other: "BloomFilter") -> None:
        """Put in all that another holds."""
        mine, its = (int.from_bytes(one._marks, "little") for one in (self, other))
        self._marks = bytearray((mine | its).to_bytes(len(self._marks), "little"))


def _places(scene: str, text: str) -> Iterator[int]:
    line = " ".join(text.lower().rstrip("?. ").split())
    digest = blake2b(f"{scene}\x1f{line}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return (int.from_bytes(digest[start : start + 4], "little") >> (32 - _BITS) for start in range(0, 16, 4))


@dataclass(slots=True)
class ContrastSurvey:
    """Counts over scenes, and the questions that are asked; two parts of a source are merged by adding them."""

    scenes: set[str] = field(default_factory=set)
    having: Counter[str] = field(default_factory=Counter)  # scenes that have such a thing
    clear: Counter[str] = field(default_factory=Counter)  # the same where it could as well have been proved absent
    together: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    asked: BloomFilter = field(default_factory=BloomFilter)
    _pools: dict[str, Mapping[str, float]] = field(default_factory=dict, repr=False, compare=False)

    def add(self, item: GroundedQuestion) -> None:
        """Count one question, and its scene if it was not met before."""
        self.asked.add(item.scene.id, item.question.text)
        if item.scene.id not in self.scenes:
            self.scenes.add(item.scene.id)
            self._count(item.scene)

    def _count(self, scene: Scene) -> None:
        names = sorted(name for name in scene.names if can_be_asked(name))
        clear = [name for name in names if is_unambiguous(name, scene.names)]
        self.having.update(names)
        self.clear.update(clear)
        for name in names:
            self.together[name].update(clear)

    def __add__(self, other: "ContrastSurvey") -> "ContrastSurvey":
        """Both together; the scenes of the two must be different ones."""
        assert self.scenes.isdisjoint(other.scenes), "a scene is counted once"
        both = ContrastSurvey(self.scenes | other.scenes, self.having + other.having, self.clear + other.clear)
        for one in (self, other):
            for name, counts in one.together.items():
                both.together[name].update(counts)
            both.asked.merge(one.asked)
        return both

    def companions(self, name: str) -> Mapping[str, float]:
        """What is seen with such a thing more often than by chance, with the number of scenes beyond chance."""
        if name not in self._pools:
            self._pools[name] = self._correlated(name)
        return self._pools[name]

    def _correlated(self, name: str) -> Mapping[str, float]:
        own = next((form for form in (name, singular(name), plural(name)) if form in self.together), "")
        counts: Mapping[str, int] = self.together.get(own, {})
        share = self.having[own] / max(len(self.scenes), 1)
        excess = {other: count - share * self.clear[other] for other, count in sorted(counts.items())}
        return {other: more for other, more in excess.items() if more > 0 and other != own}


def survey(items: Iterable[GroundedQuestion]) -> ContrastSurvey:
    """One pass over the questions of a source."""
    found = ContrastSurvey()
    for item in items:
        found.add(item)
    return found


def weighted_order(weights: Mapping[str, float], rng: Random) -> list[str]:
    """All words in a random order, in which heavy ones tend to come early."""
    keys = {word: log(1 - rng.random()) / weight for word, weight in weights.items()}
    return sorted(keys, key=lambda word: -keys[word])


def order_by_spelling(word: str, others: Iterable[str], rng: Random) -> list[str]:
    """Other words, those that are written most like a word first, luck among equals."""
    rows = [(-spelling_similarity(word, other), rng.random(), other) for other in others]
    return [other for _, _, other in sorted(rows)]


@cache
def spelling_similarity(one: str, other: str) -> float:
    """How much of two words is written alike, from 0 to 1.

    >>> spelling_similarity("dishwasher", "dishes") > spelling_similarity("dishwasher", "kite")
    True
    """
    first, second = sorted((one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
