"""What is found of suites before they are partitioned: picture, size and block of each group, and an index of queries.

All rows are looked at once, in narrow columns. Of each there remain 16 bytes: its query, an index of the queries, and
the number of its picture.
"""

from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.metrics.labels import Labels
from counterpoint.metrics.outcomes import BLOCK_COLUMNS, number_pictures
from counterpoint.metrics.slices import find_repeats
from counterpoint.metrics.units import Flags
from counterpoint.store.text_numbers import TextNumbers

_INDEXED_ROWS = 250_000  # at once, so that temporary arrays stay small
_BLOCK = np.uint64(2**16 - 1)  # the bits of a key that hold the number of a block
_SHARED = np.uint64(48)  # the bits of a key below those that are looked up where keys may share theirs
_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # spreads ids, whatever they are, over all numbers of 64 bits

Numbers = NDArray[np.integer]
Ids = NDArray[np.uint64]


class BlockIndex:
    """Which blocks need a query: sorted keys, and where those with the same upper bits begin.

    A key is the spread id of a query without its lowest bits and a block in their place. Two queries that share all
    other bits are taken to the blocks of both, which changes no score.
    """

    def __init__(self, queries: Ids, block: Numbers) -> None:
        """Of queries, which are overwritten and end with a spare place, and of the block of each, -1 for none."""
        keys = queries
        keys *= _FACTOR
        keys &= ~_BLOCK
        for start in range(0, len(block), _INDEXED_ROWS):
            part = slice(start, start + _INDEXED_ROWS)
            keys[:-1][part] |= block[part].astype(np.uint64) & _BLOCK
        if block.min(initial=0) < 0:
            keys = keys[np.append(block >= 0, True)]
        keys[-1] = 2**64 - 1  # no block has this number
        keys.sort()
        fresh = keys[1:] != keys[:-1]
        self._keys = keys if fresh.all() else keys[np.append(True, fresh)]
        bits = max(len(self._keys).bit_length() - 1, 1)
        self._shift = np.uint64(64 - bits)
        self._starts = np.zeros(2**bits + 1, np.uint32 if len(keys) < 2**32 else np.uint64)
        self._shared = np.zeros(2**16, np.bool_)  # by the upper bits of keys: whether some differ in their block alone
        for start in range(0, len(self._keys), _INDEXED_ROWS):
            own = self._keys[start : start + _INDEXED_ROWS + 1]
            self._shared[own[1:][(own[1:] ^ own[:-1]) <= _BLOCK] >> _SHARED] = True
            prefix = self._prefix(own[:_INDEXED_ROWS])
            counts = np.bincount(prefix - prefix[0])
            self._starts[prefix[0] + 1 : prefix[0] + 1 + len(counts)] += counts.astype(self._starts.dtype)
        np.cumsum(self._starts, out=self._starts, dtype=self._starts.dtype)

    def find(self, queries: Ids) -> tuple[Numbers, Numbers]:
        """The rows of an array of queries that a block needs, in their order, and the number of that block."""
        floor = queries * _FACTOR & ~_BLOCK
        place = self._starts[self._prefix(floor)].astype(np.int64)
        key = self._keys[place]
        below = np.flatnonzero(key < floor)
        while len(below):
            place[below] += 1
            key[below] = self._keys[place[below]]
            below = below[key[below] < floor[below]]
        row, rows, blocks = np.arange(len(queries)), list[Numbers](), list[Numbers]()
        while len(row) or not rows:
            if not (fits := key - floor <= _BLOCK).all():
                row, floor, place, key = row[fits], floor[fits], place[fits], key[fits]
            rows.append(row)
            blocks.append((key & _BLOCK).astype(np.uint16))
            shares = np.flatnonzero(self._shared[floor >> _SHARED])
            row, floor, place = row[shares], floor[shares], place[shares] + 1
            key = self._keys[place]
        if len(rows) == 1:
            return rows[0], blocks[0]
        found, block = np.concatenate(rows), np.concatenate(blocks)
        order = np.argsort(found, kind="stable")  # later answers stay behind earlier ones
        return found[order], block[order]

    def _prefix(self, keys: Ids) -> Numbers:
        return (keys >> self._shift).view(np.int64)


class PlacedPortion:
    """Whole groups of a suite, and which rows and groups of all they are."""

    def __init__(self, table: pa.Table, first_row: int, first_group: int, groups: int) -> None:
        self.table = table
        self.rows = slice(first_row, first_row + table.num_rows)
        self.groups = slice(first_group, first_group + groups)


