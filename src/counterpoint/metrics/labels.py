"""Dictionary-encoded columns of texts and a hash join of ids, so that work on millions of rows is arithmetic."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Codes = NDArray[np.int32]

_FEW_WORDS = 3


@dataclass(frozen=True, slots=True)
class Labels:
    """One code per row and the words that codes stand for; -1 where a row has none."""

    codes: Codes
    words: pa.Array

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> "Labels":
        """A column of texts, plain or already encoded."""
        is_encoded = pa.types.is_dictionary(column.type)
        parts = (column.unify_dictionaries() if is_encoded else column.dictionary_encode()).chunks
        if not parts:
            return cls(np.empty(0, np.int32), pa.array([], pa.string()))
        indices = [pc.fill_null(part.indices, -1) if part.null_count else part.indices for part in parts]
        codes = [own.to_numpy(zero_copy_only=False) for own in indices]
        whole = codes[0] if len(codes) == 1 else np.concatenate(codes)
        return cls(whole.astype(np.int32, copy=False), parts[0].dictionary)

    def at(self, rows: NDArray[np.integer]) -> "Labels":
        """The labels of some rows."""
        return Labels(self.codes[rows], self.words)

    def at_or(self, rows: NDArray[np.integer], others: NDArray[np.integer]) -> "Labels":
        """The labels of some rows, and where one has none, that of another row."""
        codes = self.codes[rows]
        bare = np.flatnonzero(codes < 0)
        codes[bare] = self.codes[others[bare]]
        return Labels(codes, self.words)

    def among(self, words: pa.Array) -> "Labels":
        """The same labels numbered as these words are; -1 for a word that is not among them."""
        places = pc.index_in(self.words, value_set=words)
        return Labels(_looked_up(pc.fill_null(places, -1).to_numpy(zero_copy_only=False), self.codes), words)

    def by_occurrence(self) -> "Labels":
        """The same labels numbered in the order in which they occur, without words that do not.

        >>> Labels(np.array([2, -1, 0, 2], np.int32), pa.array(["a", "b", "c"])).by_occurrence().words.to_pylist()
        ['c', 'a']
        """
        first = np.full(len(self.words) + 1, len(self.codes))
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]  # the last that is written is the first that occurs
        order = np.argsort(first[:-1], kind="stable")[: np.count_nonzero(first[:-1] < len(self.codes))]
        numbers = np.full(len(first), -1, np.int32)
        numbers[order] = np.arange(len(order), dtype=np.int32)
        return Labels(numbers[self.codes], self.words.take(pa.array(order)))

    def where(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Which rows have one of these words."""
        wanted = pc.is_in(self.words, value_set=pa.array(names, pa.string())).to_numpy(zero_copy_only=False)
        if not wanted.any():
            return np.zeros(len(self.codes), np.bool_)
        if wanted.all():
            return np.asarray(self.codes >= 0)
        if (codes := np.flatnonzero(wanted)).size <= _FEW_WORDS:  # comparing takes a tenth of looking up
            return np.asarray(np.logical_or.reduce([self.codes == code for code in codes]))
        return np.append(wanted, False)[self.codes]  # a code of -1 finds the False at the end


def _looked_up(table: NDArray[np.integer], codes: Codes) -> Codes:
    return np.append(table, -1).astype(np.int32)[codes]


def take_items(lists: pa.ChunkedArray, rows: NDArray[np.integer]) -> tuple[pa.Array, NDArray[np.int64]]:
    """The items of the lists of some rows, one after the other, and how many each of these has.

    >>> items, sizes = take_items(pa.chunked_array([[["a", "b"], None, ["c"]]]), np.array([2, 1, 0]))
    >>> items.to_pylist(), sizes.tolist()
    (['c', 'a', 'b'], [1, 0, 2])
    """
    whole = lists.chunk(0) if lists.num_chunks == 1 else pa.concat_arrays(lists.chunks or [pa.array([], lists.type)])
    starts = whole.offsets.to_numpy()[:-1][rows].astype(np.int64)
    sizes = pc.fill_null(pc.list_value_length(whole), 0).to_numpy()[rows].astype(np.int64)
    places = np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    places += np.arange(len(places))
    return whole.values.take(pa.array(places)), sizes


