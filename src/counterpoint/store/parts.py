"""Parts: a table as a log of Parquet files, each put whole under a name that no other writer can take."""

import re
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from secrets import token_hex

import pyarrow as pa

from counterpoint.store.storage import FileMissing, Storage
from counterpoint.store.tables import TABLES, read_parquet, to_parquet

READERS = 16
"""Files that are read at once: reading waits for the disk or the network more than it computes."""
_TIME, _STAMP = "%Y%m%dT%H%M%S.%f", re.compile(r"\d{8}T\d{6}\.\d{6}")
_NAME = re.compile(r"(?P<run>.+)-(?P<first>\d{8,})(?:_(?P<last>\d{8,}))?\.parquet")
WORKER_PARTS = 10**8
"""Each worker of a run numbers its parts from its own multiple of this."""


def new_run_name(now: datetime | None = None, before: Iterable[str] = ()) -> str:
    """A name for a run: its time, so that names sort, and random digits, so that no two are the same.

    It sorts after the names of runs `before`, also where the clock was set back since (a hybrid logical clock).

    >>> new_run_name(datetime(2026, 11, 16), ["20261116T120000.000000-0badcafe"]).partition("-")[0]
    '20261116T120000.000001'
    """
    time = now or datetime.now(UTC)
    stamps = [stamp for name in before if _STAMP.fullmatch(stamp := name.partition("-")[0])]
    if stamps and max(stamps) >= time.strftime(_TIME):
        time = datetime.strptime(max(stamps), _TIME) + timedelta(microseconds=1)
    return f"{time.strftime(_TIME)}-{token_hex(4)}"


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of this run: the range of its flushes, its rows, and how often it was merged."""

    first: int
    last: int
    rows: int
    level: int = 0


@dataclass(frozen=True, slots=True)
class PartPolicy:
    """When gathered rows become a part, and when parts are merged (a log-structured merge)."""

    part_rows: int = 20_000
    part_seconds: float = 1.0
    full_rows: int = 1_000_000  # a part of this size is not merged again
    merge_parts: int = 64  # so many parts of one level become one of the next


DEFAULT_POLICY = PartPolicy()
"""The policy of logs that are given none."""


class PartLog:
    """The parts of one run in a folder. Readers see each row once at any time, also after a kill.

    Only the run itself merges its parts; `sweep`, `merge` and `adopt` are called under the lock of the folder. A run
    may have workers, each with a log of its own, whose parts are numbered apart.
    """

    def __init__(
        self,
        storage: Storage,
        folder: str,
        table: str,
        run: str,
        policy: PartPolicy = DEFAULT_POLICY,
        worker: int = 0,
    ) -> None:
        self._storage, self._folder, self._table, self._run, self._policy = storage, folder, table, run, policy
        self._count = worker * WORKER_PARTS
        self._parts: list[_Part] = []

    @property
    def next_number(self) -> int:
        """The number of the part that is put next."""
        return self._count

    def put(self, rows: pa.Table) -> None:
        """Write a part durably."""
        part = _Part(self._count, self._count, rows.num_rows)
        self._count += 1
        self._put(part, rows)

    def compact(self) -> None:
        """Where there are many parts of one level, merge them."""
        while len(parts := self._same_level()) >= self._policy.merge_parts:
            self._merge(parts)

    def merge(self) -> None:
        """Merge the parts of this run into few."""
        waiting: list[_Part] = []
        for part in [*self._parts, _Part(0, 0, self._policy.full_rows)]:
            if sum(held.rows for held in waiting) + part.rows > self._policy.full_rows:
                if len(waiting) > 1:
                    self._merge(waiting)
                waiting = []
            waiting.append(part)

    def adopt(self) -> Iterator[pa.Table]:
        """Take over the parts of all workers of this run, to merge them; yields their rows, part by part."""
        names = parts_by_run(self._storage, self._folder).get(self._run, [])
        self._parts = []
        for name in names:
            match = _NAME.fullmatch(name)
            assert match is not None, f"{name} is a part"
            rows = read_parquet(self._storage, name, self._table)
            first, last = int(match["first"]), match["last"]
            self._parts.append(_Part(first, int(last or first), rows.num_rows, int(last is not None)))
            yield rows

    def sweep(self) -> None:
        """Delete what killed runs left behind: drafts, and parts that a merged one contains."""
        self._storage.sweep(self._folder)
        for name in sorted(_covered(self._storage.names(f"{self._folder}/"))):
            self._storage.delete(name)

    def _same_level(self) -> list[_Part]:
        """The newest parts of one merge level."""
        parts: list[_Part] = []
        for part in reversed(self._parts):
            if part.rows >= self._policy.full_rows or part.level != self._parts[-1].level:
                break
            parts.insert(0, part)
        return parts

    def _merge(self, parts: Sequence[_Part]) -> None:
        tables = [read_parquet(self._storage, self._name(part), self._table) for part in parts]
        whole = _Part(parts[0].first, parts[-1].last, sum(part.rows for part in parts), parts[-1].level + 1)
        place = self._parts.index(parts[0])
        self._put(whole, pa.concat_tables(tables).combine_chunks())
        for part in parts:
            self._parts.remove(part)
            self._storage.delete(self._name(part))
        self._parts.insert(place, self._parts.pop())

    def _put(self, part: _Part, table: pa.Table) -> None:
        self._storage.put(self._name(part), to_parquet(table))
        self._parts.append(part)

    def _name(self, part: _Part) -> str:
        span = f"_{_digits(part.last)}" if part.level else ""
        return f"{self._folder}/{self._run}-{_digits(part.first)}{span}.parquet"


def _digits(number: int) -> str:
    """The number of a part, so that names sort as numbers do."""
    return f"{number:08}" if number < WORKER_PARTS else f"{number:012}"


def read_parts(
    storage: Storage, folder: str, table: str, columns: Sequence[str] | None = None, encoded: Sequence[str] = ()
) -> pa.Table:
    """All parts of a table in a folder, the oldest first; only these columns, if named; `encoded` as dictionaries."""
    wanted = list(columns or TABLES[table].names)
    read = partial(read_parquet, storage, table=table, columns=wanted, encoded=encoded)
    for _ in range(100):
        try:
            with ThreadPoolExecutor(READERS) as threads:
                tables = list(threads.map(read, list_parts(storage, folder)))
        except FileMissing:
            continue  # a run merged its parts after they were listed
        return pa.concat_tables(tables) if tables else TABLES[table].empty_table().select(wanted)
    fact = f"the parts in {storage.describe(folder)} vanish while they are read"
    raise FileMissing(fact, hint="is another program deleting them?")


def list_parts(storage: Storage, folder: str) -> list[str]:
    """The names of the parts in a folder, the oldest first, without those that a merge left."""
    names = storage.names(f"{folder}/")
    covered = _covered(names)
    return [name for name in names if name not in covered and name.endswith(".parquet")]


def parts_by_run(storage: Storage, folder: str) -> dict[str, list[str]]:
    """The names of the parts in a folder by the run that wrote them, in its order, without those that a merge left."""
    names = storage.names(f"{folder}/")
    covered, runs = _covered(names), dict[str, list[str]]()
    for name in names:
        if name not in covered and (match := _NAME.fullmatch(name.rpartition("/")[2])):
            runs.setdefault(match["run"], []).append(name)
    return runs


def part_number(name: str) -> tuple[str, int]:
    """The run that wrote a part, and the number of the part, or of the first that was merged into it.

    >>> part_number("votes/20261116T120000.000000-0badcafe-00000003.parquet")
    ('20261116T120000.000000-0badcafe', 3)
    """
    match = _NAME.fullmatch(name.rpartition("/")[2])
    return (match["run"], int(match["first"])) if match else ("", 0)


def _covered(names: Iterable[str]) -> set[str]:
    """The parts that a merged one contains, left behind by a killed run."""
    matches = [match for name in names if (match := _NAME.fullmatch(name))]
    spans = [(match["run"], int(match["first"]), -int(match["last"] or match["first"]), match[0]) for match in matches]
    covered, run, reach = set(), "", -1
    for its_run, first, last, name in sorted(spans):  # of parts that begin parts, the longest comes first
        if its_run != run:
            run, reach = its_run, -1
        if -last <= reach:
            covered.add(name)
        elif -last > first:
            reach = -last
    return covered
