"""`pictures`: folders of a lab by namespace."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from counterpoint.cli.pictures import command
from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    addresses = ("coco:val2017/1.jpg", "coco:val2017/2.jpg", "swig:images_512/a_1.jpg", "world:test/000001.png")
    groups = [
        Group(Relation.GOLD, (Query(Picture(address), "Is it red?"),), (Gold.of("yes"),)) for address in addresses
    ]
    table = groups_table([("plain", group) for group in groups], "plain")
    LabStore(tmp_path / "lab").put_suite(Manifest.of(table, generator="here", seed=0), table)
    (tmp_path / "coco" / "val2017").mkdir(parents=True)
    (tmp_path / "coco" / "val2017" / "1.jpg").write_bytes(b"a picture")
    return tmp_path / "lab"


def _call(*words: object) -> Result:
    return CliRunner().invoke(command, [str(word) for word in words])


def test_each_namespace_has_a_folder_of_its_own_that_is_kept(lab: Path, tmp_path: Path) -> None:
    assert "unknown" in _call(lab).output
    _call(lab, f"coco={tmp_path / 'coco'}")
    rows = {row["namespace"]: row for row in json.loads(_call(lab, "--json").output)["locations"]}
    assert (rows["coco"]["pictures"], rows["coco"]["found"]) == (2, 1)
    assert (rows["swig"]["folder"], rows["swig"]["found"]) == ("", 0)
    assert (rows["world"]["folder"], rows["world"]["found"]) == ("drawn", 1)
    assert LabStore(lab).roots == {"coco": (tmp_path / "coco")}


def test_what_is_no_folder_or_no_namespace_is_said(lab: Path, tmp_path: Path) -> None:
    assert _call(lab, "coco=nowhere").exit_code == 2
    assert isinstance(_call(lab, f"cocoa={tmp_path}").exception, UnknownName)
    assert not LabStore(lab).roots
