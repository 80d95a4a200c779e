"""OK-VQA: questions about photographs of COCO that cannot be answered without knowing more than they show."""

from functools import partial

from counterpoint.sources.coco import caption_files, captions_beside
from counterpoint.sources.dataset import DataSet, File
from counterpoint.sources.vqa_layout import FOLDERS, NAMESPACE, VqaLayout, questions

_SITE = "the OK-VQA site"
_SPLITS = ("train", "val")
_CAPTIONS = caption_files({split: f"{split}2014" for split in _SPLITS})

okvqa = DataSet(
    name="okvqa",
    title="OK-VQA",
    files=(
        File(
            "questions",
            {s: (f"OpenEnded_mscoco_{s}2014_questions.json", f"*{s}*questions*.json") for s in _SPLITS},
            f"{_SITE}, questions",
            kinds=("questions",),
        ),
        File(
            "annotations",
            {s: (f"mscoco_{s}2014_annotations.json", f"*{s}*annotations*.json") for s in _SPLITS},
            f"{_SITE}, annotations",
            kinds=("questions",),
        ),
        *_CAPTIONS,
    ),
    read={
        "questions": lambda files, skips: questions(files, skips, VqaLayout(f"{files.split}2014")),
        "captions": partial(captions_beside, expected=_CAPTIONS),
    },
    namespace=NAMESPACE,
    holds=FOLDERS[:2],
    origin="the COCO site, images of 2014",
    rules="vqa",
)
