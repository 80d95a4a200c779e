"""Small files in the layout of VQA, for tests of the data sets that share it."""

import json
from pathlib import Path
from typing import Any

from counterpoint.core.items import Question
from counterpoint.sources.dataset import DataSet, Source
from counterpoint.sources.reading.records import Skips

TEN = ["white"] * 6 + ["White."] * 2 + ["red", "the red"]


def asked(**changes: Any) -> dict[str, Any]:
    """A question as the files have it."""
    return {"image_id": 262148, "question": "What color is the dog?", "question_id": 262148000} | changes


def answered(**changes: Any) -> dict[str, Any]:
    """Its annotation."""
    said = [{"answer": one, "answer_confidence": "yes", "answer_id": place} for place, one in enumerate(TEN, 1)]
    return {
        "question_type": "what color is the",
        "multiple_choice_answer": "white",
        "answers": said,
        "image_id": 262148,
        "answer_type": "other",
        "question_id": 262148000,
    } | changes


def put(path: Path, key: str, rows: Any, *, bare: bool = False) -> None:
    """Write a file of questions or annotations, with what stands around them, or as nothing but their list."""
    around = {"info": {"version": "2.0"}, "license": {"name": "CC BY 4.0"}, "data_subtype": "val2014"}
    path.write_text(json.dumps(rows if bare else around | {key: rows, "data_type": "mscoco"}), "utf-8")


def read(dataset: DataSet, folder: Path, split: str) -> tuple[list[Question], Skips]:
    """All questions of a split, and what was left out."""
    source = Source(dataset, folder, split, None)
    return list(source.questions()), source.skips
