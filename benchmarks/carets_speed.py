"""How long the whole of CARETS takes on as many scenes as GQA's validation split has: `python -m benchmarks.carets_speed`.

    python -m benchmarks.carets_speed [SCENES=10696] [SUITE…]

The scenes are made in code, from the names, attributes and relations of the lexicon, with the statistics of GQA: 16
objects and 50 relations each, most of them left and right of each other, names as unequally frequent as words are, and
what comes together decided by the place. Each suite keeps as many pairs as in Table 6 of the paper, and five for every
question of the visual test. Counted is everything from scenes in memory to tables of groups, the survey of the source
and the ids of all queries included, in a process that starts with empty caches; then the same for twice the scenes.
Memory is the peak of all processes together.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import accumulate
from random import Random
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from time import perf_counter

from counterpoint import catalog
from counterpoint.core.ids import seeded
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.language.classes import classes
from counterpoint.language.senses import names
from counterpoint.suites.suite import generate

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
MOST_SECONDS, MOST_BYTES, MOST_RATIO = 60, 2 * 2**30, 2.2
SIZE = Size(500, 375)
LOOKS = ("color", "material", "size", "openness", "shape", "pose", "cleanness", "length", "height")
TIES = (
    *("on", "near", "wearing", "holding", "behind", "in front of", "of", "in", "on top of", "next to", "riding"),
    *("sitting on", "with", "under", "standing on", "above", "hanging on", "carrying", "eating", "looking at"),
)
PLACES, NAMES_EACH = 60, 90


class Photos:
    """Scenes with the statistics of GQA; the same for the same numbers on every machine."""

    def __init__(self, count: int) -> None:
        self.count = count
        luck, known = seeded("photos"), list(names())
        self._places = [luck.sample(known, NAMES_EACH) for _ in range(PLACES)]
        self._bounds = list(accumulate(1 / (rank + 2) for rank in range(NAMES_EACH)))
        held = classes()
        self._looks = [tuple(row[0] for row in held[name].values) for name in LOOKS if name in held]

    def scenes(self) -> Iterator[Scene]:
        """All of them."""
        return (self._scene(number, seeded("photo", number)) for number in range(self.count))

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
    """Seconds and pairs per suite, and the peak of memory, for so many scenes."""
    from counterpoint.store.groups import groups_table

    scenes = list(Photos(count).scenes())
    seconds, pairs, statistics = dict[str, float](), dict[str, int](), dict[object, object]()
    for name in chosen:
        suite = catalog.find("suites", name)
        start = perf_counter()
        if suite.survey is not None and suite.survey not in statistics:
            statistics[suite.survey] = suite.survey(scenes)
            seconds["survey"] = perf_counter() - start
            start = perf_counter()
        quota = round(PAIRS[name] * count / SCENES)
        sample = next(group for _, group in generate(suite, scenes[:50], statistics=statistics.get(suite.survey)))
        limit = -(-quota // len(sample.variants))
        table = groups_table(generate(suite, scenes, 0, limit, statistics=statistics.get(suite.survey)), name)
        seconds[name] = perf_counter() - start
        pairs[name] = sum(role > 0 for role in table["role"].to_pylist())
    peak = 1024 * (getrusage(RUSAGE_SELF).ru_maxrss + getrusage(RUSAGE_CHILDREN).ru_maxrss)
    return {"seconds": seconds, "pairs": pairs, "bytes": peak}


def _apart(count: int, chosen: list[str]) -> dict[str, dict[str, float]]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.carets_speed", "--measure", str(count), *chosen]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, dict[str, float]] = json.loads(done.stdout)
    return found


def main(count: int, chosen: list[str]) -> None:
    """Print what each suite takes, and whether all of it stays within the limits."""
    known = [name for name in PAIRS if name in catalog.rows("suites")]
    chosen = chosen or known
    totals = []
    for scenes in (count, 2 * count):
        found = _apart(scenes, chosen)
        for name, seconds in found["seconds"].items():
            pairs = f"{found['pairs'][name]:>9,.0f} pairs" if name in found["pairs"] else ""
            print(f"{name:<10} {seconds:7.1f} s {pairs}")
        totals.append(sum(found["seconds"].values()))
        peak = float(found["bytes"])  # type: ignore[arg-type]
        pairs_made = sum(found["pairs"].values())
        print(f"{scenes:,} scenes: {pairs_made:,.0f} pairs in {totals[-1]:.1f} s, {peak / 2**30:.2f} GB\n")
    absent = sorted(set(PAIRS) - set(chosen))
    print(f"twice the scenes take {totals[1] / totals[0]:.2f} times as long; at most {MOST_RATIO} are allowed")
    print(f"at most {MOST_SECONDS} s and {MOST_BYTES / 2**30:.0f} GB are allowed; {os.cpu_count()} cores")
    if absent:
        print(f"not there: {', '.join(absent)}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(int(sys.argv[2]), sys.argv[3:])))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else SCENES, sys.argv[2:])
