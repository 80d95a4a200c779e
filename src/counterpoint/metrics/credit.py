"""Credit of answers and Brier scores of distributions over answers against gold, by the rule set of each row."""

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import Mode
from counterpoint.language.answers.extraction import extract_normalized
from counterpoint.language.answers.final_answer import normalize
from counterpoint.language.answers.numerals import plain_digits
from counterpoint.language.answers.rule_sets import RULE_SETS, RuleSet, normalize_number, strip_whitespace
from counterpoint.metrics.labels import Codes, Labels, take_items

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_EXACT = RULE_SETS["exact"]


def credit_answers(table: pa.Table, values: Labels, parsed: Flags, answered: Flags) -> tuple[Labels, Floats]:
    """Labels that are equal for equal answers, and the credit of each row, by its rule set.

    Only a `parsed` answer can earn credit; a row that was not `answered` has none (nan).
    """
    rules = Labels.of(table["rules"]) if "rules" in table.column_names else None
    if rules is None or not set(rules.words.to_pylist()) - {_EXACT.name}:
        return values, _credit(table, values, parsed, answered, _EXACT)
    codes, correct = np.full(table.num_rows, -1, np.int32), np.full(table.num_rows, np.nan)
    words = pa.array([], pa.string())
    for name in rules.words.to_pylist():
        rows = np.flatnonzero(rules.where([name]))
        own = _normalised(values.at(rows), RULE_SETS[name].normalize)
        codes[rows] = np.where(own.codes < 0, -1, own.codes + len(words))
        words = pa.concat_arrays([words, pc.binary_join_element_wise(name, own.words, "\x1f")])
        part = table.select(["gold", "mode"]).take(pa.array(rows))
        correct[rows] = _credit(part, values.at(rows), parsed[rows], answered[rows], RULE_SETS[name])
    return Labels(codes, words), correct


class AnswerWords:
    """The values of answers and the gold answers of the rows of a suite, each as its rule set normalises it."""

    def __init__(self, values: Labels, table: pa.Table, gold: Labels | None = None) -> None:
        self._values, self._table, self._gold = values, table, gold

    @cached_property
    def value(self) -> Labels:
        """The value of each answer that was read, "Yes" as "yes" where that is a choice."""
        return self._by_rules(_normalised(self._values, _polarity))

    @cached_property
    def gold(self) -> Labels:
        """The gold answer with the most credit; none where a row has no gold, or a table was read without it."""
        if self._gold is not None:
            return self._gold
        if "gold" not in self._table.column_names:
            return Labels(np.full(self._table.num_rows, -1, np.int32), pa.array([], pa.string()))
        return self._by_rules(gold_labels(self._table["gold"]))

    def _by_rules(self, labels: Labels) -> Labels:
        if "rules" not in self._table.column_names:
            return labels
        rules = Labels.of(self._table["rules"])
        names = rules.words.to_pylist()
        if names == [_EXACT.name]:
            return labels
        codes, words = np.full(len(labels.codes), -1, np.int32), list[pa.Array]()
        for name in names:
            rows = np.flatnonzero(rules.where([name]))
            own = _normalised(labels.at(rows), RULE_SETS[name].normalize)
            codes[rows] = np.where(own.codes < 0, -1, own.codes + sum(map(len, words)))
            words.append(own.words)
        whole = pa.concat_arrays([pa.array([], pa.string()), *words])
        return Labels(codes, whole).among(whole.unique())


def equal_gold(gold: pa.ChunkedArray, first: NDArray[np.int64], second: NDArray[np.int64]) -> Flags:
    """Which of the first rows have the same right answers with the same credit as the second ones, in any order."""
    many = len(first)
    flat, sizes = take_items(gold, np.concatenate([first, second]))
    equal: Flags = sizes[:many] == sizes[many:]
    place = np.repeat(np.arange(2 * many), sizes)
    answer = Labels.of(pa.chunked_array([flat.field("answer")])).codes
    credit = flat.field("credit").to_numpy(zero_copy_only=False)
    order = np.lexsort((credit, answer, place))
    ones, others = np.split(order[np.tile(equal, 2)[place[order]]], 2)
    unlike = (answer[ones] != answer[others]) | (credit[ones] != credit[others])
    equal[place[ones[unlike]]] = False
    return equal


def _normalised(values: Labels, normalize: Callable[[str], str]) -> Labels:
    """The answers as a function normalises them."""
    words = pa.array([normalize(word) for word in values.words.to_pylist()], pa.string())
    if words.equals(values.words):  # as most are
        return values
    unique = words.unique()
    return Labels(np.append(pc.index_in(words, value_set=unique).to_numpy(), -1).astype(np.int32)[values.codes], unique)


