"""The database behind the pages: DuckDB over files, with little memory and few questions at once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import BoundedSemaphore
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.store.outcomes.files import Files
from counterpoint.store.outcomes.group_index import TABLES, parquet, quoted
from counterpoint.store.outcomes.tables import empty_tables

if TYPE_CHECKING:
    import duckdb

VIEWS = (*TABLES, "groups", "queries", "answers", "outcomes", "scores", "ties")
"""The tables that can be asked for; each has a column `suite`, or `model`, or both."""

AT_ONCE = 4
"""Questions that are worked on at the same time; others wait."""


class Database:
    """One database for one version of a lab. Every question has a cursor of its own; texts of users are parameters."""

    def __init__(self, files: Files, cache: Path) -> None:
        self.files = files
        self._few = BoundedSemaphore(AT_ONCE)
        self._connection = _connected(files.index, cache)
        empty: Mapping[str, pa.Table] = {}
        for view in VIEWS:
            if view in TABLES:
                self._connection.execute(f"CREATE VIEW {view} AS FROM index.{view}")
            elif files.of(view):
                self._connection.execute(f"CREATE VIEW {view} AS FROM {parquet(files.of(view))}")
            else:
                empty = empty or empty_tables()
                self._connection.from_arrow(empty[view]).create(view)
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def source(self, table: str, *, model: str = "", suite: str = "") -> str:
        """A table as a question names it after FROM, made of the files of one model or suite alone, if these are named.

        What is named must be in the lab; the answer is the same as that of the view, and comes sooner.
        """
        if table in TABLES:
            named = {"model": model, "suite": suite}.items()
            asked = " AND ".join(f"{name} = {quoted(value)}" for name, value in named if value)
            return f"(FROM {table} WHERE {asked})" if asked else table
        paths = self.files.of(table, model=model, suite=suite)
        return parquet(paths) if paths else table

    def rows(
        self, sql: str, parameters: Sequence[Any] = (), tables: Mapping[str, pa.Table] = MappingProxyType({})
    ) -> list[dict[str, Any]]:
        """The answer to a question, row by row; `tables` are those that it names beside the lab's own."""
        with self._cursor(tables) as cursor, _said():
            found = cursor.execute(sql, list(parameters))
            names = [column[0] for column in found.description or []]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def table(
        self, sql: str, parameters: Sequence[Any] = (), tables: Mapping[str, pa.Table] = MappingProxyType({})
    ) -> pa.Table:
        """The answer to a question as a table."""
        with self._cursor(tables) as cursor, _said():
            reader = cursor.sql(sql, params=list(parameters)).to_arrow_reader(100_000)
            return pa.Table.from_batches(list(reader), reader.schema)

    def close(self) -> None:
        """Give back what it holds."""
        self._connection.close()

    @contextmanager
    def _cursor(self, tables: Mapping[str, pa.Table]) -> Iterator["duckdb.DuckDBPyConnection"]:
        with self._few:
            cursor = self._connection.cursor()
            try:
                for name, table in tables.items():
                    cursor.register(name, table)
                yield cursor
            finally:
                cursor.close()


def _connected(index: Path, cache: Path) -> "duckdb.DuckDBPyConnection":
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
    with _said():
        connection.execute(f"ATTACH {quoted(str(index))} AS index (READ_ONLY)")
    connection.execute(f"SET allowed_directories = [{quoted(str(cache))}]")
    return connection


@contextmanager
def _said() -> Iterator[None]:
    import duckdb

    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.InvalidInputException) as problem:
        fact = f"the tables of the explorer cannot be read: {str(problem).partition(chr(10))[0]}"
        raise StoreError(fact, hint="delete them, they are made anew; counterpoint serve says where") from problem
