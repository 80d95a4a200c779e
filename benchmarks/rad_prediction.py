"""What limits the prediction of accuracy on an unseen augmentation: `python -m benchmarks.rad_prediction`.

Two designs of 45 instances are compared. In the paper's, an instance lacks a share of one kind of question. In the
other it lacks the same share of all questions. For each target it prints how far a prediction could come:

- ceiling: R² of a predictor that knows the true accuracy, since the measured one has binomial noise;
- shuffled: R² about zero of the equation as printed, when labels are shuffled among instances;
- own share: R² of a predictor that knows only what was withheld of the target's own kind.
"""

from collections.abc import Sequence
from pathlib import Path
from re import search
from typing import NamedTuple

import numpy as np

from counterpoint.studies.rad_prediction import (
    POOL,
    Floats,
    RadCounts,
    design,
    example,
    fit_regression,
    read_counts,
)

EQUAL = Path(__file__).parents[1] / "training" / "rad_equal_instances.csv"
"""The counts of the second design, by `python -m training.rad_instances --withhold all`."""
DRAWS = 1000


class Limits(NamedTuple):
    """How well the label of one target is predicted, and how well it could be."""

    target: str
    sd: float  # of the label, over instances
    ceiling: float
    r2: float | None
    left_out: float | None
    seed_left_out: float | None  # the instances of a seed, predicted from those of the other seeds
    own_share: float | None
    as_printed: float | None  # R² about zero
    shuffled: float


def sampling_ceiling(labels: Floats, pairs: int, rng: np.random.Generator) -> float:
    """The mean R² of a predictor that knows the accuracy of each instance, if it is measured on so many pairs.

    The labels stand for the true accuracies; their own noise is taken off, so that the spread is that of the truth.
    """
    noise = float((labels * (1 - labels) / pairs).mean())
    kept = max(0.0, 1 - noise / float(labels.var(ddof=1)))
    truth = labels.mean() + (labels - labels.mean()) * np.sqrt(kept)
    drawn = rng.binomial(pairs, truth, (DRAWS, len(truth))) / pairs
    missed = ((drawn - truth) ** 2).sum(1)
    return float(1 - (missed / ((drawn - drawn.mean(1, keepdims=True)) ** 2).sum(1)).mean())


def limits(counts: Sequence[RadCounts], target: str) -> Limits:
    """The figures of one target."""
    rng = np.random.default_rng(0)
    names, features, labels, _ = design(counts, target)
    pairs = next(row.pairs for row in counts if row.augmentation == target)
    fit = fit_regression(target, "all", features, labels, intercept=True)
    printed = fit_regression(target, "all", features, labels, intercept=False)
    mixed = [
        fit_regression(target, "all", features, rng.permutation(labels), intercept=False).r2_about_zero or 0.0
        for _ in range(100)
    ]
    shares = np.array([_share(name, target) for name in names])
    own = None
    if shares.any():
        curve = np.column_stack([shares, shares**4, -np.log1p(-shares)])
        own = fit_regression(target, "own", curve, labels, intercept=True).r2_left_out
    return Limits(
        target,
        float(labels.std(ddof=1)),
        sampling_ceiling(labels, pairs, rng),
        fit.r2,
        fit.r2_left_out,
        _seed_left_out(names, features, labels),
        own,
        printed.r2_about_zero,
        float(np.mean(mixed)),
    )


def _share(name: str, target: str) -> float:
    """The share of the target's own kind that an instance was trained without."""
    said = search(r"without (\d+)% of ([\w-]+)", name)
    return int(said[1]) / 100 if said and said[2] == target else 0.0


def _seed_left_out(names: Sequence[str], features: Floats, labels: Floats) -> float | None:
    seeds = np.array([name.rpartition("seed ")[2] for name in names])
    if len(set(seeds)) == len(names):
        return None
    x = np.column_stack([features, np.ones(len(labels))])
    predicted = np.empty_like(labels)
    for seed in set(seeds):
        coefficients = np.linalg.lstsq(x[seeds != seed], labels[seeds != seed], rcond=None)[0]
        predicted[seeds == seed] = x[seeds == seed] @ coefficients
    return float(1 - ((labels - predicted) ** 2).sum() / ((labels - labels.mean()) ** 2).sum())


def main() -> None:
    """Print a table for each design, with the means of its columns."""
    heads = ["target", "sd", "ceiling", "R²", "left-out", "seed-left-out", "own-share", "about-zero", "shuffled"]
    for title, counts in (("one kind withheld", example()), ("all kinds withheld", read_counts(EQUAL, 0.5))):
        rows = [limits(counts, target) for target in POOL]
        print(f"{title}, {len(counts) // len(POOL)} instances, all features, with an intercept\n")
        print("".join(f"{head:>14}" for head in heads))
        for row in rows:
            print(f"{row[0]:>14}" + "".join(f"{_number(value):>14}" for value in row[1:]))
        means = [[value for value in column if value is not None] for column in list(zip(*rows, strict=True))[1:]]
        print(
            f"{'mean':>14}" + "".join(f"{_number(np.mean(column) if column else None):>14}" for column in means), "\n"
        )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


if __name__ == "__main__":
    main()
