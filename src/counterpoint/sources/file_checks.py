"""Which files of a data set are expected, and which files and pictures are present."""

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from counterpoint.core.errors import CounterpointError, SourceError
from counterpoint.sources.dataset import OWN, DataSet, File, find_file


@dataclass(frozen=True, slots=True)
class ExpectedFile:
    """A file to be fetched: its name within the folder, its splits, and what is read from it."""

    part: str
    name: str
    others: tuple[str, ...]  # names that are taken too
    splits: tuple[str, ...]
    kinds: tuple[str, ...]
    needed: bool
    origin: str


@dataclass(frozen=True, slots=True)
class FileStatus:
    """One file of a split, with its path and its size in bytes if it is present."""

    part: str
    name: str  # the official one
    split: str
    kinds: tuple[str, ...]
    needed: bool
    origin: str
    path: Path | None = None
    size: int = 0


def expected_files(dataset: DataSet) -> tuple[ExpectedFile, ...]:
    """Every file, in the order of the splits; a file that several splits share is listed once."""
    files: dict[tuple[str, str], ExpectedFile] = {}
    for split in dataset.splits:
        for file in dataset.files:
            if split not in file.names and split != OWN:
                continue
            name, *others = file.names.get(split, ("*.json",))  # files of one's own are known by their content
            before = files.get((file.part, name))
            splits = (*before.splits, split) if before else (split,)
            files[file.part, name] = ExpectedFile(
                file.part, name, tuple(others), splits, kinds_of(dataset, file), file.needed, file.origin
            )
    return tuple(files.values())


def kinds_of(dataset: DataSet, file: File) -> tuple[str, ...]:
    """What is read from a file, of what the data set has at all."""
    return tuple(kind for kind in dataset.read if kind in file.kinds)


def kinds_in(dataset: DataSet, split: str) -> tuple[str, ...]:
    """What a split can be read as; files of one's own can be read as everything."""
    return tuple(kind for kind in dataset.read if not dataset.files or split in dataset.kind_splits(kind))


def available_kinds(dataset: DataSet, folder: Path, split: str) -> tuple[str, ...]:
    """What a split can be read as, of what its files are present for."""
    read = {kind: check_files(dataset, folder, split, [kind]) for kind in kinds_in(dataset, split)}
    return tuple(
        kind for kind, files in read.items() if not dataset.files or any(file.needed or file.path for file in files)
    )


def check_files(dataset: DataSet, folder: Path, split: str, kinds: Collection[str]) -> tuple[FileStatus, ...]:
    """The files from which these kinds are read, each with its path if it is present."""
    if split == OWN and dataset.files:
        return tuple(
            FileStatus(file.part, path.name, split, kinds_of(dataset, file), True, dataset.origin, path, size_of(path))
            for file in dataset.files
            if set(kinds_of(dataset, file)) & set(kinds) and (path := dataset.own_files(folder).get(file.part))
        )
    files = [file for file in dataset.files if split in file.names and set(kinds_of(dataset, file)) & set(kinds)]
    alone = folder.is_file() and sum(file.needed for file in files) == 1
    rows = []
    for file in files:
        path = folder if alone and file.needed else find_file(folder, file, split)
        about = file.part, file.names[split][0], split, kinds_of(dataset, file), file.needed, file.origin
        rows.append(FileStatus(*about, path, size_of(path) if path else 0))
    return tuple(rows) if dataset.files else tuple(_own_files(dataset, folder, split, kinds))


def _own_files(dataset: DataSet, folder: Path, split: str, kinds: Collection[str]) -> Iterator[FileStatus]:
    """Files of one's own, as the data set itself finds them."""
    try:
        paths = dataset.find_files(folder, split).paths
    except CounterpointError:
        return  # reading says the same, and what helps
    for part, path in paths.items():
        yield FileStatus(part, path.name, split, tuple(kinds), True, dataset.origin, path, size_of(path))


def refuse_pipe(path: Path) -> Path:
    """The same path; a SourceError where it is a pipe or a device, since files are read more than once."""
    if path.exists() and not path.is_file() and not path.is_dir():
        hint = "write its lines to a file with an ending such as .csv or .jsonl, and name that"
        raise SourceError(f"{path} is a pipe or a device, and files are read more than once", hint=hint)
    return path


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files right in a folder."""
    try:
        if path.is_dir():
            with os.scandir(path) as entries:
                return sum(entry.stat().st_size for entry in entries if entry.is_file())
        return path.stat().st_size
    except OSError:
        return 0


def format_size(count: int) -> str:
    """A number of bytes for people.

    >>> format_size(999), format_size(12_340), format_size(3_456_789_012)
    ('999 B', '12.3 kB', '3.5 GB')
    """
    if count < 1000:
        return f"{count} B"
    number, unit = float(count), 0
    while number >= 999.95:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {('B', 'kB', 'MB', 'GB', 'TB', 'PB')[unit]}"


def most_complete_split(dataset: DataSet, folder: Path, kinds: Collection[str] = ()) -> str:
    """The first split whose files are all present, under official names if there is such a one.

    Where none is complete, the first of which any file is present. With `kinds`, only these count.
    """
    ranks = {split: _completeness(dataset, folder, split, kinds) for split in dataset.splits}
    return max(ranks, key=lambda split: ranks[split])  # the first of equals


def _completeness(dataset: DataSet, folder: Path, split: str, kinds: Collection[str]) -> tuple[bool, bool, bool]:
    wanted = [kind for kind in kinds_in(dataset, split) if not kinds or kind in kinds]
    rows = [row for row in check_files(dataset, folder, split, wanted) if row.needed]
    names = [row.path.name for row in rows if row.path]
    official = [row.name.rpartition("/")[2] for row in rows]
    return bool(rows) and len(names) == len(rows), bool(names) and names == official, bool(names)


def count_pictures(root: Path, pictures: Iterable[str]) -> int:
    """How many pictures are files below a folder; each folder is listed once, which is fast for any number."""
    listed: dict[str, frozenset[str]] = {}
    count = 0
    for address in pictures:
        folder, _, name = address.partition(":")[2].rpartition("/")
        if folder not in listed:
            listed[folder] = frozenset()
            path = Path(os.path.normpath(root / folder))
            with suppress(OSError, ValueError):
                if path.is_relative_to(os.path.normpath(root)):
                    listed[folder] = frozenset(os.listdir(path))
        count += name in listed[folder]
    return count
