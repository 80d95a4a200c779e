"""Assignment: who votes on which item next.

The queue follows from the items, the settings and the votes so far. What is handed out and not voted on yet is a lease,
held in memory; a server that is started again restores them, so that no item gets a vote too many.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.votes import ReviewSettings, Vote, VotedItem, VoteTask, standing_votes, voted_item
from counterpoint.review.qualification import VoterStanding, voter_standing

LEASE_SECONDS = 900.0
"""Seconds after which an item that was handed out and not voted on goes to somebody else."""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One item of a task: a group, or a query of it; a gold item has the choice that is `expected`."""

    task: str
    suite: str
    group_id: int
    query: int | None
    kind: str
    expected: str = ""

    @property
    def item(self) -> VotedItem:
        """What a vote on it is about."""
        return voted_item(self.task, self.suite, self.group_id, self.query)


@dataclass(slots=True)
class _ItemState:
    """Votes on an item and its leases, by voter."""

    item: ReviewItem
    rank: int  # of the random order
    choices: dict[str, str] = field(default_factory=dict)
    leases: set[str] = field(default_factory=set)
    load: int = 0  # votes that count, and leases


@dataclass(slots=True)
class _VoterState:
    """What one voter did, and the leases of the voter in the order of the items, with their ends."""

    rank: int
    standing: VoterStanding
    gold: dict[str, Vote] = field(default_factory=dict)  # votes on gold items by id
    ordinary: int = 0
    last_group: int | None = None
    leases: dict[VotedItem, float] = field(default_factory=dict)


