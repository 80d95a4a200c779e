"""Records of sources: JSON objects with checked fields, sizes and boxes, and counts of those that are skipped."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeVar

from counterpoint.core.errors import SourceError, shorten
from counterpoint.core.pictures import Box, Size
from counterpoint.sources.reading.json_stream import JsonValue

T = TypeVar("T")
LISTED = 5
"""How many places of each reason are kept."""
REPEATED = "a repeated id"


class ContradictionError(SourceError):
    """A group in the layout that is expected, whose right answers contradict its relation."""


@dataclass(slots=True)
class Skips:
    """Counts of skipped records and parts of records, with places and remedies by reason.

    As a context it counts a record that cannot be read, whose SourceError ends there.
    """

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    remedies: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> "Skips":
        return self

    def __exit__(self, kind: object, problem: BaseException | None, traceback: object) -> bool:
        if isinstance(problem, SourceError):
            self.problem(problem)
            return True
        return False

    def skip(self, reason: str, place: str, remedy: str = "") -> None:
        """Count a skipped record; reason and remedy are shared, the place is that of the record."""
        self.counts[reason] += 1
        listed = self.places.setdefault(reason, [])
        if len(listed) < LISTED:
            listed.append(place)
            if remedy:
                self.remedies.setdefault(reason, remedy)

    def include(self, other: "Skips") -> None:
        """Add the counts of another reader."""
        self.counts.update(other.counts)
        for reason, places in other.places.items():
            self.places[reason] = (self.places.get(reason, []) + places)[:LISTED]
        self.remedies = other.remedies | self.remedies

    def problem(self, problem: SourceError) -> None:
        """Count a record that cannot be read; the error tells its place and what is wrong."""
        if isinstance(problem, ContradictionError):
            self.skip("answers contradict the relation", str(problem), problem.hint)
            return
        message = f"{problem}: {problem.hint}" if problem.hint else str(problem)
        self.skip("does not match the layout", message, "the rest is read; if they are many, is it another release?")

    @property
    def total(self) -> int:
        """How many in all."""
        return self.counts.total()

    def lines(self) -> list[str]:
        """A line per reason, the most frequent first, with the first places and the remedy."""
        return [
            f"{count:,} skipped: {reason} ({'; '.join(self.places[reason][:3])}{'; …' if count > 3 else ''})"
            + (f": {self.remedies[reason]}" if reason in self.remedies else "")
            for reason, count in sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))
        ]


def skip_repeated(skips: Skips, place: str) -> None:
    """Count a record with the id of an earlier one."""
    skips.skip(REPEATED, place, "the first is kept; was the file put together from others?")


OTHER_RELEASE = "is it the file of another data set or release?"


class Record:
    """A JSON object with checked fields; a field of another type raises a SourceError with place and expectation."""

    __slots__ = ("_name", "_within", "content", "key")

    def __init__(
        self, content: JsonValue, name: str, key: str | int | None = None, within: "Record | None" = None
    ) -> None:
        self.content: Mapping[str, JsonValue] = content
        self._name, self.key, self._within = name, key, within
        if not isinstance(content, dict):
            raise SourceError(f"{self.place} is {short_repr(content)}, not an object", hint=OTHER_RELEASE)

    @property
    def place(self) -> str:
        """File and key or number, for messages; put together on demand."""
        outer = f"{self._within.place}, " if self._within is not None else ""
        return f"{outer}{self._name}" + (f" {self.key}" if self.key is not None else "")

    def text(self, name: str, default: str | None = None) -> str:
        """A text; a number is taken as its digits."""
        value = self.content.get(name)
        if type(value) is str:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None and default is not None:
            return default
        raise self.wrong(name, "a text")

    def word(self, name: str) -> str:
        """A text that is not blank."""
        value = self.text(name)
        if not value or value.isspace():
            raise self.wrong(name, "a word")
        return value

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

    def decimal(self, name: str, default: float | None = None) -> float:
        """A finite number."""
        value = self.content.get(name)
        if value is None and default is not None:
            return default
        return self._finite(name, [value], "a number")[0]

    def decimals(self, name: str, count: int) -> tuple[float, ...]:
        """A list of exactly `count` finite numbers."""
        value = self.content.get(name)
        if not isinstance(value, list) or len(value) != count:
            raise self.wrong(name, f"a list of {count} numbers")
        return self._finite(name, value, f"a list of {count} numbers")

    def _finite(self, name: str, values: Sequence[JsonValue], expected: str) -> tuple[float, ...]:
        with suppress(OverflowError):
            if all(type(value) in (int, float) and isfinite(value) for value in values):
                return tuple(map(float, values))
        raise self.wrong(name, expected)

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; a missing one is empty."""
        value = self.list(name)
        for text in value:
            if type(text) is not str:
                raise self.wrong(name, "a list of texts")
        return tuple(value)

    def list(self, name: str, *, needed: bool = False) -> Sequence[JsonValue]:
        """A list; a missing one is empty unless it is needed."""
        value = self.content.get(name)
        if value is None and not needed:
            return ()
        if not isinstance(value, list):
            raise self.wrong(name, "a list")
        return value

    def records(self, name: str, *, needed: bool = False) -> Iterator["Record"]:
        """The records in a list."""
        return (Record(content, name, number, self) for number, content in enumerate(self.list(name, needed=needed)))

    def record(self, name: str) -> "Record":
        """A record within this one."""
        if name not in self.content:
            raise self.wrong(name, "an object")
        return Record(self.content[name], name, within=self)

    def mapping(self, name: str, *, needed: bool = False) -> Mapping[str, JsonValue]:
        """An object with arbitrary keys; a missing one is empty unless it is needed."""
        value = self.content.get(name)
        if value is None and not needed:
            return {}
        if not isinstance(value, dict):
            raise self.wrong(name, "an object")
        return value

    def wrong(self, name: str, expected: str) -> SourceError:
        """The error for a field that is missing or of another type."""
        if name not in self.content:
            return SourceError(f"{self.place} has no {name}", hint=f"{name} should be {expected}")
        return SourceError(f"{self.place}: {name} is {short_repr(self.content[name])}, not {expected}")


