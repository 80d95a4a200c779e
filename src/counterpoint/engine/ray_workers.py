"""Workers as actors of a Ray cluster; the only module that imports Ray.

Plain actors: the plan, the log and what to do about losses are ours. Actors that wait for resources stay pending, so
that an autoscaler adds nodes; a run begins with whoever is up. A cluster that runs is joined, and never ended.
"""

import logging
import os
import socket
from collections.abc import Sequence
from functools import partial
from itertools import count
from time import monotonic
from typing import Any

from counterpoint.core.errors import ModelError
from counterpoint.core.extras import install_command
from counterpoint.engine.shard_worker import ShardCounts
from counterpoint.engine.worker_pool import EventKind, WorkerBuilder, WorkerEvent

PROGRESS_SECONDS = 1.0
"""How often a worker is asked how far it is."""


class _WorkerActor:
    """A worker in an actor; its progress is read by a second thread."""

    def __init__(self, build: WorkerBuilder, place: int, number: int) -> None:
        self._make = partial(build, place, number, self._keep)
        self._counts = ShardCounts()

    def load(self) -> tuple[Any, str]:
        """Build the worker; returns its profile, and the id of this node."""
        import ray

        self._worker = self._make()
        return self._worker.profile, ray.get_runtime_context().get_node_id()[:8]

    def call(self, begun: None, method: str, *arguments: Any) -> Any:
        """Call a method of the worker, after a run has begun where there is one."""
        self._counts = ShardCounts()
        return getattr(self._worker, method)(*arguments)

    def progress(self) -> ShardCounts:
        """How far it is with its shard."""
        return self._counts

    def _keep(self, counts: ShardCounts) -> None:
        self._counts = counts


class RayWorkers:
    """A `WorkerTransport` of actors, each with so many CPUs and GPUs (or a share of one) to itself."""

    starts_together = False

    def __init__(self, build: WorkerBuilder, workers: int, *, cpus: int = 1, gpus: float = 0.0) -> None:
        ray = _connect()
        self.names = [f"worker {place}" for place in range(1, workers + 1)]
        options = {"num_cpus": cpus, "num_gpus": gpus, "max_restarts": 0, "max_task_retries": 0}
        self._ray, self._numbers = ray, count(1)
        self._class = ray.remote(concurrency_groups={"progress": 1})(_WorkerActor).options(**options)
        self._build = ray.put(build)
        self._actors: dict[int, Any] = {}
        self._begun: dict[int, Any] = {}
        self._tasks: dict[Any, tuple[int, str]] = {}
        self._asked: dict[int, float] = {}  # when each worker was last asked how far it is

    def start(self, worker: int) -> None:
        """Start an actor, which is pending until the cluster has room for it."""
        self._actors[worker] = self._class.remote(self._build, worker, next(self._numbers))
        self._tasks[self._actors[worker].load.remote()] = (worker, "load")

    def stop(self, worker: int) -> None:
        """Kill an actor."""
        self._forget(worker)
        if (actor := self._actors.pop(worker, None)) is not None:
            self._ray.kill(actor)

    def send(self, worker: int, method: str, *arguments: Any) -> None:
        """Call a method of a worker; one that is gone is reported by `receive`."""
        begun = None if method == "begin" else self._begun.get(worker)
        task = self._actors[worker].call.remote(begun, method, *arguments)
        if method == "begin":
            self._begun[worker] = task
        else:
            self._tasks[task] = (worker, method)

    def receive(self, seconds: float) -> Sequence[WorkerEvent]:
        """The events of the tasks that are done."""
        self._ask_progress()
        if not self._tasks:
            return []
        ready, _ = self._ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=seconds)
        return [event for task in ready if task in self._tasks and (event := self._read(task)) is not None]

    def close(self) -> None:
        """Kill the actors of this run; what they have answered is in their logs but for the last moments."""
        for worker in list(self._actors):
            self.stop(worker)

    def _ask_progress(self) -> None:
        busy = {worker for worker, method in self._tasks.values() if method == "ask"}
        waiting = {worker for worker, method in self._tasks.values() if method == "progress"}
        for worker in busy - waiting:
            if monotonic() - self._asked.get(worker, 0.0) >= PROGRESS_SECONDS:
                self._asked[worker] = monotonic()
                task = self._actors[worker].progress.options(concurrency_group="progress").remote()
                self._tasks[task] = (worker, "progress")

    def _read(self, task: Any) -> WorkerEvent | None:
        """The event of a task; None for progress that came after its shard was done."""
        worker, method = self._tasks.pop(task)
        try:
            result = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as problem:
            return WorkerEvent(worker, EventKind.RAISED, problem.cause)
        except self._ray.exceptions.RayError as problem:  # the actor or its node died
            self.stop(worker)
            reason = f"{self.names[worker]} was lost: {_first_sentence(problem)}"
            return WorkerEvent(worker, EventKind.LOST, reason)
        if method == "load":
            profile, node = result
            self.names[worker] = f"worker {worker + 1} on node {node}"
            return WorkerEvent(worker, EventKind.READY, profile)
        if method == "progress":
            is_busy = (worker, "ask") in self._tasks.values()
            return WorkerEvent(worker, EventKind.PROGRESS, result) if is_busy else None
        return WorkerEvent(worker, EventKind.DONE, result)

    def _forget(self, worker: int) -> None:
        self._tasks = {task: about for task, about in self._tasks.items() if about[0] != worker}


def _first_sentence(problem: Exception) -> str:
    return str(problem).strip().split("\n")[0].split(". ")[0].rstrip(".")


def _connect() -> Any:
    """Ray, connected to the cluster that RAY_ADDRESS names, or to the one of this machine."""
    try:
        import ray
    except ImportError:
        raise ModelError("ray is not installed", hint=install_command("ray")) from None
    if not ray.is_initialized():
        address = os.environ.get("RAY_ADDRESS", "auto")
        try:
            _reach(address)  # Ray itself waits for minutes
            ray.init(address=address, log_to_driver=False, logging_level=logging.WARNING)
        except (OSError, RuntimeError, ValueError) as problem:
            where = "on this machine" if address == "auto" else f"at {address}"
            hint = "ray start --head starts one here; RAY_ADDRESS names another"
            raise ModelError(f"there is no Ray cluster {where}: {_first_sentence(problem)}", hint=hint) from problem
    return ray


def _reach(address: str) -> None:
    """Raise an OSError where nothing listens at an address such as 10.0.0.1:6379; others are Ray's own matter."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=_REACH_SECONDS).close()


_REACH_SECONDS = 3.0
