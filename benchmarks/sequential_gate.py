"""Simulate sequential gates that are looked at after every picture: false verdicts, and how much of a suite is asked.

    python -m benchmarks.sequential_gate --repeats 1000

At the null the value lies on the line, and a false verdict is one of either kind at any look, each at 5 %. Pictures
have equal or very different numbers of questions, of correlated difficulty, and large pictures are harder in the cells
"uneven". Against the line the truth is 10 points off it, and the fixed test is that of the same power. The last
table has a drop of 5 points at the size that `sample-size` asks for with twenty rules, from a pilot of 200 pictures.
"""

import argparse
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate_errors import QUESTIONS, share_sums
from benchmarks.gate_errors import draw as draw_answers
from counterpoint.metrics.paired_tests import ALPHA, RatioDifference
from counterpoint.metrics.picture_sums import PictureSums
from counterpoint.metrics.sample_sizes import needed_pictures
from counterpoint.metrics.sequential_tests import (
    FEWEST_PICTURES,
    SequentialMethod,
    asymptotic_evidence,
    betting_evidence,
    tightest_after,
)

Floats = NDArray[np.float64]
SIZES = {"even": ((2,), (1.0,)), "single": ((1,), (1.0,)), "uneven": ((1, 2, 4, 12), (0.4, 0.3, 0.2, 0.1))}
"""The numbers of questions of a picture, and how frequent each is."""
CORRELATION = 0.25
NORMAL = NormalDist()


@dataclass(frozen=True)
class Cell:
    """A kind of suite and of model: how far the truth is from the line, and for two models how often they differ."""

    sizes: str
    line: float = 0.0
    distance: float = 0.0
    discordance: float = 0.0  # of two models; 0 for one model against a line
    groups: int = 1000

    @property
    def pictures(self) -> int:
        """How many pictures the suite has."""
        sizes, shares = SIZES[self.sizes]
        return round(self.groups / float(np.dot(sizes, shares)))

    @property
    def most_cases(self) -> int:
        """The questions of its largest picture."""
        return max(SIZES[self.sizes][0])

    def __str__(self) -> str:
        margin = f", margin {-100 * self.line:g}" if self.line else ""
        what = f"two models{margin}, discordance {self.discordance}" if self.discordance else f"line at {self.line}"
        return f"{what}, {self.sizes}"


def draw(rng: np.random.Generator, cell: Cell, repeats: int) -> PictureSums:
    """The credit and the cases of pictures, a row for each repeat."""
    shape = (repeats, cell.pictures)
    choices, shares = map(np.asarray, SIZES[cell.sizes])
    cases = rng.choice(choices, shape, p=shares)
    lever = cases / (choices**2 @ shares / (choices @ shares)) - 1  # its mean over questions is zero
    if not cell.discordance:
        share = cell.line + cell.distance
        tilt = 0.15 * min(share, 1 - share)
        right = _beta_binomial(rng, cases, np.clip(share - tilt * lever, 0.001, 0.999))
        return PictureSums(right, cases.astype(np.float64), cell.most_cases)
    differing = _beta_binomial(rng, cases, np.full(shape, cell.discordance))
    better = (1 + (cell.line + cell.distance) / cell.discordance) / 2
    won = rng.binomial(differing.astype(np.int64), better).astype(np.float64)
    credit = np.zeros(shape)
    return PictureSums(2 * won - differing, cases.astype(np.float64), cell.most_cases, (credit, cases.astype(float)))


def _beta_binomial(rng: np.random.Generator, cases: NDArray[np.int64], share: Floats) -> Floats:
    """Counts whose cases within a picture are correlated."""
    strength = 1 / CORRELATION - 1
    return rng.binomial(cases, rng.beta(share * strength, (1 - share) * strength)).astype(np.float64)


def evidence(method: SequentialMethod, sums: PictureSums, line: float, above: bool, level: float = ALPHA) -> Floats:
    """The logarithm of the evidence after each picture, in each repeat."""
    values = sums.against(line) if above else -sums.against(line)
    horizon = tightest_after(values.shape[-1])
    if method is SequentialMethod.BETTING:
        return betting_evidence(values, sums.largest_loss(line, above), horizon, level)
    found = asymptotic_evidence(values, sums.squares(line), horizon, level)
    return np.where(sums.effective_pictures < FEWEST_PICTURES, -np.inf, found)


def false_verdicts(rng: np.random.Generator, method: SequentialMethod, cell: Cell, repeats: int) -> tuple[int, int]:
    """In how many repeats a value on its line ever fails, and ever holds."""
    sums = draw(rng, cell, repeats)
    ever = [(evidence(method, sums, cell.line, above) >= -np.log(ALPHA)).any(-1) for above in (False, True)]
    return int(ever[0].sum()), int(ever[1].sum())


