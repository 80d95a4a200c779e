"""Records out of large JSON files, one at a time, each with its place; what is wrong is said with file and record."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import ijson

from counterpoint.core.errors import SourceError

Json: TypeAlias = Any
"""What JSON can hold, not looked at yet."""

CHUNK = 1 << 20
_OPENING = {b"{": "an object", b"[": "a list"}


def members(path: Path, within: str = "") -> Iterator[tuple[str, Json]]:
    """The members of the object that a file is, or holds under a name, with their keys."""
    _expect(path, b"{", "an object" if not within else f"an object with {within!r}")
    with _opened(path, counter := _Counter()) as file:
        for key, value in ijson.kvitems(file, within, use_float=True, buf_size=CHUNK):
            counter.last = key
            yield key, value
    if counter.last is None:
        _must_have(path, within)


def elements(path: Path, within: str = "") -> Iterator[Json]:
    """The elements of the list that a file is, or holds under a name; lines of JSON are as good as a list."""
    if not within and first_sign(path) == b"{":
        yield from _lines(path)
        return
    _expect(path, b"{" if within else b"[", f"an object with {within!r}" if within else "a list")
    prefix = f"{within}.item" if within else "item"
    with _opened(path, counter := _Counter()) as file:
        for number, value in enumerate(ijson.items(file, prefix, use_float=True, buf_size=CHUNK)):
            counter.last = str(number)
            yield value
    if counter.last is None:
        _must_have(path, within)


def whole(path: Path) -> Json:
    """Everything in a small file."""
    with _opened(path, _Counter()) as file:
        try:
            return json.load(file)
        except (ValueError, RecursionError) as problem:
            raise SourceError(f"{path.name} is no JSON: {problem}", hint=_AGAIN) from problem


def first_sign(path: Path) -> bytes:
    """The first character of a file that is not white space; none of an empty file."""
    with _opened(path, _Counter()) as file:
        return file.read(CHUNK).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


def has(path: Path, name: str) -> bool:
    """Whether the object that a file is has a member of this name."""
    with _opened(path, _Counter()) as file:
        return any(
            prefix == "" and event == "map_key" and value == name
            for prefix, event, value in ijson.parse(file, use_float=True, buf_size=CHUNK)
        )


_AGAIN = "fetch or copy the file again; it may have been cut off or changed on its way"


class _Counter:
    """The key or number of the last record that was whole."""

    last: str | None = None


@contextmanager
def _opened(path: Path, counter: _Counter) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            if file.read(3) != b"\xef\xbb\xbf":
                file.seek(0)
            yield file
    except FileNotFoundError as problem:
        raise SourceError(
            f"there is no file {path}", hint="counterpoint data says which files are expected"
        ) from problem
    except OSError as problem:
        raise SourceError(
            f"{path} cannot be read: {problem.strerror or problem}", hint="check its name and rights"
        ) from problem
    except (ijson.JSONError, UnicodeDecodeError) as problem:
        after = f" after record {counter.last}" if counter.last is not None else ""
        cut = isinstance(problem, ijson.IncompleteJSONError) and "premature" in str(problem).lower()
        fact = "ends in the middle of a record" if cut else "is no JSON"
        raise SourceError(f"{path.name} {fact}{after}: {_first_line(problem)}", hint=_AGAIN) from problem


def _lines(path: Path) -> Iterator[Json]:
    """One JSON value a line."""
    with _opened(path, _Counter()) as file:
        for number, line in zip(count(1), file, strict=False):
            if not line.strip():
                continue
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as problem:
                raise SourceError(
                    f"{path.name}, line {number} is no JSON: {_first_line(problem)}", hint=_AGAIN
                ) from problem


def _expect(path: Path, sign: bytes, what: str) -> None:
    found = first_sign(path)
    if found != sign:
        told = _OPENING.get(found, "empty" if not found else f"something that begins with {found!r}")
        raise SourceError(f"{path.name} is {told}, not {what}", hint="is it the file of another data set or release?")


def _must_have(path: Path, within: str) -> None:
    """An empty list or object is fine; a missing or misshapen one is not."""
    if within and not has(path, within.split(".")[0]):
        raise SourceError(f"{path.name} has no {within!r}", hint="is it the file of another data set or release?")


def _first_line(problem: BaseException) -> str:
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0]


class Record:
    """One record as a reader looks at it: each look says what was expected, and where."""

    __slots__ = ("_key", "_name", "_within", "content")

    def __init__(self, content: Json, name: str, key: str | int | None = None, within: "Record | None" = None) -> None:
        self.content: Mapping[str, Json] = content
        self._name, self._key, self._within = name, key, within
        if not isinstance(content, dict):
            raise SourceError(f"{self.place} is {told(content)}, not an object", hint="see reference/sources")

    @property
    def place(self) -> str:
        """Where it stands, in words, made only when they are needed."""
        outer = f"{self._within.place}, " if self._within is not None else ""
        return f"{outer}{self._name}" + (f" {self._key}" if self._key is not None else "")

    def text(self, name: str, default: str | None = None) -> str:
        """A text; a number is taken as its digits."""
        value = self.content.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None and default is not None:
            return default
        raise self.wrong(name, "a text")

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number; a fraction is rounded, digits in a text are read."""
        value = self.content.get(name)
        if type(value) is int:
            return value
        if value is None and default is not None:
            return default
        try:
            if isinstance(value, float | str):
                return round(float(value))
        except (ValueError, OverflowError):
            pass
        raise self.wrong(name, "a number")

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; a missing one is empty."""
        value = tuple(self.list(name))
        for one in value:
            if not isinstance(one, str):
                raise self.wrong(name, "a list of texts")
        return value

    def list(self, name: str, *, needed: bool = False) -> Sequence[Json]:
        """A list; a missing one is empty unless it is needed."""
        value = self.content.get(name)
        if value is None and not needed:
            return ()
        if not isinstance(value, list):
            raise self.wrong(name, "a list")
        return value

    def records(self, name: str, *, needed: bool = False) -> Iterator["Record"]:
        """The records in a list."""
        return (Record(one, name, number, self) for number, one in enumerate(self.list(name, needed=needed)))

    def record(self, name: str) -> "Record":
        """A record within this one."""
        if name not in self.content:
            raise self.wrong(name, "an object")
        return Record(self.content[name], name, within=self)

    def members(self, name: str, *, needed: bool = False) -> Iterator[tuple[str, "Record"]]:
        """The records in an object, with their keys."""
        value = self.content.get(name)
        if value is None and not needed:
            return iter(())
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return ((key, Record(one, name, key, self)) for key, one in value.items())

    def wrong(self, name: str, expected: str) -> SourceError:
        """What is wrong with a field, to be raised."""
        if name not in self.content:
            return SourceError(f"{self.place} has no {name}", hint=f"{name} should be {expected}")
        return SourceError(f"{self.place}: {name} is {told(self.content[name])}, not {expected}")


def told(value: Json) -> str:
    """A value in few letters, for a sentence."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"
