"""Probabilities of answers, and agreement of stochastic passes, computed on first use.

The likeliest values with their probabilities (`top`) are by far the longest column of a table of answers, so metrics
that do not need it do not read it; a table without that column has no probabilities.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import State
from counterpoint.core.ports import MEAN_TRIAL
from counterpoint.language.answers.final_answer import normalize
from counterpoint.metrics.credit import squared_errors
from counterpoint.metrics.labels import Labels, find_rows

Floats = NDArray[np.float64]
RowNumbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class PassAgreement:
    """Agreement of the passes over each query: the share of the most frequent value, and their entropy."""

    agreement: Floats
    entropy: Floats  # divided by that of passes which all differ


class AnswerProbabilities:
    """Probabilities and passes of plain answers, for the rows of a suite; -1 is a row without an answer."""

    def __init__(
        self, plain: pa.Table, answer_rows: RowNumbers, answers: pa.Table | None = None, gold: pa.Table | None = None
    ) -> None:
        self._plain = plain.select([name for name in ("query", "raw", "value", "top") if name in plain.column_names])
        self._rows = answer_rows
        self._answers = answers  # of all trials, if there are any beside the plain one
        self._gold = gold  # gold and rule set of each row

    @property
    def are_known(self) -> bool:
        """Whether there are probabilities or passes."""
        return "top" in self._plain.column_names or self._answers is not None

    @cached_property
    def confidence(self) -> Floats:
        """The probability of the given answer; nan where the model gave none."""
        return self._unknown if "top" not in self._plain.column_names else self._at(value_probabilities(self._plain))

    @cached_property
    def squared_errors(self) -> Floats:
        """Half the squared gaps between all probabilities and the gold answer, of bases; nan where unknown."""
        if self._gold is None or "top" not in self._plain.column_names:
            return self._unknown
        rows = np.flatnonzero((self._rows >= 0) & (self._gold["role"].to_numpy() == 0))
        top = self._plain["top"].take(pa.array(self._rows[rows]))
        gaps = np.full(len(self._rows), np.nan)
        gaps[rows] = squared_errors(self._gold.take(pa.array(rows)), top)
        return gaps

    @cached_property
    def uncertainty(self) -> Floats:
        """One minus the largest probability in the mean of the passes; nan where there is no mean."""
        means = self._means
        return self._unknown if "top" not in means.column_names else self._of_means(1 - _largest(means["top"]))

    @cached_property
    def entropy(self) -> Floats:
        """The normalised entropy of the mean of the passes; nan where there is no mean."""
        return self._of_means(self._means["score"].to_numpy().astype(np.float64))

    @cached_property
    def passes(self) -> PassAgreement:
        """The agreement of the passes; nan where there are fewer than two."""
        trial = self._settled["trial"]
        passes = self._settled.filter(pc.and_(pc.greater(trial, 0), pc.less(trial, MEAN_TRIAL)))
        place = find_rows(_ids(passes), _ids(self._plain))
        known, values = place >= 0, Labels.of(passes["value"]).codes
        by_query = _pass_agreement(place[known], values[known], self._plain.num_rows)
        return PassAgreement(self._at(by_query.agreement), self._at(by_query.entropy))

    @cached_property
    def _settled(self) -> pa.Table:
        """The answers of all trials that did not fail."""
        if self._answers is None:
            return pa.table({name: pa.array([], kind) for name, kind in _EMPTY.items()})
        return self._answers.filter(pc.not_equal(self._answers["state"], State.FAILED.value))

    @cached_property
    def _means(self) -> pa.Table:
        """The means of passes, those of most passes last."""
        return self._settled.filter(pc.greater_equal(self._settled["trial"], MEAN_TRIAL)).sort_by("trial")

    def _of_means(self, values: Floats) -> Floats:
        """Values of means, for the rows of the suite; of several means over one query the last counts."""
        return self._at(np.append(values, np.nan)[find_rows(_ids(self._plain), _ids(self._means))])

    def _at(self, values: Floats) -> Floats:
        return np.append(values, np.nan)[self._rows]

    @property
    def _unknown(self) -> Floats:
        return np.broadcast_to(np.float64(np.nan), len(self._rows))


class StoredProbabilities(AnswerProbabilities):
    """Probabilities and agreement of passes that were computed before: one array for each property."""

    def __init__(self, rows: int, **known: Floats) -> None:
        super().__init__(_NOTHING, np.full(rows, -1, np.int32))
        self.__dict__.update(known)  # where a cached property keeps its value
        if "agreement" in known:
            self.__dict__["passes"] = PassAgreement(known["agreement"], known["spread"])

    @staticmethod
    def columns_of(other: AnswerProbabilities) -> dict[str, Floats]:
        """The arrays of some probabilities, to store them."""
        columns = {name: getattr(other, name) for name in ("confidence", "squared_errors", "uncertainty", "entropy")}
        return columns | {"agreement": other.passes.agreement, "spread": other.passes.entropy}


_NOTHING = pa.table({name: pa.array([], kind) for name, kind in (("query", pa.uint64()), ("raw", pa.string()))})
_EMPTY = {"query": pa.uint64(), "trial": pa.uint16(), "value": pa.string(), "score": pa.float64()}


def value_probabilities(answers: pa.Table) -> Floats:
    """The probability of each answer: of its value, else of its raw text, in `top`, else of what reads as its value.

    It is nan where none is listed.

    >>> top = [[{"value": "red", "probability": 0.75}, {"value": "Blue", "probability": 0.25}]]
    >>> value_probabilities(pa.table({"raw": ["Blue!"], "value": ["blue"], "top": top})).tolist()
    [0.25]
    """
    probabilities = np.full(answers.num_rows, np.nan)
    start = 0
    for part in answers.select(["raw", "value", "top"]).combine_chunks().to_batches():
        top = part["top"]
        flat, sizes = top.flatten(), np.diff(top.offsets.to_numpy())
        rows = np.repeat(np.arange(start, start + len(top)), sizes)
        listed = flat.field("probability").to_numpy(zero_copy_only=False)
        words = Labels.of(pa.chunked_array([flat.field("value")]))
        given = Labels.of(pa.chunked_array([part["value"]]))
        hit = _equal_entries(words, given, rows - start)
        bare = np.ones(len(part), np.bool_)
        bare[rows[hit] - start] = False
        if len(others := np.flatnonzero(bare[rows - start])):  # most values are listed; only other texts are encoded
            places, entry = np.unique(rows[others] - start, return_inverse=True)
            raw = Labels.of(pa.chunked_array([part["raw"].take(pa.array(places))]))
            hit[others] = _equal_entries(words.at(others), raw, entry)
        probabilities[rows[hit][::-1]] = listed[hit][::-1]  # of equal entries the likeliest counts
        if len(lost := np.flatnonzero(np.isnan(probabilities[rows]))):
            read = lost[_equal_entries(_as_read(words.at(lost)), _as_read(given), rows[lost] - start)]
            probabilities[rows[read][::-1]] = listed[read][::-1]
        start += len(top)
    return probabilities


def _equal_entries(entries: Labels, given: Labels, rows: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which entries of lists are what was given in their rows."""
    names = entries.words.unique()
    own = entries.among(names).codes
    return np.asarray((own == given.among(names).codes[rows]) & (own >= 0))


