"""Joins of plans and answers by sorted columns: unanswered rows, and which of several answers stands."""

from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import State

Numbers: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
Flags: TypeAlias = NDArray[np.bool_]
_ENCODED = pa.dictionary(pa.int32(), pa.string())


def standing_answers(table: pa.Table, repeated: Flags, current: pa.Table) -> pa.Table:
    """One answer per query and trial, in the order of the table; `repeated` are the rows that share these.

    A settled answer stands before a failed one, then one about the picture file as it is now (`current`: query,
    digest), then the last in the table.
    """
    rows = np.flatnonzero(repeated)
    own = table.filter(pa.array(repeated))
    settled = np.asarray(pc.not_equal(own["state"], State.FAILED.value))
    digests = current["digest"].take(pc.index_in(own["query"], value_set=current["query"].combine_chunks()))
    fits = np.asarray(pc.fill_null(pc.equal(own["digest"], digests), False))
    keys = answer_keys(own)
    order = np.lexsort((rows, fits, settled, keys))
    stands = ~repeated
    stands[rows[order[np.append(_steps(keys[order]), True)]]] = True
    return table.filter(pa.array(stands))  # by chunks: to take rows would join all texts in one array


def repeated_rows(table: pa.Table) -> Flags | None:
    """Which rows share query and trial with another; None where none does, which costs one sort to know."""
    keys = answer_keys(table)
    if not has_duplicates(keys):
        return None
    order = np.argsort(keys, kind="stable")
    same = ~_steps(keys[order])
    repeated = np.zeros(len(keys), np.bool_)
    repeated[order[1:][same]] = repeated[order[:-1][same]] = True
    return repeated


def unanswered_rows(plan: pa.Table, answers: pa.Table) -> pa.Table:
    """The rows of a plan (query, trial, digest) that have no settled answer about the same file.

    Each row is one 64-bit key: the query's id XORed with hashes of trial and digest. Two rows collide as rarely as two
    query ids.
    """
    failed = pc.equal(answers["state"], State.FAILED.value)
    settled = answers.filter(pc.invert(failed)) if pc.any(failed).as_py() else answers
    digests = _codes(plan["digest"], settled["digest"])
    wanted, held = (_mixed(table, codes) for table, codes in zip((plan, settled), digests, strict=True))
    if not len(held):
        return plan
    with ThreadPoolExecutor(1) as thread:  # sorting releases the GIL
        there = thread.submit(_sorted, held)
        order = _order(wanted)
    return plan.filter(pa.array(_absent(wanted, order, there.result())))


def _sorted(numbers: Numbers) -> Numbers:
    """The array, sorted in place: at ten million numbers a copy is slow."""
    numbers.sort()
    return numbers


def has_duplicates(numbers: Numbers) -> bool:
    """Whether any number occurs twice."""
    return not _steps(np.sort(numbers)).all()


def answer_keys(table: pa.Table) -> Numbers:
    """A 64-bit key for each query and trial; collisions are as rare as those of query ids."""
    mixed: Numbers = table["query"].to_numpy() ^ _far(table["trial"].to_numpy())
    return mixed


def _codes(*columns: pa.ChunkedArray) -> list[Codes]:
    """Texts as dictionary codes, shared by all columns."""
    encoded = [column.cast(_ENCODED) if pa.types.is_dictionary(column.type) else column for column in columns]
    encoded = [column if pa.types.is_dictionary(column.type) else column.dictionary_encode() for column in encoded]
    chunks = (
        pa.chunked_array([chunk for column in encoded for chunk in column.chunks], _ENCODED).unify_dictionaries().chunks
    )
    codes = np.concatenate([np.empty(0, np.int32), *(chunk.indices.to_numpy() for chunk in chunks)])
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _mixed(table: pa.Table, digests: Codes) -> Numbers:
    mixed: Numbers = table["query"].to_numpy() ^ _far(table["trial"].to_numpy()) ^ _far(digests, 1 << 32)
    return mixed


def _far(codes: NDArray[np.integer], start: int = 0) -> Numbers:
    """A distinct 64-bit hash for each small number (the finalizer of SplitMix64)."""
    mixed = np.arange(start + 1, start + 2 + int(codes.max(initial=0)), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    numbers: Numbers = mixed[codes]
    return numbers


def _order(keys: Numbers) -> Rows:
    """The rows roughly sorted by key: upper bits of the key, with the row number packed into the lower bits.

    This takes half the time of an argsort.
    """
    bits = np.uint64(len(keys).bit_length())
    packed = _sorted((keys >> bits << bits) | np.arange(len(keys), dtype=np.uint64))
    packed &= (np.uint64(1) << bits) - np.uint64(1)
    return packed.view(np.int64)


def _absent(keys: Numbers, order: Rows, there: Numbers) -> Flags:
    """Which keys are missing from a sorted array; searched in order, for cache locality."""
    sought = keys[order]
    places = np.searchsorted(there, sought)
    np.minimum(places, len(there) - 1, out=places)
    absent = np.empty(len(keys), np.bool_)
    absent[order] = there[places] != sought
    return absent


def _steps(values: NDArray[np.unsignedinteger]) -> Flags:
    """Where a value differs from the next."""
    steps: Flags = values[1:] != values[:-1]
    return steps
