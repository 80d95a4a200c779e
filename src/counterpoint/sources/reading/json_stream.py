"""A streaming JSON parser: values of a large file are decoded one by one, in bounded memory."""

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, BinaryIO, TypeAlias, TypeVar

JsonValue: TypeAlias = Any
"""Any JSON value."""

T = TypeVar("T")
CHUNK = 1 << 17  # of bytes; the records of a batch are few enough to stay young for the garbage collector
_SIGN = re.compile(r"[^ \t\n\r]")
_COMMA = re.compile(r"[ \t\n\r]*,[ \t\n\r]*")
_MEMBER = re.compile(r'[ \t\n\r]*,[ \t\n\r]*"([^"\\\x00-\x1f]*)"[ \t\n\r]*:[ \t\n\r]*')
_BEGINNING = re.compile(r'\{[ \t\n\r]*"[^"\\\x00-\x1f]{4,}"')
_BEFORE = {
    "{": re.compile(r',[ \t\n\r]*"[^"\\\x00-\x1f]*"[ \t\n\r]*:[ \t\n\r]*\Z'),
    "[": re.compile(r",[ \t\n\r]*\Z"),
}
_CLOSED = {"{": "}", "[": "]"}
_DECODER = json.JSONDecoder()
_DIGITS = "a number has too many digits"
_NEAR = 16  # letters in which a number, a word or an escape may be cut
_MARKS = frozenset('{}[]:,"')
_BLANK = frozenset(" \t\n\r")


class InvalidJson(ValueError):  # noqa: N818 - it reads as what it says
    """The text is not valid JSON; `cut` if it ends before a value is complete."""

    def __init__(self, what: str, *, cut: bool = False) -> None:
        super().__init__(what)
        self.cut = cut


class Batch(list[T]):
    """Records that were decoded together, in one call."""


