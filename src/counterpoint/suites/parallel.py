"""Several suites from the same items in one pass, in this process or in several forked ones, with the same result.

Suites that share originals draw them once for each item. Each worker process proposes candidates for a part of the
items and sends their keys; the parent samples from all keys, and each worker packs the groups of its part that are
kept.
"""

import gc
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from counterpoint.core.groups import Group
from counterpoint.suites.balanced_sampling import BalancedSampler, CandidateKey, Quota, UnlimitedSampler
from counterpoint.suites.suite import SURPLUS, Suite, Tally, propose_candidates

Limit: TypeAlias = int | Quota | None
Pack: TypeAlias = Callable[[str, Sequence[Group]], Any]
"""Converts the groups of a suite in the worker that built them, for example to a table."""


@dataclass(slots=True)
class PackedSuite:
    """The kept groups of one suite: packed parts, and for each group in order its part and its number of rows."""

    tally: Tally
    parts: list[Any] = field(default_factory=list)
    order: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class _Share:
    """The candidates of one worker for one suite."""

    chooser: BalancedSampler | UnlimitedSampler
    tally: Tally


def generate_together(
    suites: Sequence[Suite[Any, Any]],
    items: Sequence[Any],
    seed: int = 0,
    limits: Mapping[str, Limit] | None = None,
    *,
    pack: Pack = lambda name, groups: list(groups),
    processes: int = 1,
) -> dict[str, PackedSuite]:
    """Generate several suites; each keeps what `generate` would keep."""
    limits = limits or {}
    statistics = shared_surveys(suites, items)
    makers = [(suite, statistics.get(suite.name), limits.get(suite.name)) for suite in suites]
    count = processes if "fork" in get_all_start_methods() else 1
    cuts = [len(items) * part // count for part in range(count + 1)]
    parts = [items[start:stop] for start, stop in pairwise(cuts)]
    workers = _start_workers(makers, parts, seed, pack)
    shares = [worker.shares() for worker in workers]
    packed_suites, keys = dict[str, PackedSuite](), dict[str, list[tuple[int, CandidateKey]]]()
    for suite, _, _ in makers:
        parts_of_suite = [share[suite.name] for share in shares]
        keys[suite.name] = _merge_kept([share.chooser for share in parts_of_suite])
        packed_suites[suite.name] = PackedSuite(_merge_tallies(parts_of_suite, keys[suite.name]))
    packed = [
        worker.packed({name: [key for part, key in rows if part == n] for name, rows in keys.items()})
        for n, worker in enumerate(workers)
    ]
    for name, batch in packed_suites.items():
        sizes = [iter(rows) for rows in (part[name][1] for part in packed)]
        batch.parts = [part[name][0] for part in packed]
        for part, _ in keys[name]:
            rows, kind, answer = next(sizes[part])
            batch.order.append((part, rows))
            batch.tally.kept[kind, answer] += 1
    return packed_suites


def shared_surveys(suites: Sequence[Suite[Any, Any]], items: Sequence[Any]) -> dict[str, object]:
    """The statistics of each suite that has a survey; suites with the same survey share one."""
    by_survey, by_suite = dict[Any, object](), dict[str, object]()
    for suite in suites:
        if suite.survey is not None:
            if suite.survey not in by_survey:
                by_survey[suite.survey] = suite.survey(items)
            by_suite[suite.name] = by_survey[suite.survey]
    return by_suite


_Maker: TypeAlias = tuple[Suite[Any, Any], object, Limit]
_Rows: TypeAlias = tuple[Any, list[tuple[int, str, str]]]


class _Worker:
    """Generates its part of the groups in this process."""

    def __init__(self, makers: Sequence[_Maker], items: Sequence[Any], seed: int, pack: Pack) -> None:
        self._makers, self._items, self._seed, self._pack = makers, items, seed, pack
        self._shares: dict[str, _Share] = {}

    def shares(self) -> dict[str, _Share]:
        """Propose all candidates."""
        for suite, _, limit in self._makers:
            chooser = UnlimitedSampler() if limit is None else BalancedSampler(limit, self._seed)
            self._shares[suite.name] = _Share(chooser, Tally())
        for item in self._items:
            for suite, statistics, _ in self._makers:
                share = self._shares[suite.name]
                for draft in propose_candidates(suite, item, statistics, self._seed, share.tally):
                    share.chooser.add(draft)
        return self._shares

    def packed(self, keys: Mapping[str, Sequence[CandidateKey]]) -> dict[str, _Rows]:
        """Pack the groups with these keys, in this order."""
        packed = dict[str, _Rows]()
        for name, share in self._shares.items():
            groups = [share.chooser[key] for key in keys[name]]
            sizes = [(len(group.queries), group.kind, gold.best if (gold := group.gold[0]) else "") for group in groups]
            packed[name] = (self._pack(name, groups), sizes)
        return packed


class _ForkedWorker:
    """Generates its part of the groups in a forked process, which shares the memory of the parent."""

    def __init__(self, makers: Sequence[_Maker], items: Sequence[Any], seed: int, pack: Pack) -> None:
        context = get_context("fork")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, _Worker(makers, items, seed, pack)), daemon=True)
        self._process.start()
        other.close()

    def shares(self) -> dict[str, _Share]:
        """The candidates, without the groups."""
        shares: dict[str, _Share] = self._receive()
        return shares

    def packed(self, keys: Mapping[str, Sequence[CandidateKey]]) -> dict[str, _Rows]:
        """Pack the groups with these keys, in this order."""
        self._pipe.send(keys)
        packed: dict[str, _Rows] = self._receive()
        self._process.join()
        return packed

    def _receive(self) -> Any:
        try:
            reply = self._pipe.recv()
        except EOFError:
            raise RuntimeError("a worker process ended early") from None
        if isinstance(reply, BaseException):
            raise reply
        return reply


