"""Doubles for tests, ours and those of plug-in authors: they are strict, so that what passes with them is right."""

from counterpoint.testing.doubles import Echo, Flaky, MemoryLog, Misused, Stopped, Stopping

__all__ = ["Echo", "Flaky", "MemoryLog", "Misused", "Stopped", "Stopping"]
