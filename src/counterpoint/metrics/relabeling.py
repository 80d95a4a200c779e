"""Groups with other values in a column, so that one scoring function serves every table of the papers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.metrics.outcomes import Outcomes

Table: TypeAlias = pa.Table
"""Rows of a suite, or answers of a model."""


def distinct_values(table: Table, *columns: str) -> list[tuple[str, ...]]:
    """The combinations of values of some columns, each once, sorted."""
    rows = table.select(columns).group_by(list(columns)).aggregate([]).to_pylist()
    return sorted(tuple(str(row[name]) for name in columns) for row in rows)


def keep_rows(table: Table, column: str, kept: Sequence[str]) -> Table:
    """The rows that have one of these values in a column."""
    return table.filter(pc.is_in(_plain(table, column), value_set=pa.array(kept, pa.string())))


def rename_values(table: Table, column: str, names: Mapping[str, str]) -> Table:
    """The table with values of a column renamed; a value that is not named stays."""
    plain = _plain(table, column).dictionary_encode()
    parts = [
        pa.DictionaryArray.from_arrays(part.indices, [names.get(word, word) for word in part.dictionary.to_pylist()])
        for part in plain.chunks
    ]
    chunks = [part.cast(pa.string()) for part in parts]
    return table.set_column(table.column_names.index(column), column, pa.chunked_array(chunks, pa.string()))


def relabel_outcomes(outcomes: Outcomes, column: str, names: Mapping[str, str]) -> Outcomes:
    """Outcomes with values of a column renamed."""
    return replace(outcomes, table=rename_values(outcomes.table, column, names))


def replace_gold(table: Table, answers: Sequence[str]) -> Table:
    """The same questions with these as gold for each, so that accuracy is how often they are answered."""
    kind = table.schema.field("gold").type
    gold = pa.scalar([{"answer": word, "credit": 1.0} for word in answers], kind)
    return table.set_column(table.column_names.index("gold"), "gold", pa.repeat(gold, table.num_rows))


def _plain(table: Table, column: str) -> pa.ChunkedArray:
    return table[column].cast(pa.string())
