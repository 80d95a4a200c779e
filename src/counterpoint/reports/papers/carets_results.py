"""What the models of a lab made of some tests, judged once and cut in as many ways as tables want."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from counterpoint.core.errors import StoreError
from counterpoint.metrics.accuracy import ACCURACY_METRICS, answer_accuracy
from counterpoint.metrics.coverage import coverage_of_outcomes
from counterpoint.metrics.metric import Ratio
from counterpoint.metrics.outcomes import Outcomes, Pairs, judge
from counterpoint.metrics.relabeling import (
    Table,
    distinct_values,
    keep_rows,
    relabel_outcomes,
    rename_values,
    replace_gold,
)
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.reports.papers.paper_table import NOT_APPLICABLE, NOT_RUN, PaperCell

Renamings = Mapping[str, Mapping[str, str]]
"""For each column, the names that some of its words are to have."""

gap = Ratio(
    "gap",
    Pairs,
    lambda p: (p.base_right.astype(np.float64) + p.variant_right) / 2 - (p.base_right & p.variant_right),
    lambda p: p.gold,
)
"""What is lost from accuracy to comprehensive accuracy: a pair with one right answer loses that half."""


class CaretsResults:
    """The groups of some tests, each test from one suite, with what each model made of them."""

    def __init__(self, groups: Table, answers: Mapping[str, Table], tests: Sequence[str], *, seed: int = 0) -> None:
        kept = keep_rows(groups, "test", tests)
        self.tests = _sole(distinct_values(kept, "test", "suite"))
        self.models = tuple(answers)
        self._groups = rename_values(
            kept, "suite", dict.fromkeys(self.tests.values(), "")
        )  # so that tests can be pooled
        self._answers, self._seed = answers, seed
        self._cells: dict[Any, Mapping[tuple[str, ...], Mapping[str, PaperCell]]] = {}

    def cell(
        self, model: str, measure: str, by: Sequence[str], *place: str, names: Renamings | None = None
    ) -> PaperCell:
        """One score: of a model, by a measure, where the columns `by`, first of all the test, have these words."""
        names = names or {}
        found = self.cells(by, names).get((model, *place))
        if found is not None:
            return found[measure]
        was_run = (model, place[0]) in self.cells(("test",), {key: own for key, own in names.items() if key == "test"})
        return NOT_APPLICABLE if was_run else NOT_RUN

    def cells(self, by: Sequence[str], names: Renamings) -> Mapping[tuple[str, ...], Mapping[str, PaperCell]]:
        """All scores of all models, cut by some columns, after words in them were renamed."""
        key = tuple(by), repr(names)
        if key not in self._cells:
            found: dict[tuple[str, ...], dict[str, PaperCell]] = {}
            for model, outcomes in self._outcomes.items():
                for column, own in names.items():
                    outcomes = relabel_outcomes(outcomes, column, own)
                _gather(found, model, outcomes, ScoreRequest(by, metrics=(*ACCURACY_METRICS, gap), seed=self._seed))
            self._cells[key] = found
        return self._cells[key]

    def rate(self, model: str, said: Sequence[str], test: str, kind: str) -> PaperCell:
        """How often a model says one of these words, of all single answers to a kind of question."""
        key = "rate", tuple(said)
        if key not in self._cells:
            asked = replace_gold(self._groups, said)
            found: dict[tuple[str, ...], dict[str, PaperCell]] = {}
            for name, own in self._answers.items():
                request = ScoreRequest(("test", "kind"), metrics=(answer_accuracy,), seed=self._seed)
                _gather(found, name, judge(asked, own), request)
            self._cells[key] = found
        return self._cells[key].get((model, test, kind), {}).get(answer_accuracy.name, NOT_RUN)

    def coverage(self, model: str, of: str, test: str) -> PaperCell:
        """Of the single answers that one model has right, the share that another has right too."""
        return self._coverage.get((model, of, test), NOT_RUN)

    def kinds(self, test: str) -> tuple[str, ...]:
        """The kinds of questions that a test asks."""
        return tuple(kind for own, kind in distinct_values(self._groups, "test", "kind") if own == test)

    def counts(self, test: str) -> Mapping[str, tuple[int, int]]:
        """How many groups and how many pairs a test has of each kind of question."""
        own = keep_rows(self._groups, "test", [test])
        bases = np.asarray(own["role"].to_numpy()) == 0
        kinds = np.asarray(own["kind"].to_pylist(), dtype=object)
        return {
            kind: (int((of & bases).sum()), int((of & ~bases).sum())) for kind in set(kinds) for of in [kinds == kind]
        }

    @cached_property
    def _outcomes(self) -> Mapping[str, Outcomes]:
        return {model: judge(self._groups, own) for model, own in self._answers.items()}

    @cached_property
    def _coverage(self) -> Mapping[tuple[str, str, str], PaperCell]:
        rows = coverage_of_outcomes(self._outcomes, ScoreRequest(("test",), seed=self._seed)).to_pylist()
        return {(row["model"], row["of"], row["test"]): _cell(row) for row in rows}


def complement(cell: PaperCell) -> PaperCell:
    """The share that is not so."""
    if cell.value is None or cell.low is None or cell.high is None:
        return cell
    return PaperCell(1 - cell.value, 1 - cell.high, 1 - cell.low, cell.n)


def _sole(found: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """The suite of each test; a test that two suites have is nobody's."""
    suites: dict[str, str] = {}
    for test, suite in found:
        if suites.setdefault(test, suite) != suite:
            fact = f"{test} is a test of two suites, {suites[test]} and {suite}"
            raise StoreError(fact, hint="name the suites that are meant, with --suite")
    return suites


def _gather(
    found: dict[tuple[str, ...], dict[str, PaperCell]], model: str, outcomes: Outcomes, request: ScoreRequest
) -> None:
    for row in score_outcomes(outcomes, request).to_pylist():
        if row["missing"] < 1:
            found.setdefault((model, *(row[name] for name in request.by)), {})[row["metric"]] = _cell(row)


def _cell(row: Mapping[str, Any]) -> PaperCell:
    return PaperCell(row["value"], row["low"], row["high"], row["n"]) if row["n"] else NOT_APPLICABLE
