"""Samples of lm-eval and lmms-eval: replies or log-likelihoods, with ids in the document or among the metrics."""

from collections.abc import Iterator, Mapping
from math import exp
from typing import Any

from msgspec.structs import replace

from counterpoint.sources.reading.columns import PREDICTIONS, ColumnFinder
from counterpoint.sources.results.predictions import (
    Prediction,
    PredictionStream,
    RejectedRecord,
    ResultRecord,
    as_number,
    as_text,
)

_CHOICES = ("choices", "options", "endings")
_columns = ColumnFinder(PREDICTIONS)


def read_samples(records: Iterator[ResultRecord], *, losses: bool) -> PredictionStream:
    """Every reply as a prediction; several replies to one question are trials of it.

    Where log-likelihoods of choices are given, the answer is the argmax; `losses` says that lower is better, as in
    lmms-eval. The filtered reply is used only where the reply itself is not stored.
    """
    for record in records:
        yield from _sample(record, losses)


def _sample(record: ResultRecord, losses: bool) -> PredictionStream:
    replies = record.fields.get("resps", record.fields.get("filtered_resps"))
    own = _id(record.fields)
    if replies is None or own is None:
        missing = f"no {'replies' if replies is None else 'id'} among {', '.join(record.fields) or 'nothing'}"
        yield RejectedRecord(record.place, missing[:100], own or "")
        return
    base = Prediction(own, picture=_picture(record.fields), text=_text(record.fields), place=record.place)
    pairs = list(_pairs(replies))
    if pairs:
        yield _likeliest(base, record.fields, [-pair if losses else pair for pair in pairs])
        return
    texts = list(_texts(replies))
    if not texts:
        yield RejectedRecord(record.place, "no reply", own)
    for trial, raw in enumerate(texts):
        yield replace(base, raw=raw, trial=trial)


def _likeliest(base: Prediction, sample: Mapping[str, Any], scores: list[float]) -> Prediction | RejectedRecord:
    if len(scores) == 1:
        return replace(base, raw=repr(scores[0]), score=scores[0])
    options = _options(sample, len(scores))
    if not options:
        return RejectedRecord(base.place, f"{len(scores)} log-likelihoods, and no names of the choices", base.id)
    shares = [exp(score - max(scores)) for score in scores]
    likely = sorted(zip(options, (share / sum(shares) for share in shares), strict=True), key=lambda choice: -choice[1])
    return replace(base, raw=likely[0][0], options=options, top=tuple(likely))


def _options(sample: Mapping[str, Any], count: int) -> tuple[str, ...]:
    """The choices: what the model was given to continue with, else those of the document."""
    continuations = tuple(str(argument.get("arg_1", "")).strip() for argument in _arguments(sample))
    if len(continuations) == count and all(continuations):
        return continuations
    for inner in _within(sample):
        for name in _CHOICES:
            offered = inner.get(name)
            offered = offered.get("text") if isinstance(offered, dict) else offered
            if isinstance(offered, list) and len(offered) == count:
                return tuple(map(str, offered))
    return ()


def _id(sample: Mapping[str, Any]) -> str | None:
    """Our own id, wherever it is kept; else the document's; else the number of the document."""
    candidates = [inner["query_id"] for inner in (sample, *_within(sample)) if inner.get("query_id")]
    for inner in _within(sample):
        column = _columns.find(tuple(inner))["id"]
        candidates += [inner[column]] if column else []
    return next((text for candidate in (*candidates, sample.get("doc_id")) if (text := as_text(candidate))), None)


def _text(sample: Mapping[str, Any]) -> str:
    text = sample.get("input")
    for inner in _within(sample):
        if isinstance(question := inner.get("question"), str):
            return question
    text = next((argument.get("arg_0") for argument in _arguments(sample)), None) if text is None else text
    return text if isinstance(text, str) else ""


def _arguments(sample: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the model was given in each request, as lm-eval has it."""
    arguments = sample.get("arguments")
    return [own for own in arguments.values() if isinstance(own, dict)] if isinstance(arguments, dict) else []


def _picture(sample: Mapping[str, Any]) -> str:
    media = sample.get("input_media")
    for inner in _within(sample):
        name = _columns.find(tuple(inner))["picture"]
        if name and isinstance(inner[name], str):
            return str(inner[name])
    return media[0] if isinstance(media, list) and media and isinstance(media[0], str) else ""


def _within(sample: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The document, and the metrics that are objects, where lmms-eval stores what a task returned."""
    doc = sample.get("doc")
    rest = [value for name, value in sample.items() if name not in ("doc", "arguments") and isinstance(value, dict)]
    return ([doc] if isinstance(doc, dict) else []) + rest


def _pairs(replies: Any) -> Iterator[float]:
    """The log-likelihoods among replies: pairs of a number and whether a greedy model would have said so."""
    if isinstance(replies, list):
        if len(replies) == 2 and str(replies[1]) in ("True", "False") and not isinstance(replies[0], list):
            number = as_number(replies[0])
            if number is not None:
                yield number
            return
        for reply in replies:
            yield from _pairs(reply)


def _texts(replies: Any) -> Iterator[str]:
    if isinstance(replies, list):
        for reply in replies:
            yield from _texts(reply)
    elif (text := as_text(replies)) is not None:
        yield text
