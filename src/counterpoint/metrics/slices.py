"""Slices of units by suite, test, kind or any tag, and the clusters within each slice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.metrics.labels import Codes, Labels, renumber
from counterpoint.metrics.outcomes import Flags, Floats, Outcomes, Unit


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
        return np.asarray(np.bincount(self.place, values[self.inside], minlength=len(self.names)), np.float64)

    def range_of(self, place: int) -> slice:
        """Where the cells of a slice are."""
        return slice(int(self.bounds[place]), int(self.bounds[place + 1]))

    def units_of(self, place: int) -> NDArray[np.int64]:
        """The units that lie in a slice."""
        return np.asarray(self._units()[self.place == place])

    def units_by_slice(self, flags: Flags) -> list[NDArray[np.int64]]:
        """The marked units of each slice."""
        kept = flags[self.inside]
        place = self.place[kept]
        order = np.argsort(place, kind="stable")
        return np.split(self._units()[kept][order], np.searchsorted(place[order], np.arange(1, len(self.names))))

    def _units(self) -> NDArray[np.int64]:
        return np.arange(len(self.place)) if isinstance(self.inside, slice) else np.flatnonzero(self.inside)


class Slicer:
    """Slices the units of outcomes by columns, after a filter."""

    def __init__(self, outcomes: Outcomes, by: Sequence[str], where: Mapping[str, str] | None = None) -> None:
        self._by = [outcomes.labels(name) for name in by]
        self._where = [(outcomes.labels(name), word) for name, word in (where or {}).items()]

    def cut(self, unit: Unit) -> SliceCells:
        """The slice of each unit; a variant without a tag takes its base's, and without both is in no slice."""
        number, inside = np.zeros(len(unit.row), np.int64), np.ones(len(unit.row), np.bool_)
        for labels, word in self._where:
            inside &= labels.at_or(unit.row, unit.base).where([word])
        for labels in self._by:
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


def _words(labels: Labels, codes: NDArray[np.int64]) -> list[str]:
    return [str(word) for word in pc.take(labels.words, pa.array(codes)).to_pylist()]
