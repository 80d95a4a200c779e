"""What every result can do, on results that are small enough to write down."""

import json
from dataclasses import dataclass
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from counterpoint.lab.label_errors import LabelSuspects
from counterpoint.lab.results import LabResult, to_plain
from counterpoint.metrics.intervals import NO_SCORE


@dataclass(frozen=True, slots=True, repr=False)
class _Rows(LabResult[dict[str, Any]], rows="rows"):
    rows: tuple[dict[str, Any], ...]


class _Own:
    def to_dict(self) -> dict[str, Any]:
        return {"value": nan}


def test_a_column_that_only_later_rows_have_is_kept() -> None:
    frame = _Rows(({"rule": "a"}, {"rule": "b", "finding": "fails on cats"})).to_arrow()
    assert frame.to_pydict() == {"rule": ["a", "b"], "finding": [None, "fails on cats"]}


def test_a_result_without_rows_is_an_empty_table() -> None:
    assert _Rows(()).to_arrow().shape == (0, 0)


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_numbers_that_json_does_not_have_are_null(value: float) -> None:
    plain = to_plain({"here": value, "deep": [({"there": value},)], "own": _Own(), "path": Path("a/b"), "half": 0.5})
    assert plain == {"here": None, "deep": [[{"there": None}]], "own": {"value": None}, "path": "a/b", "half": 0.5}


def test_a_score_over_nothing_is_null_in_json() -> None:
    precision = LabelSuspects((), ("fusion",), NO_SCORE).to_dict()["precision"]
    assert json.loads(json.dumps(precision, allow_nan=False)) == {"value": None, "low": None, "high": None, "n": 0}
