"""The search: conjunctions of up to three features by a beam, and the critical value of everything that it looks at.

The statistic of a slice is the signed root of the deviance of its failures from those expected, with pictures as
clusters, so that it is about normal also where failures are rare or few. Under no weakness, the sums of residuals of
pictures times normal weights are as dependent between slices as the statistics are; the same beam runs on every such
draw, and the largest value of each draw says how large the largest would be by chance (max-T of Westfall and Young).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from counterpoint.metrics.findings.features import FEWEST, FEWEST_PICTURES, SearchSpace
from counterpoint.metrics.units import Floats, Rows

Matrix = NDArray[np.float32]
Slice = tuple[int, ...]
"""Places of the features of a conjunction, in ascending order."""

BEAM = 8
"""Slices of one and of two features that are narrowed further."""
DRAWS = 199
"""Draws without a weakness."""
DEEPEST = 3
"""Features of a conjunction."""


@dataclass(frozen=True, slots=True)
class SliceSearch:
    """What was looked at: the statistic of each slice, and the largest value of every draw."""

    statistics: dict[Slice, float]
    largest: Floats  # of each draw; empty where none was asked for

    def best(self) -> tuple[Slice, float] | None:
        """The slice with the largest statistic; of nearly as large ones that with the fewest features."""
        if not self.statistics:
            return None
        most = max(self.statistics.values())
        near = [(len(own), -value, own) for own, value in self.statistics.items() if value >= most - SIMPLER]
        _, value, own = min(near)
        return own, -value


SIMPLER = 0.4
"""How much of the statistic a slice of fewer features may lack."""


@dataclass(slots=True)
class Residuals:
    """What the groups of a space have beyond what is expected of them, by picture, with weights for each draw."""

    space: SearchSpace
    outcome: Floats  # of each group: 1 where it fails; or a difference of two
    expected: Floats
    weights: Matrix  # a row per picture, a column per draw
    is_share: bool = True  # outcomes are 0 or 1
    values: Matrix = field(init=False)
    per_picture: Matrix = field(init=False)
    sizes: Matrix = field(init=False)  # groups of each picture
    drawn: Matrix = field(init=False)  # sums of all residuals by draw
    correlation: float = field(init=False)  # of groups on one picture

    def __post_init__(self) -> None:
        picture = self.space.picture
        pictures = int(picture[-1]) + 1 if len(picture) else 0
        self.values = (self.outcome - self.expected).astype(np.float32)
        self.per_picture = np.bincount(picture, self.values, minlength=pictures).astype(np.float32)
        self.sizes = np.bincount(picture, minlength=pictures).astype(np.float32)
        self.drawn = self.per_picture @ self.weights
        squares, pairs = float((self.values**2).sum()), float((self.sizes * (self.sizes - 1)).sum())
        between = (float((self.per_picture**2).sum()) - squares) / max(pairs, 1.0)
        self.correlation = min(max(between / max(squares / max(len(picture), 1), 1e-9), 0.0), 1.0)

    def narrow(self, rows: Rows, draws: Rows, *, is_seen: bool) -> tuple[Rows, Floats, Matrix]:
        """The features that narrow these groups to enough of them, with the statistics of data and of draws."""
        flags, total = self._flags(rows), len(self.outcome)
        count = np.ones(len(rows), np.float32) @ flags
        kept = np.flatnonzero((count >= FEWEST) & (count <= min(total - FEWEST, len(rows) - 1)))
        if not len(kept):
            return kept, np.empty(0), np.empty((0, len(draws)), np.float32)
        sums = self._sums(rows, np.take(flags, kept, axis=1))
        several = sums.on >= FEWEST_PICTURES
        share = sums.count / total
        own = self.per_picture[sums.pictures][:, None]
        spread = (sums.residual**2).sum(0) - 2 * share * (sums.residual * own).sum(0)
        spread = np.maximum(spread + share**2 * (self.per_picture**2).sum(), 1e-9)
        drawn: Matrix = np.empty((len(kept), 0), np.float32)
        if len(draws):
            moved = sums.residual.T @ self.weights[np.ix_(sums.pictures, draws)] - share[:, None] * self.drawn[draws]
            drawn = np.asarray(moved / np.sqrt(spread)[:, None], np.float32)
        seen = self._statistics(sums, share, spread) if is_seen else np.empty(0)
        return kept[several], seen[several] if is_seen else seen, drawn[several]

    def statistic(self) -> float:
        """The statistic of the first feature over all groups, however few it has."""
        rows = np.arange(len(self.outcome))
        sums = self._sums(rows, self._flags(rows)[:, :1])
        spread = np.maximum((sums.residual.astype(np.float64) ** 2).sum(0), 1e-9)
        return float(self._statistics(sums, sums.count / len(self.outcome), spread)[0])

    def _flags(self, rows: Rows) -> Matrix:
        return np.asarray(self.space.flags[rows], np.float32)

    def _sums(self, rows: Rows, flags: Matrix) -> "_PictureSums":
        """Counts and residuals by picture and feature, over some groups and their flags, which are lost."""
        picture = self.space.picture[rows]
        starts = np.flatnonzero(np.append(True, picture[1:] != picture[:-1]))
        wanted = (self.expected[rows].astype(np.float32) @ flags).astype(np.float64)
        count = _sum_runs(flags, starts)
        flags *= self.values[rows][:, None]
        return _PictureSums(picture[starts], count, _sum_runs(flags, starts), wanted, count.sum(0, dtype=np.float64))

    def _statistics(self, sums: "_PictureSums", share: Floats, spread: Floats) -> Floats:
        """The signed root of the deviance of each slice, divided by the root of its design effect."""
        count, squares = sums.count, (sums.by_picture.astype(np.float64) ** 2).sum(0)
        crossed = (sums.by_picture * self.sizes[sums.pictures][:, None]).sum(0)
        together = squares - 2 * share * crossed + share**2 * (self.sizes**2).sum()
        modelled = (1 - self.correlation) + self.correlation * together / (count * (1 - share))
        residual = sums.residual.sum(0, dtype=np.float64)
        if not self.is_share:
            variance = float((self.values**2).mean()) * count * (1 - share) * np.maximum(modelled, 1.0)
            return np.asarray(residual / np.sqrt(np.maximum(variance, spread)))
        seen, wanted = (sums.expected + residual) / count, np.clip(sums.expected / count, 1e-3, 1 - 1e-3)
        shift = residual / count
        between = (sums.residual.astype(np.float64) ** 2).sum(0) - 2 * shift * (sums.residual * sums.by_picture).sum(0)
        clustered = (between + shift**2 * squares) / np.maximum(count * seen * (1 - seen), 0.5)
        effect = np.maximum(np.maximum(modelled, clustered), 1.0)
        nearer = np.clip(seen - 0.5 * np.sqrt(effect) / count, wanted, 1.0)  # a continuity correction
        upper = np.sqrt(2 * count * _divergence(nearer, wanted) / effect / (1 - share))
        return np.asarray(np.where(seen > wanted, upper, residual / np.sqrt(np.maximum(spread, 1e-9))))


@dataclass(frozen=True, slots=True)
class _PictureSums:
    pictures: NDArray[np.integer]
    by_picture: Matrix  # groups by picture and feature
    residual: Matrix
    expected: Floats  # by feature
    count: Floats  # by feature

    @property
    def on(self) -> Rows:
        return np.asarray((self.by_picture > 0).sum(0))


def _sum_runs(values: Matrix, starts: Rows) -> Matrix:
    """The sums of runs of rows; many short runs are added faster so than by `reduceat`."""
    lengths = np.diff(starts, append=len(values))
    sums = values[starts]
    for step in range(1, int(lengths.max(initial=0))):
        longer = np.flatnonzero(lengths > step)
        sums[longer] += values[starts[longer] + step]
    return sums


def _divergence(seen: Floats, wanted: Floats) -> Floats:
    """Kullback and Leibler's divergence of two shares."""
    with np.errstate(all="ignore"):
        one = np.where(seen > 0, seen * np.log(seen / wanted), 0.0)
        other = np.where(seen < 1, (1 - seen) * np.log((1 - seen) / (1 - wanted)), 0.0)
    return np.asarray(np.maximum(one + other, 0.0))