def _as_read(labels: Labels) -> Labels:
    """Texts as replies are read, "Red." as "red"; several may have the same words."""
    return Labels(labels.codes, pa.array([normalize(word) for word in labels.words.to_pylist()], pa.string()))


def _largest(top: pa.ChunkedArray) -> Floats:
    """The probability of the first entry of each list, which is the largest; nan where a list is empty."""
    largest = np.full(len(top), np.nan)
    start = 0
    for part in top.chunks:
        lengths = np.diff(part.offsets.to_numpy())
        probabilities = part.flatten().field("probability").to_numpy(zero_copy_only=False)
        firsts = (np.cumsum(lengths) - lengths)[lengths > 0]
        largest[start : start + len(part)][lengths > 0] = probabilities[firsts]
        start += len(part)
    return largest


def _pass_agreement(place: RowNumbers, value: RowNumbers, many: int) -> PassAgreement:
    """The agreement of the values at each place."""
    kinds = int(value.max(initial=0)) + 1
    pairs, counts = np.unique(place.astype(np.int64) * kinds + value, return_counts=True)
    own = pairs // kinds
    total = np.bincount(own, counts, minlength=many)
    most = np.zeros(many)
    np.maximum.at(most, own, counts)
    share = counts / total[own]
    spread = np.bincount(own, -share * np.log(share), minlength=many)
    several = total > 1
    size = np.where(several, total, 2)  # avoids a division by zero
    return PassAgreement(np.where(several, most / size, np.nan), np.where(several, spread / np.log(size), np.nan))


def _ids(table: pa.Table) -> NDArray[np.uint64]:
    return np.asarray(table["query"].to_numpy(), np.uint64)
