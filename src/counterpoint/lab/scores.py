"""Outcomes, scores and reliability curves of the models of a lab."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.ahead import map_ahead
from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.quantities import check_least, counted
from counterpoint.lab.reading_warnings import AnswerProblems
from counterpoint.lab.results import LabResult, LabTable
from counterpoint.lab.selection import (
    ANSWER_COLUMNS,
    load_answers,
    load_groups,
    pooled_gold_notes,
    select_models,
    select_suites,
    text_only_models,
    version_notes,
)
from counterpoint.metrics.calibration import ReliabilityBin, reliability
from counterpoint.metrics.credit import AnswerWords
from counterpoint.metrics.labels import Labels, tag_labels
from counterpoint.metrics.metric import Ability, Metric, applicable, columns_read, whole_suites
from counterpoint.metrics.outcomes import Outcomes, judge, sort_by_group
from counterpoint.metrics.ranking import RankedPairs, acc_r_over_text, count_ranked, relate_by_text
from counterpoint.metrics.scoring import DEFAULT_METRICS, BlockSums, ScoreRequest, ScoreTotals, displayed_by_suite
from counterpoint.metrics.slices import check_columns, count_untagged
from counterpoint.metrics.ties import OutcomesOf
from counterpoint.metrics.units import STATES, Floats
from counterpoint.reports.charts.curves import ReliabilityChart, ReliabilityCurve
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.store.blocks import BLOCK_ROWS, THREADS, AnswerBlocks, SuiteBlocks, open_blocks, read_contents
from counterpoint.store.lab import LabStore
from counterpoint.store.tables import as_lists

_OUTCOME_COLUMNS = ("suite", "test", "group_id", "role", "relation", "kind", "picture", "text", "query")


@dataclass(frozen=True, slots=True)
class ModelScore:
    """One metric of one model in one slice; from 0 to 1, without a value where nothing counts."""

    model: str
    metric: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    slice: Mapping[str, str]  # suite, and what else the scores are cut by
    record: Mapping[str, Any]  # all columns: method, clusters, threshold, rule set, states of the answers, …


@dataclass(frozen=True, slots=True, repr=False)
class Scores(LabResult[ModelScore]):
    """Scores with 95 % intervals over pictures."""

    _rows: ClassVar[str] = "rows"

    rows: tuple[Mapping[str, Any], ...]
    request: ScoreRequest
    displayed: Mapping[str, tuple[Metric, ...]]  # by suite: the metrics that tables show
    remarks: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[ModelScore]:
        for row in self.rows:
            cut = {name: row[name] for name in self.request.columns}
            value, low, high = row["value"], row["low"], row["high"]
            yield ModelScore(row["model"], row["metric"], value, low, high, row["n"], cut, row)

    def to_dict(self) -> dict[str, Any]:
        """All scores."""
        return {"scores": self.records(), "notes": list(self.notes())}

    def notes(self) -> list[str]:
        """Which versions were chosen, and which metrics have no value for which model, and why."""
        valued = {(row["model"], row["metric"]) for row in self.rows if row["value"] is not None}
        reasons: dict[tuple[str, str], dict[str, None]] = {}
        for row in self.rows:
            if row["reason"]:
                place = " in some slices" if (row["model"], row["metric"]) in valued else ""
                reasons.setdefault((row["model"], f"{place}: {row['reason']}"), {})[row["metric"]] = None
        return [*self.remarks, *(f"{model} has no {', '.join(names)}{why}" for (model, why), names in reasons.items())]

    def leading_rows(self) -> list[Mapping[str, Any]]:
        """The rows of the metrics that lead on each suite, where they have a value."""
        names = {suite: {metric.name for metric in metrics} for suite, metrics in self.displayed.items()}
        return [row for row in self.rows if row["metric"] in names[row["suite"]] and row["value"] is not None]

    def leading(self) -> dict[str, float]:
        """The metrics that lead on each suite, as trackers take them: suite/metric, with the ends of its interval.

        Where scores are cut further, the values of these columns follow the suite; of several models each is named
        first.
        """
        ends = {"value": "", "low": "_low", "high": "_high"}
        several = len({row["model"] for row in self.rows}) > 1
        columns = (*(["model"] if several else []), *self.request.columns, "metric")
        return {
            "/".join(row[name] for name in columns) + suffix: row[end]
            for row in self.leading_rows()
            for end, suffix in ends.items()
            if row[end] is not None
        }

    def tables(self) -> list[ResultTable]:
        """One table for each choice of metrics, with the suites that show these."""
        by_metrics: dict[tuple[Metric, ...], list[Mapping[str, Any]]] = {}
        for row in self.rows:
            by_metrics.setdefault(self.displayed[row["suite"]], []).append(row)
        return [_table(rows, self.request, metrics) for metrics, rows in by_metrics.items()]


@dataclass(frozen=True, slots=True, repr=False)
class Reliability(LabResult[ReliabilityBin]):
    """Bins of confidence with the accuracy in each; a notebook shows the curve."""

    _rows: ClassVar[str] = "bins"

    model: str
    bins: tuple[ReliabilityBin, ...]
    remarks: tuple[str, ...] = ()

    @property
    def chart(self) -> ReliabilityChart:
        """The curve beside the diagonal; `svg()` gives a file."""
        return ReliabilityChart(f"Reliability of {self.model}", (ReliabilityCurve(self.model, self.bins),))

    def tables(self) -> list[ResultTable]:
        """One line per bin."""
        lines = [
            (percent(own.confidence), percent(own.accuracy, own.accuracy_low, own.accuracy_high), f"{own.n:,}")
            for own in self.bins
        ]
        return [
            ResultTable(f"Reliability of {self.model}, in per cent", ("confidence", "accuracy", "n"), lines, names=0)
        ]

    def _repr_html_(self) -> str:
        return self.chart.svg() + LabResult._repr_html_(self)


class AnswersMissing(StoreError):  # noqa: N818 - it reads as the sentence it is
    """No model of those that are scored has answered any of the suites."""


def score_models(
    store: LabStore,
    request: ScoreRequest,
    models: Sequence[str],
    suites: Sequence[str],
    *,
    block_rows: int = BLOCK_ROWS,
) -> Scores:
    """Score models on suites, without the slices that a model was never asked about.

    Suites with more than `block_rows` rows are judged in blocks of about so many, which give the same scores.
    """
    check_columns((*request.by, *request.where))
    chosen, rows = select_models(store, models), list[Mapping[str, Any]]()
    untagged = UntaggedGroups(request)
    with open_blocks(store, select_suites(store, suites), pool=request.pool, rows=block_rows) as blocks:
        contents = blocks.contents
        read = columns_read(metric for own in request.metrics_by_suite(contents).values() for metric in own)
        baselines = _TextBaselines(store, blocks) if acc_r_over_text in request.metrics else None
        *_, last = chosen
        for title, model in chosen.items():
            answers = blocks.answers(model.fingerprint, (*ANSWER_COLUMNS, *read, "rule"))
            totals, problems = ScoreTotals(request, contents), AnswerProblems()
            sums_of = partial(_block_sums, blocks, answers, baselines, totals, request.threshold)
            for number, (given, outcomes, sums) in enumerate(map_ahead(sums_of, range(len(blocks)), THREADS)):
                problems.add(given, outcomes)
                totals.add_sums(sums, outcomes)
                answers.delete(number)  # while threads judge the next ones: a disk takes a second for each gigabyte
                if title == last:
                    untagged.add(outcomes)
                    blocks.delete(number)
            if not request.pool:
                problems.warn(store, model)
            named = {"model": title, "fingerprint": model.fingerprint}
            rows += (named | row for row in totals.table().to_pylist() if row["missing"] < 1)
    if not rows:
        check_slices(store, select_suites(store, suites), request.by, request.where)
        check_metrics(store, select_suites(store, suites), request.metrics)
        fact = f"{store.address} has no answers of {', '.join(chosen)} to these suites, tests and slices"
        raise AnswersMissing(fact, hint="run it on these suites first, or keep more with --by and --filter")
    pooled = pooled_gold_notes(store, suites) if request.pool else ()
    notes = (*version_notes(models, chosen.values()), *pooled, *untagged.notes())
    return Scores(tuple(rows), request, displayed_by_suite(contents, rows, request), notes)


class UntaggedGroups:
    """Counts the groups that are in no slice by a tag since they lack it, where others of their suite have it."""

    def __init__(self, request: ScoreRequest) -> None:
        self._counts = {tag: dict[str, tuple[int, int]]() for tag in request.by if tag.startswith("tag:")}

    def add(self, outcomes: Outcomes) -> None:
        """Count those of a block."""
        for tag, counts in self._counts.items():
            for suite, (bare, groups) in count_untagged(outcomes, tag).items():
                before = counts.get(suite, (0, 0))
                counts[suite] = before[0] + bare, before[1] + groups

    def notes(self) -> list[str]:
        """A sentence for each tag and suite."""
        return [
            f"{bare:,} of {counted(groups, 'group')} of {suite} have no {tag}, and are in no slice"
            for tag, counts in self._counts.items()
            for suite, (bare, groups) in counts.items()
            if 0 < bare < groups
        ]


def check_slices(store: LabStore, suites: Sequence[str], by: Sequence[str], where: Mapping[str, str]) -> None:
    """Raise an UnknownName where scores are cut by a tag, or kept for a value, that no group of these suites has."""
    tables, named = [store.suite(name).table for name in suites], " and ".join(suites)
    flat = [as_lists(chunk).flatten() for table in tables for chunk in table["tags"].chunks]
    tags = {key for pairs in flat for key in pc.unique(pc.struct_field(pairs, 0)).to_pylist()}
    for column in (*by, *where):
        if (name := column.removeprefix("tag:")) != column and name not in tags:
            raise UnknownName(f"tag of {named}", name, tags)
    for column, value in where.items():
        if column != "suite":  # of several that are pooled, it is the name of the pool
            known = {word for table in tables for word in _column_words(table, column)}
            if value not in known:
                raise UnknownName(f"{column} of {named}", value, known)


def check_metrics(store: LabStore, suites: Sequence[str], metrics: Sequence[Metric]) -> None:
    """Raise a CounterpointError where a metric applies to none of these suites."""
    contents = [own for name in suites for own in whole_suites(read_contents(store, name)).values()]
    for metric in metrics:
        if not any(map(metric.applies, contents)):
            others = dict.fromkeys(other.name for own in contents for other in applicable(own, DEFAULT_METRICS))
            fact = f"{metric.name} does not apply to {' and '.join(suites)}"
            raise CounterpointError(fact, hint=f"metrics of it: {', '.join(others)}")


def _column_words(table: pa.Table, column: str) -> list[str]:
    """The values that a suite has in a column, or for a tag; of gold answers those that slices go by."""
    if column == "gold":
        return list(AnswerWords(Labels.of(table["suite"]), table).gold.words.to_pylist())
    if column.startswith("tag:"):
        return list(tag_labels(table["tags"], column.removeprefix("tag:")).words.to_pylist())
    return list(pc.unique(table[column]).to_pylist())


def judge_block(blocks: SuiteBlocks, answers: AnswerBlocks, threshold: float, number: int) -> tuple[pa.Table, Outcomes]:
    """The answers of a model in a block, and their outcomes."""
    groups = blocks.groups(number)
    given = answers.read(number, groups)
    return given, judge(groups, given, threshold, blocks.tag_reader(number))


def _block_sums(
    blocks: SuiteBlocks,
    answers: AnswerBlocks,
    baselines: "_TextBaselines | None",
    totals: ScoreTotals,
    threshold: float,
    number: int,
) -> tuple[pa.Table, Outcomes, BlockSums]:
    """The answers of a model in a block, their outcomes, and what these add to its totals."""
    given, outcomes = judge_block(blocks, answers, threshold, number)
    if baselines:
        outcomes = replace(outcomes, text_related=baselines.relate(number))
    return given, outcomes, totals.sums_of(outcomes)


def judge_blocks(blocks: SuiteBlocks, answers: AnswerBlocks, threshold: float) -> Iterator[Outcomes]:
    """The outcomes of a model, block after block."""
    judged = partial(judge_block, blocks, answers, threshold)
    return (outcomes for _, outcomes in map_ahead(judged, range(len(blocks)), THREADS))


def judged_models(blocks: SuiteBlocks, answers: Mapping[str, AnswerBlocks], threshold: float) -> OutcomesOf:
    """The outcomes of models by name; a single block is held, several are judged anew whenever they are read."""

    def outcomes(name: str) -> Iterator[Outcomes]:
        return judge_blocks(blocks, answers[name], threshold)

    return cache(lambda name: list(outcomes(name))) if len(blocks) == 1 else outcomes


def rank_by_text(store: LabStore, groups: pa.Table) -> Floats | None:
    """Whether the best text-only model of each test ranks each row of a suite below its caption; None without one."""
    baselines = [judge(groups, load_answers(store, model)) for model in text_only_models(store)]
    return relate_by_text(baselines) if baselines else None


class _TextBaselines:
    """The text-only models of a lab, in blocks."""

    def __init__(self, store: LabStore, blocks: SuiteBlocks) -> None:
        self._blocks = blocks
        self._answers = [blocks.answers(own.fingerprint, ANSWER_COLUMNS) for own in text_only_models(store)]
        self._counts = [self._count(own) for own in self._answers]

    def relate(self, number: int) -> Floats | None:
        """Whether the best of them ranks each row of a block below its caption; None without one."""
        baselines = [judge_block(self._blocks, own, 0.5, number)[1] for own in self._answers]
        return relate_by_text(baselines, self._counts) if baselines else None

    def _count(self, answers: AnswerBlocks) -> RankedPairs:
        counts: dict[tuple[str, str], tuple[int, int]] = {}
        for outcomes in judge_blocks(self._blocks, answers, 0.5):
            for name, (hits, cases) in count_ranked(outcomes).items():
                before = counts.get(name, (0, 0))
                counts[name] = before[0] + hits, before[1] + cases
        return counts


def outcome_table(store: LabStore, model: str, suites: Sequence[str], threshold: float) -> LabTable:
    """One row per query: what was answered, what it earned (0 to 1), and whether the variant satisfies its relation.

    `correct` is null without gold or answer, `consistent` is null for bases and where the relation cannot be judged.
    """
    ((title, version),) = select_models(store, [model]).items()
    groups = sort_by_group(load_groups(store, suites))
    answers = load_answers(store, version)
    outcomes = judge(groups, answers, threshold)
    plain = answers.filter(pc.equal(answers["trial"], 0))
    places = pc.index_in(groups["query"], value_set=plain["query"].combine_chunks())
    pairs = outcomes.pairs()
    consistent, known = (np.zeros(len(outcomes.base), np.bool_) for _ in range(2))
    consistent[pairs.row], known[pairs.row] = pairs.related, pairs.known & pairs.counted
    columns = {name: groups[name] for name in _OUTCOME_COLUMNS} | {
        "value": plain["value"].take(places),
        "raw": plain["raw"].take(places),
        "state": pa.DictionaryArray.from_arrays(outcomes.state, pa.array(STATES)).cast(pa.string()),
        "score": pa.array(outcomes.score, mask=np.isnan(outcomes.score)),
        "correct": pa.array(outcomes.correct, mask=np.isnan(outcomes.correct)),
        "consistent": pa.array(consistent, mask=~known),
    }
    return LabTable(f"Outcomes of {title}", pa.table(columns))


def measure_reliability(
    store: LabStore, model: str, suites: Sequence[str], *, bins: int, equal_mass: bool
) -> Reliability:
    """The reliability of a model's answers to the bases of suites, in bins of equal width or of equal numbers."""
    check_least(1, bins=bins)
    ((title, version),) = select_models(store, [model]).items()
    outcomes = judge(load_groups(store, suites), load_answers(store, version, ["top"]))
    curve = reliability(outcomes.singles(), bins=bins, mass=equal_mass)
    return Reliability(title, tuple(curve), version_notes([model], [version]))


