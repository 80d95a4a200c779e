"""Beta and Student's distributions over whole arrays, in NumPy alone."""

from math import lgamma
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_TINY, _NEAR = 1e-300, 1e-12
_MOST_TERMS = 5000  # of the continued fraction; a few dozen are enough for nearly all arguments
_MOST_STEPS = 100
_LARGE = 1000.0  # parameters beyond which Wilson and Hilferty's approximation is good to six digits
_log_gamma, _normal_quantile = np.frompyfunc(lgamma, 1, 1), np.frompyfunc(NormalDist().inv_cdf, 1, 1)


def beta_cdf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """How probable it is that a beta variable is at most x: the regularised incomplete beta function.

    >>> round(float(beta_cdf(0.5, 2, 3)), 6)
    0.6875
    """
    return _cdf(*_arrays(x, a, b))


def beta_quantile(q: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """The value that a beta variable does not exceed with probability q.

    >>> round(float(beta_quantile(0.6875, 2, 3)), 6)
    0.5
    """
    q, a, b = _arrays(q, a, b)
    shape, (q, a, b) = q.shape, (values.ravel() for values in (q, a, b))
    x = _wilson_hilferty(q, a, b)
    exact = (a < _LARGE) | (b < _LARGE)
    if exact.any():
        x[exact] = _solve(x[exact], q[exact], a[exact], b[exact])
    return x.reshape(shape)


def student_quantile(q: ArrayLike, df: ArrayLike) -> Floats:
    """The point of Student's distribution that is not exceeded with probability q, which is at least one half.

    >>> round(float(student_quantile(0.975, 19)), 3)
    2.093
    """
    df = np.asarray(df, np.float64)
    share = beta_quantile(2 * np.asarray(q, np.float64) - 1, 0.5, df / 2)
    return np.asarray(np.sqrt(df * share / (1 - share)))


def student_p(t: ArrayLike, df: ArrayLike) -> Floats:
    """The two-sided p value of Student's t.

    >>> round(float(student_p(2.093, 19)), 3)
    0.05
    """
    t, df = np.asarray(t, np.float64), np.asarray(df, np.float64)
    return beta_cdf(df / (df + t * t), df / 2, 0.5)


def _arrays(*values: ArrayLike) -> tuple[Floats, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values)))


def _log_beta(a: Floats, b: Floats) -> Floats:
    return np.asarray(_log_gamma(a) + _log_gamma(b) - _log_gamma(a + b), np.float64)


def _cdf(x: Floats, a: Floats, b: Floats, log_beta: Floats | None = None) -> Floats:
    log_beta = _log_beta(a, b) if log_beta is None else log_beta
    mirrored = x > (a + 1) / (a + b + 2)  # the fraction converges fast on one side of the mean
    x, a, b = np.where(mirrored, 1 - x, x), np.where(mirrored, b, a), np.where(mirrored, a, b)
    with np.errstate(divide="ignore"):
        scale = np.exp(a * np.log(x) + b * np.log1p(-x) - log_beta) / a
    tail = scale * _fraction(x, a, b)
    return np.asarray(np.where(mirrored, 1 - tail, tail))


def _fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = np.ones_like(x), 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value, moving = d, np.ones_like(x, np.bool_)
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value = np.where(moving, value * c * d, value)  # what has converged stays, whatever else is computed
        moving = moving & (np.abs(c * d - 1) > _NEAR)
        if not moving.any():
            break
    return value


def _away_from_zero(values: Floats) -> Floats:
    return np.where(np.abs(values) < _TINY, _TINY, values)


def _solve(x: Floats, q: Floats, a: Floats, b: Floats) -> Floats:
    """The quantile by Newton's method, which halves the bracket wherever a step would leave it."""
    low, high, log_beta = np.zeros_like(x), np.ones_like(x), _log_beta(a, b)
    left = np.arange(len(x))
    for _ in range(_MOST_STEPS):
        own, first, second = x[left], a[left], b[left]
        error = _cdf(own, first, second, log_beta[left]) - q[left]
        low[left], high[left] = np.where(error < 0, own, low[left]), np.where(error < 0, high[left], own)
        with np.errstate(all="ignore"):
            slope = np.exp((first - 1) * np.log(own) + (second - 1) * np.log1p(-own) - log_beta[left])
            step = own - error / slope
        inside = (step > low[left]) & (step < high[left])
        x[left] = np.where(inside, step, (low[left] + high[left]) / 2)
        left = left[np.abs(x[left] - own) > _NEAR]
        if not len(left):
            break
    return x


def _wilson_hilferty(q: Floats, a: Floats, b: Floats) -> Floats:
    """The quantile from the cube roots of two gamma variables, which are nearly normal."""
    normal = np.asarray(_normal_quantile(q), np.float64)
    u, v = 1 / (9 * a), 1 / (9 * b)
    root = np.sqrt(np.maximum(normal**2 * (u * (1 - v) ** 2 + v * (1 - u) ** 2 - u * v * normal**2), 0.0))
    with np.errstate(all="ignore"):
        cube = (((1 - u) * (1 - v) + np.sign(normal) * root) / ((1 - v) ** 2 - v * normal**2)) ** 3
        odds = a / b * cube
        return np.asarray(np.clip(np.nan_to_num(odds / (1 + odds), nan=0.5), 1e-12, 1 - 1e-12), np.float64)
