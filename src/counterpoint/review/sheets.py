"""Review sheets: a sample of groups as a CSV table that a person marks, and the counts of the marks.

A sheet shows texts, golds, pictures and proofs under an opaque id, so that the reader does not know which suite a
group comes from.
"""

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import MappingProxyType

import numpy as np

from counterpoint.core.errors import CounterpointError, StoreError
from counterpoint.core.spreadsheets import defuse_formula
from counterpoint.metrics.intervals import binomial_bounds

ACCEPTED = "ok"
"""The mark of a group that a careful reader accepts."""
MARKS: Mapping[str, str] = MappingProxyType(
    {
        ACCEPTED: "the gold of every text is correct, and the text is clear and natural",
        "base wrong": "the first text does not have the answer it is given, as where a caption is false",
        "variant wrong": "another text does not have the answer it is given, as where a foil is true",
        "ambiguous": "several answers can be defended, or several things may be meant",
        "odd": "nobody would say or ask this",
        "ungrammatical": "a text is no good English",
    }
)
"""What a reader can write into the column `mark`; every mark but the first says why the group is not accepted."""
BOUND = 0.95
"""The level of each one-sided bound."""
_HEAD = ("item", "mark", "note", "relation", "picture", "context")
_MEMBER = ("text", "gold", "picture")


@dataclass(frozen=True, slots=True)
class SheetMember:
    """One text of a group; the picture is a file name or an address, empty where it is the base's."""

    text: str
    gold: str
    picture: str = ""


@dataclass(frozen=True, slots=True)
class SheetItem:
    """One group as the sheet shows it, the base first."""

    item: str
    relation: str
    context: str
    proof: str
    members: tuple[SheetMember, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person wrote about one group; empty where it was not read."""

    item: str
    mark: str
    note: str


@dataclass(frozen=True, slots=True)
class MarkCount:
    """How many groups of one test were accepted, with one-sided 95 % bounds and the marks of the others."""

    suite: str
    test: str
    marked: int
    accepted: int
    low: float
    high: float
    causes: Mapping[str, int]

    @classmethod
    def of(cls, suite: str, test: str, marks: Sequence[str]) -> "MarkCount":
        """Count the marks of one test.

        >>> count = MarkCount.of("negation", "negation", ["ok"] * 184 + ["odd"] * 16)
        >>> count.accepted, round(count.high, 4)
        (184, 0.9492)
        """
        accepted = marks.count(ACCEPTED)
        low, high = binomial_bounds(np.array(accepted / len(marks)), np.array(float(len(marks))), BOUND)
        causes = Counter(mark for mark in marks if mark != ACCEPTED)
        return cls(suite, test, len(marks), accepted, float(low), float(high), dict(causes.most_common()))


def refuse_marked(path: Path) -> None:
    """Raise for a sheet that has marks, which writing it again would lose."""
    if path.exists() and any(mark.mark for mark in read_marks(path)):
        raise StoreError(f"{path} has marks", hint="count them without --suite, or write another --sheet")


def sheet_text(items: Sequence[SheetItem], *, proofs: bool = True) -> str:
    """A sheet without marks, as the text of a CSV file; it begins as spreadsheets know UTF-8."""
    widest = max((len(item.members) for item in items), default=1)
    further = [f"{name} {place}" for place in range(2, widest + 1) for name in _MEMBER]
    file = StringIO(newline="")
    file.write("\ufeff")
    table = csv.writer(file)
    table.writerow([*_HEAD, "text", "gold", *further, *(["proof"] if proofs else [])])
    for item in items:
        base, *variants = item.members
        cells = [cell for member in variants for cell in (member.text, member.gold, member.picture)]
        cells += [""] * (len(further) - len(cells))
        proof = [item.proof] if proofs else []
        about = (item.item, "", "", item.relation, base.picture, item.context, base.text, base.gold)
        table.writerow(map(defuse_formula, (*about, *cells, *proof)))
    return file.getvalue()


def read_marks(path: Path) -> list[Mark]:
    """The marks of a sheet, saved with commas or semicolons; a mark that is not known is refused with its line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            rows = list(csv.DictReader(file, delimiter=";" if first.count(";") > first.count(",") else ","))
    except OSError as problem:
        raise StoreError(f"{path} cannot be read: {problem.strerror or problem}") from problem
    except (UnicodeDecodeError, csv.Error) as problem:
        raise StoreError(f"{path} cannot be read as a sheet: {problem}", hint="save it as CSV in UTF-8") from problem
    if rows and not {"item", "mark"} <= set(rows[0]):
        raise StoreError(f"{path} is no review sheet: it has no columns item and mark")
    marks = []
    for line, row in enumerate(rows, 2):
        mark = " ".join((row["mark"] or "").lower().split())
        if mark and mark not in MARKS:
            raise CounterpointError(f"{path}, row {line}: {mark} is no mark", hint=f"write one of: {', '.join(MARKS)}")
        marks.append(Mark((row["item"] or "").strip(), mark, (row.get("note") or "").strip()))
    return marks


def count_marks(marks: Iterable[tuple[str, str, str]]) -> list[MarkCount]:
    """Counts by test of marks given as (suite, test, mark); where there are several tests, those of all come last."""
    by_test: dict[tuple[str, str], list[str]] = {}
    for suite, test, mark in marks:
        by_test.setdefault((suite, test), []).append(mark)
    counts = [MarkCount.of(suite, test, own) for (suite, test), own in sorted(by_test.items())]
    if len(counts) > 1:
        counts.append(MarkCount.of("all", "", [mark for own in by_test.values() for mark in own]))
    return counts
