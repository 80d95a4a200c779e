"""The Brier score of whole distributions, held against a loop."""

from math import isclose, isnan

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.ids import content_id
from counterpoint.metrics.brier import whole_brier
from counterpoint.store.tables import ANSWERS, GROUPS

WORDS = ("red", "blue", "Red!")
Told = tuple[str, tuple[float, ...]]
"""The right answer, and the probabilities of red and of other words."""


@st.composite
def told(draw: st.DrawFn) -> Told:
    parts = draw(st.lists(st.integers(0, 8), min_size=3, max_size=3).filter(any))
    return draw(st.sampled_from(["red", "blue", "green"])), tuple(part / sum(parts) for part in parts)


def _tables(found: list[Told], rules: str = "") -> tuple[pa.Table, pa.Table]:
    groups, answers = list[dict[str, object]](), list[dict[str, object]]()
    for number, (right, chances) in enumerate(found):
        texts = dict.fromkeys(("edits", "feature_edits", "context", "text", "proof", "suite", "test", "kind"), "")
        own = {"relation": "gold", "mode": "answer", "picture": f"world:{number % 3}.png", "role": 0}
        ids = {"group_id": number, "query": content_id([number]), "gold": [{"answer": right, "credit": 1.0}]}
        groups.append({**texts, **own, **ids, "tags": [], "choices": [], "objects": []})
        top = [{"value": word, "probability": chance} for word, chance in zip(WORDS, chances, strict=False)]
        blank = dict.fromkeys(("model", "rule", "reason", "digest"), "")
        said = {"raw": "red", "value": "red", "state": "ok", "score": None, "top": top}
        answers.append({**blank, **said, "query": content_id([number]), "trial": 0, "seconds": 0.0})
    table = pa.Table.from_pylist(groups, GROUPS)
    table = table.append_column("rules", pa.array([rules] * len(found), pa.string())) if rules else table
    return table, pa.Table.from_pylist(answers, ANSWERS)


@given(st.lists(told(), min_size=1, max_size=9))
def test_it_is_half_of_the_squared_gaps_to_the_right_answer(found: list[Told]) -> None:
    score = whole_brier(*_tables(found))
    gaps = []
    for right, chances in found:
        listed = dict(zip(WORDS, chances, strict=True))
        gaps.append(sum((listed.get(word, 0.0) - (word == right)) ** 2 for word in {*WORDS, right}) / 2)
    assert isclose(score.value, sum(gaps) / len(gaps), abs_tol=1e-6)
    assert score.n == len(found)


def test_words_are_compared_by_the_rules_of_the_suite() -> None:
    assert isclose(whole_brier(*_tables([("red", (0.5, 0.0, 0.5))])).value, 0.25)
    assert isclose(whole_brier(*_tables([("red", (0.5, 0.0, 0.5))], "vqa")).value, 0.0, abs_tol=1e-9)


def test_answers_that_tell_a_part_of_their_distribution_are_left_out() -> None:
    assert whole_brier(*_tables([("red", (1.0, 0.0, 0.0)), ("red", (0.5, 0.2))])).n == 1
    assert isnan(whole_brier(*_tables([("red", (0.5, 0.2))])).value)
    assert isnan(whole_brier(*_tables([])).value)
