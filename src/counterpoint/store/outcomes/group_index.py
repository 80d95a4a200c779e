"""All groups of a lab and all verdicts on them in one database file, which is searched sooner than many small files.

A group has a `number` there: the rows of all suites before its own, in the order of their names, and its place among
those of its own. Tables are joined and ordered by it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from counterpoint.store.outcomes.tables import empty_tables

TABLES = ("suites", "bases", "verdicts")
"""What the file holds: the `first` number of each suite, one row per group, and one per group and model."""


def write_index(file: Path, groups: Mapping[str, Path], bases: Sequence[Path], verdicts: Sequence[Path]) -> None:
    """Write the file from those of each suite and of each model on it."""
    import duckdb  # loaded when it is needed

    try:
        with duckdb.connect(file, config={"memory_limit": "1GB", "threads": 2}) as connection:
            connection.register("first_numbers", _first_numbers(groups))
            connection.execute("CREATE TABLE suites AS FROM first_numbers")
            for name, paths in (("bases", bases), ("verdicts", verdicts)):
                source = parquet(paths)
                if not paths:
                    connection.register(source := f"no_{name}", empty_tables()[name])
                connection.execute(
                    f"CREATE TABLE {name} AS SELECT first + place AS number, * EXCLUDE (first) "
                    f"FROM {source} JOIN suites USING (suite)"
                )
    except duckdb.IOException as problem:
        raise OSError(str(problem).partition("\n")[0]) from problem


def parquet(paths: Sequence[Path]) -> str:
    """Some files as a question names them after FROM."""
    return f"read_parquet([{', '.join(quoted(str(path)) for path in paths)}])"


def quoted(text: str) -> str:
    """A text as a question has it.

    >>> quoted("it's")
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
