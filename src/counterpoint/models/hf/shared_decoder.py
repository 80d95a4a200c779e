"""Decoding of prompts that share their pictures: each picture, and what else prompts have in common, is computed once.

Keys and values of a picture are kept once for all its prompts. A step decodes the next token of each of them, and the
attention mask lets a token see its own prompt and answer alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counterpoint.models.hf.batch_preparation import Inputs, SharedPrompts
from counterpoint.models.hf.decoder import Decoder, Tokens

CACHED_POSITIONS = 1024
"""Positions of trunks that are remembered."""


@dataclass(frozen=True, slots=True)
class _Trunks:
    """Trunks that are being read: the inputs of their prompts on the device, the cache, and the logits behind them."""

    inputs: Inputs
    cache: Any
    logits: Any


class SharedDecoder:
    """A generative model with greedy decoding of prompts that share their pictures."""

    def __init__(self, decoder: Decoder) -> None:
        self._decoder, self._model = decoder, decoder.model
        self._keeps = "logits_to_keep" in signature(self._model.forward).parameters
        self._rope: Any = getattr(getattr(self._model, "model", None), "get_rope_index", None)
        self._rope_inputs = signature(self._rope).parameters if self._rope else {}
        self._positions: dict[tuple[bytes, ...], Any] = {}
        self._begun: tuple[SharedPrompts, _Trunks] | None = None

    def positions(self, inputs: Inputs) -> Any:
        """The positions of the tokens of one prompt: counted, or in the dimensions of the model's own pictures."""
        if self._rope is None:
            return np.arange(inputs["input_ids"].shape[1])[None]
        known = {name: value for name, value in inputs.items() if name in self._rope_inputs}
        key = tuple(value.numpy().tobytes() for value in known.values())
        if key not in self._positions:  # pictures of one size have the same
            if len(self._positions) == CACHED_POSITIONS:
                self._positions.clear()
            self._positions[key] = self._rope(**known)[0][:, 0].numpy()
        return self._positions[key]

    def begin(self, prompts: SharedPrompts) -> None:
        """Launch the pass over the trunks of the prompts that are read next."""
        import torch

        with torch.inference_mode():
            self._begun = prompts, self._read_trunks(prompts)

    def forget(self) -> None:
        """Drop what was begun."""
        self._begun = None

    def generate(self, prompts: SharedPrompts, *processors: Any, tokens: int) -> Any:
        """The new tokens of each prompt; `processors` change the logits before each step."""
        import torch

        with torch.inference_mode():
            return _Answers(self, prompts, processors).decode(tokens)

    def log_likelihoods(self, prompts: SharedPrompts, tails: Sequence[Tokens]) -> list[float]:
        """The log-likelihood of each tail after its prompt, summed over tokens, in one pass."""
        import torch

        with torch.inference_mode():
            logits, *_ = self.read(prompts)
            norms = torch.stack([picture.float().logsumexp(-1) for picture in logits])  # one by one, as they are large
            at = [
                (picture, place, token)
                for (picture, places), tail in zip(prompts.places, tails, strict=True)
                for place, token in zip(places, tail, strict=True)
            ]
            pictures, places, wanted = torch.tensor(at, device=logits.device).T
            found = (logits[pictures, places, wanted].float() - norms[pictures, places]).cpu().double().numpy()
        ends = np.cumsum([len(tail) for tail in tails])[:-1]
        return [float(part.sum()) for part in np.split(found, ends)]

    def read(self, prompts: SharedPrompts) -> tuple[Any, Any, Any, Any]:
        """Read trunks and branches.

        Returns the logits of the wanted tokens, the cache, what these tokens see, and their positions.
        """
        begun, self._begun = self._begun, None
        trunks = begun[1] if begun is not None and begun[0] is prompts else self._read_trunks(prompts)
        inputs, cache, mask = trunks.inputs, trunks.cache, trunks.inputs["trunk_mask"].bool()[:, None]
        if prompts.alone:
            return trunks.logits, cache, mask, inputs["trunk_positions"][..., -1:]
        ancestors = inputs["ancestors"]
        seen = _joined(mask.expand(-1, ancestors.shape[1], -1), ancestors)
        logits = self.step(inputs["branches"], self.additive(seen), inputs["positions"], cache, prompts.wanted)
        return logits, cache, seen[:, -prompts.wanted :], inputs["positions"][..., -prompts.wanted :]

    def _read_trunks(self, prompts: SharedPrompts) -> "_Trunks":
        from counterpoint.models.hf.growing_cache import growing_cache

        inputs = self._decoder.to_device(prompts.inputs)
        cache = growing_cache(inputs["trunk"].shape[1] + inputs["branches"].shape[1])
        logits = self.step(
            inputs["trunk"],
            inputs["trunk_mask"] if prompts.padded else None,
            inputs["trunk_positions"],
            cache,
            1,
            **self._decoder.to_device(prompts.pictures),
        )
        return _Trunks(inputs, cache, logits)

    def step(self, ids: Any, mask: Any, positions: Any, cache: Any, wanted: int, **pictures: Any) -> Any:
        """The logits of the last tokens of each row, after one pass."""
        more = {"logits_to_keep": wanted} if self._keeps else {}
        found = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions if self._rope else positions[0],
            past_key_values=cache,
            use_cache=True,
            **pictures,
            **more,
        )
        return found.logits[:, -wanted:]

    def additive(self, seen: Any) -> Any:
        """A mask of what each token sees, as it is added to attention scores."""
        import torch

        kind = self._model.dtype
        nothing = torch.zeros((), dtype=kind, device=seen.device)
        return torch.where(seen, nothing, torch.finfo(kind).min)[:, None]

    @property
    def ends(self) -> Sequence[int]:
        """The tokens that end an answer."""
        return self._decoder.ends

    @property
    def padding(self) -> int:
        """The token that follows the end of an answer."""
        return self._decoder.end if self._decoder.padding is None else int(self._decoder.padding)


