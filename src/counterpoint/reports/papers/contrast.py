"""The tables of the paper on contrast sets for the models of a lab.

Per template and overall: accuracy on originals and on contrasts and the drop between them; accuracy and consistency
for k contrasts; and the numbers of changed questions. A model trained with contrasts is one more row.
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
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.metrics.slices import Table, distinct_values, keep_rows, rename_values
from counterpoint.metrics.units import Flags
from counterpoint.reports.papers.paper_table import PaperCell, PaperRow, PaperTable

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
    """Contrast sets with the outcomes and scores of each model."""

    groups: Table
    answers: Mapping[str, Table]
    ks: Sequence[int] = KS
    seed: int = 0

    @cached_property
    def templates(self) -> tuple[str, ...]:
        """The templates of the sets, sorted."""
        return tuple(kind for (kind,) in distinct_values(self._kept, "kind"))

    @cached_property
    def _kept(self) -> Table:
        kept = keep_rows(self.groups, "test", [TEST])
        return rename_values(kept, "suite", {suite: "" for (suite,) in distinct_values(kept, "suite")})

    @cached_property
    def outcomes(self) -> Mapping[str, Outcomes]:
        """The outcomes of each model."""
        return {model: judge(self._kept, answers) for model, answers in self.answers.items()}

    @cached_property
    def scores(self) -> Mapping[str, _SCORES]:
        """The scores of each model, by template and overall, by metric."""
        return {model: self._score(outcomes) for model, outcomes in self.outcomes.items()}

    def _score(self, outcomes: Outcomes) -> _SCORES:
        scores: dict[str, dict[str, PaperCell]] = {}
        for by, metrics in (
            (("kind",), contrast_metrics(self.ks)),
            ((), contrast_metrics(self.ks, deduplicated_original_accuracy(outcomes))),
        ):
            reasons = {metric.name: metric.not_applicable for metric in metrics}
            for row in score_outcomes(outcomes, ScoreRequest(by, metrics=metrics, seed=self.seed)).to_pylist():
                cell = PaperCell.scored(row, reasons[row["metric"]])
                scores.setdefault(row["kind"] if by else OVERALL, {})[row["metric"]] = cell
        for place, cells in scores.items():
            rows = None if place == OVERALL else outcomes.labels("kind").where([place])
            cells["drop"] = _drop(outcomes, rows)
        return scores

    def within(self, place: str) -> tuple[Outcomes, Flags]:
        """The outcomes of any model, for counting, and the rows of a template or all."""
        outcomes = next(iter(self.outcomes.values()))
        is_inside = (
            np.ones(len(outcomes.base), np.bool_) if place == OVERALL else outcomes.labels("kind").where([place])
        )
        return outcomes, is_inside


def _drop(outcomes: Outcomes, within: Flags | None) -> PaperCell:
    drop = accuracy_drop(outcomes, within)
    return PaperCell(drop.value, drop.low, drop.high, drop.n) if drop.n else PaperCell.empty()


def tables(results: ContrastResults, labels: Sequence[str] = ()) -> list[PaperTable]:
    """The tables with these numbers, by default all."""
    return [_MAKERS[label](results, label) for label in labels or LABELS]


def drops(results: ContrastResults, label: str) -> PaperTable:
    """Table 2: accuracy on originals and on contrasts, and the drop, by template."""
    metrics = ("original_accuracy", f"contrast_accuracy_{max(results.ks)}", "drop")
    lines = [
        PaperRow(
            (place, model),
            tuple(results.scores[model].get(place, {}).get(metric, PaperCell.empty()) for metric in metrics),
        )
        for place in (*results.templates, OVERALL)
        for model in results.answers
    ]
    note = "Overall, a question that two templates change is counted once among the originals."
    heads = ("originals", "contrasts", "drop")
    return PaperTable(label, "accuracy by template", ("template", "model"), heads, tuple(lines), (note, PAPER))


def consistencies(results: ContrastResults, label: str) -> PaperTable:
    """Table 4: accuracy and consistency with k contrasts per question."""
    lines = []
    for model in results.answers:
        scores = results.scores[model].get(OVERALL, {})
        for k in results.ks:
            consistency, complete = (
                scores.get(f"contrast_consistency_{k}{end}", PaperCell.empty()) for end in ("", "_full")
            )
            accuracy = scores.get(f"contrast_accuracy_{k}", PaperCell.empty())
            cells = (accuracy, consistency, _count(consistency), complete, _count(complete))
            lines.append(PaperRow((model, str(k)), cells))
    heads = ("accuracy on contrasts", "consistency", "sets", "of sets with all k", "such sets")
    note = "The set of three begins with the set of one; consistency over all questions uses as many as there are."
    return PaperTable(label, "k contrasts per question", ("model", "k"), heads, tuple(lines), (note,))


def _count(cell: PaperCell) -> PaperCell:
    return PaperCell.counted(cell.n or 0)


def changed_questions(results: ContrastResults, label: str) -> PaperTable:
    """Tables 5 and 6: the numbers of pictures, questions and contrasts, by template and overall."""
    lines = []
    for place in (*results.templates, OVERALL):
        outcomes, rows = results.within(place)
        bases = first_occurrences(outcomes, rows)
        contrasts = int(rows.sum()) - int((rows & (outcomes.base == np.arange(len(outcomes.base)))).sum())
        pictures = len(np.unique(outcomes.cluster[rows]))
        lines.append(PaperRow((place,), tuple(map(PaperCell.counted, (pictures, int(bases.sum()), contrasts)))))
    heads = ("pictures", "questions", "contrasts")
    note = "How many were matched, and why others were not changed, is printed when a suite is made."
    return PaperTable(label, "changed questions", ("template",), heads, tuple(lines), (note, PAPER))


_MAKERS: Mapping[str, Callable[[ContrastResults, str], Any]] = {"2": drops, "4": consistencies, "6": changed_questions}
LABELS = tuple(_MAKERS)
"""The numbers of the tables."""
