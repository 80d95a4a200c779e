"""Slices of groups that somebody named: filters as Browse has them, each a small file of the lab."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import CounterpointError, UnknownName, shorten
from counterpoint.core.groups import Relation
from counterpoint.lab.results import LabResult
from counterpoint.metrics.outcomes import sort_by_group
from counterpoint.metrics.units import Flags
from counterpoint.reports.tables import ResultTable
from counterpoint.store.blocks import GroupMarker, keep_groups
from counterpoint.store.documents import put_object
from counterpoint.store.lab import LabStore
from counterpoint.store.outcomes.selection import word_pattern
from counterpoint.store.outcomes.tables import bases_table, groups_table
from counterpoint.store.slices import FIELDS, FOLDER, read_filter
from counterpoint.store.suites import NAME

_READ = ("suite", "group_id", "test", "kind", "relation", "query", "picture", "text", "tags", "gold", "role")


@dataclass(frozen=True, slots=True)
class SavedSlice:
    """A slice by its name: values of some of FIELDS, all of which a group has to fit."""

    name: str
    filter: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"name": self.name, "filter": dict(self.filter)}

    def select(self, groups: pa.Table) -> pa.Table:
        """The rows of the groups that are in the slice."""
        return keep_groups(sort_by_group(groups), slice_filter(self))


@dataclass(frozen=True, slots=True, repr=False)
class SavedSlices(LabResult[SavedSlice], rows="slices"):
    """The slices of a lab, by name."""

    slices: tuple[SavedSlice, ...]

    def records(self) -> list[dict[str, Any]]:
        """One row per slice, with a column for each field."""
        return [{"name": own.name, **own.filter} for own in self.slices]

    def tables(self) -> list[ResultTable]:
        """The filter of each."""
        rows = [
            (own.name, ", ".join(f"{field}: {value}" for field, value in own.filter.items())) for own in self.slices
        ]
        return [ResultTable("Saved slices", ("slice", "filter"), rows, names=2)]


def slice_filter(saved: SavedSlice) -> GroupMarker:
    """The groups of a slice."""
    return GroupMarker(_READ, partial(_fits, saved.filter))


def _fits(wanted: Mapping[str, str], groups: pa.Table) -> Flags:
    """Whether each group has all these values."""
    bases = bases_table(groups_table(groups))
    fits = np.ones(bases.num_rows, np.bool_)
    for name, value in wanted.items():
        if name == "text":
            pattern, part = word_pattern(value.lower()), re.escape(value.lower())
            found = pc.match_substring_regex(bases["texts"], pattern or part)
            fits &= found.to_numpy(zero_copy_only=False)
        elif name == "tag":
            fits &= np.array([value in tags for tags in bases["tags"].to_pylist()], np.bool_)
        else:
            fits &= pc.equal(bases[name].cast(pa.string()), value).to_numpy(zero_copy_only=False)
    return fits


def save_slice(store: LabStore, name: str, given: Mapping[str, str]) -> SavedSlice:
    """Write a slice to the lab, in the place of one of the same name."""
    if not NAME.fullmatch(name):
        hint = "letters, digits, dots, dashes and underscores, at most a hundred"
        raise CounterpointError(f"{name[:100]!r} is no name of a slice", hint=hint)
    chosen = {field: value for field, value in given.items() if value}
    for field, value in chosen.items():
        if field not in FIELDS:
            raise UnknownName("field of a slice", field, FIELDS)
        if not isinstance(value, str):
            raise CounterpointError(f"{field} is {shorten(repr(value))}, no text", hint=f'write "{field}": "…"')
    if not chosen:
        raise CounterpointError("a slice without a filter is every group", hint=f"name one of {', '.join(FIELDS)}")
    if chosen.get("relation", Relation.SAME) not in tuple(Relation):
        raise UnknownName("relation", chosen["relation"], tuple(Relation))
    put_object(store.storage, f"{FOLDER}{name}.json", {"filter": chosen})
    return SavedSlice(name, chosen)


def list_slices(store: LabStore) -> SavedSlices:
    """The slices of a lab, by name."""
    files = [file for file in store.storage.names(FOLDER) if file.endswith(".json")]
    return SavedSlices(tuple(_read(store, file.removeprefix(FOLDER).removesuffix(".json")) for file in files))


def read_slice(store: LabStore, name: str) -> SavedSlice:
    """The slice of a name, or UnknownName."""
    known = [file.removeprefix(FOLDER).removesuffix(".json") for file in store.storage.names(FOLDER)]
    if name not in known:
        raise UnknownName("slice of this lab", name, known)
    return _read(store, name)


def _read(store: LabStore, name: str) -> SavedSlice:
    return SavedSlice(name, read_filter(store.storage, f"{FOLDER}{name}.json"))
