"""The tables of a paper, computed from the models of a lab."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.votes import Vote, VoteTask
from counterpoint.lab.leaderboard import leaderboard
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.lab.voting import qualified_votes, summarize_votes, tag_votes
from counterpoint.metrics.contrast import KS
from counterpoint.metrics.data_set_leaderboard import DATA_SET_TESTS
from counterpoint.metrics.leaderboard import Layout
from counterpoint.metrics.slices import distinct_values, keep_rows
from counterpoint.reports.papers import beyond_accuracy, carets, contrast, rad, valse
from counterpoint.reports.papers.carets_results import CaretsResults
from counterpoint.reports.papers.paper_table import PaperTable
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.store.lab import LabStore


@dataclass(frozen=True, slots=True)
class PaperRequest:
    """Which tables of which paper are computed, from which models and suites."""

    paper: str  # beyond-accuracy, carets, contrast, rad or valse
    tables: tuple[str, ...] = ()  # by number; by default all
    models: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    printed: bool = False  # adds the paper's own models
    seed: int = 0  # of the sign flips of calibration
    ks: tuple[int, ...] = ()  # contrasts in a set, for contrast sets
    threshold: float = 0.5  # the credit from which an answer is correct; for VALSE the probability of a caption
    subset: str = "valid"  # of Table 4 of VALSE, by votes


@dataclass(frozen=True, slots=True, repr=False)
class PaperTables(LabResult[PaperTable], rows="printed"):
    """The tables of a paper."""

    paper: str
    printed: tuple[PaperTable, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"paper": self.paper, "tables": [table.to_dict() for table in self.printed]}

    def records(self) -> list[dict[str, Any]]:
        """One row per table, row and column."""
        return [
            {"table": table.label, "row": " ".join(line.names), "column": head}
            | {name: getattr(cell, name) for name in ("value", "low", "high", "n")}
            for table in self.printed
            for line in table.rows
            for head, cell in zip(table.heads, line.cells, strict=True)
        ]

    def tables(self) -> list[ResultTable]:
        """Each table, with its notes below it."""
        return [_result_table(table) for table in self.printed]


def _result_table(table: PaperTable) -> ResultTable:
    name = f"Figure {table.label[7:]}" if table.label.startswith("figure-") else f"Table {table.label}"
    rows = [
        (
            *line.names,
            *(cell.text if cell.value is None else percent(cell.value, cell.low, cell.high) for cell in line.cells),
        )
        for line in table.rows
    ]
    heads, note = (*table.names, *table.heads), "\n".join(table.remarks)
    return ResultTable(f"{name}: {table.title}", heads, rows, names=len(table.names), note=note)


def paper_tables(lab: LabStore, request: PaperRequest) -> PaperTables:
    """Compute the tables of a paper; a lab that has none of its tests is an error."""
    papers: Mapping[str, Callable[[LabStore, PaperRequest], list[PaperTable]]] = {
        "beyond-accuracy": _beyond_accuracy,
        "carets": _carets,
        "contrast": _contrast,
        "rad": _rad,
        "valse": _valse,
    }
    if request.paper not in papers:
        raise UnknownName("paper", request.paper, papers)
    return PaperTables(request.paper, tuple(papers[request.paper](lab.opened(), request)))


def _load_groups(lab: LabStore, request: PaperRequest) -> pa.Table:
    """The groups of the named suites, or of all but corrected versions whose original is there too."""
    known = lab.suites()
    corrected = {name: lab.manifest(name).parameters.get("corrected", {}).get("suite") for name in known}
    return load_groups(lab, request.suites or [name for name in known if corrected[name] not in known])


def _answers(lab: LabStore, request: PaperRequest, groups: pa.Table, tests: Sequence[str]) -> dict[str, Any]:
    """The answers of the named models, or of all that were asked any of these tests."""
    answers = {title: load_answers(lab, info) for title, info in select_models(lab, request.models).items()}
    queries = keep_rows(groups, "test", tests)["query"].combine_chunks()
    asked = {title: own for title, own in answers.items() if pc.any(pc.is_in(own["query"], value_set=queries)).as_py()}
    return answers if request.models else asked or answers


def _carets(lab: LabStore, request: PaperRequest) -> list[PaperTable]:
    groups = _load_groups(lab, request)
    answers = _answers(lab, request, groups, carets.TESTS)
    results = CaretsResults(groups, answers, carets.TESTS, seed=request.seed)
    if not results.tests:
        hint = f"make one with counterpoint generate {lab.address} --suite rephrase"
        raise StoreError(f"{lab.address} has none of the tests {', '.join(carets.TESTS)}", hint=hint)
    return carets.tables(results, request.tables, printed=request.printed)


def _contrast(lab: LabStore, request: PaperRequest) -> list[PaperTable]:
    groups, ks = _load_groups(lab, request), tuple(sorted(set(request.ks))) or KS
    results = contrast.ContrastResults(groups, _answers(lab, request, groups, [contrast.TEST]), ks, request.seed)
    if not results.templates:
        hint = f"make one with counterpoint generate {lab.address} --suite contrast"
        raise StoreError(f"{lab.address} has no contrast sets", hint=hint)
    return contrast.tables(results, request.tables)


def _valse(lab: LabStore, request: PaperRequest) -> list[PaperTable]:
    groups = _load_groups(lab, request)
    needs_no_model = request.tables == ("5",) and not request.models
    answers = {} if needs_no_model else _answers(lab, request, groups, valse.TESTS)
    votes = [vote for vote in qualified_votes(lab) if vote.task == VoteTask.JUDGE]
    tagged = tag_votes(groups, votes)
    agreement = _agreement(lab, groups, votes) if "5" in (request.tables or valse.LABELS) else {}
    results = valse.ValseResults(tagged, answers, request.threshold, request.seed, request.subset, **agreement)
    if not results.tests:
        hint = f"make some with counterpoint generate {lab.address} --suite released --source valse --data FOLDER"
        raise StoreError(f"{lab.address} has none of the instruments {', '.join(valse.TESTS)}", hint=hint)
    return valse.tables(results, request.tables, printed=request.printed)


def _agreement(lab: LabStore, groups: pa.Table, votes: Sequence[Vote]) -> dict[str, Any]:
    """Krippendorff's alpha by instrument, of all and of valid pairs, where people judged them, and how to read it."""
    judged = sorted({vote.suite for vote in votes} & set(groups["suite"].unique().to_pylist()))
    if not judged:
        return {}
    summary = summarize_votes(lab, judged, VoteTask.JUDGE)
    return {
        "agreement": {count.test: (count.agreement.alpha, count.alpha_accepted) for count in summary.counts},
        "adaptive": frozenset(count.test for count in summary.counts if count.unanimous is None),
        "vote_notes": tuple(summary.notes()),
    }


