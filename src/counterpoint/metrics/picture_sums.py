"""The credit and the cases of a ratio in each picture: what tests of a line and of a difference are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterpoint.metrics.comparison import paired_sums
from counterpoint.metrics.metric import Ratio
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.scoring import slice_sums
from counterpoint.metrics.slices import SliceCells, Slicer
from counterpoint.metrics.units import Flags, Floats

_PRIOR_CORRELATION = 0.5  # of the cases of a picture
_PRIOR_PICTURES = 20.0  # with the rarer outcome, from which on what is seen weighs more than the prior
_PRIOR_MISSES = 2.0  # pictures of mean size that are all wrong


@dataclass(frozen=True, slots=True)
class PictureSums:
    """The credit and the cases of each picture that has a case, in the order in which they were asked.

    With `other`, credit and cases of a baseline on the same pictures, the ratio is the difference of both models'.
    `most_cases` is how many cases the largest picture of the suite has.
    """

    credit: Floats
    cases: Floats
    most_cases: float
    other: tuple[Floats, Floats] | None = None

    @property
    def value(self) -> float:
        """The ratio, or the difference of two."""
        other = self.other[0].sum() / self.other[1].sum() if self.other else 0.0
        return float(self.credit.sum() / self.cases.sum() - other)

    @property
    def lowest(self) -> float:
        """The lowest value that there can be; the highest is 1."""
        return -1.0 if self.other else 0.0

    @property
    def is_linear(self) -> bool:
        """Whether both models have the same cases, so that the difference of their ratios is a ratio too."""
        return self.other is None or np.array_equal(self.cases, self.other[1])

    def against(self, line: float) -> Floats:
        """The number of each picture, whose mean is zero where the value lies on the line."""
        if self.other is None:
            return self.credit - line * self.cases
        if self.is_linear:
            return self.credit - self.other[0] - line * self.cases
        return self.influence + (self.value - line)

    @property
    def influence(self) -> Floats:
        """How far each picture moves the value, whose variance is that of these numbers over their count."""
        own = _influence(self.credit, self.cases)
        return own if self.other is None else own - _influence(*self.other)

    def squares(self, line: float) -> Floats:
        """The sum of the squares of these numbers up to each picture, as it is expected at the null.

        It is at least that of independent cases: credit on the line varies like a coin, and a difference of two models
        on the line needs as many discordant cases. While few pictures hold the rarer outcome it is drawn towards that
        of a correlation of one half within pictures, since a suite without a miss so far seems not to vary at all. Two
        pictures that are all wrong are added: where few misses decide, their absence lowers the estimate while it
        raises the sum.
        """
        coin = abs(line) - line**2
        scale = 1.0 if self.is_linear else float(self.cases.mean())
        independent = coin * self.cases / scale**2
        seen = np.maximum(np.cumsum(self.against(line) ** 2, axis=-1), np.cumsum(independent, axis=-1))
        correlated = np.cumsum(independent * (1 + _PRIOR_CORRELATION * (self.cases - 1)), axis=-1)
        weight = _PRIOR_PICTURES / np.maximum(self._rarer_pictures, 0.1)
        typical = np.cumsum(self.cases, axis=-1) / np.arange(1, self.cases.shape[-1] + 1) / scale
        return np.asarray((seen + weight * np.maximum(seen, correlated)) / (1 + weight) + _PRIOR_MISSES * typical**2)

    @property
    def effective_pictures(self) -> Floats:
        """Up to each picture, how many of equal size would tell as much (Kish)."""
        return _kish(self.cases)

    @property
    def _rarer_pictures(self) -> Floats:
        """Up to each picture, how many hold the rarer of credit and its absence, or cases in which models differ."""
        if self.other is not None:
            return _kish(np.abs(self.credit - self.other[0]))
        is_rare = np.cumsum(self.credit, axis=-1) > np.cumsum(self.cases, axis=-1) / 2
        return np.where(is_rare, _kish(self.cases - self.credit), _kish(self.credit))

    def largest_loss(self, line: float, above: bool) -> float:
        """How far below zero the number of a picture can lie, or that with the opposite sign."""
        return self.most_cases * (line - self.lowest if above else 1 - line)


def sum_by_picture(
    ratio: Ratio[Any], where: Mapping[str, str], own: Outcomes, other: Outcomes | None = None, most_cases: float = 0.0
) -> PictureSums:
    """The sums of a model in a slice of one suite, or those of two models over the units that both answered.

    The difference of two is signed so that more is better.
    """
    cells = _cells(ratio, where, own)
    if not cells.names:
        return PictureSums(np.empty(0), np.empty(0), most_cases)
    if other is None:
        sums = slice_sums(ratio, own.units(ratio.unit), cells)
        counted = sums.n > 0
        return PictureSums(sums.s[counted], sums.n[counted], most_cases)
    paired = paired_sums(own, other, ratio, where)
    assert paired is not None, "what one model has in a slice the other has too"
    first, second = reversed(paired[0]) if ratio.lower_is_better else paired[0]
    counted = (first.n > 0) | (second.n > 0)
    return PictureSums(first.s[counted], first.n[counted], most_cases, (second.s[counted], second.n[counted]))


def join_sums(parts: Sequence[PictureSums]) -> PictureSums:
    """The sums of the pictures of some blocks, in their order; a block without cases has no other model."""
    pairs = [(own.credit, own.cases, *(own.other or ())) for own in parts if len(own.cases)]
    credit, cases, *other = map(np.concatenate, zip(*pairs, strict=True)) if pairs else (np.empty(0), np.empty(0))
    most_cases = max((own.most_cases for own in parts), default=0.0)
    return PictureSums(credit, cases, most_cases, (other[0], other[1]) if other else None)


def units_in_slice(ratio: Ratio[Any], where: Mapping[str, str], outcomes: Outcomes) -> Flags:
    """Which units of a ratio lie in a slice, whatever is answered."""
    inside = np.zeros(len(outcomes.units(ratio.unit).row), np.bool_)
    inside[_cells(ratio, where, outcomes).inside] = True
    return inside


def _cells(ratio: Ratio[Any], where: Mapping[str, str], outcomes: Outcomes) -> SliceCells:
    return Slicer(outcomes, ("suite",), where).cut(outcomes.units(ratio.unit))


def _influence(credit: Floats, cases: Floats) -> Floats:
    """The influence of each picture on the ratio of all credit to all cases."""
    return np.asarray((credit - credit.sum() / cases.sum() * cases) / cases.mean())


def _kish(values: Floats) -> Floats:
    """Up to each value, how many equal ones would have the same sum and the same sum of squares."""
    squares = np.cumsum(values**2, axis=-1)
    total = np.cumsum(values, axis=-1) ** 2
    return np.asarray(np.divide(total, squares, out=np.zeros_like(total), where=squares > 0))
