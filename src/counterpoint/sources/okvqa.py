"""OK-VQA: questions about photographs of COCO that cannot be answered without knowing more than they show."""

from counterpoint.sources.dataset import DataSet, File
from counterpoint.sources.vqa_layout import FOLDERS, NAMESPACE, Layout, questions

_SITE = "the OK-VQA site"
_SPLITS = ("train", "val")

okvqa = DataSet(
    name="okvqa",
    title="OK-VQA",
    files=(
        File(
            "questions",
            {s: (f"OpenEnded_mscoco_{s}2014_questions.json", f"*{s}*questions*.json") for s in _SPLITS},
            f"{_SITE}, questions",
        ),
        File(
            "annotations",
            {s: (f"mscoco_{s}2014_annotations.json", f"*{s}*annotations*.json") for s in _SPLITS},
            f"{_SITE}, annotations",
        ),
    ),
    read={"questions": lambda files, skips: questions(files, skips, Layout(f"{files.split}2014"))},
    namespace=NAMESPACE,
    holds=FOLDERS[:2],
    origin="the COCO site, images of 2014",
    rules="vqa",
)
