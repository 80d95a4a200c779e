"""Request bodies: read up to a size limit, and parsed as JSON or as a form."""

import json
from email import policy
from email.parser import BytesParser
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

MAX_BODY_BYTES = 64_000
"""Bytes of a form without files, or of JSON."""


async def read_body(request: Request, most: int = MAX_BODY_BYTES) -> bytes:
    """The body of a request; HTTP 413 if it exceeds `most` bytes."""
    parts, size = list[bytes](), 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise HTTPException(413, f"more than {most:,} bytes were sent")
        parts.append(part)
    return b"".join(parts)


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


async def read_form(request: Request, most: int = MAX_BODY_BYTES) -> dict[str, str | bytes]:
    """The fields of a form by name, the last of each name; a file is bytes, and one not chosen is absent."""
    kind = _kind(request)
    if kind == "application/x-www-form-urlencoded":
        try:
            return dict(
                parse_qsl((await read_body(request, most)).decode(), keep_blank_values=True, max_num_fields=100)
            )
        except ValueError as problem:
            raise HTTPException(400, f"the form cannot be read: {problem}") from None
    if kind == "multipart/form-data":
        return _parts(request.headers["content-type"], await read_body(request, most))
    raise HTTPException(415, "a form is expected")


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _parts(kind: str, content: bytes) -> dict[str, str | bytes]:
    """The parts of a multipart form, parsed by the email package of the standard library."""
    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
    try:
        message = BytesParser(policy=policy.HTTP).parsebytes(head + content)
        parsed: dict[str, str | bytes] = {}
        for part in message.iter_parts() if message.is_multipart() else ():
            name = part.get_param("name", header="content-disposition")
            payload = part.get_payload(decode=True)
            if isinstance(name, str) and isinstance(payload, bytes):
                is_file = part.get_filename() is not None
                if payload or not is_file:
                    parsed[name] = payload if is_file else payload.decode()
    except (ValueError, LookupError, AttributeError, TypeError, IndexError) as problem:
        raise HTTPException(400, f"the form cannot be read: {problem}") from None
    return parsed
