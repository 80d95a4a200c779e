"""Content ids: 64-bit hashes that depend on content alone, not on machine, process or hash seed."""

import json
from collections.abc import Sequence
from hashlib import blake2b
from random import Random
from typing import Generic, TypeAlias, TypeVar

from msgspec.json import Encoder

T = TypeVar("T")
Plain: TypeAlias = "str | int | Sequence[Plain]"
"""What can be hashed: text, integers, and sequences of these."""
_encode = Encoder().encode  # the same bytes as json.dumps without blanks, in a tenth of its time


def canonical(content: Plain) -> str:
    """One line that equal content shares and different content does not.

    >>> canonical(["red", ["a", 1]])
    '["red",["a",1]]'
    """
    return canonical_line(content).decode("utf-8", "surrogatepass")


def canonical_line(content: Plain) -> bytes:
    """The canonical line in UTF-8."""
    try:
        return _encode(content)
    except (UnicodeEncodeError, TypeError):  # half a character, or a text of a class of its own
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def content_id(content: Plain) -> int:
    """Sixty-four bits of a hash of the canonical line.

    >>> f"{content_id(['world', 7]):016x}"
    '1a178091cc6bdcb5'
    """
    return line_id(canonical_line(content))


def line_id(line: bytes) -> int:
    """Sixty-four bits of a hash of a line that is canonical already."""
    return int.from_bytes(blake2b(line, digest_size=8).digest(), "big")


class Memo(Generic[T]):
    """The base of a frozen value that keeps what it computed once; no field, so no part of its content.

    Values ask with `getattr(self, "memo", None)`: to raise and catch an error for each takes three times as long.
    """

    __slots__ = ("memo",)
    memo: T

    def memoize(self, value: T) -> T:
        """Keep a value under `memo`, which has none before."""
        object.__setattr__(self, "memo", value)
        return value


def hex_id(number: int) -> str:
    """An id as addresses and JSON show it: sixteen hexadecimal digits."""
    return f"{number:016x}"


class _NoRandom(Random):
    """Draws nothing: what was said to be certain must not depend on an rng that nobody seeded."""

    def random(self) -> float:
        raise AssertionError("nothing is drawn at random here")

    def getrandbits(self, k: int, /) -> int:
        raise AssertionError("nothing is drawn at random here")


NO_RNG = _NoRandom(0)
"""The generator of what draws nothing; seeding one for each of many items would take most of their time."""


def seeded_rng(*content: Plain) -> Random:
    """A random number generator seeded by this content."""
    return Random(content_id(content))
