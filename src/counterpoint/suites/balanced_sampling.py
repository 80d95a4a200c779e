"""Candidates for groups, and balanced sampling from a stream of them: weighted reservoirs keyed by content hashes."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import heappush, heappushpop
from math import log
from typing import NamedTuple, TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id


class Candidate(NamedTuple):
    """A group before its variants are built: its kind, the id and best answer of its base, and the tags of the base."""

    kind: str
    number: int
    answer: str
    tags: tuple[tuple[str, str], ...]
    make: Callable[[], Group]  # pure: all random draws were made before

    @classmethod
    def of(cls, group: "Group | Candidate") -> "Candidate":
        """The candidate for a group that is built already; a candidate stays as it is."""
        if isinstance(group, Candidate):
            return group
        gold = group.gold[0]
        answer = gold.best if gold and gold.answers else ""
        return cls(group.kind, group.base.id, answer, group.tags[0] if group.tags else (), lambda: group)


Stratum: TypeAlias = tuple[str, str, str, str]
"""Kind, part of the kind (its answer if that is yes or no, else the number of choices), class, answer."""

_BINARY = frozenset({"yes", "no"})


@dataclass(frozen=True, slots=True)
class Quota:
    """How many groups to keep: of questions with yes and no, and of all others."""

    binary: int
    choice: int


class BalancedSampler:
    """A weighted reservoir for each kind, class and answer.

    Kinds share the quota evenly; yes is kept as often as no, and two choices as often as three. Within these a group is
    drawn with a probability inverse to the count of its class and to that of its answer (CARETS, section 4.1). Its
    random key is a hash of its base and the seed, so that neither the order of the stream nor how it is split matters,
    suites that share originals keep the same ones, and no stratum holds more than may be kept.
    """

    def __init__(self, quota: int | Quota, seed: int) -> None:
        self._quota, self._seed = quota, seed
        self._most = quota if isinstance(quota, int) else max(quota.binary, quota.choice)
        self._cells: dict[Stratum, list[tuple[float, int]]] = {}  # negative lots, so that the first is the first to go
        self._seen: Counter[Stratum] = Counter()
        self._drafts: dict[tuple[Stratum, int], Candidate] = {}

    def add(self, group: Group | Candidate) -> None:
        """Offer one group; of those of a stratum with the same base the first is held."""
        draft = Candidate.of(group)
        tags, number = dict(draft.tags), draft.number
        part = draft.answer if draft.answer in _BINARY else tags.get("choices", "")
        cell = draft.kind, part, tags.get("class") or tags.get("hypernym", ""), draft.answer
        self._seen[cell] += 1
        if self._most and (cell, number) not in self._drafts:
            self._hold(cell, (log((content_id([self._seed, number]) + 1) / 2**64), number), draft)

    def merge(self, other: "BalancedSampler") -> None:
        """Take over what the sampler of a later part of the stream was offered."""
        self._seen.update(other._seen)
        for cell, heap in other._cells.items():
            for row in heap:
                if (key := (cell, row[1])) not in self._drafts:
                    self._hold(cell, row, other._drafts[key])

    def chosen(self) -> list[Candidate]:
        """The sampled candidates, each base of a kind once, shuffled: every prefix is a fair sample."""
        kept = dict[tuple[str, int], Candidate]()
        for kind, count in self._shares(sorted({cell[0] for cell in self._cells})).items():
            for _, number, cell in self._kept(kind, count):
                kept.setdefault((kind, number), self._drafts[cell, number])
        return [kept[key] for key in sorted(kept, key=lambda key: (content_id([self._seed, "place", key[1]]), key[0]))]

    def _hold(self, cell: Stratum, row: tuple[float, int], draft: Candidate) -> None:
        heap = self._cells.setdefault(cell, [])
        self._drafts[cell, row[1]] = draft
        if len(heap) < self._most:
            heappush(heap, row)
        else:
            del self._drafts[cell, heappushpop(heap, row)[1]]

    def _shares(self, kinds: Iterable[str]) -> Mapping[str, int]:
        room = dict[str, int]()
        for kind in kinds:
            parts = self._room(kind)  # yes and no are equally frequent
            room[kind] = 2 * min(parts.values()) if set(parts) == _BINARY else sum(parts.values())
        if isinstance(self._quota, int):
            return share_evenly(room, self._quota)
        open_kinds = {cell[0] for cell in self._cells if cell[3] not in _BINARY}
        binary = {kind: count for kind, count in room.items() if kind not in open_kinds}
        others = {kind: count for kind, count in room.items() if kind in open_kinds}
        return share_evenly(binary, self._quota.binary) | share_evenly(others, self._quota.choice)

    def _room(self, kind: str) -> dict[str, int]:
        room = Counter[str]()
        for cell, heap in self._cells.items():
            if cell[0] == kind:
                room[cell[1]] += len(heap)
        return room

    def _kept(self, kind: str, count: int) -> Iterator[tuple[float, int, Stratum]]:
        for part, share in share_evenly(self._room(kind), count).items():
            yield from sorted(self._weighed(kind, part))[:share]

    def _weighed(self, kind: str, part: str) -> Iterable[tuple[float, int, Stratum]]:
        """Sort keys of weighted sampling without replacement (Efraimidis and Spirakis, 2006)."""
        classes, answers = Counter[str](), Counter[str]()
        cells = [cell for cell in self._cells if cell[:2] == (kind, part)]
        for cell in cells:
            classes[cell[2]] += self._seen[cell]
            answers[cell[3]] += self._seen[cell]
        for cell in cells:
            weight = classes[cell[2]] * answers[cell[3]]
            yield from ((-lot * weight, number, cell) for lot, number in self._cells[cell])


def share_evenly(room: Mapping[str, int], total: int) -> dict[str, int]:
    """Shares of a total, as even as the capacities allow; what one cannot hold goes to the others.

    >>> share_evenly({"a": 10, "b": 1, "c": 10}, 9)
    {'b': 1, 'a': 4, 'c': 4}
    """
    shares, left = dict[str, int](), total
    for name in sorted(room, key=lambda name: (room[name], name)):
        shares[name] = min(room[name], left // (len(room) - len(shares)))
        left -= shares[name]
    return shares
