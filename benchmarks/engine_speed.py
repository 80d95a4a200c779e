"""How many queries a second pass from a suite on disk to answers on disk: `python -m benchmarks.engine_speed [COUNT]`.

The model answers at once and opens no picture, so that what is measured is ours: reading the suite, planning, making
queries, asking in batches, and writing parts. A second run over the same lab shows what it costs to find nothing to do.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import pyarrow.parquet as pq

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.engine.running import Outcome, run
from counterpoint.models.builtin.sanity import Constant
from counterpoint.store.answers import AnswerLog
from counterpoint.store.folder import Shelf
from counterpoint.store.groups import groups_table, queries, queries_of


def main(count: int = 200_000) -> None:
    """Print queries a second of a first and of a second run."""
    with tempfile.TemporaryDirectory() as folder:
        suite, shelf = Path(folder) / "groups.parquet", Shelf(Path(folder))
        pq.write_table(groups_table((("pair", group) for group in _groups(count // 2)), "speed"), suite)
        for name in ("first run", "second run"):
            outcome, seconds = timed(lambda: _ran(suite, shelf))
            print(f"{name}: {count / seconds:9,.0f} queries a second ({outcome.asked:,} asked, {seconds:.2f} s)")


def timed(work: Callable[[], Outcome]) -> tuple[Outcome, float]:
    """What the work gives, and the seconds it took."""
    start = perf_counter()
    outcome = work()
    return outcome, perf_counter() - start


def _ran(suite: Path, shelf: Shelf) -> Outcome:
    model = Constant()
    with AnswerLog(shelf, model.fingerprint) as log:
        return run(queries_of(pq.read_table(suite)), model, log, read=queries)


def _groups(count: int) -> Iterator[Group]:
    for n in range(count):
        picture = Picture(f"world:test/{n // 10:06d}.png")
        asked = (Query(picture, f"Is there a cat near object {n}?"), Query(picture, f"Is a cat near object {n}?"))
        yield Group(Relation.SAME, asked, (None, None))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
