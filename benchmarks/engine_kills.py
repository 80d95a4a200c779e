"""Whether a run killed again and again ends like one that never was: `python -m benchmarks.engine_kills [KILLS]`.

A process of its own asks a slow model about a suite; it is killed with SIGKILL at a random moment, started again,
killed again, and at last let through. Its answers are held against those of a run that nobody killed.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from counterpoint.core.groups import Answer, Group, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pictures, PlacedAnswer
from counterpoint.store.answers import slug
from counterpoint.store.groups import groups_table
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest

ROOT = Path(__file__).parents[1]
RUN = "import sys; sys.path.append(''); from counterpoint.cli.run import command; command()"
COLUMNS = ["query", "trial", "raw", "value", "state"]


class Slow:
    """Takes its time over each answer, which follows from the query alone."""

    def __init__(self, pictures: Pictures, seconds: float = 0.001, name: str = "slow") -> None:
        self.fingerprint, self._seconds = name, seconds

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """The text, a little later."""
        for place, query in enumerate(queries):
            time.sleep(self._seconds)
            yield place, Answer.of(query.text.upper())


def slow(pictures: Pictures) -> Slow:
    """The model of this page."""
    return Slow(pictures)


def other(pictures: Pictures) -> Slow:
    """Another model that says the same."""
    return Slow(pictures, name="other")


@dataclass(frozen=True, slots=True)
class Ended:
    """How it ended: how often a process was killed at work, how many rows are on disk, and what they say."""

    kills: int
    rows: int
    answers: pa.Table


def a_lab(folder: Path, queries: int, name: str = "some", first: int = 0) -> LabStore:
    """A lab with a suite of so many queries on pictures that nobody opens."""
    pictures = [Picture(f"nowhere:{n // 5}.png") for n in range(first, first + queries)]
    asked = [Query(picture, f"Is it {n}?") for n, picture in enumerate(pictures, first)]
    table = groups_table((("plain", Group(Relation.SAME, (query,), (None,))) for query in asked), name)
    lab = LabStore(folder)
    lab.put_suite(Manifest.of(table, generator="benchmarks.engine_kills:a_lab", seed=0), table)
    return lab


def started(lab: LabStore, model: str = "slow") -> subprocess.Popen[bytes]:
    """A process that asks a model of this page everything that is missing in the lab."""
    words = [sys.executable, "-c", RUN, str(lab.folder.resolve()), "--model", f"benchmarks.engine_kills:{model}"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    return subprocess.Popen(words, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


def ended(lab: LabStore, kills: int, seed: int = 0) -> Ended:
    """Kill so many processes at random moments, let the next one through, and look at what is there."""
    luck, killed = random.Random(seed), 0
    for _ in range(kills):
        process = started(lab)
        _wait_for_work(process, lab)
        time.sleep(luck.uniform(0, 1))
        killed += process.poll() is None
        process.kill()
        process.wait()
    assert started(lab).wait() == 0, "the last run did not end well"
    return Ended(killed, rows(lab, "slow"), said(lab, "slow"))


def said(lab: LabStore, fingerprint: str) -> pa.Table:
    """What a model said, by query."""
    return lab.read_answers(fingerprint, COLUMNS).sort_by("query").combine_chunks()


def rows(lab: LabStore, fingerprint: str) -> int:
    """How many rows its parts hold, which is more than its answers if any was given twice."""
    parts = (lab.folder / "answers" / slug(fingerprint)).glob("[!.]*.parquet")
    return sum(pq.read_metadata(part).num_rows for part in parts)


def _wait_for_work(process: subprocess.Popen[bytes], lab: LabStore) -> None:
    """Until the process holds the lock of its model, since before that there is nothing to break."""
    lock = lab.folder / "answers" / slug("slow") / ".lock"
    while process.poll() is None and not (lock.exists() and f"process {process.pid} " in lock.read_text()):
        time.sleep(0.01)


def main(kills: int = 25) -> None:
    """Print whether both ended the same."""
    with tempfile.TemporaryDirectory() as folder:
        queries = 800 * kills
        whole = ended(a_lab(Path(folder) / "whole", queries), 0)
        broken = ended(a_lab(Path(folder) / "broken", queries), kills)
        alike = "the same answers" if broken.answers.equals(whole.answers) else "OTHER ANSWERS"
        once = pc.count_distinct(broken.answers["query"]).as_py() == broken.rows == queries
        print(
            f"killed {broken.kills} times at work: {alike}, {'each' if once else 'NOT each'} once, {queries:,} in all"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
