"""How often a comparison of equal models names a better one: `python -m benchmarks.comparison_size`.

Two models have the same RAD and different accuracies on bases; pictures differ in how hard they are for both, and a
part of the questions is answered alike by both. A comparison at 5 % should name a better model in 5 % of the draws.
"""

import argparse
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.interval_coverage import draw_rates
from counterpoint.metrics.intervals import ShareSums
from counterpoint.metrics.paired_tests import ALPHA, RatioDifference

PICTURES = (20, 30, 50, 100, 300)
QUESTIONS = (1, 3, 6)
BASES = ((1.0, 1.0), (0.3, 0.3), (0.8, 0.8), (0.9, 0.4), (0.8, 0.2))
"""The accuracy of both models on bases; with 1 the ratio is a share."""
SHARES = (0.3, 0.6, 0.8, 0.9)
CORRELATIONS = (0.0, 0.25)
ALIKE = (0.0, 0.6)
"""The part of the questions that both models answer alike."""
FEW = 6
"""Pictures with the rarer outcome of one model alone, below which no test of this level can reach its size."""


class Cell(NamedTuple):
    """One setting of the simulation."""

    pictures: int
    questions: int
    bases: tuple[float, float]
    share: float
    correlation: float
    alike: float


class Size(NamedTuple):
    """How often equal models are told apart, and what a comparison rests on, on average."""

    size: float
    told: float  # the share of draws with a p value
    right_bases: float  # of the model that has fewer
    rarer: float  # pictures with the rarer outcome of one model alone


def cells() -> Iterator[Cell]:
    """All settings."""
    for values in product(PICTURES, QUESTIONS, BASES, SHARES, CORRELATIONS, ALIKE):
        yield Cell(*values)


def measure_size(cell: Cell, repetitions: int, seed: int = 0) -> Size:
    """Compare two equal models so many times."""
    rng = np.random.default_rng([seed, cell.pictures, cell.questions])
    shape = (repetitions, cell.pictures, 1)
    rates = draw_rates(rng, cell.share, cell.correlation, shape)
    difficulty = (draw_rates(rng, 0.5, cell.correlation, shape) - 0.5) / 2
    alike = rng.random((*shape[:2], cell.questions)) < cell.alike
    drawn = rng.random((4, *alike.shape))
    drawn[1::2] = np.where(alike, drawn[::2], drawn[1::2])
    place = np.repeat(np.arange(repetitions), cell.pictures)
    sums = []
    for accuracy, base, variant in zip(cell.bases, drawn[:2], drawn[2:], strict=True):
        right = base < accuracy + (difficulty if accuracy < 1 else 0)
        n, s = right.sum(axis=2), (right & (variant < rates)).sum(axis=2).astype(np.float64)
        sums.append(ShareSums.of(s.ravel(), n.ravel(), s.sum(axis=1), place))
    p = RatioDifference.of(sums[0], sums[1], place).p()
    told = ~np.isnan(p)
    rarer = min(float(own.rarer_clusters.mean()) for own in sums) * (1 - cell.alike)
    fewer = np.minimum(sums[0].cases, sums[1].cases)
    size = float((p[told] < ALPHA).mean()) if told.any() else 0.0
    return Size(size, float(told.mean()), float(fewer.mean()), rarer)


def _measure(job: tuple[Cell, int]) -> tuple[Cell, Size]:
    return job[0], measure_size(*job)


def main() -> None:
    """Print the sizes of every setting that leaves the bars, and their range."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=10_000)
    repetitions = parser.parse_args().repetitions
    with ProcessPoolExecutor() as pool:
        measured = list(pool.map(_measure, [(cell, repetitions) for cell in cells()]))
    known = [(cell, found) for cell, found in measured if found.told >= 0.2]
    few = [found for _, found in known if found.rarer < FEW]
    for name, strong in (("50 pictures and 30 right bases or more", True), ("20 to 49 pictures, or 10 to 29", False)):
        sizes = [
            found.size
            for cell, found in known
            if (cell.pictures >= 50 and found.right_bases >= 30) == strong and found.rarer >= FEW
        ]
        quartiles = np.quantile(sizes, (0, 0.05, 0.5, 0.95, 1))
        print(f"{name}, {len(sizes)} settings: size {' '.join(f'{100 * size:.1f}' for size in quartiles)} %", end=" ")
        print("(least, 5 %, median, 95 %, most)")
    most = max(found.size for found in few)
    print(f"fewer than {FEW} pictures with the rarer outcome, {len(few)} settings: at most {100 * most:.1f} %")
    for cell, found in known:
        least, most = (0.04, 0.06) if cell.pictures >= 50 and found.right_bases >= 30 else (0.03, 0.07)
        if found.size > most or (found.size < least and found.rarer >= FEW):
            print(f"outside: {cell}: {100 * found.size:.1f} %, {found.rarer:.0f} pictures with the rarer outcome")


if __name__ == "__main__":
    main()