class _Answers:
    """The answers to a batch while they are decoded; those that have ended leave it."""

    def __init__(self, decoder: SharedDecoder, prompts: SharedPrompts, processors: Sequence[Any]) -> None:
        self._decoder, self._processors = decoder, processors
        self._logits, self._cache, self._seen, self._positions = decoder.read(prompts)
        self._masked = prompts.padded or not prompts.alone
        count = len(prompts.places)
        self._grid: NDArray[np.int64] = np.full(self._logits.shape[:2], -1, np.int64)  # the prompt in each place
        self._columns = np.array([places[0] for _, places in prompts.places])
        self._grid[[picture for picture, _ in prompts.places], self._columns] = np.arange(count)
        self._count = count
        self._owners = self._tensor(np.empty((len(self._grid), 0), np.int64))
        self._place()

    def decode(self, tokens: int) -> Any:
        """The new tokens of each prompt, at most so many."""
        import torch

        written = []
        ended = torch.zeros(self._count, dtype=torch.bool, device=self._logits.device)
        ends = self._tensor(np.array(self._decoder.ends))
        for number in range(1, tokens + 1):
            scores = self._logits.new_zeros(self._count, self._logits.shape[-1])
            scores[self._prompts] = self._logits[self._filled]
            for processor in self._processors:
                scores = processor(None, scores)
            chosen = scores.argmax(-1).masked_fill(ended, self._decoder.padding)
            written.append(chosen)
            if number == tokens:
                break
            ended |= torch.isin(chosen, ends)
            over: NDArray[np.bool_] = ended.cpu().numpy()
            if over.all():
                break
            self._leave(over)
            self._step(chosen, number)
        return torch.stack(written, 1)

    def _step(self, chosen: Any, number: int) -> None:
        """Decode one more token of each prompt that has not ended."""
        rows, columns = self._rows, self._at
        index = columns.clamp(min=0)
        self._owners = _joined(self._owners, columns)
        own = self._owners[:, None] == columns[..., None]
        seen = _joined(self._seen.gather(1, index[..., None].expand(-1, -1, self._seen.shape[-1])), own)
        positions = self._positions.gather(2, index.expand(len(self._positions), -1, -1)) + number
        mask = self._decoder.additive(seen) if self._masked else None
        self._logits = self._decoder.step(chosen[rows], mask, positions, self._cache, columns.shape[1])

    def _leave(self, ended: NDArray[np.bool_]) -> None:
        """Take prompts that have ended out of the batch, and pictures once a quarter of them have no other."""
        going = (self._grid >= 0) & ~ended[self._grid]
        kept = np.flatnonzero(going.any(1))
        if 4 * len(kept) > 3 * len(self._grid):
            kept = np.arange(len(self._grid))
        width = int(going.sum(1).max())
        if width == self._grid.shape[1] and len(kept) == len(self._grid):
            return
        first = np.argsort(~going, axis=1, kind="stable")[:, :width]
        self._grid = np.take_along_axis(np.where(going, self._grid, -1), first, 1)[kept]
        if len(kept) < len(going):
            pictures = self._tensor(kept)
            self._cache.batch_select_indices(pictures)
            self._seen, self._owners = self._seen[pictures], self._owners[pictures]
            self._positions = self._positions[:, pictures]
        self._place()

    def _place(self) -> None:
        """Tell where the prompts of the grid are, on the device."""
        filled = np.nonzero(self._grid >= 0)
        self._filled = tuple(self._tensor(axis) for axis in filled)
        self._prompts = self._tensor(self._grid[filled])
        self._rows = self._tensor(self._grid.clip(min=0))
        self._at = self._tensor(np.where(self._grid >= 0, self._columns[self._grid], -1))

    def _tensor(self, array: NDArray[np.int64]) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(array)).to(self._logits.device, non_blocking=True)


def _joined(first: Any, second: Any) -> Any:
    import torch

    return torch.cat([first, second], -1)
