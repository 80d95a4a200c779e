"""Whether a model answers alike in batches of one and of many."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from counterpoint.core.answers import Answer, State
from counterpoint.core.groups import Query
from counterpoint.engine.dispatch import Dispatcher, QueryBatch

MIN_CHECKED = 4
"""Queries that are asked once more however long it takes."""
TOLERANCE = 1e-4
"""How far scores may be apart, relative to the larger of them and 1."""


@dataclass(frozen=True, slots=True)
class BatchInvarianceCheck:
    """Of so many queries that were asked twice, in company and alone, so many were not answered alike."""

    checked: int
    differing: int

    @property
    def disagreement(self) -> float:
        """The share that was not answered alike."""
        return self.differing / self.checked


def check_batch_invariance(
    asker: Dispatcher, seen: Mapping[int, tuple[Query, Answer]], enough: Callable[[], bool] = lambda: False
) -> BatchInvarianceCheck | None:
    """Ask queries that were answered in company once more, each alone, until it is enough.

    What fails says nothing and is left out.
    """
    pairs = []
    for asked, (query, answer) in enumerate(seen.values()):
        if asked >= MIN_CHECKED and enough():
            break
        if (alone := _alone(asker, query)) is not None:
            pairs.append((answer, alone))
    settled = [pair for pair in pairs if all(answer.state is not State.FAILED for answer in pair)]
    return BatchInvarianceCheck(len(settled), sum(not answers_agree(*pair) for pair in settled)) if settled else None


def answers_agree(one: Answer, other: Answer) -> bool:
    """Whether two answers say the same, as far as numbers can.

    >>> answers_agree(Answer.scored(0.5), Answer.scored(0.50001)), answers_agree(Answer.of("yes"), Answer.of("no"))
    (True, False)
    """
    if one.score is None or other.score is None:
        return (one.state, one.value, one.score) == (other.state, other.value, other.score)
    return abs(one.score - other.score) <= TOLERANCE * max(1.0, abs(one.score), abs(other.score))


def _alone(asker: Dispatcher, query: Query) -> Answer | None:
    said: list[Answer] = []
    try:
        asker.ask(QueryBatch([query], [0]), lambda place, answer: said.append(answer))
    except Exception:  # the run itself is over, and has counted its failures
        return None
    return said[0] if said else None
