"""The Brier score of whole distributions: how far all probabilities lie from the one right answer, not only the first.

Half of the sum of squared gaps, so that it lies between 0 (all on the right answer) and 1 (all on one wrong answer). Of
most models the likeliest answers are known and not the others, which are taken to have no probability at all. So the
score of a case is off by no more than the least probability that is listed, nor by more than what is left over.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.language.answers.rule_sets import RULE_SETS
from counterpoint.metrics.labels import Labels

Floats = NDArray[np.float64]
ROUNDING = 0.001
"""By how much the probabilities of a distribution may go beyond one."""


def squared_errors(asked: pa.Table, top: pa.ChunkedArray) -> Floats:
    """Half of the squared gaps of each row, from what is asked and the likeliest answers to it with probabilities.

    The right answer is the best one of the row, compared by the rule set that it names. It is nan where there is none,
    where nothing is listed, and where what is listed adds up to more than one, and so is no distribution.
    """
    listed, many = _whole(top), asked.num_rows
    if not many:
        return np.empty(0)
    flat, rows = listed.flatten(), np.repeat(np.arange(many), pc.fill_null(pc.list_value_length(listed), 0).to_numpy())
    chance = np.asarray(flat.field("probability").to_numpy(zero_copy_only=False), np.float64)
    best = pc.list_element(_padded(_whole(asked["gold"])), 0).field("answer")
    hit = _equal(flat.field("value"), best, asked, rows)
    right, total, others = (np.bincount(rows, own, minlength=many) for own in (chance * hit, chance, chance**2 * ~hit))
    gaps = ((1 - right) ** 2 + others) / 2  # ways to write the right answer add up
    known = (total > 0) & (total <= 1 + ROUNDING) & best.is_valid().to_numpy(zero_copy_only=False)
    return np.asarray(np.where(known, gaps, np.nan))


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _padded(gold: pa.Array) -> pa.Array:
    """Where no answer is right, nothing, so that each row has a first."""
    return pc.if_else(pc.greater(pc.fill_null(pc.list_value_length(gold), 0), 0), gold, pa.scalar([None], gold.type))


def _equal(listed: pa.Array, best: pa.Array, asked: pa.Table, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the listed answers is the best one of its row, as the rule set of the row compares them."""
    said, right = (Labels.of(pa.chunked_array([texts])) for texts in (listed, best))
    rules = Labels.of(asked["rules"]) if "rules" in asked.column_names else None
    found = np.zeros(len(rows), np.bool_)
    for name in [""] if rules is None else rules.words.to_pylist():
        numbers: dict[str, int] = {}
        one, other = (_numbered(labels, name, numbers) for labels in (said, right))
        equal = (one == other[rows]) & (one >= 0)
        found |= equal if rules is None else equal & rules.where([name])[rows]
    return found


def _numbered(labels: Labels, rules: str, numbers: dict[str, int]) -> NDArray[np.int64]:
    """Equal numbers for words that are equal by a rule set; -1 where there is none."""
    words = labels.words.to_pylist()
    alike = [RULE_SETS[rules].normalize(word) for word in words] if rules else words
    return np.array([*(numbers.setdefault(word, len(numbers)) for word in alike), -1])[labels.codes]
