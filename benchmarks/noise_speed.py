"""How fast pictures are disturbed, and whether as scikit-image does it: `python -m benchmarks.noise_speed`.

First each kind of noise on a picture of 640 × 480 beside `skimage.util.random_noise`, and how far apart the two
distributions are; then 1,000 questions about 1,000 JPEG pictures of that size, each picture decoded and disturbed in
twelve ways, put to a model that looks at one pixel. The second part alone needs no scikit-image: `run`, and, after it,
how many pictures.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from counterpoint.core.groups import Answer, Gold, Query
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, PlacedAnswer
from counterpoint.engine.prefetch import Prefetcher
from counterpoint.engine.running import run
from counterpoint.pictures.noise import PAPER_SEVERITY, STRENGTHS, add_noise, noise_edit
from counterpoint.store.groups import groups_table, read_queries, unique_queries
from counterpoint.store.lab import LabStore
from counterpoint.suites.robustness.picture_changes import noise as suite
from counterpoint.suites.suite import generate_groups
from counterpoint.testing import MemoryLog
from counterpoint.world.scene_building import build_scene

ROUNDS, PICTURES, THEIRS = 15, 1000, 1.19
"""Rounds of the first part, pictures of the second, and samples a second that the authors' code does."""

_THEIR_NAMES = {"salt-and-pepper": "s&p"}
_THEIR_STRENGTHS = {"gaussian": "var", "salt-and-pepper": "amount", "speckle": "var"}


class Glance:
    """A model that does next to nothing: it looks at a pixel."""

    fingerprint = "glance"

    def __init__(self, pictures: Pictures) -> None:
        self._pictures = pictures

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Whether the pixel is bright."""
        for place, query in enumerate(queries):
            assert query.picture, "every query has a picture"
            yield place, Answer.of("yes" if self._pictures.pixels(query.picture)[0, 0, 0] > 127 else "no")


def photograph(number: int) -> Image.Image:
    """A scene of the world, with a little grain, so that a JPEG of it is as large as that of a photograph."""
    drawn = build_scene("test", number).draw().resize((640, 480), Image.Resampling.LANCZOS)
    return Image.fromarray(add_noise(np.asarray(drawn), noise_edit("gaussian", 1, number)))


def beside_theirs() -> None:
    """Print milliseconds of one core for each kind, ours and theirs, and how far apart the distributions are."""
    try:
        from scipy.stats import chi2, chi2_contingency
        from skimage.util import random_noise
    except ImportError:
        print("scikit-image is not here, so that nothing can be held against it: pip install scikit-image")
        return
    picture = np.asarray(build_scene("test", 3).draw().resize((640, 480), Image.Resampling.LANCZOS))
    flat = np.repeat(np.array([20, 90, 128, 170, 235], np.uint8), 200_000).reshape(1000, -1, 1).repeat(3, axis=2)
    flat[0].reshape(-1)[:256] = np.arange(256)  # a photograph has all values, by which theirs scales what is counted
    for name, strengths in STRENGTHS.items():
        strength = strengths[PAPER_SEVERITY - 1]
        said: dict[str, Any] = {_THEIR_STRENGTHS[name]: float(strength)} if name in _THEIR_STRENGTHS else {}

        disturb: Callable[..., NDArray[np.float64]] = partial(
            random_noise, mode=_THEIR_NAMES.get(name, name), clip=True, **said
        )
        add_noise(picture, noise_edit(name, PAPER_SEVERITY, 0))
        own = _middle([partial(add_noise, picture, noise_edit(name, PAPER_SEVERITY, seed)) for seed in range(ROUNDS)])
        other = _middle([partial(disturb, picture, rng=seed) for seed in range(ROUNDS)])
        apart, square, freedom = 0.0, 0.0, 0
        ours, others = (
            add_noise(flat, noise_edit(name, PAPER_SEVERITY, 1)),
            np.rint(disturb(flat, rng=1) * 255).astype(np.uint8),
        )
        for value in (20, 90, 128, 170, 235):
            seen = [np.bincount(made[1:][flat[1:] == value], minlength=256) for made in (ours, others)]
            apart = max(apart, float(np.abs(np.cumsum(seen[0] - seen[1])).max() / seen[0].sum()))
            kept = seen[0] + seen[1] >= 1000  # what is seldom drawn is counted together
            table = [np.append(one[kept], one[~kept].sum() + 1) for one in seen]
            held = chi2_contingency(table)
            square, freedom = square + held.statistic, freedom + held.dof
        print(
            f"{name:<16}{own:7.1f} ms {other:7.1f} ms  {other / own:5.1f} times as fast; greatest distance of the"
            f" distributions {apart:.4f}, p of a chi-square test {chi2.sf(square, freedom):.2f}"
        )


def _middle(rounds: Sequence[Callable[[], object]]) -> float:
    """Milliseconds of one core that the middle one of some rounds took."""
    seconds = []
    for make in rounds:
        start = process_time()
        make()
        seconds.append(process_time() - start)
    return 1000 * sorted(seconds)[len(seconds) // 2]


def whole_run(pictures: int = PICTURES) -> None:
    """Print how many questions a second are asked, each in its own words about thirteen pictures."""
    with TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for number in range(pictures):
            photograph(number).save(folder / f"{number:04}.jpg", quality=90)
        lab = LabStore(folder / "lab")
        lab.set_root("speed", folder)
        asked = [
            Question(str(n), Picture(f"speed:{n:04}.jpg"), "Is it bright?", Gold.of("yes")) for n in range(pictures)
        ]
        start = perf_counter()
        table = unique_queries(groups_table(generate_groups(suite, asked), suite.name))
        made = perf_counter() - start
        start, work = perf_counter(), process_time()
        with Prefetcher(lab.pictures()) as ahead:
            outcome = run(table, Glance(ahead), MemoryLog(), ahead, read=read_queries, check=0)
        seconds, work = perf_counter() - start, process_time() - work
    assert outcome.asked == table.num_rows
    rate = pictures / seconds
    print(
        f"{pictures:,} questions, {outcome.asked:,} pictures shown: {seconds:.1f} s, {rate:.1f} questions a second,"
        f" {rate / THEIRS:.0f} times the authors' {THEIRS}; {1000 * work / pictures:.1f} ms of work for a question,"
        f" on {os.cpu_count()} cores; the suite was made in {made:.1f} s"
    )


if __name__ == "__main__":
    if "run" not in sys.argv:
        beside_theirs()
    whole_run(next((int(said) for said in sys.argv[1:] if said.isdecimal()), PICTURES))
