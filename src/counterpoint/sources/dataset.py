"""A data set on disk: the files of each split, and the values that are read from them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nsmallest
from itertools import chain
from os.path import isfile
from pathlib import Path
from typing import Any, TypeAlias

from counterpoint.core.errors import CounterpointError, SourceError, UnknownName
from counterpoint.core.ids import content_id
from counterpoint.core.items import Caption, Dialogue, Frame, GroundedQuestion, Question, ReadyGroup
from counterpoint.core.pictures import Picture
from counterpoint.core.scenes import Scene
from counterpoint.sources.item_spool import ItemSpool
from counterpoint.sources.reading.records import Skips, skip_repeated
from counterpoint.sources.sampling import SAMPLE_SIZE, sample_items, spool_sample

NO_SCENE = "a question about a picture whose scene is not there"
_REMEDY = "the other questions stay; are the scenes those of the same split?"
OWN = "own"
"""The split of files of one's own in the layout of a data set, which may have any name."""
_LOOKED_FOR = 100  # pictures of a data set, in a folder near its files
KINDS = ("scenes", "questions", "captions", "dialogues", "frames", "groups")
"""What a data set can be read as."""


@dataclass(frozen=True, slots=True)
class File:
    """An expected file: its part, its names in each split, the official one first, and its origin."""

    part: str
    names: Mapping[str, tuple[str, ...]]  # by split; a name may hold * and folders, and may be that of a folder
    origin: str
    needed: bool = True
    kinds: tuple[str, ...] = KINDS  # what is read from it
    together: bool = False  # it is one of several files in a folder, and its path is that of the folder


def split_names(splits: Iterable[str], *patterns: str) -> dict[str, tuple[str, ...]]:
    """The names of a file in each split, by patterns in which {} is the split.

    >>> split_names(("train", "val"), "{}.json", "{}*.json")
    {'train': ('train.json', 'train*.json'), 'val': ('val.json', 'val*.json')}
    """
    return {split: tuple(pattern.replace("{}", split) for pattern in patterns) for split in splits}


@dataclass(frozen=True, slots=True)
class SplitFiles:
    """The paths of the files of one split by part, and what people gave: columns by role, the folder of pictures."""

    split: str
    paths: Mapping[str, Path]
    columns: Mapping[str, str] = field(default_factory=dict)
    pictures: Path | None = None

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
"""A reader: every value in the files of a split; skipped records are counted."""


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set as the catalog describes it: files, readers, pictures, and the rules for its answers."""

    name: str  # as it stands in the catalog
    title: str
    files: tuple[File, ...]
    read: Mapping[str, ItemReader]  # by kind
    namespace: str  # of its picture addresses
    pictures: tuple[str, ...] = ("images", ".")  # folders that their paths are relative to, the likeliest first
    origin: str = ""  # where people get it and its pictures, by name
    rules: str = "exact"  # by which its answers are compared
    holds: tuple[str, ...] = ()  # folders that the folder of its pictures contains, at least one of them
    withheld: tuple[str, ...] = ()  # splits whose answers are not published
    exhaustive: str = ""  # what is annotated wherever it is visible, and so can be proved absent, in words
    part_of: Callable[[Path], str] | None = None  # the part that a file of any name is, by its content; empty if none

    @property
    def splits(self) -> tuple[str, ...]:
        """The parts into which it is divided, in the order of its files."""
        named = dict.fromkeys(split for file in self.files for split in file.names)
        return (*named, OWN) if self.part_of else tuple(named)

    def kind_splits(self, kind: str) -> tuple[str, ...]:
        """The splits that have anything of this kind."""
        files = [file for file in self.files if kind in file.kinds]
        return tuple(split for split in self.splits if split == OWN or any(split in file.names for file in files))

    def find_files(self, folder: Path, split: str, kind: str | None = None) -> SplitFiles:
        """The files of a split in a folder; raises a SourceError that names a missing file that the kind needs."""
        if split in self.withheld:
            raise SourceError(f"the answers to {split} of {self.title} are not published", hint=self._offered(kind))
        if split not in self.splits:
            raise UnknownName(f"split of {self.title}", split, self.splits)
        if kind is not None and split not in self.kind_splits(kind):
            raise SourceError(f"{split} of {self.title} has no {kind}", hint=self._offered(kind))
        if split == OWN:
            return self._find_own(folder, kind)
        there = [file for file in self.files if split in file.names and (kind is None or kind in file.kinds)]
        needed = [file for file in there if file.needed]
        if folder.is_file() and len(needed) == 1:
            return SplitFiles(split, {needed[0].part: folder})  # a single file of any name is the needed one
        paths = {file.part: path for file in self.files if (path := find_file(folder, file, split)) is not None}
        for file in needed:
            if file.part not in paths:
                fact = f"{folder} has no {file.names[split][0]}, the {file.part} of {self.title}"
                raise SourceError(
                    fact, hint=f"{file.origin} has it; counterpoint data {self.name} says what is expected"
                )
        return SplitFiles(split, paths)

    def own_files(self, folder: Path) -> dict[str, Path]:
        """The files of one's own by part: the file that was named and its sibling, or the first of each in a folder."""
        if self.part_of is None:
            return {}
        official = {
            name.rpartition("/")[2] for file in self.files for names in file.names.values() for name in names[:1]
        }
        paths = [folder, *_siblings(folder, [file.part for file in self.files])] if folder.is_file() else []
        paths = paths or sorted({*folder.glob("*.json"), *folder.glob("annotations/*.json")})
        found: dict[str, Path] = {}
        for path in paths:
            if path.name not in official and (part := self.part_of(path)):
                found.setdefault(part, path)
        return found

    def _find_own(self, folder: Path, kind: str | None) -> SplitFiles:
        paths = self.own_files(folder)
        wanted = (
            [file.part for file in self.files if kind in file.kinds] if kind else [file.part for file in self.files]
        )
        if not paths.keys() & set(wanted):
            fact = f"{folder} has no {' and no '.join(wanted)} in the layout of {self.title}"
            raise SourceError(fact, hint=f"counterpoint data {self.name} says what is expected")
        return SplitFiles(OWN, paths)

    def _offered(self, kind: str | None) -> str:
        return f"there are {', '.join(self.splits if kind is None else self.kind_splits(kind))}"

    def picture_root(self, folder: Path, pictures: Sequence[str] = ()) -> Path | None:
        """The folder of its pictures, if it is there; else the one near its files that has one of these pictures."""
        if self.holds:
            roots = (folder / name for name in (*self.pictures, "."))
            found = next((root for root in roots if any((root / name).is_dir() for name in self.holds)), None)
        else:
            found = next((folder / name for name in self.pictures if name != "." and (folder / name).is_dir()), None)
        near = picture_places(folder) if pictures and not found else ()
        return found or next((root for root in near if has_pictures(root, pictures)), None)


