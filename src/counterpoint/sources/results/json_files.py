"""Records of results in JSON: a list, lines, or one object, told apart by content and never by name."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError
from counterpoint.sources.reading.json_files import elements, members, object_keys, whole
from counterpoint.sources.results.predictions import ResultRecord

LISTS = ("results", "answers", "predictions", "annotations", "samples", "logs", "records", "outputs", "data")
"""The names under which one object may hold the list of all records."""
_LONGEST_LINE = 1 << 26  # bytes; a longer first line is not one of many


@dataclass(frozen=True, slots=True)
class JsonOutline:
    """How a file holds its records: as a list, in lines, as one object, or in a list under a name of one object."""

    shape: str  # list, lines, object, under
    keys: tuple[str, ...] = ()  # of the object, as far as it was read
    under: str = ""


def read_outline(path: Path) -> JsonOutline:
    """The way in which a file holds its records."""
    if _is_lines(path):
        return JsonOutline("lines")
    keys: list[str] = []
    for key, sign in object_keys(path):
        keys.append(key)
        if sign == "[" and key in LISTS:
            return JsonOutline("under", tuple(keys), key)
    return JsonOutline("object", tuple(keys)) if keys else JsonOutline("list")


def json_records(
    path: Path, is_record: Callable[[tuple[str, ...]], bool] = lambda keys: False
) -> Iterator[ResultRecord]:
    """Every record of a file; `is_record` says by its keys whether one object is one record, and not one per key."""
    outline = read_outline(path)
    items: Iterator[tuple[str, Any]]
    if outline.shape == "object" and not is_record(outline.keys):
        items = members(path)
    elif outline.shape == "object":
        items = iter([("", whole(path))])
    else:
        items = (("", value) for value in elements(path, outline.under))
    for number, (key, value) in enumerate(items, 1):
        yield ResultRecord(f"{path}, record {number}", value, key)


def _is_lines(path: Path) -> bool:
    """Whether the first line is an object and others follow."""
    try:
        with path.open("rb") as file:
            for line in iter(lambda: file.readline(_LONGEST_LINE), b""):
                if line.removeprefix(b"\xef\xbb\xbf").strip():
                    first = line.removeprefix(b"\xef\xbb\xbf")
                    return isinstance(json.loads(first), dict) and any(rest.strip() for rest in file)
    except OSError as problem:
        raise SourceError(f"{path} cannot be read: {problem.strerror}", hint="check the path") from problem
    except (ValueError, RecursionError):
        return False
    raise SourceError(f"{path} is empty", hint="it was to hold predictions; was it written to its end?")
