"""Two models compared: exact tests as statsmodels has them, ties named as ties, false alarms as rare as promised."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import isnan, nan
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from answer_tables import Made, Member, Said, compare_table, coverage_table, made, tables
from hypothesis import given
from hypothesis import strategies as st
from naive import Case as NaiveCase
from naive import pair_cases, single_cases
from proving import examples, prove

from benchmarks.comparison_size import Cell, measure_size
from counterpoint.core.errors import CounterpointError
from counterpoint.metrics.accuracy import accuracy, answer_accuracy, comprehensive_accuracy, self_consistency
from counterpoint.metrics.calibration import ece
from counterpoint.metrics.comparison import (
    compare_on_suites,
    compare_outcomes,
    compare_with_reference,
)
from counterpoint.metrics.intervals import Jackknife, ShareSums, hidden_share
from counterpoint.metrics.metric import Metric, Ratio
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.paired_tests import RatioDifference, detectable_effect, holm, statistic_difference
from counterpoint.metrics.ranking import auroc, min_p
from counterpoint.metrics.robustness import rad_forward, rad_ordered
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes, score_table
from counterpoint.metrics.ties import find_ties, tied_with_best


@examples(30)  # theirs takes a tenth of a second
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]))


def test_tests_that_could_not_be_made_do_not_count_among_the_many() -> None:
    corrected = holm([0.02, nan, 0.5])
    assert corrected[0] == pytest.approx(0.04)
    assert isnan(corrected[1])


def _difference(first: list[tuple[float, int]], second: list[tuple[float, int]]) -> RatioDifference:
    """From the credit and cases of both models on each picture."""
    place = np.zeros(len(first), np.int64)
    columns = [np.array(own).T for own in (first, second)]
    one, other = (ShareSums.of(s, n.astype(np.int64), s.sum(keepdims=True), place) for s, n in columns)
    return RatioDifference.of(one, other, place)


def test_where_all_pictures_have_one_case_of_both_the_test_is_the_paired_t_test() -> None:
    from scipy import stats

    rng = np.random.default_rng(1)
    a, b = (rng.random((2, 200)) < [[0.7], [0.5]]).astype(np.float64)
    found = _difference([(s, 1) for s in a], [(s, 1) for s in b])
    trusted = stats.ttest_rel(a, b)
    assert found.value[0] == pytest.approx(a.mean() - b.mean())
    assert found.p()[0] == pytest.approx(trusted.pvalue, rel=0.02)
    low, high = found.bounds()
    interval = trusted.confidence_interval()
    assert (low[0], high[0]) == pytest.approx((interval.low, interval.high), abs=0.004)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=20, max_size=40), st.booleans())
def test_an_interval_leaves_out_zero_where_the_test_rejects(cases: list[tuple[int, ...]], turn: bool) -> None:
    first = [(float(min(a, n)), n) for a, n, _, _ in cases]
    second = [(float(min(b, n)), n) for _, _, b, n in cases]
    found = _difference(second, first) if turn else _difference(first, second)
    p, (low,), (high,) = found.p()[0], *found.bounds()
    if not isnan(p) and abs(p - 0.05) > 1e-6:
        assert (p < 0.05) == (not low <= 0 <= high)
        assert low <= found.value[0] <= high


def test_a_model_without_a_miss_does_not_beat_another_by_a_few_misses() -> None:
    """Its own variance is none; that of as many independent cases takes its place."""
    many = [(float(number % 9 > 0), 1) for number in range(90)]
    few = [(1.0, 1) if number < 15 else (0.0, 0) for number in range(90)]
    assert _difference(few, many).p()[0] > 0.1


def test_below_20_pictures_or_10_cases_there_is_an_interval_and_no_p_value() -> None:
    case = [(1.0, 1)] * 19
    few = _difference(case, [(0.0, 1)] * 19)
    assert isnan(few.p()[0])
    assert few.bounds()[0][0] > 0.5
    enough = case * 2
    assert isnan(_difference(enough, [(0.0, 1)] * 9 + [(0.0, 0)] * 29).p()[0])
    assert _difference(enough, [(0.0, 1)] * 38).p()[0] < 1e-6


def test_equal_answers_are_no_difference_and_could_hide_one_on_some_pictures() -> None:
    found = _difference([(1.0, 2), (0.0, 1)] * 20, [(1.0, 2), (0.0, 1)] * 20)
    assert found.p()[0] == 1
    assert [float(end[0]) for end in found.bounds()] == pytest.approx([-hidden_share(40), hidden_share(40)])


SIZES = [
    (Cell(50, 3, (0.9, 0.4), 0.6, 0.25, 0.0), 0.03),
    (Cell(30, 3, (0.8, 0.8), 0.6, 0.25, 0.6), 0.02),
    (Cell(100, 1, (0.8, 0.2), 0.9, 0.0, 0.0), 0.0),  # two misses of a model cannot tell; it was 14 % before
    (Cell(50, 3, (1.0, 1.0), 0.8, 0.25, 0.0), 0.03),
]


@pytest.mark.parametrize(("cell", "least"), SIZES)
def test_where_nothing_differs_false_alarms_are_as_rare_as_promised(cell: Cell, least: float) -> None:
    assert least <= measure_size(cell, 1500).size <= 0.07


def test_the_difference_that_could_be_seen_is_found_four_times_in_five() -> None:
    rng, n, discordant = np.random.default_rng(4), 800, 0.25
    least = detectable_effect(float(np.sqrt(discordant / n)), n)
    assert detectable_effect(float(np.sqrt(discordant / n)), n, tests=6) > least
    split = rng.multinomial(n, [(discordant + least) / 2, (discordant - least) / 2, 1 - discordant], 400)
    z = np.abs(split[:, 0] - split[:, 1]) / np.sqrt(split[:, 0] + split[:, 1])
    assert 0.72 <= float((z > 1.96).mean()) <= 0.88
    assert detectable_effect(0.0, 100) == 0.06  # without a discordant pair six would have had to be


def test_a_statistic_is_compared_by_leaving_out_the_same_pictures() -> None:
    first, second = Jackknife(0.8, np.array([0.8, 0.9, 0.7])), Jackknife(0.6, np.array([0.6, 0.7, 0.5]))
    assert statistic_difference(first, second, 40, 40).error == pytest.approx(0)  # both move together
    other = Jackknife(0.6, np.array([0.6, 0.5, 0.7]))
    found = statistic_difference(first, other, 40, 40)
    assert found.value == pytest.approx(0.2)
    assert found.error == pytest.approx((2 / 3 * 0.08) ** 0.5)
    assert isnan(statistic_difference(first, other, 19, 40).p)


def test_a_difference_of_values_from_minus_one_to_one_reaches_two() -> None:
    from scipy import stats

    always_yes, always_no = Jackknife(1.0, np.full(40, 1.0)), Jackknife(-1.0, np.full(40, -1.0))
    found = statistic_difference(always_yes, always_no, 40, 40, width=2.0)
    assert (found.value, found.high) == (2, 2)
    assert found.low == pytest.approx(2 - 2 * hidden_share(40))
    assert found.p == stats.binomtest(40, 40).pvalue
    assert statistic_difference(always_yes, always_yes, 40, 40).p == 1


def test_one_picture_leaves_any_difference_possible() -> None:
    for first, second in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)):
        found = _difference([(first, 1)], [(second, 1)])
        assert [float(end[0]) for end in found.bounds()] == [-1, 1]


@given(made())
def test_comparisons_are_those_of_a_loop(groups: list[Made]) -> None:
    table, first, second = tables(groups)
    metrics = (accuracy, self_consistency, comprehensive_accuracy)
    rows = compare_table(table, first, second, ("test",), metrics=metrics).to_pylist()
    one, other = list(pair_cases(groups)), list(pair_cases(groups, other=True))
    for row in rows:
        both = [
            (a.credit[row["metric"]], b.credit[row["metric"]])
            for a, b in zip(one, other, strict=True)
            if (a.group.suite, a.group.test) == (row["suite"], row["test"])
            and row["metric"] in a.credit
            and row["metric"] in b.credit
        ]
        assert row["n"] == len(both)
        if not both:
            assert (row["difference"], row["verdict"], row["detectable"]) == (None, "", None)
            continue
        assert row["difference"] == pytest.approx(sum(a - b for a, b in both) / len(both))
        assert row["low"] <= row["difference"] + 1e-9
        assert row["difference"] - 1e-9 <= row["high"]
        assert (row["p"], row["verdict"]) == (None, "too few")  # there are at most twelve pictures


def _two(better: float, worse: float, pictures: int = 80) -> list[dict[str, Any]]:
    rng, groups = Random(6), []
    for picture, test in product(range(pictures), ("rephrase", "order")):
        share = better if test == "order" else worse

        def said(share: float = share) -> Said:
            return Said(value="yes" if rng.random() < share else "no")

        members = tuple(Member({"yes": 1.0}, said(), {}, said(worse)) for _ in range(4))
        groups.append(Made(members, test=test, picture=f"world:{picture}.png"))
    table, first, second = tables(groups)
    rows: list[dict[str, Any]] = compare_table(table, first, second).to_pylist()
    return rows


def test_ties_are_called_ties_and_the_better_model_is_named() -> None:
    verdicts = {(row["test"], row["metric"]): row["verdict"] for row in _two(0.9, 0.6)}
    assert verdicts["order", "accuracy"] == verdicts["order", "comprehensive_accuracy"] == "first"
    assert verdicts["rephrase", "accuracy"] == verdicts["rephrase", "comprehensive_accuracy"] == "tie"


@pytest.mark.parametrize(
    ("metric", "better"), [(rad_ordered, "first"), (replace(rad_ordered, lower_is_better=True), "second")]
)
def test_pairs_in_both_orders_are_compared_and_less_can_be_better(metric: Ratio[Any], better: str) -> None:
    right, wrong = Said(value="yes"), Said(value="no")
    groups = [
        Made((Member({"yes": 1.0}, right, other=right), Member({"yes": 1.0}, right, other=wrong)), picture=f"world:{n}")
        for n in range(40)
    ]
    (row,) = compare_table(*tables(groups), metrics=(metric,)).to_pylist()
    assert (row["first"], row["second"], row["verdict"]) == (1.0, 0.0, better)


def test_a_model_compared_with_itself_ties_everywhere() -> None:
    groups, answers, _ = tables([Made((Member({"yes": 1.0}, Said()),) * 2, picture=f"world:{n}") for n in range(30)])
    for row in compare_table(groups, answers, answers).to_pylist():
        assert (row["difference"], row["p"], row["verdict"]) == (0.0, 1.0, "tie")


def test_plain_questions_are_compared_by_the_accuracy_of_answers() -> None:
    groups = [
        Made(
            (Member({"yes": 1.0}, Said(value="yes"), other=Said(value="no" if number % 2 else "yes")),),
            relation="gold",
            picture=f"p:{number}.png",
        )
        for number in range(60)
    ]
    (row,) = compare_table(*tables(groups)).to_pylist()
    assert (row["metric"], row["n"], row["first"], row["second"]) == ("answer_accuracy", 60, 1.0, 0.5)
    assert row["verdict"] == "first"


def test_several_models_are_compared_with_a_reference_on_the_suite_and_on_its_tests() -> None:
    said = {"yes": 1.0}
    groups = [
        Made((Member(said, Said(value="yes"), other=Said(value="no")),) * 2, test=test, picture=f"p:{number}.png")
        for test in ("order", "rephrase")
        for number in range(40)
    ]
    table, first, second = tables(groups)
    one, other = judge(table, first), judge(table, second)
    rows = compare_with_reference(one, [other, one], (accuracy, self_consistency))
    assert {row["test"] for row in rows} == {"", "order", "rephrase"}
    assert {(row["other"], row["verdict"]) for row in rows if row["metric"] == "accuracy"} == {(0, "first"), (1, "tie")}
    assert all(row["holm"] >= row["p"] for row in rows)


def test_the_detectable_effect_beside_corrected_p_is_that_of_as_many_tests() -> None:
    rng = Random(5)
    groups = [
        Made(
            (Member({"yes": 1.0}, Said(value=rng.choice(("yes", "no"))), other=Said(value="yes")),),
            relation="gold",
            test=test,
            picture=f"p:{number}.png",
        )
        for test in ("order", "rephrase")
        for number in range(60)
    ]
    table, first, second = tables(groups)
    one, other = judge(table, first), judge(table, second)
    rows = compare_with_reference(one, [other, other, other], (answer_accuracy,))
    assert len(rows) == 9  # the suite and its two tests, for three models
    for row in rows:
        assert row["detectable"] == detectable_effect(row["error"], row["n"], tests=9, clusters=row["clusters"])


def _cases(groups: list[Made], pairs: bool, other: bool) -> list[NaiveCase]:
    return list(pair_cases(groups, other=other) if pairs else single_cases(groups, other=other))


@given(made(), st.booleans())
def test_coverage_is_that_of_a_loop(groups: list[Made], pairs: bool) -> None:
    table, first, second = tables(groups)
    found = coverage_table(table, {"i": first, "j": second}, pairs=pairs).to_pylist()
    metric = "comprehensive_accuracy" if pairs else "answer_accuracy"
    models = {"i": _cases(groups, pairs, False), "j": _cases(groups, pairs, True)}
    for row in found:
        both = [
            (own.credit[metric] >= 0.5, of.credit[metric] >= 0.5)
            for own, of in zip(models[row["model"]], models[row["of"]], strict=True)
            if (own.group.suite, own.group.test) == (row["suite"], row["test"])
            and metric in own.credit
            and metric in of.credit
        ]
        right = [own for own, of in both if of]
        assert row["n"] == len(right)
        assert row["value"] == (pytest.approx(sum(right) / len(right)) if right else None)


def test_what_two_models_share_is_the_same_seen_from_either() -> None:
    """C(i, j) times the accuracy of j is C(j, i) times that of i, as in CARETS Tables 13 to 17 up to their noise."""
    groups = [
        Made(
            tuple(
                Member({"yes": 1.0}, Said(value="yes" if n % 3 else "no"), {}, Said(value="yes" if n % 5 else "no"))
                for n in (number, number + 1)
            ),
            picture=f"world:{number}.png",
        )
        for number in range(30)
    ]
    table, first, second = tables(groups)
    shares = {
        (row["model"], row["of"]): row["value"] for row in coverage_table(table, {"i": first, "j": second}).to_pylist()
    }
    accuracy = {name: _accuracy(table, own) for name, own in (("i", first), ("j", second))}
    assert shares["i", "j"] * accuracy["j"] == pytest.approx(shares["j", "i"] * accuracy["i"])


def _accuracy(groups: pa.Table, answers: pa.Table) -> float:
    rows = score_table(groups, answers).to_pylist()
    (found,) = (row["value"] for row in rows if row["metric"] == "answer_accuracy")
    return float(found)


def _pictures(first: Callable[[int], str], second: Callable[[int], str], many: int = 60) -> list[Made]:
    """One pair a picture; a letter, y or n, is the answer of a model to the base, and another to the variant."""

    def said(letter: str) -> Said:
        return Said(value="yes" if letter == "y" else "no")

    return [
        Made(
            tuple(Member({"yes": 1.0}, said(a), {}, said(b)) for a, b in zip(first(n), second(n), strict=True)),
            picture=f"p:{n}",
        )
        for n in range(many)
    ]


def test_a_ratio_is_compared_by_the_denominator_of_each_model() -> None:
    """A keeps 36 of its 60 right bases, B 4 of 15: A .600 and B .267, though on B's bases B does better than A."""
    table, first, second = tables(
        _pictures(
            lambda n: "yy" if n < 36 else "yn",
            lambda n: "yy" if n >= 56 else "yn" if n >= 45 else "nn",
        )
    )
    (row,) = compare_table(table, first, second, metrics=(rad_forward,)).to_pylist()
    assert (row["first"], row["second"]) == pytest.approx((0.6, 4 / 15))
    assert (row["first_n"], row["second_n"], row["n"]) == (60, 15, 15)
    assert row["difference"] == pytest.approx(0.6 - 4 / 15)
    assert row["verdict"] in ("first", "tie")
    assert row["low"] <= row["difference"] <= row["high"]


