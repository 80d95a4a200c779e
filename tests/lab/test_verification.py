"""What `verify` finds: loss and edits that no file shows when it is read alone, and how they are repaired."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from proving import prove, sample

import counterpoint as cp
from counterpoint.cli.main import commands
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer
from counterpoint.core.ids import hex_id
from counterpoint.lab.contents import Verification
from counterpoint.store import votes
from counterpoint.store.answers import AnswerLog
from counterpoint.store.folder import StorageFolder
from counterpoint.store.integrity import verify_lab
from counterpoint.store.lab import LabStore
from counterpoint.store.marker import MARKER
from counterpoint.store.parts import DEFAULT_POLICY, PartPolicy
from counterpoint.store.suites import Manifest
from counterpoint.store.tables import read_parquet, to_parquet
from counterpoint.store.versions import RunRecord
from counterpoint.store.votes import VoteLog, all_votes, append_votes, votes_table
from counterpoint.testing import SimulatedKill

Damage = Callable[[cp.Lab], object]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lab of two suites and two models, one of which was run twice."""
    lab = cp.Lab(tmp_path_factory.mktemp("whole") / "lab")
    lab.generate("order", "negation", source="world", items=12, limit=6)
    lab.run("constant", suites=["order"])
    lab.run("constant")
    lab.run("random")
    lab.save_slice("some", {"suite": "order"})
    for text in ("one", "two", "three"):
        lab.add_note("order", hex_id(lab.groups("order").to_arrow()["group_id"][0].as_py()), text)
    return lab.folder


@pytest.fixture
def lab(whole: Path, tmp_path: Path) -> cp.Lab:
    shutil.copytree(whole, tmp_path / "lab")
    return cp.Lab(tmp_path / "lab")


def _edit(lab: cp.Lab, name: str, *keys: str, value: Any) -> None:
    """Change a value in a JSON document, as an editor would."""
    document = inner = json.loads(lab.store.storage.get(name))
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    lab.store.storage.put(name, json.dumps(document, indent=2).encode())


def _parts(lab: cp.Lab, model: str) -> list[str]:
    return lab.store.storage.names(f"answers/{model}")


def _runs(lab: cp.Lab) -> list[str]:
    return lab.store.storage.names("runs/")


def _delete_part(lab: cp.Lab) -> None:
    lab.store.storage.delete(_parts(lab, "constant")[0])


def _delete_record(lab: cp.Lab) -> None:
    lab.store.storage.delete(_runs(lab)[0])


def _rewrite_answers(lab: cp.Lab) -> None:
    """Put other replies into a part, with right checksums and as many rows."""
    storage, name = lab.store.storage, _parts(lab, "random")[0]
    table = read_parquet(storage, name, "answers")
    place = table.column_names.index("value")
    storage.put(name, to_parquet(table.set_column(place, table.field(place), pa.array(["yes"] * table.num_rows))))


def _cut_part(lab: cp.Lab) -> None:
    name = _parts(lab, "random")[0]
    lab.store.storage.put(name, lab.store.storage.get(name)[:-20])


def _rewrite_votes(lab: cp.Lab) -> None:
    """Put another note into a part, with right checksums."""
    storage, name = lab.store.storage, _votes(lab)[1]
    storage.put(name, to_parquet(votes_table(replace(vote, note="four") for vote in all_votes(storage)[1:2])))


def _votes(lab: cp.Lab) -> list[str]:
    return [name for name in lab.store.storage.names("votes/") if name.endswith(".parquet")]


