"""The server side of Anthropic's and Google's protocols: strict validation of requests, and complete replies."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from counterpoint.testing.chat_protocol import (
    CHAT_COMPLETIONS,
    ReceivedRequest,
    RequestError,
    ServerProtocol,
    check_numbers,
    packed,
    picture_content,
    ranked_tokens,
    split_tokens,
)

ANTHROPIC_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
GOOGLE_ERRORS = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
STOP_REASONS = {"length": "max_tokens", "content_filter": "refusal", "refusal": "refusal"}


def _read_message(body: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[str, str]:
    if "anthropic-version" not in headers:
        raise RequestError(400, "anthropic-version: header is required")
    if not isinstance(body.get("max_tokens"), int):
        raise RequestError(400, "max_tokens: Field required", param="max_tokens")
    check_numbers(body, {"max_tokens": (1, 1e6), "temperature": (0, 1)})
    match body.get("messages"):
        case [{"role": "user", "content": [*blocks]}]:
            return _join(_message_block(block) for block in blocks)
        case [{"role": "user", "content": str(text)}]:
            return text, ""
    raise RequestError(400, "messages: one message of the user is expected", param="messages")


def _message_block(block: Any) -> str | bytes:
    match block:
        case {"type": "text", "text": str(text), **more} if not more:
            return text
        case {"type": "image", "source": {"type": "base64", "media_type": str(kind), "data": str(data), **more}} if (
            not more
        ):
            return picture_content(kind, data)
    raise RequestError(400, "messages.0.content: a block is a text or an image", param="messages")


def _join(parts: Any) -> tuple[str, str]:
    """The text of a message and the digest of its picture."""
    words, pictures = list[str](), list[bytes]()
    for part in parts:
        if isinstance(part, str):
            words.append(part)
        else:
            pictures.append(part)
    return "\n".join(words), blake2b(b"".join(pictures), digest_size=16).hexdigest() if pictures else ""


def _message_reply(
    asked: ReceivedRequest, text: str, ending: str, chances: Mapping[str, float] | None, given: bool
) -> bytes:
    content = [] if ending in ("refusal", "empty") else [{"type": "text", "text": text}]
    usage = {"input_tokens": len(asked.words.split()), "output_tokens": len(split_tokens(text))}
    about = {"id": f"msg_{asked.number:024}", "type": "message", "role": "assistant", "model": asked.body["model"]}
    stop_reason = STOP_REASONS.get(ending, "end_turn")
    return packed({**about, "content": content, "stop_reason": stop_reason, "stop_sequence": None, "usage": usage})


def _message_error(problem: RequestError) -> bytes:
    error = {"type": ANTHROPIC_ERRORS.get(problem.status, "api_error"), "message": str(problem)}
    return packed({"type": "error", "error": error, "request_id": "req_000000000000000000000001"})


def _read_generation(body: Mapping[str, Any], headers: Mapping[str, str]) -> tuple[str, str]:
    config = body.get("generationConfig", {})
    check_numbers(config, {"maxOutputTokens": (1, 1e6), "temperature": (0, 2), "logprobs": (1, 20)})
    if "logprobs" in config and config.get("responseLogprobs") is not True:
        raise RequestError(400, "logprobs goes with responseLogprobs")
    match body.get("systemInstruction", {"parts": [{"text": ""}]}):
        case {"parts": [{"text": str()}]}:
            pass
        case _:
            raise RequestError(400, "systemInstruction has parts with a text")
    match body.get("contents"):
        case [{"role": "user", "parts": [*parts]}]:
            return _join(_generation_part(part) for part in parts)
    raise RequestError(400, "contents is not specified")


def _generation_part(part: Any) -> str | bytes:
    match part:
        case {"text": str(text), **more} if not more:
            return text
        case {"inlineData": {"mimeType": str(kind), "data": str(data), **more}} if not more:
            return picture_content(kind, data)
    raise RequestError(400, "a part has a text, or inlineData")


def _generation_reply(
    asked: ReceivedRequest, text: str, ending: str, chances: Mapping[str, float] | None, given: bool
) -> bytes:
    tokens, prompt = split_tokens(text), len(asked.words.split())
    usage = {"promptTokenCount": prompt, "candidatesTokenCount": len(tokens), "totalTokenCount": prompt + len(tokens)}
    about = {"usageMetadata": usage, "modelVersion": "double-001", "responseId": f"r{asked.number}"}
    if ending == "content_filter":
        return packed({"promptFeedback": {"blockReason": "SAFETY"}, **about})
    candidate: dict[str, Any] = {"index": 0, "finishReason": "MAX_TOKENS" if ending == "length" else "STOP"}
    if ending == "refusal":
        candidate["finishReason"] = "SAFETY"
    elif ending == "empty":
        candidate["content"] = {"role": "model"}
    else:
        candidate["content"] = {"role": "model", "parts": [{"text": text}]}
    config = asked.body.get("generationConfig", {})
    if config.get("responseLogprobs") and given:
        ranked = list(ranked_tokens(tokens, chances, config.get("logprobs", 1)))
        candidate["logprobsResult"] = {
            "topCandidates": [{"candidates": [_candidate(*pair) for pair in top]} for _, top in ranked],
            "chosenCandidates": [_candidate(*chosen) for chosen, _ in ranked],
        }
    return packed({"candidates": [candidate], **about})


def _candidate(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "tokenId": len(token), "logProbability": logprob}


def _generation_error(problem: RequestError) -> bytes:
    status = GOOGLE_ERRORS.get(problem.status, "INTERNAL")
    error: dict[str, Any] = {"code": problem.status, "message": str(problem), "status": status}
    if problem.code == "invalid_api_key":
        error["details"] = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    if problem.wait:
        delay = f"{problem.wait:.3f}s"
        error["details"] = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]
    return packed({"error": error})


PROTOCOLS = {
    "openai": CHAT_COMPLETIONS,
    "anthropic": ServerProtocol(
        base="",
        path="/v1/messages",
        key=("x-api-key", ""),
        fields={"model", "max_tokens", "messages", "system", "temperature", "top_p", "top_k", "stop_sequences"},
        read=_read_message,
        reply=_message_reply,
        error=_message_error,
    ),
    "google": ServerProtocol(
        base="",
        path=r"/v1beta/models/(?P<model>[^/:]+):generateContent",
        key=("x-goog-api-key", ""),
        fields={
            *("contents", "systemInstruction", "generationConfig", "maxOutputTokens", "temperature", "topP", "topK"),
            *("seed", "stopSequences", "responseLogprobs", "logprobs"),
        },
        read=_read_generation,
        reply=_generation_reply,
        error=_generation_error,
        bad_key=400,
    ),
}
"""The protocols that a server can have, by the prefix of the names of models."""
