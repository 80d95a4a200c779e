"""Files of CARETS in the layout of its authors, made in code."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

KINDS = {"t": "template", "s": "symmetric", "h": "ontology", "n": "negation", "a": "antonym"}
"""What the files of each letter have in their names."""


def record(own: str, label: str, text: str = "", kind: str = "object_verification_template_1_attrs") -> dict[str, Any]:
    """One question as it stands in a file; its picture is that of its id."""
    asked: dict[str, Any] = {"attrs1": [], "obj1": "cat", "obj1_id": "7"}
    if kind.endswith("choice"):
        asked |= {"category1": "color", "category-options1": ["red", "tan"]}
    return {
        "img_id": own.partition("-")[0],
        "label": {label: 1.0},
        "question_id": own,
        "sent": text or f"Is it so in {own}?",
        "question_type": kind,
        "assignment": asked,
    }


def pairs(letter: str, count: int, *, first: int = 0, choice: bool = False) -> list[dict[str, Any]]:
    """So many pairs of a test, half of them answered by yes, perturbed questions first, as no file is in order."""
    found = []
    for number in range(first, first + count):
        label = ("red", "tan")[number % 2] if choice else ("yes", "no")[number % 2]
        other = ("no", "yes")[number % 2] if letter in "na" else label
        kind = "attribute_rel1_choice" if choice else "object_verification_conjunction_1_attrs"
        own = f"{2_300_000 + number // 2}-{number % 2}-{number}"
        found += [record(f"{own}-{letter}", other, kind=kind), record(own, label, f"Is {own} so?", kind)]
    return found


def write(folder: Path, letter: str, records: Iterable[dict[str, Any]], stem: str = "object_verification") -> Path:
    """Write a file under a name as the authors give it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}_{KINDS[letter]}_test.json"
    path.write_text(json.dumps(list(records)), "utf-8")
    return path
