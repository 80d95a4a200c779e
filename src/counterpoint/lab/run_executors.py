"""What asks the model of a run: this process, a process for each device, or actors of a Ray cluster."""

import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import signature
from secrets import token_hex
from typing import TYPE_CHECKING

from counterpoint import catalog
from counterpoint.core.errors import ModelError, StoreError
from counterpoint.core.groups import Query
from counterpoint.core.ports import FeatureModel, Model, Pictures
from counterpoint.engine.cores import usable_cores
from counterpoint.engine.dispatch import FeatureEditAnswerer
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.shard_worker import (
    Executor,
    ModelContext,
    RemoteWorker,
    ShardCounts,
    ShardWorker,
    WorkerSetup,
)
from counterpoint.engine.worker_pool import WorkerPool, WorkerTransport
from counterpoint.engine.worker_processes import WorkerProcesses
from counterpoint.models.feature_edits import FeatureEditor
from counterpoint.store.answers import AnswerLog
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.pictures import LabPictures
from counterpoint.store.storage import open_storage

if TYPE_CHECKING:
    from counterpoint.lab.running import RunRequest


@contextmanager
def open_executor(
    store: LabStore,
    request: "RunRequest",
    pictures: LabPictures,
    references: Mapping[str, Sequence[Query]],
    load: Callable[[Pictures], ModelContext] | None,
) -> Iterator[tuple[Executor, Model | None]]:
    """What asks the model, and the model itself where it is in this process."""
    edit = partial(_edit, references)
    if load is not None or not (request.devices or request.engine == "ray"):
        with (load or partial(load_model, request))(pictures) as (model, prefetcher):
            yield ShardWorker(model, prefetcher, read=read_queries, edited=edit(model)), model
        return
    if is_served(request.model):
        fact = f"{request.model} is on a server, which needs no workers here"
        raise ModelError(fact, hint="--concurrency says how many requests are sent at once")
    open_log, load_here = partial(_open_worker_log, store.place), partial(load_on_device, request, pictures)
    with _probe(store) as (place, token):
        load_there = partial(_load_where_seen, place, token, load_here)
        setup = WorkerSetup(load_there if request.engine == "ray" else load_here, open_log, read_queries, edit)
        pool = WorkerPool(_transport(request, setup))
        try:
            yield pool, None
        finally:
            pool.end()


def _transport(request: "RunRequest", setup: WorkerSetup) -> WorkerTransport:
    if request.engine == "ray":
        from counterpoint.engine.ray_workers import RayWorkers

        cpus, devices = request.cpus_per_worker, [request.model_args.get("device", "")] * (request.workers or 1)
        build = partial(_build_worker, setup, devices, cpus)
        return RayWorkers(build, len(devices), cpus=cpus, gpus=request.gpus_per_worker)
    cores = max(1, usable_cores() // len(request.devices))
    names = [f"{device or 'process'} ({place})" for place, device in enumerate(request.devices, 1)]
    return WorkerProcesses(partial(_build_worker, setup, request.devices, cores), names)


def _build_worker(
    setup: WorkerSetup,
    devices: Sequence[str],
    cores: int,
    place: int,
    number: int,
    report: Callable[[ShardCounts], None],
) -> RemoteWorker:
    """A worker on its device, which may be named several times, or be empty for one that the model chooses."""
    os.environ.setdefault("OMP_NUM_THREADS", str(cores))  # read by torch when it is imported
    return RemoteWorker(setup, devices[place], cores, number, report)


def _edit(references: Mapping[str, Sequence[Query]], model: Model) -> FeatureEditAnswerer | None:
    """What answers queries with feature edits, where the model has features."""
    return FeatureEditor(model, references).answer if isinstance(model, FeatureModel) else None


def _open_worker_log(place: str, fingerprint: str, run: str, number: int) -> AnswerLog:
    return LabStore(place).answers(fingerprint, run=run, worker=number)


@contextmanager
def workers_adopted(log: AnswerLog, executor: Executor) -> Iterator[None]:
    """Take over the answers that workers wrote, whatever became of the run."""
    try:
        yield
    finally:
        if executor.workers:
            log.adopt()


@contextmanager
def _probe(store: LabStore) -> Iterator[tuple[str, str]]:
    """A hidden file in the lab by which a worker on another node knows that it sees the same lab."""
    name = f".probe.{token_hex(8)}.draft"
    store.storage.put(name, b"")
    try:
        yield store.place, name
    finally:
        store.storage.delete(name)


def _load_where_seen(
    place: str, token: str, load: Callable[[str, int], ModelContext], device: str, cores: int
) -> ModelContext:
    """Load the model, if this node sees the lab."""
    if not open_storage(place).has(token):
        fact = f"{platform.node()} does not see the lab {place}"
        raise StoreError(fact, hint="share the folder among all nodes, or keep the lab in a bucket")
    return load(device, cores)


def is_served(model: str) -> bool:
    """Whether a model is reached on a server, where nothing but a given version tells its versions apart."""
    way, slash, _ = model.partition("/")
    known = bool(slash) and way in catalog.rows("ways")
    return known and "version" in signature(catalog.find("ways", way)).parameters


def load_model(request: "RunRequest", pictures: Pictures) -> ModelContext:
    """The model in this process, on the first of its devices, and the prefetcher of its pictures."""
    return load_on_device(request, pictures, (request.devices or (request.model_args.get("device", ""),))[0])


@contextmanager
def load_on_device(
    request: "RunRequest", pictures: Pictures, device: str, cores: int | None = None
) -> Iterator[tuple[Model, Prefetcher | None]]:
    """The model on one device, in a process that has so many cores to itself, with its own prefetcher."""
    args = {**request.model_args} | ({"device": device} if device else {})
    if request.version and is_served(request.model):
        args["version"] = request.version
    with Prefetcher(pictures, cores=cores) as prefetcher:
        yield catalog.model(request.model, prefetcher, args), prefetcher
