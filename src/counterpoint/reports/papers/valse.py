"""Tables 4 and 5 of VALSE from any lab: the released files, or instruments of one's own under the same names.

Table 4 is over the pairs that are valid, where a lab tells the votes of annotators, and over all where it does not. The
average is over instruments, each counting once, FOIL it! included; that of min(p_c, p_f) is the mean of the minima.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import isnan
from pathlib import Path

from counterpoint.metrics.labels import tag_labels
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.ranking import RANKING
from counterpoint.metrics.relabeling import Table, distinct_values, keep_rows
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.reports.papers.paper_table import NOT_APPLICABLE, NOT_RUN, PaperCell, PaperRow, PaperTable
from counterpoint.sources.valse import INSTRUMENTS
from counterpoint.studies.foil_words import ALL, SUBSETS, WordSides, foil_words

LABELS = ("4", "5")
TESTS = tuple(one.name for one in INSTRUMENTS)
"""The eleven instruments, in the order of the paper."""
AVERAGE = "average"
MEASURES = {
    "acc_r": "acc_r",
    "ties": "ties",
    "acc": "acc",
    "min_p": "min(p_c, p_f)",
    "p_c": "p_c",
    "p_f": "p_f",
    "auroc": "AUROC",
}
"""The measures as the paper writes them, with the share of ties, which it does not have."""


@dataclass(frozen=True)
class ValseResults:
    """The instruments of a lab with what each model said to them."""

    groups: Table
    answers: Mapping[str, Table]
    threshold: float = 0.5
    seed: int = 0
    subset: str = "valid"  # of those whose votes are told

    @cached_property
    def kept(self) -> Table:
        """The groups of the instruments, whatever suites they are in."""
        return keep_rows(self.groups, "test", TESTS)

    @cached_property
    def chosen(self) -> Table:
        """The groups for whose captions enough annotators voted, and those whose votes are not told."""
        few = [str(votes) for votes in range(SUBSETS[self.subset])]
        return self.kept.filter(~tag_labels(self.kept["tags"], "votes").where(few))

    @cached_property
    def tests(self) -> tuple[str, ...]:
        """The instruments that there are, in the order of the paper."""
        there = {test for (test,) in distinct_values(self.chosen, "test")}
        return tuple(test for test in TESTS if test in there)

    @cached_property
    def cells(self) -> Mapping[tuple[str, str, str], PaperCell]:
        """Each score by model, measure and instrument."""
        return {key: cell for key, (cell, _) in self._scores.items()}

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """Why some measures do not apply to a model."""
        return {model: why for (model, _, _), (_, why) in self._scores.items() if why}

    @cached_property
    def _scores(self) -> Mapping[tuple[str, str, str], tuple[PaperCell, str]]:
        found = {}
        for model, own in self.answers.items():
            request = ScoreRequest(("test",), metrics=RANKING, threshold=self.threshold, seed=self.seed)
            for row in score_outcomes(judge(self.chosen, own, self.threshold), request).to_pylist():
                if row["missing"] < 1:
                    cell = PaperCell(row["value"], row["low"], row["high"], row["n"]) if row["n"] else NOT_APPLICABLE
                    found[model, row["metric"], row["test"]] = cell, row["reason"]
        return found

    def line(self, model: str, measure: str) -> tuple[PaperCell, ...]:
        """The scores of a model by one measure on all instruments, and their mean."""
        cells = tuple(self.cells.get((model, measure, test), NOT_RUN) for test in TESTS)
        return *cells, average([cell for cell, test in zip(cells, TESTS, strict=True) if test in self.tests])


def average(cells: Sequence[PaperCell]) -> PaperCell:
    """The mean of some scores, each counting once; nothing where one is missing.

    >>> average([Cell(0.5), Cell(1.0)]).value
    0.75
    """
    values = [cell.value for cell in cells if cell.value is not None]
    return PaperCell(sum(values) / len(values)) if values and len(values) == len(cells) else NOT_APPLICABLE


def tables(results: ValseResults, labels: Sequence[str] = (), *, printed: bool = False) -> list[PaperTable]:
    """The tables of these numbers, or both; with `printed`, the rows of the paper's models as well."""
    makers = {"4": lambda: performance(results, printed=printed), "5": lambda: validation(results)}
    return [makers[label]() for label in labels or LABELS]


def performance(results: ValseResults, *, printed: bool = False) -> PaperTable:
    """Table 4: every measure on every instrument."""
    lines: list[PaperRow] = []
    for measure, title in MEASURES.items():
        own = [PaperRow((title, model), results.line(model, measure)) for model in results.answers]
        own = [line for line in own if _says_something(line, measure)]
        theirs = published_values().get(measure, {}) if printed else {}
        lines += own
        lines += (PaperRow((title, f"{model} (paper)"), cells, printed=True) for model, cells in theirs.items())
    notes = [f"{model}: no acc, p_c and p_f, because {why}." for model, why in results.reasons.items()]
    if len(results.tests) < len(TESTS):
        notes.append(f"The average is over the {len(results.tests)} instruments of this lab, of {len(TESTS)}.")
    if any(line.names[0] == MEASURES["ties"] for line in lines):
        notes.append("Ties are pairs whose caption and foil have one score; for acc_r they are misses.")
    title = f"captions against foils, at a threshold of {results.threshold:g}, and the mean over instruments"
    return PaperTable("4", title, ("measure", "model"), (*TESTS, AVERAGE), tuple(lines), tuple(notes))


def _says_something(line: PaperRow, measure: str) -> bool:
    """Whether a line is printed: not where there are no ties, nor where the measure does not apply to the model."""
    if measure == "ties":
        return any(cell.value for cell in line.cells)
    cells = line.cells[:-1]
    return any(cell.value is not None for cell in cells) or all(cell is NOT_RUN for cell in cells)


def validation(results: ValseResults) -> PaperTable:
    """Table 5: how many pairs there are, how many are valid, and how far their words are apart."""
    heads = ("instances", "valid", "unanimous", "lexical items", "JS", "JS valid")
    found = foil_words(results.kept)
    lines = [PaperRow((test,), _validated(own)) for test, own in found.items()]
    told = all("valid" in own for own in found.values())
    note = "Votes are not told in this lab: make the released files with --split all to have them."
    title = "pairs, votes for the caption, and the words of captions and foils"
    return PaperTable("5", title, ("instrument",), heads, tuple(lines), () if told else (note,))


def _validated(own: Mapping[str, WordSides]) -> tuple[PaperCell, ...]:
    subsets = [own.get(name) for name in ("valid", "unanimous")]
    counts = (NOT_APPLICABLE if one is None else PaperCell.counted(one.pairs) for one in subsets)
    apart = (_apart(own.get(name)) for name in (ALL, "valid"))
    return PaperCell.counted(own[ALL].pairs), *counts, PaperCell.counted(own[ALL].items), *apart


def _apart(one: WordSides | None) -> PaperCell:
    return NOT_APPLICABLE if one is None or isnan(one.divergence) else PaperCell(said=f"{one.divergence:.3f}")


@cache
def published_values() -> Mapping[str, Mapping[str, tuple[PaperCell, ...]]]:
    """Every number of Table 4 that the paper prints, by measure and model."""
    found = tomllib.loads(Path(__file__).with_name("valse.toml").read_text("utf-8"))
    return {
        measure: {
            model: tuple(PaperCell.printed(None if isnan(one) else one) for one in row) for model, row in rows.items()
        }
        for measure, rows in found.items()
    }