def _table(rows: Sequence[Mapping[str, Any]], request: ScoreRequest, metrics: Sequence[Metric]) -> ResultTable:
    """One line per model and slice: each metric with its interval, and the states of the answers, if any is not ok."""
    slices: dict[tuple[str, ...], dict[str, Mapping[str, Any]]] = {}
    for row in rows:
        slices.setdefault((row["model"], *(row[name] for name in request.columns)), {})[row["metric"]] = row
    names = [metric.name for metric in metrics]
    states = [state for state in STATES[1:] if any(row[state] for row in rows)]
    lines = [
        (
            *name,
            *(_score_text(own.get(metric, {})) for metric in names),
            str(max((row["n"] for row in own.values() if row["metric"] in names), default=0)),
            *(percent(next(iter(own.values()))[state]) for state in states),
        )
        for name, own in slices.items()
    ]
    heads = ("model", *request.columns, *(metric.phrase for metric in metrics), "n", *states)
    correct = f"a credit of at least {request.threshold:g}"
    if all(metric.needs is Ability.SCORES for metric in metrics):
        correct = f"a caption of a probability above {request.threshold:g}, and a foil of no more"
    title = f"Per cent with 95 % intervals over pictures; correct is {correct}"
    return ResultTable(title, heads, lines, names=1 + len(request.columns))


def _score_text(row: Mapping[str, Any]) -> str:
    """A score with its interval, or with the p value of a test against chance."""
    text = percent(*(row.get(end) for end in ("value", "low", "high")))
    p = row.get("p")
    return text if p is None else f"{text} (p {p:.3f})" if p >= 0.001 else f"{text} (p <0.001)"
