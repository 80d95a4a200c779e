"""Simulate histories of versions that are all equally good, and count those in which something seems to have changed.

    python -m benchmarks.history_alarms --repeats 400

Pictures have two questions of correlated difficulty, which versions share. A history is one suite and metric; an alarm
is a change or a drift of any version. The last column has ten such suites, each corrected by itself.
"""

import argparse
from collections.abc import Iterable
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pyarrow as pa

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.lab.history import VersionScore, compare_versions
from counterpoint.metrics.accuracy import answer_accuracy
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.store.groups import groups_table
from counterpoint.store.tables import ANSWERS

QUESTIONS, ACCURACY, SUITES = 2, 0.8, 10
CELLS = ((10, 50), (10, 200), (30, 50), (30, 200))
"""Versions and pictures."""


def make_suite(pictures: int) -> Outcomes:
    """A suite that nobody has answered."""
    questions = [
        ("plain", Group(Relation.GOLD, (Query(Picture(f"own:{number}.png"), f"Is it {place}?"),), (Gold.of("yes"),)))
        for number in range(pictures)
        for place in range(QUESTIONS)
    ]
    return judge(groups_table(questions, "own"), pa.Table.from_pylist([], ANSWERS))


def draw_versions(rng: np.random.Generator, suite: Outcomes, versions: int) -> dict[str, Outcomes]:
    """Versions of equal expectation: a question is as hard for one as for the other, but for luck."""
    questions = len(suite.correct)
    difficulty = 0.5 * rng.normal(size=int(suite.cluster.max()) + 1)[suite.cluster] + 0.5 * rng.normal(size=questions)
    line = NormalDist().inv_cdf(ACCURACY)
    right = difficulty + np.sqrt(0.5) * rng.normal(size=(versions, questions)) < line
    answered = replace(suite, state=np.zeros(questions, np.int8))
    return {f"v{number:02}": replace(answered, correct=own.astype(np.float64)) for number, own in enumerate(right)}


def has_alarm(outcomes: dict[str, Outcomes], *, has_baseline: bool) -> bool:
    """Whether a version differs from the one before it or from its reference."""
    scores = [
        VersionScore(name, "", "own", answer_accuracy.name, float(own.correct.mean()), 0.0, 1.0, len(own.correct))
        for name, own in outcomes.items()
    ]
    scores[0] = replace(scores[0], is_baseline=has_baseline)

    def blocks(version: str) -> Iterable[Outcomes]:
        return [outcomes[version]]

    compared = compare_versions(scores, blocks, {answer_accuracy.name: answer_accuracy})
    return any(score.is_change or score.is_drift for score in compared)


def count_alarms(rng: np.random.Generator, versions: int, pictures: int, repeats: int, *, has_baseline: bool) -> int:
    """In how many histories of equal versions there is an alarm."""
    suite = make_suite(pictures)
    return sum(has_alarm(draw_versions(rng, suite, versions), has_baseline=has_baseline) for _ in range(repeats))


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=400)
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    for versions, pictures in CELLS:
        counts = [count_alarms(rng, versions, pictures, given.repeats, has_baseline=own) for own in (False, True)]
        some = [1 - (1 - count / given.repeats) ** SUITES for count in counts]
        print(
            f"{versions} versions, {pictures} pictures, alarms of {given.repeats}: {counts[0]} by the best before, "
            f"{counts[1]} by a baseline; in any of {SUITES} suites {some[0]:.0%} and {some[1]:.0%}"
        )


if __name__ == "__main__":
    main()
