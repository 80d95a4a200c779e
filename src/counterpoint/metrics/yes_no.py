"""Metrics of yes/no questions: precision, recall and F1 of yes, the share of yes, and their differences (POPE).

A question counts if its gold is yes or no. An answer that was not read, or is neither, is no yes: it lowers recall and
the accuracy where gold is no, and leaves precision.
"""

from math import nan
from typing import Any

from counterpoint.metrics.metric import (
    Condition,
    Estimator,
    Metric,
    MetricKind,
    Ratio,
    Statistic,
    SumEstimator,
    has_questions,
    is_plain_yes_no,
    mean_estimator,
    nowhere,
)
from counterpoint.metrics.units import Flags, Rows, Singles


def _says(word: str, singles: Singles) -> Flags:
    return singles.value.where([word])


def _gold(word: str, singles: Singles) -> Flags:
    return singles.gold & singles.gold_answer.where([word])


def _asked(singles: Singles) -> Flags:
    return singles.gold & singles.gold_answer.where(["yes", "no"])


def _f1(singles: Singles, rows: Rows) -> Estimator:
    """2 TP / (2 TP + FP + FN), a ratio of sums: TP over the mean number of yes in gold and in answers."""
    says, gold = (flags[rows].astype(float) for flags in (_says("yes", singles), _gold("yes", singles)))
    return SumEstimator((says * gold, (says + gold) / 2), _share)


def _excess(singles: Singles, rows: Rows) -> Estimator:
    says, gold = (flags[rows].astype(float) for flags in (_says("yes", singles), _gold("yes", singles)))
    return mean_estimator(says - gold)


def _gap(singles: Singles, rows: Rows) -> Estimator:
    yes, no = (_gold(word, singles)[rows].astype(float) for word in ("yes", "no"))
    columns = yes * _says("yes", singles)[rows], yes, no * _says("no", singles)[rows], no
    return SumEstimator(columns, lambda hits, cases, *others: _share(hits, cases) - _share(*others))


def _share(hits: float, cases: float) -> float:
    return hits / cases if cases else nan


def _metadata(
    title: str, term: str, description: str, rank: int, leads: Condition = nowhere, *, lacks: str = ""
) -> dict[str, Any]:
    """What metrics of yes and no share; `lacks` says why one may have no value on questions that were answered."""
    return {
        "title": title,
        "term": term,
        "description": description,
        "not_applicable": "no question here counts: gold is not yes or no, or no answer is yes",
        "applies": has_questions,
        "leads": leads,
        "rank": rank,
        "on_request": True,
        "reasons": ((lambda s: _asked(s) & s.counted, lacks),) if lacks else (),
    }


def _recall(word: str, term: str, rank: int, leads: Condition = nowhere) -> Ratio[Singles]:
    sentence = f"Accuracy on the questions whose gold is {word}."
    about = _metadata(f"Recall of {word}", term, sentence, rank, leads, lacks=f"no gold is {word}")
    return Ratio(f"{word}_recall", Singles, lambda s: _says(word, s), lambda s: _gold(word, s), **about)


yes_precision = Ratio(
    "yes_precision",
    Singles,
    lambda s: _gold("yes", s),
    lambda s: _asked(s) & _says("yes", s),
    **_metadata(
        *("Precision of yes", "precision", "Share of gold yes among the answers yes.", 71, is_plain_yes_no),
        lacks="no answer is yes",
    ),
    kind=MetricKind.RATIO,
)
yes_recall = _recall("yes", "recall", 72, is_plain_yes_no)
yes_f1 = Statistic(
    "yes_f1",
    Singles,
    _f1,
    _asked,
    **_metadata(
        *("F1 of yes", "F1", "Harmonic mean of precision and recall of yes.", 70, is_plain_yes_no),
        lacks="no gold and no answer is yes",
    ),
    kind=MetricKind.RATIO,
)
yes_ratio = Ratio(
    "yes_ratio",
    Singles,
    lambda s: _says("yes", s),
    _asked,
    **_metadata("Answers yes", "yes ratio", "Share of yes among the answers.", 73, is_plain_yes_no),
    directed=False,
)
no_recall = _recall("no", "specificity", 74)
yes_excess = Statistic(
    "yes_excess",
    Singles,
    _excess,
    _asked,
    **_metadata("Excess of yes", "yes ratio − gold", "Share of yes among the answers less that in gold.", 75),
    kind=MetricKind.DIFFERENCE,
    range=(-1.0, 1.0),
    directed=False,
)
recall_gap = Statistic(
    "recall_gap",
    Singles,
    _gap,
    _asked,
    **_metadata(
        *("Recall of yes less no", "recall gap", "Accuracy where gold is yes less that where it is no.", 76),
        lacks="gold is never yes, or never no",
    ),
    kind=MetricKind.DIFFERENCE,
    range=(-1.0, 1.0),
    directed=False,
)

YES_NO_METRICS: tuple[Metric, ...] = (
    yes_f1,
    yes_precision,
    yes_recall,
    yes_ratio,
    no_recall,
    yes_excess,
    recall_gap,
)
"""All of them, in the order of tables."""
