"""Versions of a lab with their outcome tables, which are built before they are shown, or beside those that are."""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any, TypeVar, cast

from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.store.cache import LRUCache, user_cache
from counterpoint.store.lab import LabModel, LabStore, list_models
from counterpoint.store.outcomes.database import OutcomeDatabase
from counterpoint.store.outcomes.files import SMALL, BuildCallback, BuildStep, OutcomeFiles, build_files, plan_files
from counterpoint.store.outcomes.tables import Metrics
from counterpoint.store.storage import is_address
from counterpoint.store.versions import BASELINES

T = TypeVar("T")

LISTING_SECONDS = 2.0
"""Seconds for which the version of a lab in a bucket is kept, where finding it takes requests."""

RETRY = 30.0
"""Seconds after which tables that could not be built are tried again."""

CACHE_BYTES = 96_000_000
"""Capacity of the cache of one version of a lab."""


class TablesNotReady(StoreError):  # noqa: N818 - it reads as the sentence it is
    """The tables of a lab are being built, and those of none of its suites are there yet."""

    def __init__(self, lab: str, step: BuildStep | None) -> None:
        super().__init__(
            f"the tables of {lab} are being made: {step}" if step else f"the tables of {lab} are being made"
        )
        self.step = step


class _Snapshot:
    """One version of a lab or of some of its suites: its models, its database once it is built, what was queried."""

    def __init__(
        self,
        lab_version: str = "",
        models: Sequence[LabModel] | None = None,
        suites: Sequence[str] | None = None,
        database: OutcomeDatabase | None = None,
    ) -> None:
        self.lab_version, self.models, self.suites, self.database = lab_version, models, suites, database
        self.version = lab_version if suites is None else f"{lab_version} {len(suites)}"
        self.cache = LRUCache[tuple[Any, ...], Any](CACHE_BYTES)
        self.lock = Lock()


