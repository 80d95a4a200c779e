"""Simulate weeks in which nothing got worse, and count those in which a gate of twenty rules raises a false alarm.

    python -m benchmarks.gate_errors --weeks 1000

Ten rules hold the model against a line at its true accuracy, ten against a baseline of equal expectation without a
margin, the hardest cases. Pictures have two questions of correlated difficulty. The second line has a true drop of
5 points on one suite of 2,000 pictures. All weeks are computed at once, each as a slice. The others are rules with a
margin of 3 points, by which the model is truly worse, on few pictures with one to twelve questions.
"""

import argparse
from itertools import product
from math import nan
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from counterpoint.metrics.gates import BOUND, GateRule, GateVerdict, LineTest, decide, share_test
from counterpoint.metrics.intervals import ShareSums
from counterpoint.metrics.paired_tests import RatioDifference

RULES, PICTURES, QUESTIONS, LARGEST = 10, 200, 2, 12
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def draw(rng: np.random.Generator, pictures: int, accuracies: list[float]) -> list[Flags]:
    """The answers of models to the same questions: each picture has a difficulty, shared by models."""
    difficulty = rng.normal(0, 1, (pictures, 1))
    return [
        0.5 * difficulty + rng.normal(0, np.sqrt(0.75), (pictures, QUESTIONS)) < NormalDist().inv_cdf(accuracy)
        for accuracy in accuracies
    ]


def share_sums(right: Flags, place: NDArray[np.int64]) -> ShareSums:
    """What the tests need of the answers of one model in each slice."""
    credit = right.sum(1).astype(np.float64)
    squares = np.asarray(np.bincount(place, credit), np.float64)
    return ShareSums.of(credit, np.full(len(right), QUESTIONS), squares, place)


def p_below_line(right: Flags, place: NDArray[np.int64], line: float) -> Floats:
    """The p value of lying below a line in each slice; 1 where it is above 5 %, which no correction makes an alarm."""
    excluded = share_sums(right, place).bounds(BOUND, one_sided=True)[1] < line
    p = np.ones(len(excluded))
    for number in np.flatnonzero(excluded):
        own = right[place == number]
        p[number] = share_test(share_sums(own, np.zeros(len(own), np.int64)), line).below
    return p


def count_alarms(rng: np.random.Generator, weeks: int, drop: float = 0.0, pictures: int = PICTURES) -> int:
    """In how many weeks any of twenty rules fails; with a drop, that of the suite that dropped."""
    place, p = np.repeat(np.arange(weeks), pictures), []
    for number in range(RULES):
        accuracy = 0.5 + 0.045 * number
        now, before = draw(rng, weeks * pictures, [accuracy - (drop if number == 0 else 0.0), accuracy])
        p.append(RatioDifference.of(share_sums(now, place), share_sums(before, place), place).p_below(0.0))
        p.append(p_below_line(before, place, accuracy))
    return sum(_is_alarm(week, 1 if drop else len(p), pictures) for week in np.transpose(p))


def _is_alarm(week: Floats, watched: int, pictures: int) -> bool:
    """Whether one of the first rules of a week fails."""
    tests = [LineTest(nan, nan, nan, float(p), 1 - float(p), pictures * QUESTIONS, pictures) for p in week]
    checks = decide([(GateRule("", 0.0), "", "", test) for test in tests])
    return any(check.verdict is GateVerdict.FAILS for check in checks[:watched])


def margin_errors(pictures: int, accuracy: float, weeks: int, margin: float = 0.03) -> tuple[float, float]:
    """How often a model that is worse by just its margin is called within it, and how often beyond it."""
    rng = np.random.default_rng([pictures, int(100 * accuracy)])
    place, sizes = np.repeat(np.arange(weeks), pictures), rng.integers(1, LARGEST + 1, weeks * pictures)
    of_picture, of_question = rng.normal(size=(len(place), 1)), rng.normal(size=(len(place), LARGEST))
    sums = []
    for own in (accuracy - margin, accuracy):
        hard = 0.6**0.5 * of_picture + 0.4**0.5 * rng.normal(size=of_picture.shape)  # models have most of it in common
        noise = 0.6**0.5 * of_question + 0.4**0.5 * rng.normal(size=of_question.shape)
        right = (hard + noise < 2**0.5 * NormalDist().inv_cdf(own)) & (np.arange(LARGEST) < sizes[:, None])
        credit = right.sum(1).astype(np.float64)
        sums.append(ShareSums.of(credit, sizes, np.asarray(np.bincount(place, credit), np.float64), place))
    difference = RatioDifference.of(sums[0], sums[1], place)
    low, _ = difference.bounds(BOUND, one_sided=True)
    return float((low >= -margin).mean()), float((difference.p_below(-margin) <= 1 - BOUND).mean())


def main() -> None:
    """Print all shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weeks", type=int, default=1000)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"weeks with a false alarm among {2 * RULES} rules: {count_alarms(rng, given.weeks)} of {given.weeks}")
    found, weeks = count_alarms(rng, given.weeks // 10, 0.05, 2000), given.weeks // 10
    print(f"weeks in which a drop of 5 points is found at 2,000 pictures: {found} of {weeks}")
    for pictures, accuracy in product((20, 40, 60), (0.8, 0.9, 0.95)):
        holds, fails = margin_errors(pictures, accuracy, 2 * given.weeks)
        print(f"on the margin, {pictures} pictures, {accuracy:.0%}: {100 * holds:.1f} % hold, {100 * fails:.1f} % fail")


if __name__ == "__main__":
    main()
