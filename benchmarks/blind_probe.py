"""The text-only probe of `study blind`: seconds for many pairs, and how often it errs where text tells nothing.

PYTHONPATH=src python -m benchmarks.blind_probe --pairs 20000 --repetitions 400
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random
from time import process_time

import pyarrow as pa

from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.store.groups import groups_table
from counterpoint.studies.blind_probe import Verdict, probe

WORDS = [f"word{number}" for number in range(2000)]


def random_pairs(many: int, rng: Random, vocabulary: int, cue: float = 0.0) -> Iterator[tuple[str, str]]:
    """A caption of ten words and a foil with another word in the place of one, some with a word that tells."""
    for _ in range(many):
        caption = rng.choices(WORDS[:vocabulary], k=10)
        foil = [*caption]
        foil[rng.randrange(10)] = rng.choice(WORDS[:vocabulary])
        yield " ".join(caption) + " today" * (rng.random() < cue), " ".join(foil)


def pairs_table(pairs: Iterator[tuple[str, str]]) -> pa.Table:
    """Two pairs a picture."""
    groups = []
    for number, texts in enumerate(pairs):
        picture = Picture(f"toy:{number // 2}.png")
        queries = tuple(Query(picture, text, Mode.SCORE) for text in texts)
        groups.append(("pairs", Group(Relation.RANKS, queries, (None, None))))
    return groups_table(groups, "toy")


def main() -> None:
    """Print processor seconds with and without a cue, then coverage and verdicts of the null by size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--repetitions", type=int, default=400)
    arguments = parser.parse_args()
    for cue in (0.0, 0.2):
        table = pairs_table(random_pairs(arguments.pairs, Random(0), 2000, cue))
        start = process_time()
        (found,) = probe(table)
        shown = f"{found.value:.1%}, {found.verdict}, {process_time() - start:.1f} s"
        print(f"{arguments.pairs:,} pairs, cue in {cue:.0%}: {shown}", flush=True)
    for many in (100, 400, 1000):
        tables = (pairs_table(random_pairs(many, Random(f"{many} {run}"), 60)) for run in range(arguments.repetitions))
        findings = [probe(table)[0] for table in tables]
        covered = sum(one.low <= 0.5 <= one.high for one in findings) / len(findings)
        times = Counter(one.verdict for one in findings)
        shares = ", ".join(f"{verdict} {times[verdict] / len(findings):.1%}" for verdict in Verdict)
        print(f"null, {many} pairs: the interval covers 50 % in {covered:.1%}; {shares}", flush=True)


if __name__ == "__main__":
    main()
