"""The solver reads the scene and nothing else."""

from collections.abc import Sequence
from typing import TypeAlias

import pytest
from samples import a_park
from solver import solve

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Step

Row: TypeAlias = tuple[str, str] | tuple[str, str, tuple[int, ...]]


def _program(*rows: Row) -> tuple[Step, ...]:
    return tuple(
        Step(row[0], row[1], row[2] if len(row) == 3 else ((place - 1,) if place else ()))
        for place, row in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("rows", "answer"),
    [
        ([("select", "umbrella (7)"), ("query", "color")], "yellow"),
        ([("select", "dog (8)"), ("filter color", "white"), ("query", "name")], "dog"),
        ([("select", "dog (8)"), ("filter color", "not(white)"), ("query", "pose")], "sitting"),
        ([("select", "dog (8)"), ("filter hposition", "right"), ("verify pose", "running")], "yes"),
        ([("select", "animal (8,9)"), ("count", "")], "2"),
        ([("select", "horse (-)"), ("exist", "?")], "no"),
        ([("select", "bench (10)"), ("relate", "book,on,s (11)"), ("query", "color")], "red"),
        ([("select", "man (1)"), ("relate", "_,riding,o (2)"), ("query", "name")], "bicycle"),
        ([("select", "man (1)"), ("query", "activity")], "riding"),
        ([("select", "woman (5)"), ("query", "activity")], "standing"),
        ([("select", "woman (5)"), ("verify rel", "umbrella,holding,o (7)")], "yes"),
        ([("select", "woman (5)"), ("verify rel", "hat, wearing, o (-)")], "no"),
        ([("select", "bench (10)"), ("choose rel", "man,to the left of|to the right of,s (1)")], "left"),
        ([("select", "bench (10)"), ("query", "material")], "wood"),
        ([("select", "umbrella (7)"), ("choose state", "closed|open")], "open"),
        (
            [("select", "man (1)"), ("relate", "clothing,wearing,o"), ("filter worn", "legs"), ("query", "name")],
            "pants",
        ),
        ([("select", "scene"), ("query", "place")], "park"),
        ([("select", "scene"), ("verify weather", "rainy")], "no"),
        ([("select", "scene"), ("choose location", "indoors|outdoors")], "outdoors"),
        ([("select", "book (11)"), ("select", "bicycle (2)", ()), ("same color", "", (0, 1))], "yes"),
        ([("select", "book (11)"), ("select", "bench (10)", ()), ("different color", "", (0, 1))], "yes"),
        ([("select", "book (11)"), ("select", "bicycle (2)", ()), ("common", "", (0, 1))], "color"),
        ([("select", "book (11)"), ("select", "bench (10)", ()), ("choose larger", "", (0, 1))], "bench"),
    ],
)
def test_a_program_has_its_answer(rows: Sequence[Row], answer: str) -> None:
    assert solve(_program(*rows), a_park()) == answer


def test_and_needs_both_and_or_needs_one() -> None:
    there: list[Row] = [("select", "man (1)"), ("exist", "?"), ("select", "cat (-)", ()), ("exist", "?", (2,))]
    assert solve(_program(*there, ("and", "", (1, 3))), a_park()) == "no"
    assert solve(_program(*there, ("or", "", (1, 3))), a_park()) == "yes"


def test_ids_in_arguments_are_not_looked_at() -> None:
    assert solve(_program(("select", "umbrella (8)"), ("query", "color")), a_park()) == "yellow"
    assert solve(_program(("select", "umbrella"), ("query", "color")), a_park()) == "yellow"


@pytest.mark.parametrize(
    "rows",
    [
        [("select", "dog (8)"), ("query", "color")],
        [("select", "cat (-)"), ("query", "color")],
        [("select", "dog (8)")],
        [("select", "man (1)"), ("juggle", "balls")],
        [("select", "umbrella (7)"), ("choose color", "red|blue")],
    ],
)
def test_what_has_no_single_answer_is_refused(rows: Sequence[Row]) -> None:
    with pytest.raises(SourceError):
        solve(_program(*rows), a_park())
