"""Scores of the models of a lab on the CARETS tests: outcomes judged once, sliced as the tables need."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property

import numpy as np

from counterpoint.core.errors import StoreError
from counterpoint.metrics.accuracy import ACCURACY_METRICS, answer_accuracy
from counterpoint.metrics.coverage import coverage_of_outcomes
from counterpoint.metrics.metric import Metric, Ratio
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.metrics.slices import (
    Table,
    distinct_values,
    keep_rows,
    relabel_outcomes,
    rename_values,
    replace_gold,
)
from counterpoint.metrics.units import Pairs
from counterpoint.reports.papers.paper_table import NOT_RUN, PaperCell

Renamings = Mapping[str, Mapping[str, str]]
"""For each column, new names for some of its values."""
_Cells = Mapping[tuple[str, ...], Mapping[str, PaperCell]]

gap = Ratio(
    "gap",
    Pairs,
    lambda p: (p.base_right.astype(np.float64) + p.variant_right) / 2 - (p.base_right & p.variant_right),
    lambda p: p.gold,
)
"""Accuracy minus comprehensive accuracy: a pair with one correct answer counts one half."""


class CaretsResults:
    """The groups of some tests, each test from one suite, with the outcomes of each model."""

    def __init__(self, groups: Table, answers: Mapping[str, Table], tests: Sequence[str], *, seed: int = 0) -> None:
        kept = keep_rows(groups, "test", tests)
        self.tests = _suite_by_test(distinct_values(kept, "test", "suite"))
        self.models = tuple(answers)
        self._groups = rename_values(kept, "suite", dict.fromkeys(self.tests.values(), ""))  # tests can be pooled
        self._answers, self._seed = answers, seed
        self._cells: dict[Hashable, _Cells] = {}

    def cell(
        self, model: str, metric: str, by: Sequence[str], *place: str, names: Renamings | None = None
    ) -> PaperCell:
        """The score of a model by a metric where the columns `by`, the test first, have these values."""
        names = names or {}
        scores = self.cells(by, names).get((model, *place))
        if scores is not None:
            return scores[metric]
        was_run = (model, place[0]) in self.cells(
            ("test",), {key: renaming for key, renaming in names.items() if key == "test"}
        )
        return PaperCell.empty() if was_run else NOT_RUN

    def cells(self, by: Sequence[str], names: Renamings) -> _Cells:
        """All scores of all models by the values of some columns, after renaming."""

        def relabelled(model: str) -> Outcomes:
            outcomes = self._outcomes[model]
            for column, renaming in names.items():
                outcomes = relabel_outcomes(outcomes, column, renaming)
            return outcomes

        return self._gather((tuple(by), repr(names)), by, (*ACCURACY_METRICS, gap), relabelled)

    def rate(self, model: str, values: Sequence[str], test: str, kind: str) -> PaperCell:
        """The share of a model's single answers to a kind of question that are one of these values."""

        def judged(name: str) -> Outcomes:
            return judge(replace_gold(self._groups, values), self._answers[name])

        cells = self._gather(("rate", *values), ("test", "kind"), (answer_accuracy,), judged)
        return cells.get((model, test, kind), {}).get(answer_accuracy.name, NOT_RUN)

    def _gather(
        self, key: Hashable, by: Sequence[str], metrics: Sequence[Metric], outcomes: Callable[[str], Outcomes]
    ) -> _Cells:
        """The scores of all models by model and values of columns, each with its metrics; scored once for each key."""
        if key not in self._cells:
            scores: dict[tuple[str, ...], dict[str, PaperCell]] = {}
            reasons = {metric.name: metric.not_applicable for metric in metrics}
            for model in self.models:
                for row in score_outcomes(
                    outcomes(model), ScoreRequest(by, metrics=metrics, seed=self._seed)
                ).to_pylist():
                    if row["missing"] < 1:
                        cells = scores.setdefault((model, *(row[name] for name in by)), {})
                        cells[row["metric"]] = PaperCell.scored(row, reasons[row["metric"]])
            self._cells[key] = scores
        return self._cells[key]

    def coverage(self, model: str, of: str, test: str) -> PaperCell:
        """The share of one model's correct single answers that another has correct too."""
        return self._coverage.get((model, of, test), NOT_RUN)

    def kinds(self, test: str) -> tuple[str, ...]:
        """The kinds of questions in a test."""
        return tuple(kind for name, kind in distinct_values(self._groups, "test", "kind") if name == test)

    def counts(self, test: str) -> Mapping[str, tuple[int, int]]:
        """The numbers of groups and of pairs of each kind of question in a test."""
        rows = keep_rows(self._groups, "test", [test])
        bases = np.asarray(rows["role"].to_numpy()) == 0
        kinds = np.asarray(rows["kind"].to_pylist(), dtype=object)
        return {
            kind: (int((of & bases).sum()), int((of & ~bases).sum())) for kind in set(kinds) for of in [kinds == kind]
        }

    @cached_property
    def _outcomes(self) -> Mapping[str, Outcomes]:
        return {model: judge(self._groups, answers) for model, answers in self._answers.items()}

    @cached_property
    def _coverage(self) -> Mapping[tuple[str, str, str], PaperCell]:
        rows = coverage_of_outcomes(self._outcomes, ScoreRequest(("test",), seed=self._seed)).to_pylist()
        return {(row["model"], row["of"], row["test"]): PaperCell.scored(row) for row in rows}


def complement(cell: PaperCell) -> PaperCell:
    """One minus a share."""
    if cell.value is None or cell.low is None or cell.high is None:
        return cell
    return PaperCell(1 - cell.value, 1 - cell.high, 1 - cell.low, cell.n)


def _suite_by_test(pairs: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """The suite of each test; a test in two suites is an error."""
    suites: dict[str, str] = {}
    for test, suite in pairs:
        if suites.setdefault(test, suite) != suite:
            fact = f"{test} is a test of two suites, {suites[test]} and {suite}"
            raise StoreError(fact, hint="choose the suites with --suite")
    return suites
