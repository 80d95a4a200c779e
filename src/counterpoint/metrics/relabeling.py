"""The same groups under other names, or held against other answers: so that one scoring serves every table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.metrics.outcomes import Outcomes

Table: TypeAlias = pa.Table
"""Rows of a suite, or what a model said."""


def distinct_values(table: Table, *columns: str) -> list[tuple[str, ...]]:
    """What some columns hold together, each combination once, in the order of the alphabet."""
    found = table.select(columns).group_by(list(columns)).aggregate([]).to_pylist()
    return sorted(tuple(str(row[name]) for name in columns) for row in found)


def keep_rows(table: Table, column: str, kept: Sequence[str]) -> Table:
    """The rows that have one of these words in a column."""
    return table.filter(pc.is_in(_plain(table, column), value_set=pa.array(kept, pa.string())))


def rename_values(table: Table, column: str, names: Mapping[str, str]) -> Table:
    """The table with other words in a column; a word that has no other name stays."""
    plain = _plain(table, column).dictionary_encode()
    parts = [
        pa.DictionaryArray.from_arrays(part.indices, [names.get(word, word) for word in part.dictionary.to_pylist()])
        for part in plain.chunks
    ]
    chunks = [part.cast(pa.string()) for part in parts]
    return table.set_column(table.column_names.index(column), column, pa.chunked_array(chunks, pa.string()))


def relabel_outcomes(outcomes: Outcomes, column: str, names: Mapping[str, str]) -> Outcomes:
    """What became of the same groups, under other names."""
    return replace(outcomes, table=rename_values(outcomes.table, column, names))


def replace_gold(table: Table, right: Sequence[str]) -> Table:
    """The same questions with these as the right answers to each: what is right then is how often they are given."""
    kind = table.schema.field("gold").type
    gold = pa.scalar([{"answer": word, "credit": 1.0} for word in right], kind)
    return table.set_column(table.column_names.index("gold"), "gold", pa.repeat(gold, table.num_rows))


def _plain(table: Table, column: str) -> pa.ChunkedArray:
    return table[column].cast(pa.string())
