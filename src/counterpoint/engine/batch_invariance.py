"""Batch invariance: whether a model answers a query in a batch as it does alone."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from counterpoint.core.groups import Answer, Query, State
from counterpoint.engine.dispatch import Dispatcher, QueryBatch

MIN_CHECKED = 4
"""Queries that are asked once more whatever the time limit."""
TOLERANCE = 1e-4
"""The largest difference of two scores, relative to the larger of them and 1."""


@dataclass(frozen=True, slots=True)
class BatchInvarianceCheck:
    """How many queries were asked both in a batch and alone, and how many of them were answered differently."""

    checked: int
    differing: int

    @property
    def disagreement(self) -> float:
        """The share that was answered differently."""
        return self.differing / self.checked


def add_checks(checks: Iterable[BatchInvarianceCheck | None]) -> BatchInvarianceCheck | None:
    """The checks of several workers as one; None where nothing was checked."""
    made = [check for check in checks if check is not None]
    return BatchInvarianceCheck(sum(c.checked for c in made), sum(c.differing for c in made)) if made else None


def check_batch_invariance(
    dispatcher: Dispatcher,
    answered: Mapping[int, tuple[Query, Answer]],
    stop: Callable[[], bool] = lambda: False,
) -> BatchInvarianceCheck | None:
    """Ask queries that were answered in a batch once more, each alone, until `stop`; failed queries do not count."""
    pairs = []
    for count, (query, answer) in enumerate(answered.values()):
        if count >= MIN_CHECKED and stop():
            break
        if (alone := _answer_alone(dispatcher, query)) is not None:
            pairs.append((answer, alone))
    settled = [pair for pair in pairs if all(answer.state is not State.FAILED for answer in pair)]
    if not settled:
        return None
    return BatchInvarianceCheck(len(settled), sum(not answers_agree(*pair) for pair in settled))


def answers_agree(first: Answer, second: Answer) -> bool:
    """Whether two answers are the same, scores up to rounding.

    >>> answers_agree(Answer.scored(0.5), Answer.scored(0.50001)), answers_agree(Answer.of("yes"), Answer.of("no"))
    (True, False)
    """
    if first.score is None or second.score is None:
        return (first.state, first.value, first.score) == (second.state, second.value, second.score)
    return abs(first.score - second.score) <= TOLERANCE * max(1.0, abs(first.score), abs(second.score))


def _answer_alone(dispatcher: Dispatcher, query: Query) -> Answer | None:
    answers: list[Answer] = []
    try:
        dispatcher.ask(QueryBatch([query], [0]), lambda place, answer: answers.append(answer))
    except Exception:  # the run itself is over, and has counted its failures
        return None
    return answers[0] if answers else None
