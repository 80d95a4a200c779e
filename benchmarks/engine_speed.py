"""How many queries a second pass from a suite on disk to answers on disk: `python -m benchmarks.engine_speed [COUNT]`.

The model answers at once and opens no picture, so that what is measured is ours: reading the suite, planning, making
queries, asking in batches, and writing parts. A second run over the same lab shows what it costs to find nothing to do.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter, process_time

import pyarrow.parquet as pq

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.engine.running import RunSummary, run
from counterpoint.models.builtin.sanity import ConstantModel
from counterpoint.store.answers import AnswerLog
from counterpoint.store.folder import StorageFolder
from counterpoint.store.groups import groups_table, read_queries, unique_queries


def main(count: int = 200_000) -> None:
    """Print queries a second of a first and of a second run."""
    with tempfile.TemporaryDirectory() as folder:
        suite, storage = Path(folder) / "groups.parquet", StorageFolder(Path(folder))
        pq.write_table(groups_table((("pair", group) for group in _groups(count // 2)), "speed"), suite)
        for name in ("first run", "second run"):
            worked = process_time()
            outcome, seconds = timed(lambda: _ran(suite, storage))
            worked = process_time() - worked
            print(
                f"{name}: {count / seconds:9,.0f} queries a second ({outcome.asked:,} asked, {seconds:.2f} s", end=", "
            )
            print(f"{worked:.2f} s of processors: {1e6 * worked / count:.1f} µs a query)")


def timed(work: Callable[[], RunSummary]) -> tuple[RunSummary, float]:
    """What the work gives, and the seconds it took."""
    start = perf_counter()
    outcome = work()
    return outcome, perf_counter() - start


def _ran(suite: Path, storage: StorageFolder) -> RunSummary:
    model = ConstantModel()
    with AnswerLog(storage, model.fingerprint) as log:
        return run(unique_queries(pq.read_table(suite)), model, log, read=read_queries)


def _groups(count: int) -> Iterator[Group]:
    for n in range(count):
        picture = Picture(f"world:test/{n // 10:06d}.png")
        asked = (Query(picture, f"Is there a cat near object {n}?"), Query(picture, f"Is a cat near object {n}?"))
        yield Group(Relation.SAME, asked, (None, None))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
