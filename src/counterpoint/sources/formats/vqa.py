"""VQA v2, OK-VQA, VQA-CP v2 and VQA-Rephrasings: questions of one layout about photographs of COCO."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from counterpoint.core.items import Question
from counterpoint.sources.dataset import DataSet, File, ItemReader, SplitFiles, split_names
from counterpoint.sources.formats.coco import caption_files, captions_beside
from counterpoint.sources.formats.vqa_layout import FOLDERS, NAMESPACE, VqaLayout, VqaQuestion, list_name, questions
from counterpoint.sources.reading.json_files import decoded_elements
from counterpoint.sources.reading.records import Skips

_FOLDER_OF = {"train": "train2014", "val": "val2014", "test": "test2015", "test-dev": "test2015"}
_SHARED_IDS = VqaLayout("val2014", shared_ids=True)


def _part(part: str, origin: str, names: Mapping[str, tuple[str, ...]]) -> File:
    return File(part, names, f"{origin}, {part}", kinds=("questions",))


def _data_set(
    name: str,
    title: str,
    files: tuple[File, ...],
    read: ItemReader,
    captions: tuple[File, ...],
    *,
    folders: tuple[str, ...] = FOLDERS[:2],
    origin: str = "the COCO site, images of 2014",
) -> DataSet:
    """A data set of the layout of VQA, with COCO's captions where they lie beside its questions."""
    return DataSet(
        name=name,
        title=title,
        files=(*files, *captions),
        read={"questions": read, "captions": partial(captions_beside, expected=captions)},
        namespace=NAMESPACE,
        holds=folders,
        origin=origin,
        rules="vqa",
    )


def _in_folder_of_split(files: SplitFiles, skips: Skips) -> Iterator[Question]:
    return questions(files, skips, VqaLayout(_FOLDER_OF[files.split]))


def rephrased_questions(files: SplitFiles, skips: Skips) -> Iterator[Question]:
    """Every question, first ones and rephrasings, which say of what they are the same.

    The file makes the id of a rephrasing from that of its first question and a digit, and so gives some ids twice. Such
    a rephrasing has both ids here, as in "4200001-of-420000", and keeps its own as the tag `question_id`.
    """
    path = files["questions"]
    within = list_name(path, "questions")
    records = decoded_elements(path, VqaQuestion, "question", Skips(), within)
    first = {str(record.question_id) for _, record in records if record.rephrasing_of is None}
    for question in questions(files, skips, _SHARED_IDS):
        if question.same_as and question.id in first:
            tags = (*question.tags, ("question_id", question.id))
            yield replace(question, id=f"{question.id}-of-{question.same_as}", tags=tags)
        else:
            yield question


def _vqa2_names(pattern: str, loose: str) -> dict[str, tuple[str, ...]]:
    """The official name, and those that people give to excerpts."""
    names = {split: (pattern.format(folder), f"*{split}*{loose}") for split, folder in _FOLDER_OF.items()}
    return names | {"test-dev": (pattern.format("test-dev2015"),)}


_VQA2_ANNOTATIONS = _vqa2_names("v2_mscoco_{}_annotations.json", "annotations*.json")

vqa2 = _data_set(
    "vqa2",
    "VQA v2",
    (
        _part(
            "questions",
            "the VQA site, VQA v2.0",
            _vqa2_names("v2_OpenEnded_mscoco_{}_questions.json", "questions*.json"),
        ),
        _part("annotations", "the VQA site, VQA v2.0", {split: _VQA2_ANNOTATIONS[split] for split in ("train", "val")}),
    ),
    _in_folder_of_split,
    caption_files({split: _FOLDER_OF[split] for split in ("train", "val")}),
    folders=FOLDERS,
    origin="the COCO site, images of 2014, and those of 2015 for the tests",
)

okvqa = _data_set(
    "okvqa",
    "OK-VQA",
    tuple(
        _part(
            part,
            "the OK-VQA site",
            split_names(("train", "val"), f"{prefix}mscoco_{{}}2014_{part}.json", f"*{{}}*{part}*.json"),
        )
        for part, prefix in (("questions", "OpenEnded_"), ("annotations", ""))
    ),
    _in_folder_of_split,
    caption_files({split: f"{split}2014" for split in ("train", "val")}),
)

vqa_cp = _data_set(
    "vqa-cp",
    "VQA-CP v2",
    tuple(
        _part(
            part,
            "the VQA-CP page, v2",
            split_names(("train", "test"), f"vqacp_v2_{{}}_{part}.json", f"*{{}}*{part}*.json"),
        )
        for part in ("questions", "annotations")
    ),
    lambda files, skips: questions(files, skips, VqaLayout()),
    caption_files(*(dict.fromkeys(("train", "test"), folder) for folder in FOLDERS[:2])),
    origin="the COCO site, images of 2014, both train and val",
)

vqa_rephrasings = _data_set(
    "vqa-rephrasings",
    "VQA-Rephrasings",
    tuple(
        _part(part, "the VQA-Rephrasings site", {"val": (name, f"*rep*{part}*.json")})
        for part, name in (
            ("questions", "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json"),
            ("annotations", "v2_mscoco_valrep2014_humans_og_annotations.json"),
        )
    ),
    rephrased_questions,
    caption_files({"val": "val2014"}),
    folders=("val2014",),
    origin="the COCO site, val images of 2014",
)
