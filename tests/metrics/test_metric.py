"""Which metrics apply to a suite and which its tables show, from what its groups are."""

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answer_tables import Made, Member, Said, tables

from counterpoint import catalog
from counterpoint.metrics.metric import Contents, Metric, Ratio, applicable, contents_by_suite, displayed
from counterpoint.metrics.scoring import score_table
from counterpoint.metrics.units import Pairs

DISPLAYED = {
    ("order", "same"): ["comprehensive_accuracy", "accuracy", "self_consistency"],
    ("contrast", "gold"): ["contrast_consistency_5", "comprehensive_accuracy", "accuracy"],
    ("rad-counterfactuals", "gold"): ["rad_forward", "rad_backward", "accuracy"],
    ("rad-rephrasings", "same"): ["rad_ordered", "accuracy", "self_consistency"],
    ("noise", "same"): ["mean_robustness", "accuracy"],
    ("sears", "same"): ["robustness", "accuracy"],
    ("feature-noise", "same"): ["picture_feature_robustness", "question_feature_robustness"],
    ("counting", "ranks"): ["acc_r", "auroc", "min_p"],
    ("question-bias", "swap"): ["question_bias", "comprehensive_accuracy", "accuracy"],
    ("plain", ""): ["answer_accuracy"],
}
"""The metrics of a suite with one test and relation, where all of them have a value."""


def _contents(test: str, relation: str) -> Contents:
    return Contents(frozenset([test]), frozenset([relation] if relation else []))


def _names(metrics: tuple[Metric, ...]) -> list[str]:
    return [metric.name for metric in metrics]


@pytest.mark.parametrize(("test", "relation"), DISPLAYED)
def test_a_suite_shows_the_metrics_that_lead_there(test: str, relation: str) -> None:
    contents = _contents(test, relation)
    assert _names(displayed(contents, applicable(contents, catalog.metrics()))) == DISPLAYED[test, relation]


def test_metrics_on_request_are_computed_where_they_lead_or_are_asked_for() -> None:
    order, sears = _contents("order", "same"), _contents("sears", "same")
    assert "robustness" not in _names(applicable(order, catalog.metrics()))
    assert "robustness" in _names(applicable(sears, catalog.metrics()))
    assert "robustness" in _names(applicable(order, catalog.metrics(), on_request=True))
    assert "ece" not in _names(applicable(order, catalog.metrics()))


def test_a_metric_that_says_nothing_applies_and_leads_everywhere() -> None:
    metric = Ratio("agreement", Pairs, lambda pairs: pairs.related)
    for test, relation in DISPLAYED:
        contents = _contents(test, relation)
        assert metric in displayed(contents, applicable(contents, (*catalog.metrics(), metric)))


def test_where_no_metric_leads_the_first_that_has_a_value_is_shown() -> None:
    metrics = [catalog.metric("worst_case"), catalog.metric("all_right")]
    assert _names(displayed(_contents("order", "same"), metrics)) == ["all_right"]
    assert displayed(_contents("order", "same"), []) == ()


def test_contents_are_those_of_groups_with_variants() -> None:
    pair = (Member({"yes": 1.0}, Said()),) * 2
    groups, _, _ = tables([Made(pair, "same", test="order"), Made(pair[:1], "gold", test="plain")])
    yes_no = frozenset(["yes-no"])
    both = Contents(frozenset(["order", "plain"]), frozenset(["same"]), yes_no)
    assert contents_by_suite(groups) == {("carets",): both}
    assert contents_by_suite(groups, "test") == {
        ("carets", "order"): replace(_contents("order", "same"), gold=yes_no),
        ("carets", "plain"): replace(_contents("plain", ""), gold=yes_no),
    }
    assert contents_by_suite(pa.concat_tables([groups, groups])) == contents_by_suite(groups)


def test_contents_tell_yes_and_no_from_other_gold() -> None:
    golds: list[dict[str, float] | None] = [{"yes": 1.0}, {"no": 1.0}, None, {"red": 1.0}]
    groups, _, _ = tables([Made((Member(gold, None),), suite=suite) for gold in golds for suite in ("a", "b")])
    few = groups.filter(pc.not_equal(groups["suite"], "b"))
    assert contents_by_suite(groups)["b",].gold == {"yes-no", "open"}
    assert contents_by_suite(few.slice(0, 3))["a",].gold == {"yes-no"}
    assert contents_by_suite(few.slice(2, 1))["a",].gold == frozenset()
    assert contents_by_suite(groups.drop_columns(["gold"]))["a",].gold == frozenset()


def test_every_metric_has_a_title_of_its_own_and_a_sentence() -> None:
    metrics = catalog.metrics()
    assert len({metric.title for metric in metrics}) == len(metrics)
    for metric in metrics:
        assert metric.description.endswith("."), metric.name
        assert metric.range[0] < metric.range[1]
        assert not metric.chance or catalog.metric(metric.chance)


def test_a_score_names_the_version_of_its_metric() -> None:
    metric = Ratio("agreement", Pairs, lambda pairs: pairs.related, version=3)
    groups, answers, _ = tables([Made((Member({"yes": 1.0}, Said()),) * 2)])
    assert score_table(groups, answers, metrics=[metric])["version"].to_pylist() == [3]


def test_a_metric_says_which_values_are_better() -> None:
    fields: list[dict[str, Any]] = [{}, {"lower_is_better": True}, {"directed": False}]
    metrics = [Ratio("share", Pairs, lambda pairs: pairs.related, **own) for own in fields]
    assert [metric.better for metric in metrics] == ["higher", "lower", "neither"]
