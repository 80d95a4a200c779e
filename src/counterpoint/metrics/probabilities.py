"""What answers hold beside their values: how likely a model took them to be, and what its stochastic passes said.

The likeliest values with their probabilities are by far the longest column of a table of answers, so that scores which
need none of it read none of it, and a table without that column has no probabilities. All of it is worked out only
where somebody asks.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.answers import State
from counterpoint.core.ports import MEAN_TRIAL
from counterpoint.metrics.brier import squared_errors
from counterpoint.metrics.id_joins import find_rows
from counterpoint.metrics.labels import Labels

Floats = NDArray[np.float64]
Places = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class PassAgreement:
    """How far the passes over each query agree: the share of the value most of them gave, and their entropy."""

    agreement: Floats
    entropy: Floats  # over that of passes which all say something else


class AnswerProbabilities:
    """What else is known of plain answers, for the rows of a suite; a place of -1 is a row without an answer."""

    def __init__(
        self, plain: pa.Table, found: Places, answers: pa.Table | None = None, asked: pa.Table | None = None
    ) -> None:
        self._plain = plain.select([name for name in ("query", "raw", "value", "top") if name in plain.column_names])
        self._found = found
        self._answers = answers  # in all trials, where there are any beside the plain one
        self._asked = asked  # what is asked in each row, with what is right

    @cached_property
    def confidence(self) -> Floats:
        """The probability of the value said; nan where the model told none."""
        return self._nothing if "top" not in self._plain.column_names else self._at(value_probabilities(self._plain))

    @cached_property
    def squared_errors(self) -> Floats:
        """Half of the squared gaps between all probabilities and the right answer, of bases; nan where unknown."""
        if self._asked is None or "top" not in self._plain.column_names:
            return self._nothing
        rows = np.flatnonzero((self._found >= 0) & (self._asked["role"].to_numpy() == 0))
        top = self._plain["top"].take(pa.array(self._found[rows]))
        gaps = np.full(len(self._found), np.nan)
        gaps[rows] = squared_errors(self._asked.take(pa.array(rows)), top)
        return gaps

    @cached_property
    def uncertainty(self) -> Floats:
        """One less the largest probability in the mean of the passes; nan where there is no mean."""
        means = self._means
        return self._nothing if "top" not in means.column_names else self._of_means(1 - _largest(means["top"]))

    @cached_property
    def entropy(self) -> Floats:
        """The entropy of the mean of the passes over the largest there could be; nan where there is no mean."""
        return self._of_means(self._means["score"].to_numpy().astype(np.float64))

    @cached_property
    def passes(self) -> PassAgreement:
        """How far the values of the passes agree; nan where there are fewer than two."""
        trial = self._settled["trial"]
        passes = self._settled.filter(pc.and_(pc.greater(trial, 0), pc.less(trial, MEAN_TRIAL)))
        place = find_rows(_ids(passes), _ids(self._plain))
        found = _pass_agreement(place[place >= 0], Labels.of(passes["value"]).codes[place >= 0], self._plain.num_rows)
        return PassAgreement(self._at(found.agreement), self._at(found.entropy))

    @cached_property
    def _settled(self) -> pa.Table:
        """What was said in any trial."""
        if self._answers is None:
            return pa.table({name: pa.array([], kind) for name, kind in _EMPTY.items()})
        return self._answers.filter(pc.not_equal(self._answers["state"], State.FAILED.value))

    @cached_property
    def _means(self) -> pa.Table:
        """The means that were told, those of most passes last."""
        return self._settled.filter(pc.greater_equal(self._settled["trial"], MEAN_TRIAL)).sort_by("trial")

    def _of_means(self, values: Floats) -> Floats:
        """What means have, for the rows of the suite; of several means over one query the last stands."""
        return self._at(np.append(values, np.nan)[find_rows(_ids(self._plain), _ids(self._means))])

    def _at(self, values: Floats) -> Floats:
        return np.append(values, np.nan)[self._found]

    @property
    def _nothing(self) -> Floats:
        return np.broadcast_to(np.float64(np.nan), len(self._found))


_EMPTY = {"query": pa.uint64(), "trial": pa.uint16(), "value": pa.string(), "score": pa.float64()}


def value_probabilities(answers: pa.Table) -> Floats:
    """For each answer the probability of its value, else of its raw text, among the likeliest; nan where in neither.

    >>> top = [[{"value": "red", "probability": 0.75}, {"value": "blue", "probability": 0.25}]]
    >>> value_probabilities(pa.table({"raw": ["Blue!"], "value": ["blue"], "top": top})).tolist()
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


def _largest(top: pa.ChunkedArray) -> Floats:
    """The probability of the first of each list, which is its best; nan where a list is empty."""
    found = np.full(len(top), np.nan)
    start = 0
    for part in top.chunks:
        lengths = np.diff(part.offsets.to_numpy())
        chances = part.flatten().field("probability").to_numpy(zero_copy_only=False)
        firsts = (np.cumsum(lengths) - lengths)[lengths > 0]
        found[start : start + len(part)][lengths > 0] = chances[firsts]
        start += len(part)
    return found


def _pass_agreement(place: Places, value: Places, many: int) -> PassAgreement:
    """How far the values given at each place agree."""
    kinds = int(value.max(initial=0)) + 1
    pairs, counts = np.unique(place.astype(np.int64) * kinds + value, return_counts=True)
    own = pairs // kinds
    total = np.bincount(own, counts, minlength=many)
    most = np.zeros(many)
    np.maximum.at(most, own, counts)
    share = counts / total[own]
    spread = np.bincount(own, -share * np.log(share), minlength=many)
    several = total > 1
    size = np.where(several, total, 2)  # so that nothing is divided by nothing
    return PassAgreement(np.where(several, most / size, np.nan), np.where(several, spread / np.log(size), np.nan))


def _ids(table: pa.Table) -> NDArray[np.uint64]:
    return np.asarray(table["query"].to_numpy(), np.uint64)
