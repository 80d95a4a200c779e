"""Overlap of answer spaces: of two data sets, or of a data set and the answers that a model can give."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from counterpoint.metrics.data_statistics import Comparable


@dataclass(frozen=True, slots=True)
class AnswerSpace:
    """The answers of a data set, each with the number of questions whose best answer it is; a bare list has none.

    >>> AnswerSpace.listed("some", ["Red", "red ", "blue"], str.strip).answers
    ('Red', 'blue', 'red')
    """

    name: str
    counts: Mapping[str, int]

    @classmethod
    def listed(cls, name: str, answers: Iterable[str], comparable: Comparable) -> "AnswerSpace":
        """The answers that a model can give, or that stand in a list."""
        return cls(name, dict.fromkeys(sorted(set(map(comparable, answers))), 0))

    @property
    def answers(self) -> tuple[str, ...]:
        """Every answer once, sorted."""
        return tuple(sorted(self.counts))

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
    return AnswerSpaceOverlap(
        other.name,
        len(ours.counts),
        len(other.counts),
        len(shared),
        len(shared) / len(either) if either else 0.0,
        _share(ours, shared),
        _share(other, shared),
        ceiling,
        tuple(absent[:most]),
    )


def _share(space: AnswerSpace, shared: Iterable[str]) -> float | None:
    return sum(space.counts[answer] for answer in shared) / space.questions if space.questions else None


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
