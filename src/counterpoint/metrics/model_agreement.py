"""Agreement between models: which fail on the same groups, beyond what their pass rates explain."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from counterpoint.metrics.units import Floats

Passes = NDArray[np.int8]
"""A row per group, a column per model: 1 where it passes, 0 where it fails, -1 where it is neither."""

FEWEST_GROUPS = 20
"""Groups that two models must have in common for a κ."""


@dataclass(frozen=True, slots=True)
class ModelAgreement:
    """Cohen's κ of pass and fail of every two models, and the counts behind it, each as a square over the models.

    κ is nan where too few groups are in common, or where neither model ever differs from itself, so that chance
    explains everything. `only_fails[i, j]` counts the groups that the model i fails and j passes.
    """

    kappa: Floats
    groups: NDArray[np.int64]
    both_fail: NDArray[np.int64]
    only_fails: NDArray[np.int64]


def agree(suites: Iterable[Passes], models: int) -> ModelAgreement:
    """The agreement of every two models over the groups that both passed or failed.

    Each suite has a chance level of its own, so that models are not alike because suites differ in difficulty:
    κ = Σ n (observed - expected) / Σ n (1 - expected) over suites, which on one suite is Cohen's κ.

    >>> passes = np.array([[1, 1], [0, 0]] * 10, np.int8)
    >>> float(agree([passes], 2).kappa[0, 1]), int(agree([passes], 2).both_fail[0, 1])
    (1.0, 10)
    """
    shape = (models, models)
    excess, room = np.zeros(shape), np.zeros(shape)
    groups, both_fail, only_fails = (np.zeros(shape, np.int64) for _ in range(3))
    for passes in suites:
        known = (passes >= 0).astype(np.float64)
        passed, failed = (passes == 1).astype(np.float64), (passes == 0).astype(np.float64)
        n, pass_both, fail_both, fail_pass = (
            known.T @ known,
            passed.T @ passed,
            failed.T @ failed,
            failed.T @ passed,
        )
        share = np.divide(passed.T @ known, n, out=np.zeros(shape), where=n > 0)  # of i, where j is known too
        expected = share * share.T + (1 - share) * (1 - share.T)
        excess += pass_both + fail_both - n * expected
        room += n * (1 - expected)
        groups, both_fail, only_fails = (
            total + own.astype(np.int64)
            for total, own in zip((groups, both_fail, only_fails), (n, fail_both, fail_pass), strict=True)
        )
    enough = (groups >= FEWEST_GROUPS) & (room > 1e-9)
    kappa = np.divide(excess, room, out=np.full(shape, np.nan), where=enough)
    return ModelAgreement(kappa, groups, both_fail, only_fails)


def seriate(similarity: Floats) -> list[int]:
    """An order in which similar places are neighbours, by a greedy chain.

    It begins with the two that are most similar, and goes on at either end with what is most similar to that end.
    What is not known counts as the least similarity; ties are broken by place.

    >>> seriate(np.array([[1, 0.1, 0.9], [0.1, 1, 0.5], [0.9, 0.5, 1]]))
    [0, 2, 1]
    """
    near = np.where(np.isnan(similarity), np.nanmin(similarity, initial=0.0) - 1, similarity)
    near = np.maximum(near, near.T)
    np.fill_diagonal(near, -np.inf)
    left = set(range(len(near)))
    if len(left) < 3:
        return sorted(left)
    first, second = divmod(int(np.argmax(near)), len(near))
    chain = [first, second]
    left -= {first, second}
    while left:
        rest = sorted(left)
        ends = [(near[chain[end], place], end, place) for end in (-1, 0) for place in rest]
        _, end, place = max(ends, key=lambda choice: choice[0])
        chain.insert(len(chain) if end else 0, place)
        left.discard(place)
    return chain
