"""One DuckDB file with all groups of a lab and all verdicts on them, searched faster than many small Parquet files.

A group has a `number`: the rows of the suites before its own, in the order of their names, plus its `place` in its own
suite. Tables are joined and sorted by it. It also has a rank in each other order in which groups are listed, from 1.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from counterpoint.metrics.verdicts import FAILS, FLAGS, PASSES
from counterpoint.store.outcomes.tables import Metrics, empty_tables

TABLES = ("suites", "bases", "verdicts")
"""The tables of the file: the `first` number of each suite, one row per group, one per group and model."""

RANKS: Mapping[str, str] = {
    "by_failures": "failing DESC, number",
    "by_disagreement": "least(failing, passing) DESC, number",
}
"""The columns with the rank of a group, and what it follows from: how many models pass it, and how many fail."""

_TALLY = f"""
    CREATE TEMP TABLE tally AS SELECT number, bit_or(flags) AS flags,
    count_if(flags & {FLAGS[PASSES]} > 0) AS passing, count_if(flags & {FLAGS[FAILS]} > 0) AS failing
    FROM judged GROUP BY number
"""
_RANKS = f"""
    CREATE TEMP TABLE ranked AS SELECT number, coalesce(flags, {FLAGS["unanswered"]})::USMALLINT AS flags,
    {", ".join(f"row_number() OVER (ORDER BY {order}) AS {name}" for name, order in RANKS.items())} FROM (
        SELECT number, flags, coalesce(passing, 0) AS passing, coalesce(failing, 0) AS failing
        FROM listed LEFT JOIN tally USING (number)
    )
"""  # of narrow rows, as each rank sorts them
_BASES = "CREATE TABLE bases AS SELECT * FROM listed JOIN ranked USING (number) ORDER BY number"
_VERDICTS = f"""
    CREATE TABLE verdicts AS SELECT v.*, b.gold, {", ".join(f"b.{name}" for name in RANKS)}
    FROM judged v JOIN bases b USING (number)
"""


def write_index(
    file: Path, groups: Mapping[str, Path], bases: Sequence[Path], verdicts: Sequence[Path], metrics: Metrics = ()
) -> None:
    """Write the index from the Parquet files of each suite and of each model on it."""
    import duckdb  # loaded when it is needed

    try:
        with duckdb.connect(file, config={"memory_limit": "1GB", "threads": 2}) as connection:
            connection.register("first_numbers", _first_numbers(groups))
            connection.execute("CREATE TABLE suites AS FROM first_numbers")
            for name, table, paths in (("listed", "bases", bases), ("judged", "verdicts", verdicts)):
                source = parquet_source(paths)
                if not paths:
                    connection.register(source := f"no_{table}", empty_tables(metrics)[table])
                connection.execute(
                    f"CREATE TEMP VIEW {name} AS SELECT first + place AS number, * EXCLUDE (first) "
                    f"FROM {source} JOIN suites USING (suite)"
                )
            for statement in (_TALLY, _RANKS, _BASES, _VERDICTS):
                connection.execute(statement)
    except duckdb.IOException as problem:
        raise OSError(str(problem).partition("\n")[0]) from problem


def parquet_source(paths: Sequence[Path]) -> str:
    """Return some files as SQL names them after FROM."""
    return f"read_parquet([{', '.join(sql_string(str(path)) for path in paths)}])"


def sql_string(text: str) -> str:
    """Return a text as an SQL literal.

    >>> sql_string("it's")
    "'it''s'"
    """
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _first_numbers(groups: Mapping[str, Path]) -> pa.Table:
    names, first, numbers = sorted(groups), 0, []
    for name in names:
        numbers.append(first)
        first += pq.read_metadata(groups[name]).num_rows
    return pa.table({"suite": pa.array(names, pa.string()), "first": pa.array(numbers, pa.int64())})
