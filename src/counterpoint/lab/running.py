"""A model is asked what is missing in a lab, and how that went is kept with the run."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

import pyarrow as pa

from counterpoint import catalog
from counterpoint.core.errors import StoreError
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Answerer, FeatureModel, Model, Pictures, Sampler, Scorer, SizedModel
from counterpoint.engine.plan import first_groups, trial_numbers
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.progress import Progress, ProgressCallback
from counterpoint.engine.records import describe_run
from counterpoint.engine.running import RunSummary, run
from counterpoint.lab.worlds import find_worlds
from counterpoint.models.feature_edits import FeatureEditor
from counterpoint.models.multi_device import load_on_devices
from counterpoint.store.answers import new_run_name
from counterpoint.store.groups import read_queries, unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.references import read_references
from counterpoint.store.versions import RunRecord


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is to be asked, and how."""

    model: str
    suites: tuple[str, ...] = ()  # all, where none is named
    limit: int | None = None  # groups of each suite
    batch_size: int | None = None  # what the model says, or the usual
    model_args: Mapping[str, str] = field(default_factory=dict)
    trials: int = 0  # stochastic passes beside the plain one
    seed: int = 0


def run_model(
    lab: LabStore,
    settings: RunRequest,
    watch: ProgressCallback = lambda now: None,
    waiting: Callable[[str], None] = lambda holder: None,
) -> tuple[RunRecord, RunSummary]:
    """Ask what is missing, and keep with the run how it was made and what became of it."""
    chosen = [lab.suite(name) for name in dict.fromkeys(settings.suites or lab.suites())]
    if not chosen:
        raise StoreError(f"{lab.folder} holds no suite", hint="counterpoint generate makes one")
    table = unique_queries(pa.concat_tables([first_groups(suite.table, settings.limit) for suite in chosen]))
    shown = lab.pictures({name: world for name, world in find_worlds(table).items() if name not in lab.roots})
    with _loaded(settings, shown) as (model, ahead):
        fingerprints = {suite.manifest.suite: suite.manifest.fingerprint for suite in chosen}
        info = RunRecord(new_run_name(), settings.model, model.fingerprint)
        kept = _Kept(lab, info, settings, fingerprints, watch, describe_model(model))
        named = read_references(suite.manifest for suite in chosen)
        edited = FeatureEditor(model, named).answer if isinstance(model, FeatureModel) else None
        whole = lab.with_digests(table, shown)
        with lab.answers(model.fingerprint, run=kept.info.run, waiting=waiting) as log:
            try:
                outcome = run(
                    whole,
                    model,
                    log,
                    ahead,
                    read=read_queries,
                    trials=trial_numbers(settings.trials),
                    batch=settings.batch_size,
                    seed=settings.seed,
                    edited=edited,
                    progress=kept.tell,
                )
            except BaseException:
                kept.put("stopped", kept.last)
                raise
    kept.put("done", outcome)
    return kept.info, outcome


@contextmanager
def _loaded(settings: RunRequest, shown: Pictures) -> Iterator[tuple[Model, Prefetcher | None]]:
    """The model and the pictures that are decoded ahead of it; one process each, where several devices are named."""
    devices = [name for part in settings.model_args.get("device", "").split(",") if (name := part.strip())]
    if len(devices) < 2:
        with Prefetcher(shown) as ahead:
            yield catalog.model(settings.model, ahead, settings.model_args), ahead
        return
    with load_on_devices(
        partial(_at_work, name=settings.model, args=settings.model_args, shown=shown), devices
    ) as workers:
        yield workers, None


def _at_work(
    device: str, name: str, args: Mapping[str, str], shown: Pictures
) -> tuple[Model, Callable[[Iterable[Picture]], None]]:
    """The model on one device, in a process of its own, with its own pictures decoded ahead."""
    ahead = Prefetcher(shown)
    return catalog.model(name, ahead, {**args, "device": device}), ahead.expect


def describe_model(model: Model) -> dict[str, Any]:
    """What a run says of its model: on which scale its scores are, its size where it tells it, and what it can do."""
    abilities = {"answers": Answerer, "scores": Scorer, "samples": Sampler, "features": FeatureModel}
    return {
        "scale": str(model.scale) if isinstance(model, Scorer) else "",
        "parameters": model.parameters if isinstance(model, SizedModel) else None,
        "abilities": [name for name, port in abilities.items() if isinstance(model, port)],
    }


class _Kept:
    """The record of a run, kept from its first answers on.

    A run that asks nothing leaves none, unless it is the first to say on which scale the scores are that are there.
    """

    def __init__(
        self,
        lab: LabStore,
        info: RunRecord,
        settings: RunRequest,
        suites: Mapping[str, str],
        watch: ProgressCallback,
        model: Mapping[str, Any],
    ) -> None:
        self._model = model
        self.info, self.last = info, Progress(0, 0, 0, 0, 0.0, None)
        self._lab, self._settings, self._suites, self._watch = lab, settings, suites, watch

    def tell(self, now: Progress) -> None:
        if not self.last.done:
            self.put("running", now)
        self.last = now
        self._watch(now)

    def put(self, state: str, became: Progress | RunSummary) -> None:
        asked = became.done if isinstance(became, Progress) else became.asked
        if asked or (became.cached and self._model["scale"] and not self._lab.scale(self.info.fingerprint)):
            details = describe_run(asdict(self._settings), self._suites, became, state) | dict(self._model)
            self.info = replace(self.info, details=details)
            self._lab.put_run(self.info)
