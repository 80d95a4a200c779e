"""The layout of VQA, which many data sets share: a file of questions, and one of annotations with ten answers each."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from sys import intern
from typing import NamedTuple, TypeVar

from msgspec import Struct
from msgspec.json import Decoder

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.sources.bulk_values import decoded, quick
from counterpoint.sources.dataset import Files
from counterpoint.sources.joining import Beside
from counterpoint.sources.json_text import Json, Portion
from counterpoint.sources.records import Record, elements, first_sign, portions
from counterpoint.sources.skips import Skips, repeated

NAMESPACE = "coco"
FOLDERS = ("train2014", "val2014", "test2015")
"""Of COCO's pictures, as VQA knows them."""
UNANSWERED = "a question without an annotation"
UNASKED = "an annotation without a question"
EMPTY = "a question without words"
BLIND = "a question without a picture"
_REMEDIES = {
    UNANSWERED: "take both files from one split of one release",
    UNASKED: "take both files from one split of one release",
    EMPTY: "nothing can be asked; some releases have a few",
    BLIND: "the name or number of one should stand with it",
}
T = TypeVar("T")
_WORD = re.compile(r"\w")
_NAME = re.compile(r"[^/\\\0]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """In what the data sets of this layout differ."""

    folder: str = ""  # of the pictures; where none is named, each question names its own as coco_split
    shared_ids: bool = False  # one id may be that of two questions, about different pictures


class Annotation(NamedTuple):
    """What is kept of an annotation until its question comes."""

    kind: str = ""
    answer_type: str = ""
    votes: tuple[str, ...] = ()
    chosen: str = ""  # the one answer that some copies have in place of all

    @property
    def gold(self) -> Gold:
        """The right answers, each with what it earns by the official program."""
        return gold(self.votes) if self.votes else Gold.of(*filter(None, [self.chosen]))


_UNKNOWN = Annotation()
_QUICK = quick(Question)


def questions(files: Files, skips: Skips, layout: Layout) -> Iterator[Question]:
    """Every question of a split, joined with its annotation by id, whatever the order of the two files.

    Its kind is the question type, its votes are what each annotator said, and its gold is what VQA's program makes of
    them. Where a split has no annotations, as that of a test, no right answer is known.
    """
    told, one = files.get("annotations"), f"{files['questions'].name}, question"
    beside = Beside(_annotations(told, skips, layout)) if told else None
    usual = partial(_usual_questions, layout=layout)
    for key, number, asked in _read(files["questions"], "questions", one, skips, layout, usual):
        found = beside.take(key) if beside else _UNKNOWN
        if found is None:
            leave_out(skips, UNANSWERED, f"{one} {number}: {key}")
            continue
        try:
            if isinstance(asked, _Asked):
                yield _plain(asked, found, layout)
            elif reason := amiss(asked.text("question", ""), asked.text("image_id", "")):
                leave_out(skips, reason, f"{asked.place}: {key}")
            else:
                yield _question(asked, found, layout)
        except SourceError as problem:
            skips.problem(problem)
    if told and beside:
        for key in beside.left():
            leave_out(skips, UNASKED, f"{told.name}: {key}")


def leave_out(skips: Skips, reason: str, place: str) -> None:
    """Count what is left out for one of the reasons above, with what helps."""
    skips.skip(reason, place, _REMEDIES[reason])


def amiss(text: str, image: str) -> str:
    """Why a question cannot be asked: it has no words, or no picture."""
    if not _WORD.search(text):
        return EMPTY
    return "" if image and not image.isspace() else BLIND


def votes(record: Record) -> tuple[str, ...]:
    """What each annotator said: a list of records with an answer, or of texts; a number is taken as its digits."""
    listed = record.list("answers")
    try:
        return tuple([intern(one["answer"]) for one in listed])
    except (TypeError, KeyError):  # not texts in records, as nearly all are
        said = [one.get("answer") if type(one) is dict else one for one in listed]
    if not all(type(one) in (str, int) for one in said):
        raise record.wrong("answers", "a list of answers")
    return tuple([intern(str(one)) for one in said])


@lru_cache(1 << 14)
def gold(said: tuple[str, ...]) -> Gold:
    """The right answers, each with what it earns by VQA's program.

    >>> gold(("red",) * 8 + ("pink",) * 2).answers
    (('red', 1.0), ('pink', 0.6))
    """
    return rule_set("vqa").gold(said)


@lru_cache(1 << 13)
def coco_picture(image: str, folder: str) -> Picture | None:
    """The picture of this number as COCO names its file; none if it is no such number.

    >>> coco_picture("262148", "val2014")
    Picture('coco:val2014/COCO_val2014_000000262148.jpg')
    """
    if not (image.isascii() and image.isdecimal() and len(image) <= 12):
        return None
    return Picture(f"{NAMESPACE}:{folder}/COCO_{folder}_{image:0>12}.jpg")


def is_name(text: str) -> bool:
    """Whether a text can be the name of a file, and leads to no other folder."""
    return _NAME.fullmatch(text) is not None


def listed(path: Path, name: str) -> Iterator[Json]:
    """The records under a name, or those of a file that is nothing but their list."""
    return elements(path) if first_sign(path) == b"[" else elements(path, name)


def _annotations(path: Path, skips: Skips, layout: Layout) -> Iterator[tuple[str, Annotation]]:
    one = f"{path.name}, annotation"
    usual = partial(_usual_annotations, layout=layout)
    for key, _, found in _read(path, "annotations", one, skips, layout, usual):
        if isinstance(found, Annotation):
            yield key, found
            continue
        try:
            said = votes(found)
            chosen = "" if said else found.word("multiple_choice_answer")
            kind, answer_type = found.text("question_type", ""), found.text("answer_type", "")
            yield key, Annotation(intern(kind), intern(answer_type), said, chosen)
        except SourceError as problem:
            skips.problem(problem)


def _read(
    path: Path,
    name: str,
    one: str,
    skips: Skips,
    layout: Layout,
    usual: Callable[[str], list[tuple[str, T]] | None],
) -> Iterator[tuple[str, int, T | Record]]:
    """The records under a name, most of them in their usual form and read many at once; the first that has a key."""
    within, seen = "" if first_sign(path) == b"[" else name, set[str]()
    for first, found in portions(path, within, "[", usual):
        read: Iterable[tuple[str, T | Record]] = (
            found if isinstance(found, Portion) else _keyed(found, one, first, skips, layout)
        )
        for number, (key, made) in enumerate(read, first):
            if key in seen:
                repeated(skips, f"{one} {number}: {key}")
            else:
                seen.add(key)
                yield key, number, made


def _keyed(content: Json, one: str, number: int, skips: Skips, layout: Layout) -> Iterator[tuple[str, Record]]:
    """A record with its key, unless it has none."""
    try:
        record = Record(content, one, number)
        key = record.word("question_id")
        if layout.shared_ids:
            key = f"{key} about picture {record.text('image_id', '')}"
    except SourceError as problem:
        skips.problem(problem)
    else:
        yield key, record


class _Asked(Struct, frozen=True, gc=False):
    """A question as nearly all of them are."""

    question_id: int | str
    question: str
    image_id: int | str
    coco_split: str = ""
    rephrasing_of: int | str = ""


class _Vote(Struct, frozen=True, gc=False):
    answer: str


class _Annotated(Struct, frozen=True, gc=False):
    """An annotation as nearly all of them are."""

    question_id: int | str
    answers: list[_Vote]
    question_type: str = ""
    answer_type: str = ""
    image_id: int | str = ""


def _usual_annotations(text: str, layout: Layout) -> list[tuple[str, Annotation]] | None:
    """The annotations in a piece of the file, if all are as they should be."""
    found = decoded(_decoder(_Annotated), text)
    if found is None or not all(one.answers and _told(one.question_id) for one in found):
        return None
    return [
        (
            _key(one, layout),
            Annotation(
                intern(one.question_type), intern(one.answer_type), tuple([intern(vote.answer) for vote in one.answers])
            ),
        )
        for one in found
    ]


def _usual_questions(text: str, layout: Layout) -> list[tuple[str, _Asked]] | None:
    """The same of questions."""
    found = decoded(_decoder(_Asked), text)
    for one in found or ():
        folder, image = layout.folder or one.coco_split, str(one.image_id)
        usual = folder in FOLDERS and _told(one.question_id) and not amiss(one.question, image)
        if not usual or coco_picture(image, folder) is None:
            return None
    return None if found is None else [(_key(one, layout), one) for one in found]


def _told(number: int | str) -> bool:
    return type(number) is int or bool(str(number).strip())


def _key(one: "_Asked | _Annotated", layout: Layout) -> str:
    return f"{one.question_id} about picture {one.image_id}" if layout.shared_ids else str(one.question_id)


@cache
def _decoder(of: type[T]) -> Decoder[list[T]]:
    return Decoder(list[of])  # type: ignore[valid-type]


def _plain(asked: _Asked, found: Annotation, layout: Layout) -> Question:
    """What `_question` makes of the same record."""
    image = str(asked.image_id)
    picture = coco_picture(image, layout.folder or asked.coco_split)
    assert picture is not None, "it is usual to name a picture"
    return _QUICK(
        str(asked.question_id),
        picture,
        asked.question,
        found.gold,
        kind=found.kind,
        scene=image.lstrip("0") or "0",
        votes=found.votes,
        same_as=str(asked.rephrasing_of),
        tags=_tags(found.answer_type),
    )


def _question(record: Record, found: Annotation, layout: Layout) -> Question:
    image, folder = record.text("image_id", ""), layout.folder or record.text("coco_split")
    picture = coco_picture(image, folder)
    if picture is None:
        raise record.wrong("image_id", "the number of a picture")
    if folder not in FOLDERS:
        raise record.wrong("coco_split", " or ".join(FOLDERS))
    return Question(
        record.text("question_id"),
        picture,
        record.text("question", ""),
        found.gold,
        kind=found.kind,
        scene=image.lstrip("0") or "0",
        votes=found.votes,
        same_as=record.text("rephrasing_of", ""),
        tags=_tags(found.answer_type),
    )


@cache
def _tags(answer_type: str) -> tuple[tuple[str, str], ...]:
    return (("answer_type", answer_type),) if answer_type else ()
