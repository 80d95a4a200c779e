"""Sequential tests: valid however often one looks, of a ratio over pictures of different sizes."""

from itertools import product

import numpy as np
import pytest
from proving import prove

from benchmarks.gate_errors import count_alarms
from benchmarks.sequential_gate import NULLS, TRUTHS, Cell, asked_share, drops_found, false_verdicts
from counterpoint.core.errors import CounterpointError
from counterpoint.metrics.gates import GateRule, GateVerdict
from counterpoint.metrics.picture_sums import PictureSums
from counterpoint.metrics.sequential_tests import (
    SequentialMethod,
    SequentialTest,
    asymptotic_evidence,
    betting_evidence,
    tightest_after,
)

METHODS = tuple(SequentialMethod)
LEVEL = 0.05


def _sums(right: list[float], cases: list[float], most: float = 1.0) -> PictureSums:
    return PictureSums(np.array(right, np.float64), np.array(cases, np.float64), most)


def test_a_gambler_gains_nothing_on_average_where_the_ratio_lies_on_its_line() -> None:
    """Exact: over all sequences of pictures of two sizes, large ones harder, the mean capital stays 1."""
    line, pictures = 0.5, [(1.0, 1.0, 0.4), (0.0, 1.0, 0.1), (3.0, 3.0, 0.2), (0.0, 3.0, 0.3)]
    shares = np.array([share for *_, share in pictures])
    values = np.array([credit - line * cases for credit, cases, _ in pictures])
    assert shares @ values == pytest.approx(0.0)
    assert sum(credit / cases * share for credit, cases, share in pictures) == pytest.approx(0.6), "no mean of ratios"
    sequences = np.array(list(product(range(len(pictures)), repeat=6)))
    chances = shares[sequences].prod(axis=1)
    capital = np.exp(betting_evidence(values[sequences], line * 3, 8.0, LEVEL))
    assert np.allclose(chances @ capital, 1.0)


def test_the_asymptotic_bound_is_tightest_at_its_horizon() -> None:
    """A line that a Wiener process ever crosses with a probability of 5 %, as close to it as may be at the horizon."""
    t, horizon = np.arange(1, 1001), tightest_after(1000)

    def mean_needed(horizon: float) -> np.ndarray:
        slope = np.sqrt(-2 * np.log(LEVEL) / horizon)
        return np.asarray(-np.log(LEVEL) / (slope * t) + slope / 2)

    needed = mean_needed(horizon)
    means = np.stack([needed * share for share in (0.999, 1.001)])
    values = np.diff(means * t, prepend=0.0)
    found = asymptotic_evidence(values, t.astype(np.float64), horizon, LEVEL) >= -np.log(LEVEL)
    assert not found[0].any()
    assert found[1].all()
    place = round(horizon) - 1
    assert all(needed[place] < mean_needed(other)[place] for other in (horizon / 2, horizon * 2))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("other", [False, True])
def test_a_verdict_is_where_the_bound_lies(method: SequentialMethod, other: bool) -> None:
    rng = np.random.default_rng(5)
    cases = rng.integers(1, 4, 300).astype(np.float64)
    right, before = (rng.binomial(cases.astype(int), share).astype(np.float64) for share in (0.6, 0.7))
    sums = PictureSums(right, cases, 3.0, (before, cases) if other else None)
    seen = set()
    for line in np.linspace(-0.3, 0.3, 13) if other else np.linspace(0.4, 0.8, 13):
        check = SequentialTest(method, 300).check(GateRule("", float(line)), "", "accuracy", sums)
        seen.add(check.verdict)
        assert (check.verdict is GateVerdict.FAILS) == (check.test.high < line)
        assert (check.verdict is GateVerdict.HOLDS) == (check.test.low > line)
        assert (check.further is not None) == (check.verdict is GateVerdict.UNDECIDED)
    assert seen == set(GateVerdict)


def test_the_asymptotic_test_says_how_many_pictures_are_missing() -> None:
    sums, rule = _sums([1.0] * 38 + [0.0] * 2, [1.0] * 40), GateRule("", 0.5)
    checks = {method: SequentialTest(method, 100).check(rule, "", "accuracy", sums) for method in METHODS}
    assert {method: check.further_pictures for method, check in checks.items()} == {
        SequentialMethod.ASYMPTOTIC: 10,
        SequentialMethod.BETTING: 0,
    }


def test_an_alarm_is_corrected_over_the_rules() -> None:
    cases = [1.0] * 120
    sums, rule = _sums([1.0] * 72 + [0.0] * 48, cases), GateRule("", 0.76)
    alone, together = (
        SequentialTest(SequentialMethod.ASYMPTOTIC, 500, rules).check(rule, "", "accuracy", sums) for rules in (1, 40)
    )
    assert (alone.verdict, together.verdict) == (GateVerdict.FAILS, GateVerdict.UNDECIDED)


