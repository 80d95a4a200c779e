"""Preparation of batches for generative models, in threads or worker processes that run ahead of the device."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from queue import Empty, SimpleQueue
from threading import RLock
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from counterpoint.core.ahead import map_ahead
from counterpoint.core.errors import PictureError
from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ports import Pictures, Pixels, PlacedAnswer, PreprocessingPictures
from counterpoint.engine.cores import usable_cores
from counterpoint.engine.mapped_arrays import MappedPool, read_mapped
from counterpoint.models.hf.prompt_formats import PromptFormat
from counterpoint.models.hf.token_trees import PicturePrompts, share_picture

THREADS, SWITCH_SECONDS = 4, 0.0005
"""Batches prepared at a time, given enough cores, and the switch interval of threads in seconds."""
PICTURES_AHEAD, PICTURES_TOGETHER = 128, 4
"""Pictures prepared ahead of the batches that they will be part of, and those that a worker gets at a time."""
TOKEN_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "mm_token_type_ids")
"""Inputs with a value for each token; the others belong to the picture."""

Inputs: TypeAlias = Mapping[str, Any]
"""The inputs of a model, tensors by name."""
Item = TypeVar("Item")
Made = TypeVar("Made")
MIN_CORES, MAX_PROCESSES = 4, 8
"""The number of cores from which processes pay, and the largest number of processes."""


@dataclass(frozen=True, slots=True)
class BatchRow:
    """One row of a batch: a query, its position, and the tokens whose likelihood is wanted, if any."""

    position: int
    query: Query
    tail: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class SharedPrompts:
    """Prompts on several pictures as the inputs of a model, one row a picture."""

    inputs: Inputs  # trunk, trunk_mask, trunk_positions, branches, positions, ancestors
    pictures: Inputs
    places: list[tuple[int, list[int]]]  # of each prompt: its picture, and its places among the wanted tokens
    lengths: list[int]  # of each prompt, in tokens
    padded: bool  # whether trunks have several lengths
    wanted: int

    def packed(self, pack: Callable[[Inputs], Inputs]) -> "SharedPrompts":
        """The same with its inputs as a device takes them."""
        return replace(self, inputs=pack(self.inputs), pictures=pack(self.pictures))

    @property
    def alone(self) -> bool:
        """Whether each picture has one prompt, all of which is its trunk."""
        return not self.inputs["branches"].shape[1]


@dataclass(frozen=True, slots=True)
class PreparedBatch:
    """Rows with their inputs, and failed answers for those whose picture cannot be read."""

    rows: list[BatchRow]
    inputs: Inputs
    failed: list[PlacedAnswer]
    prompts: PicturePrompts | None = None  # the tree of the rows, where the inputs are those of their picture
    shared: SharedPrompts | None = None  # the inputs, where prompts share their pictures


PromptFormatT = TypeVar("PromptFormatT", bound=PromptFormat)
BatchPortions: TypeAlias = Sequence[Sequence[BatchRow]]
"""Rows that are prepared together: those of a batch, or those on one picture."""


class BatchPreparer(Generic[PromptFormatT]):
    """Prepares batches in threads, each with a copy of the prompt format, since tokenizers cannot be shared.

    With a pool of processes, the threads only fetch their results, as soon as the first of the processes runs.
    """

    def __init__(
        self,
        prompts: PromptFormatT,
        pictures: Pictures,
        pack: Callable[[Inputs], Inputs],
        pool: MappedPool | None = None,
    ) -> None:
        self.prompts = deepcopy(prompts)
        self._pictures, self._pack, self._pool = pictures, pack, pool
        self._spare: SimpleQueue[PromptFormatT] = SimpleQueue()
        self._spare.put(prompts)

    def batches(self, rows: Sequence[BatchRow], most: int) -> Iterator[PreparedBatch]:
        """Rows with one batch key, at most so many at a time, prepared ahead."""
        groups = group_pairs((self.prompts.batch_key(row.query), row) for row in rows).values()
        return prepare_ahead(self._prepare, _portions(groups, most), self._threads)

    def by_picture(self, rows: Sequence[BatchRow], most: int) -> Iterator[PreparedBatch]:
        """Rows on one picture, at most so many at a time, with its inputs once and the tree of their prompts."""
        portions = _portions(group_pairs((row.query.picture, row) for row in rows).values(), most)
        chunks = _portions([portions], PICTURES_TOGETHER)
        ahead = PICTURES_AHEAD // PICTURES_TOGETHER
        return chain.from_iterable(prepare_ahead(partial(self._made, True), chunks, self._threads, ahead))

    @property
    def _threads(self) -> int:
        cores = self._pictures.cores if isinstance(self._pictures, PreprocessingPictures) else usable_cores()
        return min(THREADS if self._pool is None else self._pool.processes, cores)

    def _prepare(self, rows: Sequence[BatchRow]) -> PreparedBatch:
        (batch,) = self._made(False, [rows])
        return replace(batch, inputs=self._pack(batch.inputs))

    def _made(self, shared: bool, portions: BatchPortions) -> list[PreparedBatch]:
        return self._fetch(shared, portions) or self._prepare_here(shared, portions)

    def _fetch(self, shared: bool, portions: BatchPortions) -> list[PreparedBatch] | None:
        """Rows prepared by one of the processes, if any runs; all end where one of them was killed."""
        pool = self._pool
        if pool is None or not any(future.done() and future.exception() is None for future in pool.started):
            return None
        try:
            return [from_worker(batch) for batch in read_mapped(pool.call((shared, portions)).result())]
        except BrokenExecutor:
            pool.started = []
            return None

    def _prepare_here(self, shared: bool, portions: BatchPortions) -> list[PreparedBatch]:
        try:
            prompts = self._spare.get_nowait()
        except Empty:
            prompts = deepcopy(self.prompts)
        batches = prepare_portions(shared, portions, prompts, self._pictures)
        self._spare.put(prompts)
        return batches


def _portions(groups: Iterable[Sequence[Item]], most: int) -> list[Sequence[Item]]:
    return [group[at : at + most] for group in groups for at in range(0, len(group), most)]


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


def prepare_prompts(rows: Sequence[BatchRow], prompts: PromptFormat, pictures: Pictures) -> list[PreparedBatch]:
    """Rows on one picture: its inputs, and the tree of their prompts; all fail if it cannot be read.

    Prompts that do not begin with the picture are batches of their own.
    """
    picture = rows[0].query.picture
    assert picture is not None, "rows that share a picture have one"
    try:
        pixels = pictures.pixels(picture)
    except (PictureError, OSError) as problem:
        return [PreparedBatch([], {}, [(row.position, Answer.failed(problem)) for row in rows])]
    queries = list(dict.fromkeys(row.query for row in rows))
    inputs = prompts.inputs(queries[:1], [pixels])
    tokens = dict(zip(queries, prompts.tokens(queries, pixels, inputs["input_ids"][0].tolist()), strict=True))
    shown = {name: tensor for name, tensor in inputs.items() if name not in TOKEN_INPUTS}
    trees = share_picture([tokens[row.query] for row in rows], [row.tail for row in rows], prompts.picture_token)
    return [PreparedBatch([rows[number] for number in numbers], shown, [], tree) for numbers, tree in trees]


def prepare_portions(
    shared: bool, portions: BatchPortions, prompts: PromptFormat, pictures: Pictures
) -> list[PreparedBatch]:
    """Rows of a batch as they are, or those on one picture with their tree."""
    if not shared:
        return [prepare_batch(rows, prompts, pictures) for rows in portions]
    return [batch for rows in portions for batch in prepare_prompts(rows, prompts, pictures)]


def prepare_ahead(
    make: Callable[[Item], Made], items: Iterable[Item], threads: int, ahead: int | None = None
) -> Iterator[Made]:
    """The results of `make` in order, made ahead while a device works on those before."""
    with _ShortTurns():
        yield from map_ahead(make, items, threads, ahead)


class _ShortTurns:
    """Threads take shorter turns, or the one that feeds the device waits too long; as usual when the last has left."""

    _lock: ClassVar[RLock] = RLock()
    _inside: ClassVar[int] = 0
    _usual: ClassVar[float] = 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not _ShortTurns._inside:
                _ShortTurns._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(_ShortTurns._usual, SWITCH_SECONDS))
            _ShortTurns._inside += 1

    def __exit__(self, *problem: object) -> None:
        with self._lock:
            _ShortTurns._inside -= 1
            if not _ShortTurns._inside:
                sys.setswitchinterval(_ShortTurns._usual)


def preparation_pool(
    build: Callable[[], PromptFormat], pictures: Pictures, place: str, dtype: str
) -> MappedPool | None:
    """Processes for a model on CUDA, if there are enough cores and its pictures can be pickled."""
    if not place.startswith("cuda") or not isinstance(pictures, PreprocessingPictures):
        return None
    cores = pictures.cores - 2
    if cores < MIN_CORES:
        return None
    return MappedPool(partial(preparation_worker, build, pictures.source, dtype), min(MAX_PROCESSES, cores))


def preparation_worker(
    build: Callable[[], PromptFormat], pictures: Pictures, dtype: str
) -> Callable[[tuple[bool, BatchPortions]], list[PreparedBatch]]:
    """A function that prepares rows in a worker process, as they are or those on one picture.

    Their inputs are arrays, each with the name of its dtype.
    """
    import torch

    torch.set_num_threads(1)
    prompts = build()

    def as_arrays(batch: PreparedBatch) -> PreparedBatch:
        arrays = {}
        for name, tensor in batch.inputs.items():
            cast = tensor.to(getattr(torch, dtype)) if tensor.is_floating_point() else tensor
            plain = cast.view(torch.int16) if cast.dtype is torch.bfloat16 else cast  # which numpy does not have
            arrays[name] = plain.contiguous().numpy(), str(cast.dtype).removeprefix("torch.")
        return replace(batch, inputs=arrays)

    return lambda work: [as_arrays(batch) for batch in prepare_portions(*work, prompts, pictures)]


def from_worker(batch: PreparedBatch) -> PreparedBatch:
    """A batch that a worker process prepared, with its inputs as tensors again."""
    import torch

    arrays = batch.inputs.items()
    inputs = {name: torch.from_numpy(array).view(getattr(torch, kind)) for name, (array, kind) in arrays}
    return replace(batch, inputs=inputs)


def iterate_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """The items of an iterable, which a thread takes one ahead of the consumer.

    >>> list(iterate_ahead(range(3)))
    [0, 1, 2]
    """
    rest, end = iter(items), object()
    with ThreadPoolExecutor(1, "ahead") as pool:
        taken: Future[Any] = pool.submit(next, rest, end)
        while (item := taken.result()) is not end:
            taken = pool.submit(next, rest, end)
            yield item
