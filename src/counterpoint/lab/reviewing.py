"""Sheets on which a person marks whether groups of a lab are right, and what the marks say."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Query, Relation
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.quantities import counted
from counterpoint.exports.rows import PictureExporter
from counterpoint.lab.picture_locations import find_worlds
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups
from counterpoint.reports.tables import ResultTable
from counterpoint.review.sheets import (
    ACCEPTED,
    MARKS,
    MarkCount,
    SheetItem,
    SheetMember,
    count_marks,
    read_marks,
    refuse_marked,
    sheet_text,
)
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.outputs import write_whole

_VALID_VOTES = 2  # of three people, as in VALSE
_COPIES = frozenset({"checked", "corrected"})  # parameters of suites whose groups are those of another
_DESCRIBES = {True: "describes the picture", False: "does not"}


@dataclass(frozen=True, slots=True, repr=False)
class ReviewSheet(LabResult[dict[str, Any]]):
    """A sheet that was written, with its numbers of groups and of pictures that could not be shown."""

    file: str
    groups: int
    missing_pictures: int

    def notes(self) -> list[str]:
        """Where it is, and how it is marked."""
        missing = counted(self.missing_pictures, "picture", "were")
        return [
            f"{self.file} is written: {counted(self.groups, 'group')}; the column `mark` is to be filled in",
            *(f"  {mark}: {meaning}" for mark, meaning in MARKS.items()),
            *([f"{missing} not found; the sheet names them"] if self.missing_pictures else []),
        ]


@dataclass(frozen=True, slots=True, repr=False)
class ReviewCounts(LabResult[MarkCount], rows="counts"):
    """What the marks of a sheet say, by suite and test.

    `votes` counts the groups about which people voted before, and `agreed` those of them on which the reader agrees.
    """

    counts: tuple[MarkCount, ...]
    unmarked: int
    votes: int
    agreed: int

    def tables(self) -> list[ResultTable]:
        """One line per test."""
        lines = [
            (
                count.suite,
                count.test,
                f"{count.accepted} of {count.marked}",
                f"{100 * count.accepted / count.marked:.1f}",
                f"{100 * count.low:.1f}",
                f"{100 * count.high:.1f}",
                ", ".join(f"{number} {cause}" for cause, number in count.causes.items()),
            )
            for count in self.counts
        ]
        heads = ("suite", "test", "accepted", "%", "at least", "at most", "others")
        note = "at least and at most: one-sided bounds, each of 95 %"
        return [ResultTable("Marks of the sheet", heads, lines, names=2, note=note)] if lines else []

    def notes(self) -> list[str]:
        """What was not counted, and how far earlier votes agree."""
        unmarked = f"{counted(self.unmarked, 'group', 'have')} no mark"
        agreed = f"the reader agrees with the votes on {self.agreed} of {counted(self.votes, 'group')}"
        return [*([unmarked] if self.unmarked else []), *([agreed] if self.votes else [])]


def write_review_sheet(
    store: LabStore, suites: Sequence[str], sheet: Path, *, sample: int, seed: int, proofs: bool
) -> ReviewSheet:
    """Write a sheet with a random sample of each suite, in random order, and its pictures in a folder beside it."""
    if not suites:
        raise CounterpointError("a sheet needs a suite", hint=f"the lab has: {', '.join(store.suites()) or 'none'}")
    refuse_marked(sheet)
    groups = load_groups(store, suites)
    keys = zip(groups["suite"].to_pylist(), groups["group_id"].to_pylist(), strict=True)
    places = group_pairs((key, place) for place, key in enumerate(keys))
    order = sorted(places, key=lambda key: content_id([seed, hex_id(key[1])]))
    chosen = [key for suite in dict.fromkeys(suites) for key in [own for own in order if own[0] == suite][:sample]]
    chosen.sort(key=lambda key: content_id([seed, hex_id(key[1])]))
    writer = _PictureWriter(
        PictureExporter(store.pictures(find_worlds(store, groups))), sheet.with_name(f"{sheet.stem}-pictures")
    )
    items = [_sheet_item(groups.take(pa.array(places[key])).sort_by("role"), writer) for key in chosen]
    write_whole(sheet, sheet_text(items, proofs=proofs))
    return ReviewSheet(str(sheet), len(items), len(writer.missing))


class _PictureWriter:
    """Writes pictures into a folder once each, and remembers which could not be found."""

    def __init__(self, pictures: PictureExporter, folder: Path) -> None:
        self.missing: set[str] = set()
        self._pictures, self._folder = pictures, folder

    def shown(self, query: Query) -> str:
        """The path of the picture from the sheet's folder; its address where there is no file."""
        if query.picture is None:
            return ""
        try:
            file = self._pictures.file(query.picture)
        except StoreError:
            self.missing.add(query.picture.address)
            return query.picture.address
        path, content = self._folder / str(file["path"]), file["bytes"]
        assert isinstance(content, bytes), "a picture is exported as bytes"
        if not path.exists():
            write_whole(path, content)
        return f"{self._folder.name}/{path.name}"


def _sheet_item(rows: pa.Table, writer: _PictureWriter) -> SheetItem:
    """One group as a row of the sheet."""
    queries = read_queries(rows)
    pictures = [writer.shown(query) for query in queries]
    relation, golds = rows["relation"][0].as_py(), rows["gold"].to_pylist()
    right = [right_answer(gold) if relation != Relation.RANKS else _DESCRIBES[n == 0] for n, gold in enumerate(golds)]
    further = ["" if picture == pictures[0] else picture for picture in pictures[1:]]
    texts = [query.text for query in queries]
    members = tuple(map(SheetMember, texts, right, [*pictures[:1], *further]))
    group, proof = hex_id(rows["group_id"][0].as_py()), rows["proof"][0].as_py()
    return SheetItem(group, relation, queries[0].context, proof, members)


def right_answer(golds: list[dict[str, Any]] | None) -> str:
    """The right answers of a query with full credit, or with the most there is."""
    best = max((gold["credit"] for gold in golds or ()), default=0.0)
    return " / ".join(gold["answer"] for gold in golds or () if gold["credit"] == best)


def count_review_marks(store: LabStore, sheet: Path) -> ReviewCounts:
    """Count the marks of a sheet by suite and test; votes that groups carry are held against them."""
    marks = {mark.item: mark.mark for mark in read_marks(sheet)}
    groups = load_groups(store)
    bases = groups.filter(pc.equal(groups["role"], 0)).select(["suite", "test", "group_id", "tags"])
    copies = {name for name in store.suites() if not store.manifest(name).parameters.keys().isdisjoint(_COPIES)}
    rows = sorted(
        bases.to_pylist(), key=lambda row: row["suite"] not in copies
    )  # the suite itself comes last, and wins
    known = {hex_id(row["group_id"]): row for row in rows}
    unknown = [item for item in marks if item not in known]
    if unknown:
        fact = f"{sheet}: {counted(len(unknown), 'item', 'are')} in no suite of the lab, such as {unknown[0]}"
        raise CounterpointError(fact, hint="count it with the lab from which it was written")
    marked = [(known[item], mark) for item, mark in marks.items() if mark]
    votes = [(int(dict(row["tags"])["votes"]), mark) for row, mark in marked if "votes" in dict(row["tags"])]
    agreed = sum((number >= _VALID_VOTES) == (mark == ACCEPTED) for number, mark in votes)
    counts = count_marks((row["suite"], row["test"], mark) for row, mark in marked)
    return ReviewCounts(tuple(counts), len(marks) - len(marked), len(votes), agreed)
