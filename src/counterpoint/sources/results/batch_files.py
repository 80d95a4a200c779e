"""Results of the batch APIs of OpenAI, Anthropic and Google: JSON lines with the id that the user gave each request."""

from collections.abc import Iterator, Mapping
from typing import Any

from counterpoint.core.errors import shorten
from counterpoint.sources.results.predictions import (
    Prediction,
    PredictionStream,
    RejectedRecord,
    ResultRecord,
    as_text,
)


def is_batch(fields: Mapping[str, Any]) -> bool:
    """Whether a record is a result of a batch: an id of the request beside its response."""
    if "custom_id" in fields:
        return isinstance(fields.get("response", fields.get("result")), dict) or "error" in fields
    return "key" in fields and bool({"candidates", "promptFeedback"} & _object(fields.get("response")).keys())


def read_batches(records: Iterator[ResultRecord]) -> PredictionStream:
    """Every reply as a prediction; a request that failed is rejected with its reason."""
    for record in records:
        fields = record.fields
        own = as_text(fields.get("custom_id", fields.get("key")))
        raw = _reply(fields)
        if not own:
            yield RejectedRecord(record.place, f"no custom_id among {', '.join(fields) or 'nothing'}"[:100])
        elif raw is None:
            yield RejectedRecord(record.place, f"it failed there: {shorten(_failure(fields), 60)}", own)
        else:
            yield Prediction(own, raw, place=record.place)


def _reply(fields: Mapping[str, Any]) -> str | None:
    """The text of a reply in the layout of any of the three; None where there is none."""
    response, result = _object(fields.get("response")), _object(fields.get("result"))
    body = _object(response.get("body"))
    if choices := body.get("choices"):
        return _text(_object(_first(choices)).get("message"))
    if output := body.get("output"):  # the Responses API, where a reasoning item may come first
        messages = [item for item in output if isinstance(item, dict) and item.get("type") == "message"]
        return _text(_first(messages))
    return _text(result.get("message")) or _text(_object(_first(response.get("candidates"))).get("content"))


def _text(message: Any) -> str | None:
    """The text of a message: its content, the joined texts of its parts without thoughts, or its refusal."""
    content = _object(message).get("content", _object(message).get("parts"))
    if not isinstance(content, list):
        content = _object(message).get("refusal") if content is None else content
        return content if isinstance(content, str) else None
    said = [part for part in map(_object, content) if not part.get("thought")]
    texts = [part.get("text", part.get("refusal")) for part in said]
    parts = [text for text in texts if isinstance(text, str)]
    return "".join(parts) if parts else None


def _failure(fields: Mapping[str, Any]) -> str:
    response, result = _object(fields.get("response")), _object(fields.get("result"))
    error = fields.get("error") or _object(response.get("body")).get("error") or result.get("error")
    error = _object(error).get("error", error)  # Anthropic nests them
    status = result.get("type") or response.get("status_code")
    return str(_object(error).get("message") or error or _ending(fields) or status or "no text")


def _ending(fields: Mapping[str, Any]) -> str:
    """Why a reply without text ended, in the words of the service; empty where it does not say."""
    response, result = _object(fields.get("response")), _object(fields.get("result"))
    choice = _object(_first(_object(response.get("body")).get("choices")))
    candidate = _object(_first(response.get("candidates")))
    reasons = (
        choice.get("finish_reason"),
        _object(result.get("message")).get("stop_reason"),
        candidate.get("finishReason"),
        _object(response.get("promptFeedback")).get("blockReason"),
    )
    return next((f"no text, {reason}" for reason in reasons if isinstance(reason, str)), "")


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(values: Any) -> Any:
    return values[0] if isinstance(values, list) and values else None
