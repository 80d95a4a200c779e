"""A Bloom filter over texts by scene or picture: constant memory, no false negatives."""

from hashlib import blake2b
from struct import unpack

_BITS = 27  # 16 MB; with a million texts, one false positive in a billion lookups


class BloomFilter:
    """A set of texts by key; a text that was never added is reported as a member once in a billion lookups.

    >>> questions = BloomFilter()
    >>> questions.add("7", "Is there a cup?")
    >>> questions.has("7", "is there a  cup"), questions.has("8", "Is there a cup?")
    (True, False)
    """

    def __init__(self) -> None:
        self._bits = bytearray(1 << (_BITS - 3))

    def add(self, key: str, text: str) -> None:
        """Add one text."""
        for place in _places(key, text):
            self._bits[place >> 3] |= 1 << (place & 7)

    def has(self, key: str, text: str) -> bool:
        """Whether a text was added, in whatever case, spacing and end punctuation."""
        return all(self._bits[place >> 3] & 1 << (place & 7) for place in _places(key, text))


def _places(key: str, text: str) -> list[int]:
    line = " ".join(text.lower().rstrip("?. ").split())
    digest = blake2b(f"{key}\x1f{line}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return [word >> (32 - _BITS) for word in unpack("<4I", digest)]
