"""Records decoded in batches are what they are when each is decoded by itself, whatever else a file holds."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import vqa_files
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from counterpoint.core.errors import SourceError
from counterpoint.sources.formats import gqa
from counterpoint.sources.formats.vqa import vqa2
from counterpoint.sources.reading.json_files import decoded_elements, decoded_members
from counterpoint.sources.reading.json_stream import Batch, JsonText
from counterpoint.sources.reading.records import Skips

ODD = st.sampled_from(
    [None, "", " ", 7, 1.5, True, [], {}, ["a", 1], {"semantic": 1}, "\ud800", "ü", [{"operation": 1}]]
)
GQA = ("imageId", "question", "answer", "types", "semantic", "groups", "isBalanced", "entailed", "annotations")
VQA = ("question_id", "answers", "question_type", "answer_type", "image_id", "multiple_choice_answer")
ASKED = ("question_id", "question", "image_id", "rephrasing_of", "coco_split")
NO_BATCH = {"unread": float("nan")}
"""A field that is valid for Python's decoder and not for msgspec's, so that its batch is decoded record by record."""


def _gqa(number: int) -> dict[str, Any]:
    steps = [("select", "cup (1)", []), ("query", "name", [0])]
    return {
        "semantic": [dict(zip(("operation", "argument", "dependencies"), step, strict=True)) for step in steps],
        "entailed": [f"{number}1"],
        "equivalent": [f"{number}"],
        "question": "What is it?",
        "imageId": f"{number // 3}",
        "isBalanced": True,
        "groups": {"global": None, "local": "06-cup_name"},
        "answer": "cup",
        "annotations": {"answer": {}, "question": {"2": "17"}, "fullAnswer": {}},
        "types": {"detailed": "existThat", "semantic": "obj", "structural": "query"},
        "fullAnswer": "It is a cup.",
    }


def _changed(records: list[dict[str, Any]], fields: tuple[str, ...], data: st.DataObject) -> list[dict[str, Any]]:
    for number in data.draw(st.lists(st.integers(0, len(records) - 1), max_size=3)):
        records[number] |= {data.draw(st.sampled_from(fields)): data.draw(ODD)}
    return records


@given(data=st.data())
def test_gqa_reads_the_same_in_batches_and_one_by_one(data: st.DataObject, tmp_path_factory: Any) -> None:
    records = _changed([_gqa(number) for number in range(9)], GQA, data)
    keys = [data.draw(st.sampled_from([f"{number:08}", "00000001", ""]), label="key") for number in range(9)]
    path, results = tmp_path_factory.mktemp("gqa") / "some.json", []
    for extra in ({}, NO_BATCH):
        lines = (f"{json.dumps(key)}: {json.dumps(one | extra)}" for key, one in zip(keys, records, strict=True))
        path.write_text(f"{{{', '.join(lines)}}}")
        skips = Skips()
        results.append((list(gqa.questions(path, skips)), skips.lines()))
    assert results[0] == results[1]


@given(data=st.data())
def test_vqa_reads_the_same_in_batches_and_one_by_one(data: st.DataObject, tmp_path_factory: Any) -> None:
    ids = [data.draw(st.sampled_from([number, 1, str(number)]), label="id") for number in range(9)]
    annotations = _changed([vqa_files.answered(question_id=number) for number in ids], VQA, data)
    questions = _changed([vqa_files.asked(question_id=number) for number in range(9)], ASKED, data)
    folder, results = tmp_path_factory.mktemp("vqa"), []
    for extra in ({}, NO_BATCH):
        for name, part, rows in (
            ("v2_OpenEnded_mscoco_val2014_questions.json", "questions", questions),
            ("v2_mscoco_val2014_annotations.json", "annotations", annotations),
        ):
            vqa_files.put(folder / name, part, [row | extra for row in rows])
        values, skips = vqa_files.read(vqa2, folder, "val")
        results.append((values, skips.lines()))
    assert results[0] == results[1]


def _batches(text: str, sign: str) -> list[Any]:
    def decode(piece: str) -> list[Any] | None:
        try:
            content = json.loads(piece)
        except ValueError:
            return None
        return list(content.items()) if sign == "{" else list(content)

    read = JsonText(BytesIO(text.encode())).batches_within(sign, decode)
    return [one for item in read for one in (item if isinstance(item, Batch) else [item])]


RECORDS: st.SearchStrategy[list[Any]] = st.lists(
    st.fixed_dictionaries({"first": st.text(max_size=3)}, optional={"more": st.just({"first": [{}]})})
)


@given(RECORDS, st.sampled_from([None, 1]))
def test_a_beginning_that_comes_again_within_a_record_does_no_harm(records: list[Any], indent: int | None) -> None:
    assert _batches(json.dumps(records, indent=indent), "[") == records
    keyed = {f"k{number}": record for number, record in enumerate(records)}
    assert _batches(json.dumps(keyed, indent=indent), "{") == list(keyed.items())


def test_nearly_all_records_are_decoded_in_batches() -> None:
    text = json.dumps([{"first": number} for number in range(1000)])
    read = JsonText(BytesIO(text.encode())).batches_within("[", json.loads)
    assert [len(item) if isinstance(item, Batch) else 1 for item in read] == [1, 998, 1]


def test_a_key_that_comes_twice_is_read_twice() -> None:
    text = '{"a": {"first": 1}, "b": {"first": 2}, "b": {"first": 3}, "c": {"first": 4}}'
    assert _batches(text, "{") == [(key, {"first": n}) for key, n in zip("abbc", (1, 2, 3, 4), strict=True)]


def test_what_is_nested_too_deeply_is_an_error(tmp_path: Path) -> None:
    lines = [json.dumps(_gqa(number)) for number in range(9)]
    lines[6] = f'{{"semantic": [], "odd": {"[" * 100_000}{"]" * 100_000}}}'
    path = tmp_path / "some.json"
    path.write_text("{" + ",".join(f'"{number}": {line}' for number, line in enumerate(lines)) + "}")
    with pytest.raises(SourceError, match="nested too deeply"):
        list(gqa.questions(path, Skips()))


class _Part(Struct):
    size: int


class _Row(Struct):
    name: str | int
    parts: list[_Part] = []
    flags: dict[str, bool] = {}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (7, "a.json, row 0 is 7, not an object"),
        ({}, "a.json, row 0 has no name"),
        ({"name": 1.5}, "a.json, row 0: name is 1.5, not a text"),
        ({"name": "x", "parts": {}}, "a.json, row 0: parts is {}, not a list"),
        ({"name": "x", "parts": [{"size": 1}, {}]}, "a.json, row 0, parts[1] has no size"),
        ({"name": "x", "parts": [{"size": "1"}]}, "a.json, row 0: parts[0].size is '1', not a number"),
        ({"name": "x", "flags": {"a": 1}}, "a.json, row 0: a value of flags is not true or false"),
    ],
)
def test_a_record_that_does_not_fit_is_skipped_with_what_was_expected(
    tmp_path: Path, record: Any, message: str
) -> None:
    path, skips = tmp_path / "a.json", Skips()
    path.write_text(json.dumps([record, {"name": "y"}]))
    assert list(decoded_elements(path, _Row, "row", skips)) == [(1, _Row("y"))]
    assert skips.places == {"does not match the layout": [message]}


def test_lines_lists_and_named_lists_are_decoded_alike(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    rows: list[dict[str, Any]] = [{"name": "x"}, {"name": "y"}, {"name": 3}]
    expected = [(number, _Row(row["name"])) for number, row in enumerate(rows)]
    for text in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        path.write_text(text)
        assert list(decoded_elements(path, _Row, "row", Skips())) == expected
    path.write_text(json.dumps({"info": 1, "rows": rows}))
    assert list(decoded_elements(path, _Row, "row", Skips(), "rows")) == expected
    path.write_text(json.dumps({str(number): row for number, row in enumerate(rows)}))
    assert list(decoded_members(path, _Row, "row", Skips())) == [(str(number), row) for number, row in expected]
