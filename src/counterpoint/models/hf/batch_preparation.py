"""Queries made ready for a model that speaks, in batches, by threads that are ahead of the device."""

import os
import sys
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from counterpoint.core.answers import Answer
from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Query
from counterpoint.core.ports import Pictures, Pixels, PlacedAnswer

THREADS, SWITCH_SECONDS = 4, 0.0005
"""How many batches are made ready at a time, where there are so many cores, and the seconds that a thread may take."""

Inputs: TypeAlias = Mapping[str, Any]
"""What a model is given, tensors by their names."""
Item = TypeVar("Item")
Made = TypeVar("Made")


class PromptFormat(Protocol):
    """A query in the words and tokens of one model."""

    @property
    def tokenizer(self) -> Any:
        """What makes tokens of words."""
        ...

    @property
    def gap(self) -> str:
        """What stands between the end of a prompt and the first word of an answer: a space, or nothing."""
        ...

    @property
    def stop(self) -> str:
        """Where an answer ends beside the end that the model gives it; nowhere if empty."""
        ...

    def looks(self, query: Query) -> bool:
        """Whether it is shown the picture; a query that it cannot be asked is a PictureError."""
        ...

    def alike(self, query: Query) -> Hashable:
        """What queries must share to stand in one batch."""
        ...

    def inputs(self, queries: Sequence[Query], shown: Sequence[Pixels | None]) -> Inputs:
        """What the model is given for these queries, still on the CPU."""
        ...


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One row of a batch: a query, its position, and what it is to say where it has no choice."""

    position: int
    query: Query
    tail: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """Rows that are ready, and the answers of those whose picture cannot be shown."""

    rows: list[BatchRow]
    inputs: Inputs
    failed: list[PlacedAnswer]


PromptFormatT = TypeVar("Worded", bound=PromptFormat)


class PreparationProcesses(Protocol):
    """Others who can make rows ready."""

    @property
    def ready(self) -> bool:
        """Whether they are at work."""
        ...

    @property
    def processes(self) -> int:
        """How many they are."""
        ...

    def prepared(self, rows: Sequence[BatchRow]) -> PreparedBatch | None:
        """The rows made ready, if they still can."""
        ...


class BatchPreparer(Generic[PromptFormatT]):
    """Makes batches of queries; each thread has a copy of the wording, since tokenizers cannot be shared.

    Where there is somebody elsewhere to do it, the threads only fetch what was made there.
    """

    def __init__(
        self,
        wording: PromptFormatT,
        pictures: Pictures,
        pack: Callable[[Inputs], Inputs],
        elsewhere: PreparationProcesses | None = None,
    ) -> None:
        self.wording = deepcopy(wording)
        self._pictures, self._pack, self._elsewhere = pictures, pack, elsewhere
        self._spare: SimpleQueue[PromptFormatT] = SimpleQueue()
        self._spare.put(wording)

    def batches(self, rows: Sequence[BatchRow], most: int) -> Iterator[PreparedBatch]:
        """Rows that may stand together, at most so many at a time, made ready ahead."""
        by_kind: dict[Hashable, list[BatchRow]] = {}
        for row in rows:
            by_kind.setdefault(self.wording.alike(row.query), []).append(row)
        portions = [some[at : at + most] for some in by_kind.values() for at in range(0, len(some), most)]
        threads = self._elsewhere.processes if self._elsewhere is not None else THREADS
        return map_ahead(self._prepared, portions, min(threads, os.cpu_count() or 1))

    def _prepared(self, rows: Sequence[BatchRow]) -> PreparedBatch:
        fetched = self._elsewhere.prepared(rows) if self._elsewhere is not None and self._elsewhere.ready else None
        batch = self._made(rows) if fetched is None else fetched
        return PreparedBatch(batch.rows, self._pack(batch.inputs), batch.failed)

    def _made(self, rows: Sequence[BatchRow]) -> PreparedBatch:
        try:
            wording = self._spare.get_nowait()
        except Empty:
            wording = deepcopy(self.wording)
        batch = prepare_batch(rows, wording, self._pictures)
        self._spare.put(wording)
        return batch


def prepare_batch(rows: Sequence[BatchRow], wording: PromptFormat, pictures: Pictures) -> PreparedBatch:
    """Rows as a model takes them, in one batch; those whose picture cannot be shown have failed."""
    kept: list[BatchRow] = []
    shown: list[Pixels | None] = []
    failed: list[PlacedAnswer] = []
    for row in rows:
        try:
            picture = row.query.picture if wording.looks(row.query) else None
            shown.append(pictures.pixels(picture) if picture else None)
            kept.append(row)
        except (PictureError, OSError) as problem:
            failed.append((row.position, Answer.failed(problem)))
    return PreparedBatch(kept, wording.inputs([row.query for row in kept], shown) if kept else {}, failed)


def map_ahead(make: Callable[[Item], Made], items: Iterable[Item], threads: int) -> Iterator[Made]:
    """What is made of each item, in order, by threads that are a few items ahead of whoever takes it.

    >>> list(map_ahead(str, range(5), threads=2))
    ['0', '1', '2', '3', '4']
    """
    waiting: deque[Future[Made]] = deque()
    usual = sys.getswitchinterval()
    with ThreadPoolExecutor(threads, "preparing") as pool:
        sys.setswitchinterval(min(usual, SWITCH_SECONDS))  # or whoever keeps a device busy waits too long for his turn
        try:
            for item in items:
                waiting.append(pool.submit(make, item))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            sys.setswitchinterval(usual)
            for future in waiting:
                future.cancel()
