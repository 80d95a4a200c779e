"""A worker: a model, its prefetcher and a log, which answers rows of a plan; the executor of this process."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from itertools import chain, pairwise
from time import monotonic
from typing import Protocol, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.costs import Cost
from counterpoint.core.errors import CounterpointError
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Model, RemoteModel
from counterpoint.engine.batch_invariance import BatchInvarianceCheck, check_batch_invariance
from counterpoint.engine.batch_runner import AnswerSink, BatchRunner, PlanRows, QueryReader
from counterpoint.engine.dispatch import Dispatcher, FeatureEditAnswerer
from counterpoint.engine.frozen_objects import frozen_objects
from counterpoint.engine.model_profile import ModelProfile
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import Progress, ProgressMeter, WorkerStatus

CHUNK_ROWS = 4096
"""Rows converted to queries at a time."""


@dataclass(frozen=True, slots=True)
class AskSettings:
    """How the rows of a run are asked."""

    batch: int
    seed: int = 0
    to_check: frozenset[int] = frozenset()  # queries that are asked once more, alone
    seconds: float | None = None  # after which no further batch is asked
    run: str = ""  # under whose name workers keep their answers


class RunLog(AnswerSink, Protocol):
    """A log of answers that knows which are missing."""

    def missing(self, plan: pa.Table) -> pa.Table:
        """The rows of a plan, with all their columns, whose query, trial and digest have no settled answer."""


class Executor(Protocol):
    """Asks a model rows of a plan: in this process, or of several workers."""

    @property
    def profile(self) -> ModelProfile:
        """The model."""

    @property
    def answers_edits(self) -> bool:
        """Whether queries with feature edits can be asked."""

    def begin(self, settings: AskSettings, log: RunLog, meter: ProgressMeter) -> None:
        """Prepare for a run."""

    def ask(self, rows: pa.Table) -> None:
        """Ask rows of an ordered plan; each ends with an answer in the log, if only a failed one with its reason."""

    def check(self, seconds: float) -> BatchInvarianceCheck | None:
        """Ask the chosen queries once more, alone, for about so many seconds."""

    def end(self) -> None:
        """End the run, after which nothing is written."""

    @property
    def batch(self) -> int:
        """The batch size, smaller than at the start where memory ran out."""

    @property
    def reasons(self) -> Counter[str]:
        """Why queries failed."""

    @property
    def workers(self) -> tuple[WorkerStatus, ...]:
        """The workers, where there are several."""


class ShardWorker:
    """A model that answers rows of a plan in this process, with the prefetcher that it reads pictures from."""

    def __init__(
        self,
        model: Model,
        pictures: Prefetcher | None = None,
        *,
        read: QueryReader,
        edited: FeatureEditAnswerer | None = None,
    ) -> None:
        self.profile, self.answers_edits = ModelProfile.of(model), edited is not None
        self.workers: tuple[WorkerStatus, ...] = ()
        self._model, self._pictures, self._read, self._edited = model, pictures, read, edited
        self._open = ExitStack()

    def begin(self, settings: AskSettings, log: AnswerSink, meter: ProgressMeter) -> None:
        """Prepare for a run."""
        self._open.enter_context(frozen_objects())  # a model's modules are a million, which every collection would walk
        if isinstance(self._model, RemoteModel):
            remote = self._model
            meter.retries = lambda: remote.retries
        dispatcher = Dispatcher(self._model, seed=settings.seed, edited=self._edited)
        self._dispatcher = self._open.enter_context(dispatcher)
        self._runner = BatchRunner(dispatcher, log, meter, settings.batch, settings.to_check, settings.seconds)

    def ask(self, rows: pa.Table) -> None:
        """Ask rows of an ordered plan."""
        if self._pictures is not None:
            self._pictures.expect(_pictures(rows, self._read))
        chunks = _chunks(rows, self.batch * max(1, CHUNK_ROWS // self.batch))
        read = (PlanRows.of(chunk, self._read) for chunk in chunks)
        for asked, following in pairwise(chain(read, [None])):
            assert asked is not None, "the end comes last"
            self._runner.run(asked, self._pictures, following.batch.queries if following else ())

    def ask_shard(self, rows: pa.Table, meter: ProgressMeter, seconds: float | None) -> None:
        """Ask rows that are counted by a meter of their own, within so many seconds."""
        self._runner.meter, self._runner.seconds = meter, seconds
        self.ask(rows)

    def check(self, seconds: float) -> BatchInvarianceCheck | None:
        """Ask the chosen queries once more, alone, for about so many seconds."""
        meter, deadline = self._runner.meter, self._runner.meter.seconds + seconds
        return check_batch_invariance(
            self._dispatcher, self._runner.answered_in_batch, lambda: meter.seconds > deadline
        )

    def end(self) -> None:
        """End the event loop of the model."""
        self._open.close()

    @property
    def batch(self) -> int:
        """The batch size, smaller than at the start where memory ran out."""
        return self._runner.size

    @property
    def reasons(self) -> Counter[str]:
        """Why queries failed."""
        return self._runner.reasons


def _pictures(plan: pa.Table, read: QueryReader) -> Iterator[Picture]:
    """The pictures of an ordered plan, each once, read lazily, from the first row of each alone."""
    last = None
    for rows in _chunks(plan, CHUNK_ROWS):
        for query in read(rows.filter(_picture_changes(rows))):
            if query.picture is not None and query.picture != last:
                yield (last := query.picture)


def _picture_changes(rows: pa.Table) -> pa.Array:
    """Which rows show another picture than the row before; the first one does."""
    changed = np.ones(rows.num_rows, np.bool_)
    differ = [pc.not_equal(rows[name].slice(1), rows[name].slice(0, len(changed) - 1)) for name in ("picture", "edits")]
    changed[1:] = pc.fill_null(pc.or_(*differ), True).to_numpy()
    return pa.array(changed)


def _chunks(plan: pa.Table, rows: int) -> Iterator[pa.Table]:
    return (plan.slice(start, rows) for start in range(0, plan.num_rows, rows))


ModelContext: TypeAlias = AbstractContextManager[tuple[Model, Prefetcher | None]]
"""A model, and the prefetcher of its pictures where it reads from one."""


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a worker is made of, in its own process; picklable."""

    load: Callable[[str, int], ModelContext]  # the model on a device, with so many cores
    open_log: Callable[[str, str, int], AnswerSink]  # by fingerprint, run, and number of the worker
    read: QueryReader
    edit: Callable[[Model], FeatureEditAnswerer | None]  # what answers queries with feature edits


