"""Simulate voters of known quality, and see whether validity, agreement and estimated choices recover the truth.

    python -m benchmarks.simulated_crowds --crowds 1000

Thirty voters judge a thousand items, three votes each, with five choices. In the first design one voter in five chooses
at random; in the second every voter does so for one vote in five. Printed are the shares of crowds whose 95 % intervals
hold the expected validity and the expected alpha, and how often the majority and Dawid and Skene's model are right.
"""

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.metrics.agreement import count_choices, krippendorff_alpha
from counterpoint.metrics.dawid_skene import fit_dawid_skene
from counterpoint.metrics.intervals import clustered_interval

VOTERS, ITEMS, CHOICES, VOTES = 30, 1000, 5, 3
TRUTH = np.array([0.86, 0.05, 0.04, 0.03, 0.02])
CAREFUL = 0.97

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CrowdResult:
    """One simulated crowd: whether each interval holds its expected value, and the shares of right choices."""

    validity_covered: bool
    alpha_covered: bool
    majority: float
    model: float


def confusions(design: str) -> Matrix:
    """What each voter chooses where each choice is right: voters × right choice × choice."""
    careful = np.full((CHOICES, CHOICES), (1 - CAREFUL) / (CHOICES - 1))
    np.fill_diagonal(careful, CAREFUL)
    guess = np.full((CHOICES, CHOICES), 1 / CHOICES)
    if design == "votes":
        return np.tile(0.8 * careful + 0.2 * guess, (VOTERS, 1, 1))
    return np.stack([guess if voter % 5 == 0 else careful for voter in range(VOTERS)])


def expectations(confusion: Matrix) -> tuple[float, float]:
    """The expected validity (two of three votes for the first choice) and alpha of a crowd whose voters are drawn."""
    first = TRUTH @ confusion[:, :, 0].T  # by voter, not used for triples of one item, which share its truth
    triples = [(a, b, c) for a in range(VOTERS) for b in range(a + 1, VOTERS) for c in range(b + 1, VOTERS)]
    a, b, c = (confusion[list(voters), :, 0] for voters in zip(*triples, strict=True))
    valid = float(((a * b + a * c + b * c - 2 * a * b * c) @ TRUTH).mean())
    total = confusion.sum(0)
    pairs = np.einsum("ik,jk->ij", total, total).diagonal() - np.einsum("vik,vik->i", confusion, confusion)
    same = float(TRUTH @ pairs) / (VOTERS * (VOTERS - 1))
    shares = np.einsum("i,vik->k", TRUTH, confusion) / VOTERS
    assert abs(first.mean() - shares[0]) < 1e-9
    return valid, 1 - (1 - same) / (1 - float((shares**2).sum()))


def simulate(confusion: Matrix, expected: tuple[float, float], rng: np.random.Generator) -> CrowdResult:
    """Draw the votes of one crowd, and estimate from them."""
    truth = rng.choice(CHOICES, ITEMS, p=TRUTH)
    voter = np.argsort(rng.random((ITEMS, VOTERS)), axis=1)[:, :VOTES].ravel()
    item = np.repeat(np.arange(ITEMS), VOTES)
    edges = confusion[voter, truth[item]].cumsum(1)
    choice = np.minimum((rng.random((len(item), 1)) > edges).sum(1), CHOICES - 1)
    counts = count_choices(item, choice, CHOICES)
    valid = clustered_interval(counts[:, 0] >= 2, np.arange(ITEMS))
    alpha = krippendorff_alpha(counts, seed=int(rng.integers(2**31)))
    majority = (counts.argmax(1) == truth) & (counts.max(1) >= 2)
    model = fit_dawid_skene(item, voter, choice, CHOICES).choice == truth
    return CrowdResult(
        valid.low <= expected[0] <= valid.high,
        alpha.low <= expected[1] <= alpha.high,
        float(majority.mean()),
        float(model.mean()),
    )


def main() -> None:
    """Print a line per design."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--crowds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print("one in five at random   validity covered   alpha covered   majority   Dawid-Skene")
    for design in ("voters", "votes"):
        confusion = confusions(design)
        expected = expectations(confusion)
        rng = np.random.default_rng(given.seed)
        crowds = [simulate(confusion, expected, rng) for _ in range(given.crowds)]
        shares = [
            np.mean([getattr(crowd, name) for crowd in crowds])
            for name in ("validity_covered", "alpha_covered", "majority", "model")
        ]
        print(
            f"{design:24}{100 * shares[0]:16.1f}{100 * shares[1]:16.1f}{100 * shares[2]:11.1f}{100 * shares[3]:14.1f}"
        )


if __name__ == "__main__":
    main()
