"""Whether any damaged file gives a traceback: `python -m benchmarks.damage [--count 2000] [--seconds 900]`.

For every data set in the catalog and every kind of value that it is read as, so many different damaged files are read,
each beside the other files of a small sample in the official layout. Hypothesis makes the damage, from fixed seeds:
keys dropped, values of other types, numbers without end, odd Unicode, bytes cut off or overwritten, keys and records
twice, lines for JSON, nesting without end, other separators, files that are missing or are something else. Each must
end in sound values with everything that was left out counted, or in our error, which names the file. The result files
of other tools, from which predictions are imported, are damaged and read in the same way. The operating system limits
the address space, so that a file that makes a reader take memory without bound is a fault, too.
"""

import argparse
import resource
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from itertools import count
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, process_time

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.append(str(Path(__file__).parents[1] / "tests" / "sources"))
from damage import Damaged, damaged
from result_samples import RESULTS
from source_samples import SAMPLES, Sample, put
from trials import Ending, data_sets, ending, missing, prediction_ending, put_in

ROUND = 100
ADDRESS_SPACE = 8 * 2**30
"""Bytes of the program's address space; libraries map more than they use."""
SLOW = 2.0
"""Seconds of the processor in which any of these small files must be read."""
Reader = Callable[[Sample, Path, Damaged], Ending]
"""How the reading of a folder with a damaged file ends."""


@dataclass(slots=True)
class Tally:
    """How the readings of one reader ended."""

    endings: Counter[str] = field(default_factory=Counter)
    seen: set[bytes] = field(default_factory=set)
    problems: dict[str, str] = field(default_factory=dict)
    slowest: float = 0.0

    def is_new(self, one: Damaged) -> bool:
        """Whether this very file was not read before."""
        content = b"" if one.content is None else one.content
        key = blake2b(f"{one.name} {one.is_gone} {one.content is None} ".encode() + content, digest_size=16).digest()
        if key in self.seen:
            return False
        self.seen.add(key)
        return True


def tallied(reader: Reader, samples: tuple[Sample, ...], files: int, end: float = inf) -> Tally:
    """So many different damaged files of the samples, read one by one, or as many as fit before a time."""
    tally = Tally()
    share = -(-files // len(samples))
    for number, sample in enumerate(samples, 1):
        with TemporaryDirectory() as folder:
            put(sample.contents, Path(folder))
            for round_ in count():
                if len(tally.seen) >= share * number or monotonic() >= end:
                    break
                _read_some(reader, sample, Path(folder), round_, share * number, tally)
    return tally


def _read_some(reader: Reader, sample: Sample, folder: Path, round_: int, most: int, tally: Tally) -> None:
    contents = sample.contents

    @seed(round_)
    @settings(
        max_examples=min(ROUND, most - len(tally.seen) + 10),
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(damaged(sample.files))
    def read(one: Damaged) -> None:
        if len(tally.seen) >= most or not tally.is_new(one):
            return
        start = process_time()
        with put_in(folder, contents, one):
            try:
                tally.endings[reader(sample, folder, one)] += 1
            except Exception as problem:
                what = "wrong values" if isinstance(problem, AssertionError) else "tracebacks"
                tally.endings[what] += 1
                tally.problems.setdefault(
                    _origin(problem), f"{one}\n    {type(problem).__name__}: {str(problem)[:300]}"
                )
        tally.slowest = max(tally.slowest, process_time() - start)

    read()


def _origin(problem: Exception) -> str:
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if frame.name != "_text"]
    return f"{type(problem).__name__} at {Path(frames[-1].filename).name}:{frames[-1].lineno}"


def readers() -> Iterator[tuple[str, Reader, tuple[Sample, ...]]]:
    """Every reader with its name and its samples: of a data set as one kind of value, or of predictions."""
    for name, dataset in data_sets().items():
        for kind in dataset.read:
            samples = tuple(sample for sample in SAMPLES.get(name, ()) if sample.kind == kind)
            yield f"{name} {kind}", partial(ending, dataset), samples
    for name, sample in RESULTS.items():
        yield f"import {name}", prediction_ending, (sample,)


def main() -> None:
    """Print a line for each reader, and what broke; the exit code is 1 if anything did."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=2000, help="damaged files of each reader")
    parser.add_argument("--only", action="append", help="read this data set alone")
    parser.add_argument("--seconds", type=float, default=inf, help="end after so many seconds, whatever the count")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    chosen = [row for row in readers() if not given.only or row[0].split()[0] in given.only]
    columns = [*map(str, Ending), "tracebacks", "wrong values"]
    print(f"{'reader':28}{'files':>8}", *(f"{column:>16}" for column in columns), "   slowest", sep="")
    broken, total, began = missing(), Counter[str](), monotonic()
    for place, (name, reader, samples) in enumerate(chosen, 1):
        end = began + given.seconds * place / len(chosen)
        tally = tallied(reader, samples, given.count, end) if samples else Tally()
        told = "".join(f"{tally.endings[column]:>16,}" for column in columns)
        print(f"{name:28}{len(tally.seen):>8,}{told}{1000 * tally.slowest:>7.0f} ms", flush=True)
        total += tally.endings
        broken += [f"{name}, {origin}: {said}" for origin, said in tally.problems.items()]
        if tally.slowest > SLOW:
            broken.append(f"{name}: a small file took {tally.slowest:.1f} s")
    print(f"{'all':28}{total.total():>8,}", *(f"{total[column]:>16,}" for column in columns), sep="")
    print(*broken, sep="\n", end="\n" if broken else "")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