@dataclass(frozen=True, slots=True)
class ShardCounts:
    """How far a worker is with its shard."""

    done: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class ShardResult:
    """What became of a shard; `problem` ended it early."""

    counts: ShardCounts
    seconds: float
    batch: int
    reasons: Counter[str]
    cost: Cost
    problem: CounterpointError | None = None


class RemoteWorker:
    """A shard worker in a process of its own, as tasks reach it; it keeps its answers in its own log."""

    def __init__(
        self, setup: WorkerSetup, device: str, cores: int, number: int, report: Callable[[ShardCounts], None]
    ) -> None:
        self._setup, self._number, self._report = setup, number, report
        self._open = ExitStack()
        model, pictures = self._open.enter_context(setup.load(device, cores))
        self._worker = ShardWorker(model, pictures, read=setup.read, edited=setup.edit(model))
        self._log: AnswerSink | None = None

    @property
    def profile(self) -> ModelProfile:
        """The model."""
        return self._worker.profile

    def begin(self, settings: AskSettings) -> None:
        """Prepare for a run, and open a log for it."""
        self._log = self._setup.open_log(self.profile.fingerprint, settings.run, self._number)
        self._worker.begin(settings, self._log, ProgressMeter(0, 0, lambda progress: None))

    def ask(self, rows: pa.Table, seconds: float | None) -> ShardResult:
        """Answer a shard."""
        assert self._log is not None, "a run has begun"
        meter, problem = ProgressMeter(rows.num_rows, 0, self._tell, monotonic), None
        self._worker.reasons.clear()
        try:
            self._worker.ask_shard(rows, meter, seconds)
        except CounterpointError as raised:
            problem = raised
        finally:
            self._log.flush()
        counts, reasons = ShardCounts(meter.done, meter.failed), Counter(self._worker.reasons)
        return ShardResult(counts, meter.seconds, self._worker.batch, reasons, meter.cost, problem)

    def check(self, seconds: float) -> BatchInvarianceCheck | None:
        """Ask the chosen queries that it answered once more, alone."""
        return self._worker.check(seconds)

    def close(self) -> None:
        """Release the model."""
        self._worker.end()
        self._open.close()

    def _tell(self, progress: Progress) -> None:
        self._report(ShardCounts(progress.done, progress.failed))
