"""A suite as a table of VLMEvalKit: every query once, with a picture that can be decoded, and a way back."""

import base64
import csv
import json
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from export_labs import CLEAR, PLAIN, asked, put, scored, toy_lab
from PIL import Image

from counterpoint.cli.main import commands
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.exports.vlmevalkit_table import export_vlmevalkit


def test_every_query_is_one_row_and_its_answers_come_back(tmp_path: Path) -> None:
    lab = toy_lab(tmp_path / "lab")
    offered = Query(CLEAR, "Red\tor\nblue?", choices=("red", "blue"), context="It has a color.")
    groups = [
        Group(Relation.SAME, (Query(PLAIN, "Is it gray?"), Query(PLAIN, "Is this gray?")), (Gold.of("yes"),) * 2),
        Group(Relation.GOLD, (offered,), (Gold.of("blue"),), kind="color"),
        Group(Relation.GOLD, (Query(PLAIN, "Is it gray?"),), (Gold.of("yes"),)),
    ]
    suite = put(lab, "mine", (("words", group) for group in groups))
    exported = export_vlmevalkit(suite, tmp_path / "out", lab.pictures())
    assert (exported.rows, exported.groups, exported.pictures) == (3, 3, 2)
    with (tmp_path / "out" / "counterpoint_mine.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [row["question"] for row in rows] == ["Is it gray?", "Is this gray?", "Red\tor\nblue?"]
    assert [row["answer"] for row in rows] == ["yes", "yes", "B"]
    assert [(row["A"], row["B"], row["hint"]) for row in rows[1:]] == [("", "", ""), ("red", "blue", "It has a color.")]
    assert rows[1]["image"] == "0", "an earlier row has the picture"
    for row in (rows[0], rows[2]):
        assert Image.open(BytesIO(base64.b64decode(row["image"]))).size == (40, 30)
    results = [{"index": row["index"], "query_id": row["query_id"], "prediction": "yes"} for row in rows]
    (tmp_path / "results.json").write_text(json.dumps(results))
    arguments = ["import", tmp_path / "lab", tmp_path / "results.json", "--name", "model", "--strict"]
    done = CliRunner().invoke(commands, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def test_what_has_no_picture_or_wants_a_score_is_refused(tmp_path: Path) -> None:
    lab = toy_lab(tmp_path / "lab")
    with pytest.raises(StoreError, match="queries without a picture"):
        export_vlmevalkit(put(lab, "mixed", asked()), tmp_path / "out", lab.pictures())
    with pytest.raises(StoreError, match="ask for the score of a sentence") as raised:
        export_vlmevalkit(put(lab, "foils", scored()), tmp_path / "out", lab.pictures())
    assert "VLMEvalKit" in raised.value.hint
    assert not (tmp_path / "out").exists()