DAMAGE: dict[str, tuple[Damage, str, str]] = {
    "a deleted part": (_delete_part, "of run .* are missing", "answers"),
    "a deleted record": (_delete_record, "the record of the run that wrote", "record"),
    "other replies": (_rewrite_answers, "are not the .* that it wrote", "answers"),
    "a damaged part": (_cut_part, "cannot be read as Parquet", "readable"),
    "other rules": (lambda lab: _edit(lab, "suites/order/manifest.json", "rules", value="vqa"), "altered", "readable"),
    "another seed": (lambda lab: _edit(lab, "suites/order/manifest.json", "seed", value=9), "altered", "readable"),
    "other roots": (lambda lab: _edit(lab, "counterpoint-lab.json", "roots", value={"a": "/etc"}), "altered", "digest"),
    "no marker": (lambda lab: lab.store.storage.delete(MARKER), "does not exist", "readable"),
    "a damaged marker": (lambda lab: lab.store.storage.put(MARKER, b"\xfa"), "read as JSON", "readable"),
    "another model": (lambda lab: _edit(lab, _runs(lab)[0], "model", value="gpt"), "altered", "digest"),
    "deleted votes": (lambda lab: lab.store.storage.delete(_votes(lab)[-1]), "1 of 3 votes are missing", "votes"),
    "other votes": (_rewrite_votes, "votes were altered", "votes"),
    "no digest of votes": (lambda lab: lab.store.storage.put("votes/written.json", b"{"), "read as JSON", "readable"),
    "another slice": (lambda lab: _edit(lab, "slices/some.json", "filter", value={}), "altered", "digest"),
}


@pytest.mark.parametrize("damage", sample(DAMAGE, 2))
def test_loss_and_edits_are_found_and_repaired(lab: cp.Lab, damage: str) -> None:
    harm, fact, name = DAMAGE[damage]
    assert cp.verify_folder(lab.folder).holds
    harm(lab)
    found = cp.verify_folder(lab.folder)
    (broken,) = found.broken
    assert broken.name == name
    assert re.search(fact, broken.found)
    assert broken.hint
    assert broken.repair
    assert f"--repair would {broken.repair.description}" in repr(found)
    repaired = cp.verify_folder(lab.folder, repair=True)
    assert broken.repair.description in repaired.repairs
    assert repaired.holds, repr(repaired)
    assert cp.verify_folder(lab.folder, repair=True).repairs == ()


def test_an_edited_manifest_is_restored_and_not_used_until_then(lab: cp.Lab) -> None:
    before = lab.store.manifest("order")
    DAMAGE["other rules"][0](lab)
    with pytest.raises(StoreError, match="altered"):
        lab.scores(suites=["order"])
    cp.verify_folder(lab.folder, repair=True)
    assert lab.store.manifest("order") == before


def test_a_manifest_with_a_digest_made_anew_is_told_by_its_copy(lab: cp.Lab) -> None:
    document = json.loads(lab.store.storage.get("suites/order/manifest.json"))
    del document["$digest"]
    lab.store.storage.put("suites/order/manifest.json", json.dumps(document | {"rules": "vqa"}).encode())
    (broken,) = cp.verify_folder(lab.folder).broken
    assert broken.found == "rules is 'vqa', and was 'exact'"


def test_a_table_that_says_it_is_another_one_is_named(lab: cp.Lab) -> None:
    path = lab.folder / "suites" / "order" / "groups.parquet"
    table = pq.read_table(path)
    pq.write_table(
        table.replace_schema_metadata(table.schema.metadata | {b"counterpoint.fingerprint": b"0" * 32}), path
    )
    assert [check.name for check in cp.verify_folder(lab.folder).broken] == ["fingerprint"]


def test_what_is_not_affected_is_said(lab: cp.Lab) -> None:
    _rewrite_answers(lab)
    DAMAGE["another seed"][0](lab)
    found = cp.verify_folder(lab.folder)
    assert "suites/negation" in found.unaffected
    assert "suites/order" not in found.unaffected
    assert [name.split("/")[1].partition("-")[0] for name in found.unaffected if "answers" in name] == ["constant"]
    assert "not affected: answers/constant" in repr(found)


def test_another_document_in_the_place_of_the_baselines_is_named(lab: cp.Lab) -> None:
    lab.set_baseline("random")
    assert lab.verify().holds
    lab.invite("ann")
    (voter,) = (lab.folder / "voters").glob("*.json")  # it has texts alone, as baselines do
    shutil.copy(voter, lab.folder / "baselines.json")
    (problem,) = lab.verify().broken
    assert "marks versions that were not run here" in problem.found


