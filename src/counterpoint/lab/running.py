"""Running a model: what a lab has no answer to is asked, and the run is recorded with the model's name and version."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from inspect import signature
from typing import Any

import pyarrow as pa

from counterpoint import catalog
from counterpoint.core.costs import TokenPrices
from counterpoint.core.errors import ModelError, ModelUnreachable, StoreError
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, DeferredModel, FeatureModel, Model, Pictures, Sampler, Scorer, SizedModel
from counterpoint.core.quantities import counted
from counterpoint.engine.plan import first_groups, trial_numbers
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import Progress, format_duration
from counterpoint.engine.running import RunSummary, describe_run, run
from counterpoint.lab.picture_locations import PictureLocation, describe_search, find_worlds, search_pictures
from counterpoint.lab.progress import ProgressCallback, ProgressEvent, ignore_progress, logger
from counterpoint.lab.reading_warnings import warn_about_stored_answers
from counterpoint.lab.results import LabResult
from counterpoint.models.feature_edits import FeatureEditor
from counterpoint.models.multi_device import load_on_devices
from counterpoint.store.groups import read_queries, unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.parts import new_run_name
from counterpoint.store.suites import StoredSuite, read_references
from counterpoint.store.versions import RunRecord, tag_version


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
        """Whether every query that the model can do is answered."""
        return not self.outcome.failed and not self.outcome.left

    def to_dict(self) -> dict[str, Any]:
        """The counts beside the model and the run."""
        outcome = self.outcome
        counts = asdict(outcome) | {"reasons": dict(outcome.reasons)} | outcome.cost.to_dict()
        del counts["cost"]
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
        cached = f"; {outcome.cached:,} were answered before" if outcome.cached else ""
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


def run_model(store: LabStore, request: RunRequest, progress: ProgressCallback = ignore_progress) -> RunReport:
    """Ask a model what the lab has no answer to, and record the run under the model's name and version."""
    chosen, table = load_queries(store, request)
    pictures = store.pictures(find_worlds(store, table))
    with load_model(request, pictures) as (model, prefetcher):
        started = _started(store, request, model)
        suites = {suite.manifest.suite: suite.manifest.fingerprint for suite in chosen}
        recorder = _RunRecorder(store, started, request, suites, progress)
        feature_references = read_references(suite.manifest for suite in chosen)
        edited = FeatureEditor(model, feature_references).answer if isinstance(model, FeatureModel) else None
        whole = store.with_digests(table, pictures)
        waiting = partial(logger.warning, "%s is being run by %s; waiting until it is done", started.model)
        with store.answers(model.fingerprint, run=started.run, waiting=waiting) as log, _batches_kept(store, model):
            try:
                outcome = run(
                    whole,
                    model,
                    log,
                    prefetcher,
                    read=read_queries,
                    trials=trial_numbers(request.trials),
                    batch=request.batch_size,
                    seed=request.seed,
                    edited=edited,
                    progress=recorder.report,
                )
            except BaseException as problem:
                recorder.put("stopped", recorder.last)
                if isinstance(problem, ModelUnreachable):  # a server may say that a model does not exist
                    raise
                if isinstance(problem, ModelError) and (lost := _lost_pictures(store, table, [str(problem)])):
                    raise ModelError(str(problem), hint=" ".join(describe_search(lost))) from None
                raise
    recorder.put("done", outcome)
    if outcome.asked > outcome.failed:
        warn_about_stored_answers(store, model.fingerprint, list(suites))
    title = next((v.title for v in store.versions() if v.fingerprint == model.fingerprint), started.model)
    lost = _lost_pictures(store, table, [reason for reason, _ in outcome.reasons])
    return RunReport(title, started.model, started.version, started.fingerprint, started.run, outcome, lost)


def load_queries(store: LabStore, request: RunRequest) -> tuple[list[StoredSuite], pa.Table]:
    """The suites of a run, and their queries, each once."""
    chosen = [store.suite(name) for name in dict.fromkeys(request.suites or store.suites())]
    if not chosen:
        raise StoreError(f"{store.folder} holds no suite", hint="counterpoint generate makes one")
    return chosen, unique_queries(pa.concat_tables([first_groups(suite.table, request.limit) for suite in chosen]))


