"""Slices of units by any column: clusters within slices, and renamed values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.errors import UnknownName
from counterpoint.metrics.credit import equal_gold
from counterpoint.metrics.labels import Codes, Labels, renumber
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.units import Flags, Floats, Singles, Unit

SLICE_COLUMNS = ("suite", "test", "kind", "relation", "gold")
"""The columns by which scores can be cut, beside `tag:NAME`."""


def check_columns(names: Iterable[str], *further: str) -> None:
    """Raise an UnknownName for a name that is no column of slices, none of the further ones and no tag."""
    for name in names:
        if name not in (*SLICE_COLUMNS, *further) and not name.startswith("tag:"):
            raise UnknownName("column of slices", name, (*SLICE_COLUMNS, *further, "tag:NAME"))


@dataclass(frozen=True, slots=True)
class SliceCells:
    """Units by slice and cluster: a cell is what one picture contributes to one slice."""

    names: Sequence[tuple[str, ...]]  # of the slices, in their order
    inside: Flags | slice  # which units are in any slice
    place: Codes  # the slice of each unit inside
    cell: Codes  # the cell of each unit inside; those of a slice are neighbours
    bounds: NDArray[np.int64]  # where the cells of each slice begin, and the end

    def summed(self, values: Floats | Flags) -> Floats:
        """The sum over the units of each cell."""
        return np.asarray(np.bincount(self.cell, values[self.inside], minlength=int(self.bounds[-1])), np.float64)

    def counted(self, flags: Flags) -> NDArray[np.int64]:
        """The number of marked units of each cell."""
        return np.bincount(self.cell[flags[self.inside]], minlength=int(self.bounds[-1]))

    def summed_by_slice(self, values: Floats | Flags) -> Floats:
        """The sum over the units of each slice."""
        if values.dtype == np.bool_:  # counting is quicker, and as exact
            return np.bincount(self.place[values[self.inside]], minlength=len(self.names)).astype(np.float64)
        return np.asarray(np.bincount(self.place, values[self.inside], minlength=len(self.names)), np.float64)

    @property
    def slice_of_cell(self) -> NDArray[np.int64]:
        """The slice of each cell."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.bounds))

    def units_by_slice(self, flags: Flags) -> list[NDArray[np.int64]]:
        """The marked units of each slice."""
        kept = flags[self.inside]
        place, units = self.place[kept], self._units()[kept]
        if len(self.names) == 1:
            return [units]
        few = place.astype(np.uint16) if len(self.names) < 1 << 16 else place  # which a radix sort takes
        order = np.argsort(few, kind="stable")
        return np.split(units[order], np.searchsorted(place[order], np.arange(1, len(self.names))))[: len(self.names)]

    def _units(self) -> NDArray[np.int64]:
        return np.arange(len(self.place)) if isinstance(self.inside, slice) else np.flatnonzero(self.inside)


class Slicer:
    """Slices the units of outcomes by columns, after a filter."""

    def __init__(self, outcomes: Outcomes, by: Sequence[str], where: Mapping[str, str] | None = None) -> None:
        self._by = [outcomes.labels(name) for name in by]
        self._cutting = [own for own in self._by if len(own.words) > 1 or own.codes.min(initial=0) < 0]
        self._repeated = outcomes.table["repeated"].to_numpy() if "repeated" in outcomes.table.column_names else None
        self._where = [(outcomes.labels(name), word) for name, word in (where or {}).items()]

    def cut(self, unit: Unit) -> SliceCells:
        """The slice of each unit; a variant without a tag takes its base's, and without both is in no slice."""
        number, inside = np.zeros(len(unit.row), np.int64), np.ones(len(unit.row), np.bool_)
        if self._repeated is not None and isinstance(unit, Singles):
            inside &= ~self._repeated[unit.row]
        for labels, word in self._where:
            inside &= labels.at_or(unit.row, unit.base).where([word])
        for labels in self._cutting:
            own = labels.at_or(unit.row, unit.base).codes
            inside &= own >= 0
            number *= max(len(labels.words), 1)
            number += own
        sizes = [max(len(labels.words), 1) for labels in self._by]
        assert np.prod(sizes, dtype=float) < 2**62, "fewer slices than numbers"
        kept = slice(None) if inside.all() else inside  # mostly all are inside, and nothing is copied
        place, used = renumber(number[kept], int(np.prod(sizes)))
        clusters = int(unit.cluster.max(initial=0)) + 1
        cell, cells = renumber(place.astype(np.int64) * clusters + unit.cluster[kept], len(used) * clusters)
        bounds = np.searchsorted(cells, np.arange(len(used) + 1) * clusters)
        return SliceCells(self._names(used, sizes), kept, place, cell, bounds)

    def _names(self, numbers: NDArray[np.int64], sizes: Sequence[int]) -> list[tuple[str, ...]]:
        """The values that name each slice."""
        columns: list[list[str]] = []
        for labels, size in zip(reversed(self._by), reversed(sizes), strict=True):
            columns.insert(0, _words(labels, numbers % size))
            numbers = numbers // size
        return list(zip(*columns, strict=True)) if columns else [()] * len(numbers)


