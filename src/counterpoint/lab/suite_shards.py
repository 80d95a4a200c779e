"""Suites from shards of items, in this process or in several; the suites are the same for any number of shards.

A shard proposes candidates for all suites in one walk over its items, so that suites that share originals draw them
once for each item. Of a suite with a limit the samplers of all shards are merged, and each shard builds the groups of
its own candidates that are kept; of other suites it builds all groups at once.
"""

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from multiprocessing import get_all_start_methods
from typing import Any, NamedTuple, Protocol, TypeAlias
from weakref import WeakValueDictionary

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.core.groups import Group
from counterpoint.metrics.credit import best_answers
from counterpoint.store.groups import groups_table
from counterpoint.suites.balanced_sampling import Candidate, Quota
from counterpoint.suites.suite import REPETITION, Chooser, Rejection, Suite, Tally, propose_candidates

Limit: TypeAlias = int | Quota | None
"""How many groups of a suite are kept; None keeps all."""
Counts: TypeAlias = NDArray[np.int64]
_COUNTED = ["test", "group_id", "kind", "gold"]  # columns by which groups are told apart and counted
_CHUNK_GROUPS = 4096  # groups that are held before they become rows of a table


class SizedItems(Protocol):
    """Items whose number is known, and which can be walked several times."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """A suite to make, with the statistics of its survey."""

    suite: Suite[Any, Any]
    stored_as: str
    statistics: object = None
    limit: Limit = None


@dataclass(frozen=True, slots=True)
class BuiltSuite:
    """The table of a suite, and what was kept and rejected."""

    table: pa.Table
    tally: Tally


def build_suites(
    tasks: Sequence[SuiteTask], items: SizedItems, seed: int, *, processes: int = 1, engine: str = ""
) -> list[BuiltSuite]:
    """Make suites from the same items, in processes of this machine or actors on Ray.

    Each suite is what `generate_groups` makes.
    """
    shards = [SuiteShard(tasks, part, seed, number) for number, part in enumerate(_cut(items, processes))]
    with (_on_ray if engine == "ray" else _in_processes)(shards) as call:
        proposed = call("propose", [()] * processes)
        suites = [_MergedSuite(own) for own in zip(*proposed, strict=True)]
        tables = call("build", [([suite.kept_of(shard) for suite in suites],) for shard in range(processes)])
    return [suite.built(own) for suite, own in zip(suites, zip(*tables, strict=True), strict=True)]


def usable_processes(wanted: int) -> int:
    """As many processes as wanted where they can share this one's memory, else one."""
    return wanted if "fork" in get_all_start_methods() else 1


class _Handle:
    """Builds the group of a candidate; in other processes it only says which shard does, and under which number."""

    __slots__ = ("__weakref__", "build", "number", "shard")

    def __init__(self, shard: int, number: int, build: Callable[[], Group] | None = None) -> None:
        self.shard, self.number, self.build = shard, number, build

    def __reduce__(self) -> tuple[type["_Handle"], tuple[int, int]]:
        return _Handle, (self.shard, self.number)

    def __call__(self) -> Group:
        assert self.build is not None, "a group is built in the shard of its candidate"
        return self.build()


class _Proposed(NamedTuple):
    """What a shard proposes for a suite: its sampler where there is a limit, and counts."""

    chooser: Chooser | None
    offered: Counter[str]  # candidates by kind
    tally: Tally


