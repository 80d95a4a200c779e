"""Answers of many instances as a table: one row an instance and augmentation, or one row a pair."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import astuple
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from counterpoint.core.errors import SourceError
from counterpoint.sources.reading.json_record import Record
from counterpoint.sources.reading.skips import Skips
from counterpoint.sources.reading.tables import read_rows
from counterpoint.studies.rad_prediction import RadCounts, columns

EXAMPLE = Path(str(files("counterpoint.studies").joinpath("data/rad_instances.csv")))
"""The counts of 45 instances of a small model, trained by `python -m training.rad_instances` in a checkout."""
PAIRS = ("instance", "augmentation", "base", "variant")
"""The columns of a table with one row a pair: what base and variant earned, from 0 to 1."""


def read_counts(path: Path, threshold: float) -> list[RadCounts]:
    """The counts of a table of either form; a row that cannot be read is an error that says where."""
    skips = Skips()
    records = list(read_rows(path, skips, lambda names: "instance" in names))
    if skips.total or not records:
        raise SourceError(skips.lines()[0] if skips.total else f"{path.name} has no rows", hint=_hint())
    names = set(records[0].content)
    if set(columns()) <= names:
        return [_counts(record) for record in records]
    if set(PAIRS) <= names:
        return _gathered(records, threshold)
    raise SourceError(f"{path.name} has the columns {', '.join(sorted(names))[:200]}", hint=_hint())


def counts_text(counts: Iterable[RadCounts]) -> str:
    """Counts as text with commas, which `read_counts` reads."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns())
    table.writerows([_short(cell) for cell in astuple(row)] for row in counts)
    return text.getvalue()


def _short(cell: Any) -> Any:
    return f"{cell:.6g}" if isinstance(cell, float) else cell


def _counts(record: Record) -> RadCounts:
    cells = [record.content[name] for name in columns()]
    try:
        pairs, first, second, both = (int(cells[place]) for place in (2, 5, 6, 7))
        credit = float(cells[3]), float(cells[4])
    except (TypeError, ValueError):
        raise SourceError(f"{record.place} holds no numbers", hint=_hint()) from None
    if not (0 <= both <= min(first, second) <= max(first, second) <= pairs and pairs):
        raise SourceError(f"{record.place}: {both}, {first} and {second} right of {pairs} cannot be", hint=_hint())
    return RadCounts(str(cells[0]), str(cells[1]), pairs, *credit, first, second, both)


def _gathered(records: Sequence[Record], threshold: float) -> list[RadCounts]:
    earned: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for record in records:
        instance, augmentation, *credit = (record.content[name] for name in PAIRS)
        try:
            base, variant = map(float, credit)
        except (TypeError, ValueError):
            raise SourceError(f"{record.place} holds no numbers", hint=_hint()) from None
        if not (0 <= base <= 1 and 0 <= variant <= 1):
            raise SourceError(f"{record.place}: {base:g} and {variant:g} are no credit from 0 to 1", hint=_hint())
        earned.setdefault((str(instance), str(augmentation)), []).append((base, variant))
    counts = []
    for (instance, augmentation), credit in sorted(earned.items()):
        base, variant = np.array(credit, np.float64).T
        counts.append(RadCounts.of(instance, augmentation, base, variant, threshold))
    return counts


def _hint() -> str:
    return f"its columns should be {', '.join(PAIRS)}, or {', '.join(columns())}"


def example() -> list[RadCounts]:
    """The counts that come with the package."""
    return read_counts(EXAMPLE, 0.5)
