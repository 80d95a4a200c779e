"""From everything searched to a dozen findings: each explains failures that those before it do not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from counterpoint.metrics.distributions import student_p
from counterpoint.metrics.findings.features import FEWEST, SearchSpace, SliceFeature
from counterpoint.metrics.findings.search import (
    DRAWS,
    Matrix,
    Residuals,
    Slice,
    SliceSearch,
    draw_weights,
    search_slices,
)
from counterpoint.metrics.paired_tests import ALPHA, holm
from counterpoint.metrics.units import Flags, Floats

MOST = 12
"""Findings of one model."""
MOST_UNSURE = 3
"""Slices that are named where nothing is significant."""


@dataclass(frozen=True, slots=True)
class WeakSlice:
    """Groups that a model fails more often than those outside all findings; of two models, those that changed.

    `share` and `elsewhere` are shares of groups that are right; of two models, differences of such shares.
    """

    features: tuple[SliceFeature, ...]
    inside: Flags  # which groups of the space
    n: int
    pictures: int
    share: float
    elsewhere: float
    is_complement: bool  # elsewhere is all groups outside the slice; else those outside all findings
    excess: float  # failures beyond those that as many groups have elsewhere
    failures: float  # the share of all failures that lies inside
    p: float  # over everything searched
    is_significant: bool


@dataclass(frozen=True, slots=True)
class _Chosen:
    slice: Slice
    inside: Flags
    p: float


def find_weak_slices(
    space: SearchSpace, fails: Flags, *, confirm: str = "", seed: int = 0, draws: int = DRAWS
) -> tuple[WeakSlice, ...]:
    """The slices in which a model fails more than elsewhere, those that explain most failures first.

    With `confirm="split"`, slices are found on one half of the pictures, and their p values come from the other half.
    """
    outcome = fails.astype(np.float64)
    if not 0 < outcome.sum() < len(outcome):
        return ()
    rng = np.random.default_rng([seed, 24])
    chosen = _split(space, outcome, rng) if confirm else _choose(space, outcome, draws, rng)
    return _described(space, outcome, _listed(chosen), is_share=True)


def find_changes(
    space: SearchSpace, first: Flags, second: Flags, *, seed: int = 0, draws: int = DRAWS
) -> tuple[WeakSlice, ...]:
    """The slices whose failures changed from the second to the first unlike those elsewhere, the most first."""
    change = first.astype(np.float64) - second.astype(np.float64)
    if not change.any():
        return ()
    chosen = _choose(space, change, draws, np.random.default_rng([seed, 24]), signs=(1.0, -1.0))
    return _described(space, change, _listed(chosen), is_share=False)


def _listed(chosen: Sequence[_Chosen]) -> list[_Chosen]:
    """The significant ones, or the first few where there are none."""
    return [own for own in chosen if own.p <= ALPHA] or list(chosen[:MOST_UNSURE])


def _choose(
    space: SearchSpace, outcome: Floats, draws: int, rng: np.random.Generator, signs: Sequence[float] = (1.0,)
) -> list[_Chosen]:
    """One slice after another, each the clearest beyond what those before it explain, until none is significant."""
    chosen: list[_Chosen] = []
    weights, none = draw_weights(space, draws, rng), draw_weights(space, 0, rng)
    searches = _search(space, outcome, chosen, weights, signs)
    largest = np.max([search.largest for search in searches], axis=0)
    while len(chosen) < MOST:
        found = [own for own in map(_clearest, [(space, outcome)] * len(signs), signs, searches) if own]
        if not found:
            break
        inside, own, statistic = max(found, key=lambda one: one[2])
        if statistic < _ANY:
            break
        p = float((1 + (largest >= statistic).sum()) / (1 + draws))
        if chosen and p > ALPHA and (chosen[0].p <= ALPHA or len(chosen) == MOST_UNSURE):
            break
        chosen.append(_Chosen(own, inside, p))
        searches = _search(space, outcome, chosen, none, signs)
    return chosen


_ANY = 1e-6  # the statistic of a slice that fails more than expected; one that was chosen has rounding errors


def _search(
    space: SearchSpace, outcome: Floats, chosen: Sequence[_Chosen], weights: Matrix, signs: Sequence[float]
) -> list[SliceSearch]:
    """A search in each direction, beyond what the chosen slices explain."""
    expected, is_share = _expected(outcome, chosen), len(signs) == 1
    return [search_slices(Residuals(space, sign * outcome, sign * expected, weights, is_share)) for sign in signs]


def _clearest(data: tuple[SearchSpace, Floats], sign: float, search: SliceSearch) -> tuple[Flags, Slice, float] | None:
    """The clearest slice that itself, and not only beside others, lies in a direction."""
    space, outcome = data
    left = SliceSearch(dict(search.statistics), search.largest)
    while (best := left.best()) is not None:
        own, statistic = best
        inside = space.inside(own)
        if sign * outcome[inside].mean() > 0:
            return inside, own, statistic
        del left.statistics[own]
    return None


def _expected(outcome: Floats, chosen: Sequence[_Chosen]) -> Floats:
    """What is expected of each group by the slices chosen so far, fitted by least squares."""
    if not chosen:
        return np.full(len(outcome), outcome.mean())
    columns = np.column_stack([np.ones(len(outcome)), *(own.inside for own in chosen)]).astype(np.float64)
    fitted, *_ = np.linalg.lstsq(columns, outcome, rcond=None)
    expected = columns @ fitted
    if outcome.min() < 0:
        return np.clip(expected, -1.0, 1.0)
    within = np.clip(expected, 0.0, 1.0)
    return within if np.allclose(within, expected) else _balanced(within, outcome, columns > 0)


def _balanced(expected: Floats, outcome: Floats, slices: Flags) -> Floats:
    """Expected shares, moved within 0 and 1 until every slice is expected to fail as often as it does.

    Cut off alone, they leave failures of a slice that is chosen already, which would be chosen again.
    """
    for _ in range(_ROUNDS):
        for inside in slices.T:
            mean, wanted = float(expected[inside].mean()), float(outcome[inside].mean())
            if mean < wanted:
                expected[inside] = 1 - (1 - expected[inside]) * (1 - wanted) / (1 - mean)
            elif mean > wanted:
                expected[inside] *= wanted / mean
    return expected


_ROUNDS = 100  # of moves, after which shares of slices that overlap agree


def _split(space: SearchSpace, outcome: Floats, rng: np.random.Generator) -> list[_Chosen]:
    """Slices found on half of the pictures, with Holm's p values on the other half."""
    halves = rng.permutation(int(space.picture[-1]) + 1) % 2 == 0
    here = halves[space.picture]
    found = [own.slice for own in _candidates(space.at(here), outcome[here])]
    other, left = space.at(~here), outcome[~here]
    tested = []
    before: list[_Chosen] = []
    for own in found:
        inside = other.inside(own)
        tested.append(_confirmed(other, left, _expected(left, before), inside))
        before.append(_Chosen(own, inside, 1.0))
    return [_Chosen(own, space.inside(own), p) for own, p in zip(found, holm(tested), strict=True)]


