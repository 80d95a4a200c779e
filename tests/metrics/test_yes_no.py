"""Metrics of yes/no questions: a hand-worked case, a loop over answers, and where they are shown."""

import pytest
from answer_tables import Made, Member, Said, made, tables
from hypothesis import given

from counterpoint.metrics.metric import contents_by_suite
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes, score_table
from counterpoint.metrics.yes_no import YES_NO_METRICS


def _asked(gold: str, said: Said, times: int) -> list[Made]:
    return [Made((Member({gold: 1.0}, said),), "gold", picture=f"world:{n}.png") for n in range(times)]


def test_the_metrics_are_those_of_a_table_of_four_counts() -> None:
    """TP 30, FP 20, FN 10 (two of them unread), TN 40: precision .6, recall .75, F1 2/3, half of the answers yes."""
    yes, no, unread = Said(value="yes"), Said(value="no"), Said("unparsed", "", "Well")
    groups = _asked("yes", yes, 30) + _asked("no", yes, 20) + _asked("yes", no, 8) + _asked("no", no, 40)
    groups += _asked("yes", unread, 1) + _asked("yes", Said("refused"), 1) + _asked("yes", Said("failed"), 5)
    groups += [Made((Member({"red": 1.0}, yes),)), Made((Member(None, yes),))]
    table, answers, _ = tables(groups)
    rows = {row["metric"]: row for row in score_table(table, answers, (), metrics=YES_NO_METRICS).to_pylist()}
    assert {name: row["value"] for name, row in rows.items()} == pytest.approx(
        {
            "yes_precision": 0.6,
            "yes_recall": 0.75,
            "yes_f1": 2 / 3,
            "yes_ratio": 0.5,
            "no_recall": 2 / 3,
            "yes_excess": 0.1,
            "recall_gap": 0.75 - 2 / 3,
        }
    )
    assert [rows[name]["n"] for name in ("yes_precision", "yes_recall", "yes_f1", "no_recall")] == [50, 40, 100, 60]
    assert all(row["low"] < row["value"] < row["high"] for row in rows.values())


def test_yes_and_no_in_capitals_are_yes_and_no_where_they_are_choices() -> None:
    groups = [
        row for word in ("yes", "no") for said in ("yes", "no", "no") for row in _asked(word, Said(value=said), 7)
    ]
    offered = [
        row for word in ("Yes", "No") for said in ("Yes", "No", "NO.") for row in _asked(word, Said(value=said), 7)
    ]
    expected, found = (
        [row["value"] for row in score_table(*tables(rows)[:2], (), metrics=YES_NO_METRICS).to_pylist()]
        for rows in (groups, offered)
    )
    assert found == expected
    assert None not in found


@given(made())
def test_the_metrics_are_those_of_a_loop(groups: list[Made]) -> None:
    table, answers, _ = tables(groups)
    values = {
        row["metric"]: row["value"]
        for row in score_outcomes(judge(table, answers), ScoreRequest((), metrics=YES_NO_METRICS)).to_pylist()
        if row["suite"] == "carets"
    }
    cases = [
        (gold, member.said.value if member.said.state == "ok" else "")
        for group in groups
        if group.suite == "carets" and group.mode == "answer"
        for member in group.members
        if member.said and member.said.state != "failed" and member.gold
        for gold in [next(iter(member.gold))]
        if gold in ("yes", "no")
    ]
    hits = sum(gold == value == "yes" for gold, value in cases)
    said, wanted = sum(value == "yes" for _, value in cases), sum(gold == "yes" for gold, _ in cases)
    assert values.get("yes_precision") == (pytest.approx(hits / said) if said else None)
    assert values.get("yes_recall") == (pytest.approx(hits / wanted) if wanted else None)
    assert values.get("yes_f1") == (pytest.approx(2 * hits / (said + wanted)) if said + wanted else None)
    assert values.get("yes_ratio") == (pytest.approx(said / len(cases)) if cases else None)
    assert values.get("yes_excess") == (pytest.approx((said - wanted) / len(cases)) if cases else None)


def test_plain_yes_no_questions_show_them_and_pairs_do_not() -> None:
    plain = _asked("yes", Said(value="yes"), 3) + _asked("no", Said(value="no"), 3)
    paired = Made((Member({"yes": 1.0}, Said(value="yes")),) * 2, suite="pairs")
    table, _, _ = tables([*plain, paired])
    request = ScoreRequest(candidates=YES_NO_METRICS)
    by_suite = request.metrics_by_suite(contents_by_suite(table, "test"))
    shown = {suite: [metric.name for metric in own] for suite, own in by_suite.items()}
    assert shown == {"carets": ["yes_f1", "yes_precision", "yes_recall", "yes_ratio"], "pairs": []}


def test_scores_can_be_cut_by_gold() -> None:
    table, answers, _ = tables(_asked("yes", Said(value="yes"), 3) + _asked("no", Said(value="yes"), 2))
    rows = score_table(table, answers, ("gold",)).to_pylist()
    accuracy = {row["gold"]: (row["value"], row["n"]) for row in rows if row["metric"] == "answer_accuracy"}
    assert accuracy == {"yes": (1.0, 3), "no": (0.0, 2)}
