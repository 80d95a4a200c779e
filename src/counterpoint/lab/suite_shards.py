"""Suites from shards of items, in this process or in several; the suites are the same for any number of shards.

A shard surveys its items, and the statistics of all shards are merged. Then it proposes candidates for all suites in
one walk over its items, so that suites that share originals draw them once for each item. Of a suite with a limit the
samplers of all shards are merged, and each shard builds the groups of its own candidates that are kept; of other suites
it builds all groups at once.

Where items are on disk, a sampler holds no more of a candidate than numbers: those that are kept are proposed again.
"""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from multiprocessing import get_all_start_methods
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.core.groups import Group
from counterpoint.engine.frozen_objects import frozen_objects
from counterpoint.metrics.credit import best_answers
from counterpoint.sources.item_spool import ItemSpool
from counterpoint.store.groups import groups_table
from counterpoint.suites.balanced_sampling import Candidate, Quota, made_elsewhere
from counterpoint.suites.suite import REPETITION, Chooser, Mergeable, Rejection, Suite, Tally, propose_candidates

Limit: TypeAlias = int | Quota | None
"""How many groups of a suite are kept; None keeps all."""
Counts: TypeAlias = NDArray[np.int64]
_COUNTED = ["test", "group_id", "kind", "gold"]  # columns by which groups are told apart and counted
_CHUNK_GROUPS = 4096  # groups that are held before they become rows of a table
_ITEM, _SHARD = 1 << 16, 1 << 48  # a ticket has the shard, and the place of the item where items are not held


class SizedItems(Protocol):
    """Items whose number is known, and which can be walked several times."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...


@dataclass(frozen=True, slots=True)
class SuiteTask:
    """A suite to make, with the statistics of its survey; where these can be merged, the shards make them."""

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
        statistics = [_merged(own) for own in zip(*call("survey", [()] * processes), strict=True)]
        proposed = call("propose", [(statistics,)] * processes)
        suites = [_MergedSuite(own) for own in zip(*proposed, strict=True)]
        tables = call("build", [([suite.kept_of(shard) for suite in suites],) for shard in range(processes)])
    return [suite.built(own) for suite, own in zip(suites, zip(*tables, strict=True), strict=True)]


def usable_processes(wanted: int) -> int:
    """As many processes as wanted where they can share this one's memory, else one."""
    return wanted if "fork" in get_all_start_methods() else 1


class _Proposed(NamedTuple):
    """What a shard proposes for a suite: its sampler where there is a limit, and counts."""

    chooser: Chooser | None
    offered: Counter[str]  # candidates by kind
    tally: Tally


class SuiteShard:
    """The part of several suites that is made of some items."""

    profile = None

    def __init__(self, tasks: Sequence[SuiteTask], items: "ItemSlice", seed: int, number: int = 0) -> None:
        self._tasks, self._items, self._seed, self._number = tasks, items, seed, number
        self._parts = [_SuitePart(task, seed, number) for task in tasks]
        self._surveys = list(dict.fromkeys(task.suite.survey for task in tasks if _is_surveyed(task)))

    def __reduce__(self) -> tuple[type["SuiteShard"], tuple[Any, ...]]:
        return SuiteShard, (self._tasks, self._items.copy(), self._seed, self._number)  # before it proposes

    @property
    def is_held(self) -> bool:
        """Whether all items are in memory."""
        return self._items.is_held

    def survey(self) -> list[Any]:
        """The statistics of these items, of each survey that several suites may share."""
        return [survey(self._items) for survey in self._surveys if survey]

    def propose(self, statistics: Sequence[Any]) -> list[_Proposed]:
        """Propose candidates for all suites, with the statistics of all items."""
        surveyed = dict(zip(self._surveys, statistics, strict=True))
        for part, task in zip(self._parts, self._tasks, strict=True):
            part.statistics = surveyed[task.suite.survey] if _is_surveyed(task) else task.statistics
        is_held = self.is_held
        for place, item in enumerate(self._items):
            for part in self._parts:
                part.propose(item, None if is_held else place)
        proposed = [part.proposed for part in self._parts]
        if not is_held:
            for part in self._parts:
                part.reset()
        return proposed

    def build(self, kept: Sequence[Sequence[int]]) -> list[pa.Table]:
        """The tables of all suites, with the candidates of these numbers where there is a limit, in their order."""
        if self.is_held:
            for part, numbers in zip(self._parts, kept, strict=True):
                part.build_held(numbers)
        else:
            self._propose_again(kept)
        return [part.table() for part in self._parts]

    def _propose_again(self, kept: Sequence[Sequence[int]]) -> None:
        """Build candidates of these numbers from the items that they were proposed for, in one walk over these."""
        wanted = dict[int, list[set[int]]]()
        for suite, numbers in enumerate(kept):
            for place, own in (divmod(number, _ITEM) for number in numbers):
                wanted.setdefault(place, [set() for _ in kept])[suite].add(own)
        places = sorted(wanted)
        for place, item in zip(places, self._items.pick(places), strict=True):
            for part, own_places in zip(self._parts, wanted[place], strict=True):
                part.propose_again(item, own_places)


def _is_surveyed(task: SuiteTask) -> bool:
    """Whether shards make the statistics of a suite."""
    return task.suite.merges and task.statistics is None


def _merged(parts: Sequence[Mergeable]) -> Mergeable:
    """The statistics of all shards."""
    merged, *others = parts
    for other in others:
        merged.merge(other)
    return merged


