"""Agreement between voters beyond chance: Krippendorff's alpha, Fleiss' and Cohen's kappa, with bootstrap intervals.

Votes are counted in a table with a row per item and a column per choice. Each coefficient is a function of column sums
over items, so that a bootstrap over pictures is one product of matrices.
"""

from collections.abc import Callable
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint.metrics.intervals import NO_SCORE, Counts, Score, hidden_share
from counterpoint.metrics.units import Floats

BOOTSTRAP_DRAWS = 2000
"""How often items are drawn again for an interval."""
_ENDS = (0.025, 0.975)
_DRAWN_AT_ONCE = 2_000_000  # weights, which bounds the memory of a bootstrap

Coefficient = Callable[[Floats], Floats]
"""Takes column sums over items, in the last axis, to a coefficient; nan where chance agreement is certain."""


def count_choices(item: ArrayLike, choice: ArrayLike, choices: int | None = None) -> Counts:
    """The votes of each item for each choice, from the codes of item and choice of every vote.

    >>> count_choices([0, 0, 1], [1, 1, 0]).tolist()
    [[0, 2], [1, 0]]
    """
    items, codes = np.asarray(item, np.int64), np.asarray(choice, np.int64)
    many = int(codes.max(initial=-1)) + 1 if choices is None else choices
    rows = int(items.max(initial=-1)) + 1
    return np.bincount(items * many + codes, minlength=rows * many).reshape(rows, many)


def krippendorff_alpha(counts: Counts, cluster: ArrayLike | None = None, *, seed: int = 0) -> Score:
    """Krippendorff's alpha for nominal choices; items may have different numbers of votes, those with one are left out.

    >>> round(krippendorff_alpha(np.array([[3, 0], [0, 3], [2, 1], [0, 2]])).value, 4)
    0.6667
    """
    several = counts.sum(1) > 1
    votes = counts[several].astype(np.float64)
    size = votes.sum(1)
    disagreement = (size**2 - (votes**2).sum(1)) / (size - 1)
    columns = np.column_stack([disagreement, votes])
    return _score(columns, _alpha, 2 * np.eye(columns.shape[1])[0], _kept(cluster, several), seed)


def _alpha(sums: Floats) -> Floats:
    """One minus the observed over the expected disagreement."""
    votes = sums[..., 1:]
    total = votes.sum(-1)
    expected = total**2 - (votes**2).sum(-1)
    out = np.full_like(total, nan)
    return np.asarray(1 - np.divide((total - 1) * sums[..., 0], expected, out=out, where=expected > 0))


def fleiss_kappa(counts: Counts, cluster: ArrayLike | None = None, *, seed: int = 0) -> Score:
    """Fleiss' kappa over the items that have as many votes as most items have, which is at least two.

    >>> round(fleiss_kappa(np.array([[3, 0], [0, 3], [2, 1], [0, 3]])).value, 4)
    0.6571
    """
    size = counts.sum(1)
    several = size > 1
    usual = np.bincount(size[several]).argmax() if several.any() else 0
    kept = several & (size == usual)
    votes = counts[kept].astype(np.float64)
    agreeing = (votes * (votes - 1)).sum(1) / (usual * (usual - 1)) if usual else np.zeros(0)
    columns = np.column_stack([agreeing, votes / max(int(usual), 1)])
    return _score(columns, _fleiss, -2 / max(int(usual), 1) * np.eye(columns.shape[1])[0], _kept(cluster, kept), seed)


def _fleiss(sums: Floats) -> Floats:
    """Agreement of two votes of one item over that of two votes of any items."""
    items = sums[..., 1:].sum(-1)
    chance = ((sums[..., 1:] / items[..., None]) ** 2).sum(-1)
    return _beyond_chance(sums[..., 0] / items, chance)


def cohen_kappa(first: ArrayLike, second: ArrayLike, cluster: ArrayLike | None = None, *, seed: int = 0) -> Score:
    """Cohen's kappa of two voters, from the codes of their choices on the items that both voted on.

    >>> round(cohen_kappa([0, 0, 1, 1, 0], [0, 1, 1, 1, 0]).value, 4)
    0.6154
    """
    codes = np.column_stack([np.asarray(first, np.int64), np.asarray(second, np.int64)])
    many = int(codes.max(initial=-1)) + 1
    columns = np.eye(many * many)[codes[:, 0] * many + codes[:, 1]]
    apart = (1 - np.eye(many)).ravel() / max(many * (many - 1), 1)
    return _score(columns, _cohen, apart - columns.sum(0) / max(len(codes), 1), cluster, seed)


def _cohen(sums: Floats) -> Floats:
    """Agreement of two voters over that of two independent voters with the same choices."""
    many = round(sums.shape[-1] ** 0.5)
    table = sums.reshape(*sums.shape[:-1], many, many)
    total = table.sum((-1, -2))
    agreeing = np.trace(table, axis1=-2, axis2=-1) / total
    return _beyond_chance(agreeing, (table.sum(-1) * table.sum(-2)).sum(-1) / total**2)


def _beyond_chance(agreement: Floats, chance: Floats) -> Floats:
    """The share of the agreement that chance leaves open; nan where it leaves nothing."""
    open_share = 1 - chance
    out = np.full_like(np.asarray(chance, np.float64), nan)
    return np.divide(agreement - chance, open_share, out=out, where=open_share > 1e-12)


def _kept(cluster: ArrayLike | None, kept: NDArray[np.bool_]) -> NDArray[np.generic] | None:
    """The clusters of the items that count."""
    return None if cluster is None else np.asarray(cluster)[kept]


def _score(columns: Floats, coefficient: Coefficient, dissent: Floats, cluster: ArrayLike | None, seed: int) -> Score:
    """The coefficient with its percentile bootstrap interval; whole clusters of items are drawn.

    Where nobody disagrees, every draw is 1. The interval then begins at the coefficient with as many disagreements as
    so few clusters can hide; `dissent` is what the first of an item adds to the sums.
    """
    items, sums = len(columns), columns.sum(0)
    if not items:
        return NO_SCORE
    value = float(coefficient(sums))
    if cluster is not None:
        _, codes = np.unique(np.asarray(cluster), return_inverse=True)
        together = np.zeros((int(codes.max()) + 1, columns.shape[1]))
        np.add.at(together, codes, columns)
        columns = together
    draws = _bootstrap(columns, coefficient, np.random.default_rng(seed))
    draws = draws[~np.isnan(draws)]
    low, high = np.quantile(draws, _ENDS) if len(draws) and len(columns) > 1 else (nan, nan)
    if value > 1 - 1e-12 and low == high:
        low = max(float(coefficient(sums + hidden_share(len(columns)) * items * dissent)), -1.0)
    return Score(value, float(low), float(high), items)


def _bootstrap(columns: Floats, coefficient: Coefficient, rng: np.random.Generator) -> Floats:
    """The coefficient of each draw of as many rows as there are, with replacement.

    Equal rows are drawn together, as their numbers in a draw are multinomial; votes of a few people have few patterns.
    """
    patterns, numbers = np.unique(columns, axis=0, return_counts=True)
    rows, portion = len(columns), max(_DRAWN_AT_ONCE // len(patterns), 1)
    parts = []
    for start in range(0, BOOTSTRAP_DRAWS, portion):
        weights = rng.multinomial(rows, numbers / rows, min(portion, BOOTSTRAP_DRAWS - start))
        parts.append(coefficient(weights @ patterns))
    return np.concatenate(parts)
