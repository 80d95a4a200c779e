"""The largest circulation of a graph, by minimum-cost flow.

A graph is balanced by removing edges: a flow from the nodes with more outgoing edges, along removed edges, to the nodes
with more incoming edges. The minimum-cost flow removes the fewest. It is found by the primal-dual method: shortest
paths give the potentials (Bellman-Ford with a queue), and Dinic's algorithm saturates all paths of that length.
"""

from collections import deque
from collections.abc import Sequence

_INFINITY = 1 << 60


def largest_circulation(
    edges: Sequence[tuple[int, int]], counts: Sequence[int], nodes: int, slack: int = 0
) -> list[int]:
    """The multiplicity that each edge keeps in the largest circulation; each node may be off balance by `slack`.

    >>> largest_circulation([(0, 1), (1, 0), (1, 2)], [3, 2, 5], 3)
    [2, 2, 0]
    >>> largest_circulation([(0, 1), (1, 2), (2, 0)], [1, 4, 2], 3)
    [1, 1, 1]
    """
    source, sink, hub = nodes, nodes + 1, nodes + 2
    network = _FlowNetwork(nodes + 3)
    arcs = [network.add(tail, head, count, 1) for (tail, head), count in zip(edges, counts, strict=True)]
    surplus = [0] * nodes  # outgoing minus incoming
    for (tail, head), count in zip(edges, counts, strict=True):
        surplus[tail] += count
        surplus[head] -= count
    for node, excess in enumerate(surplus):
        network.add(*((source, node, excess, 0) if excess > 0 else (node, sink, -excess, 0)))
        if slack:
            network.add(node, hub, slack, 0)
            network.add(hub, node, slack, 0)
    network.maximize(source, sink)
    return [network.capacity[arc] for arc in arcs]


class _FlowNetwork:
    """Arcs with residual capacity and cost; each arc is followed by its reverse."""

    def __init__(self, nodes: int) -> None:
        self.arcs: list[list[int]] = [[] for _ in range(nodes)]
        self.head, self.capacity, self.cost = list[int](), list[int](), list[int]()

    def add(self, tail: int, head: int, capacity: int, cost: int) -> int:
        """Add an arc and its reverse of capacity 0, and return its number."""
        number = len(self.head)
        self.head += [head, tail]
        self.capacity += [capacity, 0]
        self.cost += [cost, -cost]
        self.arcs[tail].append(number)
        self.arcs[head].append(number + 1)
        return number

    def maximize(self, source: int, sink: int) -> None:
        """Send the maximum flow at minimum cost."""
        while (distance := self._distances(source))[sink] < _INFINITY:
            while (level := self._levels(source, distance))[sink] >= 0:
                self._augment(source, sink, distance, level)

    def _distances(self, source: int) -> list[int]:
        distance, queue = [_INFINITY] * len(self.arcs), deque([source])
        distance[source] = 0
        queued = [False] * len(self.arcs)
        while queue:
            node = queue.popleft()
            queued[node] = False
            for arc in self.arcs[node]:
                length = distance[node] + self.cost[arc]
                if self.capacity[arc] and length < distance[head := self.head[arc]]:
                    distance[head] = length
                    if not queued[head]:
                        queued[head] = True
                        queue.append(head)
        return distance

    def _levels(self, source: int, distance: list[int]) -> list[int]:
        level, queue = [-1] * len(self.arcs), deque([source])
        level[source] = 0
        while queue:
            node = queue.popleft()
            for arc in self.arcs[node]:
                head = self.head[arc]
                if level[head] < 0 and self.capacity[arc] and distance[head] == distance[node] + self.cost[arc]:
                    level[head] = level[node] + 1
                    queue.append(head)
        return level

    def _augment(self, source: int, sink: int, distance: list[int], level: list[int]) -> None:
        """Send a blocking flow along the shortest paths, one level per arc."""
        cursor = [0] * len(self.arcs)  # arcs before it are dead ends
        path = list[int]()
        node = source
        while True:
            if node == sink:
                bottleneck = min(self.capacity[arc] for arc in path)
                for arc in path:
                    self.capacity[arc] -= bottleneck
                    self.capacity[arc ^ 1] += bottleneck
                cut = next(index for index, arc in enumerate(path) if not self.capacity[arc])
                node = self.head[path[cut] ^ 1]
                del path[cut:]
                continue
            arc = self._admissible_arc(node, distance, level, cursor)
            if arc >= 0:
                path.append(arc)
                node = self.head[arc]
            elif path:
                node = self.head[path.pop() ^ 1]
                cursor[node] += 1
            else:
                return

    def _admissible_arc(self, node: int, distance: list[int], level: list[int], cursor: list[int]) -> int:
        arcs = self.arcs[node]
        while cursor[node] < len(arcs):
            arc = arcs[cursor[node]]
            head = self.head[arc]
            if (
                self.capacity[arc]
                and level[head] == level[node] + 1
                and distance[head] == distance[node] + self.cost[arc]
            ):
                return arc
            cursor[node] += 1
        return -1
