"""Content ids: 64-bit hashes that depend on content alone, not on machine, process or hash seed."""

import json
from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import TypeAlias

Plain: TypeAlias = "str | int | Sequence[Plain]"
"""What can be hashed: text, integers, and sequences of these."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))  # json.dumps would build one per call


def canonical(content: Plain) -> str:
    """One line that equal content shares and different content does not.

    >>> canonical(["red", ["a", 1]])
    '["red",["a",1]]'
    """
    return _ENCODER.encode(content)


def content_id(content: Plain) -> int:
    """Sixty-four bits of a hash of the canonical line.

    >>> f"{content_id(['world', 7]):016x}"
    '1a178091cc6bdcb5'
    """
    return int.from_bytes(blake2b(canonical(content).encode("utf-8", "surrogatepass"), digest_size=8).digest())


def hex_id(number: int) -> str:
    """An id as addresses and JSON show it: sixteen hexadecimal digits."""
    return f"{number:016x}"


def seeded_rng(*content: Plain) -> Random:
    """A random number generator seeded by this content."""
    return Random(content_id(content))
