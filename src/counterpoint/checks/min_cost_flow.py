"""The largest part of a graph in which as much leaves each node as enters it.

Taking edges away until a graph is balanced is a flow: from the nodes that more leaves than enters, along edges that are
taken away, to those that more enters than leaves. The flow that takes away least is found by shortest ways, all ways of
one length at a time (primal-dual, each step by Dinic's algorithm).
"""

from collections import deque
from collections.abc import Sequence

_FAR = 1 << 60


def largest_circulation(
    edges: Sequence[tuple[int, int]], counts: Sequence[int], nodes: int, slack: int = 0
) -> list[int]:
    """How many of each edge stay, as many as can be; a node may keep `slack` more on one side than on the other.

    >>> balanced([(0, 1), (1, 0), (1, 2)], [3, 2, 5], 3)
    [2, 2, 0]
    >>> balanced([(0, 1), (1, 2), (2, 0)], [1, 4, 2], 3)
    [1, 1, 1]
    """
    source, sink, hub = nodes, nodes + 1, nodes + 2
    net = _FlowNetwork(nodes + 3)
    arcs = [net.add(one, other, count, 1) for (one, other), count in zip(edges, counts, strict=True)]
    more = [0] * nodes  # how many more leave than enter
    for (one, other), count in zip(edges, counts, strict=True):
        more[one] += count
        more[other] -= count
    for node, surplus in enumerate(more):
        net.add(*((source, node, surplus, 0) if surplus > 0 else (node, sink, -surplus, 0)))
        if slack:
            net.add(node, hub, slack, 0)
            net.add(hub, node, slack, 0)
    net.fill(source, sink)
    return [net.room[arc] for arc in arcs]


class _FlowNetwork:
    """Arcs with room and cost; the arc after each is its way back."""

    def __init__(self, nodes: int) -> None:
        self.arcs: list[list[int]] = [[] for _ in range(nodes)]
        self.to, self.room, self.cost = list[int](), list[int](), list[int]()

    def add(self, one: int, other: int, room: int, cost: int) -> int:
        """One more arc, and its way back, which has no room yet."""
        number = len(self.to)
        self.to += [other, one]
        self.room += [room, 0]
        self.cost += [cost, -cost]
        self.arcs[one].append(number)
        self.arcs[other].append(number + 1)
        return number

    def fill(self, source: int, sink: int) -> None:
        """Send all that can be sent, by the cheapest ways first."""
        while (far := self._distances(source))[sink] < _FAR:
            while (level := self._levels(source, far))[sink] >= 0:
                self._send(source, sink, far, level)

    def _distances(self, source: int) -> list[int]:
        far, waiting = [_FAR] * len(self.arcs), deque([source])
        far[source] = 0
        inside = [False] * len(self.arcs)
        while waiting:
            node = waiting.popleft()
            inside[node] = False
            for arc in self.arcs[node]:
                length = far[node] + self.cost[arc]
                if self.room[arc] and length < far[other := self.to[arc]]:
                    far[other] = length
                    if not inside[other]:
                        inside[other] = True
                        waiting.append(other)
        return far

    def _levels(self, source: int, far: list[int]) -> list[int]:
        level, waiting = [-1] * len(self.arcs), deque([source])
        level[source] = 0
        while waiting:
            node = waiting.popleft()
            for arc in self.arcs[node]:
                other = self.to[arc]
                if level[other] < 0 and self.room[arc] and far[other] == far[node] + self.cost[arc]:
                    level[other] = level[node] + 1
                    waiting.append(other)
        return level

    def _send(self, source: int, sink: int, far: list[int], level: list[int]) -> None:
        """Fill every way on which each arc is cheapest and leads one level on."""
        turn = [0] * len(self.arcs)  # arcs before this one lead nowhere any more
        way = list[int]()
        node = source
        while True:
            if node == sink:
                least = min(self.room[arc] for arc in way)
                for arc in way:
                    self.room[arc] -= least
                    self.room[arc ^ 1] += least
                cut = next(place for place, arc in enumerate(way) if not self.room[arc])
                node = self.to[way[cut] ^ 1]
                del way[cut:]
                continue
            arc = self._next(node, far, level, turn)
            if arc >= 0:
                way.append(arc)
                node = self.to[arc]
            elif way:
                node = self.to[way.pop() ^ 1]
                turn[node] += 1
            else:
                return

    def _next(self, node: int, far: list[int], level: list[int], turn: list[int]) -> int:
        arcs = self.arcs[node]
        while turn[node] < len(arcs):
            arc = arcs[turn[node]]
            other = self.to[arc]
            if self.room[arc] and level[other] == level[node] + 1 and far[other] == far[node] + self.cost[arc]:
                return arc
            turn[node] += 1
        return -1
