"""Two models of a lab on the same groups: paired differences with corrected p values, or coverage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterpoint.core.errors import StoreError
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import (
    load_answers,
    load_groups,
    select_models,
    suite_version_notes,
    version_notes,
)
from counterpoint.metrics.comparison import compare_outcomes, compared_metrics, coverage_of_outcomes
from counterpoint.metrics.metric import columns_read
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.paired_tests import FEWEST_CASES, FEWEST_CLUSTERS
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.metrics.units import STATES
from counterpoint.reports.tables import ResultTable, p_text, percent
from counterpoint.store.lab import LabStore


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(LabResult[Mapping[str, Any]], rows="rows"):
    """The first model less the second: a row per slice and metric, with interval, corrected p and verdict."""

    models: tuple[str, str]
    rows: tuple[Mapping[str, Any], ...]
    states: Mapping[str, Mapping[str, float]]  # by model: the share of each state among its answers
    request: ScoreRequest
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The models, their differences and the states of their answers."""
        states = {model: dict(own) for model, own in self.states.items()}
        return {"models": list(self.models), "differences": self.records(), "states": states}

    def notes(self) -> list[str]:
        """Which versions were chosen, and the share of each model's answers that is not ok."""
        notes = list(self.remarks)
        for model, own in self.states.items():
            odd = [f"{percent(share)} % {state}" for state, share in own.items() if share and state != STATES[0]]
            notes += [f"{model}: {', '.join(odd)}"] if odd else []
        return notes

    def tables(self) -> list[ResultTable]:
        """One line per slice and metric."""
        phrases = {metric.name: metric.phrase for metric in (*self.request.candidates, *self.request.metrics)}
        lines = [
            (
                *(row[name] for name in self.request.columns),
                phrases.get(row["metric"], row["metric"]),
                percent(row["first"]),
                percent(row["second"]),
                percent(row["difference"], row["low"], row["high"]),
                p_text(row["holm"]),
                row["verdict"],
                percent(row["detectable"]),
                str(row["n"]),
            )
            for row in self.rows
        ]
        heads = (*self.request.columns, "metric", *self.models, "difference", "p (Holm)", "better", "detectable", "n")
        first, second = self.models
        title = (
            f"{first} less {second}, in per cent with 95 % intervals; a tie is a difference that chance explains; "
            f"no p value is told below {FEWEST_CLUSTERS} pictures or {FEWEST_CASES} cases of a model; "
            "detectable is the smallest difference that this test would find in four cases of five"
        )
        return [ResultTable(title, heads, lines, names=1 + len(self.request.columns))]


@dataclass(frozen=True, slots=True, repr=False)
class Coverage(LabResult[Mapping[str, Any]], rows="rows"):
    """Of what one model has right, the share that the other has right too, in both directions."""

    rows: tuple[Mapping[str, Any], ...]
    request: ScoreRequest
    remarks: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """All rows."""
        return {"coverage": self.records()}

    def tables(self) -> list[ResultTable]:
        """One line per slice and direction."""
        columns = self.request.columns
        names = (*columns, "model", "of")
        lines = [
            (*(row[name] for name in names), percent(row["value"], row["low"], row["high"]), str(row["n"]))
            for row in self.rows
        ]
        title = "Of what the second model has right, what the first has right too, in per cent with 95 % intervals"
        return [ResultTable(title, (*names, "coverage", "n"), lines, names=len(names))]


def compare_models(
    store: LabStore, first: str, second: str, request: ScoreRequest, suites: Sequence[str]
) -> Comparison:
    """Compare two models on the groups that both were asked."""
    outcomes, remarks = _outcomes(store, (first, second), suites, request)
    remarks = (*remarks, *suite_version_notes(store, suites))
    (one, first_outcomes), (other, second_outcomes) = outcomes.items()
    table = compare_outcomes(first_outcomes, second_outcomes, request)
    rows = [row for row in table.to_pylist() if row["n"]]
    if not rows:
        raise StoreError(f"{one} and {other} have no answers in common", hint=_obstacle(outcomes, request))
    names = {"first": one, "second": other}
    states = {
        model: {state: float((own.state == place).mean()) for place, state in enumerate(STATES)}
        for model, own in outcomes.items()
    }
    named = tuple(row | {"verdict": names.get(row["verdict"], row["verdict"])} for row in rows)
    return Comparison((one, other), named, states, request, remarks)


def cover_models(
    store: LabStore, first: str, second: str, request: ScoreRequest, suites: Sequence[str], *, pairs: bool
) -> Coverage:
    """How much of what one model has right the other has right too, over single answers or over pairs."""
    outcomes, remarks = _outcomes(store, (first, second), suites, request)
    return Coverage(tuple(coverage_of_outcomes(outcomes, request, pairs=pairs).to_pylist()), request, remarks)


def _outcomes(
    store: LabStore, names: tuple[str, str], suites: Sequence[str], request: ScoreRequest
) -> tuple[dict[str, Outcomes], tuple[str, ...]]:
    chosen = select_models(store, names)
    if len(chosen) < 2:
        raise StoreError(f"{names[0]} and {names[1]} are the same model", hint="name two that differ")
    groups = load_groups(store, suites, pool=request.pool)
    columns = columns_read(metric for own in compared_metrics(groups, request).values() for metric in own)
    outcomes = {
        title: judge(groups, load_answers(store, model, columns), request.threshold) for title, model in chosen.items()
    }
    return outcomes, version_notes(names, chosen.values())


def _obstacle(outcomes: Mapping[str, Outcomes], request: ScoreRequest) -> str:
    """Why nothing can be compared: a metric does not apply to a model, or there is nothing to compute it from."""
    for model, own in outcomes.items():
        for row in score_outcomes(own, request).to_pylist():
            if row["reason"]:
                return f"{model} has no {row['metric']}: {row['reason']}"
    return "run both on the same suites first"
