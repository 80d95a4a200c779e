"""The layout of VQA, which many data sets share: a file of questions, and one of annotations with ten answers each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from sys import intern
from typing import NamedTuple, TypeVar

from msgspec import Struct

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.sources.dataset import SplitFiles
from counterpoint.sources.reading.json_files import KeyedJoin, decoded_elements, first_sign
from counterpoint.sources.reading.records import Skips, skip_repeated

NAMESPACE = "coco"
FOLDERS = ("train2014", "val2014", "test2015")
"""The folders of COCO's pictures that VQA uses."""
UNANSWERED = "a question without an annotation"
UNASKED = "an annotation without a question"
NO_WORDS = "a question without words"
NO_PICTURE = "a question without a picture"
_REMEDIES = {
    UNANSWERED: "take both files from one split of one release",
    UNASKED: "take both files from one split of one release",
    NO_WORDS: "nothing can be asked; some releases have a few",
    NO_PICTURE: "the record should have its name or number",
}
_WORD = re.compile(r"\w")
_NAME = re.compile(r"[^/\\\0]+")


@dataclass(frozen=True, slots=True)
class VqaLayout:
    """In what the data sets of this layout differ."""

    folder: str = ""  # of the pictures; where it is empty, each question names its own as coco_split
    shared_ids: bool = False  # one id may be that of two questions, about different pictures


class VqaQuestion(Struct, frozen=True, gc=False):
    """A question as the file has it."""

    question_id: int | str
    question: str | int | None = None
    image_id: int | str | None = None
    coco_split: str | None = None
    rephrasing_of: int | str | None = None


class AnnotatorAnswer(Struct, frozen=True, gc=False):
    """What one annotator answered."""

    answer: str | int


class VqaAnnotation(Struct, frozen=True, gc=False):
    """An annotation as the file has it; some copies have the chosen answer in place of all."""

    question_id: int | str
    answers: list[AnnotatorAnswer | str | int] | None = None
    question_type: str | int | None = None
    answer_type: str | int | None = None
    image_id: int | str | None = None
    multiple_choice_answer: str | int | None = None


_Record = TypeVar("_Record", VqaQuestion, VqaAnnotation)


class _Answers(NamedTuple):
    """What is kept of an annotation until its question is read."""

    kind: str = ""
    answer_type: str = ""
    votes: tuple[str, ...] = ()
    chosen: str = ""

    @property
    def gold(self) -> Gold:
        """The right answers, each with its credit by the official program."""
        return gold(self.votes) if self.votes else Gold.of(*filter(None, [self.chosen]))


_UNKNOWN = _Answers()


def questions(files: SplitFiles, skips: Skips, layout: VqaLayout) -> Iterator[Question]:
    """Every question of a split, joined with its annotation by id, whatever the order of the two files.

    Its kind is the question type, its votes are what each annotator answered, and its gold follows from them by VQA's
    official program. Where a split has no annotations, as test has none, no right answer is known.
    """
    path, annotations = files["questions"], files.get("annotations")
    answers = KeyedJoin(_answers(annotations, skips, layout)) if annotations else None
    for key, number, record in _records(path, VqaQuestion, "question", skips, layout):
        known = answers.take(key) if answers else _UNKNOWN
        if known is None:
            skip_question(skips, UNANSWERED, f"{path.name}, question {number}: {key}")
        elif reason := unusable_reason(text_of(record.question), text_of(record.image_id)):
            skip_question(skips, reason, f"{path.name}, question {number}: {key}")
        else:
            try:
                yield _question(record, known, layout)
            except SourceError as problem:
                skips.problem(SourceError(f"{path.name}, question {number}: {problem}", hint=problem.hint))
    if annotations and answers:
        for key in answers.left():
            skip_question(skips, UNASKED, f"{annotations.name}: {key}")


def skip_question(skips: Skips, reason: str, place: str) -> None:
    """Count a record that is skipped for one of the reasons above, with its remedy."""
    skips.skip(reason, place, _REMEDIES[reason])


def unusable_reason(text: str, image: str) -> str:
    """Why a question cannot be asked: it has no words, or no picture."""
    if not _WORD.search(text):
        return NO_WORDS
    return "" if image and not image.isspace() else NO_PICTURE


def votes(answers: list[AnnotatorAnswer | str | int] | None) -> tuple[str, ...]:
    """What each annotator answered; a number is taken as its digits."""
    return tuple([intern(str(vote.answer if type(vote) is AnnotatorAnswer else vote)) for vote in answers or ()])


@lru_cache(1 << 14)
def gold(votes: tuple[str, ...]) -> Gold:
    """The right answers, each with its credit by VQA's official program.

    >>> gold(("red",) * 8 + ("pink",) * 2).answers
    (('red', 1.0), ('pink', 0.6))
    """
    return rule_set("vqa").gold(votes)


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
    """Whether a text can be the name of a file, without a folder."""
    return _NAME.fullmatch(text) is not None


def list_name(path: Path, name: str) -> str:
    """The name under which a file holds its records; empty where the file is nothing but their list."""
    return "" if first_sign(path) == b"[" else name


def _answers(path: Path, skips: Skips, layout: VqaLayout) -> Iterator[tuple[str, _Answers]]:
    for key, number, record in _records(path, VqaAnnotation, "annotation", skips, layout):
        cast = votes(record.answers)
        chosen = "" if cast else text_of(record.multiple_choice_answer)
        if not cast and not chosen.strip():
            fact = f"{path.name}, annotation {number}: multiple_choice_answer is {record.multiple_choice_answer!r}"
            skips.problem(SourceError(f"{fact}, not a word", hint="an annotation has answers, or the chosen one"))
        else:
            kind, answer_type = intern(text_of(record.question_type)), intern(text_of(record.answer_type))
            yield key, _Answers(kind, answer_type, cast, chosen)


def _records(
    path: Path, kind: type[_Record], noun: str, skips: Skips, layout: VqaLayout
) -> Iterator[tuple[str, int, _Record]]:
    """The records with their keys and numbers; of records that share a key, the first."""
    seen = set[str]()
    for number, record in decoded_elements(path, kind, noun, skips, list_name(path, f"{noun}s")):
        key = str(record.question_id)
        if not key.strip():
            skips.problem(SourceError(f"{path.name}, {noun} {number}: question_id is {key!r}, not a word"))
            continue
        if layout.shared_ids:
            key = f"{key} about picture {text_of(record.image_id)}"
        if key in seen:
            skip_repeated(skips, f"{path.name}, {noun} {number}: {key}")
        else:
            seen.add(key)
            yield key, number, record


def text_of(value: str | int | None) -> str:
    """A text as it is, a number as its digits, nothing as an empty text."""
    return value if type(value) is str else "" if value is None else str(value)


def _question(record: VqaQuestion, answers: _Answers, layout: VqaLayout) -> Question:
    image, folder = str(record.image_id), layout.folder or record.coco_split
    if folder not in FOLDERS:
        raise SourceError(f"coco_split is {folder!r}, not {' or '.join(FOLDERS)}")
    if (picture := coco_picture(image, folder)) is None:
        raise SourceError(f"image_id is {record.image_id!r}, not the number of a picture")
    return Question(
        str(record.question_id),
        picture,
        text_of(record.question),
        answers.gold,
        kind=answers.kind,
        scene=image.lstrip("0") or "0",
        votes=answers.votes,
        same_as=text_of(record.rephrasing_of),
        tags=_tags(answers.answer_type),
    )


@cache
def _tags(answer_type: str) -> tuple[tuple[str, str], ...]:
    return (("answer_type", answer_type),) if answer_type else ()
