"""The history of a model: its scores over versions, and where a version differs from the one before."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isnan, nan
from typing import Any

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.lab.comparison import compare_models
from counterpoint.lab.results import LabResult
from counterpoint.lab.scores import score_models
from counterpoint.metrics.paired_tests import ALPHA, holm
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.reports.tables import ResultTable, TableCell
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion


@dataclass(frozen=True, slots=True)
class VersionScore:
    """A score of one version on one suite, and its difference to the version before; nan where there is none.

    `p` is corrected over the series of the suite and metric (Holm).
    """

    version: str
    date: str
    suite: str
    metric: str
    value: float
    low: float
    high: float
    n: int
    difference: float = nan
    p: float = nan
    is_baseline: bool = False

    @property
    def is_change(self) -> bool:
        """Whether the difference to the version before holds by the corrected paired test."""
        return self.p < ALPHA


@dataclass(frozen=True, slots=True, repr=False)
class ModelHistory(LabResult[VersionScore], rows="scores"):
    """The scores of a model over its versions, in their order."""

    model: str
    scores: tuple[VersionScore, ...]

    def tables(self) -> list[ResultTable]:
        """A table for each suite and metric, one row per version."""
        series: dict[tuple[str, str], list[VersionScore]] = {}
        for score in self.scores:
            series.setdefault((score.suite, score.metric), []).append(score)
        heads = ("version", "date", "%", "since the one before", "p", "n")
        return [
            ResultTable(f"{self.model} on {suite}: {metric}", heads, [_row(score) for score in own], names=2)
            for (suite, metric), own in series.items()
        ]

    def notes(self) -> list[str]:
        """The versions at which something changed."""
        changes = [
            f"{score.version}: {score.metric} on {score.suite} {'rose' if score.difference > 0 else 'fell'} by "
            f"{abs(100 * score.difference):.1f} points"
            for score in self.scores
            if score.is_change
        ]
        return changes or ["no version differs from the one before by more than chance explains"]


def _row(score: VersionScore) -> tuple[str | TableCell, ...]:
    name = f"{score.version} (baseline)" if score.is_baseline else score.version
    interval = "" if isnan(score.low) else f"{100 * score.low:.1f}–{100 * score.high:.1f}"
    difference = "–" if isnan(score.difference) else f"{100 * score.difference:+.1f}"
    p = "–" if isnan(score.p) else f"{score.p:.3f}" if score.p >= 0.001 else "<0.001"
    value = TableCell(f"{100 * score.value:.1f}", interval, is_bold=score.is_change)
    return name, score.date, value, difference, p, f"{score.n:,}"


def model_history(
    store: LabStore, model: str, suites: Sequence[str] = (), request: ScoreRequest | None = None
) -> ModelHistory:
    """The scores of every version of a model, and the differences between versions that follow each other."""
    versions = [version for version in store.versions() if version.name == model]
    if not versions:
        raise UnknownName("model that was run in this lab", model, sorted({own.name for own in store.versions()}))
    wanted = request or ScoreRequest(())
    scores = list(_scores(store, versions, suites, wanted))
    if not scores:
        raise StoreError(f"{model} has no scores", hint="run it on a suite first")
    return ModelHistory(model, tuple(_with_changes(store, versions, scores, suites, wanted)))


def _scores(
    store: LabStore, versions: Sequence[ModelVersion], suites: Sequence[str], request: ScoreRequest
) -> Iterator[VersionScore]:
    """The scores that tables show, by suite, metric and version."""
    scored = score_models(store, request, [version.fingerprint for version in versions], suites)
    place = {version.title: (number, version) for number, version in enumerate(versions)}
    shown = {suite: {metric.name for metric in metrics} for suite, metrics in scored.displayed.items()}
    rows = [row for row in scored.rows if row["value"] is not None and row["metric"] in shown.get(row["suite"], ())]
    for row in sorted(rows, key=lambda row: (row["suite"], row["metric"], place[row["model"]][0])):
        version = place[row["model"]][1]
        value, low, high = (_number(row[end]) for end in ("value", "low", "high"))
        about = (version.version, version.runs[0].date, row["suite"], row["metric"])
        yield VersionScore(*about, value, low, high, row["n"], is_baseline=version.is_baseline)


def _with_changes(
    store: LabStore,
    versions: Sequence[ModelVersion],
    scores: Sequence[VersionScore],
    suites: Sequence[str],
    request: ScoreRequest,
) -> Iterator[VersionScore]:
    """The scores with the differences to the versions before them."""
    differences: dict[tuple[str, str, str], Mapping[str, Any]] = {}
    for before, after in pairwise(versions):
        for row in _compared(store, after, before, suites, request):
            differences[after.version, row["suite"], row["metric"]] = row
    series: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for key in differences:
        series.setdefault(key[1:], []).append(key)
    corrected = {
        key: p
        for keys in series.values()
        for key, p in zip(keys, holm([_number(differences[key]["p"]) for key in keys]), strict=True)
    }
    for score in scores:
        key = score.version, score.suite, score.metric
        if key in differences:
            yield replace(score, difference=_number(differences[key]["difference"]), p=corrected[key])
        else:
            yield score


def _compared(
    store: LabStore, after: ModelVersion, before: ModelVersion, suites: Sequence[str], request: ScoreRequest
) -> Sequence[Mapping[str, Any]]:
    """The differences of two versions; none where they have no groups in common."""
    try:
        return compare_models(store, after.fingerprint, before.fingerprint, request, suites).rows
    except StoreError:
        return ()


def _number(value: float | None) -> float:
    return nan if value is None else value
