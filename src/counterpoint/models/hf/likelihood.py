"""How likely a model is to say something: log-probabilities of words, given what it was shown and asked."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np

from counterpoint.core.ports import Floats

Tokens: TypeAlias = Sequence[int]
"""Words as a tokenizer numbers them."""
RankedWords: TypeAlias = tuple[tuple[str, float], ...]
"""Words with their probabilities, best first."""


class Generate(Protocol):
    """Whatever lets a model speak: inputs in, new tokens out; those who steer see the logits before each of them."""

    def __call__(self, inputs: Mapping[str, Any], *steering: Any, tokens: int) -> Any:
        """The new tokens, at most so many a row."""
        ...


class FirstStepLogits:
    """Keeps the logits of the first step, and counts the steps; it changes nothing."""

    def __init__(self) -> None:
        self.steps = 0
        self.logits: Any = None

    def __call__(self, ids: Any, scores: Any) -> Any:
        """Look at the logits before a step."""
        self.logits = scores.float() if self.logits is None else self.logits
        self.steps += 1
        return scores


class ForcedDecoding:
    """Lets each row say its own tail and nothing else, and sums up how likely that was."""

    def __init__(self, tails: Sequence[Tokens], end: int) -> None:
        self.sums = np.zeros(len(tails))
        self._tails, self._end, self._step = tails, end, 0

    def __call__(self, ids: Any, scores: Any) -> Any:
        """Leave one token a row; beyond its tail it is the end, if the model knows that token at all."""
        import torch

        end = self._end if self._end < scores.shape[1] else 0
        goes_on = np.array([self._step < len(tail) for tail in self._tails])
        tokens = [tail[self._step] if more else end for tail, more in zip(self._tails, goes_on, strict=True)]
        wanted = torch.tensor(tokens, device=scores.device)[:, None]
        odds = scores.float().log_softmax(-1).gather(1, wanted)[:, 0].double().cpu().numpy()
        self.sums += np.where(goes_on, odds, 0.0)
        self._step += 1
        return keep_only(scores, wanted)


def keep_only(scores: Any, wanted: Any) -> Any:
    """Logits that leave nothing but one token a row."""
    import torch

    return torch.full_like(scores, -torch.inf).scatter(1, wanted, 0.0)


def log_likelihoods(say: Generate, inputs: Mapping[str, Any], tails: Sequence[Tokens], end: int) -> list[float]:
    """How likely each row is to go on with its tail: the sum over its tokens, in natural logarithms.

    The model speaks as it always does, but has no choice; so its positions, padding and masks are those of its answers.
    """
    forced = ForcedDecoding(tails, end)
    say(inputs, forced, tokens=max(map(len, tails)))
    return [float(total) for total in forced.sums]


def sequence_log_likelihoods(model: Any, heads: Sequence[Tokens], tails: Sequence[Tokens]) -> list[float]:
    """The same for a plain language model by one pass over head and tail, padded at the end, where nothing looks."""
    import torch

    rows = [[*head, *tail] for head, tail in zip(heads, tails, strict=True)]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows], device=model.device)
    seen = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows], device=model.device)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=seen, use_cache=False).logits[:, :-1]
        odds = _chosen(logits, ids[:, 1:])
    return [
        float(row[len(head) - 1 : len(head) - 1 + len(tail)].sum())
        for row, head, tail in zip(odds, heads, tails, strict=True)
    ]


def _chosen(logits: Any, ids: Any) -> Any:
    """The log-probability of each next token; a row at a time, since a whole vocabulary in float32 is large."""
    import torch

    rows = [row.float().log_softmax(-1).gather(1, next_[:, None])[:, 0] for row, next_ in zip(logits, ids, strict=True)]
    return torch.stack(rows).double().cpu().numpy()


class FirstTokens:
    """The tokens with which words begin, in their usual forms: as they are or with a capital, after a space or not."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._known: dict[tuple[str, ...], list[list[int]]] = {}

    def of(self, words: Sequence[str]) -> list[list[int]]:
        """For each word the tokens that begin it and none of the others; nothing at all where a word has none."""
        key = tuple(words)
        if key not in self._known:
            firsts = [self._firsts(word) for word in key]
            shared = {token for place, some in enumerate(firsts) for other in firsts[:place] for token in some & other}
            own = [sorted(some - shared) for some in firsts]
            self._known[key] = own if own and all(own) else []
        return self._known[key]

    def _firsts(self, word: str) -> set[int]:
        forms = [gap + form for gap in ("", " ") for form in dict.fromkeys((word, word.capitalize(), word.upper()))]
        found = {ids[0] for form in forms if (ids := self._tokenizer.encode(form, add_special_tokens=False))}
        return {token for token in found if self._tokenizer.decode([token], skip_special_tokens=True).strip()}


def first_token_probabilities(logits: Any, openings: Sequence[Sequence[Sequence[int]]]) -> list[list[float]]:
    """For each row the probabilities of its words by how an answer may begin, normalised over these words."""
    import torch

    flat = [[token for word in words for token in word] for words in openings]
    most = max(map(len, flat), default=0)
    if not most:
        return [[] for _ in openings]
    index = torch.tensor([row + [0] * (most - len(row)) for row in flat], device=logits.device)
    found = logits.gather(1, index).double().cpu().numpy()
    return [_normalised(row, words) for row, words in zip(found, openings, strict=True)]


def _normalised(row: Floats, words: Sequence[Sequence[int]]) -> list[float]:
    if not words:
        return []
    ends = np.cumsum([0, *map(len, words)])
    odds = np.exp(row[: ends[-1]] - row[: ends[-1]].max())
    sums = np.array([odds[start:stop].sum() for start, stop in pairwise(ends)])
    return [float(share) for share in sums / sums.sum()]


def softmax(sums: Sequence[float]) -> list[float]:
    """Log-likelihoods of some words as probabilities among them.

    >>> [round(share, 3) for share in softmax([-700.0, -701.0])]
    [0.731, 0.269]
    """
    odds = np.exp(np.array(sums) - max(sums))
    return [float(share) for share in odds / odds.sum()]


def rank_words(words: Sequence[str], chances: Sequence[float]) -> RankedWords:
    """Words with their probabilities, best first; of equals the first.

    >>> rank_words(("red", "blue"), (0.25, 0.75))
    (('blue', 0.75), ('red', 0.25))
    """
    return tuple(sorted(zip(words, chances, strict=True), key=lambda pair: -pair[1])) if chances else ()
