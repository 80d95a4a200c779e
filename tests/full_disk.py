"""A full disk: no file of this process can grow beyond a few bytes."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager

FULL = 60
"""Bytes that a file may have on this disk."""


@contextmanager
def full_disk(room: int = FULL) -> Iterator[None]:
    """Let no file grow beyond a few bytes, which fails in the system call as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
