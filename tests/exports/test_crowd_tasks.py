"""Tasks for people in the layouts of other tools, and the votes that come back from them."""

import csv
import json
import re
from datetime import UTC, datetime
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


def test_tables_for_people_hold_no_formulas(tmp_path: Path) -> None:
    lab, texts = cp.Lab(tmp_path / "lab"), ('=HYPERLINK("http://evil.example")', "@SUM(A1)")
    queries = tuple(cp.Query(None, text, cp.Mode.SCORE) for text in texts)
    lab.add_groups([cp.Group(cp.Relation.RANKS, queries, (None, None))], "foils")
    for layout in ("form", "mturk"):
        lab.export("foils", layout=layout, out=tmp_path / layout)
        cells = [cell for row in _rows(tmp_path / layout / "tasks.csv") for cell in row.values()]
        assert len([cell for cell in cells if cell.startswith(("'=HYPERLINK", "'@SUM"))]) == 2
        assert not [cell for cell in cells if cell.startswith(("=", "@"))]


def test_label_studio_gives_back_what_people_chose(lab: cp.Lab, tmp_path: Path) -> None:
    lab.export("existence", layout="label-studio", out=tmp_path / "studio")
    tasks = json.loads((tmp_path / "studio" / "tasks.json").read_text("utf-8"))
    config = ElementTree.parse(tmp_path / "studio" / "config.xml").getroot()
    names = {node.get("value", "")[1:] for node in config.iter() if node.get("value", "").startswith("$")}
    assert names <= tasks[0]["data"].keys(), "the configuration names fields that tasks have"
    shown = {node.get("alias"): node.get("value") for node in config.iter("Choice")}
    assert list(shown) == ["first", "second", "both", "neither", "cannot-tell"]
    assert shown["first"] == "The first, not the second", "a value is what people see"
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


def test_label_studio_offers_the_answers_that_fit_each_question(lab: cp.Lab, tmp_path: Path) -> None:
    lab.export("negation", layout="label-studio", out=tmp_path / "studio")
    tasks = json.loads((tmp_path / "studio" / "tasks.json").read_text("utf-8"))
    offered = [[choice["value"] for choice in task["data"]["choices"]] for task in tasks]
    assert all(choices == ["yes", "no", "ambiguous"] for choices in offered)
    config = ElementTree.parse(tmp_path / "studio" / "config.xml").getroot()
    assert [node.get("name") for node in config.iter("Text")] == ["question"], "no task has a context"
    said: tuple[dict[str, Any], ...] = ({"choice": "no"}, {"value": ["a dog"]})
    small = [
        task["data"] | {"annotator": 7, "annotation_id": number, "created_at": "2026-11-16T10:00:00Z", **given}
        for number, (task, given) in enumerate(zip(tasks, said, strict=False))
    ]
    (tmp_path / "min.json").write_text(json.dumps(small), "utf-8")
    copy = _copy(lab, tmp_path)
    copy.import_votes(tmp_path / "min.json")
    assert [(vote.voter, vote.choice) for vote in all_votes(copy.store.storage)] == [("7", "no"), ("7", "a dog")]


def _annotation(number: int, who: str, chosen: str) -> dict[str, Any]:
    result = [{"from_name": "choice", "to_name": "picture", "type": "choices", "value": {"choices": [chosen]}}]
    about = {"id": number, "lead_time": 4.5, "created_at": f"2026-11-16T10:00:0{number}.000000Z"}
    return about | {"completed_by": {"id": number, "email": who}, "was_cancelled": False, "result": result}


