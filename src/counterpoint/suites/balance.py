"""So many groups, evenly over kinds and answers, from a stream: which ones depends on their content alone."""

from collections.abc import Mapping
from heapq import heappush, heappushpop

from counterpoint.core.groups import Group
from counterpoint.core.ids import content_id


class Balance:
    """A reservoir for each kind and answer.

    Every group has a lot, a number drawn from its content and the seed, and the lowest lots stay. So neither the order
    of the stream nor how it was cut into parts matters, and no more is held than may be kept.
    """

    def __init__(self, quota: int, seed: int) -> None:
        self._quota, self._seed = quota, seed
        self._lots: dict[tuple[str, str], list[tuple[int, int]]] = {}  # negative, so that the first is the first to go
        self._groups: dict[int, Group] = {}

    def add(self, group: Group) -> None:
        """See one group."""
        number, gold = group.id, group.gold[0]
        if not self._quota or number in self._groups:
            return
        heap = self._lots.setdefault((group.kind, gold.best if gold else ""), [])
        self._groups[number] = group
        row = (-content_id([self._seed, number]), number)
        if len(heap) < self._quota:
            heappush(heap, row)
        else:
            del self._groups[heappushpop(heap, row)[1]]

    def chosen(self) -> list[Group]:
        """What stays, mixed: any first part of it is a fair sample."""
        kinds = sorted({kind for kind, _ in self._lots})
        room = {kind: {a: len(heap) for (k, a), heap in self._lots.items() if k == kind} for kind in kinds}
        shares = even({kind: _most(room[kind]) for kind in kinds}, self._quota)
        rows = [
            row
            for kind in kinds
            for answer, count in even(room[kind], shares[kind]).items()
            for row in sorted(self._lots[kind, answer], reverse=True)[:count]
        ]
        return [self._groups[number] for _, number in sorted(rows, reverse=True)]


def even(room: Mapping[str, int], total: int) -> dict[str, int]:
    """A total shared out as evenly as the room allows; what one cannot hold goes to the others.

    >>> even({"a": 10, "b": 1, "c": 10}, 9)
    {'b': 1, 'a': 4, 'c': 4}
    """
    shares, left = dict[str, int](), total
    for name in sorted(room, key=lambda name: (room[name], name)):
        shares[name] = min(room[name], left // (len(room) - len(shares)))
        left -= shares[name]
    return shares


def _most(answers: Mapping[str, int]) -> int:
    """How many of a kind can be kept: of yes and no as many of the one as of the other."""
    return 2 * min(answers.values()) if set(answers) == {"yes", "no"} else sum(answers.values())
