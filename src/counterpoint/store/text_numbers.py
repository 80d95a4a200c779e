"""Texts as numbers: a hash table of many texts that grows, in arrays, without a pass over the texts from before."""

from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.metrics.labels import Codes

_SEEDS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03))
_FIRST_FACTOR, _SECOND_FACTOR = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)  # of SplitMix64
_LANE = 8  # bytes that are hashed at once
_KEPT_BITS = np.array([2 ** (8 * many) - 1 for many in range(_LANE + 1)], np.uint64)  # of so many bytes of a lane
_FEWEST_SLOTS = 2**10

Keys: TypeAlias = NDArray[np.uint64]
"""64 bits for each text."""


class TextNumbers:
    """Numbers of texts in the order in which they are added, each once.

    Texts with the same hash of 128 bits are taken to be equal. The table has linear probing, all texts at a time.

    >>> numbers = TextNumbers()
    >>> numbers.add(pa.array(["b", "a"])).tolist(), numbers.add(pa.array(["c", "a", "c"])).tolist()
    ([0, 1], [2, 1, 2])
    >>> numbers.words().to_pylist()
    ['b', 'a', 'c']
    """

    def __init__(self) -> None:
        self._words: list[pa.Array] = []
        self._many, self._keys = 0, [np.empty(0, np.uint64) for _ in _SEEDS]
        self._slots = np.full(_FEWEST_SLOTS, -1, np.int32)

    def words(self) -> pa.Array:
        """The texts in the order of their numbers."""
        return pa.concat_arrays([pa.array([], pa.string()), *self._words])

    def add(self, texts: pa.Array) -> Codes:
        """The number of each text; one that was not there before has the next."""
        first, many = self._many, len(texts)
        self._make_room(many)
        for keys, own in zip(self._keys, hash_texts(texts), strict=True):
            keys[first : first + many] = own
        numbers, slots = self._insert(first, many)
        fresh = np.flatnonzero(numbers == np.arange(first, first + many, dtype=np.int32))
        final = slice(first, first + len(fresh))
        for keys in self._keys:
            keys[final] = keys[first + fresh]
        self._slots[slots[fresh]] = np.arange(final.start, final.stop, dtype=np.int32)
        self._words.append(texts.take(pa.array(fresh)))
        self._many = final.stop
        return self._slots[slots]

    def _make_room(self, many: int) -> None:
        """Room for so many more texts, with at most half of the slots in use."""
        needed = self._many + many
        if needed > len(self._keys[0]):
            self._keys = [np.append(keys[: self._many], np.empty(needed, np.uint64)) for keys in self._keys]
        if 2 * needed > len(self._slots):
            self._slots = np.full(2 ** (2 * needed).bit_length(), -1, np.int32)
            self._insert(0, self._many)

    def _insert(self, first: int, many: int) -> tuple[Codes, NDArray[np.int64]]:
        """Give a slot to each of so many keys; the first key that is equal to each, and the slot of both."""
        last = len(self._slots) - 1
        slots = (self._keys[0][first : first + many] & np.uint64(last)).view(np.int64)
        numbers, row, slot = np.empty(many, np.int32), np.arange(many), slots
        while len(row):
            own, holder = first + row, self._slots[slot]
            vacant = np.flatnonzero(holder < 0)
            self._slots[slot[vacant[::-1]]] = own[vacant[::-1]]  # of several keys for one slot the first stays
            holder[vacant] = self._slots[slot[vacant]]
            numbers[row] = holder
            differ = np.flatnonzero(np.logical_or(*(keys[holder] != keys[own] for keys in self._keys)))
            row, slot = row[differ], slot[differ] + 1 & last
            slots[row] = slot
        return numbers, slots


def hash_texts(texts: pa.Array) -> list[Keys]:
    """A hash of 128 bits of each text, from its length and its bytes: two chains of SplitMix64."""
    if not len(texts):
        return [np.empty(0, np.uint64) for _ in _SEEDS]
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    padded = np.zeros(bounds[-1] - bounds[0] + _LANE, np.uint8)
    padded[:-_LANE] = np.frombuffer(content or b"", np.uint8)[bounds[0] : bounds[-1]]
    lanes = np.ndarray(len(padded) - _LANE + 1, "<u8", padded, strides=(1,))  # one begins at every byte
    left, place = np.diff(bounds), bounds[:-1] - bounds[0]
    chains = [left.view(np.uint64) + seed for seed in _SEEDS]
    rows: NDArray[np.int64] | slice = slice(None)  # those with bytes that were not hashed
    for start in range(0, int(left.max()), _LANE):
        if left.min() <= start:
            rows = np.flatnonzero(left > start)
        lane = lanes[place[rows] + start] & _KEPT_BITS[np.minimum(left[rows] - start, _LANE)]
        for chain in chains:
            chain[rows] = _mix(chain[rows] ^ lane)
    return chains


def _mix(keys: Keys) -> Keys:
    """The finaliser of SplitMix64, which is a bijection."""
    keys ^= keys >> np.uint64(30)
    keys *= _FIRST_FACTOR
    keys ^= keys >> np.uint64(27)
    keys *= _SECOND_FACTOR
    keys ^= keys >> np.uint64(31)
    return keys
