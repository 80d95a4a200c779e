"""The built-in worlds whose pictures a table shows; they are drawn when they are shown, and need no files."""

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.world.scene_building import namespace
from counterpoint.world.source import World


def find_worlds(table: pa.Table) -> dict[str, World]:
    """A world for each namespace of pictures that is the name of one, such as `world` or `world-7`."""
    addresses = pc.drop_null(pc.unique(table["picture"])).to_pylist()
    found: dict[str, World] = {}
    for name in sorted({address.partition(":")[0] for address in addresses}):
        seed = name.removeprefix("world").removeprefix("-") or "0"
        if seed.isdecimal() and namespace(int(seed)) == name:
            found[name] = World(scenes=0, seed=int(seed))
    return found
