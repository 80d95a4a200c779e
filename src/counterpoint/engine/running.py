"""The run: everything that is missing is put to a model, batch after batch, and its answers to a log.

A run may end anywhere, by a key, a kill or a crash; the next one plans what is missing then, and goes on.
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
"""Rows made into values at a time."""
BATCH = 64
"""Queries asked at once, where neither user nor model says otherwise."""
CHECK_SHARE = 0.02
"""How much longer a run may take to compare answers in company and alone, as a share of its time; a second at least."""


class RunLog(AnswerSink, Protocol):
    """Where answers go, and what says which are not there yet."""

    def missing(self, plan: pa.Table) -> pa.Table:
        """The rows of a plan, with all their columns, whose query, trial and digest have no settled answer."""
        ...


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did: how many it asked, how many it found answered, and how many were beyond the model."""

    asked: int
    failed: int
    cached: int
    beyond: int  # the model cannot do what these ask for
    seconds: float
    batch: int  # the size at the end, smaller than at the beginning where memory ran out
    left: int = 0  # not asked, since the budget of requests was used up
    retries: int = 0  # requests that came to nothing and were asked again
    alike: BatchInvarianceCheck | None = None  # where nothing was asked in batches of many, there is nothing to compare
    reasons: tuple[tuple[str, int], ...] = ()  # why queries failed, the commonest first


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
    """Ask a model every query in every trial that it can do and the log has no answer to.

    `pictures` is where the model was told to get its pixels from: it is told what comes next. So many queries as
    `check` says are asked once more, alone, to see whether answers depend on the company of a query, or fewer of them
    where that would take long; not those of a server, which has company of its own. Queries with edits of features are
    put to whoever makes such `edited` ones; without, they are beyond the model.
    """
    batch = batch or (model.batch if isinstance(model, BatchingModel) else BATCH)
    assert batch > 0, "a batch holds at least one query"
    remote = model if isinstance(model, RemoteModel) else None
    left = 0
    plan = plan_queries(queries, trials)
    able = supported_rows(plan, model, edits=edited is not None)
    missing = order_by_picture(unanswered_rows(able, log.missing))
    meter = ProgressMeter(missing.num_rows, able.num_rows - missing.num_rows, progress, clock)
    if remote is not None:
        meter.retries = lambda: remote.retries
    if pictures is not None:
        pictures.expect(_pictures(missing, read))
    with Dispatcher(model, seed=seed, edited=edited) as asker:
        going = BatchRunner(asker, log, meter, batch, sample_queries(missing, 0 if remote else check))
        try:
            for rows in _portions(missing, batch * max(1, CHUNK_ROWS // batch)):
                going.through(PlanRows.of(rows, read), pictures)
        except BudgetExhausted:
            left = meter.total - meter.done
        finally:
            log.flush()
            meter.tell()
        patience = meter.seconds + max(1.0, CHECK_SHARE * meter.seconds)
        alike = check_batch_invariance(asker, going.seen, lambda: meter.seconds > patience)
    return RunSummary(
        asked=meter.done,
        failed=meter.failed,
        cached=meter.cached,
        beyond=plan.num_rows - able.num_rows,
        seconds=meter.seconds,
        batch=going.size,
        left=left,
        retries=meter.retries(),
        alike=alike,
        reasons=tuple(going.reasons.most_common(5)),
    )


def _pictures(plan: pa.Table, read: QueryReader) -> Iterator[Picture]:
    """The pictures of an ordered plan, each once, read as they are called for."""
    last = None
    for rows in _portions(plan, CHUNK_ROWS):
        for query in read(rows):
            if query.picture is not None and query.picture != last:
                yield (last := query.picture)


def _portions(plan: pa.Table, rows: int) -> Iterator[pa.Table]:
    return (plan.slice(start, rows) for start in range(0, plan.num_rows, rows))
