"""Who cannot be told apart from the best: ties are named as ties, however the numbers are ordered."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from counterpoint import catalog
from counterpoint.explorer.measures import lower
from counterpoint.metrics.accuracy import ACCURACY_METRICS, Ratio
from counterpoint.metrics.comparison import compare_outcomes
from counterpoint.metrics.outcomes import Outcomes, Pairs, Sets, Singles
from counterpoint.metrics.paired_tests import ALPHA, holm
from counterpoint.metrics.scoring import ScoreRequest

OutcomesOf = Callable[[str], Outcomes]
Tie = tuple[str, str, str]
"""A test, a measure, and a model that is best in it or cannot be told from the best; the whole suite has no test."""


def find_ties(scores: Sequence[Mapping[str, Any]], outcomes: OutcomesOf) -> list[Tie]:
    """The ties of every column that a leaderboard of one suite can have, from its rows of scores.

    Only measures that are shares can be compared case by case, and only the usual ones, which are scored by kind as
    well, are; of the others nobody is named.
    """
    columns = dict(_columns(scores))
    tests = _Tests(outcomes)
    for (test, metric), values in columns.items():
        best = _best(values)
        for other in sorted(set(values) - {best}):
            tests.want(best, other, metric, test)
    tests.run()
    return [
        (test, metric, model)
        for (test, metric), values in columns.items()
        for model in sorted(tied_with_best(values, lambda best, other: tests.p(best, other, metric, test)))  # noqa: B023
    ]


def tied_with_best(scores: Mapping[str, float], p: Callable[[str, str], float]) -> frozenset[str]:
    """The best model of a column, and those that a paired test does not tell from it.

    Each other model is held against the best, and the p values are corrected by Holm for their number.
    """
    if not scores:
        return frozenset()
    best = _best(scores)
    others = sorted(set(scores) - {best})
    corrected = holm([p(best, other) for other in others])
    return frozenset([best, *(name for name, found in zip(others, corrected, strict=True) if found >= ALPHA)])


def _best(scores: Mapping[str, float]) -> str:
    return max(sorted(scores), key=lambda name: scores[name])


def _columns(scores: Sequence[Mapping[str, Any]]) -> Iterator[tuple[tuple[str, str], dict[str, float]]]:
    """Each test and measure with the values of the models, where it is a share and has any; the best is the largest."""
    usual = {row["metric"] for row in scores if row["by"] == "kind" and _share(row["metric"])}
    rows = [row for row in scores if row["by"] in ("suite", "test") and row["n"] and row["metric"] in usual]
    rows.sort(key=lambda row: (row["by"], row["test"], row["metric"]))
    for (_, test, metric), own in groupby(rows, key=lambda row: (row["by"], row["test"], row["metric"])):
        sign = -1 if lower(metric) else 1
        yield (test, metric), {row["model"]: sign * row["value"] for row in own}


def _share(metric: str) -> Ratio[Any] | None:
    known = {one.name: one for one in ACCURACY_METRICS}
    found = known.get(metric) or catalog.find("metrics", metric)
    return found if isinstance(found, Ratio) and found.unit in (Pairs, Sets, Singles) else None


class _Tests:
    """The paired tests of two models: first what is wanted is gathered, then each two models are compared once."""

    def __init__(self, outcomes: OutcomesOf) -> None:
        self._outcomes = outcomes
        self._wanted: dict[tuple[frozenset[str], bool], dict[str, None]] = {}
        self._found: dict[tuple[frozenset[str], str, str], float] = {}

    def want(self, best: str, other: str, metric: str, test: str) -> None:
        """Ask for a test."""
        self._wanted.setdefault((frozenset((best, other)), bool(test)), {})[metric] = None

    def run(self) -> None:
        """Make all tests that were asked for."""
        for both, cut in sorted(self._wanted, key=lambda asked: (sorted(asked[0]), asked[1])):
            shares = [share for name in self._wanted[both, cut] if (share := _share(name))]
            request = ScoreRequest(by=("test",) if cut else (), metrics=shares)
            one, other = map(self._outcomes, sorted(both))
            for line in compare_outcomes(one, other, request).to_pylist():
                if line["n"]:
                    self._found[both, line["metric"], line.get("test") or ""] = float(line["p"])

    def p(self, best: str, other: str, metric: str, test: str) -> float:
        """The p value; nan where both have answered nothing in common, so that they are neither told apart nor tied."""
        return self._found.get((frozenset((best, other)), metric, test), float("nan"))
