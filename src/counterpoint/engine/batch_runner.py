"""Runs rows of a plan in batches: every row ends with an answer, if only a failed one with its reason."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

import pyarrow as pa

from counterpoint.core.errors import BudgetExhausted, CounterpointError, ModelError, ModelUnreachable
from counterpoint.core.groups import Answer, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.engine.dispatch import Dispatcher, ProtocolViolation, QueryBatch, keep_at
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import ProgressMeter

LoggedAnswer: TypeAlias = tuple[int, int, Answer, str, float]
"""Query id, trial, answer, digest of the picture file, seconds."""
QueryReader: TypeAlias = Callable[[pa.Table], Sequence[Query]]
"""Converts rows of a table to queries."""

MIN_ANSWERS = 50
"""Answers before the share of failures can stop a run."""


class MostQueriesFailedError(ModelError):
    """More than half of the queries failed, so that going on is a waste."""


class AnswerSink(Protocol):
    """Where answers go."""

    def add(self, rows: Iterable[LoggedAnswer]) -> None:
        """Gather answers."""

    def flush(self) -> None:
        """Write what was gathered."""


@dataclass(frozen=True, slots=True)
class PlanRows:
    """Rows of a plan as lists, since they are walked one by one."""

    ids: Sequence[int]
    digests: Sequence[str]
    batch: QueryBatch

    @classmethod
    def of(cls, rows: pa.Table, read: QueryReader) -> "PlanRows":
        """The rows of a table."""
        ids, trials = (rows[name].to_numpy().tolist() for name in ("query", "trial"))  # faster than to_pylist
        return cls(ids, rows["digest"].cast(pa.string()).to_pylist(), QueryBatch(read(rows), trials))

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, start: int, stop: int) -> "PlanRows":
        """The rows from one position up to another."""
        batch = QueryBatch(self.batch.queries[start:stop], self.batch.trials[start:stop])
        return PlanRows(self.ids[start:stop], self.digests[start:stop], batch)

    @property
    def picture(self) -> Picture | None:
        """The first picture."""
        return next((query.picture for query in self.batch.queries if query.picture), None)


class AnswerBuffer:
    """The answers to one batch as they arrive, passed on once a second and at the end."""

    def __init__(self, size: int, take: Callable[[dict[int, Answer], float], None], clock: Callable[[], float]) -> None:
        self.open_places, self._size = set(range(size)), size
        self.take_error: Exception | None = None  # raised by `take`, and not by the model
        self._pending: dict[int, Answer] = {}
        self._take, self._clock = take, clock
        self._since = clock()

    def keep(self, place: int, answer: Answer) -> None:
        """Add an answer; a second one at the same position violates the protocol."""
        if place not in self.open_places:
            twice = " twice" if place in range(self._size) else ""
            raise ProtocolViolation(f"the model answered place {place} of {self._size}{twice}")
        if not isinstance(answer, Answer):
            hint = "answer yields a position and an Answer, such as 0, Answer.of('yes')"
            raise ProtocolViolation(f"the model gave {answer!r} where an Answer belongs", hint=hint)
        self.open_places.remove(place)
        self._pending[place] = answer
        if self._clock() - self._since >= 1:
            self.pass_on()

    def pass_on_if_due(self) -> None:
        """Pass on what has waited for a second."""
        if self._clock() - self._since >= 1:
            self.pass_on()

    def pass_on(self) -> None:
        """Pass on all pending answers, with the mean seconds per answer."""
        if self._pending:
            pending, self._pending = self._pending, {}
            began, self._since = self._since, self._clock()
            try:
                self._take(pending, (self._since - began) / len(pending))
            except Exception as problem:
                self.take_error = problem
                raise


class BatchRunner:
    """Asks batch after batch, and writes answers to a log."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        log: AnswerSink,
        meter: ProgressMeter,
        size: int,
        to_check: frozenset[int],
        seconds: float | None = None,
    ) -> None:
        self.size, self.reasons, self.seconds, self.meter = size, Counter[str](), seconds, meter
        self.answered_in_batch: dict[int, tuple[Query, Answer]] = {}  # those of `to_check`
        self._dispatcher, self._log, self._to_check = dispatcher, log, to_check
        self._flushed = meter.clock()

    def run(self, rows: PlanRows, pictures: Prefetcher | None, following: Sequence[Query] = ()) -> None:
        """Ask rows, a batch at a time; the model is told of the next batch, after the last one of those `following`."""
        start = 0
        while start < len(rows):
            if self.seconds is not None and self.meter.seconds >= self.seconds:
                raise BudgetExhausted(f"the time budget of {self.seconds:g} s is used up")
            batch = rows.part(start, start + self.size)
            start += len(batch)
            if pictures is not None and (first := batch.picture):
                pictures.turn_to(first)
            self._dispatcher.expect(rows.batch.queries[start : start + self.size] or following[: self.size])
            self._settle(batch)

    def _settle(self, rows: PlanRows) -> None:
        """Ask a batch; what raises is asked again in halves, so that one bad query does not fail the others."""
        buffer = AnswerBuffer(len(rows), partial(self._take, rows), self.meter.clock)
        began = self.meter.clock()
        pending: list[Sequence[int]] = [range(len(rows))]
        try:
            while pending:
                places = pending.pop()
                problem = self._ask(rows.batch, places, buffer)
                open_places = [place for place in places if place in buffer.open_places]
                if problem is not None and len(places) > 1:
                    half = (len(open_places) + 1) // 2
                    pending += [part for part in (open_places[half:], open_places[:half]) if part]
                elif open_places:
                    self._fail(open_places, problem, buffer)
        finally:
            buffer.pass_on()
        self._flush_if_due(began)
        self._stop_if_most_fail()

    def _ask(self, batch: QueryBatch, places: Sequence[int], buffer: AnswerBuffer) -> Exception | None:
        """Ask the queries at some positions of a batch, and return what the model raised."""
        whole = len(places) == len(batch)
        part, keep = (batch, buffer.keep) if whole else (batch.at(places), keep_at(buffer.keep, places))
        try:
            self._dispatcher.ask(part, keep, partial(self._tick, buffer))
        except Exception as problem:
            fatal = isinstance(problem, ProtocolViolation | BudgetExhausted | ModelUnreachable)
            if fatal or problem is buffer.take_error:
                raise
            if _is_out_of_memory(problem):
                self.size = max(1, min(self.size, len(places) // 2))
            return problem
        return None

    def _tick(self, buffer: AnswerBuffer) -> None:
        """Write pending answers and report progress while nothing arrives."""
        buffer.pass_on_if_due()
        self.meter.count(0, 0)

    def _fail(self, places: Sequence[int], problem: Exception | None, buffer: AnswerBuffer) -> None:
        reason = "the model gave no answer"
        if problem is not None:
            reason = str(problem) if isinstance(problem, CounterpointError) else f"{type(problem).__name__}: {problem}"
        for place in places:
            buffer.keep(place, Answer.failed(reason))
        buffer.pass_on()
        self._stop_if_most_fail()

    def _take(self, rows: PlanRows, answers: dict[int, Answer], seconds: float) -> None:
        ids, digests, trials, queries = rows.ids, rows.digests, rows.batch.trials, rows.batch.queries
        self._log.add([(ids[at], trials[at], answer, digests[at], seconds) for at, answer in answers.items()])
        self._flush_if_due(self._flushed)
        failed = [answer.reason for answer in answers.values() if answer.state is State.FAILED]
        self.reasons.update(failed)
        if len(rows) > 1:
            chosen = [at for at in answers if ids[at] in self._to_check and not trials[at]]
            self.answered_in_batch.update((ids[at], (queries[at], answers[at])) for at in chosen)
        self.meter.cost = self.meter.cost.with_usages(answer.usage for answer in answers.values())
        self.meter.count(len(answers), len(failed))

    def _flush_if_due(self, since: float) -> None:
        """Flush after a second or more: the log itself only flushes when the next answer comes."""
        if self.meter.clock() - since >= 1:
            self._log.flush()
            self._flushed = self.meter.clock()

    def _stop_if_most_fail(self) -> None:
        stop_if_most_fail(self.meter.done, self.meter.failed, self.reasons)


def stop_if_most_fail(done: int, failed: int, reasons: Counter[str]) -> None:
    """Raise MostQueriesFailedError where more than half of the answers are failures."""
    if done >= MIN_ANSWERS and 2 * failed > done:
        known = [f", {times:,} of them because {reason!r}" for reason, times in reasons.most_common(1)]
        raise MostQueriesFailedError(  # a worker tells its reasons when its shard ends
            f"{failed:,} of {done:,} queries failed{''.join(known)}; the run was stopped",
            hint="the answers so far are kept; fix the cause and run again to go on",
        )


def _is_out_of_memory(problem: Exception) -> bool:
    """Python's own error, or that of torch, which is known by its name alone."""
    return isinstance(problem, MemoryError) or any(kind.__name__ == "OutOfMemoryError" for kind in type(problem).mro())
