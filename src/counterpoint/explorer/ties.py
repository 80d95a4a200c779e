"""Who cannot be told apart from the best: ties are named as ties, however the numbers are ordered."""

from collections.abc import Callable, Mapping

from counterpoint.metrics.compare import compared
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.paired import ALPHA, holm
from counterpoint.metrics.ratio import METRICS
from counterpoint.metrics.scoring import Request


def tied(scores: Mapping[str, float], outcomes: Callable[[str], Outcomes], measure: str, test: str) -> frozenset[str]:
    """The best model of a column, and those that a paired test does not tell from it.

    Each other model is held against the best, and the p values are corrected by Holm for their number.
    """
    if not scores:
        return frozenset()
    best = max(sorted(scores), key=lambda name: scores[name])
    others = sorted(set(scores) - {best})
    corrected = holm([_p(outcomes(best), outcomes(name), measure, test) for name in others])
    return frozenset([best, *(name for name, p in zip(others, corrected, strict=True) if p >= ALPHA)])


def _p(best: Outcomes, other: Outcomes, measure: str, test: str) -> float:
    metrics = [metric for metric in METRICS if metric.name == measure]
    by = ("test",) if test else ()
    for line in compared(best, other, Request(by=by, metrics=metrics)).to_pylist():
        if line.get("test", "") == test and line["n"]:
            return float(line["p"])
    return float("nan")  # nothing that both have answered: neither told apart nor tied
