"""Doubles for tests, ours and those of plug-in authors: they are strict, so that what passes with them is right."""

from counterpoint.testing.chat_protocol import ReceivedRequest
from counterpoint.testing.chat_server import ChatServer, ServerFault, echo
from counterpoint.testing.doubles import Echo, FlakyModel, KilledModel, MemoryLog, MisuseError, SimulatedKill
from counterpoint.testing.model_checks import check_model

__all__ = [
    "ChatServer",
    "Echo",
    "FlakyModel",
    "KilledModel",
    "MemoryLog",
    "MisuseError",
    "ReceivedRequest",
    "ServerFault",
    "SimulatedKill",
    "check_model",
    "echo",
]
