"""The built-in worlds whose pictures a table shows; they are drawn when they are shown, and need no files."""

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.store.lab import LabStore
from counterpoint.store.tables import read_parquet
from counterpoint.world.scene_building import namespace
from counterpoint.world.source import World


def find_worlds(store: LabStore, table: pa.Table) -> dict[str, World]:
    """A world for each namespace of pictures that is the name of one and for which the lab has no files: `world-7`."""
    addresses = pc.drop_null(pc.unique(table["picture"])).to_pylist()
    worlds: dict[str, World] = {}
    for name in sorted({address.partition(":")[0] for address in addresses}):
        seed = name.removeprefix("world").removeprefix("-") or "0"
        if seed.isdecimal() and namespace(int(seed)) == name and name not in store.roots:
            worlds[name] = World(scenes=0, seed=int(seed))
    return worlds


def lab_worlds(store: LabStore) -> dict[str, World]:
    """The worlds that the suites of a lab show, by namespace."""
    tables = (
        read_parquet(store.storage, f"suites/{name}/groups.parquet", "groups", ["picture"], ["picture"])
        for name in store.suites()
    )
    return {name: world for table in tables for name, world in find_worlds(store, table).items()}
