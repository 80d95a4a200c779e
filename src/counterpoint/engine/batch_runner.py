"""Batches on their way: each row ends with an answer, if only one that says why it failed."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

import pyarrow as pa

from counterpoint.core.answers import Answer, State
from counterpoint.core.errors import BudgetExhausted, CounterpointError, ModelError, ModelUnreachable
from counterpoint.core.groups import Query
from counterpoint.core.pictures import Picture
from counterpoint.engine.dispatch import Dispatcher, ProtocolViolation, QueryBatch, keep_at
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import ProgressMeter

AnswerRow: TypeAlias = tuple[int, int, Answer, str, float]
"""Query, trial, answer, digest of the picture file, seconds."""
QueryReader: TypeAlias = Callable[[pa.Table], Sequence[Query]]
"""How rows of a table become the queries they stand for."""

MIN_ANSWERS = 50
"""Answers that are too few to tell whether a model works at all."""


class AnswerSink(Protocol):
    """Where answers go."""

    def add(self, rows: Iterable[AnswerRow]) -> None:
        """Gather answers."""
        ...

    def flush(self) -> None:
        """Make what was gathered safe."""
        ...


@dataclass(frozen=True, slots=True)
class PlanRows:
    """Some rows of a plan as lists, since they are walked one by one."""

    ids: Sequence[int]
    digests: Sequence[str]
    asked: QueryBatch

    @classmethod
    def of(cls, rows: pa.Table, read: QueryReader) -> "PlanRows":
        """The rows of a table."""
        ids, trials = (rows[name].to_numpy().tolist() for name in ("query", "trial"))  # quicker than one by one
        return cls(ids, rows["digest"].cast(pa.string()).to_pylist(), QueryBatch(read(rows), trials))

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, start: int, stop: int) -> "PlanRows":
        """The rows from one place up to another."""
        asked = QueryBatch(self.asked.queries[start:stop], self.asked.trials[start:stop])
        return PlanRows(self.ids[start:stop], self.digests[start:stop], asked)

    @property
    def picture(self) -> Picture | None:
        """The first picture there is."""
        return next((query.picture for query in self.asked.queries if query.picture), None)


class AnswerBuffer:
    """The answers to one batch as they come; what is there is handed over once a second, and at the end."""

    def __init__(self, size: int, take: Callable[[dict[int, Answer], float], None], clock: Callable[[], float]) -> None:
        self.answered = [False] * size
        self.broken: Exception | None = None  # what was raised here, and not by the model
        self._fresh: dict[int, Answer] = {}
        self._take, self._clock = take, clock
        self._since = clock()

    def keep(self, place: int, answer: Answer) -> None:
        """Note an answer; a second one at the same place cannot be right."""
        if not 0 <= place < len(self.answered):
            raise ProtocolViolation(f"the model answered place {place} of {len(self.answered)}")
        if self.answered[place]:
            raise ProtocolViolation(f"the model answered place {place} of {len(self.answered)} twice")
        if not isinstance(answer, Answer):
            raise ProtocolViolation(f"the model gave {answer!r} where an Answer belongs")
        self.answered[place] = True
        self._fresh[place] = answer
        self.look()

    def look(self) -> None:
        """What has waited for a second is passed on, though nothing more has come."""
        if self._clock() - self._since >= 1:
            self.hand_over()

    def hand_over(self) -> None:
        """Pass on what has not been passed on yet, with the seconds that each took on average."""
        if self._fresh:
            fresh, self._fresh = self._fresh, {}
            began, self._since = self._since, self._clock()
            try:
                self._take(fresh, (self._since - began) / len(fresh))
            except Exception as problem:
                self.broken = problem
                raise


class BatchRunner:
    """A run on its way through its batches."""

    def __init__(
        self, asker: Dispatcher, log: AnswerSink, meter: ProgressMeter, size: int, wanted: frozenset[int]
    ) -> None:
        self.size, self.reasons = size, Counter[str]()
        self.seen: dict[int, tuple[Query, Answer]] = {}  # those wanted that were answered in company
        self._asker, self._log, self._meter, self._wanted = asker, log, meter, wanted
        self._flushed = meter.clock()

    def through(self, rows: PlanRows, pictures: Prefetcher | None) -> None:
        """Put rows to the model, a batch at a time."""
        start = 0
        while start < len(rows):
            some = rows.part(start, start + self.size)
            start += len(some)
            if pictures is not None and (first := some.picture):
                pictures.turn_to(first)
            self._asker.expect(rows.part(start, start + self.size).asked.queries)
            self._settle(some)

    def _settle(self, rows: PlanRows) -> None:
        """What raises is asked again in halves, so that one bad query costs the others nothing."""
        sheet = AnswerBuffer(len(rows), partial(self._take, rows), self._meter.clock)
        began = self._meter.clock()
        waiting: list[Sequence[int]] = [range(len(rows))]
        try:
            while waiting:
                places = waiting.pop()
                problem = self._put(rows.asked, places, sheet)
                left = [place for place in places if not sheet.answered[place]]
                if problem is not None and len(places) > 1:
                    half = (len(left) + 1) // 2
                    waiting += [some for some in (left[half:], left[:half]) if some]
                elif left:
                    self._fail(left, problem, sheet)
        finally:
            sheet.hand_over()
        self._make_safe(began)
        self._give_up_if_hopeless()

    def _put(self, asked: QueryBatch, places: Sequence[int], sheet: AnswerBuffer) -> Exception | None:
        """Ask what stands at some places of a batch, and say what the model raised."""
        whole = len(places) == len(asked)
        part, keep = (asked, sheet.keep) if whole else (asked.at(places), keep_at(sheet.keep, places))
        try:
            self._asker.ask(part, keep, partial(self._look, sheet))
        except Exception as problem:
            if isinstance(problem, ProtocolViolation | BudgetExhausted | ModelUnreachable) or problem is sheet.broken:
                raise
            if _memory_ran_out(problem):
                self.size = max(1, min(self.size, len(places) // 2))
            return problem
        return None

    def _look(self, sheet: AnswerBuffer) -> None:
        """Nothing may have come for long: what is there is made safe, and how it goes is told all the same."""
        sheet.look()
        self._meter.count(0, 0)

    def _fail(self, places: Sequence[int], problem: Exception | None, sheet: AnswerBuffer) -> None:
        reason = "the model gave no answer" if problem is None else _said(problem)
        for place in places:
            sheet.keep(place, Answer.failed(reason))
        sheet.hand_over()
        self._give_up_if_hopeless()

    def _take(self, rows: PlanRows, fresh: dict[int, Answer], seconds: float) -> None:
        ids, digests, trials, queries = rows.ids, rows.digests, rows.asked.trials, rows.asked.queries
        self._log.add([(ids[at], trials[at], answer, digests[at], seconds) for at, answer in fresh.items()])
        self._make_safe(self._flushed)
        failed = [answer.reason for answer in fresh.values() if answer.state is State.FAILED]
        self.reasons.update(failed)
        if len(rows) > 1:
            wanted = [at for at in fresh if ids[at] in self._wanted and not trials[at]]
            self.seen.update((ids[at], (queries[at], fresh[at])) for at in wanted)
        self._meter.count(len(fresh), len(failed))

    def _make_safe(self, since: float) -> None:
        """Flush what took a second or more: the log may wait for more to come, and a slow model lets it wait long."""
        if self._meter.clock() - since >= 1:
            self._log.flush()
            self._flushed = self._meter.clock()

    def _give_up_if_hopeless(self) -> None:
        done, failed = self._meter.done, self._meter.failed
        if done >= MIN_ANSWERS and 2 * failed > done:
            reason, times = self.reasons.most_common(1)[0]
            raise ModelError(
                f"{failed:,} of {done:,} queries failed, {times:,} of them because {reason!r}; the run was stopped",
                hint="what was answered is kept; mend the cause and run again to go on",
            )


def _memory_ran_out(problem: Exception) -> bool:
    """Ours, or that of torch, which is known by its name alone."""
    return isinstance(problem, MemoryError) or any(kind.__name__ == "OutOfMemoryError" for kind in type(problem).mro())


def _said(problem: Exception) -> str:
    return str(problem) if isinstance(problem, CounterpointError) else f"{type(problem).__name__}: {problem}"
