"""Tables 4 and 5 of VALSE for the models of a lab: the released files, or own instruments under the same names.

Table 4 is over the valid pairs where the lab has annotators' votes, else over all pairs. The average is over
instruments with equal weight, FOIL it! included; that of min(p_c, p_f) is the mean of the minima.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import isnan

from counterpoint.metrics.intervals import NO_SCORE, Score
from counterpoint.metrics.labels import tag_labels
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.ranking import RANKING
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.metrics.slices import Table, distinct_values, keep_rows
from counterpoint.reports.papers.paper_table import NOT_RUN, PaperCell, PaperRow, PaperTable, read_published_values
from counterpoint.sources.formats.valse import INSTRUMENTS
from counterpoint.studies.foil_words import ALL, SUBSETS, WordSides, foil_words

published_values = partial(read_published_values, "valse.toml")
"""Every value of Table 4 that the paper prints, by metric and model."""
LABELS = ("4", "5")
TESTS = tuple(instrument.name for instrument in INSTRUMENTS)
"""The eleven instruments, in the order of the paper."""
AVERAGE = "average"
METRIC_TITLES = {
    "acc_r": "acc_r",
    "ties": "ties",
    "acc": "acc",
    "min_p": "min(p_c, p_f)",
    "p_c": "p_c",
    "p_f": "p_f",
    "auroc": "AUROC",
}
"""The metrics as the paper writes them, and the share of ties, which it does not have."""


@dataclass(frozen=True)
class ValseResults:
    """The instruments of a lab with the scores of each model."""

    groups: Table
    answers: Mapping[str, Table]
    threshold: float = 0.5
    seed: int = 0
    subset: str = "valid"  # of the pairs with votes
    agreement: Mapping[str, tuple[Score, Score]] = field(default_factory=dict)  # alpha of all and of valid pairs
    adaptive: Collection[str] = ()  # instruments where a third vote was asked for only after disagreement
    vote_notes: tuple[str, ...] = ()  # how alpha is to be read

    @cached_property
    def kept(self) -> Table:
        """The groups of the instruments, in any suite."""
        return keep_rows(self.groups, "test", TESTS)

    @cached_property
    def chosen(self) -> Table:
        """The groups whose captions have enough votes, and those without votes."""
        few = [str(votes) for votes in range(SUBSETS[self.subset])]
        return self.kept.filter(~tag_labels(self.kept["tags"], "votes").where(few))

    @cached_property
    def tests(self) -> tuple[str, ...]:
        """The instruments in the lab, in the order of the paper."""
        present = {test for (test,) in distinct_values(self.chosen, "test")}
        return tuple(test for test in TESTS if test in present)

    @cached_property
    def cells(self) -> Mapping[tuple[str, str, str], PaperCell]:
        """The scores by model, metric and instrument."""
        return {key: cell for key, (cell, _) in self._scores.items()}

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """Why some metrics do not apply to a model."""
        return {model: why for (model, _, _), (_, why) in self._scores.items() if why}

    @cached_property
    def _scores(self) -> Mapping[tuple[str, str, str], tuple[PaperCell, str]]:
        scores = {}
        for model, answers in self.answers.items():
            request = ScoreRequest(("test",), metrics=RANKING, threshold=self.threshold, seed=self.seed)
            for row in score_outcomes(judge(self.chosen, answers, self.threshold), request).to_pylist():
                if row["missing"] < 1:
                    scores[model, row["metric"], row["test"]] = PaperCell.scored(row), row["reason"]
        return scores

    def cells_of(self, model: str, metric: str) -> tuple[PaperCell, ...]:
        """The scores of a model by one metric on all instruments, and their mean."""
        cells = tuple(self.cells.get((model, metric, test), NOT_RUN) for test in TESTS)
        return *cells, average([cell for cell, test in zip(cells, TESTS, strict=True) if test in self.tests])


def average(cells: Sequence[PaperCell]) -> PaperCell:
    """The unweighted mean of scores; not applicable if one is missing.

    >>> average([PaperCell(0.5), PaperCell(1.0)]).value
    0.75
    """
    values = [cell.value for cell in cells if cell.value is not None]
    return PaperCell(sum(values) / len(values)) if values and len(values) == len(cells) else PaperCell.empty()


def tables(results: ValseResults, labels: Sequence[str] = (), *, printed: bool = False) -> list[PaperTable]:
    """The tables with these numbers, by default both; `printed` adds the rows of the paper's models."""
    makers = {"4": lambda: performance(results, printed=printed), "5": lambda: validation(results)}
    return [makers[label]() for label in labels or LABELS]


