"""The survey of contrast sets: co-occurrence of names, and the questions that the source asks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from math import log
from random import Random

from counterpoint.core.items import GroundedQuestion
from counterpoint.language.nouns import plural, singular
from counterpoint.scenes.cooccurrence import NameCooccurrence
from counterpoint.suites.bloom_filter import BloomFilter


@dataclass(slots=True)
class ContrastSurvey:
    """Name statistics over the scenes, and the questions that the source asks; parts are merged by adding them."""

    scenes: set[str] = field(default_factory=set)  # ids
    names: NameCooccurrence = field(default_factory=NameCooccurrence)
    questions: BloomFilter = field(default_factory=BloomFilter)
    _companions: dict[str, Mapping[str, float]] = field(default_factory=dict, repr=False, compare=False)

    def add(self, item: GroundedQuestion) -> None:
        """Count one question, and its scene if it was not counted before."""
        self.questions.add(item.scene.id, item.question.text)
        if item.scene.id not in self.scenes:
            self.scenes.add(item.scene.id)
            self.names.add(item.scene)

    def __add__(self, other: "ContrastSurvey") -> "ContrastSurvey":
        """Both together; their scenes must be disjoint."""
        assert self.scenes.isdisjoint(other.scenes), "a scene is counted once"
        both = ContrastSurvey(self.scenes | other.scenes, self.names + other.names)
        both.questions.merge(self.questions)
        both.questions.merge(other.questions)
        return both

    def companions(self, name: str) -> Mapping[str, float]:
        """What occurs with such an object more often than by chance, with the number of scenes in excess."""
        if name not in self._companions:
            self._companions[name] = self._correlated(name)
        return self._companions[name]

    def _correlated(self, name: str) -> Mapping[str, float]:
        form_counted = next((form for form in (name, singular(name), plural(name)) if form in self.names.together), "")
        counts: Mapping[str, int] = self.names.together.get(form_counted, {})
        share = self.names.having[form_counted] / max(self.names.scenes, 1)
        excess = {other: count - share * self.names.clear[other] for other, count in sorted(counts.items())}
        return {other: more for other, more in excess.items() if more > 0 and other != form_counted}


def survey(items: Iterable[GroundedQuestion]) -> ContrastSurvey:
    """One pass over the questions of a source."""
    statistics = ContrastSurvey()
    for item in items:
        statistics.add(item)
    return statistics


def weighted_order(weights: Mapping[str, float], rng: Random) -> list[str]:
    """All words in weighted random order, without replacement."""
    keys = {word: log(1 - rng.random()) / weight for word, weight in weights.items()}
    return sorted(keys, key=lambda word: -keys[word])


def order_by_spelling(word: str, others: Iterable[str], rng: Random) -> list[str]:
    """Other words by similarity of spelling to a word, ties in random order."""
    rows = [(-spelling_similarity(word, other), rng.random(), other) for other in others]
    return [other for _, _, other in sorted(rows)]


@cache
def spelling_similarity(one: str, other: str) -> float:
    """The similarity of the spelling of two words, from 0 to 1.

    >>> spelling_similarity("dishwasher", "dishes") > spelling_similarity("dishwasher", "kite")
    True
    """
    first, second = sorted((one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()
