"""Which rows are still to be asked, and which answer stands: both by sorting columns, never by a Python set."""

from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.answers import State
from counterpoint.core.ids import content_id

Numbers: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


def standing(table: pa.Table) -> pa.Table:
    """One answer to each query and trial, in the order of the table: the last that is settled, else the last failed."""
    failed = np.asarray(pc.equal(table["state"], State.FAILED.value))
    queries, trials = table["query"].to_numpy(), table["trial"].to_numpy()
    if not _repeats(queries ^ _spread(trials)):
        return table
    settled = np.concatenate([np.flatnonzero(failed), np.flatnonzero(~failed)])  # the better ones come later
    order = settled[np.argsort(trials[settled], kind="stable")]
    order = order[np.argsort(queries[order], kind="stable")]
    ends = np.append(_steps(queries[order]) | _steps(trials[order]), True)
    return table.take(pa.array(np.sort(order[ends])))


def missing(plan: pa.Table, answers: pa.Table) -> pa.Table:
    """The rows of a plan (query, trial, digest) whose standing answer failed, saw another picture, or is not there.

    Each row is one number: the query's id mixed with numbers that follow from trial and digest. Two rows that differ
    share one as seldom as two queries share an id.
    """
    settled = standing(answers.filter(pc.not_equal(answers["state"], State.FAILED.value)))
    return plan.filter(pa.array(_absent(_keys(plan), _keys(settled))))


def _keys(table: pa.Table) -> Numbers:
    digests = table["digest"]
    if not pa.types.is_dictionary(digests.type):
        digests = digests.dictionary_encode()
    digests = digests.unify_dictionaries().combine_chunks()
    if isinstance(digests, pa.ChunkedArray):  # of no chunk at all
        return np.empty(0, np.uint64)
    names = digests.dictionary.to_pylist()
    numbers = np.fromiter(map(content_id, names), np.uint64, len(names))
    queries: Numbers = table["query"].to_numpy()
    mixed: Numbers = queries ^ _spread(table["trial"].to_numpy()) ^ numbers[digests.indices.to_numpy()]
    return mixed


def _spread(trials: NDArray[np.uint16]) -> Numbers:
    """A number for each trial, far from those of other trials."""
    numbers = np.zeros(1 << 16, np.uint64)
    for trial in np.flatnonzero(np.bincount(trials, minlength=1)):
        numbers[trial] = content_id(int(trial))
    return numbers[trials]


def _absent(keys: Numbers, held: Numbers) -> Flags:
    """Which keys are not held. Sorting both is three times as fast as hashing ten million numbers."""
    if not len(held):
        return np.ones(len(keys), np.bool_)
    wanted, there = np.sort(keys), np.sort(held)
    places = np.searchsorted(there, wanted)
    found = there[np.minimum(places, len(there) - 1)] == wanted
    if found.all():
        return np.zeros(len(keys), np.bool_)
    fewer = 2 * np.count_nonzero(found) < len(found)
    among: Flags = pc.is_in(pa.array(keys), value_set=pa.array(wanted[found == fewer])).to_numpy(zero_copy_only=False)
    absent: Flags = among != fewer
    return absent


def _repeats(numbers: Numbers) -> bool:
    return not _steps(np.sort(numbers)).all()


def _steps(values: NDArray[np.unsignedinteger]) -> Flags:
    """Where a value is followed by another one."""
    steps: Flags = values[1:] != values[:-1]
    return steps
