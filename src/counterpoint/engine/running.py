"""The run: every missing row of the plan is asked of a model, batch after batch, and its answers are logged.

A run may end anywhere, by an interrupt, a kill or a crash; the next one plans what is missing then, and goes on.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

import pyarrow as pa

from counterpoint.core.errors import BudgetExhausted
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import BatchingModel, Model, RemoteModel
from counterpoint.engine.batch_invariance import BatchInvarianceCheck, check_batch_invariance
from counterpoint.engine.batch_runner import AnswerSink, BatchRunner, PlanRows, QueryReader
from counterpoint.engine.dispatch import Dispatcher, FeatureEditAnswerer
from counterpoint.engine.plan import order_by_picture, plan_queries, sample_queries, supported_rows, unanswered_rows
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import ProgressCallback, ProgressMeter

CHUNK_ROWS = 4096
"""Rows converted to queries at a time."""
BATCH = 64
"""The batch size where neither user nor model sets one."""
CHECK_SHARE = 0.02
"""The share of its time that a run may add for the batch-invariance check; a second at least."""


class RunLog(AnswerSink, Protocol):
    """A log of answers that knows which are missing."""

    def missing(self, plan: pa.Table) -> pa.Table:
        """The rows of a plan, with all their columns, whose query, trial and digest have no settled answer."""
        ...


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The counts of a finished run."""

    asked: int
    failed: int
    cached: int  # answered by earlier runs
    beyond: int  # rows that the model does not support
    seconds: float
    batch: int  # the size at the end, smaller than at the start where memory ran out
    left: int = 0  # not asked, since the request budget was used up
    retries: int = 0  # requests that failed and were sent again
    batch_invariance: BatchInvarianceCheck | None = None  # None where nothing was asked in batches
    reasons: tuple[tuple[str, int], ...] = ()  # why queries failed, the most frequent first


def run(
    queries: pa.Table,
    model: Model,
    log: RunLog,
    pictures: Prefetcher | None = None,
    *,
    read: QueryReader,
    trials: Sequence[int] = (0,),
    batch: int | None = None,
    seed: int = 0,
    check: int = 32,
    edited: FeatureEditAnswerer | None = None,
    progress: ProgressCallback = lambda progress: None,
    clock: Callable[[], float] = monotonic,
) -> RunSummary:
    """Ask a model every query in every trial that it supports and the log has no answer to.

    `pictures` is the prefetcher that the model reads from; it is told which pictures come next. Up to `check` queries
    are asked once more, alone, to measure batch invariance; fewer where that takes long, and none of a remote model,
    whose server forms batches of its own. `edited` answers queries with feature edits; without it they are skipped.
    """
    batch = batch or (model.batch_size if isinstance(model, BatchingModel) else BATCH)
    assert batch > 0, "a batch holds at least one query"
    remote = model if isinstance(model, RemoteModel) else None
    left = 0
    plan = plan_queries(queries, trials)
    supported = supported_rows(plan, model, edits=edited is not None)
    missing = order_by_picture(unanswered_rows(supported, log.missing))
    meter = ProgressMeter(missing.num_rows, supported.num_rows - missing.num_rows, progress, clock)
    if remote is not None:
        meter.retries = lambda: remote.retries
    if pictures is not None:
        pictures.expect(_pictures(missing, read))
    with Dispatcher(model, seed=seed, edited=edited) as dispatcher:
        runner = BatchRunner(dispatcher, log, meter, batch, sample_queries(missing, 0 if remote else check))
        try:
            for rows in _chunks(missing, batch * max(1, CHUNK_ROWS // batch)):
                runner.run(PlanRows.of(rows, read), pictures)
        except BudgetExhausted:
            left = meter.total - meter.done
        finally:
            log.flush()
            meter.report_now()
        deadline = meter.seconds + max(1.0, CHECK_SHARE * meter.seconds)
        invariance = check_batch_invariance(dispatcher, runner.answered_in_batch, lambda: meter.seconds > deadline)
    return RunSummary(
        asked=meter.done,
        failed=meter.failed,
        cached=meter.cached,
        beyond=plan.num_rows - supported.num_rows,
        seconds=meter.seconds,
        batch=runner.size,
        left=left,
        retries=meter.retries(),
        batch_invariance=invariance,
        reasons=tuple(runner.reasons.most_common(5)),
    )


def _pictures(plan: pa.Table, read: QueryReader) -> Iterator[Picture]:
    """The pictures of an ordered plan, each once, read lazily."""
    last = None
    for rows in _chunks(plan, CHUNK_ROWS):
        for query in read(rows):
            if query.picture is not None and query.picture != last:
                yield (last := query.picture)


def _chunks(plan: pa.Table, rows: int) -> Iterator[pa.Table]:
    return (plan.slice(start, rows) for start in range(0, plan.num_rows, rows))
