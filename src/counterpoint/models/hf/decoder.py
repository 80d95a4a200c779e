"""Greedy decoding, sampling of tokens by seeded random numbers, log-likelihoods, and first-token probabilities."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Protocol, TypeAlias

import numpy as np

from counterpoint.core.costs import Usage
from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Query
from counterpoint.core.ids import seeded_rng
from counterpoint.core.ports import Floats

Tokens: TypeAlias = Sequence[int]
"""Token ids."""
RankedWords: TypeAlias = tuple[tuple[str, float], ...]
"""Words with their probabilities, best first."""


class Generate(Protocol):
    """Generation: inputs in, new tokens out; logits processors are called before each step."""

    def __call__(self, inputs: Mapping[str, Any], *processors: Any, tokens: int) -> Any:
        """The new tokens, at most so many per row."""


class FirstStepLogits:
    """A logits processor that records the logits of the first step and counts the steps."""

    def __init__(self) -> None:
        self.steps = 0
        self.logits: Any = None

    def __call__(self, ids: Any, scores: Any) -> Any:
        """Record the logits before a step."""
        self.logits = scores.float() if self.logits is None else self.logits
        self.steps += 1
        return scores


class ForcedDecoding:
    """A logits processor that forces each row to generate its own tail, and sums its log-probabilities."""

    def __init__(self, tails: Sequence[Tokens], end: int) -> None:
        self.sums = np.zeros(len(tails))
        self._tails, self._end, self._step = tails, end, 0

    def __call__(self, ids: Any, scores: Any) -> Any:
        """Keep one token per row; after its tail that is EOS, if the vocabulary has it."""
        import torch

        end = self._end if self._end < scores.shape[1] else 0
        unfinished = np.array([self._step < len(tail) for tail in self._tails])
        tokens = [tail[self._step] if more else end for tail, more in zip(self._tails, unfinished, strict=True)]
        wanted = torch.tensor(tokens, device=scores.device)[:, None]
        log_probs = scores.float().log_softmax(-1).gather(1, wanted)[:, 0].cpu().double().numpy()
        self.sums += np.where(unfinished, log_probs, 0.0)
        self._step += 1
        return keep_only(scores, wanted)


def keep_only(scores: Any, wanted: Any) -> Any:
    """Logits that allow one token per row."""
    import torch

    return torch.full_like(scores, -torch.inf).scatter(1, wanted, 0.0)


def log_likelihoods(generate: Generate, inputs: Mapping[str, Any], tails: Sequence[Tokens], end: int) -> list[float]:
    """The log-likelihood of each tail after its row of inputs, summed over tokens, in natural logarithms.

    It uses forced generation, so that positions, padding and masks are those of answers.
    """
    forced = ForcedDecoding(tails, end)
    generate(inputs, forced, tokens=max(map(len, tails)))
    return [float(total) for total in forced.sums]


def sequence_log_likelihoods(model: Any, heads: Sequence[Tokens], tails: Sequence[Tokens]) -> list[float]:
    """The same for a causal language model, in one forward pass over head and tail, padded on the right."""
    import torch

    rows = [[*head, *tail] for head, tail in zip(heads, tails, strict=True)]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows], device=model.device)
    seen = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=seen, use_cache=False).logits[:, :-1]
        by_row = (  # a row at a time, since logits in float32 are large
            row.float().log_softmax(-1).gather(1, next_ids[:, None])[:, 0]
            for row, next_ids in zip(logits, ids[:, 1:], strict=True)
        )
        log_probs = torch.stack(list(by_row)).cpu().double().numpy()
    return [
        float(row[len(head) - 1 : len(head) - 1 + len(tail)].sum())
        for row, head, tail in zip(log_probs, heads, tails, strict=True)
    ]


def count_tokens(read: Sequence[int], tokens: Any, ends: Sequence[int]) -> list[Usage]:
    """The tokens of each prompt, and the new ones up to the first that ends a reply, without the padding after it."""
    ended = np.isin(tokens.numpy(), ends)
    written = np.where(ended.any(1), ended.argmax(1) + 1, tokens.shape[1]).tolist()
    return [Usage(*counts) for counts in zip(read, written, strict=True)]


class FirstTokens:
    """The first tokens of words: in lower case, capitalized or in upper case, after a space or not."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._cache: dict[tuple[str, ...], list[list[int]]] = {}

    def of(self, words: Sequence[str]) -> list[list[int]]:
        """For each word the tokens that begin it and none of the others; empty where a word has none."""
        key = tuple(words)
        if key not in self._cache:
            firsts = [self._firsts(word) for word in key]
            shared = {
                token for place, tokens in enumerate(firsts) for other in firsts[:place] for token in tokens & other
            }
            unique = [sorted(tokens - shared) for tokens in firsts]
            self._cache[key] = unique if unique and all(unique) else []
        return self._cache[key]

    def _firsts(self, word: str) -> set[int]:
        forms = [gap + form for gap in ("", " ") for form in dict.fromkeys((word, word.capitalize(), word.upper()))]
        tokens = {ids[0] for form in forms if (ids := self._tokenizer.encode(form, add_special_tokens=False))}
        return {token for token in tokens if self._tokenizer.decode([token], skip_special_tokens=True).strip()}