def draw_weights(space: SearchSpace, draws: int, rng: np.random.Generator) -> Matrix:
    """Standard normal weights of every picture for each draw."""
    pictures = int(space.picture[-1]) + 1 if len(space.picture) else 0
    return rng.standard_normal((pictures, draws), np.float32)


def search_slices(residuals: Residuals) -> SliceSearch:
    """Search slices of one to three features, in the data and, by the same beam, in every draw."""
    beam = _Beam(residuals)
    parents: dict[Slice, list[int]] = {(): list(range(-1, residuals.weights.shape[1]))}  # -1: the data
    for depth in range(DEEPEST):
        parents = beam.narrow(parents, last=depth == DEEPEST - 1)
    return SliceSearch(beam.statistics, beam.largest)


class _Beam:
    """One level after another: the slices that the data and each draw keep, narrowed by every feature."""

    def __init__(self, residuals: Residuals) -> None:
        self.residuals, self.statistics = residuals, dict[Slice, float]()
        self.largest = np.full(residuals.weights.shape[1], -np.inf)

    def narrow(self, parents: dict[Slice, list[int]], *, last: bool) -> dict[Slice, list[int]]:
        """Narrow each parent for the draws that keep it; the next parents, with the draws that keep each."""
        kept: dict[int, dict[Slice, float]] = {}
        for parent, users in parents.items():
            rows = np.flatnonzero(self.residuals.space.inside(parent))
            draws = np.array([user for user in users if user >= 0], np.int64)
            features, seen, drawn = self.residuals.narrow(rows, draws, is_seen=users[0] < 0)
            if users[0] < 0:
                own = {_joined(parent, place): float(z) for place, z in zip(features, seen, strict=True)}
                self.statistics.update(own)
                _add(kept.setdefault(-1, {}), _highest(own))
            if len(draws) and len(drawn):
                self.largest[draws] = np.maximum(self.largest[draws], drawn.max(axis=0))
                if not last:
                    self._keep(kept, parent, features, draws, drawn)
        return _users(kept)

    @staticmethod
    def _keep(kept: dict[int, dict[Slice, float]], parent: Slice, features: Rows, draws: Rows, drawn: Matrix) -> None:
        few = min(BEAM, len(drawn))
        places = np.argpartition(-drawn, few - 1, axis=0)[:few]
        values = np.take_along_axis(drawn, places, axis=0)
        for column, draw in enumerate(draws.tolist()):
            found = zip(features[places[:, column]].tolist(), values[:, column].tolist(), strict=True)
            _add(kept.setdefault(draw, {}), ((_joined(parent, place), z) for place, z in found))


def _joined(parent: Slice, place: int) -> Slice:
    return tuple(sorted((*parent, int(place))))


def _highest(statistics: dict[Slice, float]) -> list[tuple[Slice, float]]:
    return sorted(statistics.items(), key=lambda own: (-own[1], own[0]))[:BEAM]


def _add(kept: dict[Slice, float], found: Iterable[tuple[Slice, float]]) -> None:
    """Keep the highest of what a draw has found on this level."""
    kept.update(found)
    for own in sorted(kept, key=lambda own: (-kept[own], own))[BEAM:]:
        del kept[own]


def _users(kept: dict[int, dict[Slice, float]]) -> dict[Slice, list[int]]:
    """The draws that keep each slice; the data come first."""
    users: dict[Slice, list[int]] = {}
    for draw in sorted(kept):
        for own in kept[draw]:
            users.setdefault(own, []).append(draw)
    return users
