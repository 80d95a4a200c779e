"""Doubles for tests, ours and those of plug-in authors: they are strict, so that what passes with them is right."""

from counterpoint.testing.doubles import Echo, Flaky, MemoryLog, Misused, Stopped, Stopping
from counterpoint.testing.promises import check_model
from counterpoint.testing.protocol import Received
from counterpoint.testing.server import ChatServer, Trouble, echo

__all__ = [
    "ChatServer",
    "Echo",
    "Flaky",
    "MemoryLog",
    "Misused",
    "Received",
    "Stopped",
    "Stopping",
    "Trouble",
    "check_model",
    "echo",
]
