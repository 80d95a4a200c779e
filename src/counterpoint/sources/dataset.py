"""A data set as people have it on disk: which files belong to each split, and what each is read as."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint.core.errors import CounterpointError, SourceError, UnknownName
from counterpoint.core.items import Caption, Dialogue, Frame, Question, ReadyGroup
from counterpoint.core.pictures import Picture
from counterpoint.core.scenes import Scene
from counterpoint.sources.grounding import GroundedQuestions
from counterpoint.sources.reading.skips import Skips, skip_repeated
from counterpoint.sources.sampling import MOST, sample_items

KINDS = ("scenes", "questions", "captions", "dialogues", "frames", "groups")
"""What a data set can be read as."""


@dataclass(frozen=True, slots=True)
class File:
    """One file that is expected: its part, its names in each split, the official one first, and where people get it."""

    part: str
    names: Mapping[str, tuple[str, ...]]  # by split; a name may hold * and folders, and may be that of a folder
    origin: str
    needed: bool = True
    kinds: tuple[str, ...] = KINDS  # what is read from it
    together: bool = False  # whatever lies beside it is part of it: its path is that of the folder

    def is_needed(self, split: str, kind: str | None = None) -> bool:
        """Whether nothing of this kind can be read from a split without it."""
        return self.needed and split in self.names and (kind is None or kind in self.kinds)


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The files of one split as they were found, by their part, and which column holds what, where people said so."""

    split: str
    paths: Mapping[str, Path]
    columns: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, part: str) -> Path:
        if part not in self.paths:
            raise SourceError(
                f"there is no file of {part} for {self.split}", hint="counterpoint data says what is expected"
            )
        return self.paths[part]

    def get(self, part: str) -> Path | None:
        """The file of this part, if there is one."""
        return self.paths.get(part)


