"""Greedy decoding of a generative checkpoint, and sampling of tokens by seeded random numbers."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from counterpoint.core.groups import Query
from counterpoint.core.ids import seeded_rng
from counterpoint.models.hf.likelihood import FirstStepLogits, keep_only


class Decoder:
    """A generative model with greedy decoding, whatever its generation config says."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        from transformers import GenerationConfig

        self.model = model
        configured = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
        ends = next((e for e in (configured, tokenizer.eos_token_id, tokenizer.sep_token_id) if e is not None), 0)
        self.end = int(ends[0] if isinstance(ends, list) else ends)
        for part in model.modules():
            if getattr(part, "generation_config", None) is not None:
                start = getattr(part.generation_config, "decoder_start_token_id", None)
                part.generation_config = GenerationConfig(
                    eos_token_id=ends, pad_token_id=tokenizer.pad_token_id, decoder_start_token_id=start
                )

    def __call__(self, inputs: Mapping[str, Any], *processors: Any, tokens: int) -> Any:
        """The new tokens of each row; `processors` change the logits before each step."""
        import torch

        steps = FirstStepLogits()
        with torch.inference_mode():
            generated = self.model.generate(
                **self.to_device(inputs),
                logits_processor=[steps, *processors],
                max_new_tokens=tokens,
                do_sample=False,
                num_beams=1,
            )
        return generated[:, -steps.steps :]

    def pack(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs on the CPU in the dtype of the model, pinned where it is on CUDA."""
        packed = {}
        for name, value in inputs.items():
            tensor = value.to(self.model.dtype if value.is_floating_point() else value.dtype)
            packed[name] = tensor.pin_memory() if self.model.device.type == "cuda" else tensor
        return packed

    def to_device(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Inputs on the device of the model."""
        return {name: value.to(self.model.device, non_blocking=True) for name, value in inputs.items()}


def sampling_rng(query: Query, trial: int, seed: int) -> Random:
    """The random numbers of one pass, which depend on query, trial and seed alone."""
    return seeded_rng("sample", seed, query.id, trial)


class TokenSampler:
    """A logits processor that samples the next token of each row by inverse transform sampling.

    Each row has its own random numbers, so that its answer does not depend on the batch.
    """

    def __init__(self, rngs: Sequence[Random], temperature: float) -> None:
        self._rngs, self._temperature = rngs, temperature

    def __call__(self, ids: Any, scores: Any) -> Any:
        """Keep the sampled token alone."""
        import torch

        exact = torch.float32 if scores.device.type == "mps" else torch.float64
        ends = (scores.to(exact) / self._temperature).softmax(-1).cumsum(-1)
        numbers = torch.tensor([[rng.random()] for rng in self._rngs], dtype=exact, device=scores.device)
        sampled = torch.searchsorted(ends, numbers * ends[:, -1:], right=True)
        return keep_only(scores, sampled.clamp(max=scores.shape[1] - 1))
