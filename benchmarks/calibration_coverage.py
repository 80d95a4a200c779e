"""What calibration metrics promise: `python -m benchmarks.calibration_coverage [--repetitions 400]`.

Pictures differ in how hard they are, so that the gaps of the answers about one are correlated. A calibrated model must
be called miscalibrated in 5 % of the draws, and the intervals of the squared and of the signed error must hold them.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.metrics.calibration import confidence_gap, ece, ece_squared
from counterpoint.metrics.credit import AnswerWords
from counterpoint.metrics.intervals import statistic_interval
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.probabilities import AnswerProbabilities
from counterpoint.metrics.units import Singles

PICTURES, GAPS, QUESTIONS = (20, 50, 200), (0.0, 0.05, 0.15), 4
LEVELS = np.array([0.3, 0.5, 0.7, 0.9])
"""The probabilities that a model gives to its answers."""
SPREAD = 0.15
"""How much the accuracy on a picture differs from that of its confidence, at most."""


class _Known(AnswerProbabilities):
    """Probabilities that are given."""

    def __init__(self, confidence: NDArray[np.float64]) -> None:
        self.confidence = confidence


def draw_answers(gap: float, pictures: int, questions: int, rng: np.random.Generator) -> Singles:
    """Answers to questions about pictures, of which a model is too sure by this gap."""
    cluster = np.repeat(np.arange(pictures, dtype=np.int32), questions)
    level = rng.choice(LEVELS, len(cluster))
    hard = rng.uniform(-SPREAD, SPREAD, pictures)[cluster]
    correct = (rng.random(len(cluster)) < np.clip(level - gap + hard, 0, 1)).astype(np.float64)
    rows, blank = np.arange(len(cluster)), np.zeros(len(cluster), np.int8)
    fields: dict[str, Any] = {"correct": correct, "state": blank, "counted": blank == 0, "cluster": cluster}
    fields |= {"row": rows, "base": rows, "threshold": 0.5, "probabilities": _Known(level)}
    no_words = AnswerWords(Labels(np.empty(0, np.int32), pa.array([], pa.string())), pa.table({}))
    return Singles(**fields, score=np.full(len(rows), np.nan), scale="", words=no_words)


def true_gap(gap: float, level: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean gap between confidence and accuracy at a level; accuracy is at least 0 and at most 1."""
    hard = np.linspace(-SPREAD, SPREAD, 2001)
    return np.asarray(level - np.clip(level[:, None] - gap + hard, 0, 1).mean(axis=1))


def calibration_coverage(gap: float, pictures: int, repetitions: int, seed: int = 0) -> tuple[float, float]:
    """How often the intervals of the squared error and of the signed gap hold the truth."""
    rng, gaps = np.random.default_rng([seed, pictures]), true_gap(gap, LEVELS)
    truth, held = ((gaps**2).mean(), gaps.mean()), [0, 0]
    for _ in range(repetitions):
        singles = draw_answers(gap, pictures, QUESTIONS, rng)
        rows = np.arange(len(singles.correct))
        for place, metric in enumerate((ece_squared, confidence_gap)):
            score, _, _ = statistic_interval(metric, metric.prepare(singles, rows), singles.cluster)
            held[place] += score.low <= truth[place] <= score.high
    return held[0] / repetitions, held[1] / repetitions


def flip_size(gap: float, pictures: int, repetitions: int, seed: int = 0) -> float:
    """How often the test of calibration rejects at 5 %."""
    rng, rejected = np.random.default_rng([seed, pictures]), 0
    assert ece.test is not None
    for number in range(repetitions):
        singles = draw_answers(gap, pictures, QUESTIONS, rng)
        rejected += ece.test(singles, np.arange(len(singles.correct)), number) < 0.05
    return rejected / repetitions


def _measure(job: tuple[float, int, int]) -> tuple[float, float, float]:
    return (*calibration_coverage(*job), flip_size(*job))


def main() -> None:
    """Print coverage and size of every setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=400)
    repetitions = parser.parse_args().repetitions
    jobs = [(gap, pictures, repetitions) for pictures, gap in product(PICTURES, GAPS)]
    with ProcessPoolExecutor() as pool:
        measured = list(pool.map(_measure, jobs))
    print("pictures    gap  squared error  signed gap  p < 0.05")
    for (gap, pictures, _), (squared, signed, rejected) in zip(jobs, measured, strict=True):
        print(f"{pictures:8}  {gap:5}  {100 * squared:11.1f} %  {100 * signed:8.1f} %  {100 * rejected:6.1f} %")


if __name__ == "__main__":
    main()
