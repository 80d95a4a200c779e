"""Visual7W, telling: questions about photographs of COCO that begin with what, where, when, who, why or how."""

from collections.abc import Iterator

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, SplitFiles
from counterpoint.sources.formats.vqa_layout import is_name, skip_question, unusable_reason
from counterpoint.sources.reading.json_files import elements
from counterpoint.sources.reading.records import Record, Skips

NAMESPACE = "visual7w"
POINTING = "which"
"""The kind of question that is answered by pointing at a box."""


def questions(files: SplitFiles, skips: Skips) -> Iterator[Question]:
    """Every question of a split, with its choices in an order that follows from its id; its kind is its first word.

    The file lists the right choice apart from the wrong ones, so its position would give it away.
    """
    path = files["questions"]
    for number, content in enumerate(elements(path, "images")):
        try:
            image = Record(content, f"{path.name}, image", number)
            if image.word("split") != files.split:
                continue
            pairs = image.list("qa_pairs", needed=True)
        except SourceError as problem:
            skips.problem(problem)
            continue
        if any(isinstance(pair, dict) and pair.get("type") == POINTING for pair in pairs):
            hint = "take the file of Visual7W's telling questions, dataset_v7w_telling.json"
            raise SourceError(f"{image.place} has questions that are answered by pointing at a box", hint=hint)
        for place, pair in enumerate(pairs):
            with skips:
                record = Record(pair, "question", place, image)
                own, name = record.word("qa_id"), image.text("filename", "") or image.text("image_id", "")
                if reason := unusable_reason(record.text("question", ""), name):
                    skip_question(skips, reason, f"{record.place}: {own}")
                else:
                    yield _question(own, record, image)


def _question(own: str, record: Record, image: Record) -> Question:
    name = image.text("filename", "") or f"v7w_{image.text('image_id')}.jpg"
    if not is_name(name):
        raise image.wrong("filename", "the name of a picture")
    answer = record.word("answer")
    wrong = record.texts("multiple_choices")
    choices = list(dict.fromkeys((answer, *wrong)))  # a choice that is there twice is offered once
    seeded_rng(NAMESPACE, own).shuffle(choices)
    return Question(
        own,
        Picture(f"{NAMESPACE}:{name}"),
        record.text("question"),
        Gold.of(answer),
        kind=record.text("type", ""),
        scene=image.text("image_id", ""),
        choices=tuple(choices) if wrong else (),
    )


_NAMES = ("dataset_v7w_telling.json", "dataset.json", "*v7w*telling*.json")

visual7w = DataSet(
    name="visual7w",
    title="Visual7W",
    files=(File("questions", dict.fromkeys(("train", "val", "test"), _NAMES), "the Visual7W site, telling QA"),),
    read={"questions": questions},
    namespace=NAMESPACE,
    pictures=("images",),
    origin="the Visual7W site, images",
)