def performance(results: ValseResults, *, printed: bool = False) -> PaperTable:
    """Table 4: every metric on every instrument."""
    lines: list[PaperRow] = []
    for metric, title in METRIC_TITLES.items():
        rows = [PaperRow((title, model), results.cells_of(model, metric)) for model in results.answers]
        lines += [row for row in rows if _has_content(row, metric)]
        published = published_values().get(metric, {}) if printed else {}
        lines += (PaperRow((title, f"{model} (paper)"), cells, printed=True) for model, cells in published.items())
    notes = [f"{model}: no acc, p_c and p_f, because {why}." for model, why in results.reasons.items()]
    if len(results.tests) < len(TESTS):
        notes.append(f"The average is over {len(results.tests)} of {len(TESTS)} instruments.")
    if any(line.names[0] == METRIC_TITLES["ties"] for line in lines):
        notes.append("Ties are pairs whose caption and foil have one score; acc_r counts them as incorrect.")
    title = f"captions against foils, at a threshold of {results.threshold:g}, and the mean over instruments"
    return PaperTable("4", title, ("metric", "model"), (*TESTS, AVERAGE), tuple(lines), tuple(notes))


def _has_content(row: PaperRow, metric: str) -> bool:
    """Whether a row is printed: not without ties, nor where the metric does not apply to the model."""
    if metric == "ties":
        return any(cell.value for cell in row.cells)
    cells = row.cells[:-1]
    return any(cell.value is not None for cell in cells) or all(cell is NOT_RUN for cell in cells)


def validation(results: ValseResults) -> PaperTable:
    """Table 5: the numbers of pairs and of valid pairs, and the divergence of the words of captions and foils."""
    heads = ("instances", "valid", "unanimous", "lexical items", "JS", "JS valid")
    words = foil_words(results.kept)
    alphas = ("α", "α valid") if results.agreement else ()
    rows = [
        PaperRow(
            (test,),
            (
                *_validation_cells(subsets, adaptive=test in results.adaptive),
                *(_alpha_cells(results.agreement.get(test)) if alphas else ()),
            ),
        )
        for test, subsets in words.items()
    ]
    unknown = [test for test, subsets in words.items() if "valid" not in subsets]
    some = f"Valid pairs are counted where people judged every pair, which they did not in {', '.join(unknown)}."
    none = (
        "This lab has no votes: ask people with counterpoint review, or generate the released files with --split all."
    )
    notes = (*results.vote_notes, *((some if alphas else none,) if unknown else ()))
    title = "pairs, votes for the caption, and the words of captions and foils"
    return PaperTable("5", title, ("instrument",), (*heads, *alphas), tuple(rows), notes)


def _alpha_cells(alphas: tuple[Score, Score] | None) -> tuple[PaperCell, ...]:
    known = alphas or (NO_SCORE, NO_SCORE)
    return tuple(PaperCell.empty() if isnan(own.value) else PaperCell(text=f"{own.value:.3f}") for own in known)


def _validation_cells(subsets: Mapping[str, WordSides], *, adaptive: bool) -> tuple[PaperCell, ...]:
    voted = [subsets.get("valid"), None if adaptive else subsets.get("unanimous")]
    counts = (PaperCell.empty() if words is None else PaperCell.counted(words.pairs) for words in voted)
    divergences = (_divergence(subsets.get(name)) for name in (ALL, "valid"))
    return PaperCell.counted(subsets[ALL].pairs), *counts, PaperCell.counted(subsets[ALL].items), *divergences


def _divergence(words: WordSides | None) -> PaperCell:
    return PaperCell.empty() if words is None or isnan(words.divergence) else PaperCell(text=f"{words.divergence:.3f}")
