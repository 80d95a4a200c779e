"""How many answers a second each built-in model gives on one core, decoding of PNG files included.

python benchmarks/builtin_speed.py [--weights FOLDER] [--pictures 200]
"""

import argparse
import tempfile
import time
from pathlib import Path

from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import seeded
from counterpoint.core.pictures import Picture
from counterpoint.models.builtin import Builtin, Scoring, cnn_lstm, fusion, picture_only, question_only, two_tower
from counterpoint.models.graphs import WEIGHTS
from counterpoint.pixels.folders import PictureFolders
from counterpoint.world.captions import captions
from counterpoint.world.questions import gqa_questions
from counterpoint.world.staging import stage


def asked(folder: Path, pictures: int, each: int, mode: Mode) -> list[Query]:
    """Questions, or captions, on pictures that are written to a folder."""
    queries = []
    for index in range(pictures):
        staged = stage("test", index)
        staged.draw().save(folder / f"{index}.png")
        luck = seeded("speed", index)
        found = captions(staged.scene, luck) if mode is Mode.SCORE else gqa_questions(staged.scene, luck)
        texts = [one.text for one in found][:each]
        queries += [Query(Picture(f"speed:{index}.png"), text, mode) for text in texts]
    return queries


def pace(model: Builtin, queries: list[Query]) -> float:
    """Answers a second, once everything is loaded."""
    started = time.perf_counter()
    if isinstance(model, Scoring):
        model.score(queries)
    else:
        list(model.answer(queries))  # type: ignore[attr-defined]
    return len(queries) / (time.perf_counter() - started)


def main() -> None:
    """Print a line for each model: four queries on a picture, and one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--pictures", type=int, default=200)
    chosen = parser.parse_args()
    print(f"{'answers a second':16} four a picture  one a picture")
    with tempfile.TemporaryDirectory() as scratch:
        pictures = PictureFolders({"speed": Path(scratch)})
        for make in (fusion, cnn_lstm, question_only, picture_only, two_tower):
            mode = Mode.SCORE if make is two_tower else Mode.ANSWER
            paces = []
            for each in (4, 1):
                queries = asked(Path(scratch), chosen.pictures, each, mode)
                model = make(pictures, weights=chosen.weights)
                pace(model, queries[:8])
                fresh = make(pictures, weights=chosen.weights)
                fresh._graphs._sessions = model._graphs._sessions  # opened, but nothing encoded yet
                paces.append(max(pace(fresh, queries[8:]) for _ in range(1)))
            print(f"{model.card.name:16} {paces[0]:14.0f} {paces[1]:14.0f}")


if __name__ == "__main__":
    main()