def _credit(table: pa.Table, values: Labels, parsed: Flags, answered: Flags, rules: RuleSet) -> Floats:
    """The credit of each row; nan where there is no gold, no answer, or a score in place of an answer."""
    correct = np.zeros(table.num_rows)
    first = 0
    given = _ValueForms.of(values, rules)
    written = _normalised(values, strip_whitespace) if rules.keeps_unanimous else values
    for part in table["gold"].chunks:
        flat, offsets = part.flatten(), part.offsets.to_numpy()
        lengths = np.diff(offsets) * part.is_valid().to_numpy(zero_copy_only=False)
        rows = np.repeat(np.arange(first, first + len(part), dtype=np.int32), lengths)
        gold = Labels.of(pa.chunked_array([flat.field("answer")]))
        hit = np.zeros(len(rows), np.bool_)
        for form, own in _compared_forms(gold, given, rules):
            hit |= _hits(form, own.words, own.codes[rows])
        if rules.keeps_unanimous:
            hit = np.where(np.repeat(lengths, lengths) > 1, hit, _hits(gold, written.words, written.codes[rows]))
        hit &= parsed[rows]
        earned = flat.field("credit").to_numpy(zero_copy_only=False)[hit]
        np.maximum.at(
            correct, rows[hit], earned
        )  # golds that rules make equal, as "2" and "two", earn the most of theirs
        correct[first : first + len(part)][part.is_null().to_numpy(zero_copy_only=False)] = np.nan
        first += len(part)
    correct[~answered] = np.nan
    correct[~Labels.of(table["mode"]).where([Mode.ANSWER])] = np.nan
    return correct


class _ValueForms(NamedTuple):
    """The values of answers as a rule set normalises them, and with numbers in one of their forms."""

    normalised: Labels
    digits: Labels

    @classmethod
    def of(cls, values: Labels, rules: RuleSet) -> "_ValueForms":
        """The forms by a rule set; only the exact one compares numbers as such."""
        if rules is _EXACT:
            return cls(values, _normalised(values, plain_digits))
        normalised = _normalised(values, rules.normalize)
        return cls(normalised, normalised)


def _compared_forms(gold: Labels, given: _ValueForms, rules: RuleSet) -> Iterator[tuple[Labels, Labels]]:
    """Forms of gold answers, each with that of the values to which it is compared.

    Extraction rules give lower case, no articles and digits, so that exact comparison is with gold as written and as
    they would read it: "Yes" and "Two" are no other answers than "yes" and "2", nor is 0.50 another number than 0.5.
    """
    if rules is not _EXACT:
        yield _normalised(gold, rules.normalize), given.normalised
        return
    yield gold, given.normalised
    for read, own in ((_as_read, given.normalised), (normalize_number, given.digits)):
        form = _normalised(gold, read)
        if form is not gold or own is not given.normalised:  # most golds are written as they are read
            yield form, own


@lru_cache(1 << 16)
def _as_read(gold: str) -> str:
    """A gold answer as the rule `normal` reads it; one of letters and digits takes the shorter way."""
    return normalize(gold) if gold.replace(" ", "").isalnum() else extract_normalized(gold) or gold


def _hits(gold: Labels, words: pa.Array, given: Codes) -> Flags:
    codes = gold.among(words).codes
    hits: Flags = (codes == given) & (codes >= 0)
    return hits


ROUNDING = 0.001
"""By how much the probabilities of a distribution may exceed one."""


def squared_errors(gold: pa.Table, top: pa.ChunkedArray) -> Floats:
    """Half the squared gaps of each row, from its gold and rule set and the listed answers with probabilities.

    The gold answer is the one with the most credit, compared by the rule set of the row. The result is nan without
    gold, without listed answers, and where their probabilities exceed one in sum.

    The score is 0 with all probability on the gold answer and 1 with all on one other. Answers that are not listed are
    taken to have probability zero, so it is off by at most the least listed and at most the remaining probability.
    """
    listed, many = _combined(top), gold.num_rows
    if not many:
        return np.empty(0)
    flat, rows = listed.flatten(), np.repeat(np.arange(many), pc.fill_null(pc.list_value_length(listed), 0).to_numpy())
    chance = np.asarray(flat.field("probability").to_numpy(zero_copy_only=False), np.float64)
    best = best_answers(gold["gold"])
    hit = _equal(flat.field("value"), best, gold, rows)
    right, total, others = (np.bincount(rows, own, minlength=many) for own in (chance * hit, chance, chance**2 * ~hit))
    gaps = ((1 - right) ** 2 + others) / 2  # several forms of the gold answer add up
    known = (total > 0) & (total <= 1 + ROUNDING) & best.is_valid().to_numpy(zero_copy_only=False)
    return np.asarray(np.where(known, gaps, np.nan))


def best_answers(gold: pa.ChunkedArray) -> pa.Array:
    """The right answer with the most credit of each row, which stands first; null where there is none."""
    listed = _combined(gold)
    sizes = pc.fill_null(pc.list_value_length(listed), 0).to_numpy()
    return listed.flatten().field("answer").take(pa.array(np.cumsum(sizes) - sizes, mask=sizes == 0))


def gold_labels(gold: pa.ChunkedArray) -> Labels:
    """The best answer of each row as written, but "Yes" and "NO." as "yes" and "no"."""
    return _normalised(Labels.of(pa.chunked_array([best_answers(gold)])), _polarity)


def _polarity(answer: str) -> str:
    return plain if len(answer) < 8 and (plain := normalize(answer)) in ("yes", "no") else answer


def _combined(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _equal(listed: pa.Array, best: pa.Array, gold: pa.Table, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the listed answers equals the best one of its row, by the rule set of the row."""
    answers, best_answers = (Labels.of(pa.chunked_array([texts])) for texts in (listed, best))
    rules = Labels.of(gold["rules"]) if "rules" in gold.column_names else None
    matches = np.zeros(len(rows), np.bool_)
    for name in [_EXACT.name] if rules is None else rules.words.to_pylist():
        own = RULE_SETS[name]
        for form, given in _compared_forms(best_answers, _ValueForms.of(answers, own), own):
            equal = _hits(form.at(rows), given.words, given.codes)
            matches |= equal if rules is None else equal & rules.where([name])[rows]
    return matches
