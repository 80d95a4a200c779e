"""Running a model: what a lab has no answer to is asked, and the run is recorded with the model's name and version."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from itertools import cycle, islice
from time import monotonic
from types import MappingProxyType
from typing import Any, TypeAlias

import pyarrow as pa

from counterpoint.core.costs import TokenPrices
from counterpoint.core.errors import CounterpointError, ModelError, ModelUnreachable, StoreError, UnknownName
from counterpoint.core.ports import DeferredModel, Model, NegotiatingModel, Pictures
from counterpoint.core.quantities import check_least, counted, whole_number
from counterpoint.engine.model_profile import ModelProfile
from counterpoint.engine.plan import first_groups, trial_numbers
from counterpoint.engine.progress import Progress, format_duration
from counterpoint.engine.running import NOT_NEEDED, Portions, RunSummary, describe_run, run_on
from counterpoint.engine.shard_worker import ModelContext
from counterpoint.lab.name_lists import name_list
from counterpoint.lab.picture_locations import PictureLocation, describe_search, find_worlds, search_pictures
from counterpoint.lab.progress import ProgressCallback, ProgressEvent, ignore_progress, logger
from counterpoint.lab.reading_warnings import warn_about_stored_answers
from counterpoint.lab.results import LabResult
from counterpoint.lab.run_executors import open_executor, workers_adopted
from counterpoint.models.hf.checkpoint import cuda_devices
from counterpoint.store.answers import AnswerLog
from counterpoint.store.groups import unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import StoredSuite, read_references
from counterpoint.store.versions import RunRecord, tag_version

RECORD_SECONDS = 5.0
"""How often the record of a run says how far it is, for those who follow it."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Which model is asked what, and how."""

    model: str  # how it is reached: a name of the catalog, hf/NAME, openai/NAME…, module:object
    suites: tuple[str, ...] = ()  # all, where none is named
    limit: int | None = None  # groups of each suite
    batch_size: int | None = None  # what the model says, or the default of the engine
    model_args: Mapping[str, str] = field(default_factory=dict)
    trials: int = 0  # stochastic passes beside the plain one
    seed: int = 0
    name: str = ""  # what it is called in the lab; else as it is reached
    version: str = ""  # the tag of its version; else its own if nothing changed, or today's date
    seconds: float | None = None  # a budget of time, after which nothing more is asked
    check: int = 32  # queries that are asked once more, alone, to measure batch invariance
    workers: int = 0  # that each hold the model; else one per device, or this process
    engine: str = ""  # ray: the workers are actors of a Ray cluster; else processes of this machine
    cpus_per_worker: int = 1  # on Ray
    gpus_per_worker: float = 0.0  # on Ray; several workers may share one

    def __post_init__(self) -> None:
        if self.engine and self.engine != "ray":
            raise UnknownName("engine", self.engine, ["ray"])
        check_least(1, limit=self.limit, batch_size=self.batch_size, cpus_per_worker=self.cpus_per_worker)
        check_least(0, trials=self.trials, workers=self.workers, gpus_per_worker=self.gpus_per_worker)
        check_least(0, seconds=self.seconds, check=self.check)
        for name in ("limit", "batch_size", "trials", "seed", "check", "workers", "cpus_per_worker"):
            if (number := getattr(self, name)) is not None or name == "seed":
                object.__setattr__(self, name, whole_number(name, number))

    @classmethod
    def of(
        cls,
        model: str,
        *,
        suites: Sequence[str] = (),
        model_args: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> "RunRequest":
        """The request that keyword arguments mean; those that are no fields of it are settings of the model."""
        if not isinstance(model, str):
            fact = f"a lab asks a model by its name, and {model!r:.60} is an object"
            raise CounterpointError(fact, hint='name it as "module:object", or pass it to counterpoint.evaluate')
        known = {field.name for field in fields(cls)} - {"seconds", "check"}  # which a model may have, too
        args = {**(model_args or {}), **{key: value for key, value in settings.items() if key not in known}}
        own = {key: value for key, value in settings.items() if key in known}
        return cls(model, name_list(suites), model_args={key: str(value) for key, value in args.items()}, **own)

    @property
    def devices(self) -> tuple[str, ...]:
        """The device of each worker process; none where this process holds the model."""
        named = [name for part in self.model_args.get("device", "").split(",") if (name := part.strip())]
        if self.engine == "ray":
            return ()
        devices = [device for name in named for device in (cuda_devices() if name == "cuda:all" else [name])]
        if self.workers:
            devices = list(islice(cycle(devices or [""]), self.workers))
        return tuple(devices) if self.workers or len(named) > 1 or named == ["cuda:all"] else ()

    def to_record(self) -> dict[str, Any]:
        """The settings for the record of a run; those about workers only where there are any."""
        unused = () if self.workers or self.engine else ("workers", "engine", "cpus_per_worker", "gpus_per_worker")
        return {name: value for name, value in asdict(self).items() if name not in unused}


@dataclass(frozen=True, slots=True, repr=False)
class RunReport(LabResult[dict[str, Any]]):
    """What a run did: whom it asked, how many queries, and how many failed and why."""

    model: str  # name and version
    name: str
    version: str
    fingerprint: str
    run: str
    outcome: RunSummary
    pictures: tuple[PictureLocation, ...] = ()  # by namespace, where queries failed because files do not exist

    @property
    def all_failed(self) -> bool:
        """Whether queries were asked and none was answered."""
        return 0 < self.outcome.asked == self.outcome.failed

    @property
    def without_folder(self) -> tuple[str, ...]:
        """The namespaces of pictures whose files do not exist, which asking again does not change."""
        return tuple(location.namespace for location in self.pictures if location.missing)

    @property
    def complete(self) -> bool:
        """Whether every query that the model can do, and that is needed, is answered."""
        return not self.outcome.failed and (not self.outcome.left or self.outcome.stopped == NOT_NEEDED)

    def to_dict(self) -> dict[str, Any]:
        """The counts beside the model and the run."""
        outcome = self.outcome
        counts = asdict(outcome) | {"reasons": dict(outcome.reasons)} | outcome.cost.to_dict()
        del counts["cost"]
        if not outcome.workers:
            del counts["workers"]
        about = {"model": self.name, "version": self.version, "fingerprint": self.fingerprint, "run": self.run}
        return about | counts

    def records(self) -> list[dict[str, Any]]:
        """One row."""
        row = self.to_dict()
        texts = {"reasons": str(row["reasons"]), "batch_invariance": str(self.outcome.batch_invariance)}
        return [row | texts]

    def notes(self) -> list[str]:
        """The sentences that a terminal shows."""
        outcome = self.outcome
        answered, seconds = outcome.asked - outcome.failed, format_duration(outcome.seconds)
        cached = f"; {counted(outcome.cached, verb='were')} answered before" if outcome.cached else ""
        lines = [f"{self.model}: {counted(answered, 'answer')} in {seconds}{cached}"]
        if outcome.asked and (outcome.cost.answers or outcome.cost.prices):
            lines.append(f"  {outcome.cost or 'the server states no tokens, so there is no price'}")
        if outcome.retries:
            lines.append(f"  {counted(outcome.retries, 'failed request', 'were')} sent again")
        if outcome.failed:
            reason, times = outcome.reasons[0]
            lines.append(f"  {counted(outcome.failed, 'query')} failed, {times:,} of them with {reason!r}")
        lines += [f"  {line}" for line in describe_search(self.pictures)]
        if outcome.left:
            lines.append(f"  {outcome.stopped}; {counted(outcome.left, 'query', 'were')} not asked")
        if outcome.blind:
            without = counted(outcome.blind, "query")
            lines.append(f"  not asked: {without} without a picture, which this model cannot do")
        if beyond := outcome.beyond - outcome.blind:
            lines.append(f"  not asked: {counted(beyond, 'query')} of an ability that this model does not have")
        if outcome.batch_invariance is not None:
            differing, checked = outcome.batch_invariance.differing, outcome.batch_invariance.checked
            queries = counted(checked, "query", "were")
            lines.append(f"  batch invariance: {differing} of {queries} answered differently when alone")
        return lines


ModelPortions: TypeAlias = Callable[[str, pa.Table], Iterable[pa.Table]]
"""What is asked of the model with a fingerprint, portion by portion, from the rows without an answer."""


def all_at_once(fingerprint: str, missing: pa.Table) -> Iterable[pa.Table]:
    """Everything as one portion."""
    return (missing,)


def run_model(
    store: LabStore,
    request: RunRequest,
    progress: ProgressCallback = ignore_progress,
    *,
    load: Callable[[Pictures], ModelContext] | None = None,
    clock: Callable[[], float] = monotonic,
    portions: ModelPortions = all_at_once,
) -> RunReport:
    """Ask a model what the lab has no answer to, and record the run under the model's name and version.

    `load` gives a model that is in memory already; else the request says how it is reached. `portions`
    says what of it is asked next, and when that is enough.
    """
    chosen, table = load_queries(store, request)
    pictures = store.pictures(find_worlds(store, table))
    references = read_references(suite.manifest for suite in chosen)
    with open_executor(store, request, pictures, references, load) as (executor, model):
        started = _started(store, request, executor.profile)
        suites = {suite.manifest.suite: suite.manifest.fingerprint for suite in chosen}
        recorder = _RunRecorder(store, started, request, suites, progress, clock, model)
        whole = store.with_digests(table, pictures)
        waiting = partial(logger.warning, "%s is being run by %s; waiting until it is done", started.model)
        log = store.answers(started.fingerprint, run=started.run, waiting=waiting)
        with _explained_errors(store, table, log), log:
            with _stop_recorded(recorder, log), _batches_kept(store, model), workers_adopted(log, executor):
                store.settle_killed_runs(started.fingerprint, started.run)
                outcome = run_on(
                    executor,
                    whole,
                    log,
                    trials=trial_numbers(request.trials),
                    batch=request.batch_size,
                    seed=request.seed,
                    check=request.check,
                    progress=recorder.report,
                    clock=clock,
                    seconds=request.seconds,
                    portions=partial(_recorded_portions, recorder, partial(portions, started.fingerprint)),
                    run_name=started.run,
                )
            recorder.end("done", outcome, log)
    if outcome.asked > outcome.failed:
        warn_about_stored_answers(store, started.fingerprint, list(suites))
    return _report(store, started, outcome, table)


@contextmanager
def _stop_recorded(recorder: "_RunRecorder", log: AnswerLog) -> Iterator[None]:
    """Record that a run was stopped, by whatever."""
    try:
        yield
    except BaseException:
        with suppress(StoreError):  # as where the disk is full, or a bucket is away
            recorder.end("stopped", recorder.last, log)
        raise


@contextmanager
def _explained_errors(store: LabStore, table: pa.Table, log: AnswerLog) -> Iterator[None]:
    """Say with an error what is stored already, or where pictures were looked for."""
    try:
        yield
    except StoreError as problem:
        kept = f"{counted(log.written.rows, 'answer')} of this run are stored and whole"
        raise StoreError(str(problem), hint=f"{kept}; run it again: only the rest is asked") from problem
    except ModelUnreachable:  # a server may say that a model does not exist
        raise
    except ModelError as problem:
        if lost := _lost_pictures(store, table, [str(problem)]):
            raise ModelError(str(problem), hint=" ".join(describe_search(lost))) from None
        raise


def _report(store: LabStore, started: RunRecord, outcome: RunSummary, table: pa.Table) -> RunReport:
    title = next((v.title for v in store.versions() if v.fingerprint == started.fingerprint), started.model)
    lost = _lost_pictures(store, table, [reason for reason, _ in outcome.reasons])
    return RunReport(title, started.model, started.version, started.fingerprint, started.run, outcome, lost)


def load_queries(store: LabStore, request: RunRequest) -> tuple[list[StoredSuite], pa.Table]:
    """The suites of a run, and their queries, each once."""
    chosen = [store.suite(name) for name in dict.fromkeys(request.suites or store.suites())]
    if not chosen:
        raise StoreError(f"{store.address} holds no suite", hint="counterpoint generate makes one")
    return chosen, unique_queries(pa.concat_tables([first_groups(suite.table, request.limit) for suite in chosen]))


def _recorded_portions(recorder: "_RunRecorder", portions: Portions, missing: pa.Table) -> Iterable[pa.Table]:
    """The portions, with a record of the run if there is anything to ask."""
    if missing.num_rows:
        recorder.begin(missing.num_rows)
    return portions(missing)


@contextmanager
def _batches_kept(store: LabStore, model: Model | None) -> Iterator[None]:
    """Keep the records of a model's batches in the lab, each until its answers are written."""
    if not isinstance(model, DeferredModel):
        yield
        return
    model.keep_batches_in(store.batches(model.fingerprint))
    written = True
    try:
        yield
    except StoreError:  # answers that could not be written are collected once more
        written = False
        raise
    finally:
        if written:
            model.forget_collected()


def _lost_pictures(store: LabStore, table: pa.Table, reasons: Iterable[str]) -> tuple[PictureLocation, ...]:
    """Where the pictures of queries should be, if one of the reasons of a failure is that a file is missing."""
    if not any(" does not exist" in reason or "namespace of pictures" in reason for reason in reasons):
        return ()
    addresses = table["picture"].drop_null().unique().to_pylist()
    return tuple(search_pictures(store.roots, addresses, find_worlds(store, table)))


def _started(store: LabStore, request: RunRequest, model: ModelProfile) -> RunRecord:
    """The record of a run at its start: name, version and abilities of the model, and answers of older releases."""
    name, now = request.name or request.model, datetime.now(UTC)
    former = model.former_fingerprints
    adopted = store.adopt_answers(model.fingerprint, former, store.new_run(now)) if former else ()
    versions = [version for version in store.versions() if version.fingerprint not in adopted]
    tag = tag_version(versions, name, model.fingerprint, request.version, now.strftime("%Y-%m-%d"))
    details: dict[str, Any] = {
        "scale": str(model.scale or ""),
        "parameters": model.parameters,
        "abilities": list(model.abilities),
    }
    details |= {"former_fingerprints": list(adopted)} if adopted else {}
    return RunRecord(store.new_run(now), name, model.fingerprint, details, tag)


class _RunRecorder:
    """Puts the record of a run into the lab before its first answers.

    A run that asks nothing leaves no record, unless it names a version or other prices, or says on which scale the
    scores are.
    """

    def __init__(
        self,
        store: LabStore,
        started: RunRecord,
        request: RunRequest,
        suites: Mapping[str, str],
        progress: ProgressCallback,
        clock: Callable[[], float],
        model: Model | None,
    ) -> None:
        self._model = model if isinstance(model, NegotiatingModel) else None
        self._record, self._about, self.last = started, started.details, Progress(0, 0, 0, 0, 0.0, None)
        self._store, self._request, self._suites, self._progress = store, request, suites, progress
        self._recorded, self._clock, self._put_at, self._has_record = 0, clock, 0.0, False

    def begin(self, total: int) -> None:
        """Record that so much is asked; answers that are stored before their record look like a loss of it."""
        self._put("running", replace(self.last, total=total))

    def report(self, now: Progress) -> None:
        """Record that the run goes on, and tell how far it is."""
        if now.done and (not self.last.done or self._is_due(now)):
            self._put("running", now)
        self.last = now
        self._progress(ProgressEvent(self._record.model, now.done, now.total, str(now)))

    def end(self, state: str, counts: Progress | RunSummary, log: AnswerLog) -> None:
        """Record the end of the run with the number and the digest of its answers, while it holds their lock."""
        log.merge()
        asked = counts.done if isinstance(counts, Progress) else counts.asked
        if asked or log.written.rows or (counts.cached and self._tells_more(counts.cost.prices)):
            self._put(state, counts, {"answers": log.written.to_dict()})
        elif self._has_record:
            self._store.delete_run(self._record.run)

    def _put(
        self, state: str, counts: Progress | RunSummary, written: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        details = describe_run(self._request.to_record(), self._suites, counts, state) | dict(self._about)
        if self._model and self._model.not_sent:
            details["not_sent"] = list(self._model.not_sent)
        self._record = replace(self._record, details=details | dict(written))
        self._store.put_run(self._record)
        self._recorded = counts.done if isinstance(counts, Progress) else counts.asked
        self._put_at, self._has_record = self._clock(), True

    def _is_due(self, now: Progress) -> bool:
        """Whether the record is old, or so much was paid since (for 2 % of the queries) that no kill should lose it."""
        if self._clock() - self._put_at >= RECORD_SECONDS:
            return True
        return bool(now.cost.answers) and now.done - self._recorded >= max(1, now.total // 50)

    def _tells_more(self, prices: TokenPrices | None) -> bool:
        own = self._record
        versions = [version for version in self._store.versions() if version.fingerprint == own.fingerprint]
        known = {tag for version in versions for tag in (version.version, *version.aliases)}
        priced = prices is None or any(version.cost.prices == prices for version in versions)
        scaled = not self._about["scale"] or bool(self._store.scale(own.fingerprint))
        return own.version not in known or not priced or not scaled
