"""Test doubles and `check_model`, for our tests and for authors of plug-ins; the doubles are strict."""

from counterpoint.testing.chat_protocol import ReceivedRequest
from counterpoint.testing.chat_server import ChatServer, ServerFault, echo
from counterpoint.testing.doubles import Echo, FlakyModel, GoldModel, KilledModel, MemoryLog, MisuseError, SimulatedKill
from counterpoint.testing.model_checks import check_model

__all__ = [
    "ChatServer",
    "Echo",
    "FlakyModel",
    "GoldModel",
    "KilledModel",
    "MemoryLog",
    "MisuseError",
    "ReceivedRequest",
    "ServerFault",
    "SimulatedKill",
    "check_model",
    "echo",
]
