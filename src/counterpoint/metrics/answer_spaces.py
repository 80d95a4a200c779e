"""How far two answer spaces agree: of a data set and another, or of a data set and what a model can say at all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from counterpoint.metrics.data_statistics import Comparable


@dataclass(frozen=True, slots=True)
class AnswerSpace:
    """The answers of a data set with how many questions each is the best of; a bare list of answers has no questions.

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
        """Every answer once, by the alphabet."""
        return tuple(sorted(self.counts))

    @property
    def questions(self) -> int:
        """How many questions it is made from."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class AnswerSpaceOverlap:
    """What two answer spaces share; a share of questions is missing where one has no questions."""

    name: str  # of the other
    answers: int  # different ones of ours
    others: int  # different ones of the other
    shared: int
    jaccard: float  # shared of all that either has
    covered: float | None  # the share of our questions whose best answer the other has
    covers: float | None  # the share of the other's questions whose best answer we have
    ceiling: float | None = None  # the credit that one who can say only what the other has can earn on our questions
    absent: tuple[tuple[str, int], ...] = ()  # our most frequent answers that the other lacks


def compare_spaces(
    ours: AnswerSpace, other: AnswerSpace, *, ceiling: float | None = None, most: int = 5
) -> AnswerSpaceOverlap:
    """What the answers of two spaces share.

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
    return sum(space.counts[one] for one in shared) / space.questions if space.questions else None


class AccuracyCeiling:
    """The mean credit, question by question, of the best answer that is in a space: no model without others earns more.

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
        """One more question, by its right answers and what each earns."""
        self._questions += 1
        self._earned += max((c for answer, c in gold if self._comparable(answer) in self._space), default=0.0)

    @property
    def value(self) -> float | None:
        """The mean so far; none before the first question."""
        return self._earned / self._questions if self._questions else None
