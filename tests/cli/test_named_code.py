"""A lab never names code, nor a file outside of it: whatever its files say, no command imports or writes it."""

import shutil
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from click import Context
from click.testing import CliRunner
from clients import local_client
from PIL import Image
from proving import sample

from counterpoint.cli.main import commands
from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.groups import Answer, Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.explorer.app import create_app
from counterpoint.store.documents import put_object
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.store.versions import RunRecord

HARM = "harm:thing"
"""A place in code, of a module that can be imported."""
LINES = """
ls lab
verify lab
verify lab --repair
pictures lab
score lab
score lab --by kind
words lab
compare lab harm:thing other
leaderboard lab
label-errors lab --suite plain
check lab
check lab --suite plain
report lab --out report.html
export-site lab --out site --limit 2
history lab harm:thing
export lab --suite plain --layout datasets --out datasets
export lab --suite plain --layout lmms-eval --out lmms-eval
export lab --suite plain --layout inspect --out inspect
export lab --suite plain --layout vlmevalkit --out vlmevalkit
rescore lab --rule given
votes lab
review lab --suite plain --sheet sheet.csv
review lab --task audit --no-serve
suite lab plain --valid
baseline lab harm:thing
gate lab --model harm:thing --rule accuracy>=0
augment lab --out training --items 5 --layout vqa
paper carets lab
study blind lab
study rad lab
run lab --model constant
run lab --model constant --suite foils
import lab predictions.jsonl --name mine
sample-size lab --detect 5
findings lab --model harm:thing
""".strip().splitlines()
WITHOUT_LAB = {"ask", "data", "demo", "generate", "list", "serve", "translate", "world", "init", "eval", "doctor"}
"""Commands that read no lab of somebody else; `serve` is tried by its pages."""


def _groups(mode: Mode) -> list[tuple[str, Group]]:
    relation = Relation.RANKS if mode is Mode.SCORE else Relation.SAME
    return [
        (
            HARM,
            Group(
                relation,
                tuple(Query(Picture("harm:a.png"), f"{HARM} {text} {number}", mode) for text in ("one", "two")),
                (None, None) if mode is Mode.SCORE else (Gold.of(HARM), Gold.of(HARM)),
                proof=HARM,
                kind=HARM,
                tags=(((HARM, HARM), ("source", HARM)), (("template", HARM),)),
            ),
        )
        for number in range(6)
    ]


@pytest.fixture
def lab(workdir: Path, folder: Path) -> LabStore:
    """A lab in which every name is that of a module in the working directory, which is on the import path too."""
    (workdir / "harm.py").write_text("open('harmed', 'w').close()\ndef thing(*given, **named): return None\n")
    (workdir / "predictions.jsonl").write_text('{"question_id": "1", "answer": "harm:thing", "model": "harm:thing"}\n')
    shutil.copytree(folder, workdir / "lab")
    return LabStore(workdir / "lab")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab = LabStore(tmp_path_factory.mktemp("named") / "lab")
    (lab.folder / "pictures").mkdir(parents=True)
    lab.put_run(RunRecord("0", HARM, HARM))
    Image.fromarray(np.zeros((30, 40, 3), np.uint8)).save(lab.folder / "pictures" / "a.png")
    lab.set_root("harm", lab.folder / "pictures")
    queries = list[Query]()
    for name, mode in (("plain", Mode.ANSWER), ("foils", Mode.SCORE)):
        table = groups_table(_groups(mode), name)
        about = {"source": HARM, "generator": HARM, "model": HARM, "checks": [HARM]}
        manifest = Manifest.of(table, generator=HARM, seed=1, version=HARM, parameters=about, source=HARM)
        lab.put_suite(replace(manifest, made_with=HARM), table)
        queries += [query for _, group in _groups(mode) for query in group.queries]
    settings = {"model": HARM, "name": HARM, "model_args": {"trust": "true", "trust_remote_code": "true"}}
    for run, fingerprint in enumerate((HARM, "other")):
        details = {"state": "done", "settings": settings, "scale": HARM, "abilities": [HARM], "suites": {HARM: HARM}}
        lab.put_run(RunRecord(str(run), fingerprint, fingerprint, details, HARM if run else ""))
        with lab.answers(fingerprint, run=str(run)) as log:
            said = Answer(raw=HARM, value=HARM, rule=HARM, top=((HARM, 0.5),))
            log.add((own.id, 0, Answer.scored(0.5) if own.mode is Mode.SCORE else said, "", 0.1) for own in queries)
    put_object(lab.storage, "baselines.json", {HARM: HARM})
    put_object(lab.storage, "text-only.json", {"fingerprints": [HARM]})
    return lab.folder


def _is_harmed(folder: Path) -> bool:
    return (folder / "harmed").exists() or "harm" in sys.modules


@pytest.mark.parametrize("line", sample(LINES, 9))
def test_no_command_imports_what_a_lab_names(lab: LabStore, line: str) -> None:
    result = CliRunner().invoke(commands, line.split())
    assert not _is_harmed(lab.folder.parent), line
    assert result.exit_code != 2, result.output  # the line itself is right
    if result.exception is not None:
        assert isinstance(result.exception, SystemExit | CounterpointError), line


def test_every_command_is_tried() -> None:
    assert set(commands.list_commands(Context(commands))) - WITHOUT_LAB == {line.split()[0] for line in LINES}


def test_no_page_imports_what_a_lab_names(lab: LabStore, cache: Path) -> None:
    client = local_client(create_app(lab, cache=cache))
    for page in (
        "/overview",
        "/suites/plain",
        "/suites/plain/models/harm-thing",
        "/browse",
        "/compare",
        "/overview.json",
    ):
        assert client.get(page).status_code < 500
    assert not _is_harmed(lab.folder.parent)


@pytest.mark.parametrize("fingerprint", ["../../escaped", "/tmp/escaped", "", "A" * 32])
def test_a_manifest_names_no_file(lab: LabStore, fingerprint: str) -> None:
    put_object(lab.storage, "suites/plain/manifest.json", asdict(lab.manifest("plain")) | {"fingerprint": fingerprint})
    with pytest.raises(StoreError, match="fingerprint is"):
        lab.manifest("plain")
    put_object(lab.storage, "suites/foils/manifest.json", asdict(lab.manifest("foils")) | {"suite": "../escaped"})
    with pytest.raises(StoreError, match="suite is"):
        lab.manifest("foils")


def test_a_record_names_no_file(lab: LabStore) -> None:
    put_object(lab.storage, "runs/0.json", asdict(RunRecord("../../escaped", "a", "a", {"answers": {"rows": 9}})))
    with pytest.raises(StoreError, match="is the record of run"):
        lab.runs()
    CliRunner().invoke(commands, ["verify", "lab", "--repair"])
    assert not list(lab.folder.parent.parent.glob("escaped*"))
