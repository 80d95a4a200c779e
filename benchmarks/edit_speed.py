"""How long the five edits of the visual test take on a picture of 640 × 480: `python -m benchmarks.edit_speed`."""

from time import process_time

import numpy as np
from PIL import Image

from counterpoint.core.pictures import Box, Size
from counterpoint.pictures.edits import Foreground, apply_edits, blur_around, crop_around, mean_around
from counterpoint.world.scene_building import build_scene

ROUNDS = 20


def main() -> None:
    """Print milliseconds of one core for each edit, the middle of twenty rounds, and for all five."""
    picture = np.asarray(build_scene("test", 3).draw().resize((640, 480), Image.Resampling.LANCZOS))
    kept = Foreground((Box(60, 70, 120, 90), Box(220, 30, 80, 190)), Size(640, 480))
    edits = (
        *(blur_around(kept, one) for one in ("3", "6", "9")),
        mean_around(kept, (121, 113, 104)),
        crop_around(kept),
    )
    middles = []
    for edit in edits:
        seconds = []
        for _ in range(ROUNDS):
            start = process_time()
            apply_edits([edit], picture)
            seconds.append(process_time() - start)
        middles.append(1000 * sorted(seconds)[ROUNDS // 2])
        print(f"{edit!s:<56}{middles[-1]:8.1f} ms")
    print(f"{'all five':<56}{sum(middles):8.1f} ms")


if __name__ == "__main__":
    main()
