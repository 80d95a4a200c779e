"""VQA-CP v2: VQA v2 divided anew, so that the answers that are common in training are rare in the test."""

from functools import partial

from counterpoint.sources.coco import caption_files, captions_beside
from counterpoint.sources.dataset import DataSet, File
from counterpoint.sources.vqa_layout import FOLDERS, NAMESPACE, VqaLayout, questions

_SITE = "the VQA-CP page, v2"
_SPLITS = ("train", "test")


def _file(part: str) -> File:
    names = {split: (f"vqacp_v2_{split}_{part}.json", f"*{split}*{part}*.json") for split in _SPLITS}
    return File(part, names, f"{_SITE}, {part}", kinds=("questions",))


_CAPTIONS = caption_files(*(dict.fromkeys(_SPLITS, folder) for folder in FOLDERS[:2]))

vqa_cp = DataSet(
    name="vqa-cp",
    title="VQA-CP v2",
    files=(
        _file("questions"),
        _file("annotations"),
        *_CAPTIONS,
    ),
    read={
        "questions": lambda files, skips: questions(files, skips, VqaLayout()),
        "captions": partial(captions_beside, expected=_CAPTIONS),
    },
    namespace=NAMESPACE,
    holds=FOLDERS[:2],
    origin="the COCO site, images of 2014, both train and val",
    rules="vqa",
)