@dataclass(frozen=True)
class Course:
    """How gates went: the share that was decided rightly, the mean share of the suite asked, and fixed sizes."""

    power: float
    asked: float
    fixed: float  # the share of the suite that the fixed test needs for this power
    fixed_80: float


def asked_share(rng: np.random.Generator, method: SequentialMethod, cell: Cell, repeats: int) -> Course:
    """How much of a suite is asked until a rule fails whose value lies below its line."""
    sums = draw(rng, cell, repeats)
    crossed = evidence(method, sums, cell.line, cell.distance > 0) >= -np.log(ALPHA)
    decided = crossed.any(-1)
    stop = np.where(decided, crossed.argmax(-1) + 1, cell.pictures)
    groups = np.take_along_axis(np.cumsum(sums.cases, -1), stop[:, None] - 1, -1)[:, 0]
    values = sums.against(cell.line)
    ratio = values.var() / values.mean() ** 2
    power = min(float(decided.mean()), 1 - 1 / repeats)
    pictures = [(NORMAL.inv_cdf(1 - ALPHA) + NORMAL.inv_cdf(share)) ** 2 * ratio for share in (power, 0.8)]
    return Course(
        float(decided.mean()), float((groups / sums.cases.sum(-1)).mean()), *(n / cell.pictures for n in pictures)
    )


RULES, DROP, PILOT = 20, 0.05, 200


def drops_found(rng: np.random.Generator, accuracy: float, repeats: int, paired: bool) -> tuple[float, float]:
    """The mean size that is asked for, and how often a drop is found at it; each repeat has a pilot of its own.

    A p value of 5 % over the number of rules is what Holm's method asks of the smallest, and more than of others.
    """
    pilots = [draw_answers(rng, PILOT, [accuracy] * 2) for _ in range(repeats)]
    sizes = [needed_pictures(_picture_sums(*pilot[: 1 + paired]), DROP, rules=RULES) for pilot in pilots]
    now, before = draw_answers(rng, sum(sizes), [accuracy - DROP, accuracy])
    place = np.repeat(np.arange(repeats), sizes)
    sums = [share_sums(right, place) for right in (now, before)]
    if paired:
        p = RatioDifference.of(sums[0], sums[1], place).p_below(0.0)
        return float(np.mean(sizes)), float(np.mean(p <= ALPHA / RULES))
    return float(np.mean(sizes)), float(np.mean(sums[0].bounds(1 - ALPHA / RULES)[1] < accuracy))


def _picture_sums(right: NDArray[np.bool_], other: NDArray[np.bool_] | None = None) -> PictureSums:
    cases = np.full(len(right), float(QUESTIONS))
    baseline = None if other is None else (other.sum(1).astype(np.float64), cases)
    return PictureSums(right.sum(1).astype(np.float64), cases, QUESTIONS, baseline)


NULLS = (
    *(Cell(sizes, line) for sizes in ("single", "even", "uneven") for line in (0.5, 0.8, 0.95)),
    *(Cell(sizes, 0.0, discordance=share) for sizes in ("single", "uneven") for share in (0.1, 0.4)),
    *(Cell(sizes, -0.03, discordance=share) for sizes in ("single", "uneven") for share in (0.05, 0.1)),
    Cell("uneven", 0.95, groups=5000),
)
TRUTHS = (
    *(Cell("single", 0.0, -0.1, discordance=share) for share in (0.2, 0.3, 0.4)),
    Cell("even", 0.0, -0.1, discordance=0.4),
    Cell("even", 0.7, -0.1),
    Cell("uneven", 0.0, -0.1, discordance=0.4),
    *(Cell(sizes, -0.03, -0.07, discordance=0.4) for sizes in ("single", "even", "uneven")),
    Cell("single", 0.0, -0.1, discordance=0.4, groups=3000),
)


SEED = 1
"""The seed that is reported; 0 is for tuning."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=SEED)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    for method in SequentialMethod:
        print(f"{method}: repeats of {given.repeats} in which a value on its line ever fails, ever holds")
        for cell in NULLS:
            fails, holds = false_verdicts(rng, method, cell, given.repeats)
            print(f"  {cell!s:45} {fails:4} {holds:4}")
        print(f"{method}: 10 points below: power, share of the suite asked, fixed test of the same power, of 80 %")
        for cell in TRUTHS:
            c = asked_share(rng, method, cell, given.repeats)
            print(f"  {cell!s:45} {cell.groups:5} {c.power:.3f} {c.asked:.2f} {c.fixed:.2f} {c.fixed_80:.2f}")
    print(f"drops of 5 points found with {RULES} rules: accuracy before, pictures asked for and share found, by rule")
    for accuracy in (0.5, 0.7, 0.9):
        cells = [
            (what, *drops_found(rng, accuracy, given.repeats, what == "baseline")) for what in ("line", "baseline")
        ]
        print(f"  {accuracy:.1f}", *(f"{what} {size:6.0f} {found:.3f}" for what, size, found in cells))


if __name__ == "__main__":
    main()
