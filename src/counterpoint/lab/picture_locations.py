"""Where the pictures of a lab come from, by namespace: folders, or the built-in world, which draws them."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures
from counterpoint.core.quantities import counted
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore
from counterpoint.store.pictures import LabPictures
from counterpoint.store.storage import join_address
from counterpoint.store.tables import read_parquet

_WORLD = re.compile(r"world(?:-([1-9][0-9]*))?")  # for other seeds than 0 the seed as well
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
    missing: str = ""  # where the first of the others should be: a file, or an address where the folder is unknown
    searched: tuple[str, ...] = ()  # the folders that were looked in where it is unknown


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


def locate_pictures(lab: LabStore, folders: Mapping[str, Path | str] | None = None) -> PictureLocations:
    """Record the folders of some namespaces, and count the pictures that are found."""
    if isinstance(folders, str | Path):
        raise CounterpointError(f"{folders} is a folder of no namespace", hint=f'write {{"plain": "{folders}"}}')
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
    return search_pictures(lab.roots, table["picture"].drop_null().unique().to_pylist(), drawn)


def search_pictures(
    roots: Mapping[str, Path | str],
    addresses: Iterable[str],
    drawn: Collection[str] = (),
    searched: Iterable[Path] = (),
) -> list[PictureLocation]:
    """How many of these pictures are files in the folders of their namespaces; none is needed of those drawn."""
    pictures = LabPictures(roots, {})
    by_namespace = group_pairs((Picture(address).namespace, address) for address in sorted(addresses))
    locations = []
    for name, members in by_namespace.items():
        folder = DRAWN if name in drawn else str(roots.get(name, ""))
        there = dict.fromkeys(members) if name in drawn else pictures.find_files(members)
        lost = [address for address in members if address not in there]
        missing = "" if not lost else str(join_address(folder, Picture(lost[0]).path)) if folder else lost[0]
        found, places = len(members) - len(lost), () if folder else tuple(map(str, searched))
        example = Picture(members[0]).path
        locations.append(PictureLocation(name, folder, len(members), found, example, missing, places))
    return locations


def describe_search(locations: Iterable[PictureLocation]) -> list[str]:
    """How many pictures were found, and the first that was not; nothing where all are drawn.

    >>> describe_search([PictureLocation("plain", "photos", 8, 0, "a.jpg", "photos/a.jpg")])
    ['0 of 8 pictures found: is --pictures right?', 'photos/a.jpg does not exist']
    """
    files = [row for row in locations if row.folder != DRAWN]
    if not files:
        return []
    found, pictures = sum(row.found for row in files), sum(row.pictures for row in files)
    counts = f"{found:,} of {counted(pictures, 'picture')} found{'' if found else ': is --pictures right?'}"
    lost = [row for row in files if row.missing]
    return [counts, *map(_describe_missing, lost[:1])]


def _describe_missing(row: PictureLocation) -> str:
    if row.folder:
        return f"{row.missing} does not exist"
    places = f": it is not in {', '.join(row.searched)}" if row.searched else ""
    return f"no folder is known for {row.missing}{places}"


def find_worlds(store: LabStore, table: pa.Table) -> dict[str, Pictures]:
    """A world for each namespace of pictures that is the name of one and for which the lab has no files: `world-7`."""
    addresses = pc.drop_null(pc.unique(table["picture"])).to_pylist()
    names = sorted({address.partition(":")[0] for address in addresses} - store.roots.keys())
    seeds = {name: match[1] or "0" for name in names if (match := _WORLD.fullmatch(name))}
    return {name: catalog.find("sources", "world")(scenes=0, seed=int(seed)) for name, seed in seeds.items()}


def lab_worlds(store: LabStore) -> dict[str, Pictures]:
    """The worlds that the suites of a lab show, by namespace."""
    tables = (
        read_parquet(store.storage, f"suites/{name}/groups.parquet", "groups", ["picture"], ["picture"])
        for name in store.suites()
    )
    return {name: world for table in tables for name, world in find_worlds(store, table).items()}
