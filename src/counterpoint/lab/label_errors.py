"""Likely label errors: queries on which several strong models give the same answer, and it is not the gold."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from statistics import median

import numpy as np

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import State
from counterpoint.core.ids import hex_id
from counterpoint.core.quantities import counted
from counterpoint.core.votes import AuditVerdict, VoteTask
from counterpoint.lab.results import LabResult
from counterpoint.lab.scores import outcome_table
from counterpoint.lab.selection import select_models
from counterpoint.lab.voting import PEOPLE, qualified_votes
from counterpoint.metrics.credit import best_answers
from counterpoint.metrics.intervals import NO_SCORE, Score, clustered_interval
from counterpoint.reports.tables import ResultTable, percent
from counterpoint.review.majorities import find_majorities
from counterpoint.store.lab import LabStore

_SHOWN = 20
FEWEST_MODELS = 2
"""How many models have to agree against the gold."""


@dataclass(frozen=True, slots=True)
class LabelSuspect:
    """A query whose gold may be wrong: what the models say instead, and how many of the strong ones do."""

    suite: str
    group: str
    query: str
    text: str
    gold: str
    answer: str
    models: int
    audited: str = ""  # what auditors found, where they did


@dataclass(frozen=True, slots=True, repr=False)
class LabelSuspects(LabResult[LabelSuspect], rows="suspects"):
    """The likeliest label errors first, and the share of those audited so far that were wrong."""

    suspects: tuple[LabelSuspect, ...]
    strong: tuple[str, ...]  # models that were believed
    precision: Score

    def tables(self) -> list[ResultTable]:
        """The first of them."""
        rows = [
            (own.group, own.text, own.gold, own.answer, f"{own.models} of {len(self.strong)}", own.audited or "–")
            for own in self.suspects[:_SHOWN]
        ]
        heads = ("group", "text", "gold", "models say", "models", "audited")
        return [ResultTable("Golds that strong models disagree with", heads, rows, names=4)] if rows else []

    def notes(self) -> list[str]:
        """Which models were believed, how many suspects there are, and what audits found so far."""
        score, share = self.precision, percent(self.precision.value, self.precision.low, self.precision.high)
        audited = (
            f"of {counted(score.n, 'suspect')} audited so far, {share} % were wrong"
            if score.n
            else "none of them was audited yet: counterpoint review LAB --task audit"
        )
        return [
            f"{counted(len(self.suspects), 'suspect')}; the models that are believed are {', '.join(self.strong)}",
            audited,
        ]


def find_label_errors(store: LabStore, suite: str, models: Sequence[str] = ()) -> LabelSuspects:
    """Queries of a suite whose gold several strong models contradict alike, those with most of them first.

    Without `models`, the better half of all by accuracy is believed, and at least two; people are no model here.
    """
    chosen = select_models(store, models).items()
    titles = [title for title, own in chosen if own.name != PEOPLE and not own.name.startswith(f"{PEOPLE}/")]
    outcomes = {title: _answered(store, title, suite) for title in titles}
    accuracies = {title: accuracy for title, (accuracy, _) in outcomes.items() if accuracy == accuracy}
    if not accuracies:
        raise StoreError(f"no model has answered {suite}", hint=f"counterpoint run {store.address} --model NAME")
    best = sorted(accuracies.values(), reverse=True)[:FEWEST_MODELS]
    least = min(median(accuracies.values()), best[-1])
    strong = tuple(title for title, accuracy in accuracies.items() if models or accuracy >= least)
    said = Counter(key for title in strong for key in outcomes[title][1])
    verdicts = _verdicts(store, suite)
    rows = _rows(store, suite)
    suspects = [
        LabelSuspect(suite, rows[query][0], hex_id(query), rows[query][1], rows[query][2], answer, number, verdict)
        for (query, answer), number in said.items()
        if number >= FEWEST_MODELS
        for verdict in [verdicts.get(rows[query][0], "")]
    ]
    suspects.sort(key=lambda own: (-own.models, own.group, own.query))
    audited = [own.audited == AuditVerdict.WRONG for own in suspects if own.audited]
    precision = clustered_interval(np.array(audited, np.float64), np.arange(len(audited))) if audited else NO_SCORE
    return LabelSuspects(tuple(suspects), strong, precision)


def _answered(store: LabStore, title: str, suite: str) -> tuple[float, list[tuple[int, str]]]:
    """The accuracy of a model on questions with a gold, and its wrong answers by query."""
    table = outcome_table(store, title, [suite], 0.5).to_arrow()
    columns = (table[name].to_pylist() for name in ("query", "value", "correct", "state"))
    seen: dict[int, tuple[str, float]] = {}
    for query, value, correct, state in zip(*columns, strict=True):
        if value and state == State.OK and correct is not None:
            seen[query] = value, correct
    accuracy = sum(correct for _, correct in seen.values()) / len(seen) if seen else nan
    return accuracy, [(query, value) for query, (value, correct) in seen.items() if correct == 0]


def _rows(store: LabStore, suite: str) -> Mapping[int, tuple[str, str, str]]:
    """Group, text and best gold of each query."""
    table = store.suite(suite).table
    columns = (table[name].to_pylist() for name in ("query", "group_id", "text"))
    golds = best_answers(table["gold"]).to_pylist()
    return {query: (hex_id(group), text, gold or "") for query, group, text, gold in zip(*columns, golds, strict=True)}


def _verdicts(store: LabStore, suite: str) -> dict[str, str]:
    """What most auditors of a group said."""
    audits = [vote for vote in qualified_votes(store) if vote.task == VoteTask.AUDIT and vote.suite == suite]
    return {hex_id(item[2]): majority.choice for item, majority in find_majorities(audits).items() if majority.choice}
