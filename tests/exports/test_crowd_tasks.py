"""Tasks for people in the layouts of other tools, and the votes that come back from them."""

import csv
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import counterpoint as cp
from counterpoint.core.votes import CAPTION_FIRST, ItemKey
from counterpoint.store.votes import all_votes


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> cp.Lab:
    lab = cp.Lab(tmp_path_factory.mktemp("crowd") / "lab")
    lab.generate("existence", "negation", items=40, limit=6)
    return lab


def _copy(lab: cp.Lab, folder: Path) -> cp.Lab:
    """The same suites without votes."""
    new = cp.Lab(folder / "copy")
    for name in lab.suites:
        stored = lab.store.suite(name)
        new.store.put_suite(stored.manifest, stored.table)
    return new


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _caption_side(item: str) -> str:
    return "first" if ItemKey.parse(item).shown == CAPTION_FIRST else "second"


def _exported_votes(lab: cp.Lab) -> dict[tuple[str, int], str]:
    return {(vote.voter, vote.group_id): vote.choice for vote in all_votes(lab.store.storage)}


def test_label_studio_gives_back_what_people_chose(lab: cp.Lab, tmp_path: Path) -> None:
    lab.export("existence", layout="label-studio", out=tmp_path / "studio")
    tasks = json.loads((tmp_path / "studio" / "tasks.json").read_text("utf-8"))
    config = ElementTree.parse(tmp_path / "studio" / "config.xml").getroot()
    names = {node.get("value", "")[1:] for node in config.iter() if node.get("value", "").startswith("$")}
    assert names <= tasks[0]["data"].keys(), "the configuration names fields that tasks have"
    assert {task["data"]["image"].rpartition("/")[2] for task in tasks} <= {
        file.name for file in (tmp_path / "studio" / "pictures").iterdir()
    }
    done = [
        task
        | {
            "id": number,
            "annotations": [
                _annotation(1, "ann@lab.example", _caption_side(task["data"]["item"])),
                _annotation(2, "bob@lab.example", "both"),
                _annotation(3, "cut@lab.example", "both") | {"was_cancelled": True},
            ],
        }
        for number, task in enumerate(tasks)
    ]
    (tmp_path / "export.json").write_text(json.dumps(done), "utf-8")
    copy = _copy(lab, tmp_path)
    assert copy.import_votes(tmp_path / "export.json").added == 2 * len(tasks)
    assert copy.import_votes(tmp_path / "export.json").added == 0
    votes = _exported_votes(copy)
    assert {choice for (voter, _), choice in votes.items() if voter.startswith("ann")} == {"caption"}
    assert {choice for (voter, _), choice in votes.items() if voter.startswith("bob")} == {"both"}
    assert copy.votes().counts[0].items == len(tasks)


def _annotation(number: int, who: str, chosen: str) -> dict[str, Any]:
    result = [{"from_name": "choice", "to_name": "picture", "type": "choices", "value": {"choices": [chosen]}}]
    about = {"id": number, "lead_time": 4.5, "created_at": f"2026-11-16T10:00:0{number}.000000Z"}
    return about | {"completed_by": {"id": number, "email": who}, "was_cancelled": False, "result": result}


@pytest.mark.parametrize("style", ["one column", "a column for each choice"])
def test_mechanical_turk_gives_back_what_people_chose(lab: cp.Lab, tmp_path: Path, style: str) -> None:
    lab.export("existence", layout="mturk", out=tmp_path / "turk", picture_url="https://pictures.example/")
    rows = _rows(tmp_path / "turk" / "tasks.csv")
    assert all(row["image"].startswith("https://pictures.example/") for row in rows)
    form = (tmp_path / "turk" / "form.html").read_text("utf-8")
    assert all(f"${{{name}}}" in form for name in ("image", "first", "second"))
    assert "http" not in form, "the form needs nothing of another site"
    answers = [{"Answer.choice": _caption_side(row["item"])} for row in rows]
    if style != "one column":
        sides = ("first", "second", "both", "neither", "cannot-tell")
        answers = [
            {f"Answer.choice.{side}": str(side == answer["Answer.choice"]).lower() for side in sides}
            for answer in answers
        ]
    about = {"WorkerId": "A1", "WorkTimeInSeconds": "12", "SubmitTime": "Mon Nov 16 10:00:00 PST 2026"}
    results = [
        {"AssignmentId": str(number), "AssignmentStatus": "Approved", "Input.item": row["item"], **about, **answer}
        for number, (row, answer) in enumerate(zip(rows, answers, strict=True))
    ]
    results.append(results[0] | {"AssignmentId": "x", "AssignmentStatus": "Rejected", "WorkerId": "A2"})
    with (tmp_path / "results.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(results[0]))
        table.writeheader()
        table.writerows(results)
    copy = _copy(lab, tmp_path)
    assert copy.import_votes(tmp_path / "results.csv").added == len(rows)
    assert set(_exported_votes(copy).values()) == {"caption"}


def test_a_table_of_any_form_is_filled_in_and_read(lab: cp.Lab, tmp_path: Path) -> None:
    report = lab.export("negation", layout="form", out=tmp_path / "form")
    rows = _rows(tmp_path / "form" / "tasks.csv")
    assert report.exported.rows == len(rows) == len({row["item"] for row in rows})
    assert {ItemKey.parse(row["item"]).task for row in rows} == {"answer"}
    for row in rows[:3]:
        row |= {"voter": "ann", "choice": "yes"}
    filled = tmp_path / "filled.csv"
    with filled.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    copy = _copy(lab, tmp_path)
    assert copy.import_votes(filled).added == 3, "rows without a choice are no votes"
    assert {vote.query for vote in all_votes(copy.store.storage)} == {
        ItemKey.parse(row["item"]).query for row in rows[:3]
    }


def test_audits_show_gold_and_proof_and_bring_back_the_cause(lab: cp.Lab, tmp_path: Path) -> None:
    lab.export("negation", layout="form", out=tmp_path / "audit", task="audit")
    row = _rows(tmp_path / "audit" / "tasks.csv")[0]
    assert row["answer"]
    assert row["proof"]
    line = {"item": row["item"], "voter": "ann", "choice": "wrong", "value": "no", "reason": "wrong-annotation"}
    (tmp_path / "audits.csv").write_text(f"{','.join(line)}\n{','.join(line.values())}\n", "utf-8")
    copy = _copy(lab, tmp_path)
    copy.import_votes(tmp_path / "audits.csv")
    (vote,) = all_votes(copy.store.storage)
    assert (vote.choice, vote.value, vote.reason) == ("wrong", "no", "wrong-annotation")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("voter,choice\nann,yes\n", "has no column item"),
        ("item,voter,choice\njudge,ann,first\n", "row 2: 'judge' is no item"),
        ("item,voter,choice\njudge/existence/ff//caption-first,ann,perhaps\n", "row 2: the choice is 'perhaps'"),
        ("item,voter,choice\njudge/existence/ff//caption-first,,first\n", "row 2: nobody is named"),
        ("item,voter,choice\njudge/existence/ff//caption-first,ann,first\n", "is on a group of"),
    ],
)
def test_bad_rows_are_named_and_nothing_is_added(lab: cp.Lab, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "votes.csv").write_text(content, "utf-8")
    copy = _copy(lab, tmp_path)
    with pytest.raises(cp.CounterpointError, match=message):
        copy.import_votes(tmp_path / "votes.csv")
    assert not all_votes(copy.store.storage)
