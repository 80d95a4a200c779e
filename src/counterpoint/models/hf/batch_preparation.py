"""Preparation of batches for generative models, in threads that run ahead of the device."""

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
"""Batches prepared at a time, given enough cores, and the switch interval of threads in seconds."""

Inputs: TypeAlias = Mapping[str, Any]
"""The inputs of a model, tensors by name."""
Item = TypeVar("Item")
Made = TypeVar("Made")


class PromptFormat(Protocol):
    """The prompts and tokens of one model."""

    @property
    def tokenizer(self) -> Any:
        """The tokenizer."""
        ...

    @property
    def gap(self) -> str:
        """What separates the end of a prompt from the first word of an answer: a space, or nothing."""
        ...

    @property
    def stop(self) -> str:
        """A string that ends an answer beside the EOS token; none if empty."""
        ...

    def shows_picture(self, query: Query) -> bool:
        """Whether the model gets the picture; PictureError where it cannot do without."""
        ...

    def batch_key(self, query: Query) -> Hashable:
        """What queries of one batch have in common."""
        ...

    def inputs(self, queries: Sequence[Query], pixels: Sequence[Pixels | None]) -> Inputs:
        """The inputs of the model for these queries, on the CPU."""
        ...


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One row of a batch: a query, its position, and the tokens whose likelihood is wanted, if any."""

    position: int
    query: Query
    tail: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """Rows with their inputs, and failed answers for those whose picture cannot be read."""

    rows: list[BatchRow]
    inputs: Inputs
    failed: list[PlacedAnswer]


PromptFormatT = TypeVar("PromptFormatT", bound=PromptFormat)


class PreparationProcesses(Protocol):
    """Worker processes that prepare rows."""

    @property
    def ready(self) -> bool:
        """Whether they are running."""
        ...

    @property
    def processes(self) -> int:
        """Their number."""
        ...

    def prepare(self, rows: Sequence[BatchRow]) -> PreparedBatch | None:
        """The prepared rows; None if the processes died."""
        ...


class BatchPreparer(Generic[PromptFormatT]):
    """Prepares batches in threads, each with a copy of the prompt format, since tokenizers cannot be shared.

    With worker processes, the threads only fetch their results.
    """

    def __init__(
        self,
        prompts: PromptFormatT,
        pictures: Pictures,
        pack: Callable[[Inputs], Inputs],
        processes: PreparationProcesses | None = None,
    ) -> None:
        self.prompts = deepcopy(prompts)
        self._pictures, self._pack, self._processes = pictures, pack, processes
        self._spare: SimpleQueue[PromptFormatT] = SimpleQueue()
        self._spare.put(prompts)

    def batches(self, rows: Sequence[BatchRow], most: int) -> Iterator[PreparedBatch]:
        """Rows with one batch key, at most so many at a time, prepared ahead."""
        by_key: dict[Hashable, list[BatchRow]] = {}
        for row in rows:
            by_key.setdefault(self.prompts.batch_key(row.query), []).append(row)
        portions = [group[at : at + most] for group in by_key.values() for at in range(0, len(group), most)]
        threads = self._processes.processes if self._processes is not None else THREADS
        return map_ahead(self._prepare, portions, min(threads, os.cpu_count() or 1))

    def _prepare(self, rows: Sequence[BatchRow]) -> PreparedBatch:
        fetched = self._processes.prepare(rows) if self._processes is not None and self._processes.ready else None
        batch = self._prepare_here(rows) if fetched is None else fetched
        return PreparedBatch(batch.rows, self._pack(batch.inputs), batch.failed)

    def _prepare_here(self, rows: Sequence[BatchRow]) -> PreparedBatch:
        try:
            prompts = self._spare.get_nowait()
        except Empty:
            prompts = deepcopy(self.prompts)
        batch = prepare_batch(rows, prompts, self._pictures)
        self._spare.put(prompts)
        return batch


def prepare_batch(rows: Sequence[BatchRow], prompts: PromptFormat, pictures: Pictures) -> PreparedBatch:
    """Rows as one batch of inputs; those whose picture cannot be read have failed."""
    ready: list[BatchRow] = []
    pixels: list[Pixels | None] = []
    failed: list[PlacedAnswer] = []
    for row in rows:
        try:
            picture = row.query.picture if prompts.shows_picture(row.query) else None
            pixels.append(pictures.pixels(picture) if picture else None)
            ready.append(row)
        except (PictureError, OSError) as problem:
            failed.append((row.position, Answer.failed(problem)))
    return PreparedBatch(ready, prompts.inputs([row.query for row in ready], pixels) if ready else {}, failed)


def map_ahead(make: Callable[[Item], Made], items: Iterable[Item], threads: int) -> Iterator[Made]:
    """The results of `make` in order, computed by threads that run a few items ahead of the consumer.

    >>> list(map_ahead(str, range(5), threads=2))
    ['0', '1', '2', '3', '4']
    """
    waiting: deque[Future[Made]] = deque()
    default = sys.getswitchinterval()
    with ThreadPoolExecutor(threads, "preparing") as pool:
        sys.setswitchinterval(min(default, SWITCH_SECONDS))  # or the thread that feeds the device waits too long
        try:
            for item in items:
                waiting.append(pool.submit(make, item))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            sys.setswitchinterval(default)
            for future in waiting:
                future.cancel()
