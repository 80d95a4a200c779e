"""Intervals hold what they promise: by a naive loop, by statsmodels, and by simulation."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import sample

from benchmarks.interval_coverage import Cell, area_coverage, coverage, one_sided_errors
from counterpoint.metrics.accuracy import accuracy
from counterpoint.metrics.bias import owed_to_picture
from counterpoint.metrics.calibration import ece
from counterpoint.metrics.intervals import (
    JACKKNIFE_GROUPS,
    Score,
    ShareSums,
    binomial_bounds,
    clustered_interval,
    hidden_share,
    jackknife,
    jackknife_groups,
    statistic_interval,
)
from counterpoint.metrics.metric import CodedSumEstimator, Estimator, SumEstimator
from counterpoint.metrics.ranking import auroc
from counterpoint.metrics.units import Floats

CREDITS = st.sampled_from([0.0, 0.0, 1 / 3, 0.6, 1.0, 1.0])
CASES = st.lists(st.tuples(CREDITS, st.integers(0, 5)), min_size=1, max_size=30)


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (1, 7), (5, 5), (9, 19), (18, 19), (300, 1000)])
def test_the_two_ends_of_independent_cases_are_those_of_statsmodels(hits: int, n: int) -> None:
    from statsmodels.stats.proportion import proportion_confint

    for correction, method in ((0.0, "beta"), (0.5, "jeffreys")):
        if 0 < hits < n or not correction:
            low, high = binomial_bounds(np.array(hits / n), np.array(float(n)), correction=correction)
            assert (float(low), float(high)) == pytest.approx(proportion_confint(hits, n, method=method), abs=1e-7)


def test_no_cases_give_no_number() -> None:
    score = clustered_interval([], [])
    assert score.n == 0
    assert all(map(isnan, (score.value, score.low, score.high)))


def _naive(cases: list[tuple[float, int]]) -> Score:
    """The interval of Korn and Graubard as a loop over clusters."""

    from scipy import stats

    n, clusters = len(cases), sorted({cluster for _, cluster in cases})
    m, share = len(clusters), sum(credit for credit, _ in cases) / n
    alone = sum((credit - share) ** 2 for credit, _ in cases) / n**2
    held = [[credit for credit, own in cases if own == cluster] for cluster in clusters]
    correction, effective = 0.0, float(m)
    if m > 1 and len({credit for credit, _ in cases}) > 1:
        between = sum(sum(credit - share for credit in own) ** 2 for own in held) / n**2 * m / (m - 1)
        rare = [sum(1 - credit if share > 0.5 else credit for credit in own) for own in held]
        rarer = sum(rare) ** 2 / sum(one * one for one in rare)
        effect, size = between / alone, sum(len(own) ** 2 for own in held) / n
        weight = 2 / rarer**2
        effect = (effect + weight * max(1 + (size - 1) / 2, effect)) / (1 + weight)
        fewer = (stats.t.ppf(0.975, n - 1) / stats.t.ppf(0.975, m - 1)) ** 2
        effective = share * (1 - share) / alone * min(fewer / effect, 1)
        correction = min(rarer / 10, 1) ** 2 / 2
    hits, misses = share * effective, (1 - share) * effective
    low = stats.beta.ppf(0.025, hits + correction, misses + 1 - correction) if hits > 1e-12 else 0
    high = stats.beta.ppf(0.975, hits + 1 - correction, misses + correction) if misses > 1e-12 else 1
    return Score(share, min(low, share), max(high, share), n)


@given(CASES)
def test_clustered_intervals_are_those_of_a_naive_loop(cases: list[tuple[float, int]]) -> None:
    score = clustered_interval([credit for credit, _ in cases], [cluster for _, cluster in cases])
    naive = _naive(cases)
    assert score.n == naive.n
    assert (score.value, score.low, score.high) == pytest.approx((naive.value, naive.low, naive.high), abs=1e-6)


@given(CASES)
def test_an_interval_holds_its_share_lies_between_0_and_1_and_is_never_empty(cases: list[tuple[float, int]]) -> None:
    score = clustered_interval([credit for credit, _ in cases], [cluster for _, cluster in cases])
    assert 0 <= score.low <= score.value <= score.high <= 1
    assert score.high - score.low > 0.01


@given(CASES)
def test_order_and_names_of_clusters_change_nothing(cases: list[tuple[float, int]]) -> None:
    turned = cases[::-1]
    one = clustered_interval([credit for credit, _ in cases], [cluster for _, cluster in cases])
    other = clustered_interval([credit for credit, _ in turned], [f"picture {9 - cluster}" for _, cluster in turned])
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_all_slices_at_once_have_the_intervals_of_each_alone() -> None:
    rng = np.random.default_rng(3)
    counts, place = rng.integers(0, 5, 60), np.repeat(np.arange(3), 20)
    sums = rng.binomial(counts, 0.8).astype(np.float64)
    squares = np.bincount(place, sums).astype(np.float64)
    low, high = ShareSums.of(sums, counts, squares, place).bounds()
    for number in range(3):
        own = place == number
        (one,), (other,) = ShareSums.of(sums[own], counts[own], squares[[number]]).bounds()
        assert (low[number], high[number]) == pytest.approx((one, other))


def test_questions_about_one_picture_count_less_than_questions_about_many() -> None:
    credit = [1, 1, 1, 1, 0, 0, 0, 0] * 10
    alike = clustered_interval(credit, np.arange(80) // 4)
    apart = clustered_interval(credit, np.arange(80))
    assert alike.high - alike.low > 1.8 * (apart.high - apart.low)


def test_a_million_answers_have_the_normal_interval() -> None:
    score = clustered_interval(np.arange(1_000_000) % 10 > 0, np.arange(1_000_000))
    assert (score.low, score.high) == pytest.approx((0.9 - 1.96 * 3e-4, 0.9 + 1.96 * 3e-4), abs=2e-6)


@pytest.mark.parametrize(
    "cell",
    sample(
        [(50, 9, 0.2, 0.7), (30, 5, 0.3, 0.95), (20, 9, 0.3, 0.9), (100, 9, 0.3, 0.97), (20, 5, 0.2, 0.5)],
        2,
    ),
)
def test_intervals_hold_the_truth_as_often_as_they_say(cell: tuple[int, int, float, float]) -> None:
    held, wrong = coverage(Cell(*cell), 1500)
    assert held >= 0.915  # 93 % less two and a half standard errors
    assert wrong < 10 or held <= 0.985


@pytest.mark.parametrize(
    "cell", sample([(60, 12, 0.8, 0.95), (30, 12, 0.8, 0.9), (60, 12, 0.5, 0.95), (40, 12, 0.5, 0.9)], 2)
)
def test_gates_on_few_pictures_of_different_sizes_keep_their_level(cell: tuple[int, int, float, float]) -> None:
    assert max(one_sided_errors(Cell(*cell), 1500)) <= 0.075  # 6 % and two and a half standard errors


@given(CASES)
def test_a_one_sided_bound_is_no_closer_than_the_end_of_an_interval(cases: list[tuple[float, int]]) -> None:
    credit, cluster = (np.array(column) for column in zip(*cases, strict=True))
    counts = np.bincount(cluster)
    earned = np.bincount(cluster, credit).astype(np.float64)
    sums = ShareSums.of(earned, counts, np.array([(credit**2).sum()]))
    (low, high), (lower, higher) = sums.bounds(0.95), sums.bounds(0.95, one_sided=True)
    assert lower[0] <= low[0] + 1e-9
    assert higher[0] >= high[0] - 1e-9
    if sums.rarer_clusters[0] >= 20:
        assert (lower, higher) == (low, high)


def _mean(values: list[float]) -> Estimator:
    return lambda weights: float(np.array(values) @ weights / weights.sum())


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans(), st.booleans()), min_size=1))
def test_an_estimator_of_sums_has_the_replicates_of_any_other(cases: list[tuple[int, bool, bool]]) -> None:
    """Also where a picture holds all cases, so that there is no value without it."""
    cluster, hits, counts = (np.array(own) for own in zip(*cases, strict=True))
    group, groups, _ = jackknife_groups(cluster.astype(np.int32))
    summed = SumEstimator(((hits & counts) * 1.0, counts * 1.0), lambda n, m: n / m if m else float("nan"))
    both = [jackknife(own, group, groups) for own in (summed, lambda weights: summed(weights))]
    assert isnan(both[0].value) == isnan(both[1].value)
    np.testing.assert_array_equal(both[0].replicates, both[1].replicates)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.booleans()), min_size=1))
def test_an_estimator_of_sums_by_code_has_the_replicates_of_any_other(cases: list[tuple[int, int, bool]]) -> None:
    """As one that weighs each case; the mean share over codes that are left."""
    cluster, code, hits = (np.array(own) for own in zip(*cases, strict=True))
    group, groups, _ = jackknife_groups(cluster.astype(np.int32))

    def mean_share(cases: Floats, hits: Floats) -> float:
        return float((hits[cases > 0] / cases[cases > 0]).mean()) if cases.any() else float("nan")

    summed = CodedSumEstimator(code, 4, (np.ones(len(code)), hits * 1.0), mean_share)
    both = [jackknife(own, group, groups) for own in (summed, lambda weights: summed(weights))]
    assert both[0].value == both[1].value
    np.testing.assert_array_equal(both[0].replicates, both[1].replicates)


def test_the_jackknife_leaves_out_each_picture_once() -> None:
    values, cluster = [0.0, 1.0, 0.5, 0.25, 1.0], np.array([0, 0, 1, 2, 2], np.int32)
    group, groups, clusters = jackknife_groups(cluster)
    found = jackknife(_mean(values), group, groups)
    assert clusters == 3
    assert found.replicates == pytest.approx([1.75 / 3, 2.25 / 4, 1.5 / 3])
    assert found.variance == pytest.approx(
        2 / 3 * sum((one - found.replicates.mean()) ** 2 for one in found.replicates)
    )


def test_many_pictures_are_left_out_in_groups_with_about_the_same_variance() -> None:
    rng = np.random.default_rng(1)
    values = rng.random(5000)
    group, groups, clusters = jackknife_groups(np.arange(5000, dtype=np.int32))
    assert (groups, clusters) == (JACKKNIFE_GROUPS, 5000)
    error = jackknife(_mean(values.tolist()), group, groups).variance ** 0.5
    assert error == pytest.approx(values.std() / 5000**0.5, rel=0.2)


def test_the_interval_follows_from_kind_and_range() -> None:
    """A difference has Student's interval, a curve that of a share, and a value that chance raises none."""

    from scipy import stats

    values, cluster = [0.2, -0.1, 0.3, 0.0, 0.1, 0.0], np.arange(6, dtype=np.int32)
    difference, _, error = statistic_interval(owed_to_picture, _mean(values), cluster)
    reach = stats.t.ppf(0.975, 5) * np.std(values, ddof=1) / 6**0.5
    assert (difference.low, difference.high) == pytest.approx((np.mean(values) - reach, np.mean(values) + reach))
    assert error == pytest.approx(np.std(values, ddof=1) / 6**0.5)
    curve, _, _ = statistic_interval(auroc, _mean([0.9, 1.0, 1.0, 0.8, 1.0, 1.0]), cluster)
    assert 0.5 < curve.low < curve.value < curve.high < 1
    plug_in, _, _ = statistic_interval(ece, _mean([0.1] * 6), cluster)
    assert plug_in.value == pytest.approx(0.1)
    assert isnan(plug_in.low)


def test_where_nothing_differs_an_interval_has_the_width_of_what_pictures_can_hide() -> None:
    score, _, _ = statistic_interval(owed_to_picture, _mean([0.0] * 50), np.arange(50, dtype=np.int32))
    assert (score.low, score.value, score.high) == pytest.approx((-hidden_share(50), 0.0, hidden_share(50)))
    assert accuracy.range == (0, 1)


def test_a_true_difference_of_zero_is_held_by_its_interval() -> None:
    """Wilson's interval for a share left it out in 38 to 48 of a hundred draws."""
    rng, held = np.random.default_rng(8), 0
    for _ in range(300):
        lost = rng.choice([-1.0, 0.0, 1.0], 12, p=[0.1, 0.8, 0.1])
        score, _, _ = statistic_interval(owed_to_picture, _mean(lost.tolist()), np.arange(12, dtype=np.int32))
        held += score.low <= 0 <= score.high
    assert held >= 273


def test_the_interval_of_the_area_under_a_curve_holds_it() -> None:
    assert area_coverage(30, 1.5, 150) >= 0.9