def test_a_model_whose_records_are_lost_is_shown_again(lab: cp.Lab) -> None:
    for name in _runs(lab)[:2]:
        lab.store.storage.delete(name)
    assert [model.name for model in lab.models] == ["random"]
    assert len(cp.verify_folder(lab.folder).broken) == 2
    assert cp.verify_folder(lab.folder, repair=True).holds
    assert {model.fingerprint for model in lab.models} >= {"constant-yes"}
    assert len(lab.answers("constant-yes")) > 0


def test_a_damaged_part_is_put_aside_and_asked_again(lab: cp.Lab) -> None:
    before = len(lab.answers("random"))
    _cut_part(lab)
    assert cp.verify_folder(lab.folder, repair=True).holds
    assert len(lab.store.storage.names("damaged/")) == 1
    lab.run("random")
    assert len(lab.answers("random")) == before
    assert cp.verify_folder(lab.folder).holds


def test_parts_that_are_written_and_merged_one_by_one_have_the_digest_of_their_run(lab: cp.Lab) -> None:
    lab.run("constant", name="other", version="small", batch_size=1)
    assert cp.verify_folder(lab.folder).holds


def test_a_lab_of_an_earlier_release_holds(lab: cp.Lab) -> None:
    storage = lab.store.storage
    for name in [*_runs(lab), "counterpoint-lab.json", "suites/order/manifest.json"]:
        document = json.loads(storage.get(name))
        del document["$digest"]
        document.get("details", {}).pop("answers", None)
        storage.put(name, json.dumps(document).encode())
    assert cp.verify_folder(lab.folder).holds
    _delete_part(lab)
    assert [check.name for check in cp.verify_folder(lab.folder).broken] == ["answers"]


def test_a_killed_run_does_not_stay_running(lab: cp.Lab) -> None:
    name = _runs(lab)[-1]
    document = json.loads(lab.store.storage.get(name))
    del document["details"]["answers"], document["$digest"]
    document["details"]["state"] = "running"
    lab.store.storage.put(name, json.dumps(document).encode())
    lab.run("random", seed=1)
    (killed,) = [record for record in lab.store.runs() if record.run == document["run"]]
    assert killed.details["state"] == "killed"
    assert killed.details["answers"]["rows"] == len(lab.answers("random"))
    assert cp.verify_folder(lab.folder).holds


def test_missing_votes_stay_missing_after_further_ones(lab: cp.Lab) -> None:
    storage = lab.store.storage
    stored = all_votes(storage)
    storage.delete(_votes(lab)[0])
    append_votes(storage, [replace(stored[0], vote="later")])
    (broken,) = cp.verify_folder(lab.folder).broken
    assert broken.found == "1 of 4 votes are missing"


class _DyingStorage(StorageFolder):
    """A folder whose process is killed before it counts the votes that it has put, once it is told so."""

    is_dying = False

    def put(self, name: str, content: bytes) -> None:
        if self.is_dying and name == votes.COUNTS:
            raise SimulatedKill
        super().put(name, content)


@pytest.mark.parametrize("policy", [DEFAULT_POLICY, PartPolicy(merge_parts=2)])
def test_votes_that_killed_writers_did_not_count_are_counted_later(lab: cp.Lab, policy: PartPolicy) -> None:
    storages = [_DyingStorage(lab.folder), _DyingStorage(lab.folder)]
    vote, logs = all_votes(storages[0])[0], [VoteLog(storage, policy=policy) for storage in storages]
    for number, log in enumerate(logs * 3):
        log.append([replace(vote, vote=f"counted {number}")])
    for number, (storage, log) in enumerate(zip(storages, logs, strict=True)):
        storage.is_dying = True
        with pytest.raises(SimulatedKill):
            log.append([replace(vote, vote=f"killed {number}"), replace(vote, vote=f"with it {number}")])
    assert cp.verify_folder(lab.folder).holds
    append_votes(lab.store.storage, [replace(vote, vote="later")])
    assert cp.verify_folder(lab.folder).holds
    assert len(all_votes(lab.store.storage)) == 3 + 6 + 4 + 1


