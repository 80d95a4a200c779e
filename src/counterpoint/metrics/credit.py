"""Credit of answers against gold, and equality of answers, by the rule set of each row."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import Mode
from counterpoint.language.answers.rule_sets import RULE_SETS, RuleSet
from counterpoint.metrics.labels import Codes, Labels

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_EXACT, _AS_WRITTEN = RULE_SETS["exact"], RULE_SETS["gqa"]


def credit_answers(table: pa.Table, values: Labels, parsed: Flags, answered: Flags) -> tuple[Codes, Floats]:
    """Codes that are equal for equal answers, and the credit of each row, by its rule set.

    Only a `parsed` answer can earn credit; a row that was not `answered` has none (nan).
    """
    rules = Labels.of(table["rules"]) if "rules" in table.column_names else None
    if rules is None or not set(rules.words.to_pylist()) - {_EXACT.name}:
        return values.codes, _credit(table, values, parsed, answered, _EXACT)
    codes, correct = np.full(table.num_rows, -1, np.int32), np.full(table.num_rows, np.nan)
    first = 0
    for name in rules.words.to_pylist():
        rows = np.flatnonzero(rules.where([name]))
        own = _normalised(values.at(rows), RULE_SETS[name])
        codes[rows] = np.where(own.codes < 0, -1, own.codes + first)
        first += len(own.words)
        part = table.select(["gold", "mode"]).take(pa.array(rows))
        correct[rows] = _credit(part, values.at(rows), parsed[rows], answered[rows], RULE_SETS[name])
    return codes, correct


def _normalised(values: Labels, rules: RuleSet) -> Labels:
    """The answers as a rule set normalises them."""
    words = pa.array([rules.normalize(word) for word in values.words.to_pylist()], pa.string())
    unique = words.unique()
    return Labels(np.append(pc.index_in(words, value_set=unique).to_numpy(), -1).astype(np.int32)[values.codes], unique)


def _credit(table: pa.Table, values: Labels, parsed: Flags, answered: Flags, rules: RuleSet) -> Floats:
    """The credit of each row; nan where there is no gold, no answer, or a score in place of an answer."""
    correct = np.zeros(table.num_rows)
    first = 0
    normalised = values if rules is _EXACT else _normalised(values, rules)
    written = _normalised(values, _AS_WRITTEN) if rules.keeps_unanimous else values
    as_written = np.where(parsed, written.codes, np.int32(-1))
    codes_given = np.where(parsed, normalised.codes, np.int32(-1))
    for part in table["gold"].chunks:
        flat, offsets = part.flatten(), part.offsets.to_numpy()
        lengths = np.diff(offsets) * part.is_valid().to_numpy(zero_copy_only=False)
        rows = np.repeat(np.arange(first, first + len(part), dtype=np.int32), lengths)
        gold = Labels.of(pa.chunked_array([flat.field("answer")]))
        hit = _hits(gold if rules is _EXACT else _normalised(gold, rules), normalised.words, codes_given[rows])
        if rules.keeps_unanimous:
            hit = np.where(np.repeat(lengths, lengths) > 1, hit, _hits(gold, written.words, as_written[rows]))
        correct[rows[hit]] = flat.field("credit").to_numpy(zero_copy_only=False)[hit]
        correct[first : first + len(part)][part.is_null().to_numpy(zero_copy_only=False)] = np.nan
        first += len(part)
    correct[~answered] = np.nan
    correct[~Labels.of(table["mode"]).where([Mode.ANSWER])] = np.nan
    return correct


def _hits(gold: Labels, words: pa.Array, given: Codes) -> Flags:
    codes = gold.among(words).codes
    hits: Flags = (codes == given) & (codes >= 0)
    return hits
