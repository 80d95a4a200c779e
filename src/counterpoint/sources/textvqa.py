"""TextVQA: questions about words in photographs, with the words that a reading program found there."""

from collections.abc import Iterator
from pathlib import Path

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, Files
from counterpoint.sources.records import Record, elements
from counterpoint.sources.skips import Skips
from counterpoint.sources.vqa_layout import amiss, gold, is_name, leave_out, votes

NAMESPACE = "textvqa"
READ = "Words read in the picture: {words}."
"""What a model is told before a question, where the words are known."""
FOLDERS = {"train": "train_images", "val": "train_images", "test": "test_images"}
"""Of the pictures of each split."""


def questions(files: Files, skips: Skips) -> Iterator[Question]:
    """Every question, with the words that were read in its picture as its context; those of test have no answers.

    Its tags are the `classes` of what its picture shows.
    """
    read = _words(files.get("words"), skips)
    for number, content in enumerate(elements(files["questions"], "data")):
        try:
            record = Record(content, f"{files['questions'].name}, question", number)
            own = record.word("question_id")
            image = record.text("image_id", "")
            if reason := amiss(record.text("question", ""), image):
                leave_out(skips, reason, f"{record.place}: {own}")
            else:
                yield _question(record, own, image, files.split, read)
        except SourceError as problem:
            skips.problem(problem)


def told(words: tuple[str, ...]) -> str:
    """The sentence that tells a model which words are in the picture; none if there are none.

    >>> told(("STOP", "ALL WAY"))
    'Words read in the picture: STOP, ALL WAY.'
    """
    return READ.replace("{words}", ", ".join(words)) if words else ""


def _words(path: Path | None, skips: Skips) -> dict[str, str]:
    found = {}
    for number, content in enumerate(elements(path, "data") if path else ()):
        try:
            record = Record(content, f"{path.name if path else ''}, record", number)
            found[record.word("image_id")] = told(record.texts("ocr_tokens"))
        except SourceError as problem:
            skips.problem(problem)
    return found


def _question(record: Record, own: str, image: str, split: str, read: dict[str, str]) -> Question:
    said = votes(record)
    if split != "test" and not said:
        raise record.wrong("answers", "a list of answers")
    if not is_name(image):
        raise record.wrong("image_id", "the name of a picture")
    classes = ", ".join(record.texts("image_classes"))
    return Question(
        own,
        Picture(f"{NAMESPACE}:{FOLDERS[split]}/{image}.jpg"),
        record.text("question"),
        gold(said) if said else Gold(()),
        scene=image,
        votes=said,
        context=read.get(image, ""),
        tags=(("classes", classes),) if classes else (),
    )


_SITE = "the TextVQA site, v0.5.1"

textvqa = DataSet(
    name="textvqa",
    title="TextVQA",
    files=(
        File(
            "questions",
            {s: (f"TextVQA_0.5.1_{s}.json", f"TextVQA_[0-9]*_{s}*.json") for s in FOLDERS},
            f"{_SITE}, data",
        ),
        File(
            "words",
            {s: (f"TextVQA_Rosetta_OCR_v0.2_{s}.json", f"TextVQA_Rosetta_OCR_*{s}.json") for s in FOLDERS},
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
