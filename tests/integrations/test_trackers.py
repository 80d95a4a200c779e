"""Versions in trackers: each against the real package, in its offline or file mode, and read back."""

import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from click.testing import CliRunner
from gate_labs import order_lab, say_yes

import counterpoint as cp
from counterpoint.cli.gate import command as gate
from counterpoint.cli.main import commands

METRICS = {"order/accuracy", "order/accuracy_low", "order/accuracy_high", "order/self_consistency"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lab = order_lab(tmp_path_factory.mktemp("lab"), pictures=8, wrong=2)
    cp.evaluate(say_yes, lab, name="team/vlm", version="step-100")
    return lab.folder


@pytest.fixture
def lab(folder: Path, workdir: Path) -> cp.Lab:
    """A copy of the lab, with an empty working directory around it."""
    return cp.Lab(copytree(folder, workdir / "lab"))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_version_is_logged_once_and_again_where_its_scores_changed(lab: cp.Lab) -> None:
    path = Path("counterpoint.jsonl")
    first = lab.log("team/vlm", "jsonl")
    again = lab.log("team/vlm", "jsonl")
    assert (first.notes(), again.notes()) == (
        ["team/vlm: logged to jsonl (counterpoint.jsonl)"],
        ["team/vlm: these scores are in jsonl already"],
    )
    (line,) = _lines(path)
    assert (line["model"], line["version"], line["step"]) == ("team/vlm", "step-100", 100)
    assert line["metrics"].keys() >= METRICS
    assert line["metrics"]["order/accuracy_low"] < line["metrics"]["order/accuracy"] == 0.75
    assert line["failed"] == {"order": 2}
    assert {(row["gold"], row["answer"]) for row in line["failures"]} == {("no", "yes")}
    lab.add_groups([cp.Group(cp.Relation.SAME, (cp.Query(None, "Is it?"),) * 2, (cp.Gold.of("no"),) * 2)], "more")
    cp.evaluate(say_yes, lab, name="team/vlm", version="step-100", trackers=["jsonl"])
    assert [len(line["failed"]) for line in _lines(path)] == [1, 2]


def test_tensorboard_shows_scores_with_margins_and_failures_as_text(lab: cp.Lab) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.custom_scalar import layout_pb2

    report = cp.evaluate(say_yes, lab, name="team/vlm", version="step-200", trackers=["tensorboard:runs"])
    lab.log("team/vlm@step-100", "tensorboard:runs")
    assert "logged to tensorboard (runs/team-vlm)" in report.text()
    events = EventAccumulator("runs/team-vlm").Reload()
    assert [(event.step, event.value) for event in events.Scalars("order/accuracy")] == [(200, 0.75), (100, 0.75)]
    layout = layout_pb2.Layout.FromString(events.Tensors("custom_scalars__config__")[0].tensor_proto.string_val[0])
    (series,) = layout.category[0].chart[0].margin.series
    assert {series.value, series.lower, series.upper} <= set(events.Tags()["scalars"])
    (text, *_) = events.Tensors("failures/order")
    assert "Is there a cat and a dog?" in text.tensor_proto.string_val[0].decode()


@pytest.mark.prove
def test_mlflow_has_a_run_per_version_in_its_file_store(lab: cp.Lab, environ: MutableMapping[str, str]) -> None:
    environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    from mlflow import MlflowClient

    where = Path("mlruns").absolute().as_uri()
    lab.log("team/vlm", f"mlflow:{where}")
    lab.add_groups([cp.Group(cp.Relation.SAME, (cp.Query(None, "Is it?"),) * 2, (cp.Gold.of("no"),) * 2)], "more")
    cp.evaluate(say_yes, lab, name="team/vlm", version="step-100", trackers=[f"mlflow:{where}"])
    client = MlflowClient(where)
    (run,) = client.search_runs([client.get_experiment_by_name("counterpoint").experiment_id])
    assert run.info.run_name == "team/vlm@step-100"
    assert run.data.metrics.keys() >= METRICS | {"more/accuracy"}
    assert [metric.step for metric in client.get_metric_history(run.info.run_id, "order/accuracy")] == [100, 100]
    assert {file.path for file in client.list_artifacts(run.info.run_id)} == {
        "scores.svg",
        "failures.html",
        "failures.json",
    }


@pytest.mark.prove
def test_wandb_writes_a_run_offline(lab: cp.Lab) -> None:
    code = "import counterpoint as cp; print(cp.Lab('lab').log('team/vlm', 'wandb:trial'))"
    settings = os.environ | {"WANDB_MODE": "offline", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=True)
    assert "logged to wandb (trial)" in done.stdout
    (file,) = Path("wandb").glob("offline-run-*/*.wandb")
    records = list(_wandb_records(file))
    (run,) = [record.run for record in records if record.WhichOneof("record_type") == "run"]
    assert (run.project, run.run_group, run.display_name) == ("trial", "team/vlm", "team/vlm@step-100")
    items = [item for record in records for item in record.history.item]
    logged = {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in items}
    assert logged.keys() >= METRICS | {"scores/sha256", "failures/nrows"}
    (table,) = Path("wandb").glob("offline-run-*/files/media/table/*.json")
    assert "Is there a cat and a dog?" in table.read_text("utf-8")


def _wandb_records(file: Path) -> Iterator[Any]:
    """The records of a log in LevelDB's format: blocks of 32 KiB, records in parts with a header of 7 bytes."""
    from wandb.proto.wandb_internal_pb2 import Record

    content, place, record = file.read_bytes(), 7, b""
    while place + 7 <= len(content):
        left = 32768 - place % 32768
        if left < 7:
            place += left
            continue
        _, length, kind = struct.unpack("<IHB", content[place : place + 7])
        record += content[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield Record.FromString(record)
            record = b""


@pytest.mark.parametrize("tracker", ["wandb", "mlflow", "tensorboard"])
def test_a_tracker_that_is_not_installed_says_how_to_install_it(
    lab: cp.Lab, tracker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == tracker]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, tracker, None)
    with pytest.raises(cp.CounterpointError, match=f"{tracker} is not installed") as told:
        lab.log("team/vlm", tracker)
    assert told.value.hint == cp.install_command(tracker)
    assert lab.log("team/vlm", "jsonl:after.jsonl").logged[0].is_new


def test_an_unknown_tracker_and_a_file_that_cannot_be_written_are_told(lab: cp.Lab) -> None:
    with pytest.raises(cp.UnknownName, match="no tracker is called 'wandbb'"):
        lab.log("team/vlm", "wandbb")
    with pytest.raises(cp.CounterpointError, match="cannot be written"):
        lab.log("team/vlm", "jsonl:nowhere/log.jsonl")


def test_a_tracker_that_fails_in_its_own_way_is_told_in_a_sentence(lab: cp.Lab) -> None:
    Path("runs").write_text("a file where a folder belongs")
    with pytest.raises(cp.CounterpointError, match="tensorboard did not take team/vlm@step-100: "):
        lab.log("team/vlm", "tensorboard")


def test_eval_logs_the_versions_of_its_models_to_the_trackers_of_its_file_and_of_its_flag(workdir: Path) -> None:
    folder = workdir / "weekly"
    folder.mkdir()
    (folder / "counterpoint.toml").write_text(
        """trackers = ["jsonl"]
        [[suites]]
        suite = "order"
        items = 4
        limit = 4
        [[models]]
        model = "constant"
        """
    )
    done = CliRunner().invoke(commands, ["eval", "weekly/counterpoint.toml", "--log", "jsonl:nowhere/log.jsonl"])
    assert done.exit_code == 1
    assert "not logged: constant: " in done.output
    again = CliRunner().invoke(commands, ["eval", "weekly/counterpoint.toml", "--log", "jsonl:more.jsonl"])
    assert again.exit_code == 0, again.output
    assert "constant: these scores are in jsonl already" in again.output
    assert [line["model"] for file in sorted(folder.glob("*.jsonl")) for line in _lines(file)] == ["constant"] * 2


def test_eval_names_the_line_of_an_unknown_tracker(workdir: Path) -> None:
    Path("counterpoint.toml").write_text('trackers = ["wandbb"]\n')
    with pytest.raises(cp.CounterpointError, match="line 1") as told:
        cp.load_evaluation()
    assert "did you mean wandb?" in told.value.hint


def test_the_gate_logs_what_it_judged(lab: cp.Lab) -> None:
    options = ["--model", "team/vlm", "--rule", "accuracy >= 0.1", "--log", "jsonl", "--json"]
    done = CliRunner().invoke(gate, [str(lab.folder), *options])
    assert json.loads(done.stdout)["model"] == "team/vlm"
    assert "logged to jsonl" in done.stderr
    assert len(_lines(Path("counterpoint.jsonl"))) == 1
