"""The tables of the paper on contrast sets from the models of any lab.

They hold what the paper says its tables do: per template and overall, accuracy on originals and on contrasts and the
drop between them; accuracy and consistency for k contrasts; and how much was changed. A model that was trained with
contrasts is one more row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from counterpoint.metrics.contrast import (
    KS,
    accuracy_drop,
    contrast_metrics,
    deduplicated_original_accuracy,
    first_occurrences,
)
from counterpoint.metrics.outcomes import Flags, Outcomes, judge
from counterpoint.metrics.relabeling import Table, distinct_values, keep_rows, rename_values
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.reports.papers.paper_table import NOT_APPLICABLE, PaperCell, PaperRow, PaperTable

TEST = "contrast"
"""The name of our suite."""
OVERALL = "overall"
PAPER = (
    "The paper: 29 K questions, about 22 % of GQA's val, and 80 K, about 8 % of train, were matched; two models dropped"
    " by 13 to 17 points, and gained about 14 on contrasts when trained with them."
)

_SCORES = Mapping[str, Mapping[str, PaperCell]]


@dataclass(frozen=True)
class ContrastResults:
    """Contrast sets with what each model made of them."""

    groups: Table
    answers: Mapping[str, Table]
    ks: Sequence[int] = KS
    seed: int = 0

    @cached_property
    def templates(self) -> tuple[str, ...]:
        """The templates of the sets, in the order of the alphabet."""
        return tuple(kind for (kind,) in distinct_values(self._kept, "kind"))

    @cached_property
    def _kept(self) -> Table:
        kept = keep_rows(self.groups, "test", [TEST])
        return rename_values(kept, "suite", {suite: "" for (suite,) in distinct_values(kept, "suite")})

    @cached_property
    def outcomes(self) -> Mapping[str, Outcomes]:
        """What became of every question, by model."""
        return {model: judge(self._kept, own) for model, own in self.answers.items()}

    @cached_property
    def scores(self) -> Mapping[str, _SCORES]:
        """For each model, by template and overall, every measure."""
        return {model: self._scored(own) for model, own in self.outcomes.items()}

    def _scored(self, own: Outcomes) -> _SCORES:
        found: dict[str, dict[str, PaperCell]] = {}
        for by, metrics in (
            (("kind",), contrast_metrics(self.ks)),
            ((), contrast_metrics(self.ks, deduplicated_original_accuracy(own))),
        ):
            for row in score_outcomes(own, ScoreRequest(by, metrics=metrics, seed=self.seed)).to_pylist():
                cell = PaperCell(row["value"], row["low"], row["high"], row["n"]) if row["n"] else NOT_APPLICABLE
                found.setdefault(row["kind"] if by else OVERALL, {})[row["metric"]] = cell
        for place, cells in found.items():
            cells["drop"] = _drop(own, None if place == OVERALL else own.labels("kind").where([place]), self.seed)
        return found

    def within(self, place: str) -> tuple[Outcomes, Flags]:
        """Any model's outcomes, for counting, and the rows of a template or all."""
        own = next(iter(self.outcomes.values()))
        rows = np.ones(len(own.base), np.bool_) if place == OVERALL else own.labels("kind").where([place])
        return own, rows


def _drop(own: Outcomes, within: Flags | None, seed: int) -> PaperCell:
    found, n = accuracy_drop(own, within, seed=seed)
    return PaperCell(found.value, found.low, found.high, n) if n else NOT_APPLICABLE


def tables(results: ContrastResults, labels: Sequence[str] = ()) -> list[PaperTable]:
    """The tables of these numbers, or all."""
    return [_MAKERS[label](results, label) for label in labels or LABELS]


def drops(results: ContrastResults, label: str) -> PaperTable:
    """Table 2: originals, contrasts, and what is lost between them, by template."""
    measures_shown = ("original_accuracy", f"contrast_accuracy_{max(results.ks)}", "drop")
    lines = [
        PaperRow(
            (place, model),
            tuple(results.scores[model].get(place, {}).get(one, NOT_APPLICABLE) for one in measures_shown),
        )
        for place in (*results.templates, OVERALL)
        for model in results.answers
    ]
    note = "Overall, a question that two templates change is counted once among the originals."
    heads = ("originals", "contrasts", "drop")
    return PaperTable(label, "accuracy by template", ("template", "model"), heads, tuple(lines), (note, PAPER))


def consistencies(results: ContrastResults, label: str) -> PaperTable:
    """Table 4: accuracy and consistency with one, three and five contrasts a question."""
    lines = []
    for model in results.answers:
        own = results.scores[model].get(OVERALL, {})
        for k in results.ks:
            every, whole = (own.get(f"contrast_consistency_{k}{end}", NOT_APPLICABLE) for end in ("", "_full"))
            shown = (own.get(f"contrast_accuracy_{k}", NOT_APPLICABLE), every, _count(every), whole, _count(whole))
            lines.append(PaperRow((model, str(k)), shown))
    heads = ("accuracy on contrasts", "consistency", "sets", "of sets with all k", "such sets")
    note = "The set of three begins with the set of one; consistency over all questions uses as many as there are."
    return PaperTable(label, "k contrasts a question", ("model", "k"), heads, tuple(lines), (note,))


def _count(cell: PaperCell) -> PaperCell:
    return PaperCell.counted(cell.n or 0)


def changed(results: ContrastResults, label: str) -> PaperTable:
    """Tables 5 and 6: pictures, questions and contrasts, by template and overall."""
    lines = []
    for place in (*results.templates, OVERALL):
        own, rows = results.within(place)
        bases = first_occurrences(own, rows)
        contrasts = int(rows.sum()) - int((rows & (own.base == np.arange(len(own.base)))).sum())
        pictures = len(np.unique(own.cluster[rows]))
        lines.append(PaperRow((place,), tuple(map(PaperCell.counted, (pictures, int(bases.sum()), contrasts)))))
    heads = ("pictures", "questions", "contrasts")
    note = "How many were matched, and why others were not changed, is printed when a suite is made."
    return PaperTable(label, "what was changed", ("template",), heads, tuple(lines), (note, PAPER))


_MAKERS: Mapping[str, Callable[[ContrastResults, str], Any]] = {"2": drops, "4": consistencies, "6": changed}
LABELS = tuple(_MAKERS)
"""The numbers of the tables."""
