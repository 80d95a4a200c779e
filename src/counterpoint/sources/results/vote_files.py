"""Votes that were collected elsewhere: exports of Label Studio, results of Mechanical Turk, tables of any form.

Each row or task carries the key of its item, as it was exported. A vote has an id that follows from its file's own
ids, so that a file that is read twice adds nothing. Other tools audit one query at a time; what a person said about the
queries of one group becomes one audit, as it is in the browser.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.votes import AuditVerdict, GoldCorrection, ItemKey, Judgement, Vote, VoteTask
from counterpoint.sources.reading.tables import FIELD_CHARACTERS, field_mark

LABEL_STUDIO, MECHANICAL_TURK, FORM, SUBMISSIONS = "label-studio", "mturk", "form", "prolific-submissions"
_CHOICES: Mapping[str, tuple[str, ...]] = {VoteTask.JUDGE: tuple(Judgement), VoteTask.AUDIT: tuple(AuditVerdict)}
_TURK = {"item": "Input.item", "voter": "WorkerId", "seconds": "WorkTimeInSeconds", "time": "SubmitTime"}
_TURK_TIME = "%a %b %d %H:%M:%S %Y %z"
_TURK_ZONES = {"PST": "-0800", "PDT": "-0700", "UTC": "+0000", "GMT": "+0000"}
_VOTER_COLUMNS = ("voter", "PROLIFIC_PID", "Participant id")
_PAID = frozenset({"APPROVED", "AWAITING REVIEW", "PARTIALLY APPROVED"})


def detect_vote_layout(path: Path) -> str:
    """Which tool wrote a file of votes, by its content."""
    text = _text(path)
    if text.lstrip().startswith(("[", "{")):
        return LABEL_STUDIO
    head = text.lstrip().partition("\n")[0]
    if {"Submission id", "Participant id", "Status"} <= {name.strip('"\r') for name in head.split(field_mark(head))}:
        return SUBMISSIONS
    return MECHANICAL_TURK if "Input.item" in head else FORM


def read_vote_files(paths: Sequence[Path]) -> list[Vote]:
    """The votes of files, in their order; a SourceError names the first row that is none.

    A file of Prolific's submissions holds no votes: those of participants who were not paid are left out.
    """
    layouts = {path: detect_vote_layout(path) for path in paths}
    readers = {LABEL_STUDIO: _label_studio, MECHANICAL_TURK: _mechanical_turk, FORM: _form}
    votes = [vote for path, layout in layouts.items() if layout != SUBMISSIONS for vote in readers[layout](path)]
    unpaid = {who for path, layout in layouts.items() if layout == SUBMISSIONS for who in _unpaid(path)}
    return _whole_audits([vote for vote in votes if vote.voter not in unpaid])


def _unpaid(path: Path) -> set[str]:
    """The participants none of whose submissions is approved or waits for review."""
    rows = list(_rows(path))
    paid = {row["Participant id"] for row in rows if (row["Status"] or "").upper() in _PAID}
    return {row["Participant id"] for row in rows} - paid


def _whole_audits(votes: Iterable[Vote]) -> list[Vote]:
    """One audit for each voter and group, in the place of the first; other votes as they are."""
    by_audit = group_pairs(
        ((vote.suite, vote.group_id, vote.voter) if vote.task == VoteTask.AUDIT else vote.vote, vote) for vote in votes
    )
    return [own[0] if own[0].task != VoteTask.AUDIT else _whole_audit(own) for own in by_audit.values()]


def _whole_audit(votes: Sequence[Vote]) -> Vote:
    """A group is wrong where a gold is, and right where all are; the latest vote on a query counts."""
    latest = list({vote.query: vote for vote in sorted(votes, key=lambda vote: vote.time)}.values())
    choices = {vote.choice for vote in latest}
    order = (AuditVerdict.WRONG, AuditVerdict.UNKNOWN, AuditVerdict.RIGHT)
    wrong = [vote for vote in latest if vote.choice == AuditVerdict.WRONG]
    corrections = [GoldCorrection(vote.query, vote.value) for vote in wrong if vote.query is not None]
    ids = " ".join(sorted(vote.vote for vote in latest))
    return replace(
        latest[-1],
        vote=blake2b(ids.encode(), digest_size=16).hexdigest(),
        query=None,
        choice=next(verdict.value for verdict in order if verdict in choices),
        value="",
        reason=next((vote.reason for vote in wrong if vote.reason), ""),
        note="; ".join(filter(None, (vote.note for vote in latest))),
        seconds=sum(vote.seconds for vote in latest),
        corrections=tuple(corrections),
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise SourceError(f"{path} cannot be read: {problem}", hint="save it as UTF-8") from problem


def _rows(path: Path) -> "csv.DictReader[str]":
    """The rows of a table, saved with commas, semicolons or tabs; a cell may hold any line break."""
    csv.field_size_limit(FIELD_CHARACTERS)
    text = _text(path).lstrip()
    return csv.DictReader(StringIO(text, newline=""), delimiter=field_mark(text.partition("\n")[0]))


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
    """Tasks with annotations as "JSON" exports them, or annotations as "JSON-MIN"; a canceled one is no vote."""
    try:
        tasks = json.loads(_text(path))
    except (ValueError, RecursionError) as problem:
        raise SourceError(f"{path} cannot be read as JSON: {problem}", hint="export it as JSON") from problem
    for number, task in enumerate(tasks if isinstance(tasks, list) else [tasks], 1):
        task = task if isinstance(task, dict) else {}
        if "annotations" not in task and "annotator" in task:
            task = _whole_task(task)
        item = str(task.get("data", {}).get("item", ""))
        for annotation in task.get("annotations", ()):
            if annotation.get("was_cancelled"):
                continue
            fields = _label_studio_fields(annotation.get("result", ()))
            who = annotation.get("completed_by", "")
            voter = str(who.get("email") or who.get("id", "")) if isinstance(who, dict) else str(who)
            more = {"seconds": _seconds(annotation.get("lead_time")), "time": _time(str(annotation.get("created_at")))}
            more |= {name: fields[name] for name in ("value", "reason", "note") if fields.get(name)}
            chosen = fields.get("choice") or fields.get("value", "")
            yield _vote(f"{path.name}, task {number}", item, voter, chosen, str(annotation.get("id", "")), **more)


def _whole_task(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record of JSON-MIN, which has data and controls side by side, in the layout of JSON."""
    names = [name for name in ("choice", "value", "reason", "note") if record.get(name)]
    result = [{"from_name": name, "value": {"text": record[name]}} for name in names]
    about = {"id": record.get("annotation_id"), "completed_by": record["annotator"], "result": result}
    times = {name: record.get(name) for name in ("lead_time", "created_at")}
    return {"data": record, "annotations": [about | times]}