def test_a_vote_that_could_not_be_counted_is_counted_by_its_own_log(lab: cp.Lab) -> None:
    storage = _DyingStorage(lab.folder)
    vote, log = all_votes(storage)[0], VoteLog(storage)
    log.append([replace(vote, vote="counted")])
    storage.is_dying = True
    with pytest.raises(SimulatedKill):  # as a full disk does, after which the server goes on
        log.append([replace(vote, vote="not counted")])
    storage.is_dying = False
    log.append([replace(vote, vote="later")])
    storage.delete(_votes(lab)[-1])
    assert [check.found for check in cp.verify_folder(lab.folder).broken] == ["1 of 6 votes are missing"]


def test_a_writer_that_was_forgotten_among_many_goes_on(lab: cp.Lab) -> None:
    storage = lab.store.storage
    vote, log = all_votes(storage)[0], VoteLog(storage)
    log.append([replace(vote, vote="first")])
    for number in range(votes.MAX_WRITERS + 1):
        append_votes(storage, [replace(vote, vote=f"of others {number}")])
    log.append([replace(vote, vote="last")])
    assert len(votes.read_counts(storage).next_parts) == votes.MAX_WRITERS + 1
    assert cp.verify_folder(lab.folder).holds


class _BusyStorage(StorageFolder):
    """A folder to which others write, one step after each thing that is read or listed."""

    def __init__(self, folder: Path, steps: Iterable[Callable[[], object]]) -> None:
        super().__init__(folder)
        self._steps = iter(steps)

    def names(self, prefix: str = "") -> list[str]:
        names = super().names(prefix)
        self._write()
        return names

    def get(self, name: str) -> bytes:
        content = super().get(name)
        self._write()
        return content

    @contextmanager
    def open(self, name: str) -> Iterator[pa.NativeFile]:
        with super().open(name) as file:
            yield file
        self._write()

    def _write(self) -> None:
        for step in islice(self._steps, 1):
            step()


def _vote_in_turn(folder: Path) -> Iterator[Callable[[], object]]:
    """Votes of two servers in turn, whose parts are merged by twos."""
    storage = StorageFolder(folder)
    vote, logs = all_votes(storage)[0], [VoteLog(storage, policy=PartPolicy(merge_parts=2)) for _ in range(2)]
    for number, log in enumerate(logs * 20):
        yield partial(log.append, [replace(vote, vote=f"meanwhile {number}")])


def _run_in_turn(folder: Path) -> Iterator[Callable[[], object]]:
    """A run of a new model, whose parts are merged by twos, and its record before and after."""
    lab = LabStore(folder)
    record = RunRecord(lab.new_run(), "busy", "busy", {"state": "running"})
    yield partial(lab.put_run, record)
    log = AnswerLog(lab.storage, "busy", run=record.run, policy=PartPolicy(merge_parts=2, part_rows=1))
    for number in range(60):
        yield partial(log.add, [(number, 0, Answer.of("yes"), "", 0.1)])
    yield log.close
    yield lambda: lab.put_run(replace(record, details={"state": "done", "answers": log.written.to_dict()}))


def _replace_in_turn(folder: Path) -> Iterator[Callable[[], object]]:
    """Another suite of the same name, the other one again, and so on."""
    lab = LabStore(folder)
    old, new = lab.suite("order"), lab.suite("negation")
    names = pa.array(["order"] * new.table.num_rows, new.table.schema.field("suite").type)
    table = new.table.set_column(new.table.column_names.index("suite"), new.table.schema.field("suite"), names)
    other = Manifest.of(table, generator="other", seed=1)
    for manifest, rows in [(other, table), (old.manifest, old.table)] * 3:
        yield partial(lab.put_suite, manifest, rows, replace=True)


