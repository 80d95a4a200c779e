"""VQA v2: questions that people asked about photographs of COCO, each answered by ten others."""

from functools import partial

from counterpoint.sources.coco import caption_files, captions_beside
from counterpoint.sources.dataset import DataSet, File
from counterpoint.sources.vqa_layout import FOLDERS, NAMESPACE, VqaLayout, questions

_SITE = "the VQA site, VQA v2.0"
_PICTURES = {"train": "train2014", "val": "val2014", "test": "test2015", "test-dev": "test2015"}
_LAYOUTS = {split: VqaLayout(folder) for split, folder in _PICTURES.items()}


def _names(pattern: str, loose: str) -> dict[str, tuple[str, ...]]:
    """The official name, and those that people give to excerpts."""
    found = {split: (pattern.format(folder), f"*{split}*{loose}") for split, folder in _PICTURES.items()}
    return found | {"test-dev": (pattern.format("test-dev2015"),)}


_QUESTIONS = _names("v2_OpenEnded_mscoco_{}_questions.json", "questions*.json")
_ANNOTATIONS = _names("v2_mscoco_{}_annotations.json", "annotations*.json")
_ANSWERED = {split: _ANNOTATIONS[split] for split in ("train", "val")}
_CAPTIONS = caption_files({split: _PICTURES[split] for split in _ANSWERED})

vqa2 = DataSet(
    name="vqa2",
    title="VQA v2",
    files=(
        File("questions", _QUESTIONS, f"{_SITE}, questions", kinds=("questions",)),
        File("annotations", _ANSWERED, f"{_SITE}, annotations", kinds=("questions",)),
        *_CAPTIONS,
    ),
    read={
        "questions": lambda files, skips: questions(files, skips, _LAYOUTS[files.split]),
        "captions": partial(captions_beside, expected=_CAPTIONS),
    },
    namespace=NAMESPACE,
    holds=FOLDERS,
    origin="the COCO site, images of 2014, and those of 2015 for the tests",
    rules="vqa",
)