def _label_studio_fields(results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What was chosen or written, by the name of the control."""
    fields = {}
    for result in results:
        value = result.get("value", {})
        chosen = value.get("choices") or value.get("text") or ()
        fields[str(result.get("from_name"))] = chosen if isinstance(chosen, str) else "; ".join(map(str, chosen))
    return fields


def _mechanical_turk(path: Path) -> Iterator[Vote]:
    """The results of a batch; an assignment that is rejected, or marked so in a reviewed file, is no vote."""
    for number, row in enumerate(_rows(path), 2):
        if row.get("AssignmentStatus") == "Rejected" or (row.get("Reject") or "").strip():
            continue
        answers = _task_answers(row.get("Answer.taskAnswers") or "") or row
        more = {name: answers.get(f"Answer.{name}", "") or "" for name in ("value", "reason", "note")}
        chosen = answers.get("Answer.choice") or _ticked(answers) or more["value"]
        time, seconds = _turk_time(row.get(_TURK["time"]) or ""), _seconds(row.get(_TURK["seconds"]))
        item, voter = (row.get(_TURK[name]) or "" for name in ("item", "voter"))
        own = row.get("AssignmentId") or ""
        yield _vote(f"{path.name}, row {number}", item, voter, chosen, own, time=time, seconds=seconds, **more)


def _task_answers(text: str) -> dict[str, str]:
    """The answers of a crowd-form, which are one cell of JSON, as columns of a plain form."""
    try:
        (answers,) = json.loads(text)
        nested = {name: value if isinstance(value, dict) else {"": value} for name, value in answers.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return {}
    return {
        f"Answer.{name}.{key}".rstrip("."): str(value).lower() if isinstance(value, bool) else str(value)
        for name, own in nested.items()
        for key, value in own.items()
    }


def _turk_time(text: str) -> datetime:
    """A time such as "Mon Nov 16 10:00:00 PST 2026", of which a program knows only some zones by name."""
    words = text.split()
    zone = _TURK_ZONES.get(words[4], "+0000") if len(words) == 6 else ""
    return _time(" ".join((*words[:4], words[5], zone)) if zone else text, _TURK_TIME if zone else "")


def _ticked(row: Mapping[str, str | None]) -> str:
    """The radio button of Mechanical Turk's newer forms, which have a column for each: Answer.choice.first = true."""
    prefix = "Answer.choice."
    return next((name[len(prefix) :] for name, value in row.items() if name.startswith(prefix) and value == "true"), "")


def _form(path: Path) -> Iterator[Vote]:
    """A table with the columns item, voter and choice, and maybe seconds, time, value, reason and note.

    The voter may also be in the column that a form keeps of Prolific's link.
    """
    rows = _rows(path)
    names = rows.fieldnames or ()
    voter = next((name for name in _VOTER_COLUMNS if name in names), "voter")
    absent = [name for name in ("item", voter, "choice") if name not in names]
    if absent:
        hint = "it needs columns item, voter and choice"
        raise SourceError(f"{path} is no table of votes: it has no column {absent[0]}", hint=hint)
    order = count()
    for number, row in enumerate(rows, 2):
        if not (row["choice"] or "").strip():
            continue  # not voted on
        cells = {name: row.get(name) or "" for name in ("item", voter, "choice", "value", "reason", "note", "time")}
        time = _time(cells["time"])
        time = time if time.timestamp() else datetime.fromtimestamp(next(order) / 1000, UTC)
        more = {name: cells[name] for name in ("value", "reason", "note")}
        place = f"{path.name}, row {number}"
        seconds = _seconds(row.get("seconds") or 0)
        yield _vote(place, cells["item"], cells[voter], cells["choice"], "", time=time, seconds=seconds, **more)