class SuiteShard:
    """The part of several suites that is made of some items."""

    profile = None

    def __init__(self, tasks: Sequence[SuiteTask], items: Iterable[Any], seed: int, number: int = 0) -> None:
        self._tasks, self._items, self._seed, self._number = tasks, items, seed, number
        self._parts = [_SuitePart(task, seed, number) for task in tasks]

    def __reduce__(self) -> tuple[type["SuiteShard"], tuple[Any, ...]]:
        return SuiteShard, (self._tasks, list(self._items), self._seed, self._number)  # before it proposes

    def propose(self) -> list[_Proposed]:
        """Propose candidates for all suites."""
        for item in self._items:
            for part in self._parts:
                part.propose(item)
        return [part.proposed for part in self._parts]

    def build(self, kept: Sequence[Sequence[int]]) -> list[pa.Table]:
        """The tables of all suites, with the candidates of these numbers where there is a limit, in this order."""
        return [part.build(numbers) for part, numbers in zip(self._parts, kept, strict=True)]


class _SuitePart:
    """The candidates of one suite in one shard."""

    def __init__(self, task: SuiteTask, seed: int, shard: int) -> None:
        self._task, self._seed, self._shard = task, seed, shard
        self.proposed = _Proposed(task.suite.chooser(task.limit, seed), Counter(), Tally())
        self._handles = WeakValueDictionary[int, _Handle]()  # of the candidates that the sampler holds
        self._groups, self._tables = list[Group](), list[pa.Table]()
        self._count = 0

    def propose(self, item: Any) -> None:
        """Offer the candidates of an item to the sampler, or build their groups where there is none."""
        chooser, offered, tally = self.proposed
        task = self._task
        for draft in propose_candidates(task.suite, item, task.statistics, self._seed, tally):
            if chooser is None:
                self._add(draft if isinstance(draft, Group) else draft.make())
                continue
            kind, number, answer, tags, build = Candidate.of(draft)
            handle = self._handles[self._count] = _Handle(self._shard, self._count, build)
            self._count += 1
            offered[kind] += 1
            chooser.add(Candidate(kind, number, answer, tags, handle))

    def build(self, numbers: Iterable[int]) -> pa.Table:
        """The table of all groups, or of those with these numbers."""
        for number in numbers:
            self._add(self._handles[number]())
        self._convert()
        return pa.concat_tables(self._tables)

    def _add(self, group: Group) -> None:
        self._groups.append(group)
        if len(self._groups) >= _CHUNK_GROUPS:
            self._convert()

    def _convert(self) -> None:
        name = self._task.suite.name
        self._tables.append(groups_table([(group.test or name, group) for group in self._groups], self._task.stored_as))
        self._groups.clear()


class _MergedSuite:
    """The candidates of one suite in all shards, and which of them are kept."""

    def __init__(self, shards: Sequence[_Proposed]) -> None:
        (chooser, offered, self._tally), *others = shards
        for other in others:
            offered.update(other.offered)
            self._tally.dropped.update(other.tally.dropped)
            if chooser is not None and other.chooser is not None:
                chooser.merge(other.chooser)
        self._kept: list[_Handle] | None = None
        if chooser is not None:
            chosen = chooser.chosen()
            self._tally.drop_surplus(offered, chosen)
            self._kept = [draft.make for draft in chosen if isinstance(draft.make, _Handle)]

    def kept_of(self, shard: int) -> list[int]:
        """The numbers of the candidates of a shard that are kept, in order."""
        return [handle.number for handle in self._kept or () if handle.shard == shard]

    def built(self, tables: Sequence[pa.Table]) -> BuiltSuite:
        """The suite, from the tables of all shards: groups in the order of the sampler or of the items, each once."""
        table = pa.concat_tables(tables).combine_chunks()
        starts = np.flatnonzero(table["role"].to_numpy() == 0)
        sizes = np.diff(starts, append=len(table))
        kept = self._drop_repetitions(table.select(_COUNTED).take(pa.array(starts)), sizes)
        if not np.array_equal(kept, np.arange(len(starts))):
            rows, ends = sizes[kept], np.cumsum(sizes[kept])
            places = np.repeat(starts[kept] - ends + rows, rows) + np.arange(rows.sum())
            table = table.take(pa.array(places)).combine_chunks()
        return BuiltSuite(table, self._tally)

    def _drop_repetitions(self, bases: pa.Table, sizes: Counts) -> Counts:
        """The groups that are kept, in order, as `suites.suite.drop_repetitions` keeps them; all are counted."""
        tests, ids, kinds = (bases[name].to_pylist() for name in _COUNTED[:3])
        has_variants = (sizes > 1).tolist()
        seen, kept = set[tuple[str, int]](), list[int]()
        for place in self._order(len(ids)):
            if (key := (tests[place], ids[place])) in seen:
                self._tally.drop(Rejection(kinds[place], REPETITION))
                continue
            if has_variants[place]:
                seen.add(key)
            kept.append(place)
        answers = best_answers(bases["gold"]).fill_null("").to_pylist()
        self._tally.kept.update((kinds[place], answers[place]) for place in kept)
        return np.array(kept, np.int64)

    def _order(self, groups: int) -> Iterable[int]:
        """The groups in the order of the sampler, by their positions in the tables of all shards."""
        if self._kept is None:
            return range(groups)
        order = np.empty(groups, np.int64)
        order[np.argsort([handle.shard for handle in self._kept], kind="stable")] = np.arange(groups)
        return [int(place) for place in order]


