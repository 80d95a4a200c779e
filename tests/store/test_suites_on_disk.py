"""Suites at rest: a manifest that says what they are, and a check that they still are."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tabled import some_groups

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.store.documents import IntegrityCheck
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore, integrity_checks
from counterpoint.store.suites import Manifest, put_suite
from counterpoint.store.tables import to_parquet

TABLE = groups_table(some_groups(), "order")
MANIFEST = Manifest.of(TABLE, generator="suites:order", seed=7, parameters={"limit": 3}, source="abc")


@pytest.fixture
def lab(tmp_path: Path) -> LabStore:
    made = LabStore(tmp_path / "lab")
    made.put_suite(MANIFEST, TABLE)
    return made


def wrong(lab: LabStore) -> dict[str, str]:
    return {check.name: check.found for check in lab.verify() if not check.holds}


def test_a_suite_comes_back_as_it_was_put(lab: LabStore) -> None:
    found = LabStore(lab.folder).suite("order")
    assert found.table.equals(TABLE)
    assert found.manifest == MANIFEST
    assert (MANIFEST.rows, MANIFEST.groups, MANIFEST.rules, len(MANIFEST.fingerprint)) == (6, 3, "exact", 32)
    assert LabStore(lab.folder).suites() == ["order"]


def test_the_manifest_is_plain_json(lab: LabStore) -> None:
    content = json.loads((lab.folder / "suites" / "order" / "manifest.json").read_text(encoding="utf-8"))
    assert (content["seed"], content["parameters"], content["generator"]) == (7, {"limit": 3}, "suites:order")


def test_a_whole_suite_holds_in_every_way(lab: LabStore) -> None:
    names = [check.name for check in lab.verify()]
    assert names == ["readable", "readable", "manifest", "suite", "rows", "groups", "fingerprint", "ids", "repetitions"]
    assert wrong(lab) == {}
    assert all(check.holds for check in integrity_checks(lab.folder / "suites" / "order"))


def test_rows_in_another_order_are_the_same_suite(lab: LabStore) -> None:
    lab.storage.put("suites/order/groups.parquet", to_parquet(TABLE.take(pa.array([5, 0, 3, 2, 4, 1]))))
    assert wrong(lab) == {}


def test_a_group_in_two_tests_holds(tmp_path: Path) -> None:
    twice = groups_table([*some_groups(), *(("again", group) for _, group in some_groups())], "order")
    lab = LabStore(tmp_path)
    lab.put_suite(Manifest.of(twice, generator="a:b", seed=0), twice)
    assert wrong(lab) == {}
    assert lab.manifest("order").groups == 6


def test_a_group_that_a_test_has_twice_is_seen(tmp_path: Path) -> None:
    twice = groups_table([*some_groups(), *list(some_groups())[:1]], "order")
    lab = LabStore(tmp_path)
    lab.put_suite(Manifest.of(twice, generator="a:b", seed=0), twice)
    assert set(wrong(lab)) == {"repetitions"}
    assert wrong(lab)["repetitions"].endswith("2 times")


def test_a_row_less_is_seen(lab: LabStore) -> None:
    lab.storage.put("suites/order/groups.parquet", to_parquet(TABLE.slice(0, 5)))
    assert set(wrong(lab)) == {"rows", "fingerprint", "ids"}
    with pytest.raises(StoreError, match="not the table"):
        lab.suite("order")


def test_no_rows_at_all_are_seen(lab: LabStore) -> None:
    lab.storage.put("suites/order/groups.parquet", to_parquet(TABLE.slice(0, 0)))
    assert set(wrong(lab)) == {"suite", "rows", "groups", "fingerprint", "ids"}


def test_other_words_with_the_old_ids_are_seen(lab: LabStore) -> None:
    texts = pc.replace_substring(TABLE["text"], "cat", "dog")
    lab.storage.put("suites/order/groups.parquet", to_parquet(_with("text", texts)))
    assert set(wrong(lab)) == {"fingerprint", "ids"}
    assert wrong(lab)["ids"].startswith("row 0: the query has the id ")


def test_another_relation_with_the_old_ids_is_seen(lab: LabStore) -> None:
    relations = pa.array(["same", "same", "same", "same", "differs", "differs"])
    lab.storage.put("suites/order/groups.parquet", to_parquet(_with("relation", relations)))
    assert wrong(lab)["ids"].startswith("row 4: the group has the id ")


def test_another_gold_is_seen_by_the_fingerprint_alone(lab: LabStore) -> None:
    golds = pa.array([[{"answer": "no", "credit": 1.0}]] * 6, TABLE["gold"].type)
    lab.storage.put("suites/order/groups.parquet", to_parquet(_with("gold", golds)))
    assert set(wrong(lab)) == {"fingerprint"}


def test_a_file_that_is_gone_is_said_and_the_rest_is_checked(lab: LabStore) -> None:
    lab.storage.delete("suites/order/groups.parquet")
    assert list(wrong(lab)) == ["readable"]
    assert "does not exist" in wrong(lab)["readable"]


def test_a_suite_that_was_killed_between_its_files_is_refused(lab: LabStore) -> None:
    other = groups_table(some_groups(), "order")
    other = other.set_column(5, "kind", pa.array(["another"] * 6))
    manifest = lab.storage.get("suites/order/manifest.json")
    put_suite(lab.storage, "suites/order", Manifest.of(other, generator="suites:order", seed=8), other)
    lab.storage.put("suites/order/manifest.json", manifest)
    with pytest.raises(StoreError, match=r"not the table that its manifest\.json is about"):
        lab.suite("order")


def test_a_suite_that_was_killed_before_its_manifest_is_written_again(lab: LabStore) -> None:
    other = groups_table(some_groups(2), "order")
    lab.storage.delete("suites/order/manifest.json")
    with pytest.raises(StoreError, match="another suite 'order' already, made with seed 7"):
        lab.put_suite(Manifest.of(other, generator="suites:order", seed=8), other)
    lab.put_suite(MANIFEST, TABLE)
    assert lab.suite("order").manifest == MANIFEST


def test_the_same_suite_again_is_welcome_and_another_is_not(lab: LabStore) -> None:
    lab.put_suite(MANIFEST, TABLE)
    other = groups_table(some_groups(2), "order")
    manifest = Manifest.of(other, generator="suites:order", seed=8)
    with pytest.raises(StoreError, match="another suite 'order' already, made with seed 7"):
        lab.put_suite(manifest, other)
    assert lab.suite("order").table.equals(TABLE)
    lab.put_suite(manifest, other, replace=True)
    assert lab.suite("order").table.equals(other)


@pytest.mark.parametrize("name", ["", "..", "a/b", ".hidden", "a b", "é"])
def test_a_name_that_is_no_folder_is_refused(tmp_path: Path, name: str) -> None:
    table = groups_table(some_groups(), name)
    with pytest.raises(StoreError, match="cannot be a suite's name"):
        LabStore(tmp_path / "lab").put_suite(Manifest.of(table, generator="a:b", seed=0), table)
    assert not (tmp_path / "lab").exists()


def test_an_unknown_suite_is_answered_with_the_nearest(lab: LabStore) -> None:
    with pytest.raises(UnknownName, match="no suite of this lab is called 'ordre'") as said:
        lab.suite("ordre")
    assert said.value.hint == "did you mean order?"


def test_a_check_says_what_to_do(lab: LabStore) -> None:
    lab.storage.put("suites/order/groups.parquet", b"")
    broken = [check for check in lab.verify() if not check.holds]
    assert [(check.place, bool(check.hint)) for check in broken] == [("suites/order/groups.parquet", True)]
    assert isinstance(broken[0], IntegrityCheck)


def _with(column: str, values: pa.Array | pa.ChunkedArray) -> pa.Table:
    return TABLE.set_column(TABLE.column_names.index(column), column, values)


@pytest.mark.parametrize(("version", "following"), [("1", "2"), ("9", "10"), ("2026-11", "2026-11.1")])
def test_the_version_that_follows_is_told_by_one_rule(version: str, following: str) -> None:
    assert Manifest("order", "mine:order", 0, "", 0, 0, version).next_version == following
