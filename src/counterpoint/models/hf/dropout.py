"""Passes with dropout left on, the luck of each drawn from what it is about and from nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id


def dropout_rate(model: Any) -> float:
    """The largest share of units that a layer of a model drops; with none there is nothing to leave on."""
    return max((float(layer.p) for layer in _layers(model)), default=0.0)


def set_dropout_rate(model: Any, share: float) -> None:
    """Let every dropout layer of a model drop this share, since some were trained with none."""
    for layer in _layers(model):
        layer.p = share


@contextmanager
def dropout_enabled(model: Any, query: Query, trial: int, seed: int) -> Iterator[None]:
    """One pass with dropout on, which depends on query, trial and seed alone; afterwards all is as it was.

    The pass must be of this one query: what a layer drops follows from the shape of all that goes through it.
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
    """Dropout layers alone: others too behave differently in training, and are to stay as they are."""
    from torch.nn import Dropout

    return (layer for layer in model.modules() if isinstance(layer, Dropout))
