"""Two pictures × two texts: each metric is that of a loop in the words of its paper."""

from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.metrics.crossed import group_score, image_score, picture_accuracy, question_accuracy, text_score
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.ranking import acc_r
from counterpoint.metrics.scoring import ScoreRequest, score_outcomes
from counterpoint.store.groups import groups_table
from counterpoint.store.tables import ANSWERS

CELLS = tuple(product((0, 1), (0, 1)))  # picture, text
BY_TEXT = ((0, 0), (1, 0), (0, 1), (1, 1))
ORDERS = st.sampled_from([CELLS, BY_TEXT])


def _group(number: int, mode: Mode, relation: Relation, cells: tuple[tuple[int, int], ...] = CELLS) -> Group:
    queries = tuple(Query(Picture(f"mine:{number}-{picture}.jpg"), f"{number}-{text}", mode) for picture, text in cells)
    gold = tuple(Gold.of("yes" if picture == text else "no") for picture, text in cells)
    return Group(relation, queries, gold)


def _values(groups: list[Group], said: list[list[float | str | None]], *metrics: object) -> dict[str, object]:
    table = groups_table((("test", group) for group in groups), "mine")
    rows: list[dict[str, Any]] = [
        dict.fromkeys(ANSWERS.names, "")
        | {"query": query.id, "trial": 0, "top": [], "seconds": 0.0, "tokens_in": None, "tokens_out": None}
        | ({"score": None, "state": "refused"} if cell is None else {"score": None, "state": "ok"})
        | ({"value": cell, "raw": cell} if isinstance(cell, str) else {"score": cell})
        for group, cells in zip(groups, said, strict=True)
        for query, cell in zip(group.queries, cells, strict=True)
    ]
    answers = pa.table({field.name: pa.array([row.get(field.name) for row in rows], field.type) for field in ANSWERS})
    outcomes = judge(table, answers)
    scores = score_outcomes(outcomes, ScoreRequest(metrics=tuple(metrics)))  # type: ignore[arg-type]
    return {row["metric"]: row["value"] for row in scores.to_pylist()}


SCORES = st.sampled_from([0.1, 0.4, 0.4, 0.8, None])


@examples(60)
@given(st.lists(st.lists(SCORES, min_size=4, max_size=4), min_size=1, max_size=6), ORDERS)
def test_text_image_and_group_score_are_those_of_winoground(
    said: list[list[float | None]], order: tuple[tuple[int, int], ...]
) -> None:
    groups = [_group(number, Mode.SCORE, Relation.RANKS, order) for number in range(len(said))]
    shown = [[cells[CELLS.index(cell)] for cell in order] for cells in said]
    found = _values(groups, [[*cells] for cells in shown], text_score, image_score, group_score, acc_r)
    hits: dict[str, list[bool]] = {"text_score": [], "image_score": [], "group_score": []}
    above = list[bool]()
    for cells in said:
        i0c0, i0c1, i1c0, i1c1 = (float("nan") if cell is None else cell for cell in cells)
        hits["text_score"].append(i0c0 > i0c1 and i1c1 > i1c0)
        hits["image_score"].append(i0c0 > i1c0 and i1c1 > i0c1)
        hits["group_score"].append(hits["text_score"][-1] and hits["image_score"][-1])
        above += [i0c0 > i0c1, i0c0 > i1c0]
    for name, listed in hits.items():
        assert found[name] == pytest.approx(sum(listed) / len(listed)), name
    assert found["acc_r"] == pytest.approx(sum(above) / len(above)), "the other caption is no foil"


@examples(60)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=6), ORDERS)
def test_accuracy_per_question_and_per_picture_is_that_of_naturalbench(
    right: list[list[bool]], order: tuple[tuple[int, int], ...]
) -> None:
    groups = [_group(number, Mode.ANSWER, Relation.GOLD, order) for number in range(len(right))]
    shown = [[cells[CELLS.index(cell)] for cell in order] for cells in right]
    wrong = {"yes": "no", "no": "yes"}
    said: list[list[float | str | None]] = [
        [gold.best if hit else wrong[gold.best] for gold, hit in zip(group.gold, cells, strict=True) if gold]
        for group, cells in zip(groups, shown, strict=True)
    ]
    found = _values(groups, said, question_accuracy, picture_accuracy)
    questions = [cells[text] and cells[2 + text] for cells in right for text in (0, 1)]
    pictures = [cells[2 * picture] and cells[2 * picture + 1] for cells in right for picture in (0, 1)]
    assert found["question_accuracy"] == pytest.approx(sum(questions) / len(questions))
    assert found["picture_accuracy"] == pytest.approx(sum(pictures) / len(pictures))


def test_groups_in_another_order_or_of_another_size_do_not_count() -> None:
    mixed = ((0, 0), (1, 0), (1, 1), (0, 1))
    groups = [_group(0, Mode.ANSWER, Relation.GOLD, mixed), _group(1, Mode.ANSWER, Relation.GOLD, CELLS[:3])]
    found = _values(groups, [["yes"] * 4, ["yes"] * 3], question_accuracy)
    assert found["question_accuracy"] is None
