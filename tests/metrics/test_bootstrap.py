"""The bootstrap over clusters: the quick ways draw from the distribution of the plain one."""

import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

from counterpoint.metrics import bootstrap
from counterpoint.metrics.bootstrap import bootstrap_interval, resample_shares, seeded_rng
from counterpoint.metrics.intervals import clopper_pearson_interval, clustered_interval


def _plain(sums: NDArray[np.float64], counts: NDArray[np.int64], seed: int, resamples: int) -> list[float]:
    """Draw clusters one by one, add up, divide."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(resamples):
        drawn = rng.integers(len(counts), size=len(counts))
        found.append(sum(sums[place] for place in drawn) / sum(counts[place] for place in drawn))
    return found


def _clusters(many: int, most: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, most, many)
    return rng.binomial(2 * counts, rng.beta(2, 2, many)) / 2, counts


@pytest.mark.parametrize(("many", "most"), [(300, 3), (300, 40)])
def test_both_ways_of_drawing_agree_with_the_plain_loop(many: int, most: int) -> None:
    sums, counts = _clusters(many, most)
    quick = resample_shares(sums, counts, seeded_rng("test"), 4000)
    assert quick is not None
    slow = np.array(_plain(sums, counts, 1, 1500))
    assert quick.mean() == pytest.approx(slow.mean(), abs=4 * slow.std() / np.sqrt(1500))
    assert quick.std() == pytest.approx(slow.std(), rel=0.08)


def test_credit_of_any_fineness_is_drawn() -> None:
    many = 400
    sums = np.repeat(np.array([0.123, 0.777]), many // 2)
    quick = resample_shares(sums, np.ones(many, np.int64), seeded_rng("fine"), 4000)
    assert quick is not None
    assert quick.mean() == pytest.approx(0.45, abs=0.003)
    assert quick.std() == pytest.approx(np.std(sums) / np.sqrt(many), rel=0.06)


def test_very_many_different_clusters_have_the_closed_form_which_then_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sums, counts = _clusters(3000, 200)
    credit = np.repeat(sums / counts, counts)
    squares = float((credit**2).sum())
    drawn, method = bootstrap_interval(sums, counts, squares, seeded_rng("wide"), 4000)
    monkeypatch.setattr(bootstrap, "_MOST_CLUSTERS", 1000)
    closed, other = bootstrap_interval(sums, counts, squares, seeded_rng("wide"))
    assert (method, other) == ("bootstrap", "clustered")
    assert (drawn.low, drawn.high) == pytest.approx((closed.low, closed.high), abs=0.1 * (closed.high - closed.low))
    assert closed.low == pytest.approx(clustered_interval(credit, np.repeat(np.arange(3000), counts)).low)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng, held = np.random.default_rng(5), 0
    for number in range(200):
        counts = rng.integers(1, 6, 50)
        sums = rng.binomial(counts, rng.beta(3, 2, 50)).astype(np.float64)
        score, _ = bootstrap_interval(sums, counts, float(sums.sum()), seeded_rng(number), 400)
        held += score.low <= 0.6 <= score.high
    assert 178 <= held <= 198


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (1, 7), (5, 5), (9, 19), (18, 19)])
def test_exact_intervals_are_those_of_statsmodels(hits: int, n: int) -> None:
    score = clopper_pearson_interval(hits, n)
    assert (score.low, score.high) == pytest.approx(proportion_confint(hits, n, method="beta"), abs=1e-9)


def test_one_seed_gives_one_interval_whatever_the_order_of_clusters() -> None:
    for most in (3, 40):
        sums, counts = _clusters(300, most)
        one, other = (resample_shares(sums[::way], counts[::way], seeded_rng("order"), 50) for way in (1, -1))
        assert one is not None
        assert other is not None
        assert one == pytest.approx(other)
