"""Judges exported models on unseen scenes and writes the figures into their cards.

python -m training.report --weights src/counterpoint/models/builtin/weights [--exact FOLDER] [--scenes 1000]
"""

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from counterpoint.metrics.intervals import Score
from counterpoint.models.builtin.models import cnn_lstm, fusion, picture_only, question_only, two_tower
from counterpoint.studies.plain_accuracy import PlainExam, PlainReport, examine
from counterpoint.world.source import World

MAKERS = {
    "fusion": fusion,
    "cnn-lstm": cnn_lstm,
    "question-only": question_only,
    "picture-only": picture_only,
    "two-tower": two_tower,
}


def figures(report: PlainReport, scenes: int) -> dict[str, Any]:
    """A report as the card keeps it: shares with 95 % intervals over pictures."""
    found: dict[str, Any] = {"split": "test", "scenes": scenes}
    if report.overall is not None:
        found |= {"questions": _rounded(report.overall)}
        found |= {manner: _rounded(score) for manner, score in report.manners.items()}
        found["kinds"] = {kind: _rounded(score) for kind, score in sorted(report.kinds.items())}
    if report.ranking is not None:
        found["captions ranked above random ones"] = _rounded(report.ranking)
    return found


def _rounded(score: Score) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(score).items()}


def main(arguments: Iterable[str] | None = None) -> None:
    """Judge every model in a folder; one kept in 32 bits is judged beside the one that is shipped."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--exact", type=Path, help="a folder with the same models, exported with --exact")
    parser.add_argument("--scenes", type=int, default=1000)
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    world = World("test", chosen.scenes)
    exam = PlainExam.of(world)
    for name, make in MAKERS.items():
        path = chosen.weights / name / "card.json"
        if not path.exists():
            continue
        card = json.loads(path.read_text("utf-8"))
        card["accuracy"] = figures(examine(name, make(world, weights=chosen.weights), exam), chosen.scenes)
        if chosen.exact and (chosen.exact / name / "card.json").exists():
            report = examine(name, make(world, weights=chosen.exact), exam)
            card["accuracy in 32 bits"] = figures(report, chosen.scenes)
        path.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", "utf-8")
        shown = {key: value for key, value in card.items() if key.startswith("accuracy")}
        print(name, json.dumps(shown), flush=True)


if __name__ == "__main__":
    main()
