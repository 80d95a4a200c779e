"""Joins of plans and answers by sorted columns: unanswered rows, and the latest answer to each query."""

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


def latest_answers(table: pa.Table) -> pa.Table:
    """One answer per query and trial, in the order of the table: the last settled one, else the last failed one."""
    rows = _standing_rows(table)
    return table if rows is None else table.take(pa.array(rows))


def unanswered_rows(plan: pa.Table, answers: pa.Table) -> pa.Table:
    """The rows of a plan (query, trial, digest) whose latest answer failed, is about another file, or is missing.

    Each row is one 64-bit key: the query's id XORed with hashes of trial and digest. Two rows collide as rarely as two
    query ids.
    """
    failed = pc.equal(answers["state"], State.FAILED.value)
    settled = answers.filter(pc.invert(failed)) if pc.any(failed).as_py() else answers
    digests = _codes(plan["digest"], settled["digest"])
    wanted, held = (_mixed(table, codes) for table, codes in zip((plan, settled), digests, strict=True))
    if not len(held):
        return plan
    with ThreadPoolExecutor(2) as threads:  # sorting releases the GIL
        rows = threads.submit(_standing_rows, settled) if np.ptp(digests[1]) else None
        there = threads.submit(_sorted, held)
        order = _order(wanted)
        kept = rows.result() if rows else None  # with a single digest, the order of answers does not matter
    held = there.result() if kept is None else _sorted(_mixed(settled, digests[1])[kept])
    return plan.filter(pa.array(_absent(wanted, order, held)))


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


def _standing_rows(table: pa.Table) -> Rows | None:
    """The rows of the latest answers; None where all rows are, which costs one sort to know."""
    failed = np.asarray(pc.equal(table["state"], State.FAILED.value))
    queries, trials = table["query"].to_numpy(), table["trial"].to_numpy()
    if not has_duplicates(queries ^ _far(trials)):
        return None
    settled_last = np.concatenate([np.flatnonzero(failed), np.flatnonzero(~failed)])
    order = settled_last[np.argsort(trials[settled_last], kind="stable")]
    order = order[np.argsort(queries[order], kind="stable")]
    ends = np.append(_steps(queries[order]) | _steps(trials[order]), True)
    return np.sort(order[ends])


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
