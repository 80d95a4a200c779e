"""How many groups one core makes in a second: `python -m benchmarks.suite_speed [SCENES]`.

Time is that of the process. The first pass fills the caches of the lexicon, as any run does; both passes are shown.
"""

import sys
from time import process_time

from counterpoint.suites.carets import order, rephrase
from counterpoint.suites.suite import generate_groups
from counterpoint.world.source import World


def main(count: int = 1000) -> None:
    """Print scenes, groups and queries a second for each suite."""
    scenes = list(World("test", count).scenes())
    for suite in (order.suite, rephrase.suite):
        for name in ("first", "again"):
            start = process_time()
            groups = [group for _, group in generate_groups(suite, scenes)]
            seconds = process_time() - start
            queries = sum(len(group.queries) for group in groups)
            rates = (
                f"{count / seconds:7.0f} scenes  {len(groups) / seconds:7.0f} groups  {queries / seconds:7.0f} queries"
            )
            print(f"{suite.name:<9} {name:<6} {seconds:6.2f} s  {rates} a second")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