class SuiteSurvey:
    """The picture, size and block of each group of suites, and the queries of their rows."""

    def __init__(self, rows: int) -> None:
        self._query, self._rows = np.empty(rows + 1, np.uint64), 0
        self._pictures = PictureNumbers(rows)
        self._sizes: list[Numbers] = []
        self._ids: list[Ids] = []
        self._suite: list[Numbers] = []
        self._kept: list[Flags] = []

    def add(self, suite: int, portion: pa.Table, marks: Flags | None = None) -> None:
        """Add whole groups of a suite; those that are not marked get no block."""
        starts, many = np.flatnonzero(portion["role"].to_numpy() == 0), portion.num_rows
        self._pictures.add(portion["picture"])
        self._sizes.append(np.diff(np.append(starts, many)).astype(np.int32))
        self._query[self._rows : self._rows + many] = portion["query"].to_numpy()
        self._ids.append(portion["group_id"].to_numpy()[starts])
        self._suite.append(np.full(len(starts), suite, np.int16))
        self._kept.append(np.ones(len(starts), np.bool_) if marks is None else marks)
        self._rows += many

    def finish(self, rows: int, pool: bool) -> None:
        """Number pictures and rows, and assign blocks of about so many rows; pooled groups that repeat have none."""
        self.pictures, self.size = self._pictures.finish(), np.concatenate(self._sizes)
        suite, marks = np.concatenate(self._suite), np.concatenate(self._kept)
        if pool:
            marks[marks] = ~find_repeats(suite[marks], np.concatenate(self._ids)[marks])
        kept = slice(None) if marks.all() else marks  # mostly all are kept, and nothing is copied
        self.cluster = np.full(len(marks), -1, np.int32)
        self.cluster[kept] = number_pictures(self.pictures.at((np.cumsum(self.size) - self.size)[kept]))
        load = np.bincount(self.cluster[kept], self.size[kept]).cumsum()
        whole = load[-1] if len(load) else 1
        share = whole / max(np.ceil(whole / rows), 1)
        self.block = np.full(len(marks), -1, np.int16)
        self.block[kept] = ((load - 1) // share).astype(np.int16)[self.cluster[kept]]
        self._repeated: NDArray[np.bool_] | None = None
        if pool:
            inside = np.repeat(marks, self.size)
            self._repeated = np.zeros(self._rows, np.bool_)
            self._repeated[inside] = find_repeats(np.repeat(suite, self.size)[inside], self._query[:-1][inside])
        del self._pictures, self._sizes, self._ids, self._suite, self._kept

    def index(self) -> BlockIndex:
        """The index of queries, which are not kept."""
        query = self._query
        del self._query
        return BlockIndex(query, np.repeat(self.block, self.size))

    def complete(self, portion: PlacedPortion) -> tuple[pa.Table, Numbers]:
        """The kept rows of a portion with their places among all, and the block of each."""
        table, rows, groups = portion.table, portion.rows, portion.groups
        sizes = self.size[groups]
        kind = np.int32 if self._rows < 2**31 else np.int64
        block, places = np.repeat(self.block[groups], sizes), np.arange(rows.start, rows.stop, dtype=kind)
        columns = [*zip(BLOCK_COLUMNS, (places, np.repeat(self.cluster[groups], sizes)), strict=True)]
        columns.append(("picture", self.pictures.codes[rows]))
        if self._repeated is not None:
            columns.append(("repeated", self._repeated[rows]))
        for name, column in columns:
            table = table.append_column(name, pa.array(column))
        kept = block >= 0
        return (table, block) if kept.all() else (table.filter(pa.array(kept)), block[kept])


class PictureNumbers:
    """The pictures of rows as numbers in the order in which they are added; a thread looks up those of portions."""

    def __init__(self, rows: int) -> None:
        self._codes, self._rows = np.empty(rows, np.int32), 0
        self._numbers = TextNumbers()
        self._thread = ThreadPoolExecutor(1)
        self._pending: Future[None] | None = None

    def add(self, pictures: pa.ChunkedArray) -> None:
        """Add the pictures of the next rows."""
        for chunk in pictures.chunks:
            if self._pending:
                self._pending.result()  # so that the words of two portions are in memory, and no more
            rows = slice(self._rows, self._rows + len(chunk))
            self._pending = self._thread.submit(self._number, rows, chunk)
            self._rows = rows.stop

    def finish(self) -> Labels:
        """The number of each row's picture, -1 for none, and the words of these numbers."""
        if self._pending:
            self._pending.result()
        self._thread.shutdown()
        return Labels(self._codes, self._numbers.words())

    def _number(self, rows: slice, pictures: pa.DictionaryArray) -> None:
        numbers = np.append(self._numbers.add(pictures.dictionary), np.int32(-1))
        self._codes[rows] = numbers[pc.fill_null(pictures.indices, -1).to_numpy()]