_Call: TypeAlias = Callable[[str, Sequence[tuple[Any, ...]]], list[Any]]


@contextmanager
def _in_processes(shards: Sequence[SuiteShard]) -> Iterator[_Call]:
    """Calls a method of every shard: in this process if there is one, else in a forked process for each."""
    if len(shards) == 1:
        yield lambda method, arguments: [getattr(shards[0], method)(*arguments[0])]
        return
    from counterpoint.engine.worker_pool import call_workers  # slow to import
    from counterpoint.engine.worker_processes import WorkerProcesses

    names = [f"shard {number} of {len(shards)}" for number in range(1, len(shards) + 1)]
    workers = WorkerProcesses(partial(_enter_shard, shards), names, method="fork", exit_seconds=1.0)
    gc.freeze()  # garbage collection in a child would copy what it shares
    try:
        for worker in range(len(shards)):
            workers.start(worker)
    finally:
        gc.unfreeze()
    try:
        yield partial(call_workers, workers)
    finally:
        workers.close()


def _enter_shard(shards: Sequence[SuiteShard], place: int, number: int, report: Callable[[Any], None]) -> SuiteShard:
    gc.disable()  # nearly all objects live until the end
    return shards[place]


@contextmanager
def _on_ray(shards: Sequence[SuiteShard]) -> Iterator[_Call]:
    """Calls a method of every shard in an actor for each, which gets the items of its shard and no others."""
    from counterpoint.engine.ray_workers import RayWorkers
    from counterpoint.engine.worker_pool import call_workers

    workers = RayWorkers(_ShardHolder, len(shards))
    try:
        for worker in range(len(shards)):
            workers.start(worker)
        call_workers(workers, "take", [(shard,) for shard in shards])
        yield partial(call_workers, workers)
    finally:
        workers.close()


class _ShardHolder:
    """A shard in an actor."""

    profile = None

    def __init__(self, place: int, number: int, report: Callable[[Any], None]) -> None:
        self._shard = SuiteShard((), (), 0)

    def take(self, shard: SuiteShard) -> None:
        """Work on this shard from now on."""
        self._shard = shard

    def propose(self) -> list[_Proposed]:
        """Propose candidates for all suites."""
        return self._shard.propose()

    def build(self, kept: Sequence[Sequence[int]]) -> list[pa.Table]:
        """The tables of all suites."""
        return self._shard.build(kept)


def _cut(items: SizedItems, parts: int) -> list[Iterable[Any]]:
    """Slices of the items; a process walks from the first to the end of its slice, since some are read from files."""
    if parts == 1:
        return [items]
    cuts = [len(items) * part // parts for part in range(parts + 1)]
    return [islice(items, first, last) for first, last in pairwise(cuts)]