@pytest.mark.parametrize(
    ("rule", "other"),
    [(GateRule("unparsed <= 2 %", 0.02, at_least=False), False), (GateRule("not worse by 3 points", -0.03), True)],
)
def test_what_has_not_happened_yet_in_fifty_pictures_may_still(rule: GateRule, other: bool) -> None:
    """Fifty pictures without a miss, or without a difference, have no variance, and decide nothing."""
    none, cases = np.zeros(50), np.ones(50)
    sums = PictureSums(none, cases, 1.0, (none, cases) if other else None)
    for method in METHODS:
        assert SequentialTest(method, 1000).check(rule, "", "", sums).verdict is GateVerdict.UNDECIDED
    many = PictureSums(np.zeros(900), np.ones(900), 1.0, (np.zeros(900), np.ones(900)) if other else None)
    for method in METHODS:
        assert SequentialTest(method, 1000).check(rule, "", "", many).verdict is GateVerdict.HOLDS


def test_fewer_than_fifty_pictures_of_equal_weight_decide_nothing_by_the_asymptotic_method() -> None:
    rule, test = GateRule("", 0.5), SequentialTest(SequentialMethod.ASYMPTOTIC, 1000)
    assert test.check(rule, "", "", _sums([0.0] * 49, [1.0] * 49)).verdict is GateVerdict.UNDECIDED
    assert test.check(rule, "", "", _sums([0.0] * 50, [1.0] * 50)).verdict is GateVerdict.FAILS
    uneven = _sums([0.0] * 60, [1.0] * 50 + [12.0] * 10, 12.0)
    assert test.check(rule, "", "", uneven).verdict is GateVerdict.UNDECIDED


def test_cases_that_depend_on_the_model_are_compared_by_influence_and_not_by_bets() -> None:
    rng = np.random.default_rng(1)
    cases = [rng.integers(1, 5, 400).astype(np.float64) for _ in range(2)]
    right = [
        rng.binomial(own.astype(int), share).astype(np.float64) for own, share in zip(cases, (0.5, 0.7), strict=True)
    ]
    sums, rule = PictureSums(right[0], cases[0], 4.0, (right[1], cases[1])), GateRule("not worse", -0.03)
    assert SequentialTest(SequentialMethod.ASYMPTOTIC, 400).check(rule, "", "rad", sums).verdict is GateVerdict.FAILS
    with pytest.raises(CounterpointError, match="depend on the model"):
        SequentialTest(SequentialMethod.BETTING, 400).check(rule, "", "rad", sums)


@pytest.mark.parametrize(("weeks", "most"), [(25, 4), prove(1000, 63)])
def test_a_week_in_which_nothing_got_worse_seldom_has_an_alarm_among_twenty_rules(weeks: int, most: int) -> None:
    assert count_alarms(np.random.default_rng(0), weeks) <= most


SAMPLE = (Cell("uneven", 0.8), Cell("single", 0.0, discordance=0.4))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("cells", "repeats"), [(SAMPLE, 100), prove(NULLS, 1000)], ids=["sample", "whole"])
def test_looking_after_every_picture_keeps_the_error(
    method: SequentialMethod, cells: tuple[Cell, ...], repeats: int
) -> None:
    rng = np.random.default_rng(0)
    most = round(repeats * LEVEL + 2 * np.sqrt(repeats * LEVEL * (1 - LEVEL)))  # 63 of 1,000
    for cell in cells:
        verdicts = false_verdicts(rng, method, cell, repeats)
        assert max(verdicts) <= most, (cell, verdicts)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("cells", "repeats"), [(TRUTHS[2:4], 100), prove(TRUTHS[:6], 1000)], ids=["sample", "whole"])
def test_ten_points_are_found_within_half_of_a_suite(
    method: SequentialMethod, cells: tuple[Cell, ...], repeats: int
) -> None:
    rng = np.random.default_rng(0)
    for cell in cells:
        course = asked_share(rng, method, cell, repeats)
        assert course.asked <= 0.5, (cell, course)
        assert course.power >= (0.8 if cell.line < 0 else 0.9), (cell, course)


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize(
    ("accuracies", "repeats"), [((0.7,), 100), prove((0.5, 0.7, 0.9), 1000)], ids=["sample", "whole"]
)
def test_the_size_that_is_asked_for_finds_a_drop_of_five_points_with_twenty_rules(
    accuracies: tuple[float, ...], repeats: int, paired: bool
) -> None:
    rng = np.random.default_rng(0)
    for accuracy in accuracies:
        _, found = drops_found(rng, accuracy, repeats, paired)
        assert found >= 0.8, accuracy