def _candidates(space: SearchSpace, outcome: Floats) -> list[_Chosen]:
    """The clearest slices of one half, significant or not."""
    chosen: list[_Chosen] = []
    none: Matrix = np.empty((int(space.picture[-1]) + 1, 0), np.float32)
    while len(chosen) < MOST:
        best = search_slices(Residuals(space, outcome, _expected(outcome, chosen), none)).best()
        if best is None or best[1] < _WORTH_TESTING:
            break
        chosen.append(_Chosen(best[0], space.inside(best[0]), 1.0))
    return chosen


_WORTH_TESTING = 3.0  # the statistic of a slice of the first half


def _confirmed(space: SearchSpace, outcome: Floats, expected: Floats, inside: Flags) -> float:
    """The p value of more failures inside than expected, with pictures as clusters."""
    if inside.sum() < FEWEST // 2:
        return 1.0
    own = SearchSpace((SliceFeature("", ""),), inside[:, None], space.picture, space.place)
    none: Matrix = np.empty((int(space.picture[-1]) + 1, 0), np.float32)
    statistic = Residuals(own, outcome, expected, none).statistic()
    two_sided = float(student_p(statistic, max(len(np.unique(space.picture[inside])) - 1, 1)))
    return two_sided / 2 if statistic > 0 else 1 - two_sided / 2


def _described(
    space: SearchSpace, outcome: Floats, chosen: Sequence[_Chosen], *, is_share: bool
) -> tuple[WeakSlice, ...]:
    """The chosen slices with their figures, those that explain most failures first; changes are no shares."""
    elsewhere = ~np.logical_or.reduce([own.inside for own in chosen]) if chosen else np.ones(len(outcome), np.bool_)
    failed = float(np.abs(outcome).sum())
    described = []
    for own in chosen:
        rest = elsewhere if elsewhere.sum() >= FEWEST else ~own.inside
        here, there = float(outcome[own.inside].mean()), float(outcome[rest].mean())
        n = int(own.inside.sum())
        described.append(
            WeakSlice(
                tuple(space.features[place] for place in own.slice),
                own.inside,
                n,
                len(np.unique(space.picture[own.inside])),
                1 - here if is_share else -here,
                1 - there if is_share else -there,
                bool((rest == ~own.inside).all()),
                n * (here - there),
                float(np.abs(outcome[own.inside]).sum()) / failed,
                own.p,
                own.p <= ALPHA,
            )
        )
    return tuple(sorted(described, key=lambda own: (-abs(own.excess), own.features)))
