"""Passes with dropout on (MC dropout), seeded by query, trial and seed."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id


def dropout_rate(model: Any) -> float:
    """The largest dropout rate of a layer; 0 where there is none."""
    return max((float(layer.p) for layer in _layers(model)), default=0.0)


def set_dropout_rate(model: Any, share: float) -> None:
    """Set the rate of every dropout layer, since some checkpoints were trained with none."""
    for layer in _layers(model):
        layer.p = share


@contextmanager
def dropout_enabled(model: Any, query: Query, trial: int, seed: int) -> Iterator[None]:
    """One pass with dropout on, which depends on query, trial and seed alone.

    The pass must be of this one query, since the mask of a layer depends on the shape of its input.
    """
    import torch

    device = next(model.parameters()).device
    with torch.random.fork_rng([device] if device.type == "cuda" else []):
        torch.manual_seed(content_id(["dropout", seed, hex_id(query.id), trial]))
        for layer in _layers(model):
            layer.train()
        try:
            yield
        finally:
            model.eval()


def _layers(model: Any) -> Iterator[Any]:
    """Dropout layers alone, since other layers change in training mode too."""
    from torch.nn import Dropout

    return (layer for layer in model.modules() if isinstance(layer, Dropout))
