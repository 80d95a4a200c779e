"""Files of predictions, written and read in tests."""

import json
from pathlib import Path
from typing import Any

from counterpoint.sources.results.formats import read_predictions
from counterpoint.sources.results.predictions import Prediction, RejectedRecord

QUERY = "fed63e96f1c1f408"


def read_records(path: Path, form: str = "", **columns: str) -> list[Prediction | RejectedRecord]:
    """Predictions and rejected records of a file, in its order."""
    return list(read_predictions(path, form, columns))


def read_answers(path: Path, form: str = "", **columns: str) -> list[tuple[str, str]]:
    """Id and text of each prediction."""
    return [(one.id, one.raw) for one in read_records(path, form, **columns) if isinstance(one, Prediction)]


def rejected_reasons(path: Path, form: str = "") -> list[str]:
    """Why records were rejected."""
    return [one.why for one in read_records(path, form) if isinstance(one, RejectedRecord)]


def write_lines(path: Path, *records: Any) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def write_json(path: Path, content: Any, **how: Any) -> Path:
    """A file of one JSON value."""
    path.write_text(json.dumps(content, **how), encoding="utf-8")
    return path
