"""`ls` and `verify`: what a lab holds, and whether it still is what it was."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from counterpoint.cli import ls, verify
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer, Gold, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord


@pytest.fixture
def lab(tmp_path: Path) -> LabStore:
    made = LabStore(tmp_path / "lab")
    asked = tuple(Query(Picture("world:test/000001.png"), text) for text in ("Is it?", "Is it so?"))
    table = groups_table([("words", Group(Relation.SAME, asked, (Gold.of("yes"),) * 2))], "rephrase")
    made.put_suite(Manifest.of(table, generator="a:b", seed=3), table)
    made.put_run(RunRecord("run", "constant", "constant-yes"))
    with made.answers("constant-yes", run="run") as log:
        log.add((query.id, 0, Answer.of("yes"), "", 0.1) for query in asked)
    return made


def call(command: object, *arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)  # type: ignore[arg-type]


def test_ls_lists_suites_and_models(lab: LabStore) -> None:
    lines = [line.split() for line in call(ls.command, lab.folder).output.splitlines()]
    assert ["rephrase", "1", "2", "3", lab.manifest("rephrase").fingerprint[:12]] in lines
    assert any(line[:1] == ["constant"] and line[2:5] == ["2", "0", "1"] for line in lines)


def test_ls_prints_json(lab: LabStore) -> None:
    found = json.loads(call(ls.command, lab.folder, "--json").output)
    assert [suite["suite"] for suite in found["suites"]] == ["rephrase"]
    assert [(model["model"], model["answers"]) for model in found["models"]] == [("constant", 2)]


def test_ls_of_nothing_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no lab at"):
        call(ls.command, tmp_path / "nothing")


def test_verify_is_content_with_what_is_whole(lab: LabStore) -> None:
    done = call(verify.command, lab.folder)
    assert (done.exit_code, done.output) == (0, f"all 11 checks hold in {lab.folder}\n")
    assert call(verify.command, lab.folder / "suites" / "rephrase").exit_code == 0


def test_verify_names_what_is_not_and_fails(lab: LabStore) -> None:
    lab.storage.put("suites/rephrase/groups.parquet", lab.storage.get("suites/rephrase/groups.parquet")[:-1])
    before = {path: path.read_bytes() for path in lab.folder.rglob("*") if path.is_file()}
    done = call(verify.command, lab.folder)
    assert done.exit_code == 1
    assert "groups.parquet cannot be read as Parquet" in done.output
    assert "restore it from a copy, or generate the suite again with --replace" in done.output
    assert {path: path.read_bytes() for path in lab.folder.rglob("*") if path.is_file()} == before


def test_verify_prints_json(lab: LabStore) -> None:
    verification = json.loads(call(verify.command, lab.folder, "--json").output)
    assert verification["holds"]
    assert {"place", "name", "holds", "found", "hint", "repair"} == set(verification["checks"][0])
