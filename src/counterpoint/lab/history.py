"""The history of a model: its scores over versions, and where they changed.

Each version is held against the one before, and against a reference, without which a slow decline of which no step is
large would go unnoticed: the marked baseline or, where none is marked, the best version before; a version that is above
all before it is held against the lowest of them. P values are corrected over the series of a suite and metric by Holm's
method. With a baseline the family are these comparisons. Without one the reference is chosen by its score, and the
family is every pair of versions, so that this choice costs no validity.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isnan, nan
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.lab.results import LabResult, to_plain
from counterpoint.lab.scores import judged_models
from counterpoint.lab.selection import ANSWER_COLUMNS, select_suites
from counterpoint.metrics.comparison import paired_differences
from counterpoint.metrics.metric import Contents, Metric, columns_read
from counterpoint.metrics.paired_tests import ALPHA, holm
from counterpoint.metrics.scoring import ScoreRequest, ScoreTotals, displayed_by_suite
from counterpoint.metrics.ties import OutcomesOf
from counterpoint.reports.tables import ResultTable, TableCell, p_text
from counterpoint.store.blocks import BLOCK_ROWS, SuiteBlocks, open_blocks
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion


@dataclass(frozen=True, slots=True)
class VersionScore:
    """A score of one version on one suite, and its differences to the version before and to a reference.

    Numbers that are not there are nan; both p values are corrected over the series of the suite and metric (Holm).
    """

    version: str
    date: str  # of its first run
    suite: str
    metric: str
    value: float
    low: float
    high: float
    n: int
    before: str = ""  # the version before that has a score here
    difference: float = nan
    p: float = nan
    reference: str = ""  # the baseline, or the best or lowest version before
    reference_difference: float = nan
    reference_p: float = nan
    is_baseline: bool = False

    @property
    def is_change(self) -> bool:
        """Whether the difference to the version before holds by the corrected paired test."""
        return self.p < ALPHA

    @property
    def is_drift(self) -> bool:
        """Whether the difference to the reference holds while that to the version before does not."""
        return self.reference_p < ALPHA and not self.is_change

    def to_dict(self) -> dict[str, Any]:
        """Plain values; numbers that are not there are null."""
        plain: dict[str, Any] = to_plain(asdict(self))
        return plain | {"is_change": self.is_change, "is_drift": self.is_drift}


@dataclass(frozen=True, slots=True, repr=False)
class ModelHistory(LabResult[VersionScore], rows="scores"):
    """The scores of a model over its versions, in their order."""

    model: str
    scores: tuple[VersionScore, ...]

    def series(self) -> dict[tuple[str, str], list[VersionScore]]:
        """The scores of each suite and metric."""
        return group_pairs(((score.suite, score.metric), score) for score in self.scores)

    def tables(self) -> list[ResultTable]:
        """A table for each suite and metric, one row per version."""
        if self._is_single:
            rows = [(score.suite, *_metric_cells(score)) for score in self.scores]
            return [ResultTable(f"{self.model}, in per cent", ("suite", "metric", "%", "n"), rows, names=2)]
        marked = any(score.is_baseline for score in self.scores)
        reference = "since the baseline" if marked else "since the best (or lowest) before"
        heads = ("version", "date", "%", "since the one before", "p", reference, "p", "n")
        return [
            ResultTable(f"{self.model} on {suite}: {_phrase(metric)}", heads, [_row(score) for score in own], names=2)
            for (suite, metric), own in self.series().items()
        ]

    @property
    def _is_single(self) -> bool:
        return len({score.version for score in self.scores}) == 1

    def notes(self) -> list[str]:
        """The versions at which something changed, and those that differ from their reference with no such step."""
        if self._is_single:
            version = next(iter(self.scores)).version
            return [f"{self.model} has one version with scores, {version}: there is nothing to compare it with"]
        changes = [
            f"{score.version}: {_phrase(score.metric)} on {score.suite} {change_text(score.difference)}"
            for score in self.scores
            if score.is_change
        ]
        drifts = [
            f"{score.version}: {_phrase(score.metric)} on {score.suite} {change_text(score.reference_difference)} "
            f"since {score.reference}; no single step holds"
            for own in self.series().values()
            for score in first_drifts(own)
        ]
        return [*changes, *drifts] or ["no version differs from those before by more than chance explains"]


def change_text(difference: float) -> str:
    """A difference as a verb with points.

    >>> change_text(-0.094)
    'fell by 9.4 points'
    """
    return f"{'rose' if difference > 0 else 'fell'} by {abs(100 * difference):.1f} points"


def drifts(scores: Sequence[VersionScore]) -> list[VersionScore]:
    """The scores of a series that differ from a reference before them though no single step holds."""
    order = {score.version: place for place, score in enumerate(scores)}
    return [
        score for score in scores if score.is_drift and order.get(score.reference, len(order)) < order[score.version]
    ]


def first_drifts(scores: Sequence[VersionScore]) -> Iterator[VersionScore]:
    """The scores of a series at which a drift begins; each reference and direction once, none that a change told."""
    drifting, told = drifts(scores), set[tuple[str, bool]]()
    for score in scores:
        key = score.reference, score.reference_difference > 0
        if score in drifting and key not in told:
            yield score
        if score in drifting or score.is_change:
            told.add(key)


def model_history(
    store: LabStore,
    model: str,
    suites: Sequence[str] = (),
    request: ScoreRequest | None = None,
    *,
    block_rows: int = BLOCK_ROWS,
) -> ModelHistory:
    """The scores of every version of a model, and its differences to the version before and to its reference.

    Suites with more than `block_rows` rows are judged in blocks of about so many, which give the same scores.
    """
    versions, wanted = find_versions(store, model), request or ScoreRequest(())
    with open_blocks(store, select_suites(store, suites), rows=block_rows) as blocks:
        outcomes = _judged_versions(blocks, versions, wanted)
        return ModelHistory(model, tuple(_scores(versions, outcomes, blocks.contents, wanted)))


def _judged_versions(blocks: SuiteBlocks, versions: Sequence[ModelVersion], wanted: ScoreRequest) -> OutcomesOf:
    """The outcomes of versions."""
    metrics = wanted.metrics_by_suite(blocks.contents).values()
    read = (*ANSWER_COLUMNS, *columns_read(metric for own in metrics for metric in own))
    answers = {version.version: blocks.answers(version.fingerprint, read) for version in versions}
    return judged_models(blocks, answers, wanted.threshold)


def _scores(
    versions: Sequence[ModelVersion],
    outcomes: OutcomesOf,
    contents: Mapping[tuple[str, ...], Contents],
    wanted: ScoreRequest,
) -> Iterator[VersionScore]:
    rows = list[tuple[ModelVersion, Mapping[str, Any]]]()
    for version in versions:
        found = ScoreTotals.of(outcomes(version.version), wanted, contents).table().to_pylist()
        rows += ((version, row) for row in found if row["missing"] < 1 and row["value"] is not None)
    if not rows:
        model = versions[0].name
        raise StoreError(f"{model} has no scores", hint="run it on a suite first")
    shown = displayed_by_suite(contents, [row for _, row in rows], wanted)
    order = {
        (suite, own.name): place for place, (suite, own) in enumerate((s, m) for s, ms in shown.items() for m in ms)
    }
    kept = [(version, row) for version, row in rows if (row["suite"], row["metric"]) in order]
    kept.sort(key=lambda item: order[item[1]["suite"], item[1]["metric"]])  # stable: versions keep their order
    metrics = {metric.name: metric for own in shown.values() for metric in own}
    scores = [
        version_score(version, row["suite"], row["metric"], row["value"], row["low"], row["high"], row["n"])
        for version, row in kept
    ]
    return compare_versions(scores, outcomes, metrics)


def find_versions(store: LabStore, model: str) -> list[ModelVersion]:
    """The versions of a model, in their order; raises UnknownName where there is no such model."""
    versions = [version for version in store.versions() if version.name == model]
    if not versions:
        raise UnknownName("model that was run in this lab", model, sorted({own.name for own in store.versions()}))
    return versions


def version_score(
    version: ModelVersion, suite: str, metric: str, value: float, low: float | None, high: float | None, n: int
) -> VersionScore:
    """The score of a version, not yet compared with any other."""
    known_low, known_high = (nan if end is None else end for end in (low, high))
    about = version.version, version.first_date, suite, metric
    return VersionScore(*about, value, known_low, known_high, n, is_baseline=version.is_baseline)


def compare_versions(
    scores: Sequence[VersionScore], outcomes: OutcomesOf, metrics: Mapping[str, Metric]
) -> Iterator[VersionScore]:
    """The scores with their differences; `outcomes` are those of each version, all on the same groups.

    The scores of one suite and metric come in the order of versions.
    """
    series = group_pairs(((score.suite, score.metric), score) for score in scores)
    plans = {key: _with_references(own, metrics[key[1]]) for key, own in series.items()}
    wanted = group_pairs((pair, metrics[metric]) for (_, metric), own in plans.items() for pair in _pairs(own))
    tests = {
        pair: paired_differences(zip(*map(outcomes, pair), strict=True), list(dict.fromkeys(told)))
        for pair, told in wanted.items()
    }
    for key, own in plans.items():
        yield from _with_differences(own, {pair: tests[pair][key] for pair in _pairs(own) if key in tests[pair]})


def _with_references(scores: Sequence[VersionScore], metric: Metric) -> list[VersionScore]:
    """The scores of a series, each with the version before and its reference."""
    sign = -1 if metric.lower_is_better else 1
    baseline = next((score for score in scores if score.is_baseline), None)
    planned = []
    for place, score in enumerate(scores):
        earlier = scores[:place]
        reference = baseline if baseline is not score else None
        if baseline is None and earlier:
            best = max(earlier, key=lambda own: sign * own.value)
            lowest = min(earlier, key=lambda own: sign * own.value)
            reference = lowest if sign * score.value > sign * best.value else best
        planned.append(
            replace(
                score,
                before=earlier[-1].version if earlier else "",
                reference=reference.version if reference else "",
            )
        )
    return planned


Pair = tuple[str, str]
"""Two versions of a series, the later one or the one that is held against a reference first."""


def _pairs(scores: Sequence[VersionScore]) -> list[Pair]:
    """The comparisons of a series, each once."""
    named = [(score.version, other) for score in scores for other in (score.before, score.reference) if other]
    return list({frozenset(pair): pair for pair in named}.values())


def _with_differences(
    scores: Sequence[VersionScore], tests: Mapping[Pair, tuple[float, float]]
) -> Iterator[VersionScore]:
    """The scores of a series with differences and corrected p values."""
    chosen_by_value = not any(score.is_baseline for score in scores)
    family = len(scores) * (len(scores) - 1) // 2 if chosen_by_value else 0
    corrected = dict(zip(tests, holm([p for _, p in tests.values()], family), strict=True))

    def compared(version: str, other: str) -> tuple[float, float]:
        if (version, other) in tests:
            return tests[version, other][0], corrected[version, other]
        if (other, version) in tests:
            return -tests[other, version][0], corrected[other, version]
        return nan, nan

    for score in scores:
        difference, p = compared(score.version, score.before)
        since, since_p = compared(score.version, score.reference)
        yield replace(score, difference=difference, p=p, reference_difference=since, reference_p=since_p)


def _phrase(metric: str) -> str:
    """A metric in words, or the name of one of your own."""
    try:
        return catalog.metric(metric).phrase
    except UnknownName:
        return metric


def _metric_cells(score: VersionScore) -> tuple[str | TableCell, ...]:
    return _phrase(score.metric), _value(score), f"{score.n:,}"


def _value(score: VersionScore) -> TableCell:
    interval = "" if isnan(score.low) else f"{100 * score.low:.1f}–{100 * score.high:.1f}"
    return TableCell(f"{100 * score.value:.1f}", interval, is_bold=score.is_change)


def _row(score: VersionScore) -> tuple[str | TableCell, ...]:
    name = f"{score.version} (baseline)" if score.is_baseline else score.version
    since = _points(score.reference_difference)
    return (
        *(name, score.date, _value(score), _points(score.difference), p_text(score.p)),
        since if since == "–" else f"{since} ({score.reference})",
        *(p_text(score.reference_p), f"{score.n:,}"),
    )


def _points(difference: float) -> str:
    return "–" if isnan(difference) else f"{100 * difference:+.1f}"
