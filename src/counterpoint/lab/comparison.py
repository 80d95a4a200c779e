"""Two models of a lab on the same groups: paired differences with corrected p values, or coverage."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.ahead import map_ahead
from counterpoint.core.errors import StoreError
from counterpoint.engine.running import NOT_NEEDED
from counterpoint.lab.results import LabResult
from counterpoint.lab.scores import UntaggedGroups, judge_block, score_models
from counterpoint.lab.selection import (
    ANSWER_COLUMNS,
    pooled_gold_notes,
    select_models,
    select_suites,
    suite_version_notes,
    version_notes,
)
from counterpoint.metrics.comparison import compare_blocks, compared_metrics
from counterpoint.metrics.coverage import coverage_of_blocks
from counterpoint.metrics.metric import Contents, columns_read
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.paired_tests import FEWEST_CASES, FEWEST_CLUSTERS
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.metrics.units import STATES
from counterpoint.reports.tables import ResultTable, p_text, percent
from counterpoint.store.blocks import BLOCK_ROWS, THREADS, AnswerBlocks, SuiteBlocks, open_blocks
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion


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
            f"no p value is given below {FEWEST_CLUSTERS} pictures or {FEWEST_CASES} cases of a model; "
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
    store: LabStore,
    first: str,
    second: str,
    request: ScoreRequest,
    suites: Sequence[str],
    *,
    block_rows: int = BLOCK_ROWS,
) -> Comparison:
    """Compare two models on the groups that both were asked.

    Suites with more than `block_rows` rows are judged in blocks of about so many, which give the same differences.
    """
    with _open_pair(store, (first, second), suites, request, block_rows) as pair:
        states = {model: np.zeros(len(STATES), np.int64) for model in pair.models}
        table = compare_blocks(_counting(pair.blocks(), states), pair.contents, request)
    remarks = (*_notes(store, (first, second), pair, request, suites), *suite_version_notes(store, suites))
    one, other = pair.models
    rows = [row for row in table.to_pylist() if row["n"]]
    if not rows:
        if hint := _obstacle(store, (first, second), request, suites):
            raise StoreError(f"{one} and {other} cannot be compared", hint=hint)
        raise StoreError(f"{one} and {other} have no answers in common", hint="run both on the same suites first")
    names = {"first": one, "second": other}
    shares = {
        model: dict(zip(STATES, (counts / counts.sum()).tolist(), strict=True)) for model, counts in states.items()
    }
    named = tuple(row | {"verdict": names.get(row["verdict"], row["verdict"])} for row in rows)
    return Comparison((one, other), named, shares, request, remarks)


def cover_models(
    store: LabStore,
    first: str,
    second: str,
    request: ScoreRequest,
    suites: Sequence[str],
    *,
    pairs: bool,
    block_rows: int = BLOCK_ROWS,
) -> Coverage:
    """How much of what one model has right the other has right too, over single answers or over pairs."""
    with _open_pair(store, (first, second), suites, request, block_rows) as pair:
        blocks = (dict(zip(pair.models, own, strict=True)) for own in pair.blocks())
        table = coverage_of_blocks(blocks, request, pairs=pairs)
    return Coverage(tuple(table.to_pylist()), request, _notes(store, (first, second), pair, request, suites))


@dataclass(frozen=True, slots=True)
class _ModelPair:
    """Two models by their titles, their outcomes in blocks, and the contents of the suites."""

    models: Mapping[str, ModelVersion]
    contents: Mapping[tuple[str, ...], Contents]
    blocks: Callable[[], Iterable[Sequence[Outcomes]]]
    untagged: UntaggedGroups  # of the blocks that were read


def _notes(
    store: LabStore, names: Sequence[str], pair: _ModelPair, request: ScoreRequest, suites: Sequence[str]
) -> tuple[str, ...]:
    """Which versions are meant, where pooled suites disagree, how many groups lack a tag, and who was asked in part."""
    disputes = pooled_gold_notes(store, suites) if request.pool else ()
    versions, stops = version_notes(names, pair.models.values()), _stop_notes(pair, select_suites(store, suites))
    return (*versions, *disputes, *pair.untagged.notes(), *stops)


def _stop_notes(pair: _ModelPair, suites: Sequence[str]) -> Iterator[str]:
    """A sentence for each model whose answers end where a gate was decided, which favours what it decided."""
    for title, model in pair.models.items():
        if stopped := [name for name in suites if _ends_at_decision(model, name)]:
            yield (
                f"{title} was asked about {', '.join(stopped)} until a gate was decided, so that p values are somewhat "
                "too small: 5 % are 6 to 8 %"
            )


def _ends_at_decision(model: ModelVersion, suite: str) -> bool:
    """Whether the last run of a suite that came to an end left out what a gate did not need."""
    runs = [own.details for own in model.runs if suite in own.details.get("suites", {})]
    ended = [own for own in runs if "stopped" in own or own.get("counts", {}).get("left") == 0]  # none at the start
    return bool(ended) and ended[-1].get("stopped") == NOT_NEEDED


@contextmanager
def _open_pair(
    store: LabStore, names: tuple[str, str], suites: Sequence[str], request: ScoreRequest, rows: int
) -> Iterator[_ModelPair]:
    chosen = select_models(store, names)
    if len(chosen) < 2:
        raise StoreError(f"{names[0]} and {names[1]} are the same model", hint="name two that differ")
    with open_blocks(store, select_suites(store, suites), pool=request.pool, rows=rows) as blocks:
        metrics = compared_metrics(blocks.contents, request)
        columns = columns_read(metric for own in metrics.values() for metric in own)
        answers = [blocks.answers(model.fingerprint, (*ANSWER_COLUMNS, *columns)) for model in chosen.values()]
        untagged = UntaggedGroups(request)
        judged = partial(_judged, blocks, answers, request.threshold, untagged)
        yield _ModelPair(chosen, blocks.contents, judged, untagged)


def _judged(
    blocks: SuiteBlocks, answers: Sequence[AnswerBlocks], threshold: float, untagged: UntaggedGroups
) -> Iterator[list[Outcomes]]:
    def judge_all(number: int) -> list[Outcomes]:
        return [judge_block(blocks, own, threshold, number)[1] for own in answers]

    for outcomes in map_ahead(judge_all, range(len(blocks)), THREADS):
        untagged.add(outcomes[0])
        yield outcomes


def _counting(
    blocks: Iterable[Sequence[Outcomes]], states: Mapping[str, NDArray[np.int64]]
) -> Iterator[tuple[Outcomes, Outcomes]]:
    """The same blocks, after their states are counted."""
    for first, second in blocks:
        for counts, own in zip(states.values(), (first, second), strict=True):
            counts += np.bincount(own.state, minlength=len(STATES))
        yield first, second


def _obstacle(store: LabStore, names: tuple[str, str], request: ScoreRequest, suites: Sequence[str]) -> str:
    """Why a model has nothing to compare by a metric; empty where both have."""
    lacks = {metric.name: metric.not_applicable for metric in request.metrics}
    with suppress(StoreError):
        for row in score_models(store, request, names, suites).rows:
            if reason := row["reason"] or ("" if row["n"] else lacks.get(row["metric"], "")):
                return f"{row['model']} has no {row['metric']}: {reason}"
    return ""