@pytest.mark.parametrize("steps", [_vote_in_turn, _run_in_turn, _replace_in_turn])
@pytest.mark.parametrize("late", [7, prove(0), prove(19)])
def test_verification_raises_no_alarm_while_others_write(
    lab: cp.Lab, steps: Callable[[Path], Iterator[Callable[[], object]]], late: int
) -> None:
    nothing = [lambda: None] * late
    checks = list(verify_lab(_BusyStorage(lab.folder, chain(nothing, steps(lab.folder)))))
    assert [check for check in checks if not check.holds] == []


def test_votes_of_an_earlier_release_hold_and_are_counted_by_the_next_vote(lab: cp.Lab) -> None:
    storage = lab.store.storage
    storage.delete(votes.COUNTS)
    assert cp.verify_folder(lab.folder).holds
    append_votes(storage, [replace(all_votes(storage)[0], vote="later")])
    assert cp.verify_folder(lab.folder).holds
    storage.delete(_votes(lab)[0])
    assert [check.name for check in cp.verify_folder(lab.folder).broken] == ["votes"]


def test_drafts_that_a_kill_left_are_swept(lab: cp.Lab) -> None:
    drafts = [lab.folder / place / ".manifest.json.0a.draft" for place in ("", "runs", "suites/order")]
    for draft in drafts:
        draft.write_bytes(b"half")
        os.utime(draft, (0, 0))
    fresh = lab.folder / "runs" / ".now.json.0a.draft"
    fresh.write_bytes(b"half")
    cp.Lab(lab.folder).run("constant")
    assert [draft.exists() for draft in drafts] == [False] * 3
    assert fresh.exists(), "its writer may be alive"


def _verify(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(commands, ["verify", *map(str, words)])
    return result.exit_code, result.output


def test_a_release_finds_what_nothing_else_can(lab: cp.Lab, tmp_path: Path) -> None:
    digests = tmp_path / "lab.sha256"
    code, output = _verify(lab.folder, "--write-digests", digests)
    assert code == 0
    assert "its own SHA-256 is" in output
    assert _verify(lab.folder, "--digests", digests)[0] == 0
    checked = subprocess.run(["sha256sum", "--check", "--quiet", digests], cwd=lab.folder, capture_output=True)
    assert checked.returncode == 0, checked.stderr
    _delete_part(lab)
    _delete_record(lab)  # together they leave no trace in the lab
    lab.store.storage.put("suites/order/notes.txt", b"new")
    DAMAGE["other roots"][0](lab)
    assert cp.verify_folder(lab.folder, repair=True).holds
    broken = cp.verify_folder(lab.folder, release=digests).broken
    assert sorted(check.found for check in broken) == [
        "it is altered",
        "it is missing",
        "it is missing",
        "it was added after the release",
    ]
    code, output = _verify(lab.folder, "--digests", digests)
    assert code == 1
    with pytest.raises(StoreError, match="is inside"):
        cp.verify_folder(lab.folder, write_release=lab.folder / "digests")


def test_names_with_line_breaks_are_released_too(lab: cp.Lab, tmp_path: Path) -> None:
    lab.store.storage.put("pictures/a\n\\nb.png", b"x")
    cp.verify_folder(lab.folder, write_release=tmp_path / "d")
    assert cp.verify_folder(lab.folder, release=tmp_path / "d").holds
    lab.store.storage.put("pictures/a\n\\nb.png", b"y")
    assert [check.found for check in cp.verify_folder(lab.folder, release=tmp_path / "d").broken] == ["it is altered"]


def test_the_command_says_what_it_repaired(lab: cp.Lab) -> None:
    _delete_record(lab)
    code, output = _verify(lab.folder)
    assert code == 1
    assert "--repair would write runs/" in output
    code, output = _verify(lab.folder, "--repair")
    assert code == 0
    assert "repaired: write runs/" in output


def test_a_verification_is_plain_values(lab: cp.Lab) -> None:
    _delete_record(lab)
    found: Verification = cp.verify_folder(lab.folder)
    assert [row["repair"] for row in json.loads(json.dumps(found.to_dict()))["checks"] if not row["holds"]] == [
        check.repair.description for check in found.broken if check.repair
    ]
    assert found.to_arrow().num_rows == len(found.checks)