def _ranked(many: int = 60) -> tuple[pa.Table, pa.Table, pa.Table]:
    rng = Random(2)

    def said(shift: float) -> Said:
        return Said(score=min(max(rng.gauss(0.5 + shift, 0.2), 0.0), 1.0))

    groups = [
        Made(
            (Member(None, said(0.2), {}, said(0.0)), Member(None, said(-0.2), {}, said(0.0))),
            "ranks",
            picture=f"p:{number}",
            mode="score",
        )
        for number in range(many)
    ]
    table, *answers = tables(groups)
    probable = [own.replace_schema_metadata({"scale": "probability"}) for own in answers]
    return table, probable[0], probable[1]


def test_areas_and_the_lower_of_two_shares_are_compared_as_means_are() -> None:
    rows = {row["metric"]: row for row in compare_table(*_ranked(), metrics=(auroc, min_p)).to_pylist()}
    assert {row["verdict"] for row in rows.values()} == {"first"}
    assert all(row["low"] > 0 and row["p"] < 0.05 for row in rows.values())
    table, first, _ = _ranked()
    for row in compare_table(table, first, first, metrics=(auroc, min_p)).to_pylist():
        assert (row["difference"], row["p"], row["verdict"]) == (0.0, 1.0, "tie")


def test_a_value_that_chance_raises_tells_no_models_apart() -> None:
    table, first, second = tables([Made((Member({"yes": 1.0}, Said()),))])
    with pytest.raises(CounterpointError, match="raised by chance"):
        compare_table(table, first, second, metrics=(ece,))


