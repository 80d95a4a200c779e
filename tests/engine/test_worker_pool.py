"""Runs on several workers: the answers of one process, whatever happens to workers on the way."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from asked import a_table, some
from patience import SECONDS

from benchmarks.slow_model import a_lab, rows, said
from counterpoint.core.errors import ModelError, StoreError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import PlacedAnswer, PreprocessingPictures
from counterpoint.engine.batch_runner import LoggedAnswer
from counterpoint.engine.mapped_arrays import MappedPool, read_mapped
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import Progress
from counterpoint.engine.running import RunSummary, run_on
from counterpoint.engine.shard_worker import ModelContext, RemoteWorker, WorkerSetup
from counterpoint.engine.worker_pool import EventKind, WorkerEvent, WorkerPool
from counterpoint.engine.worker_processes import WorkerProcesses
from counterpoint.lab.run_executors import _load_where_seen, _probe
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.store.groups import read_queries
from counterpoint.world.source import World

MODEL = "worker_models:Dying"


class MemoryLog:
    """Answers of all workers in memory."""

    def __init__(self) -> None:
        self.rows: list[LoggedAnswer] = []

    def add(self, rows: Iterable[LoggedAnswer]) -> None:
        self.rows.extend(rows)

    def flush(self) -> None:
        """Nothing is gathered."""

    def missing(self, plan: pa.Table) -> pa.Table:
        settled = {query for query, _, answer, *_ in self.rows if answer.state.value != "failed"}
        return plan.filter(pa.array([query not in settled for query in plan["query"].to_pylist()]))

    @property
    def values(self) -> Counter[str]:
        return Counter(answer.value for *_, answer, _, _ in self.rows)


class Capitals:
    """The text in capitals; raises for what `fails` says."""

    batch_size = 4

    def __init__(self, device: str, fails: Callable[[str, Query], bool] = lambda device, query: False) -> None:
        self.fingerprint = f"capitals {device}" if "here" in device else "capitals"
        self._device, self._fails = device, fails

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            if self._fails(self._device, query):
                raise ModelError("it is broken")
            yield place, Answer.of(query.text.upper())


class InlineWorkers:
    """A transport whose workers are in this process, and are lost with the shards whose numbers are told."""

    def __init__(self, log: MemoryLog, devices: Sequence[str], lost: dict[str, int], **model: Any) -> None:
        self.names, self.starts_together, self._lost = devices, True, dict(lost)
        load = lambda device, cores: nullcontext((Capitals(device, **model), None))  # noqa: E731
        self._setup = WorkerSetup(load, lambda *about: log, read_queries, lambda model: None)
        self._workers: dict[int, RemoteWorker] = {}
        self._events: list[WorkerEvent] = []
        self.shards: list[tuple[str, int]] = []

    def start(self, worker: int) -> None:
        report = partial(WorkerEvent, worker, EventKind.PROGRESS)
        made = RemoteWorker(self._setup, self.names[worker], 1, 0, lambda counts: self._events.append(report(counts)))
        self._workers[worker] = made
        self._events.append(WorkerEvent(worker, EventKind.READY, made.profile))

    def stop(self, worker: int) -> None:
        self._workers.pop(worker).close()

    def send(self, worker: int, method: str, *arguments: Any) -> None:
        name = self.names[worker]
        if method == "ask":
            self.shards.append((name, arguments[0].num_rows))
            if self._lost.get(name, 0) > 0:
                self._lost[name] -= 1
                self._workers[worker].ask(arguments[0].slice(0, 2), None)
                self.stop(worker)
                self._events = [event for event in self._events if event.worker != worker]
                self._events.append(WorkerEvent(worker, EventKind.LOST, f"the worker on {name} died"))
                return
        result = getattr(self._workers[worker], method)(*arguments)
        if method != "begin":
            self._events.append(WorkerEvent(worker, EventKind.DONE, result))

    def receive(self, seconds: float) -> list[WorkerEvent]:
        events, self._events = self._events, []
        return events

    def close(self) -> None:
        for worker in list(self._workers):
            self.stop(worker)


def asked(
    workers: InlineWorkers, log: MemoryLog, count: int = 200, progress: Callable[[Progress], None] = lambda now: None
) -> RunSummary:
    return run_on(WorkerPool(workers), a_table(some(count, pictures=40)), log, progress=progress)


ALL = Counter(query.text.upper() for query in some(200, pictures=40))


def test_every_query_is_answered_once_and_every_worker_has_a_share() -> None:
    log = MemoryLog()
    summary = asked(InlineWorkers(log, ["one", "two"], {}), log)
    assert log.values == ALL
    assert (summary.asked, summary.failed, summary.left, summary.batch) == (200, 0, 0, 4)
    assert summary.batch_invariance is not None
    assert summary.batch_invariance.differing == 0
    assert 8 <= summary.batch_invariance.checked <= 32  # as many as a second allows
    assert [(worker.name, worker.state) for worker in summary.workers] == [("one", "up"), ("two", "up")]
    assert min(worker.answered for worker in summary.workers) > 0
    assert sum(worker.answered for worker in summary.workers) == 200


def test_a_lost_worker_is_started_again_and_its_missing_rows_are_asked_elsewhere() -> None:
    log, shown = MemoryLog(), list[Progress]()
    workers = InlineWorkers(log, ["one", "two"], {"one": 1})
    summary = asked(workers, log, progress=shown.append)
    assert log.values == ALL, "what was answered before the loss is not asked again"
    assert (summary.asked, summary.failed) == (200, 0)
    assert [(worker.losses, worker.state) for worker in summary.workers] == [(1, "up"), (0, "up")]
    lost = workers.shards[0][1]
    assert ("two", lost - 2) in workers.shards
    assert str(shown[-1]).startswith("200 of 200, ")
    assert ", 2 of 2 workers" in str(shown[-1])


def test_a_worker_that_is_always_lost_is_benched_and_the_others_do_its_work() -> None:
    log = MemoryLog()
    summary = asked(InlineWorkers(log, ["bad", "good"], {"bad": 99}), log)
    assert log.values == ALL
    assert (summary.asked, summary.failed) == (200, 0)
    bad, good = summary.workers
    assert (bad.state, bad.losses, good.state) == ("benched", 3, "up")
    assert bad.to_dict()["reason"] == "the worker on bad died"


def test_rows_with_which_three_workers_were_lost_fail_with_the_reason() -> None:
    log = MemoryLog()
    summary = asked(InlineWorkers(log, ["one", "two"], {"one": 3, "two": 2}), log)
    reasons = Counter(answer.reason for *_, answer, _, _ in log.rows if answer.reason)
    assert summary.failed == sum(reasons.values()) > 0
    assert summary.asked == 200
    assert dict(summary.reasons) == dict(reasons)
    assert {reason.partition(":")[0] for reason in reasons} == {"3 workers were lost with it"}


def test_where_nobody_is_left_the_run_stops_and_says_why() -> None:
    log = MemoryLog()
    with pytest.raises(ModelError, match="no worker is left: the worker on one died"):
        asked(InlineWorkers(log, ["one"], {"one": 99}), log)


def test_where_most_queries_fail_all_stop() -> None:
    log = MemoryLog()
    workers = InlineWorkers(log, ["one", "two"], {}, fails=lambda device, query: True)
    with pytest.raises(ModelError, match="because 'it is broken'; the run was stopped"):
        asked(workers, log)
    assert len(log.rows) < 200


def test_where_one_worker_fails_at_everything_it_is_benched_and_nothing_fails() -> None:
    log = MemoryLog()
    workers = InlineWorkers(log, ["good", "bad"], {}, fails=lambda device, query: device == "bad")
    many = run_on(WorkerPool(workers), a_table(some(4000, pictures=400)), log, batch=32)
    assert (many.asked, many.failed) == (4000, 0)
    assert [worker.state for worker in many.workers] == ["up", "benched"]
    assert {answer.value for *_, answer, _, _ in log.rows if not answer.reason} == {
        query.text.upper() for query in some(4000, pictures=400)
    }


def test_models_that_differ_are_refused_before_the_first_query() -> None:
    log = MemoryLog()
    with pytest.raises(ModelError, match="the models on here, there are not the same: capitals here, capitals there"):
        asked(InlineWorkers(log, ["here", "there"], {}), log)
    assert not log.rows


def test_the_time_budget_ends_the_run_and_the_rest_is_left() -> None:
    log = MemoryLog()
    ticks = iter(range(10**6))
    summary = run_on(
        WorkerPool(InlineWorkers(log, ["one", "two"], {})),
        a_table(some(200, pictures=40)),
        log,
        seconds=20,
        clock=lambda: float(next(ticks)),
    )
    assert 0 < summary.asked < 200
    assert summary.asked + summary.left == 200
    assert summary.stopped == "the time budget of 20 s is used up"


def test_a_process_that_is_killed_in_the_middle_of_a_shard_changes_no_answer(tmp_path: Path) -> None:
    lab, alone = (a_lab(tmp_path / name, 120) for name in ("lab", "alone"))
    args = {"folder": str(tmp_path), "once": "50"}
    killed = run_model(lab, RunRequest(MODEL, model_args=args, workers=2))
    (tmp_path / "50").touch()
    whole = run_model(alone, RunRequest(MODEL, model_args=args))
    assert killed.complete
    assert killed.fingerprint == whole.fingerprint
    assert (killed.outcome.asked, killed.outcome.failed) == (120, 0)
    assert sum(worker.losses for worker in killed.outcome.workers) == 1
    assert said(lab, killed.fingerprint).equals(said(alone, whole.fingerprint))
    assert rows(lab, killed.fingerprint) == 120, "none is stored twice"
    assert run_model(lab, RunRequest(MODEL, model_args=args)).outcome.asked == 0
    assert all(check.holds for check in lab.verify())
    [record] = lab.runs()
    assert record.details["settings"]["workers"] == 2
    assert sum(worker["answered"] for worker in record.details["workers"]) == 120
    assert "workers" not in alone.runs()[0].details["settings"]


class Idle:
    """Has nothing to do."""

    profile: Any = None

    def __init__(self, place: int, number: int, report: Callable[[Any], None]) -> None:
        pass


def test_forked_processes_end_by_themselves_when_their_connections_close() -> None:
    workers = WorkerProcesses(Idle, ["one", "two", "three"], method="fork", exit_seconds=SECONDS)
    for worker in range(3):
        workers.start(worker)
    processes = [process for process, _ in workers._processes.values()]
    workers.close()
    assert [process.exitcode for process in processes] == [0, 0, 0], "none was terminated"


class Pooled(Idle):
    """Has a process of its own, as models on a GPU have for their pictures."""

    def __init__(self, place: int, number: int, report: Callable[[Any], None]) -> None:
        self._pool = MappedPool(partial(partial, abs), 1)
        self.profile = read_mapped(self._pool.call(-42).result())


def test_a_worker_may_have_processes_of_its_own() -> None:
    workers = WorkerProcesses(Pooled, ["one"], method="fork", exit_seconds=SECONDS)
    workers.start(0)
    [(process, _)] = workers._processes.values()
    assert workers.receive(SECONDS) == [WorkerEvent(0, EventKind.READY, 42)]
    workers.close()
    assert process.exitcode == 0, "it was not terminated"


def test_a_model_on_a_server_needs_no_workers(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is on a server, which needs no workers"):
        run_model(a_lab(tmp_path / "lab", 5), RunRequest("openai/some", workers=2))


@pytest.mark.parametrize(
    ("device", "workers", "devices"),
    [("", 0, ()), ("cpu", 0, ()), ("cpu, cpu", 0, ("cpu", "cpu")), ("", 2, ("", "")), ("a,b", 3, ("a", "b", "a"))],
)
def test_a_process_for_each_device_or_as_many_as_are_wanted(
    device: str, workers: int, devices: tuple[str, ...]
) -> None:
    assert RunRequest("hf/x", model_args={"device": device}, workers=workers).devices == devices


def test_a_worker_that_does_not_see_the_lab_is_refused_before_its_model_is_loaded(tmp_path: Path) -> None:
    lab = a_lab(tmp_path / "lab", 5)
    loads = list[str]()

    def load(device: str, cores: int) -> ModelContext:
        loads.append(device)
        return nullcontext((Capitals(device), None))

    with _probe(lab) as (place, token):
        _load_where_seen(place, token, load, "seen", 1)
        with pytest.raises(StoreError, match="does not see the lab"):
            _load_where_seen(str(tmp_path / "elsewhere"), token, load, "unseen", 1)
    assert loads == ["seen"]
    assert not list(lab.folder.glob(".probe*"))


def test_cores_are_those_of_the_worker() -> None:
    with Prefetcher(World(scenes=1), cores=3) as prefetcher:
        assert isinstance(prefetcher, PreprocessingPictures)
        assert prefetcher.cores == 3
        assert prefetcher._threads == 3
