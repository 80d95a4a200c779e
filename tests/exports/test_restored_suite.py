"""An exported suite comes back as it was, whatever it holds, and never as another."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from export_labs import asked, put, toy_lab
from proving import prove

from counterpoint import catalog
from counterpoint.cli.main import commands
from counterpoint.core.errors import StoreError
from counterpoint.exports.datasets_folder import export_datasets
from counterpoint.exports.lmms_task import export_task
from counterpoint.exports.restored_suite import restore_suite
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest, StoredSuite
from counterpoint.suites.suite import Suite, generate_groups
from counterpoint.world.source import VqaWorld, World

WORLDS = (World("test", 4), VqaWorld("test", 4))


def _items() -> Mapping[tuple[int, str], list[Any]]:
    kinds = ("scenes", "questions", "grounded", "captions", "described", "dialogues", "frames")
    return {
        (number, kind): list(getattr(world, kind)())
        for number, world in enumerate(WORLDS)
        for kind in kinds
        if hasattr(world, kind)
    }


@pytest.mark.parametrize(("step", "least"), [(3, 9), prove(1, 30)])
def test_every_suite_of_the_world_comes_back_with_its_fingerprint(tmp_path: Path, step: int, least: int) -> None:
    """In `make test` every third."""
    items, count = _items(), 0
    for name in list(catalog.TABLES["suites"])[::step]:
        suite: Suite[Any, Any] = catalog.find("suites", name)
        for number, world in enumerate(WORLDS):
            read = items.get((number, suite.prefers)) or items.get((number, suite.takes)) or []
            ready = suite.configured(dict.fromkeys(suite.required, world.means))
            table = groups_table(generate_groups(ready, read, 7, 3), name)
            if not table.num_rows:
                continue
            manifest = Manifest.of(table, generator=name, seed=7, parameters={"source": "world"}, rules="vqa")
            out = tmp_path / f"{name}-{number}"
            export_datasets(StoredSuite(manifest, table), out, None)
            restored = restore_suite(out)
            assert restored is not None
            assert restored.manifest == manifest, name
            assert restored.table.equals(table), name
            count += 1
            break  # the other world has nothing that this one lacks
    assert count >= least


def test_a_suite_with_pictures_edits_and_text_only_rows_comes_back_by_a_command(tmp_path: Path) -> None:
    lab = toy_lab(tmp_path / "lab")
    suite = put(lab, "mine", asked())
    export_datasets(suite, tmp_path / "out", lab.pictures())
    export_task(suite, tmp_path / "tasks", lab.pictures())
    for number, folder in enumerate([tmp_path / "out", tmp_path / "tasks", tmp_path / "tasks" / "counterpoint_mine"]):
        other = tmp_path / f"other-{number}"
        arguments = ["generate", other, "--suite", "groups", "--source", "hf", "--data", folder]
        done = CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        back = LabStore(other)
        assert back.suite("mine").manifest == suite.manifest
        assert all(check.holds for check in back.verify())
        for picture in ("toy:a.png", "toy:b.jpg", "toy:clear.png"):
            assert back.pictures().file(picture) is not None


def test_a_suite_whose_groups_have_a_tag_twice_comes_back(tmp_path: Path) -> None:
    """As groups that a program adds may have it; an object of tags would lose the first."""
    lab = toy_lab(tmp_path / "lab")
    twice = (("of", "a"), ("of", "b"))
    groups = ((test, replace(group, tags=(twice,) * len(group.queries))) for test, group in asked())
    suite = put(lab, "mine", groups)
    export_datasets(suite, tmp_path / "out", None)
    back = restore_suite(tmp_path / "out")
    assert back is not None
    assert back.table["tags"].to_pylist() == suite.table["tags"].to_pylist()


def test_a_suite_comes_back_under_another_name(tmp_path: Path) -> None:
    lab = toy_lab(tmp_path / "lab")
    export_datasets(put(lab, "mine", asked()), tmp_path / "out", None)
    arguments = ["generate", tmp_path / "lab", "--suite", "groups", "--source", "hf", "--data", tmp_path / "out"]
    done = CliRunner().invoke(commands, [*map(str, arguments), "--name", "yours"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert LabStore(tmp_path / "lab").suite("yours").manifest.groups == 5
    assert all(check.holds for check in LabStore(tmp_path / "lab").verify())


def test_rows_that_were_changed_and_folders_of_several_suites_are_refused(tmp_path: Path) -> None:
    lab = toy_lab(tmp_path / "lab")
    for name in ("one", "two"):
        export_datasets(put(lab, name, asked()), tmp_path / "out" / name, None)
    with pytest.raises(StoreError, match="holds several suites"):
        restore_suite(tmp_path / "out")
    (path,) = (tmp_path / "out" / "one").rglob("*.parquet")
    rows = pq.read_table(path)
    place = rows.column_names.index("question")
    pq.write_table(rows.set_column(place, "question", pa.array(["?"] * rows.num_rows)), path)
    with pytest.raises(StoreError, match="are not those of the suite one"):
        restore_suite(tmp_path / "out" / "one")
    assert restore_suite(tmp_path / "lab" / "pictures") is None


def test_a_picture_whose_address_leads_out_of_the_lab_is_not_written(tmp_path: Path) -> None:
    lab = toy_lab(tmp_path / "lab")
    export_datasets(put(lab, "mine", asked()), tmp_path / "out", lab.pictures())
    restored = restore_suite(tmp_path / "out")
    assert restored is not None
    assert list(restored.pictures(["toy:../a.png", "..:a.png", "toy:/a.png"])) == []
    assert [address for address, _ in restored.pictures(["toy:a.png"])] == ["toy:a.png"]
