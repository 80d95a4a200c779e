"""Outcomes of some groups gathered from blocks, for metrics that are no sums, such as an area under a curve.

What is gathered is one row per query with everything that metrics read. The rows come back in the
order of the suite and texts are numbered by their first occurrence: nothing depends on how blocks were cut. Beyond
`MOST_ROWS` rows none are kept, and these metrics have no value.
"""

import numpy as np
import pyarrow as pa

from counterpoint.metrics.credit import AnswerWords
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.outcomes import Outcomes, find_bases, find_clusters
from counterpoint.metrics.probabilities import StoredProbabilities
from counterpoint.metrics.units import Floats, Rows

MOST_ROWS = 20_000_000
"""The rows that are gathered at most."""
_TEXTS = ("suite", "test", "kind", "relation", "mode", "picture")
_OTHERS = ("role", "group_id", "query", "repeated")
_PROBABILITIES = ("confidence", "squared_errors", "uncertainty", "entropy", "agreement", "spread")


class GatheredOutcomes:
    """Rows of outcomes from several blocks."""

    def __init__(self) -> None:
        self._parts: list[pa.Table] = []
        self._rows = 0
        self._threshold, self._scale = 0.5, ""

    @property
    def is_too_large(self) -> bool:
        """Whether more rows were added than are kept."""
        return self._rows > MOST_ROWS

    def add(self, outcomes: Outcomes, rows: Rows) -> None:
        """Add some rows of a block, which are all rows of some groups."""
        self._threshold, self._scale = outcomes.threshold, outcomes.scale
        self._rows += len(rows)
        if self.is_too_large:
            self._parts = []
        elif len(rows):
            self._parts.append(_stored(outcomes, rows))

    def join(self) -> Outcomes | None:
        """All that was added; None where nothing was, or more than is kept."""
        if not self._parts:
            return None
        whole = pa.concat_tables(self._parts, promote_options="default").unify_dictionaries()
        self._parts = [whole]
        places = whole["block_row"].to_numpy()
        if (np.diff(places) < 0).any():
            whole = whole.take(pa.array(np.argsort(places, kind="stable")))
        return _restored(whole, self._threshold, self._scale)


def explain_bound() -> str:
    """Why a metric has no value where more rows count than are kept."""
    return f"it is computed in memory, from at most {MOST_ROWS:,} answers: choose one suite or test at a time"


def _stored(outcomes: Outcomes, rows: Rows) -> pa.Table:
    """Rows of outcomes as a table."""
    table, pairs, many = outcomes.table, outcomes.pairs(), len(outcomes.base)
    related, known = np.zeros(many, np.bool_), np.zeros(many, np.bool_)
    related[pairs.row], known[pairs.row] = pairs.related, pairs.known
    place = table["block_row"].to_numpy() if "block_row" in table.column_names else np.arange(many)
    cluster = table["block_cluster"].to_numpy() if "block_cluster" in table.column_names else outcomes.cluster
    numbers = {
        "block_row": place,
        "block_cluster": cluster,
        "correct": outcomes.correct,
        "state": outcomes.state,
        "score": outcomes.score,
        "related": related,
        "known": known,
    }
    if outcomes.text_related is not None:
        numbers |= {"text_related": outcomes.text_related}
    if outcomes.probabilities.are_known:
        numbers |= StoredProbabilities.columns_of(outcomes.probabilities)
    labels = {name: Labels.of(table[name]) for name in _TEXTS if name in table.column_names} | {
        "value": Labels(outcomes.value, outcomes.value_words),
        "word": outcomes.words.value,
        "gold": outcomes.words.gold,
    }
    whole = pa.table(
        {"tags": outcomes.tags}
        | {name: table[name] for name in _OTHERS if name in table.column_names}
        | {name: pa.array(column) for name, column in numbers.items()}
        | {name: _encoded(own) for name, own in labels.items()}
    )
    return whole if len(rows) == many else whole.take(pa.array(rows))


def _restored(table: pa.Table, threshold: float, scale: str) -> Outcomes:
    """Outcomes from a table of them."""
    labels = {name: Labels.of(table[name]).by_occurrence() for name in (*_TEXTS, "value", "word", "gold")}
    texts = {name: _encoded(labels[name]) for name in _TEXTS}
    others = {name: table[name] for name in ("tags", *_OTHERS, "block_cluster") if name in table.column_names}
    groups, base = pa.table(texts | others), find_bases(table)
    stored = {name: _floats(table, name) for name in _PROBABILITIES if name in table.column_names}
    return Outcomes(
        groups,
        _floats(table, "correct"),
        table["state"].to_numpy(),
        labels["value"].codes,
        labels["value"].words,
        _floats(table, "score"),
        base,
        find_clusters(groups, base),
        threshold,
        StoredProbabilities(table.num_rows, **stored),
        AnswerWords(labels["word"], pa.table({}), labels["gold"]),
        scale,
        (table["related"].to_numpy(), table["known"].to_numpy()),
        _floats(table, "text_related") if "text_related" in table.column_names else None,
    )


def _floats(table: pa.Table, name: str) -> Floats:
    """A column of numbers; nan where a block had none."""
    return np.asarray(table[name].to_numpy(), np.float64)


def _encoded(labels: Labels) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(labels.codes, mask=labels.codes < 0), labels.words)