ItemReader: TypeAlias = Callable[[SplitFiles, Skips], Iterator[Any]]
"""A reader: every value in the files of a split; what is left out is counted."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """What is known of a data set before any of its files is opened."""

    name: str  # as it stands in the catalog
    title: str
    files: tuple[File, ...]
    read: Mapping[str, ItemReader]  # by kind
    namespace: str  # of its picture addresses
    pictures: tuple[str, ...] = ("images", ".")  # folders against which their paths are resolved, the likeliest first
    origin: str = ""  # where people get it and its pictures, by name
    rules: str = "exact"  # by which its answers are compared
    holds: tuple[str, ...] = ()  # folders of which one stands in the folder of its pictures, where paths name them
    withheld: tuple[str, ...] = ()  # splits whose answers its makers keep to themselves
    exhaustive: str = ""  # what is annotated wherever it is seen, so that it can be proved absent, in words

    @property
    def splits(self) -> tuple[str, ...]:
        """The parts into which it is divided, in the order of its files."""
        return tuple(dict.fromkeys(split for file in self.files for split in file.names))

    def kind_splits(self, kind: str) -> tuple[str, ...]:
        """The splits that have anything of this kind."""
        return tuple(
            split for split in self.splits if any(split in file.names and kind in file.kinds for file in self.files)
        )

    def found(self, folder: Path, split: str, kind: str | None = None) -> SplitFiles:
        """The files of a split in a folder; one that is missing, and needed for the kind, is an error that names it."""
        if split in self.withheld:
            raise SourceError(f"the answers to {split} of {self.title} are not given out", hint=self._offered(kind))
        if split not in self.splits:
            raise UnknownName(f"split of {self.title}", split, self.splits)
        if kind is not None and split not in self.kind_splits(kind):
            raise SourceError(f"{split} of {self.title} has no {kind}", hint=self._offered(kind))
        needed = [file for file in self.files if file.is_needed(split, kind)]
        if folder.is_file() and len(needed) == 1:
            return SplitFiles(split, {needed[0].part: folder})  # whatever its name, it can be nothing else
        paths = {file.part: path for file in self.files if (path := find_file(folder, file, split)) is not None}
        for file in needed:
            if file.part not in paths:
                fact = f"{folder} has no {file.names[split][0]}, the {file.part} of {self.title}"
                raise SourceError(
                    fact, hint=f"{file.origin} has it; counterpoint data {self.name} says what is expected"
                )
        return SplitFiles(split, paths)

    def _offered(self, kind: str | None) -> str:
        return f"there are {', '.join(self.splits if kind is None else self.kind_splits(kind))}"

    def picture_root(self, folder: Path) -> Path | None:
        """The folder of its pictures, if it is there."""
        if self.holds:
            roots = (folder / one for one in (*self.pictures, "."))
            return next((root for root in roots if any((root / one).is_dir() for one in self.holds)), None)
        return next((folder / one for one in self.pictures if one != "." and (folder / one).is_dir()), None)


def find_file(folder: Path, file: File, split: str) -> Path | None:
    """Where a file is: a file named outright, or the first in the folder that has one of its names.

    A loose name never takes what has the official name of another split.
    """
    others = [_base(names[0]) for other, names in file.names.items() if other != split and names]
    official = [_base(name) for name in file.names.get(split, ())[:1]]
    for name in file.names.get(split, ()):
        for pattern in dict.fromkeys((name, _base(name))):  # people unpack with and without folders
            for path in [folder] if folder.is_file() else sorted(folder.glob(pattern)):
                fits = path.match(pattern)
                if fits and (path.match(official[0]) or not any(path.match(other) for other in others)):
                    inner = path / path.name  # some unpack each file into a folder of its name
                    if file.together and path != folder:
                        return path if path.is_dir() else path.parent
                    return inner if inner.is_file() else path
    return None


def _base(name: str) -> str:
    return name.rpartition("/")[2]


@dataclass(slots=True)
class Source:
    """A split of a data set, opened: its values, at most so many of each kind, drawn by a seed."""

    dataset: DataSet
    folder: Path
    split: str
    most: int | None = MOST
    seed: int = 0
    skips: Skips = field(default_factory=Skips)
    columns: Mapping[str, str] = field(default_factory=dict)  # by role, for files of one's own

    def scenes(self) -> Iterator[Scene]:
        """What annotators saw in each picture."""
        return self._values("scenes")

    def questions(self) -> Iterator[Question]:
        """Questions with their right answers."""
        return self._values("questions")

    def grounded(self) -> GroundedQuestions:
        """At most so many questions, each with its scene."""
        scenes, questions = (replace(self, most=None, skips=Skips()) for _ in range(2))
        return GroundedQuestions(scenes, questions, self, self.most, self.seed)

    def captions(self) -> Iterator[Caption]:
        """Sentences that describe pictures."""
        return self._values("captions")

    def described(self) -> Iterator[Caption]:
        """The same sentences, each with the scene of its picture, where there is one."""
        scenes = {scene.picture: scene for scene in replace(self, most=None, skips=Skips()).scenes()}
        for one in self.captions():
            yield replace(one, scene=scenes.get(one.picture))

    def dialogues(self) -> Iterator[Dialogue]:
        """Conversations about pictures."""
        return self._values("dialogues")

    def frames(self) -> Iterator[Frame]:
        """Who does what to whom."""
        return self._values("frames")

    def groups(self) -> Iterator[ReadyGroup]:
        """Questions that its makers paired themselves."""
        return self._values("groups")

    def _values(self, kind: str) -> Iterator[Any]:
        if kind not in self.dataset.read:
            has = " and ".join(self.dataset.read)
            raise CounterpointError(f"{self.dataset.title} has no {kind}", hint=f"it has {has}")
        self.skips = Skips()
        files = self.files(kind)
        parts = [file.part for file in self.dataset.files if kind in file.kinds]
        name = next((files.paths[part].name for part in parts if part in files.paths), self.folder.name)
        values = self.dataset.read[kind](files, self.skips)
        return sample_items(values, self.most, self.seed, lambda one: skip_repeated(self.skips, f"{name}: {one.id}"))

    def files(self, kind: str | None = None) -> SplitFiles:
        """The files of the split from which values of this kind are read."""
        return replace(self.dataset.found(self.folder, self.split, kind), columns=self.columns)


def items_about(source: Any, pictures: Collection[Picture]) -> Iterator[Question | Caption]:
    """Everything that a source tells of some pictures in questions and captions, as far as it has these.

    A sample leaves most questions about its pictures out; here they are. Captions are optional: where their file, or a
    column of them, is missing, there are none.
    """
    if isinstance(source, Source):
        whole = replace(source, most=None, skips=Skips())
        if source.most is not None:
            yield from _about(whole.questions(), pictures)
        if has_captions(source):
            yield from _about(whole.captions(), pictures)
    elif hasattr(source, "captions"):
        yield from _about(source.captions(), pictures)


def has_captions(source: Source) -> bool:
    """Whether captions can be read from what is there."""
    if "captions" not in source.dataset.read:
        return False
    try:
        if parts := {file.part for file in source.dataset.files if "captions" in file.kinds}:
            return not parts.isdisjoint(source.files("captions").paths)
        return next(replace(source, most=None, skips=Skips()).captions(), None) is not None
    except CounterpointError:
        return False


def _about(items: Iterator[Any], pictures: Collection[Picture]) -> Iterator[Any]:
    return (item for item in items if item.picture in pictures)
