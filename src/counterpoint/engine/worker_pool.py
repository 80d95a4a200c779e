"""Executor on several workers: each pulls shards of the plan, and what a lost one left goes to another.

How workers are reached is the business of a transport: processes of this machine, or actors of a cluster.
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from time import monotonic
from typing import Any, Protocol, TypeAlias

import pyarrow as pa

from counterpoint.core.errors import BudgetExhausted, CounterpointError, ModelError
from counterpoint.core.groups import Answer
from counterpoint.engine.batch_invariance import BatchInvarianceCheck, add_checks
from counterpoint.engine.batch_runner import MostQueriesFailedError, stop_if_most_fail
from counterpoint.engine.model_profile import ModelProfile
from counterpoint.engine.plan import KEYS
from counterpoint.engine.progress import ProgressMeter, WorkerStatus
from counterpoint.engine.shard_worker import AskSettings, RunLog, ShardCounts, ShardResult
from counterpoint.engine.shards import Shard, ShardDispatcher, picture_starts

FIRST_BATCHES = 4
"""Batches in the first shard of a worker, whose speed is not known yet."""
WAIT_SECONDS = 0.2
"""How long events are awaited before progress is reported."""
NOTICE_SECONDS = 30.0
"""After so many seconds without a worker, a warning says what is awaited."""
logger = logging.getLogger("counterpoint")


class EventKind(Enum):
    """What is heard of a worker."""

    READY = "its model is loaded"  # with its profile
    PROGRESS = "it goes on"  # with the counts of its shard
    DONE = "its task is done"  # with the result
    RAISED = "its task raised"  # with the exception
    LOST = "it is lost"  # with the reason


@dataclass(frozen=True, slots=True)
class WorkerEvent:
    """An event of a worker."""

    worker: int
    kind: EventKind
    content: Any = None


WorkerBuilder: TypeAlias = Callable[[int, int, Callable[[Any], None]], Any]
"""Builds a worker where it works: from its place among the workers, a number that no other start has, and a callback
for progress. Its `profile` describes it, and tasks are calls of its methods."""


class WorkerTransport(Protocol):
    """Starts workers, sends them tasks and receives events."""

    @property
    def names(self) -> Sequence[str]:
        """The name of each worker: its device or node."""

    @property
    def starts_together(self) -> bool:
        """Whether all workers are up at about the same time, so that a run waits for all."""

    def start(self, worker: int) -> None:
        """Start a worker, in the place of one that was lost or stopped."""

    def stop(self, worker: int) -> None:
        """End a worker at once."""

    def send(self, worker: int, method: str, *arguments: Any) -> None:
        """Call a method of a worker; one that is lost is reported as an event."""

    def receive(self, seconds: float) -> Sequence[WorkerEvent]:
        """The next events, after at most so many seconds."""

    def close(self) -> None:
        """End all workers, which write what they have gathered."""


def call_workers(transport: WorkerTransport, method: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Call a method of every worker; returns the results in their order, and raises what a worker raised."""
    for worker, own in enumerate(arguments):
        transport.send(worker, method, *own)
    results = dict[int, Any]()
    while len(results) < len(arguments):
        for event in transport.receive(WAIT_SECONDS):
            match event.kind:
                case EventKind.DONE:
                    results[event.worker] = event.content
                case EventKind.RAISED:
                    raise event.content
                case EventKind.LOST:
                    raise CounterpointError(event.content, hint="is there enough memory?")
    return [results[worker] for worker in range(len(arguments))]