class AssignmentQueue:
    """Hands out items so that each gets its votes from different people, kinds keep pace, and nobody sees one twice.

    Items that have votes already come first, so that whole items are done when people stop early. Times are seconds of
    any monotonic clock.
    """

    def __init__(
        self, items: Iterable[ReviewItem], settings: ReviewSettings, votes: Iterable[Vote] = (), lease: float = 0.0
    ) -> None:
        self.settings, self._lease = settings, lease or LEASE_SECONDS
        self._items: dict[VotedItem, _ItemState] = {}
        self._gold: dict[VotedItem, ReviewItem] = {}
        self._voters: dict[str, _VoterState] = {}
        self._ends: list[tuple[float, str, VotedItem]] = []  # of leases, a heap; renewed leases have several
        self._open: dict[str, dict[VotedItem, _ItemState]] = {}
        self._given, self._total = Counter[str](), Counter[str]()
        for item in items:
            if item.expected:
                self._gold[item.item] = item
            else:
                state = _ItemState(item, content_id([settings.seed, *_plain(item)]))
                self._items[item.item] = state
                self._total[item.kind] += settings.per_item
                self._update(state)
        for vote in standing_votes(votes):
            self.record(vote)

    def __contains__(self, item: VotedItem) -> bool:
        return item in self._items or item in self._gold

    def expected(self, item: VotedItem) -> str:
        """The known choice of a gold item, and nothing for others."""
        return self._gold[item].expected if item in self._gold else ""

    def standing(self, voter: str) -> VoterStanding:
        """Whether the votes of a voter count."""
        return self._voter(voter).standing

    def done(self, voter: str) -> int:
        """How many items the voter voted on, repeated gold items included."""
        own = self._voters.get(voter)
        return own.ordinary + len(own.gold) if own else 0

    def left(self, voter: str, now: float) -> int:
        """How many items the voter could still be given, if nobody else voted."""
        self._end_leases(now)
        own, standing = self._voter(voter), self.standing(voter)
        if standing is VoterStanding.DISQUALIFIED:
            return 0
        unqualified = self.settings.gold_items - len(own.gold) if standing is VoterStanding.QUALIFYING else 0
        open_items = {item for states in self._open.values() for item in states} | own.leases.keys()
        return max(unqualified, 0) + sum(
            voter not in self._items[item].choices for item in open_items if item in self._items
        )

    @property
    def size(self) -> int:
        """How many items there are, without gold items."""
        return len(self._items)

    def complete_items(self) -> int:
        """How many items have the votes they need."""
        return sum(self._wanted(state) <= len(self._counted(state)) for state in self._items.values())

    def hand_out(self, voter: str, now: float, count: int = 2) -> list[ReviewItem]:
        """The next items of a voter: those handed out before and not voted on, then new ones; each is leased."""
        self._end_leases(now)
        own = self._voter(voter)
        if self.standing(voter) is VoterStanding.DISQUALIFIED:
            for held in list(own.leases):
                self._release(voter, held)
        while len(own.leases) < count and (item := self._next(voter, own)):
            own.leases[item.item] = now
            if item.item in self._items:
                self._items[item.item].leases.add(voter)
                self._update(self._items[item.item])
        for held in own.leases:
            own.leases[held] = now + self._lease
            heapq.heappush(self._ends, (now + self._lease, voter, held))
        return [self._gold.get(held) or self._items[held].item for held in own.leases]

    def restore(self, voter: str, item: VotedItem, now: float) -> bool:
        """Lease an item again that was handed out before a restart; False where it is voted on or not known."""
        state = self._items.get(item)
        if state is None or voter in state.choices:
            return False
        self._voter(voter).leases[item] = now + self._lease
        heapq.heappush(self._ends, (now + self._lease, voter, item))
        state.leases.add(voter)
        self._update(state)
        return True

    def record(self, vote: Vote) -> None:
        """Take a stored vote into account; one that replaces another counts in its place."""
        own = self._voter(vote.voter)
        self._release(vote.voter, vote.item)
        own.last_group = vote.group_id
        if vote.is_gold_item:
            self._record_gold(own, vote)
        elif state := self._items.get(vote.item):
            own.ordinary += vote.voter not in state.choices
            state.choices[vote.voter] = vote.choice
            self._update(state)

    def _record_gold(self, own: _VoterState, vote: Vote) -> None:
        gold = {vote.vote if known == vote.replaces else known: kept for known, kept in own.gold.items()}
        own.gold, before = gold | {vote.vote: vote}, own.standing
        own.standing = self._standing(vote.voter, list(own.gold.values()))
        if own.standing is not before:
            for state in self._items.values():
                if vote.voter in state.choices:
                    self._update(state)

    def _next(self, voter: str, own: _VoterState) -> ReviewItem | None:
        last = list(own.leases)[-1][2] if own.leases else own.last_group
        standing = self.standing(voter)
        held = sum(item in self._gold for item in own.leases)
        if standing is VoterStanding.DISQUALIFIED:
            return None
        if standing is VoterStanding.QUALIFYING:
            is_due = len(own.gold) + held < self.settings.gold_items
            return self._next_gold(own, last) if is_due else None
        ordinary = own.ordinary + len(own.leases) - held
        checks = max(len(own.gold) + held - self.settings.gold_items, 0)
        is_check = voter != self.settings.gold_voter and ordinary >= self.settings.gold_every * (checks + 1)
        return (self._next_gold(own, last) if is_check and self._gold else None) or self._next_ordinary(
            voter, own, last
        )

    def _next_gold(self, own: _VoterState, last: int | None) -> ReviewItem | None:
        """The gold item that the voter has seen least often; of the last group only where there is no other."""
        seen = Counter(vote.item for vote in own.gold.values())
        free = [item for item in self._gold.values() if item.item not in own.leases]
        free = [item for item in free if item.group_id != last] or free
        return min(free, key=lambda item: (seen[item.item], content_id([own.rank, *_plain(item)])), default=None)

    def _next_ordinary(self, voter: str, own: _VoterState, last: int | None) -> ReviewItem | None:
        alone = self.settings.task == VoteTask.ANSWER  # never two queries of one group in a row
        for kind in sorted(self._open, key=lambda kind: (self._given[kind] / self._total[kind], kind)):
            free = [
                state
                for item, state in self._open[kind].items()
                if voter not in state.choices and item not in own.leases and not (alone and item[2] == last)
            ]
            if free:
                siblings = Counter((state.item.suite, state.item.group_id) for state in free if alone)
                return min(free, key=lambda state: _preference(state, siblings, own.rank)).item
        return None

    def _wanted(self, state: _ItemState) -> int:
        """How many votes an item needs, as far as its votes tell."""
        each, choices = self.settings.per_item, self._counted(state)
        if not self.settings.until_majority:
            return each
        most = max(Counter(choices).values(), default=0)
        return min(each, len(choices) + each // 2 + 1 - most)

    def _counted(self, state: _ItemState) -> list[str]:
        """The choices of those whose votes count."""
        return [
            choice for voter, choice in state.choices.items() if self.standing(voter) is not VoterStanding.DISQUALIFIED
        ]

    def _update(self, state: _ItemState) -> None:
        """Bring the load of an item up to date, and whether it is open for further people."""
        kind, load = state.item.kind, len(self._counted(state)) + len(state.leases)
        self._given[kind] += load - state.load
        state.load = load
        if load < self._wanted(state):
            self._open.setdefault(kind, {})[state.item.item] = state
        else:
            self._open.get(kind, {}).pop(state.item.item, None)

    def _release(self, voter: str, item: VotedItem) -> None:
        self._voters[voter].leases.pop(item, None)
        if (state := self._items.get(item)) and voter in state.leases:
            state.leases.discard(voter)
            self._update(state)

    def _end_leases(self, now: float) -> None:
        while self._ends and self._ends[0][0] <= now:
            end, voter, item = heapq.heappop(self._ends)
            if self._voters[voter].leases.get(item) == end:
                self._release(voter, item)

    def _voter(self, voter: str) -> _VoterState:
        if voter not in self._voters:
            rank = content_id([self.settings.seed, voter])
            self._voters[voter] = _VoterState(rank, self._standing(voter, []))
        return self._voters[voter]

    def _standing(self, voter: str, gold: Sequence[Vote]) -> VoterStanding:
        exempt = voter == self.settings.gold_voter or not self._gold
        return VoterStanding.QUALIFIED if exempt else voter_standing(gold, self.settings)


def sample_items(items: Sequence[ReviewItem], size: int | None, seed: int) -> list[ReviewItem]:
    """A random sample of the groups of each suite, kinds in turn; all items of a chosen group are in it."""
    order = sorted(items, key=lambda item: (content_id([seed, hex_id(item.group_id)]), item.query or 0))
    chosen: list[ReviewItem] = []
    for suite in dict.fromkeys(item.suite for item in items):
        groups = list(_kinds_in_turn([item for item in order if item.suite == suite]))
        kept = set(groups[:size])
        chosen += [item for item in order if item.suite == suite and item.group_id in kept]
    return chosen


def _kinds_in_turn(items: Sequence[ReviewItem]) -> Iterator[int]:
    """The groups of items, one of each kind in turn."""
    kinds: dict[str, dict[int, None]] = {}
    for item in items:
        kinds.setdefault(item.kind, {})[item.group_id] = None
    left = [list(groups) for _, groups in sorted(kinds.items())]
    for place in range(max(map(len, left), default=0)):
        yield from dict.fromkeys(groups[place] for groups in left if place < len(groups))


def _preference(state: _ItemState, siblings: Counter[tuple[str, int]], rank: int) -> tuple[int, int, int]:
    """Groups with the most queries left come first, then items with votes, then a random order of each voter."""
    mixed = (state.rank ^ rank) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF  # Fibonacci hashing
    return -siblings[state.item.suite, state.item.group_id], -state.load, mixed


def _plain(item: ReviewItem) -> list[str]:
    return [item.task, item.suite, hex_id(item.group_id), hex_id(item.query or 0)]
