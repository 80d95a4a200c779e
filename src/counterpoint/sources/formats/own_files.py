"""Files of your own: a row a question or caption, in JSON, CSV or Parquet, with pictures inside or beside."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from os.path import isfile
from pathlib import Path
from posixpath import dirname, normpath
from typing import Any, TypeAlias

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Caption, Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, SplitFiles
from counterpoint.sources.reading.cells import (
    UNPACKED,
    choices_of,
    parse_answers,
    picture_address,
    picture_bytes,
    text_of,
    texts_of,
)
from counterpoint.sources.reading.columns import CAPTIONS, QUESTIONS, ColumnFinder, describe_columns
from counterpoint.sources.reading.records import Record, Skips, short_repr
from counterpoint.sources.reading.tables import ENDINGS, ColumnTest, read_rows

SAME_SPLIT = (("val", "validation", "valid", "dev"), ("test", "testing", "eval"), ("train", "training"))
"""Names that people give to one split."""
_ADDRESS = re.compile(r"[a-z][a-z0-9_-]+:(?!//)[^\\]+")
_LONGEST = 255  # bytes of a name in a path, as systems have it
_WEB = re.compile(r"[a-z]+://", re.IGNORECASE)
DATA = "data"
"""The part under which the file or folder stands that was named."""
REWORDING_COLUMNS = ("id", "text")
"""The columns of a file with questions of a source in other words, such as back-translations."""
_CAPTION_FOR_SCORE = "a sentence to be scored, which is no question"

Rows: TypeAlias = Callable[[SplitFiles, Skips, ColumnTest], Iterator[tuple[str, Record]]]
"""Every row in the files of a split, with the folder within the data to which the paths of its pictures belong."""


@dataclass(frozen=True, slots=True)
class OwnFiles(DataSet):
    """A source of one's own files, whose rows are located when they are read."""

    rows: Rows = lambda files, skips, fits: iter(())

    def find_files(self, folder: Path, split: str, kind: str | None = None) -> SplitFiles:
        """The file or folder that was named, for a split of any name."""
        return SplitFiles(split, {DATA: folder})

    def root_of(self, folder: Path, path: str) -> Path:
        """The folder that the path of a picture is relative to: the one that has it, else that of the data."""
        home = folder.parent if folder.is_file() else folder
        roots = (home, *(home / name for name in self.pictures))
        return next((root for root in roots if isfile(root / path)), home)

    def unpacked(self, files: SplitFiles, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The pictures at these addresses that lie within rows, each once, with their bytes."""
        left = {address for address in wanted if address.startswith(f"{UNPACKED}:")}
        finders = [ColumnFinder(layout, files.columns) for layout in (QUESTIONS, CAPTIONS)]
        rows = self.rows(files, Skips(), lambda names: any(finder.is_complete(names) for finder in finders))
        while left and (row := next(rows, None)):
            record = row[1]
            content = picture_bytes(finders[0].value(record.content, "picture", record.place))  # also that of captions
            if content and (name := picture_address(content)) in left:
                left.discard(name)
                yield name, content


def find_split_file(folder: Path, split: str) -> dict[str, Path]:
    """The given file, or the file in a folder that is named after the split, or its only file."""
    if not folder.is_dir():
        return {folder.name: folder}
    paths = sorted(path for path in folder.iterdir() if path.suffix in ENDINGS and path.is_file())
    for name in split_synonyms(split):
        if matching := [path for path in paths if path.stem == name]:
            return {matching[0].name: matching[0]}
    if len(paths) == 1:
        return {paths[0].name: paths[0]}
    names = ", ".join(path.name for path in paths[:8]) or "no file that ends in " + ", ".join(ENDINGS)
    raise SourceError(f"{folder} has no file of {split}: it has {names}", hint="name the file: --data FILE")


def split_synonyms(split: str) -> tuple[str, ...]:
    """Every name that a split may have, its own first."""
    return (split, *(name for names in SAME_SPLIT if split in names for name in names if name != split))


def rows_of(
    paths: Mapping[str, Path], files: SplitFiles, skips: Skips, fits: ColumnTest
) -> Iterator[tuple[str, Record]]:
    """The rows of each file; pictures beside a file `metadata.*` are in its folder, others where their paths say."""
    for name, path in paths.items():
        folder = dirname(name) if path.stem == "metadata" else ""
        for record in read_rows(path, skips, fits, files.columns.get("list", "")):
            yield folder, record


def questions(files: SplitFiles, skips: Skips, *, rows: Rows, namespace: str) -> Iterator[Question]:
    """Every row with a question and its right answer."""
    columns = ColumnFinder(QUESTIONS, files.columns)
    space = files.columns.get("namespace", namespace)
    for number, (folder, record) in enumerate(_of_split(files, skips, rows, columns)):
        with skips:
            if record.content.get("mode") == "score":
                skips.skip(_CAPTION_FOR_SCORE, record.place, "read it as captions")
                continue
            yield _question(number, record, columns, partial(_picture, space=space, folder=folder))


def _question(
    number: int, record: Record, columns: ColumnFinder, picture: Callable[[Record, Any], Picture]
) -> Question:
    value = partial(columns.value, record.content, place=record.place)
    text = text_of(value("question"))
    if not text:
        raise SourceError(f"{record.place} has no question", hint="--columns question=… names its column")
    choices = choices_of(value("choices"), record.content)
    votes = value("votes")
    right = parse_answers(value("answer") if votes is None else votes, choices, votes=votes is not None)
    if right is None:
        raise SourceError(f"{record.place} has no answer", hint="--columns answer=… names its column")
    return Question(
        text_of(value("id")) or str(number),
        picture(record, value("picture")),
        text,
        right.gold,
        kind=text_of(value("kind")),
        votes=right.votes,
        choices=choices,
        context=text_of(value("context")),
    )


def captions(files: SplitFiles, skips: Skips, *, rows: Rows, namespace: str) -> Iterator[Caption]:
    """Every sentence about a picture; where a row has several, each with the foil in the same place."""
    columns = ColumnFinder(CAPTIONS, files.columns)
    space = files.columns.get("namespace", namespace)
    for number, (folder, record) in enumerate(_of_split(files, skips, rows, columns)):
        with skips:
            yield from _captions(number, record, columns, partial(_picture, space=space, folder=folder))


def _captions(
    number: int, record: Record, columns: ColumnFinder, picture: Callable[[Record, Any], Picture]
) -> Iterator[Caption]:
    value = partial(columns.value, record.content, place=record.place)
    captions, foils = texts_of(value("caption")), texts_of(value("foil"))
    if not captions:
        raise SourceError(f"{record.place} has no caption", hint="--columns caption=… names its column")
    row_picture, own = picture(record, value("picture")), text_of(value("id")) or str(number)
    words = text_of(value("word")), text_of(value("foil_word"))
    for place, text in enumerate(captions):
        foil = foils[place] if place < len(foils) else ""
        yield Caption(f"{own}-{place}" if len(captions) > 1 else own, row_picture, text, foil, *words)


def _picture(record: Record, value: Any, *, space: str, folder: str) -> Picture:
    """The picture of a row: embedded, at a path, or at an address as in exported suites."""
    if content := picture_bytes(value):
        return Picture(picture_address(content))
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
    path = normpath(f"{folder}/{path}" if folder else path)
    if path.startswith(("/", "../")):
        raise SourceError(f"{record.place}: {short_repr(path)} leads out of the folder", hint="name paths within it")
    return Picture(f"{space}:{path}")


def _of_split(files: SplitFiles, skips: Skips, rows: Rows, columns: ColumnFinder) -> Iterator[tuple[str, Record]]:
    """The rows of a split, by their split column if they have one; raises a SourceError if none can be read."""
    wanted, others, fitting, count = set(split_synonyms(files.split)), set[str](), False, 0
    first: Record | None = None
    for folder, record in rows(files, skips, columns.is_complete):
        names = tuple(record.content)
        first, fitting = first or record, fitting or columns.is_complete(names)
        split = text_of(columns.value(record.content, "split", record.place))
        if not split or split in wanted:
            count += 1
            yield folder, record
        elif len(others) < 8:
            others.add(split)
    file = first.place.partition(",")[0] if first else files[DATA].name
    if first and not fitting:
        kind = "questions" if columns.layout is QUESTIONS else "captions"
        wanted_columns = describe_columns(columns.given) or kind
        first_columns = ", ".join(first.content)[:200]
        fact = f"{file}: no row has columns for {wanted_columns}; the first has {first_columns or 'none'}"
        raise SourceError(fact, hint="say which columns hold what: --columns question=…,answer=…,image=…")
    if others and not count:
        raise SourceError(f"{file} has no row of {files.split}", hint=f"there are {', '.join(sorted(others))}")


def read_rewordings(path: Path, skips: Skips) -> Mapping[str, tuple[str, ...]]:
    """The texts for each id, in their order; rows without id or text are skipped and counted."""
    texts_of_id: dict[str, list[str]] = {}
    for record in read_rows(path, skips, lambda names: set(REWORDING_COLUMNS) <= set(names)):
        missing = [name for name in REWORDING_COLUMNS if name not in record.content]
        if missing:
            fact = f"{path.name} has no column {missing[0]!r}; it has {', '.join(record.content)[:200]}"
            raise SourceError(fact, hint="its columns should be id and text")
        key, text = (text_of(record.content[name]) for name in REWORDING_COLUMNS)
        if key and text:
            texts_of_id.setdefault(key, []).append(text)
        else:
            skips.skip("a row without an id or a text", record.place)
    return {key: tuple(texts) for key, texts in texts_of_id.items()}


def own_files(name: str, title: str, rows: Rows) -> OwnFiles:
    """A source of questions and captions with this reader of rows."""
    read = {"questions": partial(questions, rows=rows, namespace=name)}
    return OwnFiles(
        name=name,
        title=title,
        files=(),
        read=read | {"captions": partial(captions, rows=rows, namespace=name)},
        namespace=name,
        pictures=("images", "data"),
        origin="yourself",
        rows=rows,
    )


plain = own_files(
    "plain",
    "a plain file",
    lambda files, skips, fits: rows_of(find_split_file(files[DATA], files.split), files, skips, fits),
)