class LabSnapshots:
    """The version of a lab that is shown, with its tables and what was queried of it; the next is built beside it.

    `metrics` are those that the tables have scores of. `worker` is the command that builds the tables of a large lab in
    a process of its own, if there is one; `small` is the size in bytes up to which a lab is not large. In the
    `background`, tables of a large lab are built while those that are there are shown: of its last version, or of
    some suites.
    """

    def __init__(
        self,
        lab: LabStore,
        metrics: Metrics,
        *,
        cache: Path | None = None,
        progress: BuildCallback = lambda step: None,
        worker: Sequence[str] = (),
        small: int = SMALL,
        background: bool = False,
    ) -> None:
        self.lab, self.metrics = lab, metrics
        self._progress, self._worker, self._small, self._background = progress, worker, small, background
        self._folder = _writable(cache or user_cache())
        self._snapshot, self._lock = _Snapshot(), Lock()
        self._pause_until = 0.0
        self.listing_seconds = LISTING_SECONDS if is_address(lab.storage.address) else 0.0
        self._listed, self._listed_until = "", 0.0  # the last version, and when it is found out again
        self._thread: Thread | None = None
        self._step: BuildStep | None = None
        self.failure = ""  # why tables could not be built in the background, where pages do not say it themselves

    @property
    def database(self) -> OutcomeDatabase:
        """Every table of the lab, to be queried by SQL."""
        snapshot = self._snapshot
        with snapshot.lock:
            if snapshot.database is None:
                snapshot.database = self._build(self.models(), self._progress)
            return snapshot.database

    def models(self) -> tuple[LabModel, ...]:
        """Return the models that have answers, by name."""
        snapshot = self._snapshot
        if snapshot.models is None:
            snapshot.models = list_models(self.lab)
        return tuple(snapshot.models)

    def refresh(self) -> str:
        """Return the version of the lab that is shown; results of another version are dropped.

        In the background, a lab whose tables take long to build is shown as it was until those of its new version are
        there; one that was never shown is shown suite by suite, and until the first is there TablesNotReady is raised.
        """
        version = self._current_version()
        with self._lock:
            building = self._thread is not None and self._thread.is_alive()
            is_old = version != self._snapshot.lab_version or bool(self.failure)
            if is_old and not building and time.monotonic() >= self._pause_until:
                if not self._background or self._plan().missing_bytes <= self._small:
                    self._snapshot, self.failure = _Snapshot(version), ""
                else:
                    self._thread = Thread(target=self._rebuild, args=(version,), daemon=True)
                    self._thread.start()
            if not self._snapshot.version:
                if self.failure and self.step is None:
                    raise StoreError(f"the tables of {self.lab.name} could not be made: {self.failure}")
                raise TablesNotReady(self.lab.name, self._step)
            return self._snapshot.version + self.failure

    def _current_version(self) -> str:
        if time.monotonic() >= self._listed_until:
            self._listed = lab_version(self.lab)
            self._listed_until = time.monotonic() + self.listing_seconds
        return self._listed

    @property
    def step(self) -> BuildStep | None:
        """What is built in the background at this moment."""
        return self._step if self._thread is not None and self._thread.is_alive() else None

    def wait(self) -> None:
        """Wait until the tables that are being built are there."""
        if self._thread is not None:
            self._thread.join()
            self._pause_until = 0.0

    def update(self, suites: Sequence[str]) -> None:
        """Build what some suites lack, in this process or by the worker, and nothing of the others."""
        build_files(
            self.lab,
            self._folder,
            list_models(self.lab),
            self.metrics,
            suites=suites,
            progress=self._progress,
            worker=self._worker,
            small=self._small,
        )

    def cached(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return a value that follows from this version of the lab; the key must name all else that it depends on."""
        return cast("T", self._snapshot.cache.get_or_make(key, make))

    def _plan(self, suites: Sequence[str] | None = None) -> OutcomeFiles:
        return plan_files(self.lab, self._folder, list_models(self.lab), self.metrics, suites)

    def _build(self, models: Sequence[LabModel], progress: BuildCallback) -> OutcomeDatabase:
        files = build_files(
            self.lab, self._folder, models, self.metrics, progress=progress, worker=self._worker, small=self._small
        )
        return OutcomeDatabase(files, self._folder)

    def _rebuild(self, version: str) -> None:
        """Build the tables of a new version beside those of the last and show it; then pause, as runs go on adding.

        Where nothing was shown yet, suites are shown as they are ready, whenever their number has doubled. What cannot
        be built leaves the pages as they are, and they say so.
        """
        started = time.monotonic()
        try:
            snapshot, failure = self._rebuilt(version), ""
        except CounterpointError:
            snapshot, failure = _Snapshot(version), ""  # the next page that is asked for says what is wrong
        except Exception as problem:  # of whatever library; a part is not shown as the whole
            snapshot, failure = self._snapshot, f"{type(problem).__name__}: {problem}"
        with self._lock:
            self._snapshot, self._step, self.failure = snapshot, None, failure
            pause = 3 * (time.monotonic() - started)
            self._pause_until = time.monotonic() + max(pause, RETRY if failure else 0.0)

    def _rebuilt(self, version: str) -> _Snapshot:
        models, files = list_models(self.lab), self._plan()
        comparisons, shown_before = {folder.about for folder in files.ties.values()}, bool(self._snapshot.version)
        if not shown_before:
            self._show_ready_suites(version, files)

        def follow(step: BuildStep) -> None:
            self._step = step
            self._progress(step)
            if step.about in comparisons and not shown_before:  # the last step of a suite
                self._show_ready_suites(version, files)

        return _Snapshot(version, models, database=self._build(models, follow))

    def _show_ready_suites(self, version: str, files: OutcomeFiles) -> None:
        """Show the suites whose tables are there, if they are twice as many as those that are shown."""
        suites = files.ready_suites
        if len(suites) >= max(2 * len(self._snapshot.suites or ()), 1):
            part = self._plan(suites)
            if not part.all_groups.path.is_dir():
                part.all_groups.build()
            snapshot = _Snapshot(version, list_models(self.lab), suites, OutcomeDatabase(part, self._folder))
            with self._lock:
                self._snapshot = snapshot


def lab_version(lab: LabStore) -> str:
    """Return a digest that changes whenever a suite, answer, value, run, named slice or baseline of the lab does."""
    digest = blake2b(digest_size=8)
    listed = map(lab.storage.list_files, ("suites/", "answers/", "values/", "runs/", "slices/"))
    for file in [*chain.from_iterable(listed), lab.storage.find(BASELINES)]:
        if file:  # a lab need not have a baseline
            digest.update(f"{file.name} {file.size} {file.stamp}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


_temporary_folder = cache(partial(TemporaryDirectory[str], prefix="counterpoint-"))  # as long as this process


def _writable(folder: Path) -> Path:
    """Return the cache folder, or a temporary one if that cannot be written."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return Path(_temporary_folder().name)
