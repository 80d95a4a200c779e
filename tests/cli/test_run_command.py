"""`counterpoint run`, as a person meets it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import counterpoint
from counterpoint.cli.run import command
from counterpoint.core.errors import ModelError, StoreError, UnknownName
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.engine.running import RunSummary
from counterpoint.lab.running import RunReport
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest
from counterpoint.testing import ChatServer

OWN_MODELS = '''
import time
from pathlib import Path

from counterpoint.testing import Echo, FlakyModel


def nervous(pictures):
    """Fails at every tenth question."""
    return FlakyModel(lambda query, times: "too busy" if "0?" in query.text else "")


def broken(pictures):
    """Fails at all."""
    return FlakyModel(lambda query, times: "no key")


class Slow(Echo):
    """Takes a minute and more after a hundred answers, while there is a file of the name `held`."""

    fingerprint = "slow"

    def __init__(self, pictures):
        super().__init__()

    def answer(self, queries):
        for placed in super().answer(queries):
            self.answered = getattr(self, "answered", 0) + 1
            if self.answered > 100 and Path("held").exists():
                time.sleep(0.3)
            yield placed
'''


@pytest.fixture
def lab(workdir: Path) -> LabStore:
    """A lab with a suite about the world, in a folder with a module of models."""
    Path("our_models.py").write_text(OWN_MODELS)
    made = LabStore(Path("lab"))
    _put(made, "pairs", 30)
    return made


def _put(lab: LabStore, name: str, groups: int) -> None:
    def pair(n: int) -> Group:
        picture = Picture(f"world:test/{n % 3:06d}.png")
        mode = Mode.SCORE if n % 5 == 4 else Mode.ANSWER
        asked = tuple(Query(picture, text, mode) for text in (f"Is there {name} {n}?", f"Do you see {name} {n}?"))
        return Group(Relation.SAME, asked, (Gold.of("yes"),) * 2)

    table = groups_table((("plain", pair(n)) for n in range(groups)), name)
    lab.put_suite(Manifest.of(table, generator="tests", seed=0), table)


def _run(*words: object) -> Result:
    return CliRunner().invoke(command, list(map(str, words)), catch_exceptions=False)


def test_a_control_that_a_model_cannot_do_is_not_asked_and_nothing_fails(lab: LabStore) -> None:
    seen = Query(Picture("world:test/000001.png"), "Is there a cat?")
    group = Group(Relation.SWAP, (seen, replace(seen, picture=None)), (Gold.of("yes"),) * 2)
    table = groups_table([("blind-controls", group)], "controls")
    lab.put_suite(Manifest.of(table, generator="tests", seed=0), table)
    for answers in ("1 answer in", "0 answers in"):
        result = _run("lab", "--model", "cnn-lstm", "--suite", "controls")
        assert (result.exit_code, answers in result.stdout) == (0, True)
        assert "not asked: 1 query without a picture, which this model cannot do" in result.stdout
        assert "failed" not in result.stdout
    counts = json.loads(_run("lab", "--model", "cnn-lstm", "--suite", "controls", "--json").stdout)
    assert (counts["failed"], counts["beyond"], counts["blind"]) == (0, 1, 1)
    assert "2 answers in" in _run("lab", "--model", "question-only", "--suite", "controls").stdout


def test_a_model_is_asked_what_is_missing_and_told_what_came_of_it(lab: LabStore) -> None:
    said = _run("lab", "--model", "cnn-lstm")
    assert said.exit_code == 0
    first, beyond, alike = said.stdout.splitlines()
    assert first.startswith("cnn-lstm: 48 answers in ")
    assert beyond == "  not asked: 12 queries of an ability that this model does not have"
    checked = re.fullmatch(r"  batch invariance: 0 of (\d+) queries were answered differently when alone", alike)
    assert checked
    assert 4 <= int(checked[1]) <= 32  # as many as a second allows
    (model,) = lab.versions()
    assert model.title == "cnn-lstm"
    assert lab.read_answers(model.fingerprint).num_rows == 48
    assert "48 were answered before" in _run("lab", "--model", "cnn-lstm").stdout


def test_options_of_a_cluster_are_for_ray(lab: LabStore) -> None:
    done = _run(lab.folder, "--model", "question-only", "--cpus-per-worker", 2)
    assert done.exit_code == 2
    assert "--cpus-per-worker is for --engine ray" in done.stderr


@pytest.mark.parametrize(("cached", "said"), [(1, "1 was answered before"), (2, "2 were answered before")])
def test_what_was_answered_before_is_counted(cached: int, said: str) -> None:
    outcome = RunSummary(asked=0, failed=0, cached=cached, beyond=0, seconds=0.0, batch=1)
    assert said in RunReport("vlm", "vlm", "", "f", "r", outcome).text()


def test_a_run_can_be_narrowed_to_suites_and_to_the_first_groups_of_each(lab: LabStore) -> None:
    _put(lab, "more", 10)
    counts = [
        json.loads(_run("lab", "--model", "constant", "--json", *words).stdout)
        for words in (["--limit", 2], ["--suite", "more"], [])
    ]
    assert [count["asked"] for count in counts] == [8, 16, 56]
    assert [count["cached"] for count in counts] == [0, 4, 24]
    assert counts[0]["model"] == "constant"
    assert counts[0]["batch_invariance"]["differing"] == 0


def test_a_model_has_a_name_and_versions(lab: LabStore) -> None:
    words = ("lab", "--model", "constant", "--name", "mine", "--json")
    first = json.loads(_run(*words, "--version", "step-1").stdout)
    same = json.loads(_run(*words).stdout)
    other = json.loads(_run("lab", "--model", "random", *words[3:], "--version", "step-2").stdout)
    assert [run["version"] for run in (first, same, other)] == ["step-1", "step-1", "step-2"]
    assert (same["asked"], first["fingerprint"]) == (0, same["fingerprint"])
    assert [version.title for version in lab.versions()] == ["mine@step-1", "mine@step-2"]
    alias = json.loads(_run(*words, "--version", "week-46").stdout)
    assert alias["asked"] == 0
    assert lab.versions()[0].aliases == ("week-46",), "another tag for an unchanged model selects the same version"
    with pytest.raises(StoreError, match="has a version step-2 already"):
        _run(*words, "--version", "step-2")


def test_failures_are_told_with_their_commonest_reason_and_how_to_ask_again(lab: LabStore) -> None:
    said = _run("lab", "--model", "our_models:nervous", "--suite", "pairs")
    assert said.exit_code == 0
    assert "6 queries failed, 6 of them with 'too busy'" in said.stdout
    assert "  counterpoint run lab --model our_models:nervous --suite pairs" in said.stdout


def test_a_model_that_only_fails_stops_the_run_and_the_record_says_so(lab: LabStore) -> None:
    _put(lab, "more", 60)
    with pytest.raises(ModelError, match="because 'no key'; the run was stopped"):
        _run("lab", "--model", "our_models:broken")
    (info,) = lab.runs()
    assert info.details["state"] == "stopped"


def test_a_run_without_picture_files_exits_with_1_and_names_the_first_instead_of_asking_again(lab: LabStore) -> None:
    for name, count in (("few", 3), ("many", 60)):
        asked = [Query(Picture(f"mine:{n:02d}.png"), "Is it red?") for n in range(count)]
        groups = [(name, Group(Relation.GOLD, (query,), (Gold.of("yes"),))) for query in asked]
        table = groups_table(groups, name)
        lab.put_suite(Manifest.of(table, generator="tests", seed=0), table)
    lab.set_root("mine", Path("photos"))
    missing = f"is --pictures right?{{}}{Path('photos/00.png').resolve()} does not exist"
    done = _run("lab", "--model", "cnn-lstm", "--suite", "few")
    assert done.exit_code == 1
    assert f"  0 of 3 pictures found: {missing.format(chr(10) + '  ')}" in done.stdout
    assert done.stdout.endswith("To say where the pictures are:\n  counterpoint pictures lab mine=FOLDER\n")
    assert "To ask again" not in done.stdout
    with pytest.raises(ModelError, match="the run was stopped") as stopped:
        _run("lab", "--model", "cnn-lstm", "--suite", "many")
    assert stopped.value.hint == f"0 of 60 pictures found: {missing.format(' ')}"


def test_what_is_not_there_is_said(lab: LabStore) -> None:
    with pytest.raises(UnknownName, match="no suite of this lab is called 'pars'") as unknown:
        _run("lab", "--model", "constant", "--suite", "pars")
    assert "pairs" in unknown.value.hint
    with pytest.raises(StoreError, match="there is no lab at nowhere"):
        _run("nowhere", "--model", "constant")
    LabStore(Path("empty")).set_root("coco", Path("empty"))
    with pytest.raises(StoreError, match="empty holds no suite"):
        _run("empty", "--model", "constant")


def _press_ctrl_c(process: "subprocess.Popen[str]") -> str:
    """What a process printed before it ended; the key is pressed again where it was lost, as in a finalizer."""
    while True:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=60)[1]


def test_ctrl_c_keeps_what_was_answered_and_says_how_to_go_on(lab: LabStore) -> None:
    _put(lab, "more", 200)
    run = "import sys; sys.path.append(''); from counterpoint.cli.run import command; command()"
    words = [sys.executable, "-c", run, "lab", "--model", "our_models:Slow"]
    source = str(Path(counterpoint.__file__).parents[1])
    Path("held").touch()
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": source})
    while process.poll() is None and not any(record.details["counts"]["asked"] for record in lab.runs()):
        time.sleep(0.05)
    told = _press_ctrl_c(process)
    Path("held").unlink()
    assert process.returncode == 130
    assert told.endswith(
        "Stopped. What was answered is kept; to go on:\n  counterpoint run lab --model our_models:Slow\n"
    )
    kept = lab.read_answers("slow").num_rows
    assert 0 < kept < 460
    (info,) = lab.runs()
    assert (info.details["state"], info.details["counts"]["asked"]) == ("stopped", kept)
    again = json.loads(_run("lab", "--model", "our_models:Slow", "--json").stdout)
    assert (again["asked"], again["cached"]) == (460 - kept, kept)


@pytest.mark.parametrize(
    ("model", "option", "takers"),
    [
        ("constant", "--prices=prices.toml", "on servers, openai/…, anthropic/…, google/…"),
        ("constant", "--budget=5", "on servers, openai/…, anthropic/…, google/…"),
        ("our_models:Slow", "--concurrency=2", "on servers, openai/…, anthropic/…, google/…"),
        ("hf/no-such-model", "--base-url=http://localhost:1", "on servers, openai/…, anthropic/…, google/…"),
        ("anthropic/claude", "--batch", "on servers, openai/…"),
        ("fusion", "--device=cuda", "that are loaded here, hf/…"),
        ("google/gemini", "--dtype=float16", "that are loaded here, hf/…"),
    ],
)
def test_an_option_that_a_model_does_not_take_is_a_usage_error_that_names_those_that_do(
    lab: LabStore, model: str, option: str, takers: str
) -> None:
    for more in ([], ["--dry-run"]):
        done = _run("lab", "--model", model, option, *more)
        assert done.exit_code == 2
        assert f"{model} takes no {option.partition('=')[0]}: it is for models {takers}" in done.stderr


def test_a_server_without_the_model_is_not_taken_for_a_missing_picture(lab: LabStore) -> None:
    with ChatServer(models=("another",)) as server, pytest.raises(ModelError, match="does not exist") as told:
        _run("lab", "--model", "openai/nobody", "--base-url", server.base_url)
    assert "name of the model" in told.value.hint


@pytest.mark.parametrize("batch", [(), ("--batch", "--model-args", "poll=0.01")], ids=["one by one", "by batches"])
def test_a_temperature_that_the_server_refuses_is_told_once_and_in_the_record(
    lab: LabStore, batch: tuple[str, ...]
) -> None:
    with ChatServer(lambda asked: "Yes.", models=("thinker",), refuses=("temperature",)) as server:
        done = _run("lab", "--model", "openai/thinker", "--base-url", server.base_url, "--limit", "3", *batch)
    assert done.exit_code == 0, done.output
    assert done.stderr.count("refuses its temperature") == 1
    (version,) = LabStore(Path("lab")).versions()
    assert version.details["not_sent"] == ["temperature"]
    assert version.details["counts"]["failed"] == 0
