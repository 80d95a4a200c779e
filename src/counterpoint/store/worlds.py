"""The built-in world on disk: pictures in the folder of their split, annotations under the names of their formats."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from counterpoint.core.errors import StoreError

NAMES: Mapping[str, str] = {
    "scene graphs": "{split}_sceneGraphs.json",
    "questions": "{split}_questions.json",
    "crowd questions": "v2_OpenEnded_{split}_questions.json",
    "crowd answers": "v2_{split}_annotations.json",
    "captions": "captions_{split}.json",
    "dialogues": "visdial_1.0_{split}.json",
    "frames": "swig_{split}.json",
    "frame space": "imsitu_space_{split}.json",
}
"""The file of each kind of annotation: two of GQA, two of VQA, one of COCO, one of VisDial, two of SWiG."""


class WorldFolder:
    """The folder of one split; files are written atomically."""

    def __init__(self, root: Path, split: str) -> None:
        self.root, self.split = root, split
        with _translated_errors(root / split):
            (root / split).mkdir(parents=True, exist_ok=True)

    def put_picture(self, name: str, write: Callable[[BinaryIO], object]) -> Path:
        """A picture of the split, its bytes written by `write`."""
        return _put(self.root / self.split / name, write)

    def put_annotations(self, kind: str, content: Any) -> Path:
        """One kind of annotations as JSON, under the name that `NAMES` gives it."""
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
        path = self.root / NAMES[kind].format(split=self.split)
        return _put(path, lambda file: file.write(text.encode()))


def _put(path: Path, write: Callable[[BinaryIO], object]) -> Path:
    draft = path.with_name(f"{path.name}.draft")
    with _translated_errors(path):
        with draft.open("wb") as file:
            write(file)
        draft.replace(path)  # atomic for readers
    return path


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from problem
