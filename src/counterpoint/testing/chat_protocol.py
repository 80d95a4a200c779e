"""The server side of chat completions: strict validation of requests, and complete replies."""

import json
import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from math import log
from typing import Any

FIELDS = {"model", "messages", "temperature", "top_p", "n", "seed", "stop", "logprobs", "top_logprobs", "user"}
FIELDS |= {"max_tokens", "max_completion_tokens"}
"""The fields of a request."""
REPLACEMENTS = {"max_tokens": "; use max_completion_tokens instead"}
"""The advice to a client whose field is refused."""
MAGIC = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8\xff", "image/webp": b"RIFF"}
"""The magic bytes of each file type."""
MIN_PROBABILITY = 1e-6
"""The probability of a token that is not listed."""


class RequestError(Exception):
    """An error response of the server."""

    def __init__(self, status: int, message: str, *, param: str = "", code: str = "") -> None:
        super().__init__(message)
        self.status, self.param, self.code = status, param, code


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request: its number in the order of arrival, the text of the user, and the picture's digest."""

    number: int
    words: str
    picture: str  # hexadecimal; empty where there is none
    body: Mapping[str, Any]
    headers: Mapping[str, str]

    @property
    def key(self) -> tuple[str, str]:
        """The same for repeated requests of one query."""
        return self.words, self.picture


def parse_request(
    number: int, headers: Mapping[str, str], content: bytes, models: tuple[str, ...], *, refused: tuple[str, ...] = ()
) -> ReceivedRequest:
    """The validated request; RequestError where it is invalid."""
    try:
        body = json.loads(content)
    except ValueError:
        raise RequestError(400, "the body is no JSON") from None
    if not isinstance(body, dict):
        raise RequestError(400, "the body is no object")
    for name in body:
        if name not in FIELDS:
            raise RequestError(400, f"Unrecognized request argument supplied: {name}", param=name)
        if name in refused:
            raise RequestError(400, f"this model does not support {name}{REPLACEMENTS.get(name, '')}", param=name)
    if body.get("model") not in models:
        raise RequestError(404, f"The model {body.get('model')!r} does not exist", code="model_not_found")
    _check_numbers(body)
    words, picture = _user_message(body.get("messages"))
    return ReceivedRequest(number, words, picture, body, dict(headers))


def completion_body(
    asked: ReceivedRequest, text: str, ending: str, chances: Mapping[str, float] | None, *, given: bool = True
) -> bytes:
    """The body of a reply; `ending` is stop, length, content_filter, refusal or empty."""
    content = "" if ending in ("refusal", "empty") else text
    message = {"role": "assistant", "content": content if ending != "refusal" else None, "refusal": None}
    if ending == "refusal":
        message["refusal"] = f"I will not say: {text}"
    tokens = re.findall(r"\s*\S+", content)
    logprobs = None
    if asked.body.get("logprobs") and given:
        logprobs = {"content": _logprobs(tokens, chances, asked.body.get("top_logprobs") or 0), "refusal": None}
    finish = ending if ending in ("length", "content_filter") else "stop"
    choice = {"index": 0, "message": message, "logprobs": logprobs, "finish_reason": finish}
    prompt = len(asked.words.split())
    usage = {"prompt_tokens": prompt, "completion_tokens": len(tokens), "total_tokens": prompt + len(tokens)}
    about = {"id": f"chatcmpl-{asked.number}", "object": "chat.completion", "created": 1_700_000_000}
    return _packed({**about, "model": asked.body["model"], "choices": [choice], "usage": usage})


def error_body(problem: RequestError) -> bytes:
    """The body of an error."""
    kind = "invalid_request_error" if problem.status < 429 else "server_error"
    error = {"message": str(problem), "type": kind, "param": problem.param or None, "code": problem.code or None}
    return _packed({"error": error})


def models_body(models: tuple[str, ...]) -> bytes:
    """The body of a list of models."""
    about = {"object": "model", "created": 1_700_000_000, "owned_by": "counterpoint"}
    return _packed({"object": "list", "data": [{"id": name, **about} for name in models]})


def _packed(content: Any) -> bytes:
    return json.dumps(content).encode("ascii")


def _check_numbers(body: Mapping[str, Any]) -> None:
    for name, least, most in (("max_tokens", 1, 1e6), ("max_completion_tokens", 1, 1e6), ("temperature", 0, 2)):
        value = body.get(name, 1)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise RequestError(400, f"{name} is {value!r}, and should be from {least} to {most:g}", param=name)
    if "top_logprobs" in body and (body.get("logprobs") is not True or not 0 <= body["top_logprobs"] <= 20):
        raise RequestError(400, "top_logprobs goes with logprobs, and is from 0 to 20", param="top_logprobs")
    if body.get("n", 1) != 1:
        raise RequestError(400, "one reply is all there is", param="n")


def _user_message(messages: Any) -> tuple[str, str]:
    """The text of the last message, which is the user's, and the digest of its picture."""
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        raise RequestError(400, "messages are a list of at least one object", param="messages")
    if any(message.get("role") not in ("system", "user", "assistant") for message in messages):
        raise RequestError(400, "each message has a role: system, user or assistant", param="messages")
    content = messages[-1].get("content")
    if isinstance(content, str):
        return content, ""
    if messages[-1]["role"] != "user" or not isinstance(content, list):
        raise RequestError(400, "the last message is the user's, and has a text or parts", param="messages")
    words, picture = [], blake2b(digest_size=16)
    shown = False
    for part in content:
        match part:
            case {"type": "text", "text": str(text)}:
                words.append(text)
            case {"type": "image_url", "image_url": {"url": str(url)}}:
                picture.update(_picture(url))
                shown = True
            case _:
                raise RequestError(400, "a part is a text or an image_url", param="messages")
    return "\n".join(words), picture.hexdigest() if shown else ""


def _picture(url: str) -> bytes:
    match = re.fullmatch(r"data:(image/\w+);base64,(.*)", url, re.DOTALL)
    try:
        content = b64decode(match[2], validate=True) if match else b""
    except NotBase64:
        content = b""
    if match is None or not content.startswith(MAGIC.get(match[1], b"-")):
        raise RequestError(400, "Invalid image: it is no data URL of a PNG, JPEG or WEBP file", param="messages")
    return content


def _logprobs(tokens: list[str], chances: Mapping[str, float] | None, most: int) -> list[dict[str, Any]]:
    """Every token of a reply, the first with the given alternatives, the others alone."""
    listed = []
    for place, token in enumerate(tokens):
        likely = chances if chances is not None and not place else {token: 1.0}
        ranked = sorted(likely.items(), key=lambda pair: -pair[1])[:most]
        top = [_token(*pair) for pair in ranked]
        listed.append(_token(token, likely.get(token, MIN_PROBABILITY)) | {"top_logprobs": top})
    return listed


def _token(token: str, chance: float) -> dict[str, Any]:
    encoded = list(token.encode("utf-8", "replace"))
    return {"token": token, "logprob": log(max(chance, MIN_PROBABILITY)), "bytes": encoded}
