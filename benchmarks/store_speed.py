"""How fast answers are kept and a resume is planned: `python -m benchmarks.store_speed [--full]`.

One million answers, or ten with --full, are added in batches of 64; the pace of the first and of the last tenth shows
that it does not fall with what is there. Then plans of as many rows are held against the log. Seconds
are those of the clock, and in brackets those of all processors, which a busy machine changes less.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.core.groups import Answer
from counterpoint.store.answers import AnswerLog, StoredAnswer, read_answers
from counterpoint.store.folder import StorageFolder

_MODEL = "says-yes"
_BATCH = 64
_PICTURES = 100_000


def main(rows: int) -> None:
    """Print the figures."""
    ids = np.random.default_rng(0).integers(0, 1 << 64, rows, np.uint64, endpoint=False)
    digests = [f"{number:032x}" for number in range(_PICTURES)]
    places = (np.arange(rows) * _PICTURES // rows).astype(np.int32)  # the engine goes from picture to picture
    with TemporaryDirectory() as folder:
        storage = StorageFolder(Path(folder))
        _show("a plan of nothing answered", _missing(storage, ids, places, digests), rows)
        first, last = _filled(storage, ids, places, digests)
        print(f"{rows:,} answers added, {first:,.0f} a second in the first tenth, {last:,.0f} in the last")
        parts = storage.names("answers/")
        size = sum(storage.path(name).stat().st_size for name in parts)
        print(f"  {len(parts)} parts after the merge, {size / rows:.1f} bytes an answer")
        _show("a plan of everything answered", _missing(storage, ids, places, digests), 0)
        half = np.concatenate([ids[::2], ids[::2] ^ np.uint64(1)])
        halves = np.concatenate([places[::2], places[::2]])
        _show("a plan of half answered", _missing(storage, half, halves, digests), len(ids[::2]))
        with _timed() as taken:
            found = read_answers(storage, _MODEL, ["query", "trial", "value", "state", "score"])
        assert found.num_rows == rows
        print(f"reading what scores need: {taken}")
    with TemporaryDirectory() as folder:
        _many_parts(StorageFolder(Path(folder)), ids[:100_000])
    print(f"at most {getrusage(RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")


def _filled(
    storage: StorageFolder, ids: NDArray[np.uint64], places: NDArray[np.int32], digests: list[str]
) -> tuple[float, float]:
    said, tenth, marks = Answer.of("yes"), len(ids) // 10, [perf_counter()]
    with AnswerLog(storage, _MODEL) as log:
        for number in range(10):
            start, stop = number * tenth, (number + 1) * tenth if number < 9 else len(ids)
            for at in range(start, stop, _BATCH):
                log.add(_batch(ids[at : min(at + _BATCH, stop)], places[at : min(at + _BATCH, stop)], digests, said))
            marks.append(perf_counter())
    return tenth / (marks[1] - marks[0]), (len(ids) - 9 * tenth) / (marks[-1] - marks[-2])


def _batch(
    ids: NDArray[np.uint64], places: NDArray[np.int32], digests: list[str], said: Answer
) -> Iterator[StoredAnswer]:
    return ((query, 0, said, digests[place], 0.001) for query, place in zip(ids.tolist(), places.tolist(), strict=True))


def _missing(
    storage: StorageFolder, ids: NDArray[np.uint64], places: NDArray[np.int32], digests: list[str]
) -> tuple[int, "Taken"]:
    column = pa.DictionaryArray.from_arrays(pa.array(places), pa.array(digests))
    plan = pa.table({"query": ids, "trial": np.zeros(len(ids), np.uint16), "digest": column})
    with AnswerLog(storage, _MODEL) as log, _timed() as taken:
        left = log.missing(plan).num_rows
    return left, taken


def _many_parts(storage: StorageFolder, ids: NDArray[np.uint64]) -> None:
    """A slow model puts a part every second; killed after half an hour, it has merged all but the last ones."""
    log, said = AnswerLog(storage, _MODEL), Answer.of("yes")
    with _timed() as taken:
        for some in np.array_split(ids, 2000):
            log.add((query, 0, said, "", 0.1) for query in some.tolist())
            log.flush()
    print(
        f"2,000 parts of {len(ids) // 2000} answers: {1000 * taken.clock / 2000:.1f} ms each, "
        f"{len(storage.names())} left"
    )


def _show(what: str, found: tuple[int, "Taken"], expected: int) -> None:
    assert found[0] == expected, f"{found[0]} rows are missing, not {expected}"
    print(f"{what}: {found[1]}")


@dataclass
class Taken:
    """Seconds by the clock, and of all processors."""

    clock: float = 0.0
    processors: float = 0.0

    def __str__(self) -> str:
        return f"{self.clock:.2f} s ({self.processors:.2f} s)"


@contextmanager
def _timed() -> Iterator[Taken]:
    taken, start, worked = Taken(), perf_counter(), process_time()
    yield taken
    taken.clock, taken.processors = perf_counter() - start, process_time() - worked


if __name__ == "__main__":
    main(10_000_000 if "--full" in sys.argv[1:] else 1_000_000)
