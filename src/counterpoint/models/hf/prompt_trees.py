"""Trees of prompts on several pictures as the inputs of a model, one row a picture."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.models.hf.batch_preparation import Inputs, PreparedBatch, SharedPrompts
from counterpoint.models.hf.token_trees import PicturePrompts, TokenTree

Positions: TypeAlias = Callable[[Inputs], Any]
"""The positions of the tokens of one prompt, in one or more dimensions."""


@dataclass(frozen=True, slots=True)
class TreeBuilder:
    """Joins the prompts on several pictures into one batch."""

    image_token: int
    padding: int
    positions: Positions
    pinned: bool = False  # whether pictures are joined in pinned memory

    def join(self, batches: Sequence[PreparedBatch]) -> SharedPrompts:
        """One batch for several pictures; trunks are padded on the left, what follows on the right.

        Where each picture has one prompt, its trunk is the whole of it, unless that needs padding.
        """
        import torch

        prompts = [_prompts(batch) for batch in batches]
        trunks, wholes = ({len(each.trunk) for each in prompts}, {each.tokens for each in prompts})
        alone = all(each.is_path for each in prompts) and (len(wholes) == 1 or len(trunks) > 1)
        arrays = self._alone(batches) if alone else self._shared(batches)
        return SharedPrompts(
            inputs={name: torch.from_numpy(array) for name, array in arrays.items()},
            pictures=join_pictures([batch.inputs for batch in batches], self.pinned),
            places=[(number, places) for number, each in enumerate(prompts) for places in each.tree.places],
            lengths=[length for each in prompts for length in each.lengths],
            padded=not arrays["trunk_mask"].all(),
            wanted=max(each.tree.wanted for each in prompts),
        )

    def _shared(self, batches: Sequence[PreparedBatch]) -> dict[str, NDArray[Any]]:
        prompts, positions = [_prompts(batch) for batch in batches], [self._positions(batch) for batch in batches]
        trunks = self._trunks([each.trunk for each in prompts], positions)
        starts = [int(places[0, -1]) for places in positions]
        return trunks | self._branches([each.tree for each in prompts], starts, dimensions=len(positions[0]))

    def _alone(self, batches: Sequence[PreparedBatch]) -> dict[str, NDArray[Any]]:
        rows, positions = [], []
        for batch, places in zip(batches, map(self._positions, batches), strict=True):
            prompts = _prompts(batch)
            rows.append(np.concatenate([prompts.trunk, prompts.tree.tokens]))
            behind = np.tile(places[:1, -1:] + prompts.tree.depths, (len(places), 1))
            positions.append(np.concatenate([places[:, :-1], behind], 1))
        nothing = np.zeros((len(batches), 0), np.int64)
        return self._trunks(rows, positions) | {
            "branches": nothing,
            "positions": nothing[None],
            "ancestors": nothing[..., None],
        }

    def _positions(self, batch: PreparedBatch) -> NDArray[np.int64]:
        """The positions of the tokens of a trunk and of the one behind it."""
        import torch

        tokens = torch.from_numpy(np.append(_prompts(batch).trunk, self.padding)[None])
        pictured = tokens.eq(self.image_token).long()
        inputs = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "mm_token_type_ids": pictured}
        return np.asarray(self.positions({**batch.inputs, **inputs}))

    def _trunks(
        self, trunks: Sequence[NDArray[np.int64]], positions: Sequence[NDArray[np.int64]]
    ) -> dict[str, NDArray[Any]]:
        shape = len(trunks), max(map(len, trunks))
        ids, mask = np.full(shape, self.padding, np.int64), np.zeros(shape, np.int64)
        places = np.zeros((len(positions[0]), *shape), np.int64)
        for number, trunk in enumerate(trunks):
            at = slice(shape[1] - len(trunk), None)
            ids[number, at], mask[number, at] = trunk, 1
            places[:, number, at] = positions[number][:, : len(trunk)]
        return {"trunk": ids, "trunk_mask": mask, "trunk_positions": places}

    def _branches(self, trees: Sequence[TokenTree], starts: Sequence[int], dimensions: int) -> dict[str, NDArray[Any]]:
        inner = max(len(tree.tokens) - tree.wanted for tree in trees)
        shape = len(trees), inner + max(tree.wanted for tree in trees)
        ids, places = np.full(shape, self.padding, np.int64), np.zeros(shape, np.int64)
        ancestors = np.tile(np.eye(shape[1], dtype=np.bool_), (len(trees), 1, 1))
        for number, (tree, start) in enumerate(zip(trees, starts, strict=True)):
            columns = np.r_[: len(tree.tokens) - tree.wanted, inner : inner + tree.wanted]
            ids[number, columns], places[number, columns] = tree.tokens, start + tree.depths
            ancestors[number][np.ix_(columns, columns)] = tree.ancestors
        return {"branches": ids, "positions": np.tile(places, (dimensions, 1, 1)), "ancestors": ancestors}


def _prompts(batch: PreparedBatch) -> PicturePrompts:
    assert batch.prompts is not None, "rows on one picture have a tree"
    return batch.prompts


def join_pictures(inputs: Sequence[Inputs], pinned: bool) -> Inputs:
    """The inputs of several pictures as one batch; what is smaller is padded with zeros, as processors do."""
    return {name: _pad_together([each[name] for each in inputs], pinned) for name in inputs[0]}


def _pad_together(tensors: Sequence[Any], pinned: bool) -> Any:
    import torch

    count, kind = sum(map(len, tensors)), tensors[0].dtype
    if len({tensor.shape[1:] for tensor in tensors}) == 1:
        joined = torch.empty((count, *tensors[0].shape[1:]), dtype=kind, pin_memory=pinned)
        return torch.cat(list(tensors), out=joined)
    largest = [max(sizes) for sizes in zip(*(tensor.shape[1:] for tensor in tensors), strict=True)]
    joined = torch.zeros((count, *largest), dtype=kind, pin_memory=pinned)
    start = 0
    for tensor in tensors:
        joined[(slice(start, start + len(tensor)), *map(slice, tensor.shape[1:]))] = tensor
        start += len(tensor)
    return joined


def limit_batches(
    batches: Iterable[PreparedBatch], cost: Callable[[PreparedBatch], int], rows: int, tokens: int, start: float = 1.0
) -> Iterator[list[PreparedBatch]]:
    """Pictures in lists of at most so many rows and tokens, each counted as the longest is; at least one in each.

    The first list is limited to a share of these, `start`, so that a device does not wait long for it.
    """
    waiting: list[PreparedBatch] = []
    held, largest, share = 0, 0, start
    for batch in batches:
        size = cost(batch)
        full = held + len(batch.rows) > share * rows or (len(waiting) + 1) * max(largest, size) > share * tokens
        if waiting and full:
            yield waiting
            waiting, held, largest, share = [], 0, 0, 1.0
        waiting.append(batch)
        held, largest = held + len(batch.rows), max(largest, size)
    if waiting:
        yield waiting
