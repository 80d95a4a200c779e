"""The server side of chat completions: strict validation of requests, and complete replies."""

import json
import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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

    def __init__(self, status: int, message: str, *, param: str = "", code: str = "", wait: float = 0.0) -> None:
        super().__init__(message)
        self.status, self.param, self.code, self.wait = status, param, code, wait


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


@dataclass(frozen=True, slots=True)
class ServerProtocol:
    """The server side of a protocol: paths, the header with the key, strict validation, replies and errors."""

    base: str  # the path of the base URL
    path: str  # of a request, below the base URL; a pattern in which `model` may be a group
    key: tuple[str, str]  # the header with the key, and what stands before it
    fields: Collection[str]  # of a request
    read: Callable[[Mapping[str, Any], Mapping[str, str]], tuple[str, str]]  # text and picture's digest of a body
    reply: Callable[["ReceivedRequest", str, str, Mapping[str, float] | None, bool], bytes]
    error: Callable[[RequestError], bytes]
    bad_key: int = 401  # the status of a request with another key


def parse_request(
    protocol: ServerProtocol,
    number: int,
    headers: Mapping[str, str],
    content: bytes,
    models: tuple[str, ...],
    *,
    named: str | None = None,
    refused: tuple[str, ...] = (),
) -> ReceivedRequest:
    """The validated request; RequestError where it is invalid. `named` is the model in the path, if any."""
    try:
        body = json.loads(content)
    except ValueError:
        raise RequestError(400, "the body is no JSON") from None
    if not isinstance(body, dict):
        raise RequestError(400, "the body is no object")
    for name in [*body, *body.get("generationConfig", {})]:
        if name not in protocol.fields:
            raise RequestError(400, f"Unrecognized request argument supplied: {name}", param=name)
        if name in refused:
            raise RequestError(400, f"this model does not support {name}{REPLACEMENTS.get(name, '')}", param=name)
    model = body.get("model") if named is None else named
    if model not in models:
        raise RequestError(404, f"The model {model!r} does not exist", code="model_not_found")
    words, picture = protocol.read(body, headers)
    return ReceivedRequest(number, words, picture, body, dict(headers))


def _read_completion(body: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[str, str]:
    check_numbers(body, {"max_tokens": (1, 1e6), "max_completion_tokens": (1, 1e6), "temperature": (0, 2)})
    if "top_logprobs" in body and (body.get("logprobs") is not True or not 0 <= body["top_logprobs"] <= 20):
        raise RequestError(400, "top_logprobs goes with logprobs, and is from 0 to 20", param="top_logprobs")
    if body.get("n", 1) != 1:
        raise RequestError(400, "one reply is all there is", param="n")
    return _user_message(body.get("messages"))


def completion_body(
    asked: ReceivedRequest, text: str, ending: str, chances: Mapping[str, float] | None, given: bool = True
) -> bytes:
    """The body of a reply; `ending` is stop, length, content_filter, refusal or empty."""
    content = "" if ending in ("refusal", "empty") else text
    message = {"role": "assistant", "content": content if ending != "refusal" else None, "refusal": None}
    if ending == "refusal":
        message["refusal"] = f"I will not say: {text}"
    tokens = split_tokens(content)
    logprobs = None
    if asked.body.get("logprobs") and given:
        logprobs = {"content": _logprobs(tokens, chances, asked.body.get("top_logprobs") or 0), "refusal": None}
    finish = ending if ending in ("length", "content_filter") else "stop"
    choice = {"index": 0, "message": message, "logprobs": logprobs, "finish_reason": finish}
    prompt = len(asked.words.split())
    usage = {"prompt_tokens": prompt, "completion_tokens": len(tokens), "total_tokens": prompt + len(tokens)}
    about = {"id": f"chatcmpl-{asked.number}", "object": "chat.completion", "created": 1_700_000_000}
    return packed({**about, "model": asked.body["model"], "choices": [choice], "usage": usage})


def error_body(problem: RequestError) -> bytes:
    """The body of an error."""
    kind = "invalid_request_error" if problem.status < 429 else "server_error"
    error = {"message": str(problem), "type": kind, "param": problem.param or None, "code": problem.code or None}
    return packed({"error": error})


def models_body(models: tuple[str, ...]) -> bytes:
    """The body of a list of models."""
    about = {"object": "model", "created": 1_700_000_000, "owned_by": "counterpoint"}
    return packed({"object": "list", "data": [{"id": name, **about} for name in models]})


def split_tokens(text: str) -> list[str]:
    """The words of a text, each with the white space before it."""
    return re.findall(r"\s*\S+", text)


def packed(content: Any) -> bytes:
    """JSON in ASCII."""
    return json.dumps(content).encode("ascii")


def check_numbers(body: Mapping[str, Any], ranges: Mapping[str, tuple[float, float]]) -> None:
    """Reject a request with a number out of its range."""
    for name, (least, most) in ranges.items():
        value = body.get(name, 1)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise RequestError(400, f"{name} is {value!r}, and should be from {least} to {most:g}", param=name)


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
                kind, _, data = url.removeprefix("data:").partition(";base64,")
                picture.update(picture_content(kind, data))
                shown = True
            case _:
                raise RequestError(400, "a part is a text or an image_url", param="messages")
    return "\n".join(words), picture.hexdigest() if shown else ""


def picture_content(kind: str, data: str) -> bytes:
    """The bytes of a picture that was sent in base64 under a media type."""
    try:
        content = b64decode(data, validate=True)
    except NotBase64:
        content = b""
    if not content.startswith(MAGIC.get(kind, b"-")):
        raise RequestError(400, "Invalid image: it is no PNG, JPEG or WEBP file in base64", param="messages")
    return content


def ranked_tokens(
    tokens: Sequence[str], chances: Mapping[str, float] | None, most: int
) -> Iterator[tuple[tuple[str, float], list[tuple[str, float]]]]:
    """Every token of a reply with its log-probability: the first with the given alternatives, the others alone."""
    for place, token in enumerate(tokens):
        likely = chances if chances is not None and not place else {token: 1.0}
        ranked = sorted(likely.items(), key=lambda pair: -pair[1])[:most]
        alternatives = [(other, log(max(chance, MIN_PROBABILITY))) for other, chance in ranked]
        yield (token, log(max(likely.get(token, MIN_PROBABILITY), MIN_PROBABILITY))), alternatives


def _logprobs(tokens: Sequence[str], chances: Mapping[str, float] | None, most: int) -> list[dict[str, Any]]:
    return [
        _token(*token) | {"top_logprobs": [_token(*other) for other in alternatives]}
        for token, alternatives in ranked_tokens(tokens, chances, most)
    ]


def _token(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode("utf-8", "replace"))}


CHAT_COMPLETIONS = ServerProtocol(
    base="/v1",
    path="/chat/completions",
    key=("authorization", "Bearer "),
    fields=FIELDS,
    read=_read_completion,
    reply=completion_body,
    error=error_body,
)