def picture_places(folder: Path) -> list[Path]:
    """Where pictures are looked for beside the files of a data set: their folder and the folders within.

    Of a folder of annotations, or a file in one, also the folder around it.
    """
    home = folder.parent if folder.is_file() else folder
    homes = [home.parent, home] if home.name == "annotations" else [home]
    within = (sorted(path for path in place.iterdir() if path.is_dir()) for place in homes if place.is_dir())
    return list(dict.fromkeys([*homes, *chain.from_iterable(within)]))


def has_pictures(root: Path, paths: Sequence[str]) -> bool:
    """Whether a folder has one of some pictures under its path, or under its name alone, as people unpack a data set.

    Of many a hundred are looked for.
    """
    from counterpoint.pictures.folders import picture_file  # Pillow, which lists of data sets do not need

    some = paths[:: len(paths) // _LOOKED_FOR + 1]
    return any(isfile(picture_file(root, root / path)) for path in some)


def _siblings(path: Path, parts: Iterable[str]) -> list[Path]:
    """The files beside one that differ from it in the name of the part: captions_mine.json by instances_mine.json."""
    names = [path.name.replace(own, other) for own in parts for other in parts if own in path.name and own != other]
    return [path.with_name(name) for name in names if path.with_name(name).is_file()]


def find_file(folder: Path, file: File, split: str) -> Path | None:
    """Where a file is: a file named outright, or the first in the folder that has one of its names.

    A loose name never takes what has the official name of another split.
    """
    official = {own: names[0].rpartition("/")[2] for own, names in file.names.items() if names}
    others = [name for own, name in official.items() if own != split]
    for name in file.names.get(split, ()):
        for pattern in dict.fromkeys((name, name.rpartition("/")[2])):  # people unpack with and without folders
            for path in [folder] if folder.is_file() else sorted(folder.glob(pattern)):
                fits = path.match(pattern)
                if fits and (path.match(official[split]) or not any(path.match(other) for other in others)):
                    inner = path / path.name  # some unpack each file into a folder of its name
                    if file.together and path != folder:
                        return path if path.is_dir() else path.parent
                    return inner if inner.is_file() else path
    return None


@dataclass(slots=True)
class Source:
    """A split of a data set on disk: its values, or a seeded sample of at most `limit` of each kind."""

    dataset: DataSet
    folder: Path
    split: str
    limit: int | None = SAMPLE_SIZE
    seed: int = 0
    skips: Skips = field(default_factory=Skips)
    counts: dict[str, int] = field(default_factory=dict)  # of all values of a kind that were read, sampled or not
    columns: Mapping[str, str] = field(default_factory=dict)  # by role, for files of one's own
    address: str = ""  # from which the folder was fetched
    pictures: Path | None = None  # their folder, where people named it

    def scenes(self) -> Iterator[Scene]:
        """What annotators saw in each picture."""
        return self._values("scenes")

    def questions(self) -> Iterator[Question]:
        """Questions with their right answers."""
        return self._values("questions")

    def grounded(self) -> "GroundedQuestions":
        """The sampled questions, each with its scene."""
        return GroundedQuestions(self)

    def captions(self) -> Iterator[Caption]:
        """Sentences that describe pictures."""
        return self._values("captions")

    def described(self) -> Iterator[Caption]:
        """The captions, each with the scene of its picture where it is annotated."""
        scenes = {scene.picture: scene for scene in replace(self, limit=None, skips=Skips(), counts={}).scenes()}
        for caption in self.captions():
            yield replace(caption, scene=scenes.get(caption.picture))

    def dialogues(self) -> Iterator[Dialogue]:
        """Conversations about pictures."""
        return self._values("dialogues")

    def frames(self) -> Iterator[Frame]:
        """Action frames: a verb and its roles."""
        return self._values("frames")

    def groups(self) -> Iterator[ReadyGroup]:
        """Groups that the authors of the data set paired themselves."""
        return self._values("groups")

    def spool(
        self, kind: str, through: Callable[[Iterable[Any]], Iterable[Any]], kept: ItemSpool[Any]
    ) -> ItemSpool[Any]:
        """What the method of this name yields, in `kept`; all values that are read pass `through` a generator."""
        values, on_repeated = self._read(kind)
        return spool_sample(through(values), self.limit, self.seed, on_repeated, kept)

    def _values(self, kind: str) -> Iterator[Any]:
        values, on_repeated = self._read(kind)
        return sample_items(values, self.limit, self.seed, on_repeated)

    def _read(self, kind: str) -> tuple[Iterator[Any], Callable[[Any], None]]:
        """All values of a kind, as they are read, and what counts one that has the id of another."""
        if kind not in self.dataset.read:
            has = " and ".join(self.dataset.read)
            raise CounterpointError(f"{self.dataset.title} has no {kind}", hint=f"it has {has}")
        self.skips = Skips()
        files = self.files(kind)
        parts = [file.part for file in self.dataset.files if kind in file.kinds]
        name = next((files.paths[part].name for part in parts if part in files.paths), self.folder.name)
        values = self._count(kind, self.dataset.read[kind](files, self.skips))
        return values, lambda item: skip_repeated(self.skips, f"{name}: {item.id}")

    def _count(self, kind: str, values: Iterable[Any]) -> Iterator[Any]:
        self.counts[kind] = 0
        for value in values:
            self.counts[kind] += 1
            yield value

    def files(self, kind: str | None = None) -> SplitFiles:
        """The files of the split from which values of this kind are read."""
        try:
            files = self.dataset.find_files(self.folder, self.split, kind)
            return replace(files, columns=self.columns, pictures=self.pictures)
        except SourceError as problem:
            fact = str(problem).replace(str(self.folder), self.address or str(self.folder))
            raise SourceError(fact, hint=problem.hint) from None


class GroundedQuestions:
    """The questions of a source with their scenes; each iteration reads the questions again.

    With a limit, the questions are those of a sample of this size, found without holding them. Skipped scenes, and
    questions without a scene, are counted with the skipped questions, anew in each pass, in the skips of `source`.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._scenes, self._questions = (replace(source, limit=None, skips=Skips(), counts={}) for _ in range(2))

    @cached_property
    def scenes(self) -> dict[str, Scene]:
        """Every scene by its id."""
        return {scene.id: scene for scene in self._scenes.scenes()}

    @cached_property
    def _largest(self) -> int | None:
        """The largest hash of the questions in the sample; none where all belong to it."""
        if (limit := self._source.limit) is None:
            return None
        smallest = nsmallest(limit + 1, map(self._hash, self._questions.questions()))
        return smallest[limit - 1] if len(smallest) > limit else None

    def _hash(self, question: Question) -> int:
        return content_id([self._source.seed, question.id])  # as in every sample

    def __iter__(self) -> Iterator[GroundedQuestion]:
        scenes, largest, questions = self.scenes, self._largest, self._questions.questions()
        skips = self._source.skips = self._questions.skips
        self._source.counts = self._questions.counts
        skips.include(self._scenes.skips)
        for question in questions:
            if largest is not None and self._hash(question) > largest:
                continue
            if question.scene in scenes:
                yield GroundedQuestion(question, scenes[question.scene])
            else:
                skips.skip(NO_SCENE, f"{question.id}: {question.scene or 'none is named'}", _REMEDY)


def items_about(source: Any, pictures: Collection[Picture]) -> Iterator[Question | Caption]:
    """All questions and captions of a source about these pictures, those outside its sample included.

    Captions are optional: where their file, or a column of them, is missing, there are none.
    """
    readers: list[Callable[[], Iterator[Any]]] = []
    if isinstance(source, Source):
        whole = replace(source, limit=None, skips=Skips(), counts={})
        has_questions = source.limit is not None and "questions" in source.dataset.read
        readers += [whole.questions] if has_questions else []
        readers += [whole.captions] if has_captions(source) else []
    elif hasattr(source, "captions"):
        readers.append(source.captions)
    for read in readers:
        yield from (item for item in read() if item.picture in pictures)


def has_captions(source: Source) -> bool:
    """Whether the files of captions are present."""
    if "captions" not in source.dataset.read:
        return False
    try:
        if parts := {file.part for file in source.dataset.files if "captions" in file.kinds}:
            return not parts.isdisjoint(source.files("captions").paths)
        return next(replace(source, limit=None, skips=Skips()).captions(), None) is not None
    except CounterpointError:
        return False