def read_each(
    contents: Iterable[tuple[str | int, JsonValue]], name: str, skips: Skips, make: Callable[[Record], T]
) -> Iterator[T]:
    """What `make` returns for each record; records that it cannot read are skipped and counted.

    >>> list(read_each(enumerate([{"id": 3}, {}]), "a.json, image", Skips(), lambda record: record.number("id")))
    [3]
    """
    for key, content in contents:
        with skips:
            yield make(Record(content, name, key))


def short_repr(value: JsonValue) -> str:
    """The repr of a value, shortened for messages."""
    return shorten(repr(value))


LONGEST = 100_000
"""No picture is longer, in pixels."""
_OUTSIDE = "a box outside its picture"
_REMEDY = "the object stays, without a box; are these the sizes of these pictures?"


def size_of(record: Record, width: str = "width", height: str = "height") -> Size:
    """The size of a picture, to which its boxes refer."""
    across, down = record.number(width), record.number(height)
    if 0 < across <= LONGEST and 0 < down <= LONGEST:
        return Size(across, down)
    raise SourceError(f"{record.place}: {across} by {down} is no size of a picture", hint="sizes are in pixels")


def clip_box(x: int, y: int, width: int, height: int, size: Size) -> Box | None:
    """The part of a box that lies within the picture; none if nothing does.

    >>> clip_box(-5, 10, 20, 20, Size(100, 20))
    Box(x=0, y=10, width=15, height=10)
    """
    left, top = max(x, 0), max(y, 0)
    right, bottom = min(x + width, size.width), min(y + height, size.height)
    return Box(left, top, right - left, bottom - top) if left < right and top < bottom else None


def box_of(record: Record, size: Size, skips: Skips) -> Box | None:
    """The box in `x`, `y`, `w` and `h`; none, and counted, where it lies outside or has no width or height."""
    x, y, width, height = record.number("x"), record.number("y"), record.number("w"), record.number("h")
    box = clip_box(x, y, width, height, size)
    if box is None:
        skip_box(
            f"{record.place}: x={short_repr(x)}, y={short_repr(y)}, w={short_repr(width)}, h={short_repr(height)}",
            skips,
        )
    return box


def skip_box(place: str, skips: Skips) -> None:
    """Count a box that lies outside its picture."""
    skips.skip(_OUTSIDE, place, _REMEDY)