class FirstTokenLogits:
    """The logits of the words of each row by their first tokens, fetched from the device."""

    def __init__(self, logits: Any, first_tokens: Sequence[Sequence[Sequence[int]]]) -> None:
        import torch

        self._first_tokens = first_tokens
        flat = [[token for word in words for token in word] for words in first_tokens]
        most = max(map(len, flat), default=0)
        index = torch.tensor([row + [0] * (most - len(row)) for row in flat], dtype=torch.long, device=logits.device)
        self._logits: Floats = logits.gather(1, index).cpu().double().numpy()

    def probabilities(self, row: int) -> list[float]:
        """The probabilities of the words of a row, normalized over them."""
        words = self._first_tokens[row]
        if not words:
            return []
        ends = np.cumsum([0, *map(len, words)])
        known = self._logits[row, : ends[-1]]
        weights = np.exp(known - known.max())
        sums = np.array([weights[start:stop].sum() for start, stop in pairwise(ends)])
        return [float(share) for share in sums / sums.sum()]


def choice_probabilities(choices: Sequence[Tokens], sums: Sequence[float]) -> list[float]:
    """The probabilities of choices by the log-likelihoods of their tokens, normalized over them.

    A reply of "10" begins with "1" as well: a choice that begins others has the probability that none of them follows,
    or no longer one could ever be chosen.

    >>> [round(share, 3) for share in choice_probabilities([(1,), (2, 3)], [-700.0, -701.0])]
    [0.731, 0.269]
    >>> [round(share, 3) for share in choice_probabilities([(1,), (1, 0)], [-0.5, -0.6])]
    [0.095, 0.905]
    """
    weights = dict(zip(choices, np.exp(np.array(sums) - max(sums)), strict=True))
    longer = {choice: [other for other in weights if _begins(choice, other)] for choice in weights}
    own = {
        choice: weight - sum(weights[other] for other in longer[choice] if not _begins_any(longer[choice], other))
        for choice, weight in weights.items()
    }
    shares = np.array([max(0.0, own[choice]) for choice in choices])
    return [float(share) for share in shares / shares.sum()]


def _begins(choice: Tokens, other: Tokens) -> bool:
    return len(choice) < len(other) and other[: len(choice)] == choice


def _begins_any(choices: Sequence[Tokens], other: Tokens) -> bool:
    return any(_begins(choice, other) for choice in choices)


def rank_words(words: Sequence[str], probabilities: Sequence[float]) -> RankedWords:
    """Words with their probabilities, best first.

    >>> rank_words(("red", "blue"), (0.25, 0.75))
    (('blue', 0.75), ('red', 0.25))
    """
    return tuple(sorted(zip(words, probabilities, strict=True), key=lambda pair: -pair[1])) if probabilities else ()


class Decoder:
    """A generative model with greedy decoding, whatever its generation config says."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        from transformers import GenerationConfig

        self.model = model
        configured = getattr(getattr(model, "generation_config", None), "eos_token_id", None)
        ends = next((e for e in (configured, tokenizer.eos_token_id, tokenizer.sep_token_id) if e is not None), 0)
        self.ends = [int(end) for end in (ends if isinstance(ends, list) else [ends])]
        self.end, self.padding = self.ends[0], tokenizer.pad_token_id
        for part in model.modules():
            if getattr(part, "generation_config", None) is not None:
                start = getattr(part.generation_config, "decoder_start_token_id", None)
                part.generation_config = GenerationConfig(
                    eos_token_id=ends, pad_token_id=tokenizer.pad_token_id, decoder_start_token_id=start
                )

    def __call__(self, inputs: Mapping[str, Any], *processors: Any, tokens: int) -> Any:
        """The new tokens of each row; `processors` change the logits before each step.

        ModelError where the model does not call them, as Janus: nothing that it generates could be read.
        """
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
        if not steps.steps:
            fact = f"{type(self.model).__name__}.generate ignores logits processors, so it cannot be asked"
            raise ModelError(fact, hint="ask it by code of your own (module:object), or by a server")
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

    Each row has its own random numbers, so that its answer does not depend on the batch; one without any is greedy.
    """

    def __init__(self, rngs: Sequence[Random | None], temperature: float) -> None:
        self._rngs, self._temperature = rngs, temperature

    def __call__(self, ids: Any, scores: Any) -> Any:
        """Keep the sampled token alone."""
        import torch

        rows = [row for row, rng in enumerate(self._rngs) if rng is not None]
        if not rows:
            return scores
        exact = torch.float32 if scores.device.type == "mps" else torch.float64
        ends = (scores[rows].to(exact) / self._temperature).softmax(-1).cumsum(-1)
        numbers = [[rng.random()] for rng in self._rngs if rng is not None]
        numbers = torch.tensor(numbers, dtype=exact, device=scores.device)
        sampled = torch.searchsorted(ends, numbers * ends[:, -1:], right=True)
        kept = scores.clone()
        kept[rows] = keep_only(scores[rows], sampled.clamp(max=scores.shape[1] - 1))
        return kept
