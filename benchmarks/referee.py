"""Whether a referee derives every gold answer of CARETS again: `python -m benchmarks.referee [PAIRS=200000]`.

The referee reads the words of a question and the annotation of its scene, and nothing of what the generator knew. The
six tests are made from scenes of the world, seed after seed, until there are so many pairs; each of them is judged.
"""

import sys
from itertools import count
from pathlib import Path
from time import perf_counter

from counterpoint.suites.suite import generate_groups
from counterpoint.world.source import World

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from judging import CARETS, Judged, suite_named
from referee import Referee

SCENES = 500
"""How many scenes of the world one round is made from."""
SHOWN = 20


def main(least: int = 200_000) -> int:
    """Print what was judged, test by test, and every disagreement; how many there are."""
    start, found = perf_counter(), {name: Judged() for name in CARETS}
    for seed in count():
        scenes = list(World("test", SCENES, seed=seed).scenes())
        referee = Referee(scenes)
        for name, so_far in found.items():
            for _, group in generate_groups(suite_named(name), scenes, seed):
                so_far.add(group, referee)
        if sum(one.pairs for one in found.values()) >= least:
            break
    for name, one in found.items():
        kinds = ", ".join(f"{kind} {pairs:,}" for kind, pairs in sorted(one.kinds.items()))
        print(f"{name:<10}{one.pairs:>9,} pairs {one.questions:>9,} questions {len(one.wrong):>6} otherwise  ({kinds})")
        for line in one.wrong[:SHOWN]:
            print(f"  {line}")
    pairs, wrong = sum(one.pairs for one in found.values()), sum(len(one.wrong) for one in found.values())
    questions = sum(one.questions for one in found.values())
    told = f"{pairs:,} pairs, {questions:,} questions: the referee agrees with {100 * (1 - wrong / questions):.4f} %"
    print(f"{told}, {perf_counter() - start:.0f} s")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*map(int, sys.argv[1:2])) else 0)