def count_untagged(outcomes: Outcomes, tag: str) -> dict[str, tuple[int, int]]:
    """The groups of each suite of which no row has a tag, which are in no slice by it, and all of its groups."""
    suites, is_base = outcomes.labels("suite"), outcomes.base == np.arange(len(outcomes.base))
    has_tag = np.zeros(len(outcomes.base), np.bool_)
    has_tag[outcomes.base[outcomes.labels(tag).codes >= 0]] = True
    suite_of = suites.codes[is_base]
    counts = (np.bincount(suite_of, own, len(suites.words)) for own in (~has_tag[is_base], np.ones(len(suite_of))))
    numbers = ((int(bare), int(all_)) for bare, all_ in zip(*counts, strict=True))
    return dict(zip(suites.words.to_pylist(), numbers, strict=True))


def _words(labels: Labels, codes: NDArray[np.int64]) -> list[str]:
    return [str(word) for word in pc.take(labels.words, pa.array(codes)).to_pylist()]


Table: TypeAlias = pa.Table
"""Rows of a suite, or answers of a model."""


def distinct_values(table: Table, *columns: str) -> list[tuple[str, ...]]:
    """The combinations of values of some columns, each once, sorted."""
    rows = table.select(columns).group_by(list(columns)).aggregate([]).to_pylist()
    return sorted(tuple(str(row[name]) for name in columns) for row in rows)


def keep_rows(table: Table, column: str, kept: Sequence[str]) -> Table:
    """The rows that have one of these values in a column."""
    return table.filter(pc.is_in(_plain(table, column), value_set=pa.array(kept, pa.string())))


def rename_values(table: Table, column: str, names: Mapping[str, str]) -> Table:
    """The table with values of a column renamed; a value that is not named stays."""
    plain = _plain(table, column).dictionary_encode()
    parts = [
        pa.DictionaryArray.from_arrays(part.indices, [names.get(word, word) for word in part.dictionary.to_pylist()])
        for part in plain.chunks
    ]
    chunks = [part.cast(pa.string()) for part in parts]
    return table.set_column(table.column_names.index(column), column, pa.chunked_array(chunks, pa.string()))


def relabel_outcomes(outcomes: Outcomes, column: str, names: Mapping[str, str]) -> Outcomes:
    """Outcomes with values of a column renamed."""
    return replace(outcomes, table=rename_values(outcomes.table, column, names))


def pool_suites(groups: Table) -> Table:
    """All suites as one that is named after them; a group that several of them have is kept once.

    The column `repeated` marks queries that an earlier suite has too, in another group: metrics of single answers count
    a query once.
    """
    suites, kept = Labels.of(groups["suite"]), drop_repeated_groups(groups)
    repeated = find_repeats(Labels.of(kept["suite"]).codes, kept["query"].to_numpy())
    label = pool_name(suites.words.to_pylist())
    pooled = pa.DictionaryArray.from_arrays(np.zeros(kept.num_rows, np.int32), [label])
    place = kept.column_names.index("suite")
    return kept.set_column(place, "suite", pooled).append_column("repeated", pa.array(repeated))


def count_disputes(rows: Table) -> int:
    """How many queries have another gold in a later suite than in the first one that has them."""
    queries, suite = rows["query"].to_numpy(), Labels.of(rows["suite"]).codes
    _, first, place = np.unique(queries, return_index=True, return_inverse=True)
    later = np.flatnonzero(suite != suite[first][place])
    return len(np.unique(queries[later[~equal_gold(rows["gold"], first[place][later], later)]]))


def drop_repeated_groups(groups: Table) -> Table:
    """The groups of suites without those that an earlier suite has too."""
    return groups.filter(pa.array(~find_repeats(Labels.of(groups["suite"]).codes, groups["group_id"].to_numpy())))


def pool_name(suites: Iterable[str]) -> str:
    """The name of some suites that are scored as one.

    >>> pool_name(["order", "negation"])
    'order + negation'
    """
    names = list(dict.fromkeys(suites))
    return " + ".join(names) if len(names) <= _MOST_NAMED else f"{len(names)} suites"


def find_repeats(suite: NDArray[np.integer], ids: NDArray[np.uint64]) -> Flags:
    """Which rows have an id that occurs first in another suite."""
    _, first, place = np.unique(ids, return_index=True, return_inverse=True)
    return np.asarray(suite != suite[first][place])


def replace_gold(table: Table, answers: Sequence[str]) -> Table:
    """The same questions with these as gold for each, so that accuracy is how often they are answered."""
    kind = table.schema.field("gold").type
    gold = pa.scalar([{"answer": word, "credit": 1.0} for word in answers], kind)
    return table.set_column(table.column_names.index("gold"), "gold", pa.repeat(gold, table.num_rows))


def _plain(table: Table, column: str) -> pa.ChunkedArray:
    return table[column].cast(pa.string())


_MOST_NAMED = 4  # suites that the name of a pool lists
