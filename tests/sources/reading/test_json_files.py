"""Records out of large files, one at a time, and what is said of a file that is not what it should be."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.errors import SourceError
from counterpoint.sources.reading.json_files import KeyedJoin, elements, first_sign, members, object_keys, parts, whole
from counterpoint.sources.reading.json_stream import CHUNK, JsonText
from counterpoint.sources.reading.records import Record, short_repr

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)
ANYTHING = examples(100, suppress=[HealthCheck.function_scoped_fixture])


def _file(folder: Path, content: str | bytes) -> Path:
    path = folder / "some.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def _all(reader: Callable[..., Iterator[Any]], *arguments: Any) -> list[Any]:
    return list(reader(*arguments))


@ANYTHING
@given(st.lists(JSON), st.sampled_from([None, 1, 7]), st.booleans(), st.integers(1, 9))
def test_a_list_gives_what_json_gives_however_little_is_read_at_a_time(
    tmp_path: Path, content: list[Any], indent: int | None, ascii_only: bool, chunk: int
) -> None:
    text = json.dumps(content, indent=indent, ensure_ascii=ascii_only).encode()
    assert list(JsonText(BytesIO(text), chunk).values_within()) == content
    assert JsonText(BytesIO(text), chunk).value() == content
    path = _file(tmp_path, text)
    assert _all(elements, path) == whole(path) == content


@ANYTHING
@given(st.dictionaries(st.text(st.characters(codec="utf-8")), JSON), st.integers(1, 9))
def test_an_object_gives_its_members_in_their_order(tmp_path: Path, content: dict[str, Any], chunk: int) -> None:
    text = json.dumps(content).encode()
    assert list(JsonText(BytesIO(text), chunk).members_within()) == list(content.items())
    assert _all(members, _file(tmp_path, text)) == list(content.items())


@ANYTHING
@given(st.lists(JSON, max_size=3), st.data())
def test_a_file_that_is_cut_anywhere_is_an_error_with_its_name(
    tmp_path: Path, content: list[Any], data: st.DataObject
) -> None:
    text = json.dumps({"info": 1, "rows": content}).encode()
    path = _file(tmp_path, text[: data.draw(st.integers(0, len(text) - 1))])
    with pytest.raises(SourceError, match=r"some\.json"):
        _all(elements, path, "rows")


def test_a_cut_file_says_how_far_it_was_whole(tmp_path: Path) -> None:
    path = _file(tmp_path, '{"a": {"x": 1}, "b": {"x": 2}, "c": {"x"')
    with pytest.raises(SourceError, match="ends in the middle of a record after record b") as raised:
        _all(members, path)
    assert "again" in raised.value.hint


def test_a_broken_record_is_found_without_reading_the_rest(tmp_path: Path) -> None:
    path = _file(tmp_path, '[{"a": 1}, {"a": ?}, ' + ", ".join(['{"a": 1}'] * 1000) + "]")
    with pytest.raises(SourceError, match=r"some\.json is no JSON after record 0: expecting value"):
        _all(elements, path)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": 1},\n{"a": 2},\n', "after record 0: ',' where a value should be"),
        ('[{"a": 1},\n{"a": 2},\n]', "after record 1: ']' where a value should be"),
    ],
)
def test_a_comma_too_many_is_told_as_one(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(SourceError, match=said) as raised:
        _all(elements, _file(tmp_path, content))
    assert "a comma at the end" in raised.value.hint


def test_lists_and_objects_are_found_by_name_within_others(tmp_path: Path) -> None:
    content = {"info": {"rows": [0]}, "data": {"rows": [1, 2], "by": {"k": 3}}, "rows": [4]}
    path = _file(tmp_path, json.dumps(content))
    assert _all(elements, path, "data.rows") == [1, 2]
    assert _all(elements, path, "rows") == [4]
    assert _all(members, path, "data.by") == [("k", 3)]
    assert _all(parts, path, "rows", "data.rows") == [("data.rows", 1), ("data.rows", 2), ("rows", 4)]
    assert [key for key, _ in object_keys(path)] == ["info", "data", "rows"]


def test_lines_of_json_are_as_good_as_a_list_whatever_the_file_is_called(tmp_path: Path) -> None:
    assert _all(elements, _file(tmp_path, '{"a": 1}\n\n{"a": 2}\r\n')) == [{"a": 1}, {"a": 2}]


def test_lines_of_json_where_one_object_should_be_are_refused_with_a_remedy(tmp_path: Path) -> None:
    path = _file(tmp_path, '{"a": 1}\n{"a": 2}\n')
    with pytest.raises(SourceError, match="goes on after its end") as raised:
        _all(members, path)
    assert "a record a line" in raised.value.hint


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty, not a list"),
        (b" \n", "is empty, not a list"),
        (b"7", "begins with '7', not a list"),
        (b"PK\x03\x04zip", "is a zip archive"),
        (b"\x1f\x8b\x08", "is compressed"),
        (b"\xff\xfe[\x00", "is text in UTF-16"),
        (b"\n<!DOCTYPE html>", "is a web page"),
        (b"version https://git-lfs.github.com/spec/v1", "pointer of git-lfs"),
        (b'["\xff"]', "is no text in UTF-8"),
        (b"[1] 2", "goes on after its end"),
        (b"[1 2]", "is no JSON after record 0"),
        (b"[1,]", "is no JSON after record 0"),
        (b"[1, tr", "ends in the middle of a record after record 0"),
        (b"[1, true, fals?]", "is no JSON after record 1"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "too many digits"),
    ],
)
def test_what_is_no_list_is_said_in_a_sentence_with_help(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(SourceError, match=said) as raised:
        _all(elements, _file(tmp_path, content))
    assert raised.value.hint


def test_a_missing_file_and_a_folder_are_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no file"):
        _all(elements, tmp_path / "none.json")
    with pytest.raises(SourceError, match="cannot be read"):
        _all(elements, tmp_path)


def test_a_missing_or_misshapen_part_is_named(tmp_path: Path) -> None:
    path = _file(tmp_path, '{"questions": {"a": 1}, "empty": []}')
    assert _all(elements, path, "empty") == []
    with pytest.raises(SourceError, match="has no 'annotations'"):
        _all(elements, path, "annotations")
    with pytest.raises(SourceError, match="'questions' is an object, not a list"):
        _all(elements, path, "questions")
    with pytest.raises(SourceError, match="is a list, not an object with 'x'"):
        _all(elements, _file(tmp_path, "[]"), "x")


def test_a_mark_of_byte_order_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = _file(tmp_path, b"\xef\xbb\xbf[1]")
    assert first_sign(path) == b"["
    assert _all(elements, path) == [1]


def test_half_a_character_becomes_a_question_mark_and_a_whole_one_stays(tmp_path: Path) -> None:
    path = _file(tmp_path, r'[{"\ud83d": "\ud83d\ude00 \udc00"}]')
    assert _all(elements, path) == [{"?": "\U0001f600 ?"}]


def test_a_large_file_is_not_held_in_memory(tmp_path: Path) -> None:
    path = _file(tmp_path, "[" + ", ".join(['{"a": "' + "x" * 1000 + '"}'] * 20_000) + "]")
    with path.open("rb") as file:
        text, most = JsonText(file), 0
        for _ in text.keys_within("["):
            text.value()
            most = max(most, len(text._held))
    assert most < 2 * CHUNK < path.stat().st_size / 5


RECORD = Record(
    {"name": "cup", "n": 3, "f": 2.6, "s": "7", "list": ["a"], "o": {"k": {"x": 1}}, "none": None}, "a.json", 5
)


def test_a_record_gives_fields_as_what_they_should_be() -> None:
    assert RECORD.text("name") == "cup"
    assert RECORD.text("n") == "3"
    assert RECORD.text("none", "") == ""
    assert [RECORD.number(name) for name in ("n", "f", "s")] == [3, 3, 7]
    assert RECORD.texts("list") == ("a",)
    assert RECORD.texts("absent") == ()


@pytest.mark.parametrize(
    ("look", "said"),
    [
        (lambda: RECORD.text("absent"), "a.json 5 has no absent"),
        (lambda: RECORD.text("list"), r"a.json 5: list is \['a'\], not a text"),
        (lambda: RECORD.number("name"), "a.json 5: name is 'cup', not a number"),
        (lambda: Record({"x": float("inf")}, "r").number("x"), "x is inf, not a number"),
        (lambda: Record({"x": True}, "r").number("x"), "x is True, not a number"),
        (lambda: RECORD.list("name"), "not a list"),
        (lambda: Record({"x": [1]}, "r").texts("x"), "not a list of texts"),
        (lambda: RECORD.record("none"), "a.json 5, none is None, not an object"),
        (lambda: RECORD.mapping("list"), "not an object"),
        (lambda: list(RECORD.records("list")), r"a.json 5, list 0 is 'a', not an object"),
        (lambda: RECORD.record("o").record("k").text("y"), "a.json 5, o, k has no y"),
    ],
)
def test_a_field_that_is_wrong_is_said_with_its_place(look: Callable[[], object], said: str) -> None:
    with pytest.raises(SourceError, match=said):
        look()


def test_what_is_told_of_a_value_is_short() -> None:
    assert short_repr("x" * 100) == "'" + "x" * 38 + "…"


KEYS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(KEYS, KEYS)
def test_every_key_gets_its_own_record_once_whatever_the_order(first: list[str], second: list[str]) -> None:
    beside = KeyedJoin((key, key.upper()) for key in second)
    assert [beside.take(key) for key in first] == [key.upper() if key in second else None for key in first]
    assert beside.left() == [key for key in second if key not in first]


def test_records_in_the_same_order_are_not_held() -> None:
    beside = KeyedJoin((str(number), number) for number in range(100))
    for number in range(100):
        assert beside.take(str(number)) == number
        assert not beside._held
