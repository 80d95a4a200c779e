"""Statistics of a data set from one pass over its items: word frequencies, histograms, overlaps of answer spaces."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from math import log2
from typing import Any, TypeAlias

import numpy as np

from counterpoint.core.items import Caption, Dialogue, Frame, Question, ReadyGroup
from counterpoint.core.pictures import Picture
from counterpoint.core.scenes import Scene
from counterpoint.language.english import number_value

Comparable: TypeAlias = Callable[[str], str]
"""Normalises an answer, so that equal answers are equal texts."""

ANSWERS, ANSWER_KINDS = "answers", "kinds of answers"
NO_KIND = "(none)"
BINS = 24
"""The most bins of a histogram."""
LONGEST_NUMBER = 40
"""Letters; no number in words is longer."""


@dataclass(frozen=True, slots=True)
class RankedWord:
    """A word with its count and its share of all."""

    word: str
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class WordFrequencies:
    """Words with their counts, the most frequent first, equally frequent ones sorted.

    >>> colors = WordFrequencies.of(Counter(red=2, blue=1, green=1))
    >>> colors.top(2), colors.entropy, round(colors.effective, 2)
    ((RankedWord(word='red', count=2, share=0.5), RankedWord(word='blue', count=1, share=0.25)), 1.5, 2.83)
    """

    counts: Mapping[str, int]

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "WordFrequencies":
        """Frequencies from counts in any order."""
        return cls(dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))))

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return sum(self.counts.values())

    @property
    def distinct(self) -> int:
        """The number of different words."""
        return len(self.counts)

    @property
    def entropy(self) -> float:
        """The entropy of the distribution in bits; 0 if all words are the same."""
        total = self.total
        return max(0.0, -sum(n / total * log2(n / total) for n in self.counts.values())) if total else 0.0

    @property
    def effective(self) -> float:
        """The effective number of words: as many equally frequent ones have the same entropy."""
        return 2**self.entropy if self.counts else 0.0

    def top(self, most: int | None = None) -> tuple[RankedWord, ...]:
        """The most frequent, or all."""
        total = self.total
        return tuple(RankedWord(word, count, count / total) for word, count in list(self.counts.items())[:most])


@dataclass(frozen=True, slots=True)
class HistogramBin:
    """The count of the numbers from `low` to `high`."""

    low: int
    high: int
    count: int

    @property
    def label(self) -> str:
        """The numbers it holds.

        >>> HistogramBin(3, 3, 1).label, HistogramBin(4, 6, 1).label
        ('3', '4–6')
        """
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


@dataclass(frozen=True, slots=True)
class NumberHistogram:
    """Whole numbers with their counts, the smallest first.

    >>> lengths = NumberHistogram.of(Counter({5: 3, 2: 1, 9: 1}))
    >>> lengths.mean, lengths.median, (lengths.least, lengths.most)
    (5.2, 5, (2, 9))
    """

    counts: Mapping[int, int]

    @classmethod
    def of(cls, counts: Mapping[int, int]) -> "NumberHistogram":
        """A histogram from counts in any order."""
        return cls(dict(sorted(counts.items())))

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """Their average; 0 if there are none."""
        return sum(number * count for number, count in self.counts.items()) / max(self.total, 1)

    @property
    def median(self) -> int:
        """The smallest number that half of them do not exceed."""
        reached, half = 0, self.total / 2
        for number, times in self.counts.items():
            reached += times
            if reached >= half:
                return number
        return 0

    @property
    def least(self) -> int:
        """The smallest of them."""
        return min(self.counts, default=0)

    @property
    def most(self) -> int:
        """The largest of them."""
        return max(self.counts, default=0)

    def bins(self, most: int = BINS) -> tuple[HistogramBin, ...]:
        """All numbers from the least to the most in at most so many bins, empty ones too, of one round width.

        >>> [bin.count for bin in NumberHistogram({1: 2, 3: 1}).bins()]
        [2, 0, 1]
        >>> [bin.label for bin in NumberHistogram({8: 1, 41: 1}).bins(most=8)]
        ['5–9', '10–14', '15–19', '20–24', '25–29', '30–34', '35–39', '40–44']
        """
        widths = (step * 10**power for power in count() for step in (1, 2, 5))
        width = next(width for width in widths if self.most // width - self.least // width < most)
        totals = Counter[int]()
        for number, times in self.counts.items():
            totals[number // width] += times
        places = range(self.least // width, self.most // width + 1) if self.counts else ()
        return tuple(HistogramBin(place * width, place * width + width - 1, totals[place]) for place in places)


@dataclass
class ItemTally:
    """Counts over the items of one kind: words and numbers, each under the name of a statistic.

    `rankings` and `spreads` are for when all items are counted.
    """

    kind: str
    comparable: Comparable = str
    items: int = 0
    pictures: Counter[str] = field(default_factory=Counter)  # by address, how many items each has
    words: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    numbers: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))

    def count(self, item: Any) -> None:
        """Count an item of this kind."""
        _COUNTERS[self.kind](item, self)

    def item(self, picture: Picture) -> None:
        """Count that there is an item about this picture."""
        self.items += 1
        self.pictures[picture.address] += 1

    def word(self, name: str, word: str) -> None:
        """Count a word."""
        self.words[name][word] += 1

    def number(self, name: str, number: int) -> None:
        """Count a number."""
        self.numbers[name][number] += 1

    def answer(self, answer: str) -> None:
        """Count an answer in its normalised form."""
        self.word(ANSWERS, self.comparable(answer))

    @cached_property
    def rankings(self) -> Mapping[str, WordFrequencies]:
        """The words of each statistic by frequency, and the kinds of the answers."""
        counts: dict[str, Counter[str]] = dict(self.words)
        if ANSWERS in counts:
            counts[ANSWER_KINDS] = Counter()
            for answer, times in self.words[ANSWERS].items():
                counts[ANSWER_KINDS][answer_kind(answer)] += times
        return {name: WordFrequencies.of(words) for name, words in counts.items()}

    @cached_property
    def spreads(self) -> Mapping[str, NumberHistogram]:
        """The numbers of each statistic, and how many questions or captions a picture has."""
        counts: dict[str, Counter[int]] = dict(self.numbers)
        if self.items and self.kind in ("questions", "captions"):
            counts[f"{self.kind} per picture"] = Counter(self.pictures.values())
        return {name: NumberHistogram.of(numbers) for name, numbers in counts.items()}


def answer_kind(answer: str) -> str:
    """The kind of an answer by its form, one of VQA's three.

    >>> [answer_kind(answer) for answer in ("yes", "No", "2", "twelve", "3.5", "red")]
    ['yes/no', 'yes/no', 'number', 'number', 'number', 'other']
    """
    small = answer.strip().lower()
    if small in ("yes", "no"):
        return "yes/no"
    if small.replace(".", "", 1).isdecimal():
        return "number"
    return "number" if len(small) < LONGEST_NUMBER and number_value(small) is not None else "other"


def best_answer(question: Question) -> str | None:
    """The answer with the most credit, the first of equals; None where a split has no gold."""
    return max(question.gold.answers, key=lambda pair: pair[1], default=(None, 0.0))[0]


def _scene(scene: Scene, tally: ItemTally) -> None:
    tally.item(scene.picture)
    tally.number("objects per scene", len(scene.objects))
    tally.number("relations per scene", len(scene.relations))
    for thing in scene.objects:
        tally.word("objects", thing.name)
        tally.number("attributes per object", len(thing.attributes))
        for attribute in thing.attributes:
            tally.word("attributes", attribute)
    for link in scene.relations:
        tally.word("relations", link.name)
    if scene.place:
        tally.word("places", scene.place)


def _question(question: Question, tally: ItemTally) -> None:
    tally.item(question.picture)
    tally.number("words per question", len(question.text.split()))
    tally.word("question types", question.kind or NO_KIND)
    answer = best_answer(question)
    if answer is not None:
        tally.answer(answer)
    if question.choices:
        tally.number("choices per question", len(question.choices))
    if question.votes:
        tally.number("different answers per question", len(set(map(tally.comparable, question.votes))))


def _caption(caption: Caption, tally: ItemTally) -> None:
    tally.item(caption.picture)
    tally.number("words per caption", len(caption.text.split()))
    if caption.word or caption.foil_word:
        tally.word("foils", f"{caption.word} → {caption.foil_word}")


def _dialogue(dialogue: Dialogue, tally: ItemTally) -> None:
    tally.item(dialogue.picture)
    tally.number("turns per dialogue", len(dialogue.turns))
    tally.number("words per caption", len(dialogue.caption.split()))
    for turn in dialogue.turns:
        tally.number("words per question", len(turn.question.split()))
        if turn.answer:
            tally.number("words per answer", len(turn.answer.split()))
            tally.answer(turn.answer)


def _frame(frame: Frame, tally: ItemTally) -> None:
    tally.item(frame.picture)
    tally.word("verbs", frame.verb)
    tally.number("roles per frame", len(frame.roles))
    for role in frame.roles:
        tally.word("roles", role.name)
        tally.word("nouns", role.noun)


def _group(ready: ReadyGroup, tally: ItemTally) -> None:
    group = ready.group
    if group.base.picture:
        tally.item(group.base.picture)
    tally.word("tests", group.test or NO_KIND)
    tally.word("question types", group.kind or NO_KIND)
    tally.number("variants per group", len(group.variants))
    for query, gold in zip(group.queries, group.gold, strict=True):
        tally.number("words per question", len(query.text.split()))
        if gold:
            tally.answer(gold.best)


_COUNTERS: Mapping[str, Callable[[Any, ItemTally], None]] = {
    "scenes": _scene,
    "questions": _question,
    "captions": _caption,
    "dialogues": _dialogue,
    "frames": _frame,
    "groups": _group,
}


def gold_answers(kind: str, item: Any) -> Iterator[Sequence[tuple[str, float]]]:
    """The gold answers with credit of every question in an item."""
    if kind == "questions" and item.gold.answers:
        yield item.gold.answers
    elif kind == "dialogues":
        yield from (((turn.answer, 1.0),) for turn in item.turns if turn.answer)


def jensen_shannon_distance(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The square root of the Jensen-Shannon divergence, to base 2, of two counts of words (VALSE, Appendix E).

    It is 0 where every word has the same share on both sides, 1 where none is on both, and nan where a side is empty.

    >>> jensen_shannon_distance({"four": 3}, {"two": 3})
    1.0
    """
    words = sorted({*one, *other})
    counts = np.array([[side.get(word, 0) for word in words] for side in (one, other)], np.float64).reshape(2, -1)
    if not counts.sum(axis=1).all():
        return float("nan")
    shares = counts / counts.sum(axis=1, keepdims=True)
    middle = np.broadcast_to(shares.mean(axis=0), shares.shape)
    there = shares > 0
    bits = (shares[there] * np.log2(shares[there] / middle[there])).sum() / 2
    return float(np.sqrt(min(max(bits, 0.0), 1.0)))