def test_no_leader_is_named_where_no_p_value_can_be_told() -> None:
    assert tied_with_best("ab", lambda best, other: nan, "a") == frozenset()
    assert tied_with_best("ab", lambda best, other: 0.5, "a") == {"a", "b"}
    assert tied_with_best("a", lambda best, other: nan, "a") == {"a"}


def _said(right: int, answered: int = 40, questions: int = 40) -> Outcomes:
    """A model that has the first questions right, and fails on the last."""
    said = [Said(value="yes" if number < right else "no") for number in range(answered)]
    said += [Said("failed")] * (questions - answered)
    table, answers, _ = tables(
        [Made((Member({"yes": 1.0}, own),), picture=f"world:{number}") for number, own in enumerate(said)]
    )
    return judge(table, answers)


def _hundreds(answered: int) -> dict[str, Outcomes]:
    """The best of three models, one that answered all, and one that has the easy half right and failed on the other."""
    return {"best": _said(190, answered, 200), "whole": _said(150, 200, 200), "flaky": _said(100, 100, 200)}


@pytest.mark.parametrize(
    ("models", "tied"),
    [
        ({"whole": _said(36), "poor": _said(20), "flaky": _said(20, 20)}, {"whole", "flaky"}),
        ({"whole": _said(10), "good": _said(38, 39)}, {"good"}),
        ({"equal": _said(40), "whole": _said(40)}, {"equal", "whole"}),
        (
            {"best": _said(190, 198, 200), "whole": _said(150, 200, 200), "flaky": _said(100, 100, 200)},
            {"best", "flaky"},
        ),
        (
            {"best": _said(190, 197, 200), "whole": _said(150, 200, 200), "flaky": _said(100, 100, 200)},
            {"best", "whole", "flaky"},
        ),
    ],
)
def test_a_model_that_failed_on_the_hard_half_lends_no_star(models: dict[str, Outcomes], tied: set[str]) -> None:
    """A poor model that ties with one that failed where it is wrong is still worse than one that answered all."""
    request = ScoreRequest((), metrics=(answer_accuracy,))
    scores = [
        {"by": "suite", "test": "", "model": name} | row
        for name, own in models.items()
        for row in score_outcomes(own, request).to_pylist()
    ]
    found = find_ties(scores, lambda name: [models[name]], request.metrics)
    assert {model for *_, model in found} == tied