@pytest.mark.parametrize("style", ["one column", "a column for each choice", "one cell of JSON"])
def test_mechanical_turk_gives_back_what_people_chose(lab: cp.Lab, tmp_path: Path, style: str) -> None:
    lab.export("existence", layout="mturk", out=tmp_path / "turk", picture_url="https://pictures.example/")
    rows = _rows(tmp_path / "turk" / "tasks.csv")
    assert all(row["image"].startswith("https://pictures.example/") for row in rows)
    form = (tmp_path / "turk" / "form.html").read_text("utf-8")
    assert all(f"${{{name}}}" in form for name in ("image", "first", "second"))
    assert not re.findall(r"""(?:src|href)=["']http""", form), "the form needs nothing of another site"
    assert re.findall(r'<form method="post" id="mturk_form" action="(.*)">', form) == [
        "https://www.mturk.com/mturk/externalSubmit"
    ]
    answers = [{"Answer.choice": _caption_side(row["item"])} for row in rows]
    sides = ("first", "second", "both", "neither", "cannot-tell")
    if style == "one cell of JSON":
        ticked = [{side: side == answer["Answer.choice"] for side in sides} for answer in answers]
        answers = [{"Answer.taskAnswers": json.dumps([{"choice": own}])} for own in ticked]
    elif style != "one column":
        answers = [
            {f"Answer.choice.{side}": str(side == answer["Answer.choice"]).lower() for side in sides}
            for answer in answers
        ]
    about = {"WorkerId": "A1", "WorkTimeInSeconds": "12", "SubmitTime": "Mon Nov 16 10:00:00 PST 2026"}
    results = [
        {"AssignmentId": str(number), "AssignmentStatus": "Approved", "Input.item": row["item"], **about, **answer}
        for number, (row, answer) in enumerate(zip(rows, answers, strict=True))
    ]
    results = [row | {"Approve": "", "Reject": ""} for row in results]
    results.append(results[0] | {"AssignmentId": "x", "AssignmentStatus": "Rejected", "WorkerId": "A2"})
    results.append(results[0] | {"AssignmentId": "y", "Reject": "all the same", "WorkerId": "A3"})
    with (tmp_path / "results.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(results[0]))
        table.writeheader()
        table.writerows(results)
    copy = _copy(lab, tmp_path)
    assert copy.import_votes(tmp_path / "results.csv").added == len(rows)
    assert set(_exported_votes(copy).values()) == {"caption"}
    votes = all_votes(copy.store.storage)
    assert {(vote.voter, vote.time) for vote in votes} == {("A1", datetime(2026, 11, 16, 18, tzinfo=UTC))}


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


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table_is_read_however_a_spreadsheet_saves_it(lab: cp.Lab, tmp_path: Path, mark: str) -> None:
    """With semicolons where the comma is the decimal sign; a cell may hold a line break of any alphabet."""
    lab.export("negation", layout="form", out=tmp_path / "form")
    items = [row["item"] for row in _rows(tmp_path / "form" / "tasks.csv")[:2]]
    note, long = "first\u2028second\x85third\nfourth", "very " * 50_000
    rows = [["item", "voter", "choice", "note", "seconds"], [items[0], "ann", "yes", note, "7"]]
    with (tmp_path / "filled.csv").open("w", encoding="utf-8-sig", newline="") as file:
        file.write("\r\n")
        csv.writer(file, delimiter=mark).writerows([*rows, [items[1], "bob", "no", long, "8"]])
    copy = _copy(lab, tmp_path)
    assert copy.import_votes(tmp_path / "filled.csv").added == 2
    votes = {vote.voter: vote for vote in all_votes(copy.store.storage)}
    assert (votes["ann"].note, votes["ann"].seconds, votes["bob"].seconds) == (note, 7.0, 8.0)
    assert votes["bob"].note == long


def test_votes_of_participants_whom_prolific_did_not_pay_are_left_out(lab: cp.Lab, tmp_path: Path) -> None:
    lab.export("existence", layout="form", out=tmp_path / "form")
    item = _rows(tmp_path / "form" / "tasks.csv")[0]["item"]
    filled = [f"{who},{item},first" for who in ("5e90", "5c65", "60aa")]
    (tmp_path / "form.csv").write_text("\n".join(["PROLIFIC_PID,item,choice", *filled]), "utf-8")
    paid = [
        "Submission id,Participant id,Status,Started at",
        "1,5e90,APPROVED,",
        "2,5c65,RETURNED,",
        "3,60aa,REJECTED,",
    ]
    (tmp_path / "prolific_export.csv").write_text("\n".join([*paid, "4,60aa,AWAITING REVIEW,"]), "utf-8")
    copy = _copy(lab, tmp_path)
    copy.import_votes(tmp_path / "form.csv", tmp_path / "prolific_export.csv")
    assert {vote.voter for vote in all_votes(copy.store.storage)} == {"5e90", "60aa"}


def test_audits_show_gold_and_proof_and_bring_back_the_cause(lab: cp.Lab, tmp_path: Path) -> None:
    lab.export("negation", layout="form", out=tmp_path / "audit", task="audit")
    first, second, third = rows = _rows(tmp_path / "audit" / "tasks.csv")[:3]
    assert all(row["answer"] and row["proof"] for row in rows)
    assert ItemKey.parse(first["item"]).group_id == ItemKey.parse(second["item"]).group_id
    lines = [
        "item,voter,choice,value,reason",
        f"{first['item']},ann,wrong,no,wrong-annotation",
        f"{second['item']},ann,wrong,yes,",
        f"{third['item']},ann,right,,",
    ]
    (tmp_path / "audits.csv").write_text("\n".join(lines), "utf-8")
    copy = _copy(lab, tmp_path)
    assert copy.import_votes(tmp_path / "audits.csv").added == 2, "an audit is of a group"
    assert copy.import_votes(tmp_path / "audits.csv").added == 0
    wrong, right = all_votes(copy.store.storage)
    assert (wrong.choice, wrong.reason, right.choice) == ("wrong", "wrong-annotation", "right")
    assert [(own.query, own.answer) for own in wrong.corrections] == [
        (ItemKey.parse(first["item"]).query, "no"),
        (ItemKey.parse(second["item"]).query, "yes"),
    ]


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
