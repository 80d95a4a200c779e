"""A vectorised hash join of long columns of ids, without sorting or a loop over rows."""

import numpy as np
from numpy.typing import NDArray

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
    seeking, waiting = np.arange(len(wanted), dtype=np.int32), np.arange(len(keys), dtype=np.int32)
    factor = _FIRST
    while len(seeking) and len(waiting):
        bits = max(int(2 * len(waiting) - 1).bit_length(), 1)
        asked, held = wanted[seeking], keys[waiting]
        slots = np.full(1 << bits, -1, np.int32)
        own = _hashed(held, factor, bits)
        slots[own] = waiting
        met = slots[_hashed(asked, factor, bits)]
        same = keys[met] == asked  # an empty slot answers with the last key, so its emptiness is asked as well
        same &= met >= 0
        found[seeking[same]] = met[same]
        seeking = seeking[~same & (met >= 0)]
        waiting = waiting[keys[slots[own]] != held]
        factor = (factor + 2 * _STEP) % 2**64  # an odd number stays odd
    return found


def _hashed(ids: Ids, factor: int, bits: int) -> NDArray[np.int64]:
    mixed = ids ^ (ids >> np.uint64(32))
    mixed *= np.uint64(factor)
    mixed >>= np.uint64(64 - bits)
    return mixed.view(np.int64)
