"""`counterpoint pictures`: in which folder the pictures of each source are, and whether they are there."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from counterpoint.core.errors import UnknownName
from counterpoint.core.pictures import Picture
from counterpoint.lab.selection import load_groups
from counterpoint.lab.worlds import find_worlds
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore


@dataclass(frozen=True, slots=True)
class Folder:
    """The pictures that a lab asks about under one namespace, and how many of them can be seen."""

    namespace: str
    folder: str
    pictures: int
    found: int
    first: str  # the path of one of them within the folder


def roots(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> dict[str, Path]:
    """The folders by namespace, checked."""
    found = {}
    for one in given:
        namespace, sign, folder = one.partition("=")
        if not sign or not namespace or not Path(folder).is_dir():
            raise click.BadParameter(f"{one!r} is no NAMESPACE=FOLDER with a folder that is there")
        found[namespace] = Path(folder)
    return found


@click.command("pictures")
@click.argument("lab", type=click.Path(path_type=Path))
@click.argument("folders", nargs=-1, metavar="[NAMESPACE=FOLDER]...", callback=roots)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, one object per namespace.")
def command(lab: Path, folders: dict[str, Path], as_json: bool) -> None:
    """Say where the pictures of LAB are, namespace by namespace, and list how many of them are found."""
    opened = LabStore(lab).opened()
    found = listed(opened)
    known = [one.namespace for one in found]
    for namespace, folder in folders.items():
        if namespace not in known:
            raise UnknownName("namespace of pictures in this lab", namespace, known)
        opened.set_root(namespace, folder)
    found = listed(opened) if folders else found
    click.echo(json.dumps([asdict(one) for one in found]) if as_json else _sheet(found).plain())


def listed(lab: LabStore) -> list[Folder]:
    """Every namespace of the suites of a lab."""
    table = load_groups(lab, ())
    drawn = {name: world for name, world in find_worlds(table).items() if name not in lab.roots}
    shown, roots_ = lab.pictures(drawn), lab.roots
    by_namespace: dict[str, list[str]] = {}
    for address in sorted(table["picture"].drop_null().unique().to_pylist()):
        by_namespace.setdefault(Picture(address).namespace, []).append(address)
    return [
        Folder(
            name,
            "drawn" if name in drawn else str(roots_.get(name, "")),
            len(own),
            len(own) if name in drawn else sum(shown.file(address) is not None for address in own),
            Picture(own[0]).path,
        )
        for name, own in by_namespace.items()
    ]


def _sheet(found: Sequence[Folder]) -> ResultTable:
    rows = [
        (one.namespace, one.folder or "not said", one.first, f"{one.pictures:,}", f"{one.found:,}") for one in found
    ]
    return ResultTable(
        "Pictures, by the source that they are of",
        ("namespace", "folder", "such as", "pictures", "found"),
        rows,
        names=3,
    )
