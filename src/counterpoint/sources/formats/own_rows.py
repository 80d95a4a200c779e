"""Rows of one's own files: which files a split has, what a second file adds to each row, and where its picture is."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import dirname, normpath
from typing import Any, TypeAlias

from counterpoint.core.errors import SourceError, shorten
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import SplitFiles
from counterpoint.sources.reading.cells import picture_address, picture_bytes, text_of
from counterpoint.sources.reading.columns import (
    CAPTIONS,
    FILE,
    KEY,
    QUESTIONS,
    SETTINGS,
    ColumnFinder,
    describe_columns,
    value_at,
)
from counterpoint.sources.reading.records import Record, Skips, short_repr, skip_repeated
from counterpoint.sources.reading.tables import ENDINGS, ColumnTest, read_rows

SAME_SPLIT = (("val", "validation", "valid", "dev"), ("test", "testing", "eval"), ("train", "training"))
"""Names that people give to one split."""
_ADDRESS = re.compile(r"[a-z][a-z0-9_-]+:(?!//)[^\\]+")
_LONGEST = 255  # bytes of a name in a path, as systems have it
_WEB = re.compile(r"[a-z]+://", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:/")  # of Windows
_SAY_COLUMNS = "say which columns hold what: --columns question=…,answer=…,image=…"
DATA = "data"
"""The part under which the file or folder stands that was named."""
RowReader: TypeAlias = Callable[[SplitFiles, Skips, ColumnTest], Iterator[tuple[str, Record]]]
"""Every row in the files of a split, with the folder within the data to which the paths of its pictures belong."""


def find_split_file(files: SplitFiles) -> dict[str, Path]:
    """The given file, the files in a folder that match a pattern, that are named after the split, or its only file."""
    folder, split, pattern = files[DATA], files.split, files.columns.get("files", "")
    if not folder.is_dir():
        return {folder.name: folder}
    paths = sorted(path for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file())
    names = ", ".join(path.name for path in paths[:8]) or "no file that ends in " + ", ".join(ENDINGS)
    if pattern:
        if matching := {path.name: path for path in paths if path.match(pattern)}:
            return matching
        raise SourceError(f"{folder} has no file {pattern}: it has {names}", hint="files=*.json matches all of JSON")
    for name in split_synonyms(split):
        if matching := {path.name: path for path in paths if path.stem == name}:
            return dict([next(iter(matching.items()))])
    if len(paths) == 1:
        return {paths[0].name: paths[0]}
    hint = "name the file: --data FILE, or several: --columns files=*.json"
    raise SourceError(f"{folder} has no file of {split}: it has {names}", hint=hint)


def split_synonyms(split: str) -> tuple[str, ...]:
    """Every name that a split may have, its own first."""
    return (split, *(name for names in SAME_SPLIT if split in names for name in names if name != split))


def rows_of(
    paths: Mapping[str, Path], files: SplitFiles, skips: Skips, fits: ColumnTest
) -> Iterator[tuple[str, Record]]:
    """The rows of each file; pictures beside a file `metadata.*` are in its folder, others where their paths say.

    Where several files are given, a row has the stem of its file as a column; where a second file is, its columns too.
    """
    other = _SecondFile.of(files, skips) if "with" in files.columns else None
    for name, path in paths.items():
        folder = dirname(name) if path.stem == "metadata" else ""
        added: dict[str, Any] = {FILE: path.stem} if "files" in files.columns else {}
        known = (*added, *(other.names if other else ()))

        def fits_with_added(names: Sequence[str], known: tuple[str, ...] = known) -> bool:
            return fits((*names, *(name for name in known if name not in names)))

        for record in read_rows(path, skips, fits_with_added, files.columns.get("list", "")):
            with skips:
                if other or added:
                    record.content = {**added, **(other.partner(record) if other else {}), **record.content}
                yield folder, record
    if other:
        other.skip_unused(skips)


class _SecondFile:
    """The rows of a second file by their key."""

    def __init__(self, path: Path, rows: Mapping[str, Mapping[str, Any]], own: str) -> None:
        self._path, self._rows, self._own, self._used = path, rows, own, set[str]()
        self.names = tuple(next(iter(rows.values()), {}))

    @classmethod
    def of(cls, files: SplitFiles, skips: Skips) -> "_SecondFile":
        """The file that `with` names, beside the data or in the working directory; `FILE:LIST` names a list in it."""
        home = files[DATA] if files[DATA].is_dir() else files[DATA].parent
        named, list_ = files.columns["with"], ""
        if not (home / named).exists() and ":" in named:
            named, _, list_ = named.rpartition(":")
        path = home / named if (home / named).exists() else Path(named)
        own, _, key = files.columns.get("on", "").partition("+")
        if not own:
            raise SourceError(f"{path.name} needs a key", hint="--columns with=FILE,on=question_id")
        key = key or own
        rows: dict[str, Mapping[str, Any]] = {}
        for record in read_rows(path, skips, lambda names: key in (*names, KEY), list_):
            value = text_of(value_at(record.content, key))
            if not value:
                skips.skip("a row without a key", f"{record.place}: {key}", "rows are joined by this column")
            elif value in rows:
                skip_repeated(skips, f"{record.place}: {key} {value}")
            else:
                rows[value] = record.content
        return cls(path, rows, own)

    def partner(self, record: Record) -> Mapping[str, Any]:
        """The row of the same key."""
        key = text_of(value_at(record.content, self._own))
        if key not in self._rows:
            fact = f"{record.place}: {self._path.name} has no row for {self._own} {short_repr(key)}"
            raise SourceError(fact, hint="on=… names the column that both files have")
        self._used.add(key)
        return self._rows[key]

    def skip_unused(self, skips: Skips) -> None:
        """Count the rows that no row of the first file names."""
        for key in self._rows.keys() - self._used:
            skips.skip("a row of the second file alone", f"{self._path.name}: {key}", "no row of the data has this key")


@dataclass(frozen=True, slots=True)
class PictureReader:
    """Reads the pictures of rows, one after the other."""

    space: str  # the namespace of paths
    homes: tuple[Path, ...]  # the folders in which absolute paths may lie: that of the pictures, and that of the data
    _embedded: dict[str, Picture] = field(default_factory=dict)  # by the index of the row

    def read(self, record: Record, value: Any, *, folder: str) -> Picture:
        """The picture of a row: embedded, that of an earlier row by its index, at a path, or at an address.

        Tables of MMBench embed a picture once, and have the index of that row where it is shown again.
        """
        if content := picture_bytes(value):
            picture = Picture(picture_address(content))
            if index := text_of(record.content.get("index")):
                self._embedded[index] = picture
            return picture
        repeated = self._embedded.get(text_of(value)) if self._embedded else None
        return repeated or _picture_at(record, value, self.space, folder, self.homes)

    @classmethod
    def of(cls, files: SplitFiles, namespace: str) -> "PictureReader":
        """The reader of the pictures of a split; `namespace` stands where the columns name none."""
        home = files[DATA] if files[DATA].is_dir() else files[DATA].parent
        named = () if files.pictures is None else (files.pictures,)
        return cls(files.columns.get("namespace", namespace), (*named, home))


def _picture_at(record: Record, value: Any, space: str, folder: str, homes: Sequence[Path]) -> Picture:
    """The picture at a path, or at an address as in exported suites; a list of one stands for it."""
    if isinstance(value, list):
        if len(value) > 1:
            raise SourceError(f"{record.place} has {len(value)} pictures", hint="a question is about one")
        value = value[0] if value else None
    path = text_of(value.get("path") if isinstance(value, dict) else value).replace("\\", "/")
    if not path:
        raise SourceError(f"{record.place} has no picture", hint="--columns image=… names its column")
    if record.content.get("edits") not in (None, "", "[]"):
        fact = f"{record.place}: what was done to its picture is not in the file"
        raise SourceError(fact, hint="export the suite with its pictures")
    if _ADDRESS.fullmatch(path):
        return Picture(path)
    if _WEB.match(path) or "\0" in path or any(len(part.encode()) > _LONGEST for part in path.split("/")):
        fact = f"{record.place}: {short_repr(path)} is no path"
        raise SourceError(fact, hint="fetch the pictures, and name their files")
    path = _within(homes, normpath(path)) if path.startswith("/") else normpath(f"{folder}/{path}" if folder else path)
    if path.startswith(("/", "../")) or path == ".." or _DRIVE.match(path):
        raise SourceError(
            f"{record.place}: {short_repr(path)} leads out of the folder", hint="--pictures names the one that has it"
        )
    return Picture(f"{space}:{path}")


def _within(homes: Sequence[Path], path: str) -> str:
    """An absolute path as one within a folder, which may be reached by a link; as it is where it lies elsewhere."""
    for root in (root for home in homes for root in (home.absolute(), home.resolve())):
        if Path(path).is_relative_to(root):
            return Path(path).relative_to(root).as_posix()
    return path


def _hint_for_list(first: Record) -> str:
    """How to read a list of objects in the first record: as the rows of the file, or as turns of a conversation."""
    for name, cell in first.content.items():
        if isinstance(cell, list) and cell and isinstance(cell[0], dict):
            said = next((key for key in ("value", "content", "text") if key in cell[0]), "")
            if said and {"from", "role"} & cell[0].keys():
                return f"--columns question={name}.0.{said},answer={name}.1.{said} reads the first two turns"
            return f"--columns list={name} reads the rows of this list"
    return _SAY_COLUMNS


def rows_of_split(
    files: SplitFiles, skips: Skips, rows: RowReader, columns: ColumnFinder
) -> Iterator[tuple[str, Record]]:
    """The rows of a split, by their split column if they have one; raises a SourceError if none can be read."""
    wanted, others, fitting, count = set(split_synonyms(files.split)), set[str](), False, 0
    first: Record | None = None
    unseen = {} if "variants" in columns.given else {r: n for r, n in columns.given.items() if r not in SETTINGS}
    for folder, record in rows(files, skips, columns.is_complete):
        names = tuple(record.content)
        first, fitting = first or record, fitting or columns.is_complete(names)
        for role in [role for role in unseen if columns.find(names).get(role)]:
            del unseen[role]
        split = text_of(columns.value(record.content, "split", record.place))
        if not split or split in wanted:
            count += 1
            yield folder, record
        elif len(others) < 8:
            others.add(split)
    file = first.place.partition(",")[0] if first else files[DATA].name
    if not first and not skips.total and files[DATA].is_file():
        raise SourceError(
            f"{file} has no row", hint="a table has a line of columns and rows below, JSON a list of rows"
        )
    if first and not fitting:
        kind = {id(QUESTIONS): "questions", id(CAPTIONS): "captions"}.get(id(columns.layout), "groups")
        wanted_columns = describe_columns(columns.given) or kind
        first_columns = ", ".join(first.content)[:200]
        fact = f"{file}: no row has columns for {wanted_columns}; the first has {first_columns or 'none'}"
        raise SourceError(fact, hint=_hint_for_list(first))
    for role, name in unseen.items() if first else ():
        remedy = f"the first has {shorten(', '.join(first.content), 60)}" if first else ""
        skips.skip("a column that no row has", f"{file}: {role}={name}", remedy)
    if others and not count:
        raise SourceError(f"{file} has no row of {files.split}", hint=f"there are {', '.join(sorted(others))}")