class _SuitePart:
    """The candidates of one suite in one shard."""

    def __init__(self, task: SuiteTask, seed: int, shard: int) -> None:
        self._task, self._seed, self._shard = task, seed, shard
        self.statistics: object = None
        self.reset()
        self._groups, self._tables = list[Group](), list[pa.Table]()
        self._count = 0

    def reset(self) -> None:
        """Begin with no candidates: those that were proposed are held by whoever chooses."""
        self.proposed = _Proposed(self._task.suite.chooser(self._task.limit, self._seed), Counter(), Tally())

    def propose(self, item: Any, place: int | None) -> None:
        """Offer the candidates of an item to the sampler, or build their groups where there is none.

        Where the items are not held, `place` is that of the item.
        """
        chooser, offered, tally = self.proposed
        drafts = propose_candidates(self._task.suite, item, self.statistics, self._seed, tally)
        if chooser is None:
            for draft in drafts:
                self._add(draft if isinstance(draft, Group) else draft.make())
            return
        ticket = _SHARD * self._shard + (self._count if place is None else _ITEM * place)
        for draft in map(Candidate.of, drafts):
            offered[draft.kind] += 1
            make = draft.make if place is None else made_elsewhere
            chooser.add(Candidate(draft.kind, draft.number, draft.answer, draft.tags, make, ticket, draft.stratum))
            ticket += 1
        self._count = ticket % _SHARD

    def propose_again(self, item: Any, places: Collection[int]) -> None:
        """Build the candidates of an item that are in these places."""
        if places:
            drafts = propose_candidates(self._task.suite, item, self.statistics, self._seed, Tally())
            for draft in (draft for own, draft in enumerate(drafts) if own in places):
                self._add(draft if isinstance(draft, Group) else draft.make())

    def build_held(self, numbers: Iterable[int]) -> None:
        """Build the candidates of these numbers."""
        makes = self.proposed.chooser.makes() if self.proposed.chooser else {}
        for number in sorted(numbers):
            self._add(makes[_SHARD * self._shard + number]())

    def table(self) -> pa.Table:
        """The table of all groups that were built."""
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
        self._kept: list[tuple[int, int]] | None = None  # shards and numbers
        if chooser is not None:
            chosen = chooser.chosen()
            self._tally.drop_surplus(offered, chosen)
            self._kept = [_place_of(draft) for draft in chosen]

    def kept_of(self, shard: int) -> list[int]:
        """The numbers of the candidates of a shard that are kept, in order."""
        return [number for own, number in self._kept or () if own == shard]

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
        shards, numbers = np.array(self._kept, np.int64).reshape(-1, 2).T
        order[np.lexsort((numbers, shards))] = np.arange(groups)
        return [int(place) for place in order]


def _place_of(draft: Candidate) -> tuple[int, int]:
    """The shard of a candidate, and its number there."""
    assert draft.ticket is not None, "candidates come from shards"
    return divmod(draft.ticket, _SHARD)


_Call: TypeAlias = Callable[[str, Sequence[tuple[Any, ...]]], list[Any]]


@contextmanager
def _in_processes(shards: Sequence[SuiteShard]) -> Iterator[_Call]:
    """Calls a method of every shard: in this process if there is one, else in a forked process for each."""
    if len(shards) == 1:
        with frozen_objects():  # all items live on
            yield lambda method, arguments: [getattr(shards[0], method)(*arguments[0])]
        return
    from counterpoint.engine.worker_pool import call_workers  # slow to import
    from counterpoint.engine.worker_processes import WorkerProcesses

    names = [f"shard {number} of {len(shards)}" for number in range(1, len(shards) + 1)]
    workers = WorkerProcesses(partial(_enter_shard, shards), names, method="fork", exit_seconds=1.0)
    with frozen_objects():  # garbage collection in a child would copy what it shares
        for worker in range(len(shards)):
            workers.start(worker)
    try:
        yield partial(call_workers, workers)
    finally:
        workers.close()


def _enter_shard(shards: Sequence[SuiteShard], place: int, number: int, report: Callable[[Any], None]) -> SuiteShard:
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
        self._shard = SuiteShard((), ItemSlice(()), 0)

    def take(self, shard: SuiteShard) -> None:
        """Work on this shard from now on."""
        self._shard = shard

    def survey(self) -> list[Any]:
        """The statistics of the items of this shard."""
        return self._shard.survey()

    def propose(self, statistics: Sequence[Any]) -> list[_Proposed]:
        """Propose candidates for all suites."""
        return self._shard.propose(statistics)

    def build(self, kept: Sequence[Sequence[int]]) -> list[pa.Table]:
        """The tables of all suites."""
        return self._shard.build(kept)


class ItemSlice:
    """Items from one place to before another: read by themselves from the disk, else found by a walk from the first."""

    def __init__(self, items: Iterable[Any], first: int = 0, last: int | None = None) -> None:
        self._items, self._first, self._last = items, first, last

    @property
    def is_held(self) -> bool:
        """Whether items are in memory, or in a file of annotations."""
        return not isinstance(self._items, ItemSpool) or self._items.is_held

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._items, ItemSpool):
            return self._items.part(self._first, len(self._items) if self._last is None else self._last)
        return islice(self._items, self._first, self._last)

    def pick(self, places: Iterable[int]) -> Iterator[Any]:
        """The items in these places of the slice, which are in order; they are on disk."""
        assert isinstance(self._items, ItemSpool), "only items on disk are read again"
        return self._items.pick(self._first + place for place in places)

    def copy(self) -> "ItemSlice":
        """The slice without the other items, for another machine."""
        like = self._items if isinstance(self._items, ItemSpool) else ItemSpool[Any](sys.maxsize)
        return ItemSlice(like.copy(self))


def _cut(items: SizedItems, parts: int) -> list[ItemSlice]:
    if parts == 1:
        return [ItemSlice(items)]
    cuts = [len(items) * part // parts for part in range(parts + 1)]
    return [ItemSlice(items, first, last) for first, last in pairwise(cuts)]