class JsonText:
    """A JSON file that is read in chunks; whole values are decoded by the C scanner of Python's json module.

    Decoding whole values takes half the time of a parser that reports an event for each part.
    """

    def __init__(self, file: BinaryIO, chunk: int = CHUNK) -> None:
        self._file, self._chunk = file, chunk
        self._decoded = getincrementaldecoder("utf-8-sig")().decode
        self._held, self._at, self._ended = "", 0, False
        self._gone = 0  # how many characters came before those that are held
        self._escapes = False  # whether what is held has any character by its number

    def sign(self) -> str:
        """The next character that is not white space, which stays; none at the end."""
        while True:
            if match := _SIGN.search(self._held, self._at):
                self._at = match.start()
                return match[0]
            self._at = len(self._held)
            if not self._more():
                return ""

    def value(self) -> JsonValue:
        """The next value, taken whole."""
        if self._at == len(self._held) or self._held[self._at] in _BLANK:
            self.sign()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._held, self._at)
                if self._escapes and self._held.find("\\u", self._at, end) >= 0:
                    value = _mended(value)
            except RecursionError:
                raise InvalidJson("it is nested too deeply") from None
            except ValueError as problem:
                cut = self._is_cut(problem)
                if cut and self._more():
                    continue
                if self._at < len(self._held) and self._held[self._at] in ",]}":
                    raise self._unexpected("a value") from None
                reason = problem.msg.lower() if isinstance(problem, json.JSONDecodeError) else _DIGITS
                raise InvalidJson(reason, cut=cut) from None
            if end > len(self._held) - _NEAR and self._more():
                continue  # a number may go on, with a fraction or an exponent
            self._at = end
            return value

    def keys_within(self, sign: str = "{") -> Iterator[Any]:
        """The keys of the object, or the positions in the list, that comes next.

        The caller takes each value before the next key.
        """
        self._take(sign)
        if self.sign() == _CLOSED[sign]:
            self._at += 1
            return
        for place in count():
            if sign == "[":
                yield place
            elif self.sign() == '"':
                key = self.value()
                self._take(":")
                yield key
            else:
                raise self._unexpected("a key")
            mark = self.sign()
            if mark not in (_CLOSED[sign], ","):
                raise self._unexpected(f"',' or {_CLOSED[sign]!r}")
            self._at += 1
            if mark != ",":
                return

    def members_within(self) -> Iterator[tuple[str, JsonValue]]:
        """The keys and values of the object that comes next."""
        for key in self.keys_within():
            yield key, self.value()
            while member := _MEMBER.match(self._held, self._at):  # common, and faster than character by character
                self._at = member.end()
                yield member[1], self.value()

    def values_within(self) -> Iterator[JsonValue]:
        """The values in the list that comes next."""
        for _ in self.keys_within("["):
            yield self.value()
            while comma := _COMMA.match(self._held, self._at):  # as above
                self._at = comma.end()
                yield self.value()

    def batches_within(self, sign: str, decode: Callable[[str], Sequence[T] | None]) -> Iterator[Batch[T] | JsonValue]:
        """The records of the object or list that comes next: in batches where `decode` succeeds, else one by one.

        A single member of an object comes with its key. Records of one file nearly always begin with the same key. The
        text from one such beginning to a later one is decoded as an object or list of its own; a beginning within a
        record leaves text that is not valid JSON, so `decode` returns None and the stretch is read record by record.
        The same happens where fewer records are decoded than begin there, because a key occurs twice.
        """
        single_until = 0  # the position in the file up to which records are read one by one
        for key in self.keys_within(sign):
            self.sign()
            beginning = _BEGINNING.match(self._held, self._at)
            yield (key, self.value()) if sign == "{" else self.value()
            while beginning and self._gone + self._at >= single_until and self.sign() == ",":
                if not (end := self._last(beginning[0], sign)):
                    break
                text = f"{sign}{self._held[self._at + 1 : end]}{_CLOSED[sign]}"
                records = decode(text)
                if records is not None and len(records) == text.count(beginning[0]):
                    yield Batch(records)
                    self._at = end
                else:
                    single_until = self._gone + end

    def _last(self, beginning: str, sign: str) -> int:
        """Where the comma before the last record that begins like this is, reading on for it; 0 if there is none."""
        self._more()
        start = self._held.rfind(beginning, self._at)
        before = _BEFORE[sign].search(self._held, max(self._at + 1, start - _NEAR * _NEAR), max(start, 0))
        return before.start() if before else 0

    def skip(self) -> None:
        """Skip the next value; a long list or object part by part."""
        sign = self.sign()
        if sign in ("{", "["):
            for _ in self.keys_within(sign):
                self.value()
        else:
            self.value()

    def _more(self) -> bool:
        """Read on; false when there is nothing left."""
        if self._ended:
            return False
        chunk = self._file.read(max(self._chunk, len(self._held) - self._at))
        self._ended = not chunk
        self._gone += self._at
        self._held = self._held[self._at :] + self._decoded(chunk, self._ended)
        self._at = 0
        self._escapes = "\\u" in self._held
        return True

    def _is_cut(self, problem: ValueError) -> bool:
        """Whether the problem may be that the text is not read far enough."""
        if not isinstance(problem, json.JSONDecodeError):
            return False
        if problem.msg.startswith("Unterminated string"):
            return True
        rest = self._held[problem.pos :].strip() if problem.pos >= len(self._held.rstrip()) - _NEAR else "}"
        return not _MARKS.intersection(rest)

    def _take(self, sign: str) -> None:
        if self.sign() != sign:
            raise self._unexpected(repr(sign))
        self._at += 1

    def _unexpected(self, expected: str) -> InvalidJson:
        mark = self.sign()
        reason = f"{mark!r} where {expected} should be" if mark else f"it ends before {expected}"
        return InvalidJson(reason, cut=not mark)


def _mended(value: JsonValue) -> JsonValue:
    """The same with lone surrogates, which cannot be encoded, replaced by a question mark."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_mended(item) for item in value]
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    return value