def _rad(lab: LabStore, request: PaperRequest) -> list[PaperTable]:
    groups = _load_groups(lab, request)
    tests: dict[str, list[str]] = {}
    for suite, test in distinct_values(groups, "suite", "test"):
        tests.setdefault(suite, []).append(test)
    data_sets = {suite: rad.data_set_of(*_source(lab, suite), own) for suite, own in tests.items()}
    needs_no_model = request.tables == ("5",) and not request.models
    answers = {} if needs_no_model else _answers(lab, request, groups, rad.TESTS)
    results = rad.RadResults(groups, data_sets, answers, request.threshold, request.seed)
    if not results.names:
        hint = f"make one with counterpoint generate {lab.address} --suite rad-counterfactuals --source world-vqa"
        raise StoreError(f"{lab.address} has none of the tests {', '.join(rad.TESTS)}", hint=hint)
    return rad.tables(results, request.tables, printed=request.printed)


def _source(lab: LabStore, suite: str) -> tuple[str, str]:
    """The source and split that a suite was made from."""
    parameters = lab.manifest(suite).parameters
    return str(parameters.get("source", suite)), str(parameters.get("split", ""))


def _beyond_accuracy(lab: LabStore, request: PaperRequest) -> list[PaperTable]:
    models = tuple(_answers(lab, request, _load_groups(lab, request), DATA_SET_TESTS))
    options: dict[str, Any] = {"threshold": request.threshold, "seed": request.seed}
    board = leaderboard(lab, models=models, suites=request.suites, layout=Layout.DATASETS, **options).board
    return beyond_accuracy.tables(board, request.tables, printed=request.printed)
