"""Dawid and Skene's model (1979): the right choice of every item, and how each voter confuses choices.

Expectation maximisation over votes in columns. Confusions have a Dirichlet prior that favours the diagonal, so that
choices cannot change their names and a voter with few votes is taken for an ordinary one. Items with a known choice are
anchors: their choice is never estimated.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from counterpoint.metrics.units import Floats

MINIMUM_VOTES = 30
"""Votes that every voter needs before the model is worth fitting."""
DIAGONAL_PRIOR = 4.0
"""Votes that a voter is credited with for every right choice beforehand; wrong choices share one vote."""
_ROUNDS = 200
_CHANGE = 1e-6


@dataclass(frozen=True, slots=True)
class DawidSkene:
    """What the model estimates: rows of each table add up to one."""

    posterior: Floats  # items × choices
    confusion: Floats  # voters × right choice × choice
    prevalence: Floats  # of each right choice

    @property
    def choice(self) -> NDArray[np.int64]:
        """The most probable choice of each item."""
        return np.asarray(self.posterior.argmax(1), np.int64)


def fit_dawid_skene(
    item: ArrayLike, voter: ArrayLike, choice: ArrayLike, choices: int, known: dict[int, int] | None = None
) -> DawidSkene:
    """Fit the model to the codes of item, voter and choice of every vote; `known` has the choices of anchors by item.

    >>> model = fit_dawid_skene([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 1, 1], 2)
    >>> model.choice.tolist()
    [0, 1]
    """
    items, voters, codes = (np.asarray(column, np.int64) for column in (item, voter, choice))
    many, crowd = int(items.max(initial=-1)) + 1, int(voters.max(initial=-1)) + 1
    prior = np.full((choices, choices), 1 / max(choices - 1, 1))
    np.fill_diagonal(prior, DIAGONAL_PRIOR)
    anchors = np.array(sorted(known or {}), np.int64)
    anchored = np.eye(choices)[[(known or {})[place] for place in anchors.tolist()]] if len(anchors) else None
    posterior = np.zeros((many, choices))
    np.add.at(posterior, (items, codes), 1.0)
    posterior /= np.maximum(posterior.sum(1, keepdims=True), 1.0)
    model = DawidSkene(posterior, np.zeros((crowd, choices, choices)), np.full(choices, 1 / choices))
    for _ in range(_ROUNDS):
        if anchored is not None:
            posterior[anchors] = anchored
        by_choice = np.zeros((crowd, choices, choices))
        np.add.at(by_choice, (voters, codes), posterior[items])
        confusion = by_choice.transpose(0, 2, 1) + prior
        confusion /= confusion.sum(2, keepdims=True)
        prevalence = (posterior.sum(0) + 1) / (many + choices)
        model = DawidSkene(posterior, confusion, prevalence)
        logs = np.tile(np.log(prevalence), (many, 1))
        np.add.at(logs, items, np.log(confusion)[voters, :, codes])
        likelihood = np.exp(logs - logs.max(1, keepdims=True))
        updated = likelihood / likelihood.sum(1, keepdims=True)
        if anchored is not None:
            updated[anchors] = anchored
        change = float(np.abs(updated - posterior).max(initial=0.0))
        posterior = updated
        if change < _CHANGE:
            break
    return DawidSkene(posterior, model.confusion, model.prevalence)
