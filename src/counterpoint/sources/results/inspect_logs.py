"""Logs of Inspect: a zip archive with a JSON file per sample, or one JSON file; an epoch is a trial."""

import re
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from counterpoint.core.errors import SourceError, shorten
from counterpoint.sources.reading.json_stream import JsonText
from counterpoint.sources.results.predictions import Prediction, PredictionStream, RejectedRecord, ResultRecord, as_text

_ZSTD = 93  # a compression that Python reads from version 3.14 on
_MEMBER = re.compile(r"samples/(?:[^/]+\.json|[^/]+/sample\.json)")
_ATTACHED = "attachment://"
_LARGEST = 1 << 28  # bytes of one member; a small archive can unpack to anything


def read_eval_log(path: Path) -> PredictionStream:
    """The samples of an `.eval` file."""
    with open_archive(path) as archive:
        members = {info.filename: info for info in archive.infolist()}  # the last of a name counts
        for name in members:
            if _MEMBER.fullmatch(name):
                place = f"{path}, {name}"
                sample = _loaded(_content(archive, members[name], place), place)
                yield _prediction(ResultRecord(place, sample), _parts(archive, members, name, place))


def open_archive(path: Path) -> ZipFile:
    """An archive to read from."""
    try:
        return ZipFile(path)
    except Exception as problem:  # a damaged one raises nearly anything
        raise SourceError(f"{path} is a broken archive: {problem}", hint="it may have been cut off") from problem


def read_json_log(records: Iterator[ResultRecord]) -> PredictionStream:
    """The samples of a log that is one JSON file."""
    for record in records:
        yield _prediction(record, lambda number: None)


def is_log(names: Iterator[str]) -> bool:
    """Whether an archive with these members is such a log."""
    return any(_MEMBER.fullmatch(name) or name in ("header.json", "_journal/start.json") for name in names)


def _prediction(record: ResultRecord, attached: Callable[[str], str | None]) -> Prediction | RejectedRecord:
    sample = record.fields
    meta = sample.get("metadata") if isinstance(sample.get("metadata"), dict) else {}
    own = as_text((meta or {}).get("query_id")) or as_text(sample.get("id"))
    if own is None:
        return RejectedRecord(record.place, "a sample without an id")
    kept = sample.get("attachments")
    lookup = kept.get if isinstance(kept, dict) and kept else attached
    raw = _reply(sample, lookup)
    if raw is None:
        error = sample.get("error")
        message = error.get("message") if isinstance(error, dict) else error
        return RejectedRecord(record.place, f"it failed there: {message}"[:120] if message else "no answer", own)
    epoch = sample.get("epoch", 1)
    if not isinstance(epoch, int) or not 1 <= epoch <= 2**16:
        return RejectedRecord(record.place, f"{shorten(repr(epoch))} is no number of an epoch", own)
    text, picture = _prompt(sample.get("input"), lookup)
    choices = sample.get("choices")
    options = tuple(map(str, choices)) if isinstance(choices, list) else ()
    return Prediction(own, raw, picture, text, trial=epoch - 1, options=options, place=record.place)


def _reply(sample: Mapping[str, Any], lookup: Callable[[str], str | None]) -> str | None:
    output = sample.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    if not choices or not isinstance(choices, list) or not isinstance(choices[0], dict):
        return None
    message = choices[0].get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return None if content is None else "".join(_words(content, lookup))


def _prompt(input_: Any, lookup: Callable[[str], str | None]) -> tuple[str, str]:
    """The text and the picture of the last message of the user."""
    if isinstance(input_, str):
        return _resolve(input_, lookup), ""
    history = input_ if isinstance(input_, list) else []
    messages = [message for message in history if isinstance(message, dict) and message.get("role") == "user"]
    if not messages:
        return "", ""
    content = messages[-1].get("content", "")
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    pictures = [part["image"] for part in parts if isinstance(part.get("image"), str)]
    paths = [picture for picture in pictures if not picture.startswith(("data:", _ATTACHED))]
    return "\n".join(_words(content, lookup)), paths[0] if paths else ""


def _words(content: Any, lookup: Callable[[str], str | None]) -> Iterator[str]:
    """The text of a message, whole or in parts, without pictures and reasoning."""
    for part in [content] if isinstance(content, str) else content if isinstance(content, list) else []:
        text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part
        if isinstance(text, str):
            yield _resolve(text, lookup)


def _resolve(text: str, lookup: Callable[[str], str | None]) -> str:
    """A text, or the attachment that it refers to by number or digest."""
    attached = lookup(text.removeprefix(_ATTACHED)) if text.startswith(_ATTACHED) else text
    return attached if isinstance(attached, str) else text


def _parts(archive: ZipFile, members: Mapping[str, ZipInfo], name: str, place: str) -> Callable[[str], str | None]:
    """The attachments of a sample that is stored in parts: its long texts by number."""

    @cache
    def texts() -> dict[int, str]:
        folder = name.removesuffix("sample.json") + "attachments/"
        starts = {
            int(member[len(folder) : -5]): member
            for member in members
            if re.fullmatch(re.escape(folder) + r"\d{1,9}\.json", member)
        }
        chunks = {start: _loaded(_content(archive, members[member], place), place) for start, member in starts.items()}
        whole = ((start, chunk) for start, chunk in chunks.items() if isinstance(chunk, list))
        return {start + n: str(text) for start, chunk in whole for n, text in enumerate(chunk)}

    return lambda number: texts().get(int(number)) if re.fullmatch(r"\d{1,9}", number) else None


def _loaded(content: bytes, place: str) -> Any:
    try:
        return JsonText(BytesIO(content)).value()
    except ValueError as problem:
        raise SourceError(f"{place}: this is no JSON: {problem}", hint="copy the log once more") from problem


def _content(archive: ZipFile, member: ZipInfo, place: str) -> bytes:
    if member.file_size > _LARGEST:
        raise SourceError(f"{place} holds {member.file_size:,} bytes", hint="`inspect log convert --to json` reads it")
    try:
        if member.compress_type == _ZSTD and sys.version_info < (3, 14):
            return _unpacked(archive, member)
        return archive.read(member)
    except NotImplementedError as problem:
        fact = f"{place}: it is compressed in a way that Python cannot read ({problem})"
        raise SourceError(fact, hint="`inspect log convert --to json` writes it as JSON") from problem
    except Exception as problem:  # as above
        raise SourceError(f"{place} cannot be unpacked: {problem!r}", hint="copy the log once more") from problem


def _unpacked(archive: ZipFile, member: ZipInfo) -> bytes:
    """A member that zstd has compressed, found by its header in the file and unpacked by Arrow."""
    import pyarrow as pa

    assert archive.fp is not None, "the archive is open"
    archive.fp.seek(member.header_offset)
    head = archive.fp.read(30)
    archive.fp.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
    with pa.input_stream(pa.BufferReader(archive.fp.read(member.compress_size)), compression="zstd") as stream:
        content = bytes(stream.read(member.file_size + 1))
    if zlib.crc32(content) != member.CRC:
        raise BadZipFile("its content is not what was written")
    return content
