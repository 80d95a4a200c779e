"""The run: every missing row of the plan is asked of a model, batch after batch, and its answers are logged.

A run may end anywhere, by an interrupt, a kill or a crash; the next one plans what is missing then, and goes on.
"""

import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from time import monotonic
from typing import Any, TypeAlias

import pyarrow as pa

from counterpoint._version import __version__
from counterpoint.core.costs import Cost
from counterpoint.core.errors import BudgetExhausted
from counterpoint.core.ports import Model
from counterpoint.engine.batch_invariance import BatchInvarianceCheck
from counterpoint.engine.batch_runner import QueryReader
from counterpoint.engine.cores import usable_cores
from counterpoint.engine.dispatch import FeatureEditAnswerer
from counterpoint.engine.plan import plan_run, sample_queries
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import Progress, ProgressMeter, RunCallback, WorkerStatus
from counterpoint.engine.shard_worker import AskSettings, Executor, RunLog, ShardWorker

BATCH = 64
"""The batch size where neither user nor model sets one."""
CHECK_SHARE = 0.02
"""The share of its time that a run may add for the batch-invariance check; a second at least."""
PACKAGES = ("numpy", "pillow", "pyarrow", "onnxruntime", "torch", "transformers", "httpx2")
"""Packages that may change an answer or its speed."""


Portions: TypeAlias = Callable[[pa.Table], Iterable[pa.Table]]
"""What of the missing rows is asked, portion by portion."""
NOT_NEEDED = "the rest is not needed"
"""Why queries are left where portions end before all is asked."""


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
    left: int = 0  # not asked, since the budget was used up or they are not needed
    stopped: str = ""  # why queries are left
    retries: int = 0  # requests that failed and were sent again
    batch_invariance: BatchInvarianceCheck | None = None  # None where nothing was asked in batches
    reasons: tuple[tuple[str, int], ...] = ()  # why queries failed, the most frequent first
    cost: Cost = field(default_factory=Cost)
    workers: tuple[WorkerStatus, ...] = ()  # where there were several


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
    progress: RunCallback = lambda progress: None,
    clock: Callable[[], float] = monotonic,
    seconds: float | None = None,
    portions: Portions = lambda missing: (missing,),
) -> RunSummary:
    """Ask a model in this process every query in every trial that it supports and the log has no answer to.

    `pictures` is the prefetcher that the model reads from; it is told which pictures come next. `edited` answers
    queries with feature edits; without it they are skipped. The rest is as in `run_on`.
    """
    return run_on(
        ShardWorker(model, pictures, read=read, edited=edited),
        queries,
        log,
        trials=trials,
        batch=batch,
        seed=seed,
        check=check,
        progress=progress,
        clock=clock,
        seconds=seconds,
        portions=portions,
    )


def run_on(
    executor: Executor,
    queries: pa.Table,
    log: RunLog,
    *,
    trials: Sequence[int] = (0,),
    batch: int | None = None,
    seed: int = 0,
    check: int = 32,
    progress: RunCallback = lambda progress: None,
    clock: Callable[[], float] = monotonic,
    seconds: float | None = None,
    portions: Portions = lambda missing: (missing,),
    run_name: str = "",
) -> RunSummary:
    """Plan what is missing, and let an executor ask it.

    Up to `check` queries are asked once more, alone, to measure batch invariance; fewer where that takes long, and none
    of a remote model, whose server forms batches of its own. After so many `seconds` no further batch is asked;
    pictures are then asked in a random order. `portions` takes the missing rows and yields those to ask next; the
    answers to a portion are in the log when the next is taken.
    """
    model, stopped, invariance = executor.profile, "", None
    batch = batch or model.batch_size or BATCH
    assert batch > 0, "a batch holds at least one query"
    plan = plan_run(queries, model, log.missing, trials, edits=executor.answers_edits, shuffled=seconds is not None)
    meter = ProgressMeter(plan.missing.num_rows, plan.cached, progress, clock)
    meter.cost = Cost(prices=model.prices)
    to_check = sample_queries(plan.missing, 0 if model.is_remote else check)
    try:
        executor.begin(AskSettings(batch, seed, to_check, seconds, run_name), log, meter)
        try:
            for portion in portions(plan.missing):
                executor.ask(portion)
                log.flush()
                meter.report_now()
            stopped = NOT_NEEDED
        except BudgetExhausted as problem:
            stopped = str(problem)
        finally:
            log.flush()
            meter.report_now()
        invariance = executor.check(max(1.0, CHECK_SHARE * meter.seconds))
    finally:
        executor.end()
    return RunSummary(
        asked=meter.done,
        failed=meter.failed,
        cached=plan.cached,
        beyond=plan.beyond,
        blind=plan.blind,
        seconds=meter.seconds,
        batch=executor.batch,
        left=meter.total - meter.done,
        stopped=stopped if meter.done < meter.total else "",
        retries=meter.retries(),
        batch_invariance=invariance,
        reasons=tuple(executor.reasons.most_common(5)),
        cost=meter.cost,
        workers=executor.workers,
    )


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
        if result.stopped:
            details["stopped"] = result.stopped
    else:
        counts = {"asked": result.done, "failed": result.failed, "cached": result.cached}
        details = {"total": result.total, "updated": datetime.now(UTC).isoformat(timespec="seconds")}
    if result.workers:
        details["workers"] = [worker.to_dict() for worker in result.workers]
    if result.cost.answers or result.cost.prices:
        details["cost"] = result.cost.to_record()
    about = {"state": state, "settings": dict(settings), "suites": dict(suites), "counts": counts}
    return {**about, **details, "versions": dict(package_versions()), "hardware": hardware_info()}


@cache
def package_versions() -> Mapping[str, str]:
    """The versions of counterpoint, Python and the installed packages, read once: it takes longer than a small run."""
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
        "cores": usable_cores(),
        "devices": [torch.cuda.get_device_name(device) for device in devices] if torch is not None else [],
        "memory": [torch.cuda.max_memory_allocated(device) for device in devices] if torch is not None else [],
    }