def _lost_stars(models: int, repeats: int) -> tuple[float, float]:
    """Of equally good models, the share that is not tied with the best, and the share of columns with such a one."""
    rng, lost = np.random.default_rng(6), []
    for _ in range(repeats):
        latent = rng.normal(size=300) + rng.normal(size=(models, 300))
        place, n = np.repeat(np.arange(models), 300), np.ones(models * 300, np.int64)
        right = (latent < 0.74).astype(np.float64)
        best = int(right.sum(1).argmax())
        highest = np.broadcast_to(right[best], right.shape)
        first, second = (ShareSums.of(own.ravel(), n, own.sum(1), place) for own in (highest, right))
        p = RatioDifference.of(first, second, place).p()
        tied = tied_with_best(map(str, range(models)), lambda best, other: float(p[int(other)]), str(best))  # noqa: B023
        lost.append(models - len(tied))
    return sum(lost) / len(lost) / models, float(np.mean(np.array(lost) > 0))


@pytest.mark.parametrize(("models", "columns"), [(2, 0.04), prove(10, 0.17), prove(20, 0.22)])
def test_a_model_as_good_as_the_best_keeps_its_star(models: int, columns: float) -> None:
    """Each does; that all of many do is not promised, and the docs say in how many columns one does not."""
    lost, some = _lost_stars(models, 500)
    assert lost < 0.025
    assert some == pytest.approx(columns, abs=0.006)


