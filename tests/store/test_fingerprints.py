"""The fingerprint of a table: it knows the rows, and nothing else."""

import os
import struct
import subprocess
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import prove
from tabled import calm, pairs, some_groups

from counterpoint.core.groups import Group
from counterpoint.store.fingerprints import fingerprint
from counterpoint.store.groups import groups_table

GOLDEN = "c4d6f76e88455308ec1d13249148a662"
PROGRAM = """
from tabled import calm, some_groups
from counterpoint.store.fingerprints import fingerprint
from counterpoint.store.groups import groups_table
print(fingerprint(groups_table(some_groups(), "suite"), "groups"))
"""


def told(value: Any) -> str:
    """A value as the fingerprint's page describes it, by a plain loop."""
    match value:
        case None:
            return "-;"
        case str():
            return f"{len(value.encode())}:{value};"
        case int():
            return f"{value};"
        case float():
            return f"{struct.unpack('<q', struct.pack('<d', value))[0]};"
        case list():
            return f"{len(value)}[{''.join(map(told, value))}];"
        case tuple():
            return f"{''.join(map(told, value))};"
        case dict():
            return f"{''.join(map(told, value.values()))};"
    raise AssertionError(value)


def plain_fingerprint(table: pa.Table) -> str:
    """The fingerprint of a table, by a plain loop over its rows."""
    lines = sorted("".join(map(told, row.values())).encode() for row in table.to_pylist())
    head = f"groups;{';'.join(table.column_names)};".encode()
    return blake2b(head + b"".join(lines), digest_size=16).hexdigest()


@calm
@given(pairs())
def test_it_is_what_a_plain_loop_makes_of_the_rows(given_pairs: list[tuple[str, Group]]) -> None:
    table = groups_table(given_pairs, "suite")
    assert fingerprint(table, "groups") == plain_fingerprint(table)


def test_texts_that_repeat_in_many_rows_count_as_any_other() -> None:
    rows = 3000
    columns = {
        "one": ["ä;b"] * rows,
        "few": [("x", "yy", None)[place % 3] for place in range(rows)],
        "many": [f"text {place}" for place in range(rows)],
        "none": pa.nulls(rows, pa.string()),
        "no_numbers": pa.nulls(rows, pa.int32()),
        "empty": pa.array([[], None] * (rows // 2), pa.list_(pa.string())),
        "pairs": pa.array([[("name", str(place))] for place in range(rows)], pa.map_(pa.string(), pa.string())),
        "alike": pa.array([["same"]] * rows, pa.list_(pa.string())),
    }
    table = pa.table(columns)
    assert fingerprint(table, "groups") == plain_fingerprint(table)
    constant = table.select(["one", "none", "alike"])
    assert fingerprint(constant, "groups") == plain_fingerprint(constant)


@calm
@given(pairs(), st.randoms(use_true_random=False), st.integers(0, 9))
def test_order_and_chunks_of_rows_change_nothing(given_pairs: list[tuple[str, Group]], luck: Any, cut: int) -> None:
    table = groups_table(given_pairs, "suite")
    order = luck.sample(range(table.num_rows), table.num_rows)
    mixed = table.take(pa.array(order))
    cut = min(cut, table.num_rows)
    assert fingerprint(pa.concat_tables([mixed.slice(cut), mixed.slice(0, cut)]), "groups") == fingerprint(
        table, "groups"
    )


def test_compression_and_the_file_change_nothing(tmp_path: Path) -> None:
    table = groups_table(some_groups(50), "suite")
    prints = {fingerprint(table, "groups")}
    for how in ("none", "snappy", "zstd"):
        path = tmp_path / f"{how}.parquet"
        pq.write_table(table, path, compression=how, row_group_size=7, use_dictionary=how == "zstd")
        prints.add(fingerprint(pq.read_table(path), "groups"))
    assert len(prints) == 1


@calm
@given(pairs(2), pairs(2))
def test_tables_of_different_rows_differ(one: list[tuple[str, Group]], other: list[tuple[str, Group]]) -> None:
    tables = [groups_table(some, "suite") for some in (one, other)]
    rows = [sorted(map(repr, table.to_pylist())) for table in tables]
    prints = [fingerprint(table, "groups") for table in tables]
    assert (prints[0] == prints[1]) == (rows[0] == rows[1])


def test_a_row_more_or_twice_is_another_table() -> None:
    table = groups_table(some_groups(), "suite")
    assert fingerprint(table.slice(1), "groups") != fingerprint(table, "groups")
    assert fingerprint(pa.concat_tables([table, table.slice(0, 1)]), "groups") != fingerprint(table, "groups")
    assert fingerprint(table.slice(0, 0), "groups") == fingerprint(groups_table([], "suite"), "groups")


@pytest.mark.parametrize("seed", ["1", prove("2")])
def test_it_is_the_same_in_processes_with_different_hash_seeds(seed: str) -> None:
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, check=True, text=True)
    assert {done.stdout.strip(), fingerprint(groups_table(some_groups(), "suite"), "groups")} == {GOLDEN}
