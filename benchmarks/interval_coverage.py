"""How often intervals hold the true value: `python -m benchmarks.interval_coverage [--repetitions 10000]`.

A picture has its own rate of correct answers, drawn from a beta distribution, so that the questions about it are
correlated; AUROC has scores that share a normal term within a picture.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from math import erf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoint.metrics.intervals import ShareSums, statistic_interval
from counterpoint.metrics.ranking import area_under_curve, auroc

PICTURES = (20, 30, 50, 100, 300, 1000)
SHARES = (0.5, 0.7, 0.9, 0.95, 0.97)
CORRELATIONS = (0.0, 0.1, 0.2, 0.3)
QUESTIONS = (1, 5, 9)
"""About each picture; 9 stands for one to nine."""
LEAST, MOST, ENOUGH = 0.93, 0.97, 10
"""The bars: coverage at least, and at most where so many pictures are expected to hold a wrong answer."""


class Cell(NamedTuple):
    """One setting of the simulation."""

    pictures: int
    questions: int
    correlation: float
    share: float


def cells() -> Iterator[Cell]:
    """All settings; one question to a picture has no correlation."""
    for pictures, questions, correlation, share in product(PICTURES, QUESTIONS, CORRELATIONS, SHARES):
        if questions > 1 or not correlation:
            yield Cell(pictures, questions, correlation, share)


def draw_rates(
    rng: np.random.Generator, share: float, correlation: float, shape: tuple[int, ...]
) -> NDArray[np.float64]:
    """The rate of each picture: of this mean, and with this correlation between two cases of a picture."""
    if not correlation:
        return np.full(shape, share)
    spread = (1 - correlation) / correlation
    return rng.beta(share * spread, (1 - share) * spread, shape)


def coverage(cell: Cell, repetitions: int, seed: int = 0) -> tuple[float, float]:
    """How often the interval holds the share, and how many pictures hold a wrong answer on average."""
    rng = np.random.default_rng([seed, cell.pictures, cell.questions, int(100 * cell.correlation + 0.5)])
    shape = (repetitions, cell.pictures)
    counts = rng.integers(1, 10, shape) if cell.questions == 9 else np.full(shape, cell.questions)
    hits = rng.binomial(counts, draw_rates(rng, cell.share, cell.correlation, shape)).astype(np.float64)
    place = np.repeat(np.arange(repetitions), cell.pictures)
    low, high = ShareSums.of(hits.ravel(), counts.ravel(), hits.sum(axis=1), place).bounds()
    return float(((low <= cell.share) & (cell.share <= high)).mean()), float((hits < counts).sum(axis=1).mean())


def area_coverage(pictures: int, apart: float, repetitions: int, seed: int = 0) -> float:
    """How often the interval of AUROC holds it: two pairs a picture, scores `apart` standard deviations apart."""
    rng = np.random.default_rng([seed, pictures])
    truth = 0.5 * (1 + erf(apart / 2))
    cluster, held = np.repeat(np.arange(pictures, dtype=np.int32), 2), 0
    for _ in range(repetitions):
        shared = np.repeat(rng.normal(size=pictures), 2) * 0.5**0.5
        captions, foils = (shared + rng.normal(size=2 * pictures) * 0.5**0.5 for _ in range(2))
        score, _, _ = statistic_interval(auroc, area_under_curve(captions + apart, foils), cluster)
        held += score.low <= truth <= score.high
    return held / repetitions


def _measure(job: tuple[Cell, int]) -> tuple[Cell, float, float]:
    return (job[0], *coverage(*job))


def main() -> None:
    """Print the coverage of every setting, the lowest and the highest, and whether the bars are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=10_000)
    repetitions = parser.parse_args().repetitions
    with ProcessPoolExecutor() as pool:
        measured = list(pool.map(_measure, [(cell, repetitions) for cell in cells()]))
    print("pictures  questions  correlation  " + "  ".join(f"{share:>6}" for share in SHARES))
    rows: dict[tuple[int, int, float], list[str]] = {}
    for cell, held, wrong in measured:
        rows.setdefault(cell[:3], []).append(f"{100 * held:5.1f}{'*' if wrong >= ENOUGH else ' '}")
    for (pictures, questions, correlation), values in rows.items():
        print(f"{pictures:8}  {'1–9' if questions == 9 else questions:>9}  {correlation:11}  {'  '.join(values)}")
    lowest = min(held for _, held, _ in measured)
    highest = max(held for _, held, wrong in measured if wrong >= ENOUGH)
    print(f"lowest {100 * lowest:.1f} %, highest with {ENOUGH} pictures or more that hold a wrong answer (*)", end=" ")
    print(f"{100 * highest:.1f} %: {'ok' if lowest >= LEAST and round(highest, 3) <= MOST else 'not within the bars'}")
    for pictures, apart in product((20, 50, 200), (0.5, 1.5, 2.5)):
        held = area_coverage(pictures, apart, repetitions // 10)
        print(f"AUROC, {pictures} pictures, {apart} standard deviations apart: {100 * held:.1f} %")


if __name__ == "__main__":
    main()
