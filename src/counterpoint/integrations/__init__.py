"""Counterpoint inside other tools: training loops, tests and trackers; each is imported on use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterpoint.integrations.transformers import CounterpointCallback

__all__ = ["CounterpointCallback"]

_HOMES = {"CounterpointCallback": "transformers"}


def __getattr__(name: str) -> Any:
    """Names are imported when they are first used, since each needs a package of its own."""
    if name not in _HOMES:
        raise AttributeError(f"module 'counterpoint.integrations' has no attribute {name!r}")
    return getattr(import_module(f"counterpoint.integrations.{_HOMES[name]}"), name)
