"""Google's generateContent protocol as pure functions: requests and replies."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from counterpoint.models.endpoint.completions import (
    Decoding,
    Json,
    Reply,
    ServerCapabilities,
    decode_reply,
    first_alternatives,
    split_data_url,
    stated_usage,
    temperature_field,
)

REFUSALS = frozenset(
    [
        *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "JAILBREAK"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    ]
)
"""Why a candidate was withheld, in whole or from some token on."""


def generation_request(
    decoding: Decoding, text: str, picture: str, takes: ServerCapabilities, *, system: str = "", logprobs: bool
) -> Json:
    """The body of a request; the model is named in the URL."""
    parts: list[Any] = [{"text": text}]
    if picture:
        kind, data = split_data_url(picture)
        parts.insert(0, {"inlineData": {"mimeType": kind, "data": data}})
    config: Json = {"maxOutputTokens": decoding.tokens} | temperature_field(decoding, takes)
    if decoding.seed is not None and takes.seeds:
        config["seed"] = decoding.seed
    if logprobs and takes.alternatives:
        config |= {"responseLogprobs": True, "logprobs": takes.alternatives}
    body: Json = {"systemInstruction": {"parts": [{"text": system}]}} if system else {}
    return body | {"contents": [{"role": "user", "parts": parts}], "generationConfig": config}


def read_generation(text: str) -> Reply:
    """The reply in the body of a response.

    >>> read_generation('{"candidates": [{"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP"}]}').text
    'Yes.'
    >>> read_generation('{"promptFeedback": {"blockReason": "SAFETY"}}').refused
    True
    """
    return decode_reply(text, _generation)


def _generation(body: Json) -> Reply:
    stated = {"candidatesTokenCount": 0} | (body.get("usageMetadata") or {})  # zeros are left out
    usage = stated_usage(stated, ["promptTokenCount"], ["candidatesTokenCount", "thoughtsTokenCount"])
    block = (body.get("promptFeedback") or {}).get("blockReason")
    if block and not body.get("candidates"):
        return Reply("", refused=True, usage=usage, reason=f"the prompt was blocked: {block}")
    candidate = body["candidates"][0]
    finish_reason, content = candidate.get("finishReason"), candidate.get("content") or {}
    if not finish_reason and not content:
        raise LookupError("a candidate has a content, or says why it has none")
    text = "".join(part.get("text") or "" for part in content.get("parts") or () if not part.get("thought"))
    first_token = first_alternatives(_token_entries(candidate.get("logprobsResult")))
    refused = finish_reason in REFUSALS
    reason = f"the reply was withheld: {finish_reason}" if refused else ""
    if not text and finish_reason and finish_reason not in {*REFUSALS, "STOP", "MAX_TOKENS"}:
        reason = f"the reply has no text: {finish_reason}"  # such as OTHER and MALFORMED_FUNCTION_CALL
    return Reply(text, refused, finish_reason == "MAX_TOKENS", first_token, usage, reason)


def _token_entries(result: Any) -> Iterator[Json]:
    """The tokens of a reply with their alternatives, as chat completions have them."""
    result = result or {}
    chosen, tops = result.get("chosenCandidates") or (), result.get("topCandidates") or ()
    none: Json = {}
    for token, top in zip_longest(chosen, tops, fillvalue=none):
        yield _entry(token) | {"top_logprobs": [_entry(other) for other in top.get("candidates") or ()]}


def _entry(token: Json) -> Json:
    return {"token": token["token"], "logprob": token["logProbability"]}
