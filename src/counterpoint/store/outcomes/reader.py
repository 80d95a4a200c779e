"""Read access to a lab by its outcome tables: queries run in place, and small results are cached until it changes."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.core.ids import hex_id
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.metric import OPEN, YES_NO, Contents, displayed, ordered
from counterpoint.metrics.units import STATES
from counterpoint.store.cache import LRUCache, user_cache
from counterpoint.store.lab import LabModel, LabStore, list_models
from counterpoint.store.outcomes.database import OutcomeDatabase
from counterpoint.store.outcomes.files import SMALL, BuildCallback, BuildStep, OutcomeFiles, build_files, plan_files
from counterpoint.store.outcomes.row_groups import find_rows, take_rows
from counterpoint.store.outcomes.tables import Metrics, group_metrics
from counterpoint.store.storage import is_address
from counterpoint.store.versions import BASELINES

T = TypeVar("T")

_SCORE = (
    *("value", "low", "high", "n", "clusters", "method", "reason"),
    *("unit", "left_out", "answers", "missing", "failed"),
)
_NO_SCORE = (None,) * len(_SCORE)

LISTING_SECONDS = 2.0
"""Seconds for which the version of a lab in a bucket is kept, where finding it takes requests."""

RETRY = 30.0
"""Seconds after which tables that could not be built are tried again."""

CACHE_BYTES = 96_000_000
"""Capacity of the cache of one version of a lab."""


@dataclass(frozen=True, slots=True)
class SliceScore:
    """The score of one slice by one metric, from 0 to 1, with its interval where it has one."""

    value: float
    low: float | None
    high: float | None
    n: int
    clusters: int
    method: str


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """How many groups of a test and kind have a verdict, and how many of them violate their relation."""

    test: str
    kind: str
    verdict: str
    groups: int
    inconsistent: int


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


class OutcomeReader:
    """The queries that pages, reports and tables ask of a lab; all results are pure functions of the lab's files.

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
    def name(self) -> str:
        """The name of the lab."""
        return self.lab.name

    @property
    def database(self) -> OutcomeDatabase:
        """Every table of the lab, to be queried by SQL."""
        snapshot = self._snapshot
        with snapshot.lock:
            if snapshot.database is None:
                snapshot.database = self._build(self.models(), self._progress)
            return snapshot.database

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
                    raise StoreError(f"the tables of {self.name} could not be made: {self.failure}")
                raise TablesNotReady(self.name, self._step)
            return self._snapshot.version + self.failure

    def _current_version(self) -> str:
        if time.monotonic() >= self._listed_until:
            self._listed = lab_version(self.lab)
            self._listed_until = time.monotonic() + self.listing_seconds
        return self._listed

    @property
    def shown_suites(self) -> tuple[str, ...]:
        """The suites that are shown, none before the first tables are there."""
        return self.suites() if self._snapshot.version else ()

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

    def suites(self) -> tuple[str, ...]:
        """Return the names of the suites."""
        shown = self._snapshot.suites
        return self.cached(("suites",), lambda: tuple(self.lab.suites() if shown is None else shown))

    def require_suite(self, suite: str) -> str:
        """Return the name of a suite of the lab, or raise UnknownName, or TablesNotReady."""
        if suite not in self.suites():
            if self._snapshot.suites is not None and suite in self.lab.suites():
                raise TablesNotReady(suite, self._step)
            raise UnknownName("suite of this lab", suite, self.suites())
        return suite

    def models(self) -> tuple[LabModel, ...]:
        """Return the models that have answers, by name."""
        snapshot = self._snapshot
        if snapshot.models is None:
            snapshot.models = list_models(self.lab)
        return tuple(snapshot.models)

    def model(self, slug: str) -> LabModel:
        """Return the model of this slug, or raise UnknownName."""
        models = {model.slug: model for model in self.models()}
        if slug not in models:
            raise UnknownName("model of this lab", slug, models)
        return models[slug]

    def group_metrics(self) -> tuple[str, ...]:
        """Return the names of the metrics that a single group has a score by."""
        return self.cached(("group metrics",), lambda: tuple(metric.name for metric in group_metrics(self.metrics)))

    def metric_names(self) -> tuple[str, ...]:
        """Return the names of the metrics that can be asked for, by rank: accuracy, and those that apply somewhere."""
        known = self.scored_metrics() | {metric.name for metric in ACCURACY_METRICS}
        return tuple(metric.name for metric in ordered(self.metrics) if metric.name in known)

    def scored_metrics(self) -> frozenset[str]:
        """Return the names of the metrics that apply to anything in the lab."""
        return frozenset[str]().union(*self._applicable().values())

    def applicable_metrics(self, suite: str, *, test: str = "") -> frozenset[str]:
        """Return the names of the metrics that at least one model has a score by, on a suite or one of its tests."""
        return self._applicable().get((suite, test), frozenset())

    def displayed_metrics(self, suite: str, *, test: str = "") -> tuple[str, ...]:
        """Return the names of the few metrics that tables show of a suite or one of its tests."""
        names = self.applicable_metrics(suite, test=test)
        metrics = [metric for metric in self.metrics if metric.name in names]
        return tuple(metric.name for metric in displayed(self.contents(suite, test=test), metrics))

    def contents(self, suite: str, *, test: str = "") -> Contents:
        """Return what the groups of a suite, or of one of its tests, are."""
        rows = [(own, relation) for own, relation in self._relations(suite) if test in ("", own)]
        relations = frozenset(relation for _, relation in rows if relation)
        gold = (
            frozenset[str]() if relations else frozenset(kind for own, kind in self._gold(suite) if test in ("", own))
        )
        return Contents(frozenset(own for own, _ in rows), relations, gold)

    def score(self, suite: str, slug: str, metric: str, *, test: str = "", kind: str = "") -> SliceScore | None:
        """Return the score of a suite, of one of its tests or of one kind of a test, or None if no case counts."""
        value, low, high, n, clusters, method, *_ = self._scores().get((suite, test, metric, slug, kind), _NO_SCORE)
        return SliceScore(value, low, high, n, clusters, method) if n else None

    def missing_reason(self, suite: str, slug: str, metric: str, *, test: str = "", kind: str = "") -> str:
        """Return why a model has no score by a metric, if that is known."""
        _, _, _, n, _, _, reason, *_ = self._scores().get((suite, test, metric, slug, kind), _NO_SCORE)
        return "" if n else reason or ""

    def score_rows(self) -> Mapping[tuple[str, str, str, str], Mapping[str, Any]]:
        """Return the scores of suites and tests with the columns that a leaderboard needs.

        Keys are a suite, a test (empty for the whole suite), a metric and a slug.
        """
        return self.cached(
            ("score rows",),
            lambda: {key[:4]: dict(zip(_SCORE, row, strict=True)) for key, row in self._scores().items() if not key[4]},
        )

    def all_ties(self) -> frozenset[tuple[str, str, str, str]]:
        """Return every statistical tie with the best as suite, test, metric and slug."""
        sql = "SELECT suite, test, metric, model FROM ties"
        return self.cached(("ties",), lambda: frozenset(_tuples(self.database.rows(sql))))

    def tests(self, suite: str) -> tuple[str, ...]:
        """Return the tests of a suite, in its order."""
        return tuple(dict.fromkeys(test for test, _, _ in self._kinds(suite)))

    def slices(self, suite: str) -> tuple[tuple[str, str], ...]:
        """Return a suite, its tests and below each its kinds as (test, kind); what is not sliced further is empty."""
        return self.cached(("slices", suite), lambda: _slices(self._kinds(suite)))

    def answer_count(self) -> int:
        """Return how many answers the lab holds."""
        sql = "SELECT count(*) AS answers FROM answers WHERE trial = 0"
        return self.cached(("answer count",), lambda: int(self.database.rows(sql)[0]["answers"]))

    def mean_seconds(self) -> Mapping[str, float | None]:
        """Return the mean seconds of an answer of each model, by slug."""
        sql = "SELECT model, avg(seconds) FROM answers WHERE state <> 'failed' GROUP BY ALL"
        return self.cached(
            ("seconds",), lambda: {slug: seconds or None for slug, seconds in _tuples(self.database.rows(sql))}
        )

    def answers_at(self, suite: str, slug: str, rows: NDArray[np.int64]) -> list[dict[str, Any] | None]:
        """Return the plain answers at some rows of a suite, with `correct` and, of a variant, `consistent`.

        Where there is no answer there is None.
        """
        if not slug:
            return [None] * len(rows)
        (path,) = self.database.files.paths("answers_by_row", model=self.model(slug).slug, suite=suite)
        answers = take_rows(path, rows.astype(np.int64)).to_pylist()
        return [answer if answer["state"] is not None else None for answer in answers]

    def outcomes_at(self, suite: str, slug: str, rows: NDArray[np.int64], columns: Sequence[str]) -> pa.Table:
        """Return some columns of the outcomes at some rows of a suite."""
        (path,) = self.database.files.paths("outcomes", model=self.model(slug).slug, suite=suite)
        return take_rows(path, rows, columns)

    def stochastic_answers(self, wanted: NDArray[np.uint64]) -> pa.Table:
        """Return the answers to some queries in other trials than the plain one, by model, query and trial."""
        sql = "SELECT DISTINCT model FROM answers WHERE trial > 0 ORDER BY model"
        slugs = self.cached(("stochastic",), lambda: [row["model"] for row in self.database.rows(sql)])
        paths = [path for slug in slugs for path in self.database.files.paths("answers", model=slug)]
        tables = [find_rows(path, "query", wanted) for path in paths]
        tables = [answers.filter(pc.greater(answers["trial"], 0)) for answers in tables]
        return pa.concat_tables(tables) if tables else pa.table({name: [] for name in ("model", "query", "trial")})

    def group_rows(self, suite: str, group_id: int) -> pa.Table:
        """Return the rows of the groups of one id, in the order of the suite."""
        bases = self.database.source("bases", suite=self.require_suite(suite))
        sql = f"SELECT place, variants FROM {bases} WHERE group_id = ? ORDER BY place"
        return self.rows_at(suite, [(row["place"], row["variants"]) for row in self.database.rows(sql, [group_id])])

    def rows_at(self, suite: str, groups: Sequence[tuple[int, int]], columns: Sequence[str] | None = None) -> pa.Table:
        """Return the rows of groups, each given by its place and its number of variants; `row` says where each is."""
        spans = [np.arange(place, place + variants + 1) for place, variants in groups]
        (path,) = self.database.files.paths("groups", suite=suite)
        return take_rows(path, np.concatenate(spans) if spans else np.empty(0, np.int64), columns)

    def query_row(self, suite: str, query_id: int) -> pa.Table:
        """Return the first row of a suite that has a query, or raise UnknownName."""
        source = self.database.source("queries", suite=self.require_suite(suite))
        rows = self.database.rows(f"SELECT row FROM {source} WHERE query = ? LIMIT 1", [query_id])
        if not rows:
            raise UnknownName("query", hex_id(query_id), [])
        return self.rows_at(suite, [(rows[0]["row"], 0)])

    def verdict_counts(self, suite: str, slug: str) -> tuple[VerdictCount, ...]:
        """Return how many groups of each test and kind have which verdict for a model."""
        if not slug:
            return tuple(VerdictCount(test, kind, "unanswered", groups, 0) for test, kind, groups in self._kinds(suite))
        source = self.database.source("verdicts", model=self.model(slug).slug, suite=self.require_suite(suite))
        sql = (
            f"SELECT test, kind, verdict, count(*) AS groups, count_if(inconsistent) AS inconsistent FROM {source} "
            "GROUP BY ALL ORDER BY min(place)"
        )
        key = ("verdict counts", suite, slug)
        return self.cached(key, lambda: tuple(VerdictCount(**row) for row in self.database.rows(sql)))

    def has_answers(self, suite: str, slug: str) -> bool:
        """Return whether a model has answered anything of a suite."""
        states = self.state_counts(suite, slug)
        return sum(states.values()) > states["missing"]

    def state_counts(self, suite: str, slug: str) -> Mapping[str, int]:
        """Return how many rows of a suite have an answer in which state."""
        sql = "SELECT suite, model, state, count(*) FROM outcomes GROUP BY ALL"
        counts = self.cached(("states",), lambda: {row[:3]: row[3] for row in _tuples(self.database.rows(sql))})
        return {state: counts.get((suite, slug, state), 0) for state in STATES}

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

    def _kinds(self, suite: str) -> tuple[tuple[str, str, int], ...]:
        """Return each test and kind of a suite with its number of groups, in the order of the suite."""
        source = self.database.source("bases", suite=self.require_suite(suite))
        sql = f"SELECT test, kind, count(*) AS groups FROM {source} GROUP BY ALL ORDER BY min(place)"
        return self.cached(("kinds", suite), lambda: _tuples(self.database.rows(sql)))

    def _relations(self, suite: str) -> tuple[tuple[str, str], ...]:
        """Return each test of a suite with each relation of its groups; that of groups without variants is empty."""
        source = self.database.source("bases", suite=self.require_suite(suite))
        sql = f"SELECT DISTINCT test, CASE WHEN variants > 0 THEN relation ELSE '' END AS relation FROM {source}"
        return self.cached(("relations", suite), lambda: _tuples(self.database.rows(sql)))

    def _gold(self, suite: str) -> tuple[tuple[str, str], ...]:
        """Return each test of a suite with each kind of its right answers."""
        source = self.database.source("groups", suite=suite)
        kind = f"CASE WHEN gold[1].answer IN ('yes', 'no') THEN '{YES_NO}' ELSE '{OPEN}' END"
        sql = f"SELECT DISTINCT test, {kind} AS kind FROM {source} WHERE len(gold) > 0"
        return self.cached(("gold", suite), lambda: _tuples(self.database.rows(sql)))

    def _scores(self) -> dict[tuple[Any, ...], tuple[Any, ...]]:
        """Return the columns in _SCORE by suite, test, metric, slug and kind; a whole suite or test has no kind."""
        sql = (
            f"SELECT suite, test, metric, model, kind, {', '.join(_SCORE)} FROM scores "
            """WHERE "by" <> 'kind' OR kind <> ''"""
        )
        return self.cached(("scores",), lambda: {row[:5]: row[5:] for row in _tuples(self.database.rows(sql))})

    def _applicable(self) -> dict[tuple[str, str], frozenset[str]]:
        """Return the names of the metrics that count for any model, by suite and test."""

        def gather() -> dict[tuple[str, str], frozenset[str]]:
            counting = (key for key, (_, _, _, n, *_) in self._scores().items() if n and not key[4])
            names = group_pairs((key[:2], key[2]) for key in counting)
            return {(suite, test): frozenset(own) for (suite, test), own in names.items()}

        return self.cached(("applicable",), gather)


def lab_version(lab: LabStore) -> str:
    """Return a digest that changes whenever a suite, answer, value, run, named slice or baseline of the lab does."""
    digest = blake2b(digest_size=8)
    listed = map(lab.storage.list_files, ("suites/", "answers/", "values/", "runs/", "slices/"))
    for file in [*chain.from_iterable(listed), lab.storage.find(BASELINES)]:
        if file:  # a lab need not have a baseline
            digest.update(f"{file.name} {file.size} {file.stamp}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _tuples(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row.values()) for row in rows)


_temporary_folder = cache(partial(TemporaryDirectory[str], prefix="counterpoint-"))  # as long as this process


def _writable(folder: Path) -> Path:
    """Return the cache folder, or a temporary one if that cannot be written."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    return Path(_temporary_folder().name)


def _slices(kinds: Sequence[tuple[str, str, int]]) -> tuple[tuple[str, str], ...]:
    tests = list(dict.fromkeys(test for test, _, _ in kinds))
    slices: list[tuple[str, str]] = [("", "")] if len(tests) > 1 else []
    for test in tests:
        names = sorted(kind for own, kind, _ in kinds if own == test and kind)
        slices += [(test, ""), *((test, kind) for kind in names if len(names) > 1)]
    return tuple(slices)
