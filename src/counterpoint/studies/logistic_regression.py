"""Logistic regression on hashed n-grams: sparse counts, two losses, and L-BFGS, in numpy alone."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from counterpoint.language.kneser_ney import tokenize

Floats: TypeAlias = NDArray[np.float64]
Numbers: TypeAlias = NDArray[np.int64]

ORDER = 3
"""Words in the longest n-gram."""
BUCKETS = 1 << 20
"""Hash values of n-grams; those that share one share a weight."""
_MEMORY, _STEPS, _HALVINGS = 8, 60, 20
_ENOUGH = 1e-2

Loss = Callable[[Floats], tuple[Floats, Floats]]
"""From scores, one row per case, to the loss of each case and its gradient with respect to the scores."""


def ngrams(text: str) -> list[str]:
    """The n-grams of a text, up to three words.

    >>> ngrams("A red cat.")
    ['a', 'red', 'cat', 'a red', 'red cat', 'a red cat']
    """
    words = tokenize(text)
    return [" ".join(words[at : at + n]) for n in range(1, ORDER + 1) for at in range(len(words) - n + 1)]


@dataclass(frozen=True, slots=True)
class SparseCounts:
    """A sparse matrix, one row per case and one column per hashed n-gram, held by rows and by columns.

    Column 0 is the constant, so that no row is empty; it is not penalized.
    """

    names: tuple[str, ...]  # the first n-gram of each column
    columns: Numbers  # of the entries, row by row
    values: Floats
    starts: Numbers  # where each row begins
    rows: Numbers  # of the entries, column by column
    column_values: Floats
    column_starts: Numbers

    @classmethod
    def of(cls, cases: Iterable[Mapping[str, float]], constant: float) -> "SparseCounts":
        """From the counts of each case; an n-gram of one case alone tells nothing about others and is dropped."""
        buckets: dict[str, int] = {"": -1}  # the constant sorts first
        entries: list[tuple[int, int, float]] = []
        for case, counts in enumerate(cases):
            entries += [(case, -1, constant), (case, -1, 0.0)]  # twice, so that one case keeps it
            for ngram, count in counts.items():
                if ngram not in buckets:
                    buckets[ngram] = crc32(ngram.encode("utf-8", "surrogatepass")) % BUCKETS
                entries.append((case, buckets[ngram], count))
        row, bucket, value = (np.array(column) for column in zip(*entries, strict=True))
        used, column, times = np.unique(bucket, return_inverse=True, return_counts=True)
        number = np.cumsum(times > 1) - 1
        kept = times[column] > 1
        row, column, value = row[kept].astype(np.int64), number[column[kept]], value[kept].astype(np.float64)
        names = dict.fromkeys(used[times > 1].tolist(), "")
        for ngram, own in buckets.items():
            if names.get(own) == "":
                names[own] = ngram
        order = np.argsort(column, kind="stable")
        starts, column_starts = (
            np.searchsorted(sorted_, np.arange(sorted_[-1] + 1)) for sorted_ in (row, column[order])
        )
        return cls(tuple(names.values()), column, value, starts, row[order], value[order], column_starts)

    def column_range(self, column: int) -> slice:
        """Where the entries of a column are."""
        ends = (*self.column_starts[column + 1 : column + 2].tolist(), len(self.rows))
        return slice(int(self.column_starts[column]), ends[0])

    def scores(self, weights: Floats) -> Floats:
        """The product with weights, one row per class and one column per n-gram: a row of scores for each case."""
        products = (np.add.reduceat(self.values * own.take(self.columns), self.starts) for own in weights)
        return np.stack(tuple(products), axis=1)

    def summed(self, gradient: Floats) -> Floats:
        """The product of the transpose with the gradients of the cases, in the shape of weights."""
        columns = (np.ascontiguousarray(gradient[:, place]) for place in range(gradient.shape[1]))
        products = (np.add.reduceat(self.column_values * own.take(self.rows), self.column_starts) for own in columns)
        return np.stack(tuple(products))


def pair_loss(scores: Floats) -> tuple[Floats, Floats]:
    """The loss of scores that should be above zero: antisymmetric logistic regression on differences."""
    return np.logaddexp(0, -scores[:, 0]), -1 / (1 + np.exp(np.minimum(scores, 500)))


def softmax_loss(label: Numbers) -> Loss:
    """The loss of scores whose largest should be that of the label; a case with the label -1 costs nothing."""
    known, places = label >= 0, np.arange(len(label))

    def loss(scores: Floats) -> tuple[Floats, Floats]:
        log_shares = scores - scores.max(axis=1, keepdims=True)
        log_shares = log_shares - np.log(np.exp(log_shares).sum(axis=1, keepdims=True))
        gradient = np.exp(log_shares)
        gradient[places, label] -= 1
        return np.where(known, -log_shares[places, label], 0.0), gradient * known[:, None]

    return loss


def fit(counts: SparseCounts, loss: Loss, case_weights: Floats, penalty: float, start: Floats) -> Floats:
    """The weights with the least loss over the weighted cases, plus half the penalty times their squared norm."""
    shrunk = np.full(start.shape[1], penalty)
    shrunk[0] = 1e-6  # of the constant, so that there is one minimum

    def objective(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(start.shape)
        losses, gradient = loss(counts.scores(weights))
        whole = counts.summed(gradient * case_weights[:, None]) + shrunk * weights
        return float(losses @ case_weights + (shrunk * weights * weights).sum() / 2), whole.ravel()

    enough = _ENOUGH * float(np.sqrt(case_weights.sum()))  # far below what chance makes of a gradient
    return minimize(objective, start.ravel(), enough).reshape(start.shape)


def minimize(objective: Callable[[Floats], tuple[float, Floats]], start: Floats, enough: float) -> Floats:
    """The minimum of a convex function by L-BFGS with backtracking (Nocedal and Wright, Algorithm 7.4).

    It ends where no element of the gradient is above `enough`.

    >>> bool(np.allclose(minimize(lambda x: (float((x - 3) @ (x - 3)), 2 * (x - 3)), np.zeros(2), 1e-6), 3))
    True
    """
    point, (value, gradient) = start, objective(start)
    memory: deque[tuple[Floats, Floats, float]] = deque(maxlen=_MEMORY)
    for _ in range(_STEPS):
        if np.abs(gradient).max(initial=0.0) <= enough:
            break
        step = -_scaled(gradient, memory)
        slope, length = _dot(step, gradient), 1.0 if memory else 1 / max(float(np.sqrt(_dot(gradient, gradient))), 1.0)
        for _ in range(_HALVINGS):
            new = point + length * step
            new_value, new_gradient = objective(new)
            if new_value <= value + 1e-4 * length * slope:
                break
            length /= 2
        else:
            break
        moved, turned = new - point, new_gradient - gradient
        if (curve := _dot(moved, turned)) > 1e-12:
            memory.append((moved, turned, curve))
        point, value, gradient = new, new_value, new_gradient
    return point


def _scaled(gradient: Floats, memory: deque[tuple[Floats, Floats, float]]) -> Floats:
    """The gradient times the inverse Hessian that the last steps suggest (two-loop recursion)."""
    step, shares = gradient.copy(), list[float]()
    for moved, turned, curve in reversed(memory):
        shares.append(_dot(moved, step) / curve)
        step -= shares[-1] * turned
    if memory:
        _, turned, curve = memory[-1]
        step *= curve / _dot(turned, turned)
    for (moved, turned, curve), share in zip(memory, reversed(shares), strict=True):
        step += (share - _dot(turned, step) / curve) * moved
    return step


def _dot(first: Floats, second: Floats) -> float:
    """The product of two vectors in one thread; on a busy machine, several would wait for each other."""
    return float(np.einsum("i,i->", first, second))