class WorkerPool:
    """Asks a plan of several workers with the same model; an `Executor`."""

    def __init__(self, transport: WorkerTransport, *, clock: Callable[[], float] = monotonic) -> None:
        self._transport, self._clock = transport, clock
        self._status = [WorkerStatus(name) for name in transport.names]
        self._counts: dict[int, ShardCounts] = {}  # of the shards that are being answered
        self._batches: dict[int, int] = {}
        self._checks: dict[int, BatchInvarianceCheck | None] = {}
        self._profile: ModelProfile | None = None
        self._settings: AskSettings | None = None
        self._dispatcher = ShardDispatcher([], 0, 1)
        self._plan: pa.Table | None = None
        self._exhausted = False
        self.reasons = Counter[str]()
        try:
            for worker in range(len(self._status)):
                transport.start(worker)
            self._await_start()
        except BaseException:
            transport.close()
            raise

    @property
    def profile(self) -> ModelProfile:
        """The model, which is the same everywhere."""
        assert self._profile is not None, "a worker is up"
        return self._profile

    @property
    def answers_edits(self) -> bool:
        """Whether queries with feature edits can be asked."""
        return "features" in self.profile.abilities

    @property
    def batch(self) -> int:
        """The smallest batch size of any worker."""
        assert self._settings is not None, "a run has begun"
        return min(self._batches.values(), default=self._settings.batch)

    @property
    def workers(self) -> tuple[WorkerStatus, ...]:
        """The workers, and what each has answered."""
        return tuple(
            replace(status, answered=status.answered + self._counts.get(worker, ShardCounts()).done)
            for worker, status in enumerate(self._status)
        )

    def begin(self, settings: AskSettings, log: RunLog, meter: ProgressMeter) -> None:
        """Tell every worker that a run begins; those that come later are told when they are up."""
        self._settings, self._log, self._meter = settings, log, meter
        meter.workers = lambda: self.workers
        for worker in self._dispatcher.joined:
            self._transport.send(worker, "begin", settings)

    def ask(self, rows: pa.Table) -> None:
        """Ask rows of an ordered plan, in shards."""
        assert self._settings is not None, "a run has begun"
        before, first_rows = self._dispatcher, FIRST_BATCHES * self._settings.batch
        self._plan, self._dispatcher = rows, ShardDispatcher(picture_starts(rows), rows.num_rows, first_rows)
        for worker in before.benched:
            self._dispatcher.bench(worker)
        for worker in before.joined:
            self._dispatcher.join(worker)
        while not self._dispatcher.is_done and not self._is_over():
            self._hand_out()
            self._receive()
            self._write_failed()
            self._meter.count(0, 0)
        if self._exhausted:
            raise BudgetExhausted(f"the time budget of {self._settings.seconds:g} s is used up")

    def check(self, seconds: float) -> BatchInvarianceCheck | None:
        """Let each worker ask the chosen queries that it answered once more, alone."""
        waiting = set(self._dispatcher.idle)
        for worker in waiting:
            self._transport.send(worker, "check", seconds)
        while waiting := waiting & self._dispatcher.joined - self._checks.keys():  # without those that were lost
            self._receive()
        return add_checks(self._checks.values())

    def end(self) -> None:
        """End all workers."""
        self._transport.close()

    def _await_start(self) -> None:
        """Wait for one worker, and for all where they start together."""
        began = noticed = self._clock()
        while not self._dispatcher.joined or (self._transport.starts_together and self._is_anyone("starting")):
            self._receive()
            if not self._dispatcher.joined and self._clock() - noticed > NOTICE_SECONDS:
                noticed = self._clock()
                logger.warning("no worker is up after %.0f s; still waiting for one", noticed - began)

    def _is_anyone(self, state: str) -> bool:
        return any(status.state == state for status in self._status)

    def _is_over(self) -> bool:
        """Whether the time is used up, and no worker is at a shard any more."""
        assert self._settings is not None, "a run has begun"
        seconds = self._settings.seconds
        self._exhausted = self._exhausted or (seconds is not None and self._meter.seconds >= seconds)
        return self._exhausted and self._dispatcher.idle == sorted(self._dispatcher.joined)

    def _hand_out(self) -> None:
        assert self._settings is not None, "a run has begun"
        for worker in [] if self._exhausted else self._dispatcher.idle:
            if (shard := self._dispatcher.take(worker)) is not None:
                seconds = self._settings.seconds
                left = None if seconds is None else max(0.0, seconds - self._meter.seconds)
                self._transport.send(worker, "ask", self._rows(shard), left)

    def _rows(self, shard: Shard) -> pa.Table:
        """The rows of a shard, with the digests of its own pictures alone."""
        assert self._plan is not None, "a plan is being asked"
        positions = shard.rows
        if isinstance(positions, range):
            rows = self._plan.slice(positions.start, len(positions))
        else:
            rows = self._plan.take(pa.array(positions, pa.int64()))
        place = rows.column_names.index("digest")
        return rows.set_column(place, "digest", rows["digest"].cast(pa.string())).combine_chunks()

    def _receive(self) -> None:
        for event in self._transport.receive(WAIT_SECONDS):
            match event.kind:
                case EventKind.READY:
                    self._welcome(event.worker, event.content)
                case EventKind.PROGRESS:
                    self._count(event.worker, event.content)
                case EventKind.DONE if isinstance(event.content, ShardResult):
                    self._finish(event.worker, event.content)
                case EventKind.DONE if event.content is None or isinstance(event.content, BatchInvarianceCheck):
                    self._checks[event.worker] = event.content
                case EventKind.RAISED if self._settings is None or self._dispatcher.held(event.worker):
                    raise event.content
                case EventKind.RAISED:
                    self._transport.stop(event.worker)
                    self._lose(event.worker, str(event.content))
                case EventKind.LOST:
                    self._lose(event.worker, event.content)

    def _welcome(self, worker: int, profile: ModelProfile) -> None:
        """Let a worker join, if its model is that of the others."""
        self._profile = self._profile or profile
        if not profile.is_same(self._profile):
            names = ", ".join(dict.fromkeys([self._profile.fingerprint, profile.fingerprint]))
            problem = f"the models on {', '.join(self._transport.names)} are not the same: {names}"
            if self._settings is None:
                raise ModelError(problem, hint="give one dtype=, and the same versions of all packages")
            logger.warning("%s; %s is not asked", problem, self._status[worker].name)
            self._transport.stop(worker)
            self._dispatcher.bench(worker)
            self._status[worker] = replace(self._status[worker], state="benched", reason=problem)
            return
        self._dispatcher.join(worker)
        self._status[worker] = replace(self._status[worker], name=self._transport.names[worker], state="up")
        if self._settings is not None:
            self._transport.send(worker, "begin", self._settings)

    def _count(self, worker: int, counts: ShardCounts) -> None:
        """Count what a worker did since it was last heard of."""
        before = self._counts.get(worker, ShardCounts())
        self._counts[worker] = counts
        self._meter.count(counts.done - before.done, counts.failed - before.failed)

    def _finish(self, worker: int, result: ShardResult) -> None:
        self._count(worker, result.counts)
        self.reasons.update(result.reasons)
        self._meter.cost += result.cost
        self._batches[worker] = result.batch
        if isinstance(result.problem, BudgetExhausted):
            self._exhausted = True
        elif isinstance(result.problem, MostQueriesFailedError):
            stop_if_most_fail(self._meter.done, self._meter.failed, self.reasons)  # else it is this worker
            self._transport.stop(worker)
            self._lose(worker, str(result.problem))
            return
        elif result.problem is not None:
            raise result.problem
        self._dispatcher.finish(worker, result.seconds)
        status, counts = self._status[worker], self._counts.pop(worker)
        seconds, answered = status.seconds + result.seconds, status.answered + counts.done
        self._status[worker] = replace(status, answered=answered, seconds=seconds)
        stop_if_most_fail(self._meter.done, self._meter.failed, self.reasons)

    def _lose(self, worker: int, reason: str) -> None:
        """Give what has no answer to others, and start the worker again unless it was lost too often."""
        shard, counts, missing = self._dispatcher.held(worker), self._counts.pop(worker, ShardCounts()), list[int]()
        kept = 0
        if shard is not None:
            missing = self._missing(shard)
            kept = len(shard) - len(missing)
            self._meter.count(kept - counts.done, -counts.failed)
        self._dispatcher.lose(worker, reason, missing)
        status = self._status[worker]
        status = replace(status, losses=status.losses + 1, reason=reason, answered=status.answered + kept)
        benched = self._dispatcher.is_benched(worker)
        self._status[worker] = replace(status, state="benched" if benched else "starting")
        logger.warning("%s; %s", reason, "it is not started again" if benched else "it is started again")
        if not benched:
            self._transport.start(worker)
        elif not self._is_anyone("up") and not self._is_anyone("starting"):
            raise ModelError(
                f"no worker is left: {reason}", hint="the answers so far are kept; fix the cause and run again to go on"
            )

    def _missing(self, shard: Shard) -> list[int]:
        """The rows of a shard that have no settled answer in the log."""
        keys = self._rows(shard).select(list(KEYS)).append_column("row", pa.array(shard.rows, pa.int64()))
        rows: list[int] = self._log.missing(keys)["row"].to_pylist()
        return rows

    def _write_failed(self) -> None:
        """Write failed answers to the rows with which too many workers were lost."""
        while self._dispatcher.failed:
            shard = self._dispatcher.failed.pop()
            reason = f"{len(shard.lost_by)} workers were lost with it: {shard.reason}"
            rows = self._rows(shard).select(list(KEYS)).to_pydict().values()
            self._log.add(
                [(query, trial, Answer.failed(reason), digest, 0.0) for query, trial, digest in zip(*rows, strict=True)]
            )
            self.reasons[reason] += len(shard)
            self._meter.count(len(shard), len(shard))
            stop_if_most_fail(self._meter.done, self._meter.failed, self.reasons)
