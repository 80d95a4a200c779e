"""Keys and values with room for what is decoded next, so that no step copies those of the pictures."""

from functools import partial
from typing import Any

from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

STEPS = 8
"""Steps for which there is room after a first one did not fit."""


class GrowingLayer(DynamicLayer):  # type: ignore[misc]
    """The keys and values of one layer, which are views of larger buffers."""

    keys: Any
    values: Any

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room
        self._buffers: list[Any] = []  # of keys and of values

    def update(self, key_states: Any, value_states: Any, *more: Any, **named: Any) -> tuple[Any, Any]:
        """Add keys and values, and return all."""
        start = self.get_seq_length()
        stop = start + key_states.shape[-2]
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        if not self._buffers or stop > self._buffers[0].shape[-2]:
            room = max(self._room, stop) if not self._buffers else stop + STEPS * (stop - start)
            self._buffers = [self._grown(states, room) for states in (key_states, value_states)]
            if start:
                self._buffers[0][..., :start, :], self._buffers[1][..., :start, :] = self.keys, self.values
        for buffer, states in zip(self._buffers, (key_states, value_states), strict=True):
            buffer[..., start:stop, :] = states
        self.keys, self.values = (buffer[..., :stop, :] for buffer in self._buffers)
        return (self.keys, self.values) if start else (key_states, value_states)

    def batch_select_indices(self, indices: Any) -> None:
        """Keep some rows alone."""
        if self._buffers:
            stop = self.get_seq_length()
            self._buffers = [buffer[indices] for buffer in self._buffers]
            self.keys, self.values = (buffer[..., :stop, :] for buffer in self._buffers)

    def _grown(self, states: Any, room: int) -> Any:
        return states.new_empty((*states.shape[:-2], room, states.shape[-1]))


def growing_cache(room: int) -> Any:
    """A cache with room for so many tokens in each row."""
    cache = DynamicCache()
    cache.layer_class_to_replicate = partial(GrowingLayer, room)
    return cache
