"""A lab as the pages read it: tables are asked in place, and what is small is kept in memory until the lab changes."""

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.groups import Query
from counterpoint.core.ids import hex_id
from counterpoint.explorer.measures import MAIN
from counterpoint.explorer.memory import Memory
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.outcomes import STATES
from counterpoint.store.cache import user_cache
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.database import Database
from counterpoint.store.outcomes.files import Asked, Told, made
from counterpoint.store.outcomes.row_groups import sought, taken
from counterpoint.store.tables import ANSWERS
from counterpoint.store.versions import RunRecord
from counterpoint.studies.costs import Cost, cost

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Known:
    """A model of the lab: its name, the name that addresses use, its fingerprint, and a line about it."""

    name: str
    slug: str
    fingerprint: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """A score of one slice, from 0 to 1."""

    value: float
    low: float
    high: float
    n: int
    clusters: int
    method: str


@dataclass(frozen=True, slots=True)
class Counted:
    """How many groups of a test and kind have a verdict, and how many of them break their relation."""

    test: str
    kind: str
    verdict: str
    groups: int
    inconsistent: int


class Reading:
    """What pages ask of a lab. Everything is a pure function of the lab's files, and is remembered as such."""

    def __init__(self, lab: LabStore, cache: Path | None = None, told: Told = lambda line: None) -> None:
        self.lab, self._told = lab, told
        self._cache = _writable(cache or user_cache())
        self._now, self._lock = Memory(), Lock()
        self._large, self._seconds, self._rest, self._making = False, 0.0, 0.0, False
        self._thread: Thread | None = None

    @property
    def name(self) -> str:
        """The lab's folder, by its name."""
        return self.lab.folder.resolve().name

    @property
    def database(self) -> Database:
        """Every table of the lab, to be asked by SQL."""
        return self._remembered(("database",), lambda: self._database(self.models()))

    def refresh(self) -> str:
        """The version of the lab that pages show; what was remembered of another version is forgotten.

        A lab whose tables take long to make is shown as it was until those of its new version are there.
        """
        version = _version(self.lab)
        with self._lock:
            if version == self._now.version or self._making or time.monotonic() < self._rest:
                return self._now.version
            if not self._large:
                self._now = Memory(version)
                return version
            self._making = True
            self._thread = Thread(target=self._remake, args=(version,), daemon=True)
        self._thread.start()
        return self._now.version

    def wait(self) -> None:
        """Wait until the tables that are being made are there."""
        if self._thread is not None:
            self._thread.join()
            self._rest = 0.0

    def lately(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Something that is kept until the lab changes, or until much else was asked for."""
        return self._now.lately(key, make)

    def table(self, key: tuple[Any, ...], make: Callable[[], pa.Table]) -> pa.Table:
        """A table that is kept until the lab changes, or until there is no more room for it."""
        return self._now.table(key, make)

    def suites(self) -> tuple[str, ...]:
        """The names of the suites."""
        return self._remembered(("suites",), lambda: tuple(self.lab.suites()))

    def known_suite(self, suite: str) -> str:
        """The name of a suite that is in the lab, or an error."""
        if suite not in self.suites():
            raise UnknownName("suite of this lab", suite, self.suites())
        return suite

    def models(self) -> tuple[Known, ...]:
        """The models that were asked, by name."""
        return self._remembered(("models",), lambda: _models(self.lab))

    def model(self, slug: str) -> Known:
        """The model of this name in addresses."""
        found = {model.slug: model for model in self.models()}
        if slug not in found:
            raise UnknownName("model of this lab", slug, found)
        return found[slug]

    def measures(self) -> tuple[str, ...]:
        """The names of the measures that can be asked for, the main ones first, then those that apply to any suite."""
        usual = (*MAIN, *(metric.name for metric in ACCURACY_METRICS))
        return tuple(dict.fromkeys([*usual, *(key[-1] for key in self._remembered(("scores",), self._scores))]))

    def applying(self, suite: str, *, test: str = "") -> frozenset[str]:
        """The measures that at least one model has on a suite, or on one of its tests."""
        return self._remembered(("applying",), self._applying).get((suite, test), frozenset())

    def why(self, suite: str, slug: str, measure: str, *, test: str = "", kind: str = "") -> str:
        """Why a model has no score by a measure, where that is known."""
        by = "kind" if kind else "test" if test else "suite"
        return self._remembered(("reasons",), self._reasons).get((suite, slug, by, test, kind, measure), "")

    def costs(self) -> Mapping[str, Cost]:
        """What each model costs, by its name in addresses."""
        return self._remembered(("costs",), self._costs)

    def sentence(self, suite: str) -> str:
        """What a suite tests, in the words of its module, if it is installed here."""
        try:
            return str(catalog.find("suites", self.lab.manifest(suite).suite).tests)
        except (CounterpointError, AttributeError):
            return ""

    def tests(self, suite: str) -> tuple[str, ...]:
        """The tests of a suite, in its order."""
        return tuple(dict.fromkeys(test for test, _, _ in self._kinds(suite)))

    def slices(self, suite: str) -> tuple[tuple[str, str], ...]:
        """A suite, its tests, and below each its kinds, as (test, kind); what is not cut further is empty."""
        return self._remembered(("slices", suite), lambda: _slices(self._kinds(suite)))

    def answered(self) -> int:
        """How many answers the lab holds."""
        asked = "SELECT count(*) AS found FROM answers WHERE trial = 0"
        return self._remembered(("answered",), lambda: int(self.database.rows(asked)[0]["found"]))

    def answers_to(self, slug: str, wanted: NDArray[np.uint64]) -> pa.Table:
        """The plain answers of a model to some queries; none if it has none, or if there is no such model."""
        if not slug or not len(wanted):
            return ANSWERS.empty_table()
        (path,) = self.database.files.of("answers", model=self.model(slug).slug)
        found = sought(path, "query", wanted)
        return _as_answers(found.filter(pc.equal(found["trial"], 0)))

    def said_at(self, suite: str, slug: str, rows: NDArray[np.int64]) -> pa.Table:
        """The plain answers of a model to the queries at some rows of a suite, where there are any."""
        if not slug:
            return ANSWERS.empty_table()
        found = self._said(suite, slug, rows)
        return _as_answers(found.filter(pc.is_valid(found["state"])))

    def lines_at(self, suite: str, slug: str, rows: NDArray[np.int64]) -> list[dict[str, Any] | None]:
        """The same row by row, with what each answer earned as `correct`, and of a variant whether it is `consistent`.

        Where there is no answer there is None.
        """
        if not slug:
            return [None] * len(rows)
        lines = self._said(suite, slug, rows).to_pylist()
        return [line if line["state"] is not None else None for line in lines]

    def trials_to(self, wanted: NDArray[np.uint64]) -> pa.Table:
        """What models said to some queries in other trials than the plain one, by model, query and trial."""
        found = [self._trials(slug, wanted) for slug in sorted(self._remembered(("tried",), self._tried))]
        return pa.concat_tables(found) if found else pa.table({name: [] for name in ("model", "query", "trial")})

    def rows(self, suite: str, wanted: NDArray[np.uint64]) -> pa.Table:
        """The rows of some groups, in the order of the suite."""
        asked = self.database.source("bases", suite=self.known_suite(suite))
        listed = ", ".join("?" for _ in wanted)
        sql = f"SELECT place, variants FROM {asked} WHERE group_id IN ({listed}) ORDER BY place"
        found = self.database.rows(sql, [int(one) for one in wanted])
        return self.rows_at(suite, [(one["place"], one["variants"]) for one in found])

    def rows_at(self, suite: str, groups: Sequence[tuple[int, int]], columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of the groups at some places with so many variants, in this order; `row` says where each is."""
        spans = [np.arange(place, place + variants + 1) for place, variants in groups]
        (path,) = self.database.files.of("groups", suite=suite)
        return taken(path, np.concatenate(spans) if spans else np.empty(0, np.int64), columns)

    def query(self, suite: str, query_id: int) -> Query:
        """One query of a suite."""
        asked = self.database.source("queries", suite=self.known_suite(suite))
        found = self.database.rows(f"SELECT row FROM {asked} WHERE query = ? LIMIT 1", [query_id])
        if not found:
            raise UnknownName("query", hex_id(query_id), [])
        (path,) = self.database.files.of("groups", suite=suite)
        return read_queries(taken(path, np.array([found[0]["row"]])))[0]

    def counts(self, suite: str, slug: str) -> tuple[Counted, ...]:
        """How many groups of each test and kind have which verdict in the hands of a model."""
        return self._remembered(("counts", suite, slug), lambda: self._counts(suite, slug))

    def score(self, suite: str, slug: str, measure: str, *, test: str = "", kind: str = "") -> Scored | None:
        """A score, if anything counts: of the suite, of one of its tests, of one kind of a test."""
        by = "kind" if kind else "test" if test else "suite"
        return self._remembered(("scores",), self._scores).get((suite, slug, by, test, kind, measure))

    def scored_measures(self) -> frozenset[str]:
        """The measures by which anything in the lab counts."""
        return self._remembered(
            ("measured",), lambda: frozenset(key[5] for key in self._remembered(("scores",), self._scores))
        )

    def asked(self, suite: str, slug: str) -> bool:
        """Whether a model has answered anything of a suite."""
        states = self.states(suite, slug)
        return sum(states.values()) > states["missing"]

    def states(self, suite: str, slug: str) -> Mapping[str, int]:
        """How many rows of a suite have come to which end."""
        found = self._remembered(("states",), self._states)
        return {state: found.get((suite, slug, state), 0) for state in STATES}

    def ties(self, suite: str, measure: str, *, test: str = "") -> frozenset[str]:
        """The best model of a column, and those that cannot be told apart from it."""
        found = self._remembered(("ties",), self._ties)
        return found.get((suite, test, measure), frozenset())

    def remembered(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Something that follows from this version of the lab, made once; the key must say all that it depends on."""
        return self._remembered(key, make)

    def _remembered(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        return self._now.remembered(key, make)

    def _database(self, models: Sequence[Known]) -> Database:
        start = time.monotonic()
        asked = [Asked(model.slug, model.fingerprint) for model in models]
        found = Database(made(self.lab, self._cache, asked, self._told), self._cache)
        self._large, self._seconds = found.files.large, time.monotonic() - start
        return found

    def _remake(self, version: str) -> None:
        """Make the tables of a new version beside those of the last and show it; then rest, as runs go on adding."""
        following = Memory(version)
        try:
            models = following.remembered(("models",), lambda: _models(self.lab))
            following.remembered(("database",), lambda: self._database(models))
        except CounterpointError:
            following = Memory(version)  # whoever asks for a page hears what is wrong
        with self._lock:
            self._now, self._making, self._rest = following, False, time.monotonic() + 3 * self._seconds

    def _said(self, suite: str, slug: str, rows: NDArray[np.int64]) -> pa.Table:
        (path,) = self.database.files.of("said", model=self.model(slug).slug, suite=suite)
        return taken(path, rows.astype(np.int64))

    def _tried(self) -> frozenset[str]:
        """The models that have other trials than the plain one."""
        rows = self.database.rows("SELECT DISTINCT model FROM answers WHERE trial > 0")
        return frozenset(row["model"] for row in rows)

    def _trials(self, slug: str, wanted: NDArray[np.uint64]) -> pa.Table:
        (path,) = self.database.files.of("answers", model=slug)
        found = sought(path, "query", wanted)
        return found.filter(pc.greater(found["trial"], 0))

    def _kinds(self, suite: str) -> tuple[tuple[str, str, int], ...]:
        """Each test and kind of a suite with its number of groups, in the order of the suite."""
        asked = self.database.source("bases", suite=self.known_suite(suite))
        sql = f"SELECT test, kind, count(*) AS groups FROM {asked} GROUP BY ALL ORDER BY min(place)"
        return self._remembered(("kinds", suite), lambda: _tuples(self.database.rows(sql)))

    def _counts(self, suite: str, slug: str) -> tuple[Counted, ...]:
        if not slug:
            return tuple(Counted(test, kind, "unanswered", groups, 0) for test, kind, groups in self._kinds(suite))
        asked = self.database.source("verdicts", model=self.model(slug).slug, suite=self.known_suite(suite))
        sql = (
            f"SELECT test, kind, verdict, count(*) AS groups, count_if(inconsistent) AS inconsistent FROM {asked} "
            "GROUP BY ALL ORDER BY min(place)"
        )
        return tuple(Counted(**row) for row in self.database.rows(sql))

    def _scores(self) -> dict[tuple[str, ...], Scored]:
        sql = (
            'SELECT suite, model, "by", test, kind, metric, value, low, high, n, clusters, method '
            "FROM scores WHERE n > 0"
        )
        return {row[:6]: Scored(*row[6:]) for row in _tuples(self.database.rows(sql))}

    def _applying(self) -> dict[tuple[str, str], frozenset[str]]:
        found: dict[tuple[str, str], set[str]] = {}
        for suite, _, by, test, _, metric in self._remembered(("scores",), self._scores):
            if by in ("suite", "test"):
                found.setdefault((suite, test), set()).add(metric)
        return {place: frozenset(names) for place, names in found.items()}

    def _reasons(self) -> dict[tuple[str, ...], str]:
        sql = (
            'SELECT suite, model, "by", test, kind, metric, reason FROM scores '
            "WHERE (n = 0 OR n IS NULL) AND reason IS NOT NULL AND reason <> ''"
        )
        return {row[:6]: row[6] for row in _tuples(self.database.rows(sql))}

    def _costs(self) -> dict[str, Cost]:
        sql = "SELECT model, avg(seconds) FROM answers WHERE state <> 'failed' GROUP BY ALL"
        spent = {model: seconds or None for model, seconds in _tuples(self.database.rows(sql))}
        runs: dict[str, list[RunRecord]] = {}
        for info in self.lab.runs():
            runs.setdefault(info.fingerprint, []).append(info)
        return {model.slug: cost(runs[model.fingerprint], spent.get(model.slug)) for model in self.models()}

    def _states(self) -> dict[tuple[str, str, str], int]:
        sql = "SELECT suite, model, state, count(*) FROM outcomes GROUP BY ALL"
        return {row[:3]: row[3] for row in _tuples(self.database.rows(sql))}

    def _ties(self) -> dict[tuple[str, str, str], frozenset[str]]:
        sql = "SELECT suite, test, metric, list(model) FROM ties GROUP BY ALL"
        return {row[:3]: frozenset(row[3]) for row in _tuples(self.database.rows(sql))}


def _tuples(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row.values()) for row in rows)


def _as_answers(found: pa.Table) -> pa.Table:
    """Answers from our own files as the lab has them."""
    given = {name: found[name] if name in found.column_names else None for name in ANSWERS.names}
    filled = {
        "trial": np.zeros(found.num_rows, np.uint16),
        **{name: [""] * found.num_rows for name in ("model", "digest")},
    }
    columns = [filled[name] if column is None else column for name, column in given.items()]
    return pa.table(dict(zip(ANSWERS.names, columns, strict=True))).cast(ANSWERS)


def _writable(cache: Path) -> Path:
    """The cache, or a folder that lives as long as this process where the cache cannot be written."""
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
        if os.access(cache, os.W_OK):
            return cache
    return Path(_shared_folder().name)


def _shared_folder() -> "TemporaryDirectory[str]":
    global _FOLDER
    _FOLDER = _FOLDER or TemporaryDirectory(prefix="counterpoint-")
    return _FOLDER


_FOLDER: "TemporaryDirectory[str] | None" = None


def _models(lab: LabStore) -> tuple[Known, ...]:
    found: dict[str, Known] = {}
    taken_names: set[str] = set()
    for run in lab.models():
        slug = _slug(run.model)
        slug = slug if slug not in taken_names or run.fingerprint in found else f"{slug}-{len(taken_names)}"
        taken_names.add(slug)
        found.setdefault(run.fingerprint, Known(run.model, slug, run.fingerprint, _detail(run.details)))
    return tuple(sorted(found.values(), key=lambda model: model.name))


def _version(lab: LabStore) -> str:
    """A word that changes whenever a suite, an answer, a value or a run of the lab does."""
    seen = blake2b(digest_size=8)
    for name in (name for folder in ("suites/", "answers/", "values/", "runs/") for name in lab.storage.names(folder)):
        with suppress(FileNotFoundError):  # a run may merge its parts while we look
            found = lab.storage.path(name).stat()
            seen.update(f"{name} {found.st_size} {found.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return seen.hexdigest()


def _detail(details: Mapping[str, Any]) -> str:
    """How often a model answers otherwise in company, as its run has it."""
    differs = details.get("disagreement")
    return f"{differs:.1%} other in batches" if differs else ""


def _slug(name: str) -> str:
    """A name as addresses have it: letters, digits, dots, underscores and dashes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"


def _slices(found: Sequence[tuple[str, str, int]]) -> tuple[tuple[str, str], ...]:
    tests = list(dict.fromkeys(test for test, _, _ in found))
    cut: list[tuple[str, str]] = [("", "")] if len(tests) > 1 else []
    for test in tests:
        kinds = sorted(kind for own, kind, _ in found if own == test and kind)
        cut += [(test, ""), *((test, kind) for kind in kinds if len(kinds) > 1)]
    return tuple(cut)
