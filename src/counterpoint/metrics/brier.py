"""The Brier score of whole distributions over answers.

It is half the sum of squared gaps to the gold answer, so that it lies between 0 (all probability on the gold answer)
and 1 (all on one other answer). Most models list only the likeliest answers, and the others are taken to have
probability zero; so the score of a case is off by at most the least listed and at most the remaining probability.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.language.answers.rule_sets import RULE_SETS
from counterpoint.metrics.labels import Labels

Floats = NDArray[np.float64]
ROUNDING = 0.001
"""By how much the probabilities of a distribution may exceed one."""


def squared_errors(gold: pa.Table, top: pa.ChunkedArray) -> Floats:
    """Half the squared gaps of each row, from its gold and rule set and the listed answers with probabilities.

    The gold answer is the one with the most credit, compared by the rule set of the row. The result is nan without
    gold, without listed answers, and where their probabilities exceed one in sum.
    """
    listed, many = _combined(top), gold.num_rows
    if not many:
        return np.empty(0)
    flat, rows = listed.flatten(), np.repeat(np.arange(many), pc.fill_null(pc.list_value_length(listed), 0).to_numpy())
    chance = np.asarray(flat.field("probability").to_numpy(zero_copy_only=False), np.float64)
    best = pc.list_element(_padded(_combined(gold["gold"])), 0).field("answer")
    hit = _equal(flat.field("value"), best, gold, rows)
    right, total, others = (np.bincount(rows, own, minlength=many) for own in (chance * hit, chance, chance**2 * ~hit))
    gaps = ((1 - right) ** 2 + others) / 2  # several forms of the gold answer add up
    known = (total > 0) & (total <= 1 + ROUNDING) & best.is_valid().to_numpy(zero_copy_only=False)
    return np.asarray(np.where(known, gaps, np.nan))


def _combined(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _padded(gold: pa.Array) -> pa.Array:
    """Gold with a null where it is empty, so that each row has a first entry."""
    return pc.if_else(pc.greater(pc.fill_null(pc.list_value_length(gold), 0), 0), gold, pa.scalar([None], gold.type))


def _equal(listed: pa.Array, best: pa.Array, gold: pa.Table, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the listed answers equals the best one of its row, by the rule set of the row."""
    answers, best_answers = (Labels.of(pa.chunked_array([texts])) for texts in (listed, best))
    rules = Labels.of(gold["rules"]) if "rules" in gold.column_names else None
    matches = np.zeros(len(rows), np.bool_)
    for name in [""] if rules is None else rules.words.to_pylist():
        numbers: dict[str, int] = {}
        given, wanted = (_numbered(labels, name, numbers) for labels in (answers, best_answers))
        equal = (given == wanted[rows]) & (given >= 0)
        matches |= equal if rules is None else equal & rules.where([name])[rows]
    return matches


def _numbered(labels: Labels, rules: str, numbers: dict[str, int]) -> NDArray[np.int64]:
    """Numbers that are equal for answers which a rule set takes as equal; -1 where there is none."""
    words = labels.words.to_pylist()
    normalised = [RULE_SETS[rules].normalize(word) for word in words] if rules else words
    return np.array([*(numbers.setdefault(word, len(numbers)) for word in normalised), -1])[labels.codes]
