"""Two models compared: exact tests as statsmodels has them, ties named as ties, false alarms as rare as promised."""

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
from naive import Case, pair_cases, single_cases
from proving import examples
from statsmodels.stats.contingency_tables import mcnemar as reference
from statsmodels.stats.multitest import multipletests

from counterpoint.metrics.accuracy import accuracy, comprehensive_accuracy, self_consistency
from counterpoint.metrics.comparison import compare_with_reference
from counterpoint.metrics.intervals import seeded_rng
from counterpoint.metrics.metric import Ratio
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.paired_tests import (
    clustered_detectable_effect,
    holm,
    mcnemar,
    mcnemar_detectable_effect,
    paired_difference,
)
from counterpoint.metrics.robustness import rad_ordered
from counterpoint.metrics.scoring import score_table


@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_that_of_statsmodels(first: int, second: int) -> None:
    found = mcnemar(first, second)
    assert found == pytest.approx(min(reference([[7, first], [second, 7]], exact=True).pvalue, 1.0), rel=1e-8)
    assert found == mcnemar(second, first)


def test_mcnemar_takes_millions() -> None:
    assert mcnemar(1_000_000, 1_000_000) == 1.0
    assert mcnemar(1_001_500, 1_000_000) == pytest.approx(0.289, abs=0.002)  # 1500 is 1.06 standard deviations
    assert mcnemar(2_000_000, 0) == 0.0


@examples(30)  # theirs takes a tenth of a second
@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_that_of_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]))


def test_tests_that_could_not_be_made_do_not_count_among_the_many() -> None:
    corrected = holm([0.02, nan, 0.5])
    assert corrected[0] == pytest.approx(0.04)
    assert isnan(corrected[1])


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
def test_few_clusters_are_turned_round_in_every_way(sums: list[int]) -> None:
    found = paired_difference(
        np.array(sums, float), np.full(len(sums), 3), float(sum(abs(s) for s in sums)), seeded_rng("few")
    )
    totals = [
        abs(sum(sign * s for sign, s in zip(signs, sums, strict=True))) for signs in product((1, -1), repeat=len(sums))
    ]
    assert found.p == pytest.approx(sum(total >= abs(sum(sums)) for total in totals) / len(totals))
    assert -1 <= found.low <= found.value <= found.high <= 1


def test_one_picture_proves_nothing() -> None:
    found = paired_difference(np.array([50.0]), np.array([50]), 50.0, seeded_rng("one"))
    assert (found.value, found.p, found.low) == (1.0, 1.0, 0.0)


def test_where_nothing_differs_false_alarms_are_as_rare_as_promised() -> None:
    rng, alarms = np.random.default_rng(2), 0
    for number in range(300):
        counts = rng.integers(1, 8, 40)
        lean = rng.normal(0, 0.3, 40).clip(-1, 1)  # a picture favours one model or the other
        ahead = rng.binomial(counts, (1 + lean) / 2)
        alarms += (
            paired_difference(
                np.asarray(2 * ahead - counts, np.float64), counts, float(counts.sum()), seeded_rng(number), 400
            ).p
            < 0.05
        )
    assert alarms <= 30


def test_the_difference_that_could_be_seen_is_found_four_times_in_five() -> None:
    rng, n, discordant = np.random.default_rng(4), 800, 0.25
    least = mcnemar_detectable_effect(round(discordant * n), n)
    assert mcnemar_detectable_effect(round(discordant * n), n, tests=6) > least
    split = rng.multinomial(n, [(discordant + least) / 2, (discordant - least) / 2, 1 - discordant], 400)
    found = np.mean([mcnemar(int(one), int(other)) < 0.05 for one, other, _ in split])
    assert 0.72 <= found <= 0.88
    assert clustered_detectable_effect(float(np.sqrt(discordant / n)), n) == pytest.approx(least, rel=0.05)


def test_without_a_discordant_pair_six_would_have_had_to_be() -> None:
    assert mcnemar_detectable_effect(0, 100) == 0.06
    assert (mcnemar(6, 0) < 0.05, mcnemar(5, 0) < 0.05) == (True, False)


@given(made())
def test_comparisons_are_those_of_a_loop(groups: list[Made]) -> None:
    table, first, second = tables(groups)
    metrics = (accuracy, self_consistency, comprehensive_accuracy)
    rows = compare_table(table, first, second, ("test",), metrics=metrics, resamples=20).to_pylist()
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
        wins, losses = sum(a > b for a, b in both), sum(a < b for a, b in both)
        assert (row["first_only"], row["second_only"]) == (wins, losses)
        if row["metric"] == "accuracy":
            assert row["mcnemar"] is None
        else:
            assert row["mcnemar"] == pytest.approx(mcnemar(wins, losses))
            assert row["p"] == max(row["mcnemar"], row["paired"])
        assert row["holm"] >= row["p"] - 1e-12
        assert 0 < row["detectable"] <= 1


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


def _cases(groups: list[Made], pairs: bool, other: bool) -> list[Case]:
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
    rows = score_table(groups, answers, resamples=20).to_pylist()
    (found,) = (row["value"] for row in rows if row["metric"] == "answer_accuracy")
    return float(found)


def test_no_models_cover_nothing() -> None:
    table, _, _ = tables([Made((Member({"yes": 1.0}, Said()),))])
    assert coverage_table(table, {}).num_rows == 0
