"""How long the whole of CARETS takes on as many scenes as the validation split of GQA has.

    python -m benchmarks.carets_speed [SCENES=10696] [SUITE…]

The scenes are made in code, from the names, attributes and relations of the lexicon, with the statistics of GQA: 16
objects and 50 relations each, most of them left and right of each other, 1,536 names as unequally frequent as words
are, and what comes together decided by the place. Each suite keeps as many pairs as in Table 6 of the paper, and
five for every question of the visual test. Counted is everything from scenes in memory to tables of groups, the survey
of the source and the ids of all queries included, in a process that starts with empty caches; then the same for twice
the scenes. Two processes share the work, and none loads pandas, as in `counterpoint generate`. Seconds are those of
the clock and, where others use the machine too, those that the cores worked for us. Memory is the peak of all
processes together, what they share counted once, looked at four times a second.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter, sleep
from typing import Any

import numpy as np

from counterpoint import catalog
from counterpoint.cli.options import load_arrow
from counterpoint.core.ids import seeded_rng
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.lab.suite_shards import Limit, SuiteTask, build_suites
from counterpoint.language.lexicon.attributes import attribute_classes
from counterpoint.language.lexicon.senses import curated_names

SCENES, OBJECTS, RELATIONS = 10_696, 16, 50
PAIRS = {
    "rephrase": 19_412,
    "order": 14_412,
    "ontology": 13_952,
    "visual": 5 * 26_272,
    "negation": 10_000,
    "antonym": 5_000,
}
"""How many pairs each test has: 194,136 in all."""
VARIANTS = {"visual": 5}
CORES = 2
MOST_SECONDS, MOST_BYTES, MOST_RATIO = 60, 2 * 2**30, 2.2
GRAY = (118, 113, 105)
SIZE = Size(500, 375)
LOOKS = ("color", "material", "size", "openness", "shape", "pose", "cleanness", "length", "height")
TIES = (
    *("on", "near", "wearing", "holding", "behind", "in front of", "of", "in", "on top of", "next to", "riding"),
    *("sitting on", "with", "under", "standing on", "above", "hanging on", "carrying", "eating", "looking at"),
)
NAMES, PLACES, NAMES_EACH = 1536, 60, 90


class Photos:
    """Scenes with the statistics of GQA; the same for the same numbers on every machine."""

    def __init__(self, count: int) -> None:
        self.count = count
        luck = seeded_rng("photos")
        known = luck.sample(sorted(curated_names()), NAMES)
        self._places = [luck.sample(known, NAMES_EACH) for _ in range(PLACES)]
        self._bounds = list(accumulate(1 / (rank + 2) for rank in range(NAMES_EACH)))
        held = attribute_classes()
        self._looks = [tuple(row[0] for row in held[name].values) for name in LOOKS if name in held]

    def scenes(self, start: int = 0) -> Iterator[Scene]:
        """All of them, or those from a number on."""
        return (self._scene(number, seeded_rng("photo", number)) for number in range(start, self.count))

    def _scene(self, number: int, luck: Random) -> Scene:
        place = luck.choice(self._places)
        called = luck.choices(place, cum_weights=self._bounds, k=OBJECTS)
        objects = tuple(SceneObject(str(k), name, self._values(luck), _box(luck)) for k, name in enumerate(called))
        return Scene(f"{number}", Picture(f"photos:{number}.jpg"), SIZE, objects, _relations(objects, luck))

    def _values(self, luck: Random) -> tuple[str, ...]:
        rows = luck.choices(self._looks, weights=range(len(self._looks), 0, -1), k=luck.choice((0, 0, 1, 1, 2)))
        return tuple(dict.fromkeys(luck.choice(row) for row in rows))


def _box(luck: Random) -> Box:
    width, height = luck.randint(20, 240), luck.randint(20, 200)
    return Box(luck.randint(0, SIZE.width - width), luck.randint(0, SIZE.height - height), width, height)


def _relations(objects: tuple[SceneObject, ...], luck: Random) -> tuple[Link, ...]:
    """Left and right for pairs side by side, and now and then something else."""
    found = list[Link]()
    while len(found) < RELATIONS:
        one, other = luck.sample(objects, 2)
        if luck.random() < 0.12:
            found.append(Link(one.id, luck.choice(TIES), other.id))
            continue
        left, right = sorted((one, other), key=lambda thing: thing.box.x if thing.box else 0)
        found += [Link(left.id, "to the left of", right.id), Link(right.id, "to the right of", left.id)]
    return tuple(found[:RELATIONS])


def measure(count: int, chosen: list[str]) -> dict[str, object]:
    """Seconds, pairs per suite, and the peak of memory, for so many scenes."""
    load_arrow()
    scenes = list(Photos(count).scenes())
    scale = count / SCENES
    limits: dict[str, Limit] = {name: round(PAIRS[name] / VARIANTS.get(name, 1) * scale) for name in chosen}
    start = _clocks()
    tasks = [SuiteTask(_suite(name), name, limit=limits[name]) for name in chosen]
    made = build_suites(tasks, scenes, 0, processes=CORES)
    seconds = _since(start)
    pairs = {name: int(np.count_nonzero(own.table["role"])) for name, own in zip(chosen, made, strict=True)}
    return {"seconds": seconds, "pairs": pairs}


def _suite(name: str) -> Any:
    suite = catalog.find("suites", name)
    return suite.configured({"means": GRAY}) if "means" in suite.options else suite


def _clocks() -> tuple[float, float]:
    """The clock on the wall, and the work of our processes."""
    used = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return perf_counter(), sum(one.ru_utime + one.ru_stime for one in used)


def _since(start: tuple[float, float]) -> list[float]:
    return [now - then for now, then in zip(_clocks(), start, strict=True)]


def _apart(count: int, chosen: list[str]) -> Any:
    """The same in a process of its own, whose memory is watched."""
    command = [sys.executable, "-m", "benchmarks.carets_speed", "--measure", str(count), *chosen]
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        while running.poll() is None:
            peak = max(peak, process_memory(running.pid))
            sleep(0.25)
        said = running.stdout.read() if running.stdout else ""
    if running.returncode:
        sys.exit(running.returncode)
    return json.loads(said) | {"bytes": peak}


def process_memory(process: int) -> int:
    """The bytes of a process and of those that it started, each page divided by how many have it, as Linux tells."""
    try:
        started = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has just ended
        return 0
    own = next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return 1024 * own + sum(process_memory(int(other)) for other in started)


def main(count: int, chosen: list[str]) -> None:
    """Print what each suite has, and what all of it takes beside what is allowed."""
    work = []
    for scenes in (count, 2 * count):
        found = _apart(scenes, chosen or list(PAIRS))
        for name, pairs in found["pairs"].items():
            print(f"{name:<10}{pairs:>9,} pairs")
        seconds, used = found["seconds"]
        work.append(used)
        made, peak = sum(found["pairs"].values()), found["bytes"] / 2**30
        print(f"{scenes:,} scenes: {made:,} pairs in {seconds:.1f} s, {used:.1f} s of work, {peak:.2f} GB\n")
    print(f"twice the scenes take {work[1] / work[0]:.2f} times the work; {MOST_RATIO} are allowed")
    allowed = f"{MOST_SECONDS} s and {MOST_BYTES / 2**30:.0f} GB"
    print(f"{SCENES:,} scenes may take {allowed} on {CORES} cores; here are {os.cpu_count()}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(int(sys.argv[2]), sys.argv[3:])))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else SCENES, sys.argv[2:])
