"""How fast the measures beyond accuracy are, all in: `python -m benchmarks.beyond_speed [SAMPLES] [--looking]`.

A sample is a question about a picture of 640 × 480, of which there are as many as questions. For each its suites are
made, a trivial model is asked everything, with fifteen trials of each kind, and all is scored: accuracy, question bias,
picture bias, noise in the features of pictures and of questions, SEARs, and uncertainty, which are the measures of the
paper without noise in pixels. The authors' code with a trivial model makes 1.6 samples a second of the same. The model
opens no picture, so that what is measured is ours; with --looking it decodes each, in both of its runs.
"""

import gc
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from hashlib import blake2b
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from PIL import Image

from counterpoint.cli.main import RARELY
from counterpoint.core.groups import Answer, Gold, Query
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import MEAN_TRIAL, Floats, Pictures, PlacedAnswer
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.lab.leaderboard import leaderboard
from counterpoint.lab.running import RunRequest, run_model
from counterpoint.store.lab import LabStore

AUTHORS = 1.6
"""Samples a second of the authors' code, without noise in pixels."""
SUITES = ("plain", "question-bias", "picture-bias", "feature-noise", "sears")
TRIALS = 15
COLORS = ("red", "green", "blue", "white", "black", "brown", "gray", "yellow")
THINGS = ("dog", "cat", "car", "bench", "tree", "chair", "cup", "plate", "horse", "boat", "kite", "lamp", "book", "bed")


class Samples:
    """As many questions as pictures, each about one thing in it."""

    rules = "exact"

    def __init__(self, split: str = "test", count: int = 1000) -> None:
        self._count = count

    def questions(self) -> Iterator[Question]:
        """What color, where, and whether there is one."""
        for number in range(self._count):
            luck = seeded_rng("samples", number)
            thing, color = luck.choice(THINGS), luck.choice(COLORS)
            forms = (
                (f"what color is the {thing}", color),
                (f"where is the {thing}", "left"),
                (f"is there a {thing}", "yes"),
            )
            text, gold = forms[number % len(forms)]
            yield Question(str(number), Picture(f"speed:{number:05d}.jpg"), text, Gold.of(gold), kind=text.split()[0])


class Trivial:
    """The address of a picture and the length of a text decide; every pass says the same."""

    averages = True

    def __init__(self, pictures: Pictures, *, looking: bool = False) -> None:
        self.fingerprint = "trivial, looking" if looking else "trivial"
        self._seen = lru_cache(4096)(partial(_looked, pictures) if looking else _named)

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers from features."""
        return self.answer_from(self.picture_features(queries), self.text_features(queries), queries)

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        """Three numbers."""
        return np.array([self._seen(query.picture) for query in queries], np.float32)

    def text_features(self, queries: Sequence[Query]) -> Floats:
        """The length."""
        return np.array([[len(query.text)] for query in queries], np.float32)

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The color whose number is nearest."""
        places = (picture.sum(axis=1) * 7 + text[:, 0]).astype(np.int64) % len(COLORS)
        yield from ((row, SAID[place]) for row, place in enumerate(places.tolist()))

    def sample(self, queries: Sequence[Query], trials: Sequence[int], seed: int) -> Iterator[tuple[int, int, Answer]]:
        """The plain answer each time."""
        for row, answer in self.answer(queries):
            yield from ((row, trial, AVERAGED[answer.value] if trial >= MEAN_TRIAL else answer) for trial in trials)


SAID = [Answer.of(color, top=((color, 0.9),)) for color in COLORS]
AVERAGED = {color: Answer(raw=color, value=color, score=0.3, top=((color, 0.9), ("nothing", 0.1))) for color in COLORS}


def main(samples: int = 1000, *, looking: bool = False) -> None:
    """Print what each step takes, and the samples a second of all together beside those of the authors' code.

    Seconds are those of the clock and, since machines are shared, those of the processor.
    """
    gc.set_threshold(*RARELY)  # as every command does
    with tempfile.TemporaryDirectory() as room:
        lab = LabStore(Path(room) / "lab")
        _draw(Path(room) / "pictures", samples)
        watch = Watch()
        _make(lab, samples, Path(room) / "pictures")
        watch.lap("made")
        answers = _ask(lab, looking=looking)
        watch.lap("asked")
        (row,) = leaderboard(lab, layout="datasets").board.rows
        watch.lap("scored")
    print(", ".join(f"{name} {mean.value:.1%}" for name, mean in row.cells.items() if mean.value is not None))
    print(f"{answers:,} answers")
    for name, seconds in watch.all.items():
        rate = samples / seconds
        print(f"{rate:,.0f} samples a second of the {name}, {rate / AUTHORS:,.0f} times the authors' {AUTHORS}")


class Watch:
    """Two clocks."""

    def __init__(self) -> None:
        self._begun = self._last = self._now()

    @property
    def all(self) -> dict[str, float]:
        """What everything took."""
        return dict(
            zip(("clock", "processor"), (b - a for a, b in zip(self._begun, self._now(), strict=True)), strict=True)
        )

    def lap(self, name: str) -> None:
        """Print what was spent since the last time."""
        wall, own = (b - a for a, b in zip(self._last, self._now(), strict=True))
        self._last = self._now()
        print(f"{name:<8}{wall:8.2f} s of the clock {own:8.2f} s of the processor")

    @staticmethod
    def _now() -> tuple[float, float]:
        return perf_counter(), process_time()


def _looked(pictures: Pictures, picture: Picture) -> list[float]:
    found: list[float] = (pictures.pixels(picture)[::60, ::80].mean(axis=(0, 1)) / 255).tolist()
    return found


def _named(picture: Picture) -> list[float]:
    return [byte / 255 for byte in blake2b(picture.address.encode(), digest_size=3).digest()]


def _draw(folder: Path, count: int) -> None:
    """Pictures of 640 × 480 with something in them, so that decoding takes what it usually takes."""
    folder.mkdir(parents=True)
    luck = np.random.default_rng(0)
    for number in range(count):
        small = luck.integers(0, 256, (12, 16, 3), np.uint8)
        Image.fromarray(small).resize((640, 480), Image.Resampling.BILINEAR).save(folder / f"{number:05d}.jpg")


def _make(lab: LabStore, samples: int, pictures: Path) -> None:
    generate(lab, GenerateRequest(SUITES, f"{__name__}:Samples", items=samples))
    lab.set_root("speed", pictures)


def _ask(lab: LabStore, *, looking: bool) -> int:
    """Everything once, then the plain questions with dropout on."""
    place = f"{__name__}:Trivial"
    args = {"looking": "yes"} if looking else {}
    runs = [RunRequest(place, model_args=args), RunRequest(place, ("plain",), model_args=args, trials=TRIALS)]
    return sum(run_model(lab, settings).outcome.asked for settings in runs)


if __name__ == "__main__":
    from benchmarks.beyond_speed import main as run  # so that its classes are found by name

    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    run(*numbers[:1], looking="--looking" in sys.argv)
