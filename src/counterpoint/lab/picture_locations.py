"""The folders in which the pictures of a lab are, by namespace, and how many of its pictures are found there."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from counterpoint.core.errors import UnknownName
from counterpoint.core.pictures import Picture
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups
from counterpoint.lab.worlds import find_worlds
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore

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
class PictureLocations(LabResult[PictureLocation]):
    """Every namespace of the pictures of a lab."""

    _rows: ClassVar[str] = "locations"

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
    for namespace, folder in (folders or {}).items():
        if namespace not in known:
            raise UnknownName("namespace of pictures in this lab", namespace, known)
        lab.set_root(namespace, folder)
    return PictureLocations(tuple(_locations(lab) if folders else locations))


def _locations(lab: LabStore) -> list[PictureLocation]:
    table = load_groups(lab, ())
    drawn = find_worlds(lab, table)
    pictures, roots = lab.pictures(drawn), lab.roots
    by_namespace: dict[str, list[str]] = {}
    for address in sorted(table["picture"].drop_null().unique().to_pylist()):
        by_namespace.setdefault(Picture(address).namespace, []).append(address)
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
