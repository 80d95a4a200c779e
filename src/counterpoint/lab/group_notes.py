"""Notes of people on groups, kept in the lab as votes are: written, listed and exported."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from counterpoint.core.errors import CounterpointError, UnknownName, shorten
from counterpoint.core.ids import hex_id
from counterpoint.core.votes import Vote, VoteTask, standing_votes
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore
from counterpoint.store.votes import append_votes, read_votes, vote_values

AUTHOR = "author"
"""Who writes where nobody is named."""
LONGEST = 4000
"""Characters of a note."""
_ID = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class GroupNote:
    """What somebody wrote about a group."""

    suite: str
    group: str  # its id
    text: str
    author: str
    time: datetime

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        about = {name: getattr(self, name) for name in ("suite", "group", "text", "author")}
        return about | {"time": self.time.isoformat()}


@dataclass(frozen=True, slots=True, repr=False)
class GroupNotes(LabResult[GroupNote], rows="entries"):
    """The notes of a lab, by time."""

    entries: tuple[GroupNote, ...]

    def records(self) -> list[dict[str, Any]]:
        """One row per note."""
        return [entry.to_dict() for entry in self.entries]

    def tables(self) -> list[ResultTable]:
        """One line per note."""
        rows = [(own.suite, own.group, own.author, shorten(own.text, 200)) for own in self.entries]
        return [ResultTable("Notes on groups", ("suite", "group", "author", "note"), rows, names=4)] if rows else []

    def notes(self) -> list[str]:
        """Where notes are written, if there are none."""
        return [] if self.entries else ["no note yet: write one on the page of a group, or by lab.add_note"]


def add_note(store: LabStore, suite: str, group: str, text: str, author: str = AUTHOR) -> GroupNote:
    """Write a note on a group of a suite; when it returns, the note is on disk."""
    if not isinstance(text, str):
        raise CounterpointError(f"{shorten(repr(text))} is no text", hint="write what the group shows")
    words = text.strip()
    if not words:
        raise CounterpointError("a note without a text says nothing", hint="write what the group shows")
    if len(words) > LONGEST:
        raise CounterpointError(f"a note of {len(words):,} characters is too long", hint=f"at most {LONGEST:,}")
    number = int(group, 16) if _ID.fullmatch(str(group)) else -1
    if number not in load_groups(store, [suite])["group_id"].to_numpy():
        raise UnknownName("group", str(group), [])
    note = Vote(uuid4().hex, VoteTask.NOTE, suite, number, None, author, "", datetime.now(UTC), note=words)
    append_votes(store.storage, [note])
    return _note(note)


def list_notes(store: LabStore, suites: Sequence[str] = (), group: str = "") -> GroupNotes:
    """The notes on groups of suites, or on one group."""
    known = {store.manifest(suite).suite for suite in suites}  # a name that is unknown is an error
    votes = standing_votes(vote_values(read_votes(store.storage, VoteTask.NOTE)))
    notes = [_note(vote) for vote in votes if not known or vote.suite in known]
    return GroupNotes(tuple(note for note in notes if group in ("", note.group)))


def _note(vote: Vote) -> GroupNote:
    return GroupNote(vote.suite, hex_id(vote.group_id), vote.note, vote.voter, vote.time)
