"""The Brier score of whole distributions: how far all probabilities lie from the one right answer, not only the first.

Half of the sum of squared gaps, so that it lies between 0 (all on the right answer) and 1 (all on one wrong answer). It
needs every answer that a model could give with its probability; an answer whose likeliest values do not add up to one
is left out, and where none does there is no score.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import Mode
from counterpoint.language.rulesets import RULE_SETS
from counterpoint.metrics.intervals import Score, clustered
from counterpoint.metrics.joining import places
from counterpoint.metrics.labels import Labels

WHOLE = 0.999
"""What the probabilities of a whole distribution add up to, but for rounding."""


def whole_brier(groups: pa.Table, answers: pa.Table) -> Score:
    """The mean over bases with gold whose plain answer tells its whole distribution, with an interval over pictures.

    The right answer is the best one of each base, compared by the rule set that its row names.
    """
    asked = pc.and_(pc.equal(groups["role"], 0), pc.equal(groups["mode"], Mode.ANSWER.value))
    bases = groups.filter(pc.and_(asked, pc.greater(pc.fill_null(pc.list_value_length(groups["gold"]), 0), 0)))
    plain = answers.filter(pc.and_(pc.equal(answers["trial"], 0), pc.equal(answers["state"], "ok")))
    found = places(*(np.asarray(table["query"].to_numpy(), np.uint64) for table in (bases, plain)))
    bases, plain = bases.filter(pa.array(found >= 0)), plain.take(pa.array(found[found >= 0]))
    if not bases.num_rows:
        return clustered([], [])
    gaps, total = _gaps(bases, plain)
    whole = total >= WHOLE
    return clustered(gaps[whole], Labels.of(bases["picture"]).codes[whole])


def _gaps(bases: pa.Table, plain: pa.Table) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Half of the squared gaps of each base, and what the probabilities of its answer add up to."""
    top = plain["top"].combine_chunks()
    flat, sizes, many = top.flatten(), np.diff(top.offsets.to_numpy()), len(top)
    rows = np.repeat(np.arange(many), sizes)
    chance = np.asarray(flat.field("probability").to_numpy(zero_copy_only=False), np.float64)
    hit = _comparable(flat.field("value"), bases, rows) == _comparable(_best(bases), bases, np.arange(many))[rows]
    right, total, squares = (np.bincount(rows, own, minlength=many) for own in (chance * hit, chance, chance * chance))
    others = squares - np.bincount(rows, chance * chance * hit, minlength=many)  # ways to write the right answer add up
    return np.asarray(((1 - right) ** 2 + others) / 2), np.asarray(total)


def _best(bases: pa.Table) -> pa.Array:
    gold = pc.list_element(bases["gold"].combine_chunks(), 0)
    return gold.field("answer")


def _comparable(said: pa.Array, bases: pa.Table, rows: NDArray[np.int64]) -> NDArray[np.object_]:
    """Each word as the rule set of its base compares it."""
    words = np.asarray(said.to_numpy(zero_copy_only=False), object)
    if "rules" not in bases.column_names:
        return words
    names = Labels.of(bases["rules"]).at(rows)
    for name in names.words.to_pylist():
        own = np.flatnonzero(names.where([name]))
        known = {word: RULE_SETS[name].comparable(word) for word in set(words[own])}
        words[own] = [known[word] for word in words[own]]
    return words