def tag_labels(tags: pa.ChunkedArray, name: str) -> Labels:
    """The value that each row has for one tag."""
    rows = [_tag_values(part, name) for part in tags.chunks]
    return Labels.of(pa.chunked_array(rows, pa.dictionary(pa.int32(), pa.string())))


def _tag_values(tags: pa.MapArray, name: str) -> pa.DictionaryArray:
    """The first value of each row for one tag; `pc.map_lookup` takes ten times as long."""
    pairs = tags.cast(pa.list_(pa.struct([tags.type.key_field, tags.type.item_field])))
    flat = pairs.flatten()
    places = np.flatnonzero(pc.equal(flat.field(0), name).to_numpy(zero_copy_only=False))[::-1]
    values = flat.field(1).take(pa.array(places)).dictionary_encode()
    codes = np.full(len(tags), -1, np.int32)
    codes[pc.list_parent_indices(pairs).to_numpy()[places]] = values.indices.to_numpy()  # the first is written last
    return pa.DictionaryArray.from_arrays(pa.array(codes, mask=codes < 0), values.dictionary)


def renumber(numbers: NDArray[np.int64], size: int) -> tuple[Codes, NDArray[np.int64]]:
    """Numbers below `size` renumbered from 0 without gaps, in their order, and the numbers that are in use.

    >>> codes, used = renumber(np.array([7, 3, 7]), 10)
    >>> codes.tolist(), used.tolist()
    ([1, 0, 1], [3, 7])
    """
    if size > max(4 * len(numbers), 1 << 16):  # a place for every possible number would cost more than sorting
        used, codes = np.unique(numbers, return_inverse=True)
        return codes.astype(np.int32), used
    seen = np.zeros(size, np.bool_)
    seen[numbers] = True
    return (np.cumsum(seen, dtype=np.int32) - 1)[numbers], np.flatnonzero(seen)


Ids = NDArray[np.uint64]
Rows = NDArray[np.int32]

_FIRST, _STEP = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B8


def find_rows(wanted: Ids, keys: Ids) -> Rows:
    """The row of `keys` that holds each wanted id, the last one where several do; -1 where none does.

    Each round gives every key a slot of a hash table; keys that collide go into the next, smaller round with another
    hash, and so do the wanted ids that find another key in their slot.

    >>> find_rows(np.array([7, 9, 8], np.uint64), np.array([8, 7, 8], np.uint64)).tolist()
    [1, -1, 2]
    """
    assert len(keys) < 2**31, "rows are counted in 32 bits"
    found = np.full(len(wanted), -1, np.int32)
    seeking, row = np.arange(len(wanted), dtype=np.int32), np.arange(len(keys), dtype=np.int32)
    asked, held, factor = wanted, keys, _FIRST
    while len(asked) and len(held):
        bits = max(int(2 * len(held) - 1).bit_length(), 1)
        slots = np.full(1 << bits, -1, np.int32)
        own = _hashed(held, factor, bits)
        slots[own] = row
        met = slots[_hashed(asked, factor, bits)]
        empty = met < 0
        same = (keys[met] == asked) & ~empty  # an empty slot answers with the last key
        found[seeking] = np.where(same, met, np.int32(-1))
        left = np.flatnonzero(~(same | empty))
        seeking, asked = seeking[left], asked[left]
        holder = slots[own]
        lost = np.flatnonzero(holder != row)
        lost = lost[keys[holder[lost]] != held[lost]]  # a key that occurs again is found in its slot
        row, held = row[lost], held[lost]
        factor = (factor + 2 * _STEP) % 2**64  # an odd number stays odd
    return found


def _hashed(ids: Ids, factor: int, bits: int) -> NDArray[np.int64]:
    mixed = ids ^ (ids >> np.uint64(32))
    mixed *= np.uint64(factor)
    mixed >>= np.uint64(64 - bits)
    return mixed.view(np.int64)
