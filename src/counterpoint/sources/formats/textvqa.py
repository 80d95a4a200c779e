"""TextVQA: questions about text in photographs, with the tokens of an OCR program."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, SplitFiles, split_names
from counterpoint.sources.formats.vqa_layout import (
    AnnotatorAnswer,
    gold,
    is_name,
    skip_question,
    text_of,
    unusable_reason,
    votes,
)
from counterpoint.sources.reading.json_files import decoded_elements
from counterpoint.sources.reading.records import Skips

NAMESPACE = "textvqa"
READ = "Words read in the picture: {words}."
"""The context of a question where OCR tokens are present."""
FOLDERS = {"train": "train_images", "val": "train_images", "test": "test_images"}
"""The folder of the pictures of each split."""


class _TextVqaQuestion(Struct, frozen=True, gc=False):
    """A question as the file has it."""

    question_id: int | str
    question: str | int | None = None
    image_id: str | int | None = None
    answers: list[AnnotatorAnswer | str | int] | None = None
    image_classes: list[str] | None = None


class _OcrTokens(Struct, frozen=True, gc=False):
    """The words that an OCR program read in one picture."""

    image_id: str | int
    ocr_tokens: list[str] | None = None


def questions(files: SplitFiles, skips: Skips) -> Iterator[Question]:
    """Every question, with the words that were read in its picture as its context; those of test have no answers.

    Its tags are the `classes` of what its picture shows.
    """
    path, words = files["questions"], files.get("words")
    read = decoded_elements(words, _OcrTokens, "record", skips, "data") if words else ()
    contexts = {str(tokens.image_id): ocr_context(tokens.ocr_tokens or ()) for _, tokens in read}
    for number, record in decoded_elements(path, _TextVqaQuestion, "question", skips, "data"):
        own, image, text = (text_of(value) for value in (record.question_id, record.image_id, record.question))
        place = f"{path.name}, question {number}"
        if reason := unusable_reason(text, image):
            skip_question(skips, reason, f"{place}: {own}")
            continue
        try:
            yield _question(record, own, image, files.split, contexts.get(image, ""))
        except SourceError as problem:
            skips.problem(SourceError(f"{place}: {problem}"))


def ocr_context(words: Sequence[str]) -> str:
    """The sentence that tells a model which words are in the picture; empty if there are none.

    >>> ocr_context(("STOP", "ALL WAY"))
    'Words read in the picture: STOP, ALL WAY.'
    """
    return READ.replace("{words}", ", ".join(words)) if words else ""


def _question(record: _TextVqaQuestion, own: str, image: str, split: str, context: str) -> Question:
    answers = votes(record.answers)
    if not own.strip():
        raise SourceError(f"question_id is {own!r}, not a word")
    if split != "test" and not answers:
        raise SourceError(f"answers is {record.answers}, not a list of answers")
    if not is_name(image):
        raise SourceError(f"image_id is {image!r}, not the name of a picture")
    classes = ", ".join(record.image_classes or ())
    return Question(
        own,
        Picture(f"{NAMESPACE}:{FOLDERS[split]}/{image}.jpg"),
        text_of(record.question),
        gold(answers) if answers else Gold(()),
        scene=image,
        votes=answers,
        context=context,
        tags=(("classes", classes),) if classes else (),
    )


_SITE = "the TextVQA site, v0.5.1"

textvqa = DataSet(
    name="textvqa",
    title="TextVQA",
    files=(
        File("questions", split_names(FOLDERS, "TextVQA_0.5.1_{}.json", "TextVQA_[0-9]*_{}*.json"), f"{_SITE}, data"),
        File(
            "words",
            split_names(FOLDERS, "TextVQA_Rosetta_OCR_v0.2_{}.json", "TextVQA_Rosetta_OCR_*{}.json"),
            f"{_SITE}, Rosetta OCR tokens v0.2",
            needed=False,
        ),
    ),
    read={"questions": questions},
    namespace=NAMESPACE,
    holds=tuple(dict.fromkeys(FOLDERS.values())),
    origin=f"{_SITE}, images",
    rules="vqa",
)
