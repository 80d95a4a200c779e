"""The tables of a paper, computed from the models of a lab."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.contrast import KS
from counterpoint.reports.papers import carets, contrast, valse
from counterpoint.reports.papers.carets_results import CaretsResults
from counterpoint.reports.papers.paper_table import PaperTable
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.store.lab import LabStore


@dataclass(frozen=True, slots=True)
class PaperRequest:
    """Which tables of which paper are computed, from which models and suites."""

    paper: str  # carets, contrast or valse
    tables: tuple[str, ...] = ()  # by number; by default all
    models: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    printed: bool = False  # adds the paper's own models
    seed: int = 0  # for bootstrap resamples
    ks: tuple[int, ...] = ()  # contrasts in a set, for contrast sets
    threshold: float = 0.5  # the probability above which a caption counts as correct, for VALSE
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
    heads, note = (*table.names, *table.heads), "\n".join(table.notes)
    return ResultTable(f"{name}: {table.title}", heads, rows, names=len(table.names), note=note)


def paper_tables(lab: LabStore, request: PaperRequest) -> PaperTables:
    """Compute the tables of a paper; a lab that has none of its tests is an error."""
    papers: Mapping[str, Callable[[LabStore, PaperRequest], list[PaperTable]]] = {
        "carets": _carets,
        "contrast": _contrast,
        "valse": _valse,
    }
    if request.paper not in papers:
        raise UnknownName("paper", request.paper, papers)
    return PaperTables(request.paper, tuple(papers[request.paper](lab.opened(), request)))


def _answers(lab: LabStore, request: PaperRequest) -> dict[str, Any]:
    return {title: load_answers(lab, info) for title, info in select_models(lab, request.models).items()}


def _carets(lab: LabStore, request: PaperRequest) -> list[PaperTable]:
    answers = _answers(lab, request)
    results = CaretsResults(load_groups(lab, request.suites), answers, carets.TESTS, seed=request.seed)
    if not results.tests:
        hint = f"make one with counterpoint generate {lab.folder} --suite rephrase"
        raise StoreError(f"{lab.folder} has none of the tests {', '.join(carets.TESTS)}", hint=hint)
    return carets.tables(results, request.tables, printed=request.printed)


def _contrast(lab: LabStore, request: PaperRequest) -> list[PaperTable]:
    answers, ks = _answers(lab, request), tuple(sorted(set(request.ks))) or KS
    results = contrast.ContrastResults(load_groups(lab, request.suites), answers, ks, request.seed)
    if not results.templates:
        hint = f"make one with counterpoint generate {lab.folder} --suite contrast"
        raise StoreError(f"{lab.folder} has no contrast sets", hint=hint)
    return contrast.tables(results, request.tables)


def _valse(lab: LabStore, request: PaperRequest) -> list[PaperTable]:
    needs_no_model = request.tables == ("5",) and not request.models
    answers = {} if needs_no_model else _answers(lab, request)
    groups = load_groups(lab, request.suites)
    results = valse.ValseResults(groups, answers, request.threshold, request.seed, request.subset)
    if not results.tests:
        hint = f"make some with counterpoint generate {lab.folder} --suite released --source valse --data FOLDER"
        raise StoreError(f"{lab.folder} has none of the instruments {', '.join(valse.TESTS)}", hint=hint)
    return valse.tables(results, request.tables, printed=request.printed)
