"""Tasks for people elsewhere: Label Studio, Mechanical Turk, and a table for Prolific or any form.

Every task carries the key of its item, which brings its votes back (`sources/results/vote_files.py`). The order of the
two texts of a judged pair is drawn from the group's id, so that half of the captions come first.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Mode, Query, Relation
from counterpoint.core.ids import content_id
from counterpoint.core.spreadsheets import defuse_formula
from counterpoint.core.votes import (
    AMBIGUOUS,
    CAPTION_FIRST,
    FOIL_FIRST,
    AuditCause,
    AuditVerdict,
    ItemKey,
    VoteTask,
    offered_answers,
)
from counterpoint.exports.datasets_folder import ExportedSuite
from counterpoint.exports.rows import PictureExporter
from counterpoint.exports.turk_form import turk_form
from counterpoint.store.folder import atomic_folder
from counterpoint.store.groups import read_queries
from counterpoint.store.pictures import LabPictures
from counterpoint.store.suites import StoredSuite

LABEL_STUDIO, MECHANICAL_TURK, FORM = "label-studio", "mturk", "form"
CROWD_LAYOUTS = (LABEL_STUDIO, MECHANICAL_TURK, FORM)
_PICTURES = "pictures"
_LOCAL_FILES = "/data/local-files/?d="  # where Label Studio serves files of its own machine
_QUESTIONS: Mapping[str, str] = {
    VoteTask.JUDGE: "Which of the two sentences accurately describes what can be seen?",
    VoteTask.ANSWER: "Answer the question about the picture.",
    VoteTask.AUDIT: "Is the answer right?",
}
_JUDGEMENTS: Mapping[str, str] = {
    "first": "The first, not the second",
    "second": "The second, not the first",
    "both": "Both",
    "neither": "Neither",
    "cannot-tell": "I cannot tell",
}
_VERDICTS = {
    AuditVerdict.RIGHT.value: "Yes",
    AuditVerdict.WRONG.value: "No",
    AuditVerdict.UNKNOWN.value: "I cannot tell",
}


@dataclass(frozen=True, slots=True)
class CrowdTask:
    """What a person is shown: a picture and some texts, by field, and the choices with their labels.

    Of a query that any answer can be given to, the only choice is "ambiguous".
    """

    key: ItemKey
    picture: str  # the name of its file; empty where there is none
    texts: Mapping[str, str]
    choices: Mapping[str, str]


def export_crowd_tasks(
    suite: StoredSuite, folder: Path, pictures: LabPictures, layout: str, task: str, *, picture_url: str = ""
) -> ExportedSuite:
    """Write the tasks of a suite for people elsewhere, with its pictures in a folder, atomically.

    `picture_url` is put before the name of each picture; without it, names are relative to the folder.
    """
    shown = PictureExporter(pictures)
    with atomic_folder(folder) as draft:
        (draft / _PICTURES).mkdir()
        tasks = list(_tasks(suite, task, shown, draft / _PICTURES))
        if not tasks:
            raise StoreError(f"{suite.manifest.suite} has nothing to {task}", hint="judge is for captions with foils")
        prefix = picture_url or (f"{_LOCAL_FILES}{_PICTURES}/" if layout == LABEL_STUDIO else f"{_PICTURES}/")
        writers = {LABEL_STUDIO: _write_label_studio, MECHANICAL_TURK: _write_mechanical_turk, FORM: _write_form}
        files = writers[layout](draft, tasks, prefix)
        size = sum(file.stat().st_size for file in draft.rglob("*") if file.is_file())
    return ExportedSuite(
        suite.manifest.suite, str(folder), len(tasks), suite.manifest.groups, len(shown.seen), size, files
    )


def usual_task(suite: StoredSuite) -> str:
    """The task that fits a suite: captions with foils are judged, questions are answered."""
    relations = set(suite.table["relation"].to_pylist())
    return VoteTask.JUDGE.value if relations == {Relation.RANKS.value} else VoteTask.ANSWER.value


def _tasks(suite: StoredSuite, task: str, shown: PictureExporter, folder: Path) -> Iterator[CrowdTask]:
    """One task per pair of caption and foil, per query, or per base with its gold."""
    table = suite.table.sort_by([("group_id", "ascending"), ("role", "ascending")])
    columns = (table[name].to_pylist() for name in ("group_id", "role", "relation", "gold", "proof"))
    rows = list(zip(read_queries(table), *columns, strict=True))
    texts = {(group, role): query.text for query, group, role, *_ in rows}
    name = suite.manifest.suite
    seen = set[object]()
    for query, group, role, relation, gold, proof in rows:
        own: CrowdTask | None = None
        if task == VoteTask.JUDGE and relation == Relation.RANKS and role == 1:
            own = _judge_task(name, group, texts[group, 0], query.text)
        elif task == VoteTask.ANSWER and query.mode is Mode.ANSWER and query.id not in seen:
            seen.add(query.id)
            own = _answer_task(name, group, query, offered_answers(query.choices, gold or ()))
        elif task == VoteTask.AUDIT and gold:
            answer = " / ".join(credit["answer"] for credit in gold if credit["credit"] == gold[0]["credit"])
            fields = {"context": query.context, "question": query.text, "answer": answer, "proof": proof}
            own = CrowdTask(ItemKey(task, name, group, query.id), "", fields, _VERDICTS)
        if own:
            yield CrowdTask(own.key, _write_picture(query, shown, folder), own.texts, own.choices)


def _judge_task(suite: str, group: int, caption: str, foil: str) -> CrowdTask:
    shown = CAPTION_FIRST if content_id(["order of texts", group]) % 2 else FOIL_FIRST
    first, second = (caption, foil) if shown == CAPTION_FIRST else (foil, caption)
    key = ItemKey(VoteTask.JUDGE.value, suite, group, None, shown)
    return CrowdTask(key, "", {"first": first, "second": second}, _JUDGEMENTS)


def _answer_task(suite: str, group: int, query: Query, offered: Sequence[str]) -> CrowdTask:
    choices = {choice: choice for choice in (*offered, AMBIGUOUS)}
    key = ItemKey(VoteTask.ANSWER.value, suite, group, query.id)
    return CrowdTask(key, "", {"context": query.context, "question": query.text}, choices)


def _write_picture(query: Query, shown: PictureExporter, folder: Path) -> str:
    if query.picture is None:
        return ""
    file = shown.file(query.picture)
    path, content = folder / str(file["path"]), file["bytes"]
    assert isinstance(content, bytes), "a picture is exported as bytes"
    if not path.exists():
        path.write_bytes(content)
    return path.name


def _fields(task: CrowdTask, prefix: str) -> dict[str, str]:
    """The columns of a task."""
    image = f"{prefix}{task.picture}" if task.picture else ""
    return {"item": str(task.key), "image": image, **task.texts}


def _shown_texts(tasks: Sequence[CrowdTask]) -> list[str]:
    """The texts that some task has."""
    return [name for name in tasks[0].texts if any(task.texts[name] for task in tasks)]


def _write_label_studio(folder: Path, tasks: Sequence[CrowdTask], prefix: str) -> tuple[str, ...]:
    """Tasks to import, and the labelling configuration of the project."""
    rows = [{"data": _fields(task, prefix) | _listed_choices(task)} for task in tasks]
    (folder / "tasks.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1), "utf-8")
    (folder / "config.xml").write_text(_label_studio_config(tasks), "utf-8")
    return "tasks.json", "config.xml"


def _listed_choices(task: CrowdTask) -> dict[str, object]:
    """The choices that differ from task to task."""
    is_answer = task.key.task == VoteTask.ANSWER
    return {"choices": [{"value": value} for value in task.choices]} if is_answer else {}


def _label_studio_config(tasks: Sequence[CrowdTask]) -> str:
    """Controls about the picture, or about the first text where there is none.

    Label Studio shows the value of a choice, and exports its alias.
    """
    task, texts = tasks[0].key.task, _shown_texts(tasks)
    shown = [f'<Text name="{name}" value="${name}"/>' for name in texts]
    if any(own.picture for own in tasks):
        shown.insert(0, '<Image name="picture" value="$image" zoom="true"/>')
    about = f'toName="{"picture" if len(shown) > len(texts) else texts[0]}"'
    if task == VoteTask.ANSWER:
        controls = [f'<Choices name="choice" {about} choice="single-radio" value="$choices"/>']
        controls += [_text_area("value", about, "another answer")]
    else:
        controls = [_choices("choice", about, tasks[0].choices, required=True)]
    if task == VoteTask.AUDIT:
        causes = {cause.value: cause.value.replace("-", " ") for cause in AuditCause}
        controls += [_choices("reason", about, causes), _text_area("value", about, "the correct gold")]
        controls += [_text_area("note", about, "note")]
    lines = [*shown, f'<Header value="{escape(_QUESTIONS[task])}"/>', *controls]
    return "\n  ".join(("<View>", *lines)) + "\n</View>\n"


def _choices(name: str, about: str, labels: Mapping[str, str], *, required: bool = False) -> str:
    options = "".join(f'\n    <Choice alias="{value}" value="{escape(label)}"/>' for value, label in labels.items())
    needed = ' required="true"' if required else ""
    return f'<Choices name="{name}" {about} choice="single-radio"{needed}>{options}\n  </Choices>'


def _text_area(name: str, about: str, placeholder: str) -> str:
    return f'<TextArea name="{name}" {about} placeholder="{placeholder}" maxSubmissions="1"/>'


def _write_form(folder: Path, tasks: Sequence[CrowdTask], prefix: str) -> tuple[str, ...]:
    """A table whose empty columns voter and choice are filled in, by hand or by a form that links to the pictures."""
    rows = [
        _fields(task, prefix) | {"choices": " | ".join(task.choices), "voter": "", "choice": "", "note": ""}
        for task in tasks
    ]
    _write_csv(folder / "tasks.csv", rows, "utf-8-sig")  # as spreadsheets know UTF-8
    return ("tasks.csv",)


def _write_mechanical_turk(folder: Path, tasks: Sequence[CrowdTask], prefix: str) -> tuple[str, ...]:
    """The input table of a batch, and the form of its tasks, into which the site puts cells as HTML."""
    rows = [
        {
            name: " ".join(escape(cell).split())  # a cell has one line
            for name, cell in (_fields(task, prefix) | {"choices": " | ".join(task.choices)}).items()
        }
        for task in tasks
    ]
    _write_csv(folder / "tasks.csv", rows, "utf-8")
    task = tasks[0].key.task
    has_picture, labels = any(own.picture for own in tasks), tasks[0].choices
    form = turk_form(task, _QUESTIONS[task], _shown_texts(tasks), labels, has_picture=has_picture)
    (folder / "form.html").write_text(form, "utf-8")
    return "tasks.csv", "form.html"


def _write_csv(path: Path, rows: Sequence[Mapping[str, str]], encoding: str) -> None:
    with path.open("w", encoding=encoding, newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows({key: defuse_formula(text) for key, text in row.items()} for row in rows)
