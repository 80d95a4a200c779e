"""Read access to a lab by its outcome tables: queries run in place, and small results are cached until it changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.core.errors import UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.core.ids import hex_id
from counterpoint.metrics.accuracy import ACCURACY_METRICS
from counterpoint.metrics.metric import OPEN, YES_NO, Contents, displayed, ordered
from counterpoint.metrics.units import STATES
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.row_groups import find_rows, take_rows
from counterpoint.store.outcomes.snapshots import LabSnapshots, TablesNotReady
from counterpoint.store.outcomes.tables import group_metrics

_SCORE = (
    *("value", "low", "high", "n", "clusters", "method", "reason"),
    *("unit", "left_out", "answers", "missing", "failed"),
)
_NO_SCORE = (None,) * len(_SCORE)


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


class OutcomeReader(LabSnapshots):
    """The queries that pages, reports and tables ask of a lab; all results are pure functions of the lab's files."""

    @property
    def name(self) -> str:
        """The name of the lab."""
        return self.lab.name

    @property
    def shown_suites(self) -> tuple[str, ...]:
        """The suites that are shown, none before the first tables are there."""
        return self.suites() if self._snapshot.version else ()

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
        sql = "SELECT coalesce(sum(answers), 0) AS answers FROM totals"
        return self.cached(("answer count",), lambda: int(self.database.rows(sql)[0]["answers"]))

    def mean_seconds(self) -> Mapping[str, float | None]:
        """Return the mean seconds of an answer of each model, by slug."""
        rows = self.cached(("seconds",), lambda: _tuples(self.database.rows("SELECT model, seconds FROM totals")))
        return {slug: seconds or None for slug, seconds in rows}

    def answers_at(self, suite: str, slug: str, rows: NDArray[np.int64]) -> list[dict[str, Any] | None]:
        """Return the plain answers at some rows of a suite, with `correct` and, of a variant, `consistent`.

        Where there is no answer there is None.
        """
        if not slug:
            return [None] * len(rows)
        places = [
            self.database.files.paths(table, model=self.model(slug).slug, suite=suite)[0]
            for table in ("answers_by_row", "credits")
        ]
        pairs = zip(*(take_rows(path, rows.astype(np.int64)).to_pylist() for path in places), strict=True)
        return [answer | credit if answer["state"] is not None else None for answer, credit in pairs]

    def outcomes_at(self, suite: str, slug: str, rows: NDArray[np.int64], columns: Sequence[str]) -> pa.Table:
        """Return some columns of the outcomes at some rows of a suite."""
        (path,) = self.database.files.paths("outcomes", model=self.model(slug).slug, suite=suite)
        return take_rows(path, rows, columns)

    def stochastic_answers(self, wanted: NDArray[np.uint64]) -> pa.Table:
        """Return the answers to some queries in other trials than the plain one, by model, query and trial."""
        sql = "SELECT model FROM totals WHERE trials > 0 ORDER BY model"
        slugs = self.cached(("stochastic",), lambda: [row["model"] for row in self.database.rows(sql)])
        paths = [path for slug in slugs for path in self.database.files.paths("trials", model=slug)]
        tables = [find_rows(path, "query", wanted) for path in paths]
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


def _tuples(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row.values()) for row in rows)


def _slices(kinds: Sequence[tuple[str, str, int]]) -> tuple[tuple[str, str], ...]:
    tests = list(dict.fromkeys(test for test, _, _ in kinds))
    slices: list[tuple[str, str]] = [("", "")] if len(tests) > 1 else []
    for test in tests:
        names = sorted(kind for own, kind, _ in kinds if own == test and kind)
        slices += [(test, ""), *((test, kind) for kind in names if len(names) > 1)]
    return tuple(slices)
