"""How often intervals hold the true value: `python -m benchmarks.interval_coverage [--repetitions 10000]`.

A picture has its own rate of correct answers, drawn from a beta distribution, so that the questions about it are
correlated; AUROC has scores that share a normal term within a picture. One-sided bounds are those of gates.
"""

import argparse
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from math import erf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from counterpoint.metrics.gates import BOUND
from counterpoint.metrics.intervals import ShareSums, statistic_interval
from counterpoint.metrics.ranking import area_under_curve, auroc

PICTURES = (20, 30, 50, 100, 300, 1000)
SHARES = (0.5, 0.7, 0.9, 0.95, 0.97)
CORRELATIONS = (0.0, 0.1, 0.2, 0.3)
QUESTIONS = (1, 5, 9)
"""About each picture; 9 stands for one to nine, and 12 for one to twelve."""
GATE_PICTURES, GATE_SHARES, GATE_CORRELATIONS = (20, 30, 40, 60, 100), (0.5, 0.7, 0.8, 0.9, 0.95), (0.0, 0.5, 0.8)
"""The settings of one-sided bounds, with 1, 5 and 1 to 12 questions."""
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


def gate_cells() -> Iterator[Cell]:
    """The settings of one-sided bounds."""
    for pictures, questions, correlation, share in product(GATE_PICTURES, (1, 5, 12), GATE_CORRELATIONS, GATE_SHARES):
        if questions > 1 or not correlation:
            yield Cell(pictures, questions, correlation, share)


def draw_suites(cell: Cell, repetitions: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The correct answers and the questions of each picture, a row for each suite."""
    rng = np.random.default_rng([seed, cell.pictures, cell.questions, int(100 * cell.correlation + 0.5)])
    shape = (repetitions, cell.pictures)
    many = cell.questions
    counts = rng.integers(1, many + 1, shape) if many in (9, 12) else np.full(shape, many)
    return rng.binomial(counts, draw_rates(rng, cell.share, cell.correlation, shape)).astype(np.float64), counts


def coverage(cell: Cell, repetitions: int, seed: int = 0) -> tuple[float, float]:
    """How often the interval holds the share, and how many pictures hold a wrong answer on average."""
    hits, counts = draw_suites(cell, repetitions, seed)
    low, high = _sums(hits, counts).bounds()
    return float(((low <= cell.share) & (cell.share <= high)).mean()), float((hits < counts).sum(axis=1).mean())


def one_sided_errors(cell: Cell, repetitions: int, seed: int = 0) -> tuple[float, float]:
    """How often a gate whose line is the true share says that it holds, and how often that it fails."""
    low, high = _sums(*draw_suites(cell, repetitions, seed)).bounds(BOUND, one_sided=True)
    return float((low >= cell.share).mean()), float((high < cell.share).mean())


def _sums(hits: NDArray[np.float64], counts: NDArray[np.int64]) -> ShareSums:
    """The sums of each suite."""
    place = np.repeat(np.arange(len(hits)), hits.shape[1])
    return ShareSums.of(hits.ravel(), counts.ravel(), hits.sum(axis=1), place)


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


def _measure_gate(job: tuple[Cell, int]) -> tuple[Cell, float, float]:
    return (job[0], *one_sided_errors(*job))


def print_gate_errors(measured: Sequence[tuple[Cell, float, float]]) -> None:
    """Print how often gates on a line at the true value hold or fail falsely, in per cent."""
    print("gates: pictures  questions  correlation  false holds / fails at " + "  ".join(map(str, GATE_SHARES)))
    rows: dict[tuple[int, int, float], list[str]] = {}
    for cell, holds, fails in measured:
        rows.setdefault(cell[:3], []).append(f"{100 * holds:4.1f} / {100 * fails:3.1f}")
    for (pictures, questions, correlation), values in rows.items():
        many = "1–12" if questions == 12 else questions
        print(f"{pictures:15}  {many:>9}  {correlation:11}  {'  '.join(values)}")
    print(f"most: {100 * max(max(own) for _, *own in measured):.1f} %")


def main() -> None:
    """Print the coverage of every setting, the lowest and the highest, and whether the bars are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=10_000)
    repetitions = parser.parse_args().repetitions
    with ProcessPoolExecutor() as pool:
        measured = list(pool.map(_measure, [(cell, repetitions) for cell in cells()]))
        gates = list(pool.map(_measure_gate, [(cell, repetitions // 2) for cell in gate_cells()]))
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
    print_gate_errors(gates)
    for pictures, apart in product((20, 50, 200), (0.5, 1.5, 2.5)):
        held = area_coverage(pictures, apart, repetitions // 10)
        print(f"AUROC, {pictures} pictures, {apart} standard deviations apart: {100 * held:.1f} %")


if __name__ == "__main__":
    main()
