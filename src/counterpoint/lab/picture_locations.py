"""Where the pictures of a lab come from, by namespace: folders, or the built-in world, which draws them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.errors import UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.core.pictures import Picture
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore
from counterpoint.store.tables import read_parquet
from counterpoint.world.scene_building import namespace
from counterpoint.world.source import World

DRAWN = "drawn"
"""The folder of pictures that the built-in world draws when they are shown."""


@dataclass(frozen=True, slots=True)
class PictureLocation:
    """The pictures of one namespace that a lab asks about, and how many of them are found."""

    namespace: str
    folder: str
    pictures: int
    found: int
    example: str  # the path of one of them within the folder


@dataclass(frozen=True, slots=True, repr=False)
class PictureLocations(LabResult[PictureLocation], rows="locations"):
    """Every namespace of the pictures of a lab."""

    locations: tuple[PictureLocation, ...]

    def tables(self) -> list[ResultTable]:
        """One row per namespace."""
        rows = [
            (row.namespace, row.folder or "unknown", row.example, f"{row.pictures:,}", f"{row.found:,}")
            for row in self.locations
        ]
        heads = ("namespace", "folder", "example", "pictures", "found")
        return [ResultTable("Folders of pictures", heads, rows, names=3)]


def locate_pictures(lab: LabStore, folders: Mapping[str, Path] | None = None) -> PictureLocations:
    """Record the folders of some namespaces, and count the pictures that are found."""
    locations = _locations(lab.opened())
    known = [row.namespace for row in locations]
    for name, folder in (folders or {}).items():
        if name not in known:
            raise UnknownName("namespace of pictures in this lab", name, known)
        lab.set_root(name, folder)
    return PictureLocations(tuple(_locations(lab) if folders else locations))


def _locations(lab: LabStore) -> list[PictureLocation]:
    table = load_groups(lab, ())
    drawn = find_worlds(lab, table)
    pictures, roots = lab.pictures(drawn), lab.roots
    shown = sorted(table["picture"].drop_null().unique().to_pylist())
    by_namespace = group_pairs((Picture(address).namespace, address) for address in shown)
    return [
        PictureLocation(
            name,
            DRAWN if name in drawn else str(roots.get(name, "")),
            len(addresses),
            len(addresses) if name in drawn else sum(pictures.file(address) is not None for address in addresses),
            Picture(addresses[0]).path,
        )
        for name, addresses in by_namespace.items()
    ]


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