@dataclass(frozen=True, slots=True)
class AnswerSpace:
    """The answers of a data set, each with the number of questions whose best answer it is; a bare list has none.

    >>> AnswerSpace.listed("some", ["Red", "red ", "blue"], str.strip).counts
    {'Red': 0, 'blue': 0, 'red': 0}
    """

    name: str
    counts: Mapping[str, int]

    @classmethod
    def listed(cls, name: str, answers: Iterable[str], comparable: Comparable) -> "AnswerSpace":
        """The answers that a model can give, or that stand in a list."""
        return cls(name, dict.fromkeys(sorted(set(map(comparable, answers))), 0))

    @property
    def questions(self) -> int:
        """The number of questions behind it."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class AnswerSpaceOverlap:
    """The overlap of two answer spaces; a share of questions is None where a space has no questions."""

    name: str  # of the other
    answers: int  # different ones of ours
    others: int  # different ones of the other
    shared: int
    jaccard: float  # shared of all that either has
    covered: float | None  # the share of our questions whose best answer the other has
    covers: float | None  # the share of the other's questions whose best answer we have
    ceiling: float | None = None  # the best mean credit on our questions with the other's answers alone
    absent: tuple[tuple[str, int], ...] = ()  # our most frequent answers that the other lacks


def compare_spaces(
    ours: AnswerSpace, other: AnswerSpace, *, ceiling: float | None = None, most: int = 5
) -> AnswerSpaceOverlap:
    """The overlap of two spaces.

    >>> found = compare_spaces(AnswerSpace("a", {"yes": 6, "red": 2}), AnswerSpace("b", {"yes": 1, "no": 1}))
    >>> found.shared, round(found.jaccard, 2), found.covered, found.covers, found.absent
    (1, 0.33, 0.75, 0.5, (('red', 2),))
    """
    shared = ours.counts.keys() & other.counts.keys()
    either = ours.counts.keys() | other.counts.keys()
    absent = sorted((pair for pair in ours.counts.items() if pair[0] not in shared), key=lambda pair: (-pair[1], pair))
    covered, covers = (
        sum(space.counts[answer] for answer in shared) / space.questions if space.questions else None
        for space in (ours, other)
    )
    return AnswerSpaceOverlap(
        name=other.name,
        answers=len(ours.counts),
        others=len(other.counts),
        shared=len(shared),
        jaccard=len(shared) / len(either) if either else 0.0,
        covered=covered,
        covers=covers,
        ceiling=ceiling,
        absent=tuple(absent[:most]),
    )


class AccuracyCeiling:
    """An upper bound of accuracy with the answers of a space: the mean credit of the best one for each question.

    >>> ceiling = AccuracyCeiling(AnswerSpace("b", {"no": 1}), str)
    >>> ceiling.add([("no", 1.0)])
    >>> ceiling.add([("nope", 1.0), ("no", 0.5)])
    >>> ceiling.value
    0.75
    """

    def __init__(self, space: AnswerSpace, comparable: Comparable) -> None:
        self._space, self._comparable = frozenset(space.counts), comparable
        self._earned, self._questions = 0.0, 0

    def add(self, gold: Sequence[tuple[str, float]]) -> None:
        """Add a question, by its gold answers with credit."""
        self._questions += 1
        self._earned += max((c for answer, c in gold if self._comparable(answer) in self._space), default=0.0)

    @property
    def value(self) -> float | None:
        """The mean so far; none before the first question."""
        return self._earned / self._questions if self._questions else None
