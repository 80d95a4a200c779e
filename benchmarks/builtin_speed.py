"""How many answers a second each built-in model gives on one core, from PNG files and from pixels that are decoded.

python benchmarks/builtin_speed.py [--weights FOLDER] [--pictures 200]
"""

import argparse
import tempfile
import time
from pathlib import Path

from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels
from counterpoint.models.builtin.models import (
    BuiltinModel,
    BuiltinScorer,
    cnn_lstm,
    fusion,
    picture_only,
    question_only,
    two_tower,
)
from counterpoint.models.builtin.onnx_graphs import WEIGHTS
from counterpoint.pictures.folders import PictureFolders
from counterpoint.world.captions import captions
from counterpoint.world.questions import gqa_questions
from counterpoint.world.scene_building import build_scene


def asked(folder: Path, pictures: int, each: int, mode: Mode) -> list[Query]:
    """Questions, or captions, on pictures that are written to a folder."""
    queries = []
    for index in range(pictures):
        staged = build_scene("test", index)
        staged.draw().save(folder / f"{index}.png")
        luck = seeded_rng("speed", index)
        found = captions(staged.scene, luck) if mode is Mode.SCORE else gqa_questions(staged.scene, luck)
        texts = [one.text for one in found][:each]
        queries += [Query(Picture(f"speed:{index}.png"), text, mode) for text in texts]
    return queries


class Held:
    """Pictures that are decoded already."""

    def __init__(self, queries: list[Query], pictures: PictureFolders) -> None:
        self._pixels = {query.picture: pictures.pixels(query.picture) for query in queries if query.picture}

    def pixels(self, picture: Picture) -> Pixels:
        """As decoded before."""
        return self._pixels[picture]


def pace(model: BuiltinModel, queries: list[Query]) -> float:
    """Answers a second, once everything is loaded."""
    started = time.perf_counter()
    if isinstance(model, BuiltinScorer):
        model.score(queries)
    else:
        list(model.answer(queries))  # type: ignore[attr-defined]
    return len(queries) / (time.perf_counter() - started)


def main() -> None:
    """Print a line for each model: four queries on a picture, one, and one on a picture that is decoded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, default=WEIGHTS)
    parser.add_argument("--pictures", type=int, default=200)
    chosen = parser.parse_args()
    print(f"{'answers a second':16} four a picture  one a picture  one, decoded")
    with tempfile.TemporaryDirectory() as scratch:
        pictures = PictureFolders({"speed": Path(scratch)})
        for make in (fusion, cnn_lstm, question_only, picture_only, two_tower):
            mode = Mode.SCORE if make is two_tower else Mode.ANSWER
            paces = []
            for each, decoded in ((4, False), (1, False), (1, True)):
                queries = asked(Path(scratch), chosen.pictures, each, mode)
                shown = Held(queries, pictures) if decoded else pictures
                model = make(shown, weights=chosen.weights)
                pace(model, queries[:8])
                fresh = make(shown, weights=chosen.weights)
                fresh._graphs._sessions = model._graphs._sessions  # opened, but nothing encoded yet
                paces.append(pace(fresh, queries[8:]))
            print(f"{model.card.name:16} {paces[0]:14.0f} {paces[1]:14.0f} {paces[2]:13.0f}")


if __name__ == "__main__":
    main()
