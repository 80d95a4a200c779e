"""Beta and Student's distributions, held against SciPy."""

import numpy as np
import pytest

from counterpoint.metrics.distributions import beta_cdf, beta_quantile, student_p, student_quantile

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("scale", [1, 30, 900, 1e5])
def test_beta_is_that_of_scipy(scale: float) -> None:
    from scipy import stats

    a, b = RNG.uniform(0.05, 1, (2, 200)) * scale
    q = RNG.choice([0.0125, 0.025, 0.5, 0.975], 200)
    x = beta_quantile(q, a, b)
    assert np.abs(x - stats.beta.ppf(q, a, b)).max() < 1e-6
    assert np.abs(beta_cdf(x, a, b) - stats.beta.cdf(x, a, b)).max() < 1e-6


def test_rare_hits_among_very_many_are_told_to_the_last_digit() -> None:
    from scipy import stats

    many = np.array([1e2, 1e4, 1e6])
    assert beta_quantile(0.025, 3.0, many) == pytest.approx(stats.beta.ppf(0.025, 3.0, many), rel=1e-6)


def test_student_is_that_of_scipy() -> None:
    from scipy import stats

    df = np.array([1, 2, 5, 19, 300, 1e5])
    assert student_quantile(0.975, df) == pytest.approx(stats.t.ppf(0.975, df), rel=1e-6)
    assert student_p(-2.5, df) == pytest.approx(2 * stats.t.sf(2.5, df), rel=1e-6)
    assert student_p(0.0, df) == pytest.approx(np.ones(6))


def test_what_is_not_a_number_stays_so_and_ends() -> None:
    assert np.isnan(beta_cdf(np.nan, 2, 3))
