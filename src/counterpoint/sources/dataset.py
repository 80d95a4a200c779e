"""A data set as people have it on disk: which files belong to each split, and what each is read as."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint.core.errors import CounterpointError, SourceError, UnknownName
from counterpoint.core.items import Caption, Dialogue, Frame, Question
from counterpoint.core.scenes import Scene
from counterpoint.sources.sampling import MOST, sampled
from counterpoint.sources.skips import Skips

KINDS = ("scenes", "questions", "captions", "dialogues", "frames")
"""What a data set can be read as."""


@dataclass(frozen=True, slots=True)
class File:
    """One file that is expected: its part, its names in each split, the official one first, and where people get it."""

    part: str
    names: Mapping[str, tuple[str, ...]]  # by split; a name may hold * and folders
    origin: str
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one split as they were found, by their part."""

    split: str
    paths: Mapping[str, Path]

    def __getitem__(self, part: str) -> Path:
        return self.paths[part]

    def get(self, part: str) -> Path | None:
        """The file of this part, if there is one."""
        return self.paths.get(part)


Read: TypeAlias = Callable[[Files, Skips], Iterator[Any]]
"""A reader: every value in the files of a split; what is left out is counted."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """What is known of a data set before any of its files is opened."""

    name: str  # as it stands in the catalog
    title: str
    files: tuple[File, ...]
    read: Mapping[str, Read]  # by kind
    namespace: str  # of its picture addresses
    pictures: tuple[str, ...] = ("images", ".")  # folders against which their paths are resolved, the likeliest first
    origin: str = ""  # where people get it and its pictures, by name
    rules: str = "exact"  # by which its answers are compared

    @property
    def splits(self) -> tuple[str, ...]:
        """The parts into which it is divided, in the order of its files."""
        return tuple(dict.fromkeys(split for file in self.files for split in file.names))

    def found(self, folder: Path, split: str) -> Files:
        """The files of a split in a folder; a needed one that is missing is an error that names it."""
        if split not in self.splits:
            raise UnknownName(f"split of {self.title}", split, self.splits)
        paths = {file.part: path for file in self.files if (path := located(folder, file, split)) is not None}
        for file in self.files:
            if file.needed and split in file.names and file.part not in paths:
                fact = f"{folder} has no {file.names[split][0]}, the {file.part} of {self.title}"
                raise SourceError(
                    fact, hint=f"{file.origin} has it; counterpoint data {self.name} says what is expected"
                )
        return Files(split, paths)

    def picture_root(self, folder: Path) -> Path | None:
        """The folder of its pictures, if it is there."""
        return next((folder / one for one in self.pictures if one != "." and (folder / one).is_dir()), None)


def located(folder: Path, file: File, split: str) -> Path | None:
    """Where a file is: a file named outright, or the first in the folder that has one of its names."""
    if folder.is_file():
        return folder if any(folder.match(name.rpartition("/")[2]) for name in file.names.get(split, ())) else None
    for name in file.names.get(split, ()):
        for pattern in (name, name.rpartition("/")[2]):  # people unpack with and without folders
            if path := next(iter(sorted(folder.glob(pattern))), None):
                return path
    return None


@dataclass(slots=True)
class Source:
    """A split of a data set, opened: its values, at most so many of each kind, drawn by a seed."""

    dataset: DataSet
    folder: Path
    split: str
    most: int | None = MOST
    seed: int = 0
    skips: Skips = field(default_factory=Skips)

    def scenes(self) -> Iterator[Scene]:
        """What annotators saw in each picture."""
        return self._values("scenes")

    def questions(self) -> Iterator[Question]:
        """Questions with their right answers."""
        return self._values("questions")

    def captions(self) -> Iterator[Caption]:
        """Sentences that describe pictures."""
        return self._values("captions")

    def dialogues(self) -> Iterator[Dialogue]:
        """Conversations about pictures."""
        return self._values("dialogues")

    def frames(self) -> Iterator[Frame]:
        """Who does what to whom."""
        return self._values("frames")

    def _values(self, kind: str) -> Iterator[Any]:
        if kind not in self.dataset.read:
            has = " and ".join(self.dataset.read)
            raise CounterpointError(f"{self.dataset.title} has no {kind}", hint=f"it has {has}")
        files = self.dataset.found(self.folder, self.split)
        self.skips = Skips()
        return sampled(self.dataset.read[kind](files, self.skips), self.most, self.seed)
