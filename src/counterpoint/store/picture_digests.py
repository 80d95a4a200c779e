"""The digest of the picture file of each query, as it was when files were last looked at."""

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.store.storage import FileMissing, Storage
from counterpoint.store.suites import TABLE as SUITE
from counterpoint.store.tables import GROUPS, PICTURES, read_parquet

TABLE = "pictures.parquet"


def read_digests(storage: Storage) -> pa.Table:
    """The digests of picture files by address; none where no file was looked at."""
    try:
        return read_parquet(storage, TABLE, "pictures")
    except FileMissing:
        return PICTURES.empty_table()


def current_digests(storage: Storage, queries: pa.Array) -> pa.Table:
    """The digests of some queries' pictures (query, digest), empty for pictures that are no files."""
    asked = [GROUPS.empty_table().select(["query", "picture"])]
    for name in storage.names("suites/"):
        if name.endswith(f"/{SUITE}"):
            rows = read_parquet(storage, name, "groups", ["query", "picture"])
            asked.append(rows.filter(pc.is_in(rows["query"], value_set=queries)))
    return digests_of(storage, pa.concat_tables(asked))


def digests_of(storage: Storage, rows: pa.Table) -> pa.Table:
    """The digests of the pictures of some rows of suites (query, picture)."""
    known = read_digests(storage)
    places = pc.index_in(rows["picture"], value_set=known["address"].combine_chunks())
    return pa.table({"query": rows["query"], "digest": pc.fill_null(known["digest"].take(places), "")})
