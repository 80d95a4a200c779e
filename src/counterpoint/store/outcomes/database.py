"""The DuckDB database over the outcome tables, with little memory and few queries at once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.store.outcomes.files import OutcomeFiles
from counterpoint.store.outcomes.group_index import TABLES, parquet_source, sql_string
from counterpoint.store.outcomes.tables import empty_tables

if TYPE_CHECKING:
    import duckdb

VIEWS = (*TABLES, "groups", "queries", "totals", "outcomes", "scores", "ties")
"""The tables that can be queried; each has a column `suite`, or `model`, or both."""

CONCURRENCY = 4
"""Queries that run at the same time; others wait."""


class OutcomeDatabase:
    """The database of one version of a lab. Every query has a cursor of its own; texts of users are parameters."""

    def __init__(self, files: OutcomeFiles, cache: Path) -> None:
        self.files = files
        self._slots = BoundedSemaphore(CONCURRENCY)
        self._connection = _connect(files.index, cache)
        empty: Mapping[str, pa.Table] = {}
        for view in VIEWS:
            if view in TABLES:
                self._connection.execute(f"CREATE VIEW {view} AS FROM index.{view}")
            elif paths := files.paths(view):
                self._connection.execute(f"CREATE VIEW {view} AS FROM {parquet_source(paths)}")
            else:
                empty = empty or empty_tables()
                self._connection.from_arrow(empty[view]).create(view)
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def source(self, table: str, *, model: str = "", suite: str = "") -> str:
        """Return what follows FROM to query a table, or the part of it about one model or suite.

        The model and the suite must be in the lab; only their files are read then.
        """
        if table in TABLES:
            names = {"model": model, "suite": suite}.items()
            conditions = " AND ".join(f"{name} = {sql_string(value)}" for name, value in names if value)
            return f"(FROM {table} WHERE {conditions})" if conditions else table
        paths = self.files.paths(table, model=model, suite=suite)
        return parquet_source(paths) if paths else table

    def rows(
        self, sql: str, parameters: Sequence[Any] = (), tables: Mapping[str, pa.Table] = MappingProxyType({})
    ) -> list[dict[str, Any]]:
        """Return the rows of a query; `tables` are those that it names beside the lab's own."""
        with self._cursor(tables) as cursor, _translated_errors():
            result = cursor.execute(sql, list(parameters))
            names = [column[0] for column in result.description or []]
            return [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    def table(
        self, sql: str, parameters: Sequence[Any] = (), tables: Mapping[str, pa.Table] = MappingProxyType({})
    ) -> pa.Table:
        """Return the result of a query as a table."""
        with self._cursor(tables) as cursor, _translated_errors():
            reader = cursor.sql(sql, params=list(parameters)).to_arrow_reader(100_000)
            return pa.Table.from_batches(list(reader), reader.schema)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @contextmanager
    def _cursor(self, tables: Mapping[str, pa.Table]) -> Iterator["duckdb.DuckDBPyConnection"]:
        with self._slots:
            cursor = self._connection.cursor()
            try:
                for name, table in tables.items():
                    cursor.register(name, table)
                yield cursor
            finally:
                cursor.close()


def _connect(index: Path, cache: Path) -> "duckdb.DuckDBPyConnection":
    import duckdb  # loaded when it is needed

    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": "300MB",
            "threads": 2,
            "temp_directory": str(cache / "spill"),
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    connection.execute("SET parquet_metadata_cache = true")
    with _translated_errors():
        connection.execute(f"ATTACH {sql_string(str(index))} AS index (READ_ONLY)")
    connection.execute(f"SET allowed_directories = [{sql_string(str(cache))}]")
    return connection


@contextmanager
def _translated_errors() -> Iterator[None]:
    import duckdb

    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.InvalidInputException) as problem:
        fact = f"the outcome tables cannot be read: {str(problem).partition(chr(10))[0]}"
        raise StoreError(fact, hint="delete them from the cache folder; they are built again") from problem
