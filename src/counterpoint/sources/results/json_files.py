"""Records in JSON, read as they come: a list, lines, or one object, told apart by content and never by name."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from io import BufferedReader
from pathlib import Path
from typing import Any

import ijson

from counterpoint.core.errors import SourceError
from counterpoint.sources.results.predictions import ResultRecord

LISTS = ("results", "answers", "predictions", "annotations", "samples", "logs", "records", "outputs", "data")
"""The names under which one object may hold the list of all records."""
_LONG = 1 << 26  # a first line longer than this is no line of many
_CUT = "it may have been cut off while it was written or copied"


@dataclass(frozen=True, slots=True)
class Outline:
    """How a file holds its records: as a list, in lines, as one object, or in a list under a name of one object."""

    shape: str  # list, lines, object, under
    keys: tuple[str, ...] = ()  # of the object, as far as it was read
    under: str = ""


def outline(path: Path) -> Outline:
    """The way in which a file holds its records."""
    with _opened(path) as file:
        start = file.tell()
        first = b""
        for first in iter(lambda: file.readline(_LONG), b""):
            if first.strip():
                break
        if not first.strip():
            raise SourceError(f"{path} is empty", hint="it was to hold predictions; was it written to its end?")
        if first.lstrip()[:1] == b"[":
            return Outline("list")
        if _whole(first) and any(line.strip() for line in file):
            return Outline("lines")
        file.seek(start)
        return _object_outline(file, path)


def json_records(path: Path, alone: Callable[[tuple[str, ...]], bool] = lambda keys: False) -> Iterator[ResultRecord]:
    """Every record of a file; `alone` says by its keys whether one object is one record, and not a record per key."""
    found = outline(path)
    if found.shape == "lines":
        yield from _lines(path)
    elif found.shape == "list":
        yield from _streamed(path, "item", "")
    elif found.shape == "under":
        yield from _streamed(path, f"{found.under}.item", found.under)
    elif alone(found.keys):
        yield ResultRecord(f"{path}, record 1", _load(path, 0))
    else:
        yield from _streamed(path, "", "")


def _object_outline(file: BufferedReader, path: Path) -> Outline:
    keys: list[str] = []
    try:
        for prefix, event, value in ijson.parse(file):
            if prefix == "" and event == "map_key":
                keys.append(value)
            elif event == "start_array" and prefix in LISTS and prefix == keys[-1]:
                return Outline("under", tuple(keys), prefix)
    except (ijson.JSONError, UnicodeDecodeError) as problem:
        if not keys:
            raise SourceError(f"{path} is no JSON: {_reason(problem)}", hint=_CUT) from problem
    return Outline("object", tuple(keys))


def _lines(path: Path) -> Iterator[ResultRecord]:
    with _opened(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                place = f"{path}, line {number}"
                yield ResultRecord(place, _parsed(line, place))


def _streamed(path: Path, prefix: str, under: str) -> Iterator[ResultRecord]:
    """The members of a list, or the pairs of an object, without ever holding all of them."""
    done = 0
    try:
        with _opened(path) as file:
            for member in ijson.items(file, prefix) if prefix else ijson.kvitems(file, ""):
                done += 1
                key, value = ("", member) if prefix else member
                yield ResultRecord(f"{path}, record {done}", _plain(value), key)
    except (ijson.JSONError, UnicodeDecodeError):
        whole = _load(path, done)  # NaN is no JSON and yet is written by many
        members = whole if isinstance(whole, list) else whole[under] if under else list(whole.items())
        for number, member in enumerate(members[done:], done + 1):
            key, value = ("", member) if prefix else member
            yield ResultRecord(f"{path}, record {number}", value, key)


def _load(path: Path, done: int) -> Any:
    with _opened(path) as file:
        content = file.read()
    return _parsed(content, f"{path}, record {done + 1}")


def _parsed(content: bytes, place: str) -> Any:
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise SourceError(f"{place}: this is no JSON: {_reason(problem)}", hint=_CUT) from problem


def _opened(path: Path) -> BufferedReader:
    """A file to read from, behind the mark that some programs put first."""
    try:
        file = path.open("rb")
    except OSError as problem:
        raise SourceError(f"{path} cannot be read: {problem.strerror}", hint="check the path") from problem
    file.seek(3 if file.read(3) == b"\xef\xbb\xbf" else 0)
    return file


def _whole(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _plain(value: Any) -> Any:
    """The same with floats for decimals, which are exact and strange to everybody else."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _reason(problem: Exception) -> str:
    return str(problem).splitlines()[0].strip() if str(problem) else type(problem).__name__
