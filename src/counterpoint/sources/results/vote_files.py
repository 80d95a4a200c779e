"""Votes that were collected elsewhere: exports of Label Studio, results of Mechanical Turk, tables of any form.

Each row or task carries the key of its item, as it was exported. A vote has an id that follows from its file's own
ids, so that a file that is read twice adds nothing.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError
from counterpoint.core.votes import AuditVerdict, ItemKey, Judgement, Vote, VoteTask

LABEL_STUDIO, MECHANICAL_TURK, FORM = "label-studio", "mturk", "form"
_CHOICES: Mapping[str, tuple[str, ...]] = {VoteTask.JUDGE: tuple(Judgement), VoteTask.AUDIT: tuple(AuditVerdict)}
_TURK = {"item": "Input.item", "voter": "WorkerId", "seconds": "WorkTimeInSeconds", "time": "SubmitTime"}
_TURK_TIME = "%a %b %d %H:%M:%S %Z %Y"


def detect_vote_layout(path: Path) -> str:
    """Which tool wrote a file of votes, by its content."""
    text = _text(path)
    if text.lstrip().startswith(("[", "{")):
        return LABEL_STUDIO
    return MECHANICAL_TURK if "Input.item" in text.partition("\n")[0] else FORM


def read_vote_file(path: Path) -> list[Vote]:
    """The votes of a file, in its order; a SourceError names the first row that is none."""
    readers = {LABEL_STUDIO: _label_studio, MECHANICAL_TURK: _mechanical_turk, FORM: _form}
    return list(readers[detect_vote_layout(path)](path))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise SourceError(f"{path} cannot be read: {problem}", hint="save it as UTF-8") from problem


def _vote(place: str, item: str, voter: str, chosen: str, own_id: str, **more: Any) -> Vote:
    """A vote from the fields of another tool."""
    try:
        key = ItemKey.parse(item)
    except ValueError as problem:
        hint = "the column item has to be kept as it was exported"
        raise SourceError(f"{place}: {item!r} is no item", hint=hint) from problem
    choice = key.choice(" ".join(chosen.split()))
    known = _CHOICES.get(key.task)
    if not choice or (known and choice not in known):
        shown = f"one of {', '.join(('first', 'second', *known[2:]) if key.shown else known)}" if known else "an answer"
        raise SourceError(f"{place}: the choice is {chosen!r}", hint=f"{key.task} wants {shown}")
    if not voter.strip():
        raise SourceError(f"{place}: nobody is named as the voter", hint="fill in the column voter")
    digest = blake2b("\x1f".join((item, voter, own_id)).encode(), digest_size=16).hexdigest()
    return Vote(digest, key.task, key.suite, key.group_id, key.query, voter.strip(), choice, shown=key.shown, **more)


def _time(text: str, form: str = "") -> datetime:
    """When a vote was given; the beginning of time where the file does not say it, so that order is that of rows."""
    try:
        time = datetime.strptime(text, form) if form else datetime.fromisoformat(text)
    except ValueError:
        return datetime.fromtimestamp(0, UTC)
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _seconds(text: object) -> float:
    try:
        return max(float(str(text)), 0.0)
    except ValueError:
        return 0.0


def _label_studio(path: Path) -> Iterator[Vote]:
    """Tasks with annotations, as "JSON" exports them; a canceled annotation is no vote."""
    try:
        tasks = json.loads(_text(path))
    except (ValueError, RecursionError) as problem:
        raise SourceError(f"{path} cannot be read as JSON: {problem}", hint="export it as JSON") from problem
    for number, task in enumerate(tasks if isinstance(tasks, list) else [tasks], 1):
        annotations = task.get("annotations", ()) if isinstance(task, dict) else ()
        item = str(task.get("data", {}).get("item", "")) if isinstance(task, dict) else ""
        for annotation in annotations:
            if annotation.get("was_cancelled"):
                continue
            fields = _label_studio_fields(annotation.get("result", ()))
            who = annotation.get("completed_by", "")
            voter = str(who.get("email") or who.get("id", "")) if isinstance(who, dict) else str(who)
            more = {"seconds": _seconds(annotation.get("lead_time")), "time": _time(str(annotation.get("created_at")))}
            more |= {name: fields[name] for name in ("value", "reason", "note") if fields.get(name)}
            chosen = fields.get("choice") or fields.get("value", "")
            yield _vote(f"{path.name}, task {number}", item, voter, chosen, str(annotation.get("id", "")), **more)


def _label_studio_fields(results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What was chosen or written, by the name of the control."""
    fields = {}
    for result in results:
        value = result.get("value", {})
        chosen = value.get("choices") or value.get("text") or ()
        fields[str(result.get("from_name"))] = chosen if isinstance(chosen, str) else "; ".join(map(str, chosen))
    return fields


def _mechanical_turk(path: Path) -> Iterator[Vote]:
    """A batch of results; a rejected assignment is no vote."""
    for number, row in enumerate(csv.DictReader(_text(path).splitlines(keepends=True)), 2):
        if row.get("AssignmentStatus") == "Rejected":
            continue
        more = {name: row.get(f"Answer.{name}", "") or "" for name in ("value", "reason", "note")}
        chosen = row.get("Answer.choice") or _ticked(row) or more["value"]
        time, seconds = _time(row.get(_TURK["time"]) or "", _TURK_TIME), _seconds(row.get(_TURK["seconds"]))
        item, voter = (row.get(_TURK[name]) or "" for name in ("item", "voter"))
        own = row.get("AssignmentId") or ""
        yield _vote(f"{path.name}, row {number}", item, voter, chosen, own, time=time, seconds=seconds, **more)


def _ticked(row: Mapping[str, str | None]) -> str:
    """The radio button of Mechanical Turk's newer forms, which have a column for each: Answer.choice.first = true."""
    prefix = "Answer.choice."
    return next((name[len(prefix) :] for name, value in row.items() if name.startswith(prefix) and value == "true"), "")


def _form(path: Path) -> Iterator[Vote]:
    """A table with the columns item, voter and choice, and maybe seconds, time, value, reason and note."""
    rows = csv.DictReader(_text(path).splitlines(keepends=True))
    absent = [name for name in ("item", "voter", "choice") if name not in (rows.fieldnames or ())]
    if absent:
        hint = "it needs columns item, voter and choice"
        raise SourceError(f"{path} is no table of votes: it has no column {absent[0]}", hint=hint)
    order = count()
    for number, row in enumerate(rows, 2):
        if not (row["choice"] or "").strip():
            continue  # not voted on
        cells = {name: row.get(name) or "" for name in ("item", "voter", "choice", "value", "reason", "note", "time")}
        time = _time(cells["time"])
        time = time if time.timestamp() else datetime.fromtimestamp(next(order) / 1000, UTC)
        more = {name: cells[name] for name in ("value", "reason", "note")}
        place = f"{path.name}, row {number}"
        seconds = _seconds(row.get("seconds") or 0)
        yield _vote(place, cells["item"], cells["voter"], cells["choice"], "", time=time, seconds=seconds, **more)
