"""How many pictures of the world one core makes in a second: `python -m benchmarks.world_speed [COUNT]`.

Time is that of the process, so a busy machine changes little. What is drawn for the first time takes longer, since
sketches are kept; a round of warming up comes first, as in any run of more than a few pictures.
"""

import sys
from collections.abc import Callable, Iterable
from time import process_time
from typing import TypeVar

import numpy as np
from PIL import Image

from counterpoint.pictures.folders import encode_png
from counterpoint.world.scene_building import BuiltScene, build_scene

_In = TypeVar("_In")
_Out = TypeVar("_Out")
_ROUNDS = 3


def timed(work: Callable[[_In], _Out], items: Iterable[_In]) -> tuple[list[_Out], float]:
    """What the work makes of each item, and the seconds it took."""
    start = process_time()
    made = [work(item) for item in items]
    return made, process_time() - start


def main(count: int = 300) -> None:
    """Print milliseconds a picture and pictures a second, for the best of some rounds."""
    timed(lambda index: build_scene("train", index).draw(), range(10 * count, 12 * count))
    best = {"staging": 1e9, "drawing": 1e9, "encoding": 1e9}
    for number in range(_ROUNDS):
        staged, staging = timed(lambda index: build_scene("train", index), range(number * count, (number + 1) * count))
        drawn, drawing = timed(BuiltScene.draw, staged)
        _, encoding = timed(_encoded, drawn)
        for name, seconds in (("staging", staging), ("drawing", drawing), ("encoding", encoding)):
            best[name] = min(best[name], seconds / count)
    for name, seconds in (*best.items(), ("all three", sum(best.values()))):
        print(f"{name:<10} {1000 * seconds:6.2f} ms  {1 / seconds:6.0f} pictures a second")


def _encoded(picture: Image.Image) -> bytes:
    return encode_png(np.asarray(picture))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
