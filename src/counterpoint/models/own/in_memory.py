"""Models in memory, as a training loop has them: a function of a batch, or an object."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from typing import Any

from counterpoint.core.errors import ModelError, shorten
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ports import Floats, Model, Pictures, PlacedAnswer, Scale, score_array
from counterpoint.engine.dispatch import ProtocolViolation
from counterpoint.models.own.functions import (
    check_protocol,
    read_reply,
    read_score,
    required_arguments,
    set_fingerprint,
)

_SHAPES = "a model in memory is a function of a list of pictures and a list of queries, or an object that answers"


class BatchFunctionModel:
    """A function of a batch as a model: pictures as arrays (None where there is none), queries, and a reply to each."""

    def __init__(self, fingerprint: str, function: Callable[..., Any], pictures: Pictures) -> None:
        self.fingerprint = fingerprint
        self._function, self._pictures = function, pictures

    def _replies(self, queries: Sequence[Query]) -> list[Any]:
        pixels = [None if query.picture is None else self._pictures.pixels(query.picture) for query in queries]
        replies = list(self._function(pixels, list(queries)))
        if len(replies) != len(queries):
            raise ProtocolViolation(f"the function gave {len(replies)} replies to {len(queries)} queries")
        return replies


class AnsweringBatchModel(BatchFunctionModel):
    """A function that returns answers."""

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers in the order of the queries; values are extracted by the default rules."""
        for place, reply in enumerate(self._replies(queries)):
            yield place, read_reply(reply, queries[place])


class ScoringBatchModel(BatchFunctionModel):
    """A function that returns scores."""

    scale = Scale.SIMILARITY

    def stream_scores(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores in the order of the queries."""
        for place, reply in enumerate(self._replies(queries)):
            yield place, read_score(reply)

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query; NaN where there is none."""
        return score_array(self.stream_scores(queries), len(queries))


def wrap_model(
    thing: Any, pictures: Pictures, *, name: str, version: str = "", fingerprint: str = "", mode: Mode = Mode.ANSWER
) -> Model:
    """The model behind an object in memory.

    Its fingerprint is the one that is given, else its own, else name and version: nothing else of a function tells one
    step of a training from the next. An object with methods of a model reads its pictures itself.
    """
    own = fingerprint or getattr(thing, "fingerprint", "") or (f"{name}@{version} in memory" if version else "")
    if not own:
        hint = 'version="step-1000", or a fingerprint: a digest of the weights'
        raise ModelError(f"{name} is in memory and has no fingerprint, so its version has to be given", hint=hint)
    if hasattr(thing, "answer") or hasattr(thing, "score"):
        return check_protocol(_with_fingerprint(thing, own, name), name)
    if not callable(thing) or required_arguments(thing, name, _SHAPES) != 2:
        raise ModelError(f"{name} is no model: {shorten(repr(thing))}", hint=_SHAPES)
    return (ScoringBatchModel if mode is Mode.SCORE else AnsweringBatchModel)(own, thing, pictures)


def _with_fingerprint(model: Any, fingerprint: str, name: str) -> Any:
    """The model with this fingerprint: a shallow copy, since the next version has another."""
    if getattr(model, "fingerprint", "") == fingerprint:
        return model
    if not set_fingerprint(renamed := copy(model), fingerprint):
        raise ModelError(f"{name} has a fingerprint that cannot be set", hint="leave fingerprint out, and use its own")
    return renamed
