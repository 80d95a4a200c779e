"""Notes of people on groups, as lists of groups filter by them and downloads show them."""

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.votes import VoteTask
from counterpoint.store.outcomes.reader import OutcomeReader
from counterpoint.store.votes import read_votes, votes_version

LISTED = 100
"""Different notes that are counted, the most frequent ones."""


def notes_table(reader: OutcomeReader) -> pa.Table:
    """Return the notes of the lab by time: suite, group_id, note."""
    storage = reader.lab.storage
    key = ("notes by group", votes_version(storage))
    return reader.cached(key, lambda: read_votes(storage, VoteTask.NOTE).select(["suite", "group_id", "note"]))


def noted_groups(reader: OutcomeReader, part: str) -> pa.Table:
    """Return the groups with a note that has some words in it, in lower or upper case, by suite and id."""
    notes = notes_table(reader)
    return notes.filter(pc.match_substring(notes["note"], part, ignore_case=True)).select(["suite", "group_id"])


def common_notes(reader: OutcomeReader, groups: pa.Table, longest: int) -> list[tuple[str, int]]:
    """Return the notes on some groups, by suite and id, each with how many of these have it within theirs.

    Of a note longer than `longest` characters it is the beginning.
    """
    notes = notes_table(reader)
    if not notes.num_rows or not groups.num_rows:
        return []
    listed = notes.join(groups, ["suite", "group_id"], join_type="left semi").to_pylist()
    texts = [text for text, _ in Counter(row["note"][:longest] for row in listed).most_common(LISTED)]
    found = {
        text: {(row["suite"], row["group_id"]) for row in listed if text.lower() in row["note"].lower()}
        for text in texts
    }
    return [(text, len(own)) for text, own in found.items()]


def notes_by_group(reader: OutcomeReader, suite: str) -> dict[int, str]:
    """Return the notes on each group of a suite that has any, one after the other."""
    notes = notes_table(reader)
    texts: dict[int, list[str]] = {}
    for row in notes.filter(pc.equal(notes["suite"], suite)).to_pylist():
        texts.setdefault(row["group_id"], []).append(row["note"])
    return {group: " / ".join(own) for group, own in texts.items()}
