"""Redaction of credentials in the texts of a server, however it writes them."""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator

MIN_SECRET_LENGTH = 8
"""A shorter string is no secret, and may occur in an answer by chance."""
PIECE = 12
"""Letters and digits in a row that are hidden as a part of a longer secret."""
HIDDEN = "…"
_ESCAPE = r"\\u00(?P<u>[0-9a-f]{2})|\\x(?P<x>[0-9a-f]{2})|%(?P<p>[0-9a-f]{2})|&#x(?P<h>[0-9a-f]{2});|&#(?P<d>\d{2,3});"
_ESCAPES = re.compile(_ESCAPE, re.IGNORECASE)
_LETTERS = re.compile(rf"{_ESCAPE}|(?P<letter>[0-9a-z])", re.IGNORECASE | re.ASCII)
_NO_LETTERS = bytes(code for code in range(256) if not (chr(code).isascii() and chr(code).isalnum()))


class Redactor:
    """Hides secrets and pieces of them, also where they are escaped, encoded, in another case or broken up.

    >>> Redactor(["sk-open-sesame-123"])("your key sk\\\\u002dOPEN%2Dsesame 123 is wrong")
    'your key … is wrong'
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = [secret for secret in secrets if len(secret) >= MIN_SECRET_LENGTH]
        forms = {_letters(form) for secret in self._secrets for form in _encodings(secret)}
        self._windows = {
            form[start : start + PIECE]
            for form in forms
            if len(form) >= MIN_SECRET_LENGTH
            for start in range(max(1, len(form) - PIECE + 1))
        }

    def __call__(self, text: str) -> str:
        """The text with each secret replaced by an ellipsis."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        places = list(self._places(_letters(text)))
        if not places:
            return text
        spans = [match.span() for match in _LETTERS.finditer(text) if match["letter"] or _letters(match[0])]
        parts, end = list[str](), 0
        for first, last in places:
            start, stop = spans[first][0], spans[last][1]
            if start > end or not parts:
                parts += [text[end:start], HIDDEN]
            end = max(end, stop)
        return "".join([*parts, text[end:]])

    def _places(self, letters: str) -> Iterator[tuple[int, int]]:
        """The first and last letters of windows of secrets, in order."""
        lengths = {len(window) for window in self._windows}
        for place in range(len(letters)):
            for length in lengths:
                if letters[place : place + length] in self._windows:
                    yield place, place + length - 1


def _encodings(secret: str) -> Iterator[str]:
    """A secret as it is, in hexadecimal, and in base64 at each of the three places it can begin."""
    content = secret.encode()
    yield from (secret, content.hex())
    for shift in range(3):
        encoded = b64encode(bytes(shift) + content).decode("ascii").rstrip("=")
        yield encoded[shift + bool(shift) : len(encoded) - 1]  # the ends depend on what is around the secret


def _letters(text: str) -> str:
    """The ASCII letters, in lower case, and digits of a text with its escapes resolved."""
    resolved = _ESCAPES.sub(_character, text) if any(mark in text for mark in ("\\", "%", "&#")) else text
    return resolved.lower().encode("utf-8", "replace").translate(None, _NO_LETTERS).decode("ascii")


def _character(match: re.Match[str]) -> str:
    decimal = match["d"]
    return chr(int(decimal) if decimal else int(match["u"] or match["x"] or match["p"] or match["h"], 16))
