"""Tests that stay valid however often one looks: evidence on a ratio and a line, after each picture in random order.

The unit is a picture, and its number is credit less line times cases, for one model or for the difference of two. The
mean of these numbers over pictures is zero where the ratio, all credit over all cases, lies on the line, whatever
the sizes of the pictures. Evidence is an e-process: at a true null it ever reaches 1/α with a probability of at most α
(Ville's inequality), so that one may stop at any time, and for any reason.

- `asymptotic_evidence`, the default, is a one-sided asymptotic confidence sequence in the sense of Waudby-Smith,
  Arbour, Sinha, Kennedy and Ramdas (Annals of Statistics 2024), from 50 pictures on.
- `betting_evidence` is exact: the capital of a gambler against the null, by predictable bets as in Waudby-Smith and
  Ramdas (Journal of the Royal Statistical Society B 2023). It needs to know how many cases a picture has at most.

Both stake one share, in units of the standard deviation: the one that grows fastest where the difference is such that
it is found after two fifths of the pictures. A mixture over shares, normal or geometric, finds very large differences
with a little less, and asks up to a fifth more where a suite is just large enough, which is where asking is dear.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, exp, inf, log, sqrt

import numpy as np

from counterpoint.core.errors import CounterpointError
from counterpoint.metrics.gates import NO_TEST, GateCheck, GateRule, GateVerdict, LineTest, further_cases
from counterpoint.metrics.paired_tests import ALPHA
from counterpoint.metrics.picture_sums import PictureSums
from counterpoint.metrics.units import Floats

FEWEST_PICTURES = 50
"""Pictures below which the asymptotic test decides nothing; of different sizes, as many as count like so many equal."""

_HORIZON = 0.4  # share of the pictures of a suite
_LARGEST_STAKE = 0.96  # of the capital that one picture can cost
_HALVINGS = 30


class SequentialMethod(StrEnum):
    """How evidence is counted."""

    ASYMPTOTIC = "asymptotic"
    BETTING = "betting"


def asymptotic_evidence(values: Floats, squares: Floats, horizon: float, level: float) -> Floats:
    """The logarithm of the evidence that the mean of `values` lies above zero, after each picture (the last axis).

    `squares` estimates the sum of their squares at the null up to each picture. Sums over the standard deviation are
    like a Wiener process. The bound is tightest after `horizon` pictures at this level.
    """
    pictures, bet = np.arange(1, values.shape[-1] + 1), _bet(horizon, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        wiener = np.nan_to_num(np.cumsum(values, axis=-1) / np.sqrt(squares / pictures), nan=0.0)
    return np.asarray(bet * wiener - bet**2 * pictures / 2)


def betting_evidence(values: Floats, largest_loss: float, horizon: float, level: float) -> Floats:
    """The logarithm of the capital of bets on a mean above zero, after each picture (the last axis).

    Each bet is made before its picture is seen, by the mean square of the numbers before it. No value lies below
    `-largest_loss`, so that no bet can lose more than all of its stake.
    """
    loss = max(largest_loss, 1e-9)
    before = np.cumsum(values**2, axis=-1) - values**2
    deviation = np.sqrt((before + (loss / 2) ** 2) / np.arange(1, values.shape[-1] + 1))
    stakes = np.minimum(_bet(horizon, level) / deviation, _LARGEST_STAKE / loss)
    return np.asarray(np.cumsum(np.log1p(stakes * values), axis=-1))


def _bet(horizon: float, level: float) -> float:
    """The share per standard deviation with which evidence at this level needs the smallest mean after a horizon."""
    return sqrt(-2 * log(level) / horizon)


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Decides rules after any portion of the pictures of a suite.

    A rule fails by evidence at α over the number of rules, as an alarm; it holds by evidence at α, as all have to hold.
    """

    method: SequentialMethod
    pictures: int  # of the suites that a rule is about
    rules: int = 1  # that are tested together

    def check(self, rule: GateRule, suite: str, metric: str, sums: PictureSums) -> GateCheck:
        """A rule with its verdict, and the bound by which it is decided."""
        if not sums.cases.sum() or (sums.other is not None and not sums.other[1].sum()):
            return GateCheck(rule, suite, metric, NO_TEST, GateVerdict.UNDECIDED, 1.0, NO_TEST.low, None)
        if self.method is SequentialMethod.BETTING and not sums.is_linear:
            raise depends_on_model(metric)
        fails = self._evidence(sums, rule.line, not rule.at_least, ALPHA / self.rules)
        holds = self._evidence(sums, rule.line, rule.at_least, ALPHA)
        p = [exp(-max(evidence, 0.0)) for evidence in (fails, holds)]
        below, above = p if rule.at_least else p[::-1]
        verdict = (
            GateVerdict.FAILS
            if p[0] <= ALPHA / self.rules
            else GateVerdict.HOLDS
            if p[1] <= ALPHA
            else GateVerdict.UNDECIDED
        )
        low, high = self._bounds(sums, rule.at_least)
        cases = sums.cases if sums.other is None else np.minimum(sums.cases, sums.other[1])
        test = LineTest(sums.value, low, high, below, above, int(cases.sum()), len(cases))
        bound = high if (verdict is GateVerdict.FAILS) == rule.at_least else low
        pictures = self._missing_pictures(sums)
        further = further_cases(test, rule) if verdict is GateVerdict.UNDECIDED and not pictures else None
        return GateCheck(rule, suite, metric, test, verdict, min(p[0] * self.rules, 1.0), bound, further, pictures)

    def _missing_pictures(self, sums: PictureSums) -> int:
        """How many pictures are missing before the asymptotic test decides anything."""
        is_asymptotic = self.method is SequentialMethod.ASYMPTOTIC
        return max(ceil(FEWEST_PICTURES - sums.effective_pictures[-1]), 0) if is_asymptotic else 0

    def _evidence(self, sums: PictureSums, line: float, above: bool, level: float) -> float:
        """The logarithm of the evidence that the value lies above the line, or below it."""
        values = sums.against(line) if above else -sums.against(line)
        horizon = tightest_after(self.pictures)
        if self.method is SequentialMethod.BETTING:
            return float(betting_evidence(values, sums.largest_loss(line, above), horizon, level)[-1])
        if self._missing_pictures(sums):
            return -inf
        return float(asymptotic_evidence(values, sums.squares(line), horizon, level)[-1])

    def _bounds(self, sums: PictureSums, at_least: bool) -> tuple[float, float]:
        """Both ends of the confidence sequence, each at the level at which it would decide."""
        levels = (ALPHA, ALPHA / self.rules) if at_least else (ALPHA / self.rules, ALPHA)
        low = _end(lambda line: self._evidence(sums, line, True, levels[0]), levels[0], sums.lowest, sums.value)
        high = _end(lambda line: self._evidence(sums, line, False, levels[1]), levels[1], 1.0, sums.value)
        return low, high


def depends_on_model(metric: str) -> CounterpointError:
    """The error where two models have different cases, so that the difference of their ratios is no bounded mean."""
    fact = f"the cases of {metric} depend on the model, and betting cannot compare them with a baseline's"
    return CounterpointError(fact, hint=f"use the asymptotic method, or a line ({metric} >= …)")


def tightest_after(pictures: int) -> float:
    """After how many pictures of a suite the bound of a test is tightest."""
    return max(_HORIZON * pictures, 1.0 * FEWEST_PICTURES)


def _end(evidence: Callable[[float], float], level: float, far: float, near: float) -> float:
    """The line nearest to the value that the evidence excludes, by bisection; the far end where it excludes none."""
    if evidence(far) < -log(level):
        return far
    for _ in range(_HALVINGS):
        middle = (far + near) / 2
        far, near = (middle, near) if evidence(middle) >= -log(level) else (far, middle)
    return far
