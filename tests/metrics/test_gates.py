"""A value against a line: two one-sided tests that agree with the textbook, and no verdict on a few pictures."""

import numpy as np
import pytest
from proving import sample

from benchmarks.gate_errors import margin_errors
from counterpoint.metrics.gates import GateRule, GateVerdict, LineTest, decide, statistic_test
from counterpoint.metrics.intervals import Jackknife, hidden_share


@pytest.mark.parametrize("line", [0.2, 0.5, 0.8])
def test_the_test_of_a_mean_by_jackknife_is_the_t_test_on_both_sides_of_the_line(line: float) -> None:
    from scipy import stats

    values = np.random.default_rng(7).random(40)
    replicates = (values.sum() - values) / (len(values) - 1)
    test = statistic_test(Jackknife(float(values.mean()), replicates), len(values), len(values), line)
    assert test.below == pytest.approx(stats.ttest_1samp(values, line, alternative="less").pvalue)
    assert test.above == pytest.approx(stats.ttest_1samp(values, line, alternative="greater").pvalue)
    low, high = stats.t.interval(0.90, len(values) - 1, values.mean(), stats.sem(values))
    assert (test.low, test.high) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("value", "verdict"), [(1.0, GateVerdict.HOLDS), (0.0, GateVerdict.FAILS), (0.79, GateVerdict.UNDECIDED)]
)
def test_a_statistic_that_is_the_same_without_any_picture_is_decided(value: float, verdict: GateVerdict) -> None:
    """A model of F1 0 has no variance either, and must not pass."""
    test = statistic_test(Jackknife(value, np.full(40, value)), 40, 40, 0.8)
    (check,) = decide([(GateRule.parse("yes_f1 >= 0.8"), "", "yes_f1", test)])
    assert (check.verdict, check.test.n) == (verdict, 40)
    assert check.bound == pytest.approx(value + hidden_share(40) * (1 if verdict is GateVerdict.FAILS else -1))


def test_a_statistic_of_one_picture_has_a_value_and_needs_others() -> None:
    test = statistic_test(Jackknife(0.9, np.empty(0)), 5, 1, 0.8)
    (check,) = decide([(GateRule.parse("yes_f1 >= 0.8"), "", "yes_f1", test)])
    assert (check.verdict, check.test.value, check.further_pictures) == (GateVerdict.UNDECIDED, 0.9, 19)


@pytest.mark.parametrize(("pictures", "verdict"), [(19, GateVerdict.UNDECIDED), (20, GateVerdict.FAILS)])
def test_fewer_than_twenty_pictures_decide_nothing(pictures: int, verdict: GateVerdict) -> None:
    far_below = LineTest(0.1, 0.05, 0.2, 1e-9, 1.0, 500, pictures)
    (check,) = decide([(GateRule.parse("accuracy >= 0.9"), "order", "accuracy", far_below)])
    assert check.verdict is verdict


def test_an_alarm_that_its_correction_holds_back_says_what_it_would_take() -> None:
    rule, n, error = GateRule.parse("accuracy >= 0.5"), 400, 0.025
    near = _normal_test(0.5 - 1.9 * error, error, n)
    far = _normal_test(0.9, error, n)
    check, *_ = decide([(rule, suite, "accuracy", test) for suite, test in (("a", near), ("b", far), ("c", far))])
    assert (check.verdict, check.test.high < 0.5) == (GateVerdict.UNDECIDED, True)
    assert check.further is not None
    enough = _normal_test(0.5 - 1.9 * error, error * (n / (n + check.further)) ** 0.5, n + check.further)
    short = _normal_test(0.5 - 1.9 * error, error * (n / (n + check.further - 5)) ** 0.5, n + check.further - 5)
    for test, verdict in ((enough, GateVerdict.FAILS), (short, GateVerdict.UNDECIDED)):
        again, *_ = decide([(rule, suite, "accuracy", own) for suite, own in (("a", test), ("b", far), ("c", far))])
        assert again.verdict is verdict


def _normal_test(value: float, error: float, n: int) -> LineTest:
    """A value with a normal error against a line of one half."""

    from scipy import stats

    reach, below = stats.norm.ppf(0.95) * error, float(stats.norm.cdf((0.5 - value) / error))
    return LineTest(value, value - reach, value + reach, 1 - below, below, n, n)


@pytest.mark.parametrize("cell", sample([(20, 0.95), (40, 0.9), (20, 0.9)], 1))
def test_rules_with_a_margin_keep_their_level_on_few_pictures(cell: tuple[int, float]) -> None:
    assert max(margin_errors(*cell, 1000)) <= 0.08  # 6 % and two and a half standard errors
