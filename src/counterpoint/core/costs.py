"""What answers cost: tokens."""

from dataclasses import dataclass

MAX_TOKENS = 2**31
"""More than any reply has; a server that says more is not believed."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of a request, its picture included, and those of the reply, reasoning included.

    >>> Usage(120, 3) + Usage(80, 2)
    Usage(tokens_in=200, tokens_out=5)
    """

    tokens_in: int = 0
    tokens_out: int = 0

    @classmethod
    def of(cls, tokens_in: object, tokens_out: object) -> "Usage | None":
        """The usage that a server states; None unless both are whole numbers, since nothing is guessed.

        >>> Usage.of(120, 3), Usage.of(120, None)
        (Usage(tokens_in=120, tokens_out=3), None)
        """
        stated = [count for count in (tokens_in, tokens_out) if type(count) is int and 0 <= count < MAX_TOKENS]
        return cls(*stated) if len(stated) == 2 else None

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)
