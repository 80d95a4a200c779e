"""Anthropic's Messages protocol as pure functions: requests and replies."""

from typing import Any

from counterpoint.models.endpoint.completions import (
    Decoding,
    Json,
    Reply,
    ServerCapabilities,
    decode_reply,
    join_texts,
    split_data_url,
    stated_usage,
    temperature_field,
)

TRUNCATED = ("max_tokens", "model_context_window_exceeded")
"""Why a reply stopped before its end."""
TOKENS_IN = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
"""Fields with tokens of the request: those outside the cache, written to it, and read from it."""


def message_request(
    decoding: Decoding, text: str, picture: str, takes: ServerCapabilities, *, system: str = "", logprobs: bool
) -> Json:
    """The body of a request; the protocol has neither seeds nor log-probabilities."""
    content: list[Any] = [{"type": "text", "text": text}]
    if picture:
        kind, data = split_data_url(picture)
        content.insert(0, {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}})
    body: Json = {"model": decoding.model, "max_tokens": decoding.tokens} | temperature_field(decoding, takes)
    return body | ({"system": system} if system else {}) | {"messages": [{"role": "user", "content": content}]}


def read_message(text: str) -> Reply:
    """The reply in the body of a response.

    >>> read_message('{"content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn"}').text
    'Yes.'
    """
    return decode_reply(text, _message)


def _message(body: Json) -> Reply:
    content, stop_reason = body["content"], body.get("stop_reason")
    if not isinstance(content, list):
        raise TypeError("the content of a message is a list")
    details = body.get("stop_details") or {}
    reason = str(details.get("explanation") or details.get("category") or "")
    usage = stated_usage(body.get("usage"), TOKENS_IN, ["output_tokens"])
    return Reply(join_texts(content), stop_reason == "refusal", stop_reason in TRUNCATED, None, usage, reason)