@contextmanager
def _batches_kept(store: LabStore, model: Model) -> Iterator[None]:
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


def _started(store: LabStore, request: RunRequest, model: Model) -> RunRecord:
    """The record of a run at its start: name, version and abilities of the model, and answers of older releases."""
    name, now = request.name or request.model, datetime.now(UTC)
    former = tuple(getattr(model, "former_fingerprints", ()))
    adopted = store.adopt_answers(model.fingerprint, former, new_run_name(now)) if former else ()
    versions = [version for version in store.versions() if version.fingerprint not in adopted]
    tag = tag_version(versions, name, model.fingerprint, request.version, now.strftime("%Y-%m-%d"))
    abilities = {"answers": Answerer, "scores": Scorer, "samples": Sampler, "features": FeatureModel}
    details: dict[str, Any] = {
        "scale": str(model.scale) if isinstance(model, Scorer) else "",
        "parameters": model.parameters if isinstance(model, SizedModel) else None,
        "abilities": [ability for ability, port in abilities.items() if isinstance(model, port)],
    }
    details |= {"former_fingerprints": list(adopted)} if adopted else {}
    return RunRecord(new_run_name(now), name, model.fingerprint, details, tag)


@contextmanager
def load_model(request: RunRequest, pictures: Pictures) -> Iterator[tuple[Model, Prefetcher | None]]:
    """The model and the prefetcher of its pictures; a process for each device, where several are named."""
    args, (way, slash, _) = dict(request.model_args), request.model.partition("/")
    served = slash and way in catalog.rows("ways") and "version" in signature(catalog.find("ways", way)).parameters
    if served and request.version:  # nothing else tells versions of such a model apart
        args["version"] = request.version
    devices = [name for part in args.get("device", "").split(",") if (name := part.strip())]
    if len(devices) < 2:
        with Prefetcher(pictures) as prefetcher:
            yield catalog.model(request.model, prefetcher, args), prefetcher
        return
    load = partial(_load_on_device, name=request.model, args=args, pictures=pictures)
    with load_on_devices(load, devices) as workers:
        yield workers, None


def _load_on_device(
    device: str, name: str, args: Mapping[str, str], pictures: Pictures
) -> tuple[Model, Callable[[Iterable[Picture]], None]]:
    """The model on one device, in a process of its own, with its own prefetcher."""
    prefetcher = Prefetcher(pictures)
    return catalog.model(name, prefetcher, {**args, "device": device}), prefetcher.expect


class _RunRecorder:
    """Puts the record of a run into the lab from its first answers on.

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
    ) -> None:
        self._record, self._about, self.last = started, started.details, Progress(0, 0, 0, 0, 0.0, None)
        self._store, self._request, self._suites, self._progress = store, request, suites, progress
        self._recorded = 0

    def report(self, now: Progress) -> None:
        """Record that the run goes on, and tell how far it is."""
        if not self.last.done or self._is_due(now):
            self.put("running", now)
        self.last = now
        self._progress(ProgressEvent(self._record.model, now.done, now.total, str(now)))

    def put(self, state: str, counts: Progress | RunSummary) -> None:
        """Write the record."""
        asked = counts.done if isinstance(counts, Progress) else counts.asked
        if asked or (counts.cached and self._tells_more(counts.cost.prices)):
            details = describe_run(asdict(self._request), self._suites, counts, state) | dict(self._about)
            self._record = replace(self._record, details=details)
            self._store.put_run(self._record)
            self._recorded = asked

    def _is_due(self, now: Progress) -> bool:
        """Whether so much was paid since the last record that a kill should not lose it: for 2 % of the queries."""
        return bool(now.cost.answers) and now.done - self._recorded >= max(1, now.total // 50)

    def _tells_more(self, prices: TokenPrices | None) -> bool:
        own = self._record
        versions = [version for version in self._store.versions() if version.fingerprint == own.fingerprint]
        known = {tag for version in versions for tag in (version.version, *version.aliases)}
        priced = prices is None or any(version.cost.prices == prices for version in versions)
        scaled = not self._about["scale"] or bool(self._store.scale(own.fingerprint))
        return own.version not in known or not priced or not scaled
