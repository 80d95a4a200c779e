"""Foreign and damaged files: an error that names the file, the record and the remedy, and nothing is changed."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tabled import calm, some_groups

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer
from counterpoint.store.answers import AnswerLog
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.tables import ANSWERS, GROUPS, PICTURES, TABLES, VOTES, to_parquet

TABLE = groups_table(some_groups(), "order")


def made(folder: str | Path) -> LabStore:
    """A lab with a suite and the answers of a model."""
    lab = LabStore(folder)
    lab.put_suite(Manifest.of(TABLE, generator="tests:made", seed=7), TABLE)
    with lab.answers("model", run="run") as log:
        log.add((query, 0, Answer.of("yes"), "", 0.1) for query in TABLE["query"].to_pylist())
    return lab


def files(lab: LabStore) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(lab.folder.rglob("*")) if path.is_file()}


def refused(lab: LabStore, name: str, content: bytes, use: Callable[[LabStore], object]) -> StoreError | None:
    """What is said when this file holds something else; whatever is said, no file may change."""
    lab.storage.put(name, content)
    before = files(lab)
    said = None
    try:
        use(LabStore(lab.folder))
    except StoreError as problem:
        said = problem
    assert files(lab) == before
    assert said is None or name in str(said), "it names the file"
    assert said is None or said.hint, "it says what to do"
    return said


def the_suite(lab: LabStore) -> pa.Table:
    return lab.suite("order").table


def the_answers(lab: LabStore) -> pa.Table:
    return lab.read_answers("model")


PARTS = st.sampled_from([("suites/order/groups.parquet", the_suite), ("answers", the_answers)])


@calm
@given(PARTS, st.data())
def test_a_file_that_was_cut_off_is_refused(
    part: tuple[str, Callable[[LabStore], pa.Table]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        lab = made(folder)
        (name,) = lab.storage.names(part[0])
        whole = lab.storage.get(name)
        cut = data.draw(st.integers(0, len(whole) - 1))
        assert refused(lab, name, whole[:cut], part[1])


@calm
@given(PARTS, st.data())
def test_a_file_with_a_changed_byte_is_refused_or_holds_the_same(
    part: tuple[str, Callable[[LabStore], pa.Table]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as folder:
        lab = made(folder)
        (name,) = lab.storage.names(part[0])
        whole, table = bytearray(lab.storage.get(name)), part[1](lab)
        footer = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
        place = data.draw(st.integers(0, len(whole) - 1))
        whole[place] ^= data.draw(st.integers(1, 255))
        if not refused(lab, name, bytes(whole), part[1]) and place < footer:  # the footer has no checksum
            assert part[1](lab).equals(table)


@calm
@given(
    st.sampled_from(["suites/order/manifest.json", "counterpoint-lab.json", "runs/run.json"]), st.binary(max_size=40)
)
def test_a_broken_document_is_refused(name: str, content: bytes) -> None:
    with TemporaryDirectory() as folder:
        assert refused(made(folder), name, content, lambda lab: (lab.suite("order"), lab.runs()))


@pytest.mark.parametrize("content", [b"{}", b"[]", b'{"version": 2}', b'{"version": 1, "roots": [1]}'])
def test_a_marker_that_says_something_else_is_refused(tmp_path: Path, content: bytes) -> None:
    assert refused(made(tmp_path), "counterpoint-lab.json", content, the_suite)


@pytest.mark.parametrize("other", [ANSWERS, VOTES, PICTURES], ids=["answers", "votes", "pictures"])
def test_another_of_our_tables_is_refused_by_name(tmp_path: Path, other: pa.Schema) -> None:
    said = refused(made(tmp_path), "suites/order/groups.parquet", to_parquet(other.empty_table()), the_suite)
    assert "not 'groups'" in str(said)


def test_a_table_of_somebody_else_is_refused_by_its_first_missing_column(tmp_path: Path) -> None:
    said = refused(made(tmp_path), "suites/order/groups.parquet", to_parquet(pa.table({"a": [1]})), the_suite)
    assert "has no column 'suite'" in str(said)


@pytest.mark.parametrize("column", GROUPS.names)
def test_a_missing_column_is_named(tmp_path: Path, column: str) -> None:
    said = refused(made(tmp_path), "suites/order/groups.parquet", to_parquet(TABLE.drop([column])), the_suite)
    assert f"has no column {column!r}" in str(said)
    assert said
    assert column in said.hint


@pytest.mark.parametrize("field", [field for field in GROUPS if not field.nullable], ids=lambda field: field.name)
def test_an_empty_cell_is_named_with_its_row(tmp_path: Path, field: pa.Field) -> None:
    values = TABLE[field.name].to_pylist()
    values[4] = None
    said = refused(made(tmp_path), "suites/order/groups.parquet", _with(field.name, values, field.type), the_suite)
    assert f"row 4: nothing in {field.name!r}" in str(said)


@pytest.mark.parametrize(
    ("column", "value", "kind"),
    [
        ("query", -1, pa.int64()),
        ("query", "a7", pa.string()),
        ("group_id", 1.5, pa.float64()),
        ("role", 70_000, pa.int64()),
        ("width", 2**40, pa.int64()),
        ("text", b"\xff", pa.binary()),
        ("role", b"\xff", pa.binary()),
        ("width", {"a": 1}, pa.struct([("a", pa.int64())])),
    ],
)
def test_a_value_of_another_type_is_named_with_its_row(
    tmp_path: Path, column: str, value: Any, kind: pa.DataType
) -> None:
    values = [_fitting(kind) for _ in range(TABLE.num_rows)]
    values[3] = value
    said = refused(made(tmp_path), "suites/order/groups.parquet", _with(column, values, kind), the_suite)
    assert f"{column!r} is no {GROUPS.field(column).type}" in str(said)


def test_numbers_in_another_width_and_texts_in_another_layout_are_read(tmp_path: Path) -> None:
    table = TABLE
    for column, kind in (
        ("role", pa.int64()),
        ("text", pa.large_string()),
        ("kind", pa.dictionary(pa.int8(), pa.string())),
    ):
        table = table.set_column(table.column_names.index(column), column, table[column].cast(kind))
    lab = made(tmp_path)
    lab.storage.put("suites/order/groups.parquet", to_parquet(table))
    assert the_suite(lab).equals(TABLE)


def test_a_newer_version_of_a_table_is_refused(tmp_path: Path) -> None:
    newer = TABLE.replace_schema_metadata({"counterpoint.table": "groups", "counterpoint.version": "2"})
    said = refused(made(tmp_path), "suites/order/groups.parquet", to_parquet(newer), the_suite)
    assert "version 2 of the table groups" in str(said)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    said = refused(
        made(tmp_path),
        "suites/order/groups.parquet",
        to_parquet(TABLE.append_column("query", TABLE["query"])),
        the_suite,
    )
    assert "two columns 'query'" in str(said)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("choices", ["yes", None]),
        ("gold", [{"answer": None, "credit": 1.0}]),
        ("gold", [{"answer": "yes", "credit": None}]),
        ("gold", [None]),
        ("objects", [{"name": None, "x": 1, "y": 1, "width": 1, "height": 1}]),
        ("tags", [("template", None)]),
    ],
)
def test_nothing_inside_a_list_is_named_with_its_row(tmp_path: Path, column: str, value: Any) -> None:
    values = TABLE[column].to_pylist()
    values[4] = value
    content = _with(column, values, GROUPS.field(column).type)
    said = refused(made(tmp_path), "suites/order/groups.parquet", content, the_suite)
    assert "row 4" in str(said)
    assert column in str(said)


def test_a_table_of_another_suite_beside_a_manifest_is_told_apart(tmp_path: Path) -> None:
    lab, other = made(tmp_path / "lab"), groups_table(some_groups(2), "order")
    elsewhere = LabStore(tmp_path / "elsewhere")
    elsewhere.put_suite(Manifest.of(other, generator="tests:made", seed=8), other)
    said = refused(lab, "suites/order/groups.parquet", elsewhere.storage.get("suites/order/groups.parquet"), the_suite)
    assert "is not the table that its manifest.json is about" in str(said)


def test_a_run_that_meets_a_broken_part_changes_nothing(tmp_path: Path) -> None:
    lab = made(tmp_path)
    (name,) = lab.storage.names("answers/")
    lab.storage.put(name, lab.storage.get(name)[:-9])
    plan = pa.table({"query": TABLE["query"], "trial": pa.array([0] * 6, pa.uint16()), "digest": pa.array([""] * 6)})
    with pytest.raises(StoreError, match="cannot be read as Parquet"), AnswerLog(lab.storage, "model") as log:
        log.missing(plan)
    assert lab.storage.names("answers/") == [name]


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="rights bind no root")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    lab = made(tmp_path)
    (lab.folder / "suites/order/groups.parquet").chmod(0)
    with pytest.raises(StoreError, match="cannot be read: Permission denied"):
        the_suite(lab)


def test_every_table_names_itself_and_its_version() -> None:
    for name, schema in TABLES.items():
        assert schema.metadata == {b"counterpoint.table": name.encode(), b"counterpoint.version": b"1"}


def _with(column: str, values: list[Any], kind: pa.DataType) -> bytes:
    place = TABLE.column_names.index(column)
    return to_parquet(TABLE.set_column(place, pa.field(column, kind), pa.array(values, kind)))


def _fitting(kind: pa.DataType) -> Any:
    """A value of a type that can be cast to a number or a text."""
    if pa.types.is_struct(kind):
        return {"a": 1}
    return b"1" if pa.types.is_binary(kind) else "1" if pa.types.is_string(kind) else 1
