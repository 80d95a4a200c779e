"""Candidates for groups, and balanced sampling from a stream of them: weighted reservoirs keyed by content hashes."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id, line_id

Stratum: TypeAlias = tuple[str, str, str, str]
"""Kind, part of the kind (its answer if that is yes or no, else the number of choices), class, answer."""

_BINARY = frozenset({"yes", "no"})


class Candidate(Struct, frozen=True):
    """A group before its variants are built: its kind, the id and best answer of its base, and the tags of the base."""

    kind: str
    number: int
    answer: str
    tags: tuple[tuple[str, str], ...]
    make: Callable[[], Group]  # pure: all random draws were made before
    ticket: int | None = None  # a number by which whoever offers it can make it
    stratum: Stratum | None = None  # where it is known already, as that of an original of several suites

    def __reduce__(self) -> tuple[type["Candidate"], tuple[Any, ...]]:
        """Pickled, a candidate with a ticket is left to whoever offered it."""
        make = self.make if self.ticket is None else made_elsewhere
        return Candidate, (self.kind, self.number, self.answer, self.tags, make, self.ticket, self.stratum)

    @classmethod
    def of(cls, group: "Group | Candidate") -> "Candidate":
        """The candidate for a group that is built already; a candidate stays as it is."""
        if isinstance(group, Candidate):
            return group
        gold = group.gold[0]
        answer = gold.best if gold and gold.answers else ""
        return cls(group.kind, group.base.id, answer, group.tags[0] if group.tags else (), lambda: group)


def stratum_of(kind: str, answer: str, tags: Iterable[tuple[str, str]]) -> Stratum:
    """The stratum of a candidate, by the tags of its base."""
    named = dict(tags)
    part = answer if answer in _BINARY else named.get("choices", "")
    return kind, part, named.get("class") or named.get("hypernym", ""), answer


def made_elsewhere() -> Group:
    """Stands for making the group of a candidate with a ticket."""
    raise AssertionError("a candidate with a ticket is made by whoever offered it")


@dataclass(frozen=True, slots=True)
class Quota:
    """How many groups to keep: of questions with yes and no, and of all others."""

    binary: int
    choice: int


_Column: TypeAlias = NDArray[Any]


class _Rows(NamedTuple):
    """Candidates as columns: the numbers of their strata, random numbers, the ids of their bases, tickets."""

    cells: _Column
    lots: _Column
    numbers: _Column
    tickets: _Column


_TYPES: Final[Sequence[Literal["i", "d", "Q", "q"]]] = ("i", "d", "Q", "q")  # of the columns
_FEWEST = 1 << 16  # candidates, below which none is dropped


@lru_cache(1 << 12)
def _lot(seed: int, number: int) -> float:
    """The logarithm of a random number from 0 to 1; suites that share an original ask for the same one in turn."""
    return log((line_id(b"[%d,%d]" % (seed, number)) + 1) / 2**64)  # the canonical line of both


class BalancedSampler:
    """A weighted reservoir for each kind, class and answer.

    Kinds share the quota evenly; yes is kept as often as no, and two choices as often as three. Within these a group is
    drawn with a probability inverse to the count of its class and to that of its answer (CARETS, section 4.1). Its
    random key is a hash of its base and the seed, so that neither the order of the stream nor how it is split matters,
    suites that share originals keep the same ones, and no stratum holds more than may be kept. A candidate that is
    made elsewhere takes 28 bytes.
    """

    def __init__(self, quota: int | Quota, seed: int) -> None:
        self._quota, self._seed = quota, seed
        self._most = quota if isinstance(quota, int) else max(quota.binary, quota.choice)
        self._strata: dict[Stratum, int] = {}
        self._seen: Counter[int] = Counter()  # groups that were offered, by stratum
        self._offered = 0
        self._columns: tuple[array[Any], ...] = tuple(array(code) for code in _TYPES)
        self._full = _FEWEST  # so many candidates are looked through for such as cannot be kept
        self._makes: dict[int, Callable[[], Group]] = {}  # by ticket; what was offered without one has a negative one

    def __getstate__(self) -> dict[str, Any]:
        """Pickled, a sampler leaves candidates with tickets to whoever offered them."""
        return self.__dict__ | {"_makes": {ticket: make for ticket, make in self._makes.items() if ticket < 0}}

    def add(self, group: Group | Candidate) -> None:
        """Offer one group; of those of a stratum with the same base the first is held."""
        draft = Candidate.of(group)
        number, make = draft.number, draft.make
        stratum = draft.stratum or stratum_of(draft.kind, draft.answer, draft.tags)
        cell = self._strata.setdefault(stratum, len(self._strata))
        self._seen[cell] += 1
        self._offered += 1
        if not self._most:
            return
        ticket = -self._offered if draft.ticket is None else draft.ticket
        if make is not made_elsewhere:
            self._makes[ticket] = make
        cells, lots, numbers, tickets = self._columns
        cells.append(cell)
        lots.append(_lot(self._seed, number))
        numbers.append(number)
        tickets.append(ticket)
        if len(cells) >= self._full:
            self._drop()

    def merge(self, other: "BalancedSampler") -> None:
        """Take over what the sampler of a later part of the stream was offered."""
        cells = np.array([self._strata.setdefault(one, len(self._strata)) for one in other._strata], np.int32)
        for cell, count in other._seen.items():
            self._seen[int(cells[cell])] += count
        before = self._offered
        self._makes |= {ticket - before if ticket < 0 else ticket: make for ticket, make in other._makes.items()}
        rows = other._rows()
        tickets = np.where(rows.tickets < 0, rows.tickets - before, rows.tickets)
        more = _Rows(cells[rows.cells], rows.lots, rows.numbers, tickets)
        for column, values in zip(self._columns, more, strict=True):
            column.frombytes(values.tobytes())
        self._offered += other._offered
        self._drop()

    def chosen(self) -> list[Candidate]:
        """The sampled candidates, each base of a kind once, shuffled: every prefix is a fair sample."""
        self._drop()
        kept, parts, room = dict[tuple[str, int], Candidate](), self._parts(), self._room()
        for kind, count in self._shares(room).items():
            for part, share in share_evenly(room[kind], count).items():
                for draft in self._drawn(kind, parts[kind, part], share):
                    kept.setdefault((kind, draft.number), draft)
        return [kept[key] for key in sorted(kept, key=lambda key: (content_id([self._seed, "place", key[1]]), key[0]))]

    def makes(self) -> Mapping[int, Callable[[], Group]]:
        """What builds the groups of the candidates that are held, by ticket."""
        return self._makes

    def _rows(self) -> _Rows:
        """All candidates that are held; while this is in use, none can be added."""
        return _Rows(*(np.frombuffer(column, column.typecode) for column in self._columns))

    def _drop(self) -> None:
        """Drop what cannot be kept: repetitions in a stratum, and those after as many of it as may be kept at all."""
        rows = self._rows()
        order = np.lexsort((~rows.numbers, -rows.lots, rows.cells))  # stable: of the same base the first comes first
        cells, numbers = rows.cells[order], rows.numbers[order]
        is_first = np.append(True, (cells[1:] != cells[:-1]) | (numbers[1:] != numbers[:-1]))[: len(order)]
        order, cells = order[is_first], cells[is_first]
        kept = np.sort(order[np.arange(len(order)) - np.searchsorted(cells, cells) < self._most])
        if len(kept) < len(rows.cells):
            held = [array(code, column[kept].tobytes()) for code, column in zip(_TYPES, rows, strict=True)]
            if self._makes:
                self._makes = {ticket: self._makes[ticket] for ticket in held[3] if ticket in self._makes}
            self._columns = tuple(held)
        self._full = max(_FEWEST, 2 * len(kept))

    def _parts(self) -> Mapping[tuple[str, str], dict[Stratum, int]]:
        """The strata of each part of a kind, with their numbers."""
        parts = defaultdict[tuple[str, str], dict[Stratum, int]](dict)
        for stratum, cell in self._strata.items():
            parts[stratum[:2]][stratum] = cell
        return parts

    def _room(self) -> Mapping[str, Counter[str]]:
        """How many candidates of each part of a kind are held, by kind."""
        counts = np.bincount(self._rows().cells, minlength=len(self._strata)).tolist()
        room = defaultdict[str, Counter[str]](Counter)
        for (kind, part, _, _), count in zip(self._strata, counts, strict=True):
            if count:
                room[kind][part] += count
        return room

    def _shares(self, room: Mapping[str, Counter[str]]) -> Mapping[str, int]:
        most = {  # yes and no are equally frequent
            kind: 2 * min(parts.values()) if parts.keys() == _BINARY else parts.total()
            for kind, parts in sorted(room.items())
        }
        if isinstance(self._quota, int):
            return share_evenly(most, self._quota)
        binary = {kind: count for kind, count in most.items() if room[kind].keys() <= _BINARY}
        others = {kind: count for kind, count in most.items() if kind not in binary}
        return share_evenly(binary, self._quota.binary) | share_evenly(others, self._quota.choice)

    def _drawn(self, kind: str, strata: Mapping[Stratum, int], share: int) -> Iterator[Candidate]:
        """Weighted sampling without replacement (Efraimidis and Spirakis, 2006) from strata of a kind."""
        classes, answers = Counter[str](), Counter[str]()
        for stratum, cell in strata.items():
            classes[stratum[2]] += self._seen[cell]
            answers[stratum[3]] += self._seen[cell]
        weights, ranks = np.zeros(len(self._strata)), np.full(len(self._strata), -1)
        for rank, stratum in enumerate(sorted(strata)):
            weights[strata[stratum]] = classes[stratum[2]] * answers[stratum[3]]
            ranks[strata[stratum]] = rank
        cells, lots, numbers, tickets = self._rows()
        of_part = np.flatnonzero(ranks[cells] >= 0)
        cells, numbers = cells[of_part], numbers[of_part]
        order = np.lexsort((ranks[cells], numbers, -lots[of_part] * weights[cells]))[:share]
        names = {cell: stratum[3] for stratum, cell in strata.items()}
        for place in order.tolist():
            ticket = int(tickets[of_part[place]])
            make = self._makes.get(ticket, made_elsewhere)
            answer, number = names[int(cells[place])], int(numbers[place])
            yield Candidate(kind, number, answer, (), make, None if ticket < 0 else ticket)


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
