"""Outcome tables: judged answers as Parquet files and a DuckDB index in the cache, and the queries over them."""
