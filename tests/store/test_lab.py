"""A lab: a folder that knows itself, travels, and finds its pictures."""

import os
import shutil
from contextlib import chdir
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from PIL import Image
from tabled import some_groups

from counterpoint.core.errors import StoreError, UnknownName
from counterpoint.core.groups import Answer, Group, Query, Relation
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import Pixels
from counterpoint.lab.contents import list_contents
from counterpoint.store.groups import groups_table, unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.tables import VOTES, to_parquet
from counterpoint.store.versions import RunRecord


class Gray:
    """Pictures that are drawn when they are shown."""

    def pixels(self, picture: Picture) -> Pixels:
        return np.full((2, 2, 3), 99, np.uint8)


def test_a_new_lab_is_nothing_until_something_is_put(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    assert (lab.exists, lab.suites(), lab.versions(), lab.roots) == (False, [], (), {})
    assert not lab.folder.exists()
    with pytest.raises(StoreError, match="there is no lab at"):
        lab.opened()
    lab.put_run(RunRecord("run", "model", "fingerprint"))
    assert LabStore(lab.folder).opened().exists


def test_a_folder_with_other_things_is_no_lab(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(StoreError, match=r"is no lab: it has no counterpoint-lab\.json"):
        LabStore(tmp_path)
    with pytest.raises(StoreError, match="is no lab"):
        LabStore(tmp_path / "thesis.tex")
    assert os.listdir(tmp_path) == ["thesis.tex"]


@pytest.mark.parametrize("address", ["ftp://host/lab", Path("https://host/lab")])
def test_another_address_does_not_become_a_folder_of_that_name(address: Path | str, tmp_path: Path) -> None:
    with chdir(tmp_path), pytest.raises(StoreError, match="is no object store that is known"):
        LabStore(address)
    assert os.listdir(tmp_path) == []


def test_models_are_listed_once_with_all_their_runs(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    for run, name, print_ in (("1", "b", "f1"), ("2", "a", "f2"), ("3", "b", "f1"), ("4", "b", "f3")):
        lab.put_run(RunRecord(run, name, print_, {"device": "cpu"}))
    assert [(own.name, [info.run for info in own.runs]) for own in lab.versions()] == [
        ("a", ["2"]),
        ("b", ["1", "3"]),
        ("b", ["4"]),
    ]
    assert lab.runs()[0] == RunRecord("1", "b", "f1", {"device": "cpu"})


def test_a_run_after_a_clock_was_set_back_comes_after_those_before(tmp_path: Path) -> None:
    lab, future = LabStore(tmp_path / "lab"), "20991231T235959.999999-0badcafe"
    lab.put_run(RunRecord(future, "b", "f1"))
    for _ in range(2):
        lab.put_run(RunRecord(lab.new_run(), "b", "f1"))
    names = [info.run for info in lab.runs()]
    assert names[0] == future
    assert len({name.partition("-")[0] for name in names}) == 3


def test_a_lab_can_be_moved_and_copied_with_its_pictures(tmp_path: Path) -> None:
    lab, table = LabStore(tmp_path / "lab"), groups_table(some_groups(), "order")
    lab.put_suite(Manifest.of(table, generator="a:b", seed=0), table)
    _picture(lab.folder / "pictures" / "a.png", 10)
    lab.set_root("mine", lab.folder / "pictures")
    lab.put_run(RunRecord("run", "model", "model"))
    with lab.answers("model", run="run") as log:
        log.add([(1, 0, Answer.of("yes"), "", 0.0)])
    shutil.move(lab.folder, tmp_path / "other")
    moved = LabStore(tmp_path / "other")
    assert moved.suite("order").table.equals(table)
    assert moved.read_answers("model").num_rows == 1
    assert moved.pictures().pixels(Picture("mine:a.png"))[0, 0, 0] == 10
    assert all(check.holds for check in moved.verify())


def test_a_root_outside_the_lab_is_kept_as_it_is(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    lab.set_root("far", tmp_path / "elsewhere")
    lab.set_root("near", lab.folder / "pictures")
    assert LabStore(lab.folder).roots == {"far": (tmp_path / "elsewhere").resolve(), "near": lab.folder / "pictures"}


def test_roots_that_two_processes_set_are_both_kept(tmp_path: Path) -> None:
    LabStore(tmp_path / "lab").set_root("world", tmp_path)
    first, second = LabStore(tmp_path / "lab"), LabStore(tmp_path / "lab")
    first.set_root("coco", tmp_path / "coco")
    second.set_root("gqa", tmp_path / "gqa")
    assert [*LabStore(tmp_path / "lab").roots] == ["coco", "gqa", "world"]


def test_pictures_are_files_of_a_root_or_drawn(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    _picture(tmp_path / "files" / "a.png", 7)
    lab.set_root("mine", tmp_path / "files")
    pictures = lab.pictures({"world": Gray()})
    assert pictures.pixels(Picture("mine:a.png"))[0, 0, 0] == 7
    assert pictures.pixels(Picture("world:a.png"))[0, 0, 0] == 99
    with pytest.raises(UnknownName):
        pictures.pixels(Picture("theirs:a.png"))


def test_a_digest_is_that_of_the_file_and_is_taken_once(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    for name, shade in (("a", 1), ("b", 2), ("c", 1)):
        _picture(tmp_path / "files" / f"{name}.png", shade)
    lab.set_root("mine", tmp_path / "files")
    a, b, c, gone, drawn = digests(lab, "mine:a.png", "mine:b.png", "mine:c.png", "mine:gone.png", "world:a.png")
    assert a == c != b
    assert gone == drawn == ""
    before = lab.storage.get("pictures.parquet")
    assert digests(lab, "mine:a.png", "mine:b.png") == [a, b]
    assert lab.storage.get("pictures.parquet") == before
    _picture(tmp_path / "files" / "a.png", 200)
    assert digests(lab, "mine:a.png", "mine:b.png") == [digests(lab, "mine:a.png")[0], b]
    assert digests(lab, "mine:a.png") != [a]
    assert all(check.holds for check in lab.verify())


def test_edits_do_not_change_the_digest_and_no_picture_has_none(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    _picture(tmp_path / "files" / "a.png", 1)
    lab.set_root("mine", tmp_path / "files")
    picture = Picture("mine:a.png")
    asked = (Query(picture, "?"), Query(picture.edited(Edit("blur", ("6",))), "?"), Query(None, "?"))
    table = groups_table([("t", Group(Relation.SAME, asked, (None,) * 3))], "suite")
    found = lab.with_digests(unique_queries(table), lab.pictures())["digest"].to_pylist()
    assert found[0] == found[1] != found[2] == ""


def test_the_contents_are_counted(tmp_path: Path) -> None:
    lab, table = LabStore(tmp_path / "lab"), groups_table(some_groups(), "order")
    lab.put_suite(Manifest.of(table, generator="a:b", seed=5), table)
    lab.put_run(RunRecord("run", "model", "print"))
    with lab.answers("print", run="run") as log:
        log.add([(1, 0, Answer.of("yes"), "", 0.0), (2, 0, Answer.failed("why"), "", 0.0)])
    contents = list_contents(lab)
    assert [(suite.suite, suite.groups, suite.seed) for suite in contents.suites] == [("order", 3, 5)]
    assert [(own.answers, own.failed, len(own.model.runs)) for own in contents.models] == [(1, 1, 1)]


def test_every_kind_of_file_is_verified(tmp_path: Path) -> None:
    lab = LabStore(tmp_path / "lab")
    lab.put_run(RunRecord("run", "model", "print"))
    with lab.answers("print", run="run") as log:
        log.add([(1, 0, Answer.of("yes"), "", 0.0)])
    lab.storage.put("votes/a.parquet", to_parquet(VOTES.empty_table()))
    assert [check.holds for check in lab.verify()] == [True] * 4
    (part,) = lab.storage.names("answers/")
    lab.storage.put("answers/another-model/run-00000000.parquet", lab.storage.get(part))
    lab.storage.put("votes/b.parquet", b"")
    lab.storage.put("pictures.parquet", to_parquet(pa.table({"a": [1]})))
    lab.storage.put("runs/other.json", b"{}")
    broken = [check.place for check in lab.verify() if not check.holds]
    assert broken == [
        "answers/another-model/run-00000000.parquet",
        "runs/other.json",
        "votes/b.parquet",
        "pictures.parquet",
    ]


def digests(lab: LabStore, *addresses: str) -> list[str]:
    asked = tuple(Query(Picture(address), "?") for address in addresses)
    table = groups_table([("t", Group(Relation.SAME, asked, (None,) * len(asked)))], "suite")
    found: list[str] = lab.with_digests(unique_queries(table), lab.pictures({"world": Gray()}))["digest"].to_pylist()
    return found


def _picture(path: Path, shade: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (4, 4), (shade, shade, shade)).save(path)
