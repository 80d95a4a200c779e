"""Shards of a plan and their dispatch to workers: a state machine without processes, clocks or files.

A shard is a slice of the ordered plan, cut where the picture changes. Workers pull. When one is lost, the rows of its
shard that have no answer go to another worker.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

SHARD_SECONDS = 30.0
"""The work that a shard should hold."""
MAX_GROWTH = 8
"""A worker's next shard is at most so many times as large as its last one, whose rate may be a chance."""
MAX_TRIES = 3
"""A shard with which so many workers were lost fails."""
MAX_LOSSES = 3
"""A worker that is lost so many times without finishing a shard is benched."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Rows of a plan that one worker answers, and which workers were lost with them."""

    rows: Sequence[int]
    lost_by: tuple[int, ...] = ()
    reason: str = ""  # why the last of them was lost

    def __len__(self) -> int:
        return len(self.rows)


def picture_starts(plan: pa.Table) -> list[int]:
    """The rows at which a shard may begin: where the picture is another than that of the row before, or none.

    >>> picture_starts(pa.table({"picture": ["a", "a", "b", None, None]}))
    [0, 2, 3, 4]
    """
    if not plan.num_rows:
        return []
    codes = pc.fill_null(plan["picture"].combine_chunks().dictionary_encode().indices, -1).to_numpy()
    changes = np.flatnonzero((codes[1:] != codes[:-1]) | (codes[1:] < 0)) + 1
    return [0, *changes.tolist()]


class ShardDispatcher:
    """Gives shards to workers that ask for one, until every row is answered or has failed.

    >>> dispatcher = ShardDispatcher([0, 2, 4], rows=5, first_rows=2)
    >>> dispatcher.join(0), dispatcher.take(0)
    (None, Shard(rows=range(0, 2), lost_by=(), reason=''))
    """

    def __init__(self, starts: Sequence[int], rows: int, first_rows: int) -> None:
        self._starts, self._end, self._first_rows = starts, rows, first_rows
        self._next = 0
        self._lost = deque[Shard]()
        self._held: dict[int, Shard] = {}
        self._sizes: dict[int, int] = {}  # rows that a worker's next shard should have
        self._losses: dict[int, int] = {}  # of every worker, since it last finished a shard
        self._joined: set[int] = set()
        self.failed: list[Shard] = []  # with which too many workers were lost

    @property
    def is_done(self) -> bool:
        """Whether every row is answered or has failed."""
        return self._next >= self._end and not self._lost and not self._held

    @property
    def joined(self) -> frozenset[int]:
        """The workers that are up."""
        return frozenset(self._joined)

    @property
    def idle(self) -> list[int]:
        """The workers that are up and have no shard."""
        return sorted(self._joined.difference(self._held))

    def join(self, worker: int) -> None:
        """A worker is up, or up again."""
        self._losses.setdefault(worker, 0)
        if not self.is_benched(worker):
            self._joined.add(worker)

    def take(self, worker: int) -> Shard | None:
        """The next shard of an idle worker; None if there is none for it now, though one may be lost by another."""
        assert worker in self.idle, f"worker {worker} cannot take a shard now"
        shard = self._take_lost(worker) or self._cut(worker)
        if shard is not None:
            self._held[worker] = shard
        return shard

    def finish(self, worker: int, seconds: float) -> None:
        """A worker has answered its shard."""
        shard = self._held.pop(worker)
        self._losses[worker] = 0
        wanted = int(len(shard) * SHARD_SECONDS / seconds) if seconds > 0 else MAX_GROWTH * len(shard)
        self._sizes[worker] = max(self._first_rows, min(wanted, MAX_GROWTH * max(len(shard), self._first_rows)))

    def held(self, worker: int) -> Shard | None:
        """The shard that a worker is at."""
        return self._held.get(worker)

    def lose(self, worker: int, reason: str, missing: Sequence[int] = ()) -> None:
        """A worker is lost, and of its shard these rows have no answer."""
        self._losses[worker] = self._losses.get(worker, 0) + 1
        self._joined.discard(worker)
        shard = self._held.pop(worker, None)
        if shard is None or not missing:
            return
        rest = replace(shard, rows=missing, lost_by=(*shard.lost_by, worker), reason=reason)
        if len(rest.lost_by) >= MAX_TRIES:
            self.failed.append(rest)
        else:
            self._lost.append(rest)

    def bench(self, worker: int) -> None:
        """Never give a worker a shard again."""
        assert worker not in self._held, f"worker {worker} has a shard"
        self._losses[worker] = MAX_LOSSES
        self._joined.discard(worker)

    def is_benched(self, worker: int) -> bool:
        """Whether a worker was lost too often to be started again."""
        return self._losses.get(worker, 0) >= MAX_LOSSES

    @property
    def benched(self) -> list[int]:
        """The workers that are not started again."""
        return [worker for worker in sorted(self._losses) if self.is_benched(worker)]

    def _take_lost(self, worker: int) -> Shard | None:
        """The first shard that another worker lost; one of its own only if nobody else is left."""
        others = {other for other in self._losses if not self.is_benched(other)}
        for shard in self._lost:
            if worker not in shard.lost_by or others <= set(shard.lost_by):
                self._lost.remove(shard)
                return shard
        return None

    def _cut(self, worker: int) -> Shard | None:
        """The next rows of the plan; towards the end few, so that all workers end together."""
        if self._next >= self._end:
            return None
        share = (self._end - self._next) // (2 * max(1, len(self._joined)))
        wanted = min(self._sizes.get(worker, self._first_rows), max(share, self._first_rows))
        begin, after = self._next, bisect_left(self._starts, self._next + wanted)
        self._next = self._starts[after] if after < len(self._starts) else self._end
        return Shard(range(begin, self._next))
