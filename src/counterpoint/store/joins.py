"""Which rows are still to be asked, and which answer stands: both by sorting columns, never by a Python set."""

from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.answers import State

Numbers: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
Flags: TypeAlias = NDArray[np.bool_]
_ENCODED = pa.dictionary(pa.int32(), pa.string())


def latest_answers(table: pa.Table) -> pa.Table:
    """One answer to each query and trial, in the order of the table: the last that is settled, else the last failed."""
    rows = _standing_rows(table)
    return table if rows is None else table.take(pa.array(rows))


def unanswered_rows(plan: pa.Table, answers: pa.Table) -> pa.Table:
    """The rows of a plan (query, trial, digest) whose standing answer failed, saw another picture, or is not there.

    Each row is one number: the query's id mixed with numbers that follow from trial and digest. Two rows that differ
    share one as seldom as two queries share an id.
    """
    failed = pc.equal(answers["state"], State.FAILED.value)
    settled = answers.filter(pc.invert(failed)) if pc.any(failed).as_py() else answers
    digests = _codes(plan["digest"], settled["digest"])
    wanted, held = (_mixed(table, codes) for table, codes in zip((plan, settled), digests, strict=True))
    if not len(held):
        return plan
    with ThreadPoolExecutor(2) as threads:  # sorting lets other threads work
        rows = threads.submit(_standing_rows, settled) if np.ptp(digests[1]) else None
        there = threads.submit(_sorted, held)
        order = _order(wanted)
        kept = rows.result() if rows else None  # where all saw one digest, an older answer is as good as a newer one
    held = there.result() if kept is None else _sorted(_mixed(settled, digests[1])[kept])
    return plan.filter(pa.array(_absent(wanted, order, held)))


def _sorted(numbers: Numbers) -> Numbers:
    """The same array, put in order: at ten million numbers, even a copy is felt."""
    numbers.sort()
    return numbers


def has_duplicates(numbers: Numbers) -> bool:
    """Whether any number is there twice."""
    return not _steps(np.sort(numbers)).all()


def answer_keys(table: pa.Table) -> Numbers:
    """One number for each query and trial; two that differ share one as seldom as two queries share an id."""
    mixed: Numbers = table["query"].to_numpy() ^ _far(table["trial"].to_numpy())
    return mixed


def _standing_rows(table: pa.Table) -> Rows | None:
    """The rows whose answers stand; None where all do, which costs one sort to know."""
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
    """Texts as numbers, the same for the same text in any of the columns."""
    encoded = [column.cast(_ENCODED) if pa.types.is_dictionary(column.type) else column for column in columns]
    encoded = [one if pa.types.is_dictionary(one.type) else one.dictionary_encode() for one in encoded]
    chunks = pa.chunked_array([chunk for one in encoded for chunk in one.chunks], _ENCODED).unify_dictionaries().chunks
    codes = np.concatenate([np.empty(0, np.int32), *(chunk.indices.to_numpy() for chunk in chunks)])
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _mixed(table: pa.Table, digests: Codes) -> Numbers:
    mixed: Numbers = table["query"].to_numpy() ^ _far(table["trial"].to_numpy()) ^ _far(digests, 1 << 32)
    return mixed


def _far(codes: NDArray[np.integer], start: int = 0) -> Numbers:
    """A number anywhere in the 64 bits for each small one, no two the same (the finisher of SplitMix64)."""
    mixed = np.arange(start + 1, start + 2 + int(codes.max(initial=0)), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    numbers: Numbers = mixed[codes]
    return numbers


def _order(keys: Numbers) -> Rows:
    """The rows in the order of their keys, or nearly: only the upper bits are sorted, the row stands in the lower ones.

    This takes half the time of sorting rows by keys.
    """
    bits = np.uint64(len(keys).bit_length())
    packed = _sorted((keys >> bits << bits) | np.arange(len(keys), dtype=np.uint64))
    packed &= (np.uint64(1) << bits) - np.uint64(1)
    return packed.view(np.int64)


def _absent(keys: Numbers, order: Rows, there: Numbers) -> Flags:
    """Which keys are not among the sorted ones that are there; in order, neighbours are found near each other."""
    sought = keys[order]
    places = np.searchsorted(there, sought)
    np.minimum(places, len(there) - 1, out=places)
    absent = np.empty(len(keys), np.bool_)
    absent[order] = there[places] != sought
    return absent


def _steps(values: NDArray[np.unsignedinteger]) -> Flags:
    """Where a value is followed by another one."""
    steps: Flags = values[1:] != values[:-1]
    return steps
