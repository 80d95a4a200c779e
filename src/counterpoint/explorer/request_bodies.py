"""Request bodies: read up to a limit of bytes and of time, and parsed as JSON or as a form.

Whoever can open a page of another site can make a browser send anything to this server. So a form is read in pieces,
its token is checked when the first field is there, and its parts are counted while they are parsed, in a thread.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from io import BytesIO
from typing import Any
from urllib.parse import parse_qsl

from python_multipart.multipart import Field, File, FormParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

MAX_BODY_BYTES = 64_000
"""Bytes of a form without files, or of JSON."""
MAX_FIELDS = 100
"""Fields and files of a form."""
BODY_SECONDS, BYTES_PER_SECOND = 10.0, 100_000
"""Seconds in which a body has to arrive, and the bytes for which it gets another second."""

CheckToken = Callable[[object], None]
"""Raises HTTP 403 unless a field is the token of a page."""


async def read_body(request: Request, most: int = MAX_BODY_BYTES) -> bytes:
    """The body of a request; HTTP 413 if it exceeds `most` bytes, 408 if it comes too slowly."""
    return b"".join([piece async for piece in _pieces(request, most)])


async def read_json(request: Request) -> dict[str, Any]:
    """The JSON object in the body of a request."""
    if _kind(request) != "application/json":
        raise HTTPException(415, "a JSON object is expected, with the content type application/json")
    try:
        parsed = json.loads(await read_body(request))
    except (ValueError, RecursionError) as problem:
        raise HTTPException(400, f"what was sent is not JSON: {problem}") from None
    if not isinstance(parsed, dict):
        raise HTTPException(400, f"a JSON object is expected, not {type(parsed).__name__}")
    return parsed


async def read_form(request: Request, check_token: CheckToken, file_bytes: int = 0) -> dict[str, str | bytes]:
    """The fields of a form by name, the last of each name; a file is bytes, and one not chosen is absent.

    `check_token` is called with the field `token`: the first one of a form that may hold files, which may have
    `file_bytes`, before any other is parsed.
    """
    kind = _kind(request)
    try:
        if kind == "application/x-www-form-urlencoded":
            body = (await read_body(request)).decode()
            fields: dict[str, str | bytes] = dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MAX_FIELDS))
            check_token(fields.get("token"))
            return fields
        if kind == "multipart/form-data" and file_bytes:
            form = MultipartForm(request.headers["content-type"], check_token)
            async for piece in _pieces(request, file_bytes + MAX_BODY_BYTES):
                await run_in_threadpool(form.write, piece)
            return form.fields()
    except ValueError as problem:
        raise HTTPException(400, f"the form cannot be read: {problem}") from None
    raise HTTPException(415, "a form is expected")


class MultipartForm:
    """A multipart form that is parsed while it arrives; its parts are not taken apart further."""

    def __init__(self, content_type: str, check_token: CheckToken) -> None:
        kind, options = parse_options_header(content_type)
        limits = {"MAX_MEMORY_FILE_SIZE": float("inf")}  # the body is bounded, and nothing of it goes to the disk
        boundary = options.get(b"boundary")
        self._parser = FormParser(
            kind.decode("latin-1"), self._add_field, self._add_file, boundary=boundary, config=limits
        )
        self._check_token, self._is_checked = check_token, False
        self._fields: dict[str, str | bytes] = {}
        self._bytes = self._parts = 0

    def write(self, piece: bytes) -> None:
        """Parse a piece; HTTP 403 unless the first part is the token of a page, 413 if there are too many parts."""
        self._bytes += len(piece)
        self._parser.write(piece)
        if not self._is_checked and self._bytes > MAX_BODY_BYTES:
            self._check_token(None)

    def fields(self) -> dict[str, str | bytes]:
        """The fields by name, when all is there."""
        self._parser.finalize()
        if not self._is_checked:
            self._check_token(None)
        return self._fields

    def _add_field(self, field: Field) -> None:
        name, value = (field.field_name or b"").decode(), (field.value or b"").decode()
        self._count(name, value)
        self._fields[name] = value

    def _add_file(self, file: File) -> None:
        name, stream = (file.field_name or b"").decode(), file.file_object
        self._count(name, None)
        assert isinstance(stream, BytesIO), "files are held in memory"
        if content := stream.getvalue():
            self._fields[name] = content

    def _count(self, name: str, value: str | None) -> None:
        if not self._is_checked:
            self._check_token(value if name == "token" else None)
            self._is_checked = True
        self._parts += 1
        if self._parts > MAX_FIELDS:
            raise HTTPException(413, f"a form of more than {MAX_FIELDS} fields was sent")


async def _pieces(request: Request, most: int) -> AsyncIterator[bytes]:
    """The body of a request as it arrives, up to a limit of bytes and of seconds."""
    if (told := request.headers.get("content-length", "")).isdecimal() and int(told[:20]) > most:
        raise HTTPException(413, f"more than {most:,} bytes were sent")
    size, stream = 0, request.stream()
    deadline = asyncio.get_running_loop().time() + BODY_SECONDS + most / BYTES_PER_SECOND
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                piece = await anext(stream, None)
        except TimeoutError:
            raise HTTPException(408, "the body came too slowly") from None
        except ClientDisconnect:
            raise HTTPException(400, "the body ends before its end") from None
        if piece is None:
            return
        size += len(piece)
        if size > most:
            raise HTTPException(413, f"more than {most:,} bytes were sent")
        yield piece


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
