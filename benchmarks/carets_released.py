"""How fast the released files of CARETS are read, beside `json.load`: `python -m benchmarks.carets_released [FOLDER]`.

Without a folder, files of 100,000 questions are made in the layout of the authors. Each reading has a process of its
own; seconds are those of the processor. Commands look for garbage rarely, so both are read with and without that.
"""

import gc
import json
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from counterpoint.core.ids import seeded_rng
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.carets import carets

FILES, PAIRS = 20, 2500
"""As many pairs as most files of the authors have."""
MOST = 2.0
"""How many times as long as parsing alone reading may take."""
NAMES, LOOKS = ("tree", "cup", "kitchen cabinet", "remote control", "woman"), ("green", "wood", "black", "standing")
LETTERS = {"t": "template", "s": "symmetric", "n": "negation", "a": "antonym"}


def record(number: int, letter: str, luck: Random) -> dict[str, Any]:
    """A question in the shape of the authors' records."""
    first, second, look = luck.choice(NAMES), luck.choice(NAMES), luck.choice(LOOKS)
    image = str(2_300_000 + number // 5)
    label = "yes" if (number % 2 == 0) != (letter in ("n", "a")) else "no"
    return {
        "img_id": image,
        "label": {label: 1.0},
        "question_id": f"{image}-{number % 3}-{number}" + (f"-{letter}" if letter else ""),
        "sent": f"Does it look like there is both a {look} {first} and a {second} anywhere in photo {number}{letter}?",
        "question_type": "object_verification_conjunction_1_attrs",
        "assignment": {
            "attrs1": [look],
            "attrs2": [],
            "obj1": first,
            "obj1_id": str(luck.randrange(10**6)),
            "obj2": second,
            "obj2_id": str(luck.randrange(10**6)),
        },
    }


def make(folder: Path, pairs: int = FILES * PAIRS, *, shared: int = 1) -> None:
    """Write the files, their records shuffled as the authors' are; so many files in turn share their originals."""
    luck = seeded_rng("released")
    ends = [pairs * file // FILES for file in range(FILES + 1)]
    for file in range(FILES):
        letter, kind = list(LETTERS.items())[file % len(LETTERS)]
        numbers = range(ends[file + 1] - ends[file])
        originals = [record(number, "", seeded_rng("released", file // shared, number)) for number in numbers]
        records = [*originals, *(record(number, letter, luck) for number in numbers)]
        luck.shuffle(records)
        (folder / f"file{file:02}_{kind}_test.json").write_text(json.dumps(records), "utf-8")


def parsed(folder: Path) -> int:
    """Everything by json.load, held to the end."""
    held = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    return sum(map(len, held))


def read(folder: Path) -> int:
    """Everything in pairs, held to the end."""
    return 2 * len(list(Source(carets, folder, "test", None).groups()))


def put_together(folder: Path) -> int:
    """The same, each pair made a group, held to the end."""
    return 2 * len([group.group for group in Source(carets, folder, "test", None).groups()])


def spent(what: Callable[[Path], int], folder: Path, rarely: bool) -> tuple[float, int]:
    """Seconds of the processor, and how many questions."""
    if rarely:
        gc.set_threshold(50_000, 20, 100)
    start = process_time()
    return (what(folder), process_time() - start)[::-1]


def apart(what: Callable[[Path], int], folder: Path, rarely: bool) -> tuple[float, int]:
    """The better of two readings, each in a fresh process."""
    found = []
    for _ in range(2):
        with get_context("spawn").Pool(1) as pool:
            found.append(pool.apply(spent, (what, folder, rarely)))
    return min(found)


def report(folder: Path) -> bool:
    """Print the figures; whether reading took no longer than it may."""
    ratios = []
    for rarely in (False, True):
        plain, count = apart(parsed, folder, rarely)
        (ours, paired), (made, _) = (apart(what, folder, rarely) for what in (read, put_together))
        ratios.append(ours / plain)
        print(f"{count:,} questions, garbage looked for {'rarely' if rarely else 'as usual'}:")
        told = {"json.load": plain, f"{paired:,} of them read and paired": ours, "made groups too": made}
        print("\n".join(f"  {seconds:.2f} s {what}" for what, seconds in told.items()))
    print(f"at most {MOST:.0f} times as long as parsing: {' and '.join(f'{ratio:.1f}' for ratio in ratios)} times")
    return ratios[0] <= MOST


def main() -> int:
    """1 if reading takes too long."""
    if len(sys.argv) > 1:
        return 0 if report(Path(sys.argv[1])) else 1
    with TemporaryDirectory() as name:
        make(Path(name))
        return 0 if report(Path(name)) else 1


if __name__ == "__main__":
    sys.exit(main())
