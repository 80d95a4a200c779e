"""The Brier score of whole distributions, held against a loop."""

from math import isclose
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.ids import content_id
from counterpoint.metrics.calibration import NO_PROBABILITIES, PROBABILITIES_EXCEED_ONE, brier, whole_brier
from counterpoint.metrics.metric import Metric
from counterpoint.metrics.scoring import score_table
from counterpoint.store.tables import ANSWERS, GROUPS

WORDS = ("red", "blue", "Red!")
Told = tuple[str, tuple[float, ...]]
"""The right answer, and the probabilities of red and of other words."""


@st.composite
def told(draw: st.DrawFn) -> Told:
    parts = draw(st.lists(st.integers(0, 8), min_size=3, max_size=3).filter(any))
    return draw(st.sampled_from(["red", "blue", "green"])), tuple(part / sum(parts) for part in parts)


def _tables(found: list[Told], rules: str = "", words: tuple[str, ...] = WORDS) -> tuple[pa.Table, pa.Table]:
    groups, answers = list[dict[str, object]](), list[dict[str, object]]()
    for number, (right, chances) in enumerate(found):
        texts = dict.fromkeys(("edits", "feature_edits", "context", "text", "proof", "suite", "test", "kind"), "")
        own = {"relation": "gold", "mode": "answer", "picture": f"world:{number % 3}.png", "role": 0}
        ids = {"group_id": number, "query": content_id([number]), "gold": [{"answer": right, "credit": 1.0}]}
        groups.append({**texts, **own, **ids, "tags": [], "choices": [], "objects": []})
        top = [{"value": word, "probability": chance} for word, chance in zip(words, chances, strict=False)]
        blank = dict.fromkeys(("model", "rule", "reason", "digest"), "")
        said = {"raw": "red", "value": "red", "state": "ok", "score": None, "top": top}
        answers.append({**blank, **said, "query": content_id([number]), "trial": 0, "seconds": 0.0})
    table = pa.Table.from_pylist(groups, GROUPS)
    table = table.append_column("rules", pa.array([rules] * len(found), pa.string())) if rules else table
    return table, pa.Table.from_pylist(answers, ANSWERS)


def _score(
    found: list[Told], rules: str = "", measure: Metric = whole_brier, words: tuple[str, ...] = WORDS
) -> dict[str, Any]:
    (row,) = score_table(*_tables(found, rules, words), (), metrics=(measure,), resamples=20).to_pylist()
    return dict(row)


@given(st.lists(told(), min_size=1, max_size=9))
def test_it_is_half_of_the_squared_gaps_to_the_right_answer(found: list[Told]) -> None:
    score = _score(found)
    gaps = []
    for right, chances in found:
        listed = dict(zip(WORDS, chances, strict=True))
        gaps.append(sum((listed.get(word, 0.0) - (word == right)) ** 2 for word in {*WORDS, right}) / 2)
    assert isclose(score["value"], sum(gaps) / len(gaps), abs_tol=1e-6)
    assert score["low"] <= score["value"] <= score["high"]
    assert score["n"] == len(found)


@given(told(), st.integers(1, 2))
def test_a_list_that_is_cut_short_is_off_by_no_more_than_the_last_on_it_nor_what_is_left_over(
    one: Told, many: int
) -> None:
    right, chances = one
    order = sorted(range(3), key=lambda place: -chances[place])
    words = tuple(WORDS[place] for place in order)
    whole, cut = (
        _score([(right, tuple(chances[place] for place in some))], words=words)["value"]
        for some in (order, order[:many])
    )
    assert abs(whole - cut) <= min(chances[order[many - 1]], sum(chances[place] for place in order[many:])) + 1e-6


def test_of_two_answers_it_is_the_brier_score_of_the_one_that_was_said() -> None:
    found: list[Told] = [("red", (0.8, 0.2)), ("blue", (0.7, 0.3))]
    assert _score(found)["value"] == pytest.approx((0.04 + 0.49) / 2)
    assert _score(found, measure=brier)["value"] == pytest.approx((0.04 + 0.49) / 2)


def test_words_are_compared_by_the_rules_of_the_suite() -> None:
    assert isclose(_score([("red", (0.5, 0.0, 0.5))])["value"], 0.25)
    assert isclose(_score([("red", (0.5, 0.0, 0.5))], "vqa")["value"], 0.0, abs_tol=1e-9)


def test_probabilities_that_are_no_distribution_have_no_score_and_a_reason() -> None:
    score = _score([("red", (0.9, 0.9))])
    assert (score["value"], score["n"], score["reason"]) == (None, 0, PROBABILITIES_EXCEED_ONE)
    assert _score([("red", ())])["reason"] == NO_PROBABILITIES
    assert _score([("red", (0.9, 0.9)), ("red", (1.0,))])["n"] == 1


def test_variants_and_bases_without_a_right_answer_do_not_count() -> None:
    groups, answers = _tables([("red", (1.0,)), ("red", (1.0,)), ("red", (1.0,))])
    rows = groups.to_pylist()
    rows[1] |= {"gold": None}
    rows[2] |= {"role": 1, "group_id": 1}
    (row,) = score_table(pa.Table.from_pylist(rows, GROUPS), answers, (), metrics=(whole_brier,)).to_pylist()
    assert row["n"] == 1
