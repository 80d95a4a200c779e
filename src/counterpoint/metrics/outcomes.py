"""Outcomes: suites joined with the answers of one model, as columns of credit, consistency and state, in three units.

All columns are arrays with one entry per row of the suite, per pair or per group; nothing loops over rows. Correct and
consistent are separate columns.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import Mode, Relation
from counterpoint.core.quantities import check_share
from counterpoint.metrics.credit import AnswerWords, credit_answers, equal_gold
from counterpoint.metrics.labels import Codes, Labels, find_rows, renumber, tag_labels, take_items
from counterpoint.metrics.probabilities import AnswerProbabilities, StoredProbabilities
from counterpoint.metrics.units import STATES, Flags, Floats, OrderedPairs, Pairs, Rows, Sets, Singles, UnitKind

_OK, _UNPARSED, _REFUSED, _HEDGED, _FAILED, _MISSING = range(len(STATES))
BLOCK_COLUMNS = ("block_row", "block_cluster")
"""Columns of groups that are a block of many: the place of each row, and the number of its picture, among all."""
_COLUMNS = (
    "suite",
    "test",
    "group_id",
    "role",
    "relation",
    "kind",
    "picture",
    "mode",
    "gold",
    "tags",
    "query",
    "rules",
    "repeated",
    *BLOCK_COLUMNS,
)
_ANSWER_COLUMNS = ("query", "raw", "value", "state", "score", "trial")
TagReader: TypeAlias = Callable[[], pa.ChunkedArray]
"""Reads the tags of each row."""
FEW_ROWS = 100_000
"""Rows below which starting threads takes longer than encoding a column."""
_EDGES = " \t.,;:!?\"'`()[]"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The rows of a suite, each group's together and its base first, with credit, state and answer of each."""

    table: pa.Table
    correct: Floats
    state: NDArray[np.int8]
    value: Codes  # equal numbers are equal answers
    value_words: pa.Array  # what these numbers stand for
    score: Floats
    base: Rows  # for each row, the row of its base
    cluster: Codes
    threshold: float
    probabilities: AnswerProbabilities
    words: AnswerWords
    scale: str = ""  # of the scores, as the model declares it; empty where it is not known
    stored_relation: tuple[Flags, Flags] | None = None  # for each row whether it satisfies the relation and is known to
    text_related: Floats | None = None  # for each row whether the best text-only model ranks it below its caption
    read_tags: TagReader | None = None  # where the table is without tags
    _made: dict[type, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def labels(self, name: str) -> Labels:
        """A column by its name: suite, test, kind, relation, gold (the best answer), or `tag:` and a tag's name."""
        return self._labels(name)

    @property
    def tags(self) -> pa.ChunkedArray:
        """The tags of each row."""
        return _tags(self.table, self.read_tags)

    @property
    def _labels(self) -> Callable[[str], Labels]:
        """The same as a function without a reference to these outcomes, which hold the units that hold it.

        Each column is encoded once, as many metrics ask for the same.
        """
        if Labels not in self._made:
            self._made[Labels] = cache(partial(_column_labels, self.table, self.words, self.read_tags))
        labels: Callable[[str], Labels] = self._made[Labels]
        return labels

    def units(self, kind: type[UnitKind]) -> UnitKind:
        """All units of a kind; they are made once, as many metrics and slices count them."""
        if kind not in self._made:
            self._made[kind] = _MAKERS[kind](self)
        units: UnitKind = self._made[kind]
        return units

    def pairs(self) -> Pairs:
        """Every base with each of its variants."""
        return self.units(Pairs)

    def sets(self) -> Sets:
        """Every group that has a variant."""
        return self.units(Sets)

    def singles(self) -> Singles:
        """Every answer by itself."""
        return self.units(Singles)

    def _pairs(self) -> Pairs:
        row = np.flatnonzero(self.base != np.arange(len(self.base)))
        base = self.base[row]
        relation = self.labels("relation").at(row)
        if self.stored_relation is None:
            related, known = self._related(relation, row, base)
        else:
            related, known = (flags[row] for flags in self.stored_relation)
        return Pairs(
            self.correct[base],
            self.correct[row],
            related,
            known,
            relation,
            (self.state[base] < _FAILED) & (self.state[row] < _FAILED),
            self.cluster[row],
            row,
            base,
            self.state[base],
            self.state[row],
            self.threshold,
            self.score,
            self.scale,
            self.value,
            self._labels,
            np.full(len(row), np.nan) if self.text_related is None else self.text_related[row],
        )

    def _sets(self) -> Sets:
        starts = np.flatnonzero(self.base == np.arange(len(self.base)))
        sizes = np.diff(np.append(starts, len(self.base)))
        several = sizes > 1
        worst = np.minimum.reduceat(self.correct, starts)[several]
        counted = np.logical_and.reduceat(self.state < _FAILED, starts)[several]
        rows = starts[several]
        variants, score = sizes[several] - 1, np.where(self.state == _OK, self.score, np.nan)
        columns = self.cluster[rows], rows, self.threshold, variants, self.correct, score, self._labels
        return Sets(worst, counted, *columns)

    def _singles(self) -> Singles:
        rows = np.arange(len(self.base))
        fine = self.state < _FAILED
        return Singles(
            self.correct,
            self.state,
            fine,
            self.cluster,
            rows,
            self.base,
            self.threshold,
            self.probabilities,
            self.score,
            self.scale,
            self.words,
        )

    def _ordered_pairs(self) -> OrderedPairs:
        """Every ordered pair of different members of every group."""
        rows = np.arange(len(self.base))
        sizes = np.bincount(self.base, minlength=len(rows))[self.base]
        first = np.repeat(rows, sizes - 1)
        ends = np.cumsum(sizes - 1)
        steps = np.arange(len(first)) - np.repeat(ends - (sizes - 1), sizes - 1) + 1
        start = self.base[first]
        second = start + (first - start + steps) % np.repeat(sizes, sizes - 1)
        answered = self.state < _FAILED
        return OrderedPairs(
            self.correct[first],
            self.correct[second],
            answered[first] & answered[second],
            self.cluster[first],
            second,
            start,
            self.threshold,
        )

    def _related(self, relation: Labels, row: Rows, base: Rows) -> tuple[Flags, Flags]:
        """Whether the answers satisfy the relation, and whether that is known; a refusal or hedge satisfies none.

        Nor does a reply without a score where scores are asked for. A variant whose gold is yes is a caption too, and
        is not ranked below the base. Two answers are the same if their rule set calls them equal, or if both are right
        by the same gold, as "gray" and "grey" may be; an answer survives an exchange only if it is equal, as its chance
        level is that of equal answers.
        """
        same, differs, ranks, swap = (
            relation.where([name]) for name in (Relation.SAME, Relation.DIFFERS, Relation.RANKS, Relation.SWAP)
        )
        equal = self.value[base] == self.value[row]
        survived = equal & swap
        right = self.correct >= self.threshold
        synonyms = np.flatnonzero(~equal & (same | differs) & right[base] & right[row])
        equal[synonyms] = equal_gold(self.table["gold"], base[synonyms], row[synonyms])
        related = (equal & same) | survived | (~equal & differs)
        answered = self.labels("mode").where([Mode.ANSWER])
        known = (same | differs | swap) & answered[base] & answered[row]
        refused = is_declined(self.state[base]) | is_declined(self.state[row])
        if ranks.any():
            odd = refused | (self.state[base] == _UNPARSED) | (self.state[row] == _UNPARSED)
            related |= ranks & ~odd & (self.score[base] > self.score[row])
            fits = self.words.gold.at(row).where(["yes"])
            known |= ranks & ~fits & (~(np.isnan(self.score[base]) | np.isnan(self.score[row])) | odd)
        return related & ~refused, known


def _column_labels(table: pa.Table, words: AnswerWords, read_tags: TagReader | None, name: str) -> Labels:
    if name == "gold":
        return words.gold
    if name.startswith("tag:"):
        return tag_labels(_tags(table, read_tags), name.removeprefix("tag:"))
    return Labels.of(table[name])


def _tags(table: pa.Table, read_tags: TagReader | None) -> pa.ChunkedArray:
    return table["tags"] if read_tags is None else read_tags()


_MAKERS: dict[type, Callable[[Outcomes], Any]] = {
    Pairs: Outcomes._pairs,
    OrderedPairs: Outcomes._ordered_pairs,
    Sets: Outcomes._sets,
    Singles: Outcomes._singles,
}


def judge(groups: pa.Table, answers: pa.Table, threshold: float = 0.5, read_tags: TagReader | None = None) -> Outcomes:
    """Compare the plain answers of one model (trial 0) with the gold of one suite or several.

    A column `rules` names the rule set by which each row's answers are compared; without it all are compared exactly.
    A column `top` of the answers is needed for probabilities only, and read on first use. Groups that are a block of
    many have the `BLOCK_COLUMNS`, and `read_tags` in place of tags, which few metrics and slices need. The metadata of
    the answers has the `scale` of their scores.
    """
    check_share(threshold=threshold)
    table = sort_by_group(encode_categories(groups.select([name for name in _COLUMNS if name in groups.column_names])))
    all_trials = plain = answers.select([*_ANSWER_COLUMNS, *(["top"] if "top" in answers.column_names else [])])
    if several := bool(pc.max(plain["trial"]).as_py()):
        plain = plain.filter(pc.equal(plain["trial"], 0))
    base = find_bases(table)
    with ThreadPoolExecutor() as pool:  # the long columns do not need each other
        joined = pool.submit(find_rows, _numbers(table["query"]), _numbers(plain["query"]))
        cluster = pool.submit(find_clusters, table, base)
        state = _states(plain["state"])
        values = _values(plain, state)
        rows = joined.result()
    state = np.append(state, np.int8(_MISSING))[rows]  # -1 selects the last
    given = Labels(np.append(values.codes, np.int32(-1))[rows], values.words)
    state, given = _quote_golds(table, plain["raw"], rows, state, given)
    compared, correct = credit_answers(table, given, state == _OK, state < _FAILED)
    scores = plain["score"].to_numpy() if plain["score"].null_count < plain.num_rows else np.empty(0)
    return Outcomes(
        table,
        correct,
        state,
        compared.codes,
        compared.words,
        np.append(scores, np.nan)[rows] if len(scores) else np.full(len(rows), np.nan),
        base,
        cluster.result(),
        threshold,
        AnswerProbabilities(
            plain, rows, all_trials if several else None, _gold_columns(table) if "top" in plain.column_names else None
        ),
        AnswerWords(Labels(np.where(state == _OK, given.codes, np.int32(-1)), given.words), table),
        (answers.schema.metadata or {}).get(b"scale", b"").decode(),
        read_tags=read_tags,
    )


def restore_outcomes(groups: pa.Table, stored: pa.Table, scale: str = "", threshold: float = 0.5) -> Outcomes:
    """Outcomes from the rows of a suite and the stored columns correct, consistent, state, value and score.

    Each group's rows are together with the base first, and both tables have the same rows. Probabilities are unknown.
    """
    check_share(threshold=threshold)
    table = encode_categories(groups)
    base = find_bases(table)
    consistent = stored["consistent"].combine_chunks()
    state, values = _states(stored["state"]), Labels.of(stored["value"])
    return Outcomes(
        table,
        stored["correct"].to_numpy().astype(np.float64),
        state,
        values.codes,
        values.words,
        stored["score"].to_numpy().astype(np.float64),
        base,
        find_clusters(table, base),
        threshold,
        StoredProbabilities(table.num_rows),
        AnswerWords(Labels(np.where(state == _OK, values.codes, np.int32(-1)), values.words), table),
        scale,
        (
            consistent.fill_null(False).to_numpy(zero_copy_only=False),
            consistent.is_valid().to_numpy(zero_copy_only=False),
        ),
    )


def _gold_columns(table: pa.Table) -> pa.Table:
    """The columns that probabilities are compared with: role, gold and rule set."""
    return table.select([name for name in ("role", "gold", "rules") if name in table.column_names])


def normalise_texts(texts: pa.Array) -> pa.Array:
    """Texts in lower case, without punctuation at their edges and with single spaces.

    >>> normalise_texts(pa.array(["  I think  so. "])).to_pylist()
    ['i think so']
    """
    return pc.utf8_trim(pc.replace_substring_regex(pc.utf8_lower(texts), r"\s+", " "), _EDGES)


def encode_categories(table: pa.Table) -> pa.Table:
    """The table with its categorical columns dictionary-encoded; those that are already stay."""
    often = [name for name in ("suite", "test", "relation", "mode") if pa.types.is_string(table[name].type)]
    if table.num_rows < FEW_ROWS:
        columns = [table[name].dictionary_encode() for name in often]
    else:
        with ThreadPoolExecutor() as pool:
            columns = list(pool.map(pa.ChunkedArray.dictionary_encode, (table[name] for name in often)))
    for name, column in zip(often, columns, strict=True):
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def is_declined(state: NDArray[np.int8]) -> Flags:
    """Whether each answer is a refusal or a hedge, which agrees with nothing."""
    return np.asarray((state == _REFUSED) | (state == _HEDGED))


def _numbers(column: pa.ChunkedArray) -> NDArray[np.uint64]:
    return np.asarray(column.to_numpy(), np.uint64)


def _states(column: pa.ChunkedArray) -> NDArray[np.int8]:
    labels = Labels.of(column).among(pa.array(STATES))
    assert (labels.codes >= 0).all(), f"a state is one of {', '.join(STATES)}"
    return labels.codes.astype(np.int8)


def _values(answers: pa.Table, state: NDArray[np.int8]) -> Labels:
    """The value of each answer; that of an unparsed one is its normalised raw text."""
    values, odd = Labels.of(answers["value"]), np.flatnonzero(state == _UNPARSED)
    if not len(odd):
        return values
    raw = _normalised(Labels.of(answers["raw"].take(pa.array(odd))))
    words = pa.concat_arrays([values.words, raw.words]).unique()
    codes = values.among(words).codes
    codes[odd] = raw.among(words).codes
    return Labels(codes, words)


def _normalised(texts: Labels) -> Labels:
    """The same texts normalised, each word once."""
    words = normalise_texts(texts.words)
    return Labels(texts.codes, words).among(words.unique())


def _quote_golds(
    table: pa.Table, raw: pa.ChunkedArray, rows: Codes, state: NDArray[np.int8], given: Labels
) -> tuple[NDArray[np.int8], Labels]:
    """States and values where a reply without a value that is the text of a gold answer has that one.

    "Unknown" is a hedge, and the right answer where annotators gave it.
    """
    odd = np.flatnonzero((state > _OK) & (state < _FAILED))
    odd = odd[Labels.of(table["mode"]).at(odd).where([Mode.ANSWER])] if len(odd) else odd
    if not len(odd):
        return state, given
    said = _normalised(Labels.of(raw.take(pa.array(rows[odd]))))
    said = said.among(said.words.filter(pc.not_equal(said.words, "")))
    items, sizes = take_items(table["gold"], odd)
    answers, place = Labels.of(pa.chunked_array([items.field("answer")])), np.repeat(np.arange(len(odd)), sizes)
    golds = _normalised(answers).among(said.words).codes
    hits = np.flatnonzero((golds == said.codes[place]) & (golds >= 0))
    if not len(hits):
        return state, given
    hits = hits[::-1]  # that with most credit is first, and so stays
    own, found = odd[place[hits]], answers.words.take(pa.array(answers.codes[hits]))
    words = pa.concat_arrays([given.words, found]).unique()
    codes, state = given.among(words).codes, state.copy()
    codes[own], state[own] = pc.index_in(found, value_set=words).to_numpy(), _OK
    return state, Labels(codes, words)


def sort_by_group(table: pa.Table) -> pa.Table:
    """The rows with each group's together and its base first; most tables already are."""
    if table.num_rows == 0 or "block_row" in table.column_names or is_together(table):
        return table
    keys = [Labels.of(table[name]).codes for name in ("test", "suite")]
    order = np.lexsort((table["role"].to_numpy(), _numbers(table["group_id"]), *keys))
    table = table.take(pa.array(order))
    assert is_together(table), "every group has one base"
    return table


def is_together(table: pa.Table) -> bool:
    """Whether the rows of each group are together, its base first."""
    starts = table["role"].to_numpy() == 0
    keys: list[NDArray[np.integer]] = [Labels.of(table[name]).codes for name in ("suite", "test")]
    keys.append(_numbers(table["group_id"]))
    return bool(starts[0]) and all((starts[1:] | (key[1:] == key[:-1])).all() for key in keys)


def find_bases(table: pa.Table) -> Rows:
    """The row of the base of each row's group."""
    starts = table["role"].to_numpy() == 0
    return np.maximum.accumulate(np.where(starts, np.arange(len(starts)), 0))


def find_clusters(table: pa.Table, base: Rows) -> Codes:
    """The picture of each row's base as a number; a group without a picture is a cluster of its own."""
    if "block_cluster" in table.column_names:
        among_all = table["block_cluster"].to_numpy().astype(np.int64)
        return renumber(among_all, int(among_all.max(initial=-1)) + 1)[0]
    heads = np.flatnonzero(base == np.arange(len(base)))
    number = np.zeros(len(base), np.int32)
    number[heads] = number_pictures(Labels.of(table["picture"].filter(pa.array(table["role"].to_numpy() == 0))))
    return number[base]


def number_pictures(pictures: Labels) -> Codes:
    """The pictures of bases as numbers, in the order in which they occur; those of bases without one come last."""
    ordered = pictures.by_occurrence()
    codes, alone = ordered.codes, np.flatnonzero(ordered.codes < 0)
    codes[alone] = len(ordered.words) + np.arange(len(alone), dtype=np.int32)
    return codes
