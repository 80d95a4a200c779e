"""A suite as a task of Inspect: a file that Python reads, every query once with its picture, and a way back."""

import ast
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from export_labs import CLEAR, PLAIN, asked, put, scored, toy_lab
from PIL import Image

from counterpoint.cli.main import commands
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.exports.inspect_task import export_inspect


def test_every_query_is_one_sample_and_its_log_comes_back(tmp_path: Path) -> None:
    lab = toy_lab(tmp_path / "lab")
    offered = Query(CLEAR, "Red or blue?", choices=("red", "blue"), context="It has a color.")
    texts = (Query(PLAIN, "Is it gray?"), Query(PLAIN, "Is this gray?"), Query(None, "Is gray a color?"))
    groups = [
        Group(Relation.SAME, texts, (Gold.of("yes"),) * 3),
        Group(Relation.GOLD, (offered,), (Gold((("blue", 1.0), ("navy", 0.6), ("green", 0.3))),), kind="color"),
        Group(Relation.GOLD, (texts[0],), (Gold.of("yes"),)),
    ]
    suite = put(lab, "mine-2.0", (("words", group) for group in groups))
    out = tmp_path / "out"
    exported = export_inspect(suite, out, lab.pictures())
    assert (exported.rows, exported.groups, exported.pictures) == (4, 3, 2)
    source = (out / "counterpoint_mine_2_0.py").read_text("utf-8")
    assert "counterpoint_mine_2_0" in [
        node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)
    ]
    samples = [json.loads(line) for line in (out / "counterpoint_mine_2_0.jsonl").read_text("utf-8").splitlines()]
    assert [sample["image"] == "" for sample in samples] == [False, False, True, False]
    assert samples[3]["prompt"].startswith("It has a color.\n\nRed or blue?\nChoose one of: red, blue.")
    assert samples[3]["answers"] == ["blue", "navy"]
    for sample in samples:
        if sample["image"]:
            with Image.open(out / sample["image"]) as image:
                assert image.size == (40, 30)
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "counterpoint_mine_2_0", "model": "mockllm/model"},
        "samples": [
            {
                "id": sample["query_id"],
                "epoch": 1,
                "input": [{"role": "user", "content": [{"type": "text", "text": sample["prompt"]}]}],
                "choices": sample["choices"] or None,
                "metadata": {"query_id": sample["query_id"]},
                "output": {"choices": [{"message": {"role": "assistant", "content": "yes"}}]},
            }
            for sample in samples
        ],
    }
    (tmp_path / "log.json").write_text(json.dumps(log))
    arguments = ["import", tmp_path / "lab", tmp_path / "log.json", "--name", "model", "--strict"]
    done = CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def test_inspect_itself_reads_the_task(tmp_path: Path) -> None:
    inspect_ai = pytest.importorskip("inspect_ai", reason="Inspect is not among the packages that tests install")
    lab = toy_lab(tmp_path / "lab")
    group = Group(Relation.SAME, (Query(PLAIN, "Is it gray?"), Query(PLAIN, "Is this gray?")), (Gold.of("yes"),) * 2)
    export_inspect(put(lab, "mine", iter([("words", group)])), tmp_path / "out", lab.pictures())
    task = tmp_path / "out" / "counterpoint_mine.py"
    (log,) = inspect_ai.eval(str(task), model="mockllm/model", log_dir=str(tmp_path / "logs"), display="none")
    assert log.status == "success"
    assert len(log.samples) == 2


def test_what_wants_a_score_is_refused(tmp_path: Path) -> None:
    lab = toy_lab(tmp_path / "lab")
    with pytest.raises(StoreError, match="ask for the score of a sentence"):
        export_inspect(put(lab, "foils", scored()), tmp_path / "out", lab.pictures())
    assert not (tmp_path / "out").exists()
    assert export_inspect(put(lab, "mixed", asked()), tmp_path / "out", lab.pictures()).rows > 0
