"""A lab as the pages read it: tables and scores are kept in memory until the lab changes."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.groups import Query
from counterpoint.explorer.measures import MAIN
from counterpoint.explorer.ties import tied
from counterpoint.explorer.verdicts import Verdicts, verdicts
from counterpoint.metrics.outcomes import STATES, Outcomes, judge
from counterpoint.metrics.ratio import METRICS
from counterpoint.metrics.scoring import Request, scored
from counterpoint.store.groups import queries
from counterpoint.store.lab import Lab
from counterpoint.store.tables import ANSWERS

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


class Reading:
    """What pages ask of a lab. Everything is a pure function of the lab's files, and is remembered as such."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._version, self._kept, self._locks, self._lock = "", dict[Any, Any](), dict[Any, Lock](), Lock()

    @property
    def name(self) -> str:
        """The lab's folder, by its name."""
        return self.lab.folder.resolve().name

    def refresh(self) -> str:
        """The version of the lab; what was remembered of another version is forgotten."""
        version = _version(self.lab)
        with self._lock:
            if version != self._version:
                self._version, self._kept, self._locks = version, {}, {}
        return version

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
        return self._remembered(("models",), self._models)

    def model(self, slug: str) -> Known:
        """The model of this name in addresses."""
        found = {model.slug: model for model in self.models()}
        if slug not in found:
            raise UnknownName("model of this lab", slug, found)
        return found[slug]

    def measures(self) -> tuple[str, ...]:
        """The names of the measures, the main ones first."""
        return (*MAIN, *(metric.name for metric in METRICS if metric.name not in MAIN))

    def groups(self, suite: str) -> pa.Table:
        """The table of a suite."""
        self.known_suite(suite)
        return self._remembered(("groups", suite), lambda: self.lab.suite(suite).groups)

    def sentence(self, suite: str) -> str:
        """What a suite tests, in the words of its module, if it is installed here."""
        try:
            return str(catalog.find("suites", self.lab.manifest(suite).suite).tests)
        except (CounterpointError, AttributeError):
            return ""

    def tests(self, suite: str) -> tuple[str, ...]:
        """The tests of a suite, in its order."""
        return tuple(pc.unique(self.groups(suite)["test"]).to_pylist())

    def slices(self, suite: str) -> tuple[tuple[str, str], ...]:
        """A suite, its tests, and below each its kinds, as (test, kind); what is not cut further is empty."""
        return self._remembered(("slices", suite), lambda: _slices(self.groups(suite)))

    def answers(self, slug: str) -> pa.Table:
        """The plain answers of a model, ordered by query."""
        return self._remembered(("answers", slug), lambda: self._answers(slug))

    def answered(self) -> int:
        """How many answers the lab holds."""
        return sum(self.answers(model.slug).num_rows for model in self.models())

    def answers_to(self, slug: str, wanted: NDArray[np.uint64]) -> pa.Table:
        """The answers of a model to some queries; none if it has none, or if there is no such model."""
        if not slug:
            return ANSWERS.empty_table()
        answers = self.answers(slug)
        ids = self._remembered(("ids", slug), lambda: answers["query"].to_numpy())
        places = np.searchsorted(ids, np.unique(wanted))
        places = places[places < len(ids)]
        return answers.take(pa.array(places[np.isin(ids[places], wanted)]))

    def rows(self, suite: str, wanted: NDArray[np.uint64]) -> pa.Table:
        """The rows of some groups, in the order of the suite."""
        table = self.groups(suite)
        return table.filter(pc.is_in(table["group_id"], value_set=pa.array(wanted, pa.uint64())))

    def query(self, suite: str, query_id: int) -> Query:
        """One query of a suite."""
        table = self.groups(suite)
        place = pc.index(table["query"], pa.scalar(query_id, pa.uint64())).as_py()
        if place < 0:
            raise UnknownName("query", f"{query_id:016x}", [])
        return queries(table.slice(place, 1))[0]

    def outcomes(self, suite: str, slug: str) -> Outcomes:
        """A suite joined with what a model said; without a model, with nothing."""
        return self._remembered(("outcomes", suite, slug), lambda: judge(self.groups(suite), self._said(slug)))

    def verdicts(self, suite: str, slug: str) -> Verdicts:
        """What became of each group in the hands of a model."""
        if slug:
            self.model(slug)
        return self._remembered(("verdicts", suite, slug), lambda: verdicts(self.outcomes(suite, slug)))

    def score(self, suite: str, slug: str, measure: str, *, test: str = "", kind: str = "") -> Scored | None:
        """A score, if anything counts: of the suite, of one of its tests, of one kind of a test."""
        by = tuple(name for name, value in (("test", test), ("kind", kind)) if value)
        table = self._remembered(("scores", suite, slug, by), lambda: self._scores(suite, slug, by))
        return table.get((test, kind, measure))

    def asked(self, suite: str, slug: str) -> bool:
        """Whether a model has answered anything of a suite."""
        states = self.states(suite, slug)
        return sum(states.values()) > states["missing"]

    def states(self, suite: str, slug: str) -> Mapping[str, int]:
        """How many rows of a suite have come to which end."""
        counts = np.bincount(self.outcomes(suite, slug).state, minlength=len(STATES))
        return dict(zip(STATES, map(int, counts), strict=True))

    def ties(self, suite: str, measure: str, *, test: str = "") -> frozenset[str]:
        """The best model of a column, and those that cannot be told apart from it."""
        key = ("ties", suite, measure, test)
        return self._remembered(key, lambda: self._ties(suite, measure, test))

    def _remembered(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Each thing is made once, also when several visitors ask for it at the same time."""
        with self._lock:
            kept = self._kept
            if key in kept:
                return kept[key]  # type: ignore[no-any-return]
            lock = self._locks.setdefault(key, Lock())
        with lock:
            if key not in kept:
                kept[key] = make()
            return kept[key]  # type: ignore[no-any-return]

    def _models(self) -> tuple[Known, ...]:
        found: dict[str, Known] = {}
        taken: set[str] = set()
        for run in self.lab.models():
            slug = _slug(run.model)
            slug = slug if slug not in taken or run.fingerprint in found else f"{slug}-{len(taken)}"
            taken.add(slug)
            found.setdefault(run.fingerprint, Known(run.model, slug, run.fingerprint, _detail(run.details)))
        return tuple(sorted(found.values(), key=lambda model: model.name))

    def _answers(self, slug: str) -> pa.Table:
        answers = self.lab.read_answers(self.model(slug).fingerprint)
        return answers.filter(pc.equal(answers["trial"], 0)).sort_by("query").combine_chunks()

    def _said(self, slug: str) -> pa.Table:
        return self.answers(slug) if slug else ANSWERS.empty_table()

    def _scores(self, suite: str, slug: str, by: tuple[str, ...]) -> dict[tuple[str, str, str], Scored]:
        lines = scored(self.outcomes(suite, slug), Request(by=by)).to_pylist()
        return {
            (line.get("test") or "", line.get("kind") or "", line["metric"]): Scored(
                line["value"], line["low"], line["high"], line["n"], line["clusters"], line["method"]
            )
            for line in lines
            if line["n"]
        }

    def _ties(self, suite: str, measure: str, test: str) -> frozenset[str]:
        scores = {model.slug: self.score(suite, model.slug, measure, test=test) for model in self.models()}
        known = {slug: score.value for slug, score in scores.items() if score is not None}
        return tied(known, lambda slug: self.outcomes(suite, slug), measure, test)


def _version(lab: Lab) -> str:
    """A word that changes whenever a suite, an answer, a value or a run of the lab does."""
    seen = blake2b(digest_size=8)
    for name in (name for folder in ("suites/", "answers/", "values/", "runs/") for name in lab.shelf.names(folder)):
        with suppress(FileNotFoundError):  # a run may merge its parts while we look
            found = lab.shelf.path(name).stat()
            seen.update(f"{name} {found.st_size} {found.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
    return seen.hexdigest()


def _detail(details: Mapping[str, Any]) -> str:
    """How fast a model answered, and how often it answers otherwise in company, as its run has it."""
    asked, seconds = (details.get("counts") or {}).get("asked"), details.get("seconds")
    rate = f"{asked / seconds:,.0f} answers a second" if asked and seconds else ""
    differs = details.get("disagreement")
    return " · ".join(filter(None, [rate, f"{differs:.1%} other in batches" if differs else ""]))


def _slug(name: str) -> str:
    """A name as addresses have it: letters, digits, dots, underscores and dashes."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "model"


def _slices(table: pa.Table) -> tuple[tuple[str, str], ...]:
    pairs = table.select(["test", "kind"]).group_by(["test", "kind"]).aggregate([]).to_pylist()
    tests = list(dict.fromkeys(pair["test"] for pair in pairs))
    found: list[tuple[str, str]] = [("", "")] if len(tests) > 1 else []
    for test in tests:
        kinds = sorted(pair["kind"] for pair in pairs if pair["test"] == test and pair["kind"])
        found += [(test, ""), *((test, kind) for kind in kinds if len(kinds) > 1)]
    return tuple(found)
