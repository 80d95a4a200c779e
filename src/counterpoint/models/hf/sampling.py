"""Answers by chance: each is drawn with luck of its own, so that it does not depend on its batch."""

from collections.abc import Sequence
from random import Random
from typing import Any

from counterpoint.core.groups import Query
from counterpoint.core.ids import seeded_rng
from counterpoint.models.hf.likelihood import keep_only


def sampling_rng(query: Query, trial: int, seed: int) -> Random:
    """The luck of one pass, which depends on query, trial and seed alone."""
    return seeded_rng("sample", seed, query.id, trial)


class TokenSampler:
    """Draws the next token of each row from all tokens, with one number of the row's own luck.

    The number says how far to go along the probabilities, laid end to end in the order of the vocabulary.
    """

    def __init__(self, lucks: Sequence[Random], temperature: float) -> None:
        self._lucks, self._temperature = lucks, temperature

    def __call__(self, ids: Any, scores: Any) -> Any:
        """Leave the one token that was drawn."""
        import torch

        exact = torch.float32 if scores.device.type == "mps" else torch.float64
        ends = (scores.to(exact) / self._temperature).softmax(-1).cumsum(-1)
        numbers = torch.tensor([[luck.random()] for luck in self._lucks], dtype=exact, device=scores.device)
        drawn = torch.searchsorted(ends, numbers * ends[:, -1:], right=True)
        return keep_only(scores, drawn.clamp(max=scores.shape[1] - 1))
