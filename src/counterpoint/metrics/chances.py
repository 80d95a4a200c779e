"""What answers hold beside their values: how likely a model took them to be, worked out only where somebody asks.

The likeliest values with their probabilities are by far the longest column of a table of answers, so that scores which
need none of it read none of it, and a table without that column has no probabilities.
"""

from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.metrics.labels import Labels

Floats = NDArray[np.float64]


class Chances:
    """The probabilities of plain answers, for the rows of a suite; a place of -1 is a row without an answer."""

    def __init__(self, plain: pa.Table, places: NDArray[np.int32]) -> None:
        self._plain = plain.select([name for name in ("raw", "value", "top") if name in plain.column_names])
        self._places = places

    @cached_property
    def confidence(self) -> Floats:
        """The probability of the value said; nan where the model told none."""
        if "top" not in self._plain.column_names:
            return np.broadcast_to(np.float64(np.nan), len(self._places))
        return np.append(said_with(self._plain), np.nan)[self._places]


def said_with(answers: pa.Table) -> Floats:
    """For each answer the probability of its value, else of its raw text, among the likeliest; nan where in neither.

    >>> top = [[{"value": "red", "probability": 0.75}, {"value": "blue", "probability": 0.25}]]
    >>> said_with(pa.table({"raw": ["Blue!"], "value": ["blue"], "top": top})).tolist()
    [0.25]
    """
    found = np.full(answers.num_rows, np.nan)
    start = 0
    for part in answers.select(["raw", "value", "top"]).combine_chunks().to_batches():
        top = part["top"]
        flat, sizes = top.flatten(), np.diff(top.offsets.to_numpy())
        rows = np.repeat(np.arange(start, start + len(top)), sizes)
        chance = flat.field("probability").to_numpy(zero_copy_only=False)
        for name in ("raw", "value"):  # the value is looked for last, so that it wins
            hit = _equal(flat.field("value"), part[name], rows - start)
            found[rows[hit][::-1]] = chance[hit][::-1]  # of equal entries the likeliest stands
        start += len(top)
    return found


def _equal(listed: pa.Array, said: pa.Array, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the listed words is what its row says."""
    words = Labels.of(pa.chunked_array([listed]))
    own = Labels.of(pa.chunked_array([said]))
    known = pa.concat_arrays([words.words, own.words]).unique()
    equal: NDArray[np.bool_] = words.among(known).codes == own.among(known).codes[rows]
    return equal