def _always(p: float) -> Callable[[str, str], float]:
    return lambda best, other: p


def _questions(shares: tuple[float, float]) -> tuple[pa.Table, pa.Table, pa.Table]:
    rng = Random(11)

    def member() -> Member:
        first, second = (Said(value="yes" if rng.random() < share else "no") for share in shares)
        return Member({"yes": 1.0}, first, {}, second)

    return tables(
        [
            Made((member(), member()), test=test, picture=f"world:{number}")
            for number, test in product(range(40), ("order", "rephrase"))
        ]
    )


@pytest.mark.parametrize(
    ("suite", "metrics"),
    [
        (_questions((0.9, 0.6)), (accuracy, rad_forward, rad_ordered)),
        (_questions((0.7, 0.7)), (accuracy, rad_forward, rad_ordered)),
        (_ranked(), (auroc, min_p)),
    ],
)
def test_the_ties_of_a_leaderboard_are_those_of_comparing_its_models(
    suite: tuple[pa.Table, pa.Table, pa.Table], metrics: tuple[Metric, ...]
) -> None:
    table, *answers = suite
    outcomes = {name: judge(table, own) for name, own in zip("ij", answers, strict=True)}
    scores: list[dict[str, Any]] = []
    expected = set()
    for by in ((), ("test",)):
        request = ScoreRequest(by, metrics=metrics)
        for model, own in outcomes.items():
            rows = score_outcomes(own, request).to_pylist()
            scores += [{"test": "", "by": by[0] if by else "suite", "model": model} | row for row in rows]
        for row in compare_outcomes(outcomes["i"], outcomes["j"], request).to_pylist():
            tied = tied_with_best("ij", _always(row["p"]), "i" if row["first"] >= row["second"] else "j")
            expected |= {(row.get("test", ""), row["metric"], model) for model in tied}
    assert set(find_ties(scores, lambda name: [outcomes[name]], metrics)) == expected


def test_suites_are_compared_at_once_as_each_alone() -> None:
    outcomes = []
    for shares in ((0.9, 0.5), (0.7, 0.7)):
        groups, first, second = _questions(shares)
        outcomes.append((judge(groups, first), judge(groups, second), accuracy))
    together = compare_on_suites(outcomes)
    alone = [row for own in outcomes for row in compare_on_suites([own])]
    for name in ("first", "second", "difference", "low", "high", "p", "n", "clusters", "method"):
        assert [row[name] for row in together] == [row[name] for row in alone]
    assert [row["holm"] for row in together] == pytest.approx(holm([row["p"] for row in alone]), nan_ok=True)


def test_no_models_cover_nothing() -> None:
    table, _, _ = tables([Made((Member({"yes": 1.0}, Said()),))])
    assert coverage_table(table, {}).num_rows == 0
