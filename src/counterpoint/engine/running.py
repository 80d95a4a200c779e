"""The run: every missing row of the plan is asked of a model, batch after batch, and its answers are logged.

A run may end anywhere, by an interrupt, a kill or a crash; the next one plans what is missing then, and goes on.
"""

import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from time import monotonic
from typing import Any, Protocol

import pyarrow as pa

from counterpoint._version import __version__
from counterpoint.core.costs import Cost
from counterpoint.core.errors import BudgetExhausted
from counterpoint.core.groups import Answer, Query, State
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import BatchingModel, Model, PricedModel, RemoteModel
from counterpoint.engine.batch_runner import AnswerSink, BatchRunner, PlanRows, QueryReader
from counterpoint.engine.dispatch import Dispatcher, FeatureEditAnswerer, QueryBatch
from counterpoint.engine.plan import (
    needs_picture,
    order_by_picture,
    plan_queries,
    sample_queries,
    supported_rows,
    unanswered_rows,
)
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import Progress, ProgressCallback, ProgressMeter

MIN_CHECKED = 4
"""Queries that are asked once more whatever the time limit."""
TOLERANCE = 1e-4
"""The largest difference of two scores, relative to the larger of them and 1."""
CHUNK_ROWS = 4096
"""Rows converted to queries at a time."""
BATCH = 64
"""The batch size where neither user nor model sets one."""
CHECK_SHARE = 0.02
"""The share of its time that a run may add for the batch-invariance check; a second at least."""
PACKAGES = ("numpy", "pillow", "pyarrow", "onnxruntime", "torch", "transformers", "httpx2")
"""Packages that may change an answer or its speed."""


@dataclass(frozen=True, slots=True)
class BatchInvarianceCheck:
    """How many queries were asked both in a batch and alone, and how many of them were answered differently."""

    checked: int
    differing: int

    @property
    def disagreement(self) -> float:
        """The share that was answered differently."""
        return self.differing / self.checked


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


class RunLog(AnswerSink, Protocol):
    """A log of answers that knows which are missing."""

    def missing(self, plan: pa.Table) -> pa.Table:
        """The rows of a plan, with all their columns, whose query, trial and digest have no settled answer."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The counts of a finished run."""

    asked: int
    failed: int
    cached: int  # answered by earlier runs
    beyond: int  # rows that the model does not support
    seconds: float
    batch: int  # the size at the end, smaller than at the start where memory ran out
    blind: int = 0  # of those beyond, rows without a picture, which the model needs
    left: int = 0  # not asked, since the budget was used up
    stopped: str = ""  # why queries are left
    retries: int = 0  # requests that failed and were sent again
    batch_invariance: BatchInvarianceCheck | None = None  # None where nothing was asked in batches
    reasons: tuple[tuple[str, int], ...] = ()  # why queries failed, the most frequent first
    cost: Cost = field(default_factory=Cost)


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
    left, stopped = 0, ""
    plan = plan_queries(queries, trials)
    supported = supported_rows(plan, model, edits=edited is not None)
    missing = order_by_picture(unanswered_rows(supported, log.missing))
    meter = ProgressMeter(missing.num_rows, supported.num_rows - missing.num_rows, progress, clock)
    if remote is not None:
        meter.retries = lambda: remote.retries
    meter.cost = Cost(prices=model.prices if isinstance(model, PricedModel) else None)
    if pictures is not None:
        pictures.expect(_pictures(missing, read))
    with Dispatcher(model, seed=seed, edited=edited) as dispatcher:
        runner = BatchRunner(dispatcher, log, meter, batch, sample_queries(missing, 0 if remote else check))
        try:
            for rows in _chunks(missing, batch * max(1, CHUNK_ROWS // batch)):
                runner.run(PlanRows.of(rows, read), pictures)
        except BudgetExhausted as problem:
            left, stopped = meter.total - meter.done, str(problem)
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
        blind=plan["picture"].null_count if needs_picture(model) else 0,
        seconds=meter.seconds,
        batch=runner.size,
        left=left,
        stopped=stopped,
        retries=meter.retries(),
        batch_invariance=invariance,
        reasons=tuple(runner.reasons.most_common(5)),
        cost=meter.cost,
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


def describe_run(
    settings: Mapping[str, Any], suites: Mapping[str, str], result: Progress | RunSummary, state: str
) -> dict[str, Any]:
    """A run as JSON; `suites` maps names to fingerprints, `state` is running, stopped or done."""
    details: dict[str, Any] = {}
    if isinstance(result, RunSummary):
        names = ("asked", "failed", "cached", "beyond", "blind", "left", "retries")
        counts = {name: getattr(result, name) for name in names}
        check = result.batch_invariance
        details = {
            "seconds": round(result.seconds, 3),
            "batch": result.batch,
            "alike": None if check is None else asdict(check),
            "disagreement": None if check is None else check.disagreement,
            "reasons": dict(result.reasons),
        }
    else:
        counts = {"asked": result.done, "failed": result.failed, "cached": result.cached}
    if result.cost.answers or result.cost.prices:
        details["cost"] = result.cost.to_record()
    about = {"state": state, "settings": dict(settings), "suites": dict(suites), "counts": counts}
    return {**about, **details, "versions": package_versions(), "hardware": hardware_info()}


def package_versions() -> dict[str, str]:
    """The versions of counterpoint, Python and the installed packages."""
    versions = {"counterpoint": __version__, "python": platform.python_version()}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def hardware_info() -> dict[str, Any]:
    """The machine; its accelerators and the peak memory of each, if torch is loaded."""
    torch = sys.modules.get("torch")
    devices = range(torch.cuda.device_count()) if torch is not None else ()
    return {
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "devices": [torch.cuda.get_device_name(device) for device in devices] if torch is not None else [],
        "memory": [torch.cuda.max_memory_allocated(device) for device in devices] if torch is not None else [],
    }
