"""Streaming of records from large JSON files, and a join of two by key; errors name file and last record."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import DecodeError, ValidationError, convert
from msgspec.json import Decoder

from counterpoint.core.errors import SourceError
from counterpoint.core.mismatches import Mismatch
from counterpoint.sources.reading.json_stream import Batch, InvalidJson, JsonText, JsonValue
from counterpoint.sources.reading.records import OTHER_RELEASE, Skips, short_repr

T = TypeVar("T")
K = TypeVar("K", str, int)
_FETCH_AGAIN = "fetch or copy the file again; it may have been truncated or changed"
_MEND = "remove what is too much there, as a comma at the end of a line or list; or fetch or copy the file again"
_SHAPES = {"{": "an object", "[": "a list", "": "empty"}
_NOT_JSON = {
    b"PK": ("a zip archive", "unpack it first"),
    b"\x1f\x8b": ("compressed", "unpack it first, with gunzip"),
    b"\xff\xfe": ("text in UTF-16", "save it as UTF-8"),
    b"\xfe\xff": ("text in UTF-16", "save it as UTF-8"),
    b"<": ("a web page", "the download went wrong; fetch the file again"),
    b"version https://git-lfs": ("a pointer of git-lfs", "fetch the file itself, with git lfs pull"),
}
"""What is often found in place of JSON, by its first bytes, with a hint."""


def members(path: Path, within: str = "") -> Iterator[tuple[str, JsonValue]]:
    """The members of the object that a file is, or holds under a name, with their keys."""
    with _opened(path) as (text, progress):
        for _ in _containers(path, text, within, "{"):
            for key, value in text.members_within():
                yield key, value
                progress.last = key


def elements(path: Path, within: str = "") -> Iterator[JsonValue]:
    """The elements of the list that a file is, or holds under a name; lines of JSON are as good as a list."""
    return (value for _, value in parts(path, within)) if within else _values(path)


def decoded_members(path: Path, kind: type[T], noun: str, skips: Skips) -> Iterator[tuple[str, T]]:
    """The members of the object that a file is, decoded into msgspec structs, with their keys; bad ones are skipped."""
    return _decoded(path, kind, noun, skips, "{", "")


def decoded_elements(path: Path, kind: type[T], noun: str, skips: Skips, within: str = "") -> Iterator[tuple[int, T]]:
    """The elements that `elements` gives, decoded into msgspec structs, with their positions; bad ones are skipped."""
    if within or first_sign(path) == b"[":
        yield from _decoded(path, kind, noun, skips, "[", within)
        return
    for number, content in enumerate(_values(path)):
        yield from _converted(content, kind, f"{path.name}, {noun}", number, skips)


def _decoded(path: Path, kind: type[T], noun: str, skips: Skips, sign: str, within: str) -> Iterator[tuple[Any, T]]:
    decoder: Decoder[Any] = Decoder(dict[str, kind] if sign == "{" else list[kind])  # type: ignore[valid-type]

    def decode(text: str) -> Sequence[Any] | None:
        try:
            records = decoder.decode(text)
        except (DecodeError, RecursionError):
            return None
        return list(records.items()) if sign == "{" else records

    count = 0
    with _opened(path) as (text, progress):
        for _ in _containers(path, text, within, sign):
            progress.within = f" of {within}" if within else ""
            for item in text.batches_within(sign, decode):
                if isinstance(item, Batch):
                    yield from item if sign == "{" else enumerate(item, count)
                    count += len(item)
                    progress.last = count - 1
                    continue
                key, content = item if sign == "{" else (count, item)
                yield from _converted(content, kind, f"{path.name}, {noun}", key, skips)
                count += 1
                progress.last = key


def _converted(content: JsonValue, kind: type[T], name: str, key: K, skips: Skips) -> Iterator[tuple[K, T]]:
    """The record as a struct; a record that does not fit its type is skipped and counted."""
    try:
        yield key, convert(content, kind)
    except ValidationError as problem:
        skips.problem(_translated(problem, content, f"{name} {key}"))


def _translated(problem: ValidationError, content: JsonValue, place: str) -> SourceError:
    """Translate an error of msgspec into a SourceError with the place, the value and what was expected."""
    mismatch = Mismatch.of(problem)
    if mismatch is None:
        return SourceError(f"{place}: {problem}")
    if mismatch.missing:
        return SourceError(f"{place}{f', {mismatch.where}' if mismatch.where else ''} has no {mismatch.missing}")
    before, unknown_key, _ = mismatch.where.partition("[...]")
    if unknown_key:
        return SourceError(f"{place}: a value of {before} is not {mismatch.expected}")
    subject = f"{place}: {mismatch.where}" if mismatch.where else place
    return SourceError(f"{subject} is {short_repr(mismatch.value_in(content))}, not {mismatch.expected}")


def parts(path: Path, *names: str) -> Iterator[tuple[str, JsonValue]]:
    """The elements of the lists that a file holds under some names, each with the name of its list, as they come."""
    with _opened(path) as (text, progress):
        for name in _containers(path, text, names, "["):
            within = f" of {name}"
            for place, value in enumerate(text.values_within()):
                yield name, value
                progress.last, progress.within = place, within


def whole(path: Path) -> JsonValue:
    """Everything in a small file."""
    with _opened(path) as (text, _):
        value = text.value()
        _at_end(path, text)
        return value


def first_sign(path: Path) -> bytes:
    """The first character of a file that is not white space; none of an empty file."""
    with _opened(path) as (text, _):
        return text.sign().encode()


def object_keys(path: Path) -> Iterator[tuple[str, str]]:
    """The keys of the object that a file is, each with the first character of its value; none of another file."""
    with _opened(path) as (text, _):
        for key in text.keys_within() if text.sign() == "{" else ():
            yield key, text.sign()
            text.skip()


class _Progress:
    """The key or number of the last complete record, and the list that it is in."""

    last: str | int | None = None
    within: str = ""

    def __str__(self) -> str:
        return f" after record {self.last}{self.within}" if self.last is not None else ""


@contextmanager
def _opened(path: Path) -> Iterator[tuple[JsonText, _Progress]]:
    progress = _Progress()
    try:
        with path.open("rb") as file:
            beginning = file.read(64).lstrip()
            for sign, (what, help_) in _NOT_JSON.items():
                if beginning.startswith(sign):
                    raise SourceError(f"{path.name} is {what}, not JSON", hint=help_)
            file.seek(0)
            yield JsonText(file), progress
    except FileNotFoundError as problem:
        hint = "counterpoint data says which files are expected"
        raise SourceError(f"there is no file {path}", hint=hint) from problem
    except OSError as problem:
        fact = f"{path} cannot be read: {problem.strerror or problem}"
        raise SourceError(fact, hint="check its name and rights") from problem
    except UnicodeDecodeError as problem:
        raise SourceError(f"{path.name} is no text in UTF-8{progress}", hint=_FETCH_AGAIN) from problem
    except InvalidJson as problem:
        fact = "ends in the middle of a record" if problem.cut else "is no JSON"
        hint = _FETCH_AGAIN if problem.cut else _MEND
        raise SourceError(f"{path.name} {fact}{progress}: {problem}", hint=hint) from problem


def _containers(path: Path, text: JsonText, within: str | Sequence[str], sign: str) -> Iterator[str]:
    """Stop before each of the named lists or objects; raises a SourceError if one is missing."""
    names = [within] if isinstance(within, str) else list(within)
    quoted = " and ".join(map(repr, filter(None, names)))
    _expect(path, text, sign if names == [""] else "{", f"an object with {quoted}" if quoted else _SHAPES[sign])
    wanted = {tuple(name.split(".")) if name else (): name for name in names}
    missing = set(names)
    for name in _walked(text, (), wanted):
        if text.sign() != sign:
            shape = _SHAPES.get(text.sign(), "no such thing")
            raise SourceError(f"{path.name}: {name!r} is {shape}, not {_SHAPES[sign]}", hint=OTHER_RELEASE)
        yield name
        missing.discard(name)
    _at_end(path, text)
    if missing:
        raise SourceError(f"{path.name} has no {' and no '.join(map(repr, sorted(missing)))}", hint=OTHER_RELEASE)


def _walked(text: JsonText, place: tuple[str, ...], wanted: Mapping[tuple[str, ...], str]) -> Iterator[str]:
    if place in wanted:
        yield wanted[place]
    elif text.sign() == "{" and any(name[: len(place)] == place for name in wanted):
        for key in text.keys_within():
            yield from _walked(text, (*place, key), wanted)
    else:
        text.skip()


def _values(path: Path) -> Iterator[JsonValue]:
    """The elements of a list, or one JSON value after another, as in a file of lines."""
    with _opened(path) as (text, progress):
        if text.sign() == "{":
            number = 0
            while text.sign():
                yield text.value()
                progress.last, number = number, number + 1
            return
        _expect(path, text, "[", "a list")
        place = 0
        for item in text.batches_within("[", _decode_list):
            for value in item if isinstance(item, Batch) else (item,):
                yield value
                progress.last, place = place, place + 1
        _at_end(path, text)


_LIST: Decoder[list[Any]] = Decoder(list[Any])


def _decode_list(text: str) -> list[Any] | None:
    try:
        return _LIST.decode(text)
    except (DecodeError, RecursionError):
        return None


def _expect(path: Path, text: JsonText, sign: str, what: str) -> None:
    first = text.sign()
    if first != sign:
        shape = _SHAPES.get(first, f"something that begins with {first!r}")
        raise SourceError(f"{path.name} is {shape}, not {what}", hint=OTHER_RELEASE)


def _at_end(path: Path, text: JsonText) -> None:
    if rest := text.sign():
        lines = "it holds a record a line; join them into one, or name it .jsonl where such files are read"
        hint = {"{": lines, ",": _MEND}.get(rest, _FETCH_AGAIN)
        raise SourceError(f"{path.name} goes on after its end, with {rest!r}", hint=hint)


Value = TypeVar("Value")


class KeyedJoin(Generic[Value]):
    """The records of a second file by key, taken in the order of a first file.

    Records are buffered only as far as the orders of the two files differ.

    >>> second = KeyedJoin(iter([("b", 2), ("a", 1), ("d", 4)]))
    >>> second.take("a"), second.take("b"), second.take("c"), second.left()
    (1, 2, None, ['d'])
    """

    def __init__(self, records: Iterator[tuple[str, Value]]) -> None:
        self._records = records
        self._held: dict[str, Value] = {}

    def take(self, key: str) -> Value | None:
        """Remove and return the record of this key; none if there is none."""
        if key in self._held:
            return self._held.pop(key)
        for other, value in self._records:
            if other == key:
                return value
            self._held[other] = value
        return None

    def left(self) -> list[str]:
        """The keys of all records that were not taken."""
        self._held.update(self._records)
        return list(self._held)
