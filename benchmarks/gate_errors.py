"""Simulate weeks in which nothing got worse, and count those in which a gate of twenty rules raises a false alarm.

    python -m benchmarks.gate_errors --weeks 1000

Ten rules hold the model against a line at its true accuracy, ten against a baseline of equal expectation without a
margin, the hardest cases. Pictures have two questions of correlated difficulty. The second line has a true drop of
5 points on one suite of 2,000 pictures.
"""

import argparse
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from counterpoint.metrics.gates import GateRule, GateVerdict, LineTest, decide, difference_test, share_test
from counterpoint.metrics.intervals import ShareSums
from counterpoint.metrics.paired_tests import RatioDifference

RULES, PICTURES, QUESTIONS = 10, 200, 2
LINE = GateRule("accuracy >= line", 0.0)


def draw(rng: np.random.Generator, pictures: int, accuracies: list[float]) -> list[NDArray[np.bool_]]:
    """The answers of models to the same questions: each picture has a difficulty, shared by models."""
    difficulty = rng.normal(0, 1, (pictures, 1))
    return [
        0.5 * difficulty + rng.normal(0, np.sqrt(0.75), (pictures, QUESTIONS)) < _quantile(accuracy)
        for accuracy in accuracies
    ]


def _quantile(share: float) -> float:
    return NormalDist().inv_cdf(share)


def sums(right: NDArray[np.bool_]) -> ShareSums:
    """What the tests need of the answers of one model."""
    credit = right.sum(1).astype(np.float64)
    return ShareSums.of(credit, np.full(len(right), QUESTIONS), np.array([credit.sum()]))


def line_test(right: NDArray[np.bool_], line: float) -> LineTest:
    """The accuracy of a model against a line."""
    return share_test(sums(right), line)


def margin_test(first: NDArray[np.bool_], second: NDArray[np.bool_], line: float) -> LineTest:
    """The difference of two models against a line."""
    place = np.zeros(len(first), np.int64)
    return difference_test(RatioDifference(sums(first), sums(second), place), first.size, line)


def alarm(rng: np.random.Generator, drop: float = 0.0, pictures: int = PICTURES) -> bool:
    """Whether any of twenty rules fails in one week; with a drop, whether that of the suite that dropped does."""
    rules = []
    for number in range(RULES):
        accuracy = 0.5 + 0.045 * number
        now, before = draw(rng, pictures, [accuracy - (drop if number == 0 else 0.0), accuracy])
        rules.append((LINE, "", "", margin_test(now, before, 0.0)))
        rules.append((GateRule("", accuracy), "", "", line_test(before, accuracy)))
    checks = decide(rules)
    watched = checks[:1] if drop else checks
    return any(check.verdict is GateVerdict.FAILS for check in watched)


def main() -> None:
    """Print both shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weeks", type=int, default=1000)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    null = sum(alarm(rng) for _ in range(given.weeks))
    print(f"weeks with a false alarm among {2 * RULES} rules: {null} of {given.weeks}")
    found = sum(alarm(rng, 0.05, 2000) for _ in range(given.weeks // 10))
    print(f"weeks in which a drop of 5 points is found at 2,000 pictures: {found} of {given.weeks // 10}")


if __name__ == "__main__":
    main()