def _start_workers(
    makers: Sequence[_Maker], parts: Sequence[Sequence[Any]], seed: int, pack: Pack
) -> Sequence[_Worker | _ForkedWorker]:
    """One worker per part; existing objects are frozen, since garbage collection in a child would copy them."""
    if len(parts) == 1:
        return [_Worker(makers, parts[0], seed, pack)]
    gc.freeze()
    try:
        return [_ForkedWorker(makers, part, seed, pack) for part in parts]
    finally:
        gc.unfreeze()


def _serve(pipe: Connection, worker: _Worker) -> None:
    gc.disable()  # nearly all objects live until the end
    try:
        shares = worker.shares()
        pipe.send({name: _Share(share.chooser.bare(), share.tally) for name, share in shares.items()})
        pipe.send(worker.packed(pipe.recv()))
    except Exception as problem:  # raised again in the parent
        pipe.send(problem)


def _merge_kept(choosers: Sequence[BalancedSampler | UnlimitedSampler]) -> list[tuple[int, CandidateKey]]:
    """The keys that are kept of all parts, in order, each with its part."""
    whole = choosers[0].bare()
    for other in choosers[1:]:
        whole.absorb(other)
    owners = {key: part for part, chooser in reversed(list(enumerate(choosers))) for key in chooser.held()}
    return [(owners[key], key) for key in whole.chosen_keys()]


def _merge_tallies(shares: Sequence[_Share], kept: Sequence[tuple[int, CandidateKey]]) -> Tally:
    """The rejected candidates of all parts, and those that are not kept of the valid ones."""
    tally, surplus = Tally(), Counter[str]()
    for share in shares:
        tally.dropped.update(share.tally.dropped)
        surplus.update(share.chooser.proposed())
    surplus.subtract(kind for _, (kind, _) in kept)
    tally.dropped.update({(kind, SURPLUS): count for kind, count in surplus.items() if count})
    return tally
