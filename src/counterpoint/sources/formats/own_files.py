"""Files of your own: rows of questions, captions or groups in JSON, CSV, XLSX or Parquet, with pictures or paths."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Caption, Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, SplitFiles, has_pictures
from counterpoint.sources.formats.own_groups import groups
from counterpoint.sources.formats.own_rows import (
    DATA,
    PictureReader,
    RowReader,
    find_split_file,
    rows_of,
    rows_of_split,
)
from counterpoint.sources.reading.cells import (
    UNPACKED,
    choices_of,
    is_letter,
    names_other_picture,
    parse_answers,
    parse_truth,
    picture_address,
    picture_bytes,
    split_options,
    text_of,
    texts_of,
    without_picture_mark,
)
from counterpoint.sources.reading.choice_positions import ChoicePositions, OfferedAnswers
from counterpoint.sources.reading.columns import CAPTIONS, FILE, GROUPS, QUESTIONS, ColumnFinder
from counterpoint.sources.reading.records import Record, Skips, short_repr
from counterpoint.sources.reading.tables import read_rows

REWORDING_COLUMNS = ("id", "text")
"""The columns of a file with questions of a source in other words, such as back-translations."""
_COUNTED = "a letter counts from A, a number from 0, or in all rows from 1; --columns choices=… names their column"
_CAPTION_FOR_SCORE = "a sentence to be scored, which is no question"


@dataclass(frozen=True, slots=True)
class OwnFiles(DataSet):
    """A source of one's own files, whose rows are located when they are read."""

    rows: RowReader = lambda files, skips, fits: iter(())

    def find_files(self, folder: Path, split: str, kind: str | None = None) -> SplitFiles:
        """The file or folder that was named, for a split of any name."""
        return SplitFiles(split, {DATA: folder})

    def root_of(self, folder: Path, paths: Sequence[str]) -> Path:
        """The folder that paths of pictures are relative to: the one that has one of them, else that of the data."""
        home = folder.parent if folder.is_file() else folder
        roots = (home, *(home / name for name in self.pictures))
        return next((root for root in roots if has_pictures(root, paths)), home)

    def unpacked(self, files: SplitFiles, wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The pictures at these addresses that lie within rows, each once, with their bytes."""
        left = {address for address in wanted if address.startswith(f"{UNPACKED}:")}
        finder = ColumnFinder(GROUPS, files.columns)
        rows = self.rows(files, Skips(), finder.is_complete)
        while left and (row := next(rows, None)):
            record = row[1]
            for content in map(picture_bytes, finder.values(record.content, "picture", record.place)):
                if content and (name := picture_address(content)) in left:
                    left.discard(name)
                    yield name, content


def questions(files: SplitFiles, skips: Skips, *, rows: RowReader, namespace: str) -> Iterator[Question]:
    """Every row with a question and its right answer."""
    columns = ColumnFinder(QUESTIONS, files.columns)
    pictures = PictureReader.of(files, namespace)
    positions = ChoicePositions(files[DATA].name, partial(_offered_answers, files, rows, columns))
    for number, (folder, record) in enumerate(rows_of_split(files, skips, rows, columns)):
        with skips:
            if record.content.get("mode") == "score":
                skips.skip(_CAPTION_FOR_SCORE, record.place, "read it as captions")
                continue
            yield _question(number, record, columns, partial(pictures.read, folder=folder), positions)


def _offered_answers(files: SplitFiles, rows: RowReader, columns: ColumnFinder) -> OfferedAnswers:
    """The right answer of each row with its choices."""
    skips = Skips()
    for _, record in rows_of_split(files, skips, rows, columns):
        with skips:
            value = partial(columns.value, record.content, place=record.place)
            votes = value("votes")
            yield value("answer") if votes is None else votes, choices_of(value("choices"), record.content)


def _question(
    number: int,
    record: Record,
    columns: ColumnFinder,
    picture: Callable[[Record, Any], Picture],
    positions: ChoicePositions,
) -> Question:
    value = partial(columns.value, record.content, place=record.place)
    text = without_picture_mark(text_of(value("question")))
    if not text:
        raise SourceError(f"{record.place} has no question", hint="--columns question=… names its column")
    choices = choices_of(value("choices"), record.content)
    if names_other_picture((text, *choices)):
        raise SourceError(f"{record.place} names a second picture", hint="a question is about one")
    votes = value("votes")
    right = parse_truth(value("truth"))
    cell = value("answer") if votes is None else votes
    if not choices and is_letter(cell):
        text, choices = split_options(text)
    right = right or parse_answers(cell, choices, votes=votes is not None, first=positions.first(cell, choices))
    if right is None and text_of(cell) and choices:
        fact = f"{record.place}: the answer {short_repr(text_of(cell))} is none of {len(choices)} choices"
        raise SourceError(fact, hint=_COUNTED)
    if right is None:
        raise SourceError(f"{record.place} has no answer", hint="--columns answer=… names its column")
    own = text_of(value("id")) or str(number)
    return Question(
        f"{record.content[FILE]}/{own}" if FILE in record.content else own,
        picture(record, value("picture")),
        text,
        right.gold,
        kind=text_of(value("kind")),
        votes=right.votes,
        choices=choices,
        context=text_of(value("context")),
        tags=columns.tags(record.content, record.place),
    )


def captions(files: SplitFiles, skips: Skips, *, rows: RowReader, namespace: str) -> Iterator[Caption]:
    """Every sentence about a picture; where a row has several, each with the foil in the same place."""
    columns = ColumnFinder(CAPTIONS, files.columns)
    pictures = PictureReader.of(files, namespace)
    for number, (folder, record) in enumerate(rows_of_split(files, skips, rows, columns)):
        with skips:
            yield from _captions(number, record, columns, partial(pictures.read, folder=folder))


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


def own_files(name: str, title: str, rows: RowReader) -> OwnFiles:
    """A source of questions, captions and groups with this reader of rows."""
    readers = {"questions": questions, "captions": captions, "groups": groups}
    return OwnFiles(
        name=name,
        title=title,
        files=(),
        read={kind: partial(reader, rows=rows, namespace=name) for kind, reader in readers.items()},
        namespace=name,
        pictures=("images", "data"),
        origin="yourself",
        rows=rows,
    )


plain = own_files(
    "plain",
    "a plain file",
    lambda files, skips, fits: rows_of(find_split_file(files), files, skips, fits),
)
