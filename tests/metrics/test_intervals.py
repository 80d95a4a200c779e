"""Intervals hold what they promise: by hand, by a naive loop, and by simulation."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from statsmodels.stats.proportion import proportion_confint

from counterpoint.metrics import intervals
from counterpoint.metrics.intervals import (
    Z95,
    Score,
    bootstrap_interval,
    clopper_pearson_interval,
    clustered_interval,
    resample_shares,
    seeded_rng,
    wilson_interval,
)

CREDITS = st.sampled_from([0.0, 0.0, 1 / 3, 0.6, 1.0, 1.0])
CASES = st.lists(st.tuples(CREDITS, st.integers(0, 5)), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),  # z²/(n + z²) above, nothing below
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (81, 263, 0.2553, 0.3662),  # these four: Newcombe 1998, table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_those_worked_by_hand_and_published(hits: int, n: int, low: float, high: float) -> None:
    score = wilson_interval(hits, n)
    assert (score.value, score.n) == (hits / n, n)
    assert score.low == pytest.approx(low, abs=5e-5)
    assert score.high == pytest.approx(high, abs=5e-5)


def test_no_cases_give_no_number() -> None:
    for score in (wilson_interval(0, 0), clustered_interval([], [])):
        assert score.n == 0
        assert all(map(isnan, (score.value, score.low, score.high)))


def _naive(cases: list[tuple[float, int]]) -> Score:
    n = len(cases)
    mean = sum(credit for credit, _ in cases) / n
    clusters = {cluster for _, cluster in cases}
    effective = float(len(clusters))
    if len(clusters) > 1 and len({credit for credit, _ in cases}) > 1:
        residuals = [sum(credit - mean for credit, own in cases if own == cluster) for cluster in clusters]
        between = len(clusters) / (len(clusters) - 1) * sum(r * r for r in residuals) / n**2
        alone = sum((credit - mean) ** 2 for credit, _ in cases) / (n - 1) / n
        effective = mean * (1 - mean) / max(between, alone)
    # the ends are where the share lies Z95 standard errors away: the roots of a quadratic
    a, b, c = 1 + Z95**2 / effective, -(2 * mean + Z95**2 / effective), mean**2
    root = sqrt(max(b * b - 4 * a * c, 0))
    return Score(mean, (-b - root) / (2 * a), (-b + root) / (2 * a), n)


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


def test_questions_about_one_picture_count_less_than_questions_about_many() -> None:
    credit = [1, 1, 1, 1, 0, 0, 0, 0] * 10
    alike = clustered_interval(credit, np.arange(80) // 4)
    apart = clustered_interval(credit, np.arange(80))
    assert alike.high - alike.low > 1.8 * (apart.high - apart.low)
    assert apart.low == pytest.approx(wilson_interval(40, 80).low, abs=1e-3)


def _held(share: float, alike: float, pictures: int, rounds: int = 1500) -> float:
    """How often intervals hold the truth where each picture has its own rate and one to nine questions."""
    rng = np.random.Generator(np.random.PCG64(7))
    held = 0
    for _ in range(rounds):
        counts = rng.integers(1, 10, pictures)
        rates = rng.beta(share / alike, (1 - share) / alike, pictures) if alike else np.full(pictures, share)
        cluster = np.repeat(np.arange(pictures), counts)
        score = clustered_interval(rng.random(len(cluster)) < rates[cluster], cluster)
        held += score.low <= share <= score.high
    return held / rounds


@pytest.mark.parametrize(("share", "alike"), [(0.5, 0.0), (0.5, 2.0), (0.85, 0.0), (0.85, 2.0), (0.95, 0.2)])
def test_about_nineteen_intervals_in_twenty_hold_the_truth(share: float, alike: float) -> None:
    assert 0.92 <= _held(share, alike, pictures=60) <= 0.985


def test_where_only_two_pictures_in_sixty_are_hard_intervals_promise_too_much() -> None:
    """The known limit: almost all failures on a few pictures; more pictures mend it."""
    assert 0.8 <= _held(0.97, 1.0, pictures=60) <= 0.9
    assert _held(0.97, 1.0, pictures=600, rounds=400) >= 0.92


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
    monkeypatch.setattr(intervals, "_MOST_CLUSTERS", 1000)
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
