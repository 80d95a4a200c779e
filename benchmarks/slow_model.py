"""A slow model and a lab that it is asked about, for runs that are killed or go on side by side."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
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


def a_lab(folder: Path, queries: int, name: str = "some", first: int = 0) -> LabStore:
    """A lab with a suite of so many queries on pictures that nobody opens."""
    pictures = [Picture(f"nowhere:{n // 5}.png") for n in range(first, first + queries)]
    asked = [Query(picture, f"Is it {n}?") for n, picture in enumerate(pictures, first)]
    table = groups_table((("plain", Group(Relation.SAME, (query,), (None,))) for query in asked), name)
    lab = LabStore(folder)
    lab.put_suite(Manifest.of(table, generator="benchmarks.slow_model:a_lab", seed=0), table)
    return lab


def started(lab: LabStore, model: str = "slow") -> subprocess.Popen[bytes]:
    """A process that asks a model of this page everything that is missing in the lab."""
    words = [sys.executable, "-c", RUN, str(lab.folder.resolve()), "--model", f"benchmarks.slow_model:{model}"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    return subprocess.Popen(words, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


def said(lab: LabStore, fingerprint: str) -> pa.Table:
    """What a model said, by query."""
    return lab.read_answers(fingerprint, COLUMNS).sort_by("query").combine_chunks()


def rows(lab: LabStore, fingerprint: str) -> int:
    """How many rows its parts hold, which is more than its answers if any was given twice."""
    parts = (lab.folder / "answers" / slug(fingerprint)).glob("[!.]*.parquet")
    return sum(pq.read_metadata(part).num_rows for part in parts)
