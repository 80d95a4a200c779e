"""Beta and Student's distributions, in Python alone: a table of scores asks for few values at a time."""

from collections.abc import Callable
from functools import lru_cache
from math import copysign, exp, isnan, lgamma, log, log1p, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_TINY, _NEAR = 1e-300, 1e-12
_MOST_TERMS = 5000  # of the continued fraction; a few dozen are enough for nearly all arguments
_MOST_STEPS = 100
_LARGE = 1000.0  # parameters beyond which Wilson and Hilferty's approximation is good to six digits


def beta_cdf(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """How probable it is that a beta variable is at most x: the regularised incomplete beta function.

    >>> round(float(beta_cdf(0.5, 2, 3)), 6)
    0.6875
    """
    return _over_arrays(_cdf, x, a, b)


def beta_quantile(q: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """The value that a beta variable does not exceed with probability q.

    >>> round(float(beta_quantile(0.6875, 2, 3)), 6)
    0.5
    """
    return _over_arrays(_quantile, q, a, b)


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


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def _cdf(x: float, a: float, b: float) -> float:
    if not 0 < x < 1 or isnan(a + b):
        return nan if isnan(x + a + b) else min(max(x, 0.0), 1.0)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on one side of the mean
        return 1 - _cdf_below(1 - x, b, a)
    return _cdf_below(x, a, b)


def _cdf_below(x: float, a: float, b: float) -> float:
    """The distribution below its mean, by the continued fraction of the incomplete beta function (Lentz's method)."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or _TINY)
    value = d
    for m in range(1, _MOST_TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / (1 + term * d or _TINY)  # a divisor of zero becomes a tiny one
            c = 1 + term / c or _TINY
            value *= c * d
        if abs(c * d - 1) <= _NEAR:
            break
    return exp(a * log(x) + b * log1p(-x) - _log_beta(a, b)) / a * value


@lru_cache(maxsize=1 << 16)
def _quantile(q: float, a: float, b: float) -> float:
    """The quantile by Newton's method, which halves the bracket wherever a step would leave it."""
    if isnan(q + a + b):
        return nan
    x, low, high, log_beta = _wilson_hilferty(q, a, b), 0.0, 1.0, _log_beta(a, b)
    if a >= _LARGE and b >= _LARGE:
        return x
    for _ in range(_MOST_STEPS):
        error = _cdf(x, a, b) - q
        low, high = (x, high) if error < 0 else (low, x)
        slope = exp((a - 1) * log(x) + (b - 1) * log1p(-x) - log_beta)
        step = x - error / slope if slope else low
        former, x = x, step if low < step < high else (low + high) / 2
        if abs(x - former) <= _NEAR:
            break
    return x


def _wilson_hilferty(q: float, a: float, b: float) -> float:
    """The quantile from the cube roots of two gamma variables, which are nearly normal."""
    normal = NormalDist().inv_cdf(min(max(q, _NEAR), 1 - _NEAR))
    u, v = 1 / (9 * a), 1 / (9 * b)
    root = sqrt(max(normal**2 * (u * (1 - v) ** 2 + v * (1 - u) ** 2 - u * v * normal**2), 0.0))
    below = (1 - v) ** 2 - v * normal**2
    odds = a / b * (((1 - u) * (1 - v) + copysign(root, normal)) / below) ** 3 if below else 1.0
    share = odds / (1 + odds) if odds != -1 else 0.5
    return min(max(share, _NEAR), 1 - _NEAR)


def _over_arrays(function: Callable[[float, float, float], float], *values: ArrayLike) -> Floats:
    with np.errstate(all="ignore"):
        return np.asarray(np.frompyfunc(function, 3, 1)(*(np.asarray(v, np.float64) for v in values)), np.float64)
