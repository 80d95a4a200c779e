"""Doubles for tests, ours and those of plug-in authors: they are strict, so that what passes with them is right."""

from counterpoint.testing.chat_protocol import Received
from counterpoint.testing.chat_server import ChatServer, Trouble, echo
from counterpoint.testing.doubles import Echo, Flaky, MemoryLog, Misused, Stopped, Stopping
from counterpoint.testing.model_checks import check_model

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
