"""VQA-Rephrasings: questions of VQA v2, each with three others that ask the same in other words."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from counterpoint.core.items import Question
from counterpoint.sources import vqa_layout
from counterpoint.sources.coco import caption_files, captions_beside
from counterpoint.sources.dataset import DataSet, File, SplitFiles
from counterpoint.sources.records import decoded_elements
from counterpoint.sources.skips import Skips

_SITE = "the VQA-Rephrasings site"
_LAYOUT = vqa_layout.VqaLayout("val2014", shared_ids=True)


def questions(files: SplitFiles, skips: Skips) -> Iterator[Question]:
    """Every question, first ones and rephrasings, which say of what they are the same.

    The file makes the id of a rephrasing from that of its first question and a digit, and so gives some ids twice. Such
    a rephrasing has both ids here, as in "4200001-of-420000", and keeps its own as the tag `question_id`.
    """
    path = files["questions"]
    within = vqa_layout.list_name(path, "questions")
    records = decoded_elements(path, vqa_layout.VqaQuestion, "question", Skips(), within)
    first = {str(record.question_id) for _, record in records if record.rephrasing_of is None}
    for question in vqa_layout.questions(files, skips, _LAYOUT):
        if question.same_as and question.id in first:
            tags = (*question.tags, ("question_id", question.id))
            yield replace(question, id=f"{question.id}-of-{question.same_as}", tags=tags)
        else:
            yield question


def _file(part: str, name: str) -> File:
    return File(part, {"val": (name, f"*rep*{part}*.json")}, f"{_SITE}, {part}", kinds=("questions",))


_CAPTIONS = caption_files({"val": "val2014"})

vqa_rephrasings = DataSet(
    name="vqa-rephrasings",
    title="VQA-Rephrasings",
    files=(
        _file("questions", "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json"),
        _file("annotations", "v2_mscoco_valrep2014_humans_og_annotations.json"),
        *_CAPTIONS,
    ),
    read={"questions": questions, "captions": partial(captions_beside, expected=_CAPTIONS)},
    namespace=vqa_layout.NAMESPACE,
    holds=("val2014",),
    origin="the COCO site, val images of 2014",
    rules="vqa",
)
