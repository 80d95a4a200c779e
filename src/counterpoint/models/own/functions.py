"""Models in user code: a class, an object, or a plain function of a picture and a text."""

import inspect
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.groups import Answer, Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.ports import Floats, Model, Pictures, PlacedAnswer, Scale, score_array
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.models.settings import convert_settings

logger = logging.getLogger(__name__)
_SHAPES = "a model is made by a class or function of `pictures`, or is a function of a picture and a text"


def load_own_model(thing: object, name: str, pictures: Pictures, **settings: str) -> Model:
    """The model behind an object of user code; settings are strings.

    A function of two values gets the pixels (an array, or None) and the text of each query, and returns its answer as a
    text, or, annotated `-> float`, a score. Any other function, and any class, is called with `pictures`, where it
    takes any, and with the settings, and returns a model. A model without a fingerprint gets one from its source.
    """
    is_model = not isinstance(thing, type) and (hasattr(thing, "answer") or hasattr(thing, "score"))
    if is_model or not callable(thing):
        _refuse(settings, name)
        return _checked(thing, thing, name, {})
    required = required_arguments(thing, name)
    if required == 2 and not isinstance(thing, type):
        _refuse(settings, name)
        return _function(thing, name, pictures)
    if required > 1:
        raise ModelError(f"{name} has to be given {required} values", hint=_SHAPES)
    arguments = convert_settings(thing, settings, name)
    takes_pictures = required or "pictures" in inspect.signature(thing).parameters
    return _checked(thing(pictures, **arguments) if takes_pictures else thing(**arguments), thing, name, settings)


class FunctionModel:
    """A plain function as a model: one query at a time; what it raises fails that query alone."""

    def __init__(self, fingerprint: str, function: Callable[..., object], pictures: Pictures) -> None:
        self.fingerprint = fingerprint
        self._function, self._pictures = function, pictures

    def _each(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            try:
                pixels = None if query.picture is None else self._pictures.pixels(query.picture)
                answer = self._read(self._function(pixels, query.text), query)
            except CounterpointError as problem:
                answer = Answer.failed(problem)
            except Exception as problem:
                answer = Answer.failed(f"{type(problem).__name__}: {problem}")
            yield place, answer

    def _read(self, result: Any, query: Query) -> Answer:
        raise NotImplementedError


class AnsweringFunctionModel(FunctionModel):
    """A function that returns an answer."""

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers in the order of the queries; values are extracted by the default rules."""
        return self._each(queries)

    def _read(self, result: Any, query: Query) -> Answer:
        return read_reply(result, query)


class ScoringFunctionModel(FunctionModel):
    """A function that returns a score."""

    scale = Scale.SIMILARITY

    def stream_scores(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores in the order of the queries, failed ones with a reason."""
        return self._each(queries)

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query; NaN where there is none."""
        return score_array(self._each(queries), len(queries))

    def _read(self, result: Any, query: Query) -> Answer:
        return read_score(result)


def read_reply(result: Any, query: Query) -> Answer:
    """The answer that a function returned: its value is extracted from a text, and True and False are yes and no."""
    if isinstance(result, Answer):
        return result
    if result is None:
        return Answer.failed("the function returned nothing")
    text = ("yes" if result else "no") if isinstance(result, bool | np.bool_) else str(result)
    return extract_answer(text, query)


def read_score(result: Any) -> Answer:
    """The score that a function returned."""
    score = float(np.float32(result))
    return Answer.scored(score) if isfinite(score) else Answer.failed(f"the function returned {result!r} as a score")


def _function(function: Callable[..., object], name: str, pictures: Pictures) -> Model:
    fingerprint = getattr(function, "fingerprint", None) or _source_digest(name, {}, function)
    scores = inspect.signature(function).return_annotation in (float, "float", np.float32, np.float64)
    model: Model = (ScoringFunctionModel if scores else AnsweringFunctionModel)(fingerprint, function, pictures)
    return _checked(model, function, name, {})


def _refuse(settings: Mapping[str, str], name: str) -> None:
    if settings:
        fact = f"{name} takes no settings, and was given {', '.join(settings)}"
        raise ModelError(fact, hint="settings go to a class, or to a function of `pictures`")


def _checked(model: object, thing: object, name: str, settings: Mapping[str, str]) -> Model:
    """The model, after a check of its protocol, with a fingerprint that covers its settings."""
    if not hasattr(model, "answer") and not hasattr(model, "score"):
        raise ModelError(f"{name} gave {type(model).__name__}, which neither answers nor scores", hint=_SHAPES)
    if not isinstance(model, Model) and not set_fingerprint(model, _source_digest(name, settings, thing, type(model))):
        raise ModelError(f"{name} has no fingerprint, and cannot be given one", hint="add a `fingerprint`")
    checked = check_protocol(model, name)
    if settings:
        listed = " ".join(f"{key}={value}" for key, value in sorted(settings.items()))
        set_fingerprint(checked, f"{checked.fingerprint} {listed}")  # a property is trusted to cover them itself
    return checked


def check_protocol(model: object, name: str) -> Model:
    """The model, if what it says of its scores and of itself is usable; a ModelError says what is not."""
    if hasattr(model, "score") and not hasattr(model, "scale"):
        hint = "add `scale = Scale.SIMILARITY`, or `Scale.PROBABILITY` for numbers from 0 to 1"
        raise ModelError(f"{name} scores, and does not say what its numbers are", hint=hint)
    assert isinstance(model, Model), "a model is anything with a fingerprint"
    if not isinstance(model.fingerprint, str) or not model.fingerprint:
        fact = f"{name} has a fingerprint that is no text: {model.fingerprint!r}"
        raise ModelError(fact, hint="a fingerprint is a text that changes whenever an answer could")
    return model


def set_fingerprint(model: Any, fingerprint: str) -> bool:
    """Give a model a fingerprint, if it can be set."""
    try:
        model.fingerprint = fingerprint
    except AttributeError:
        return False
    return True


def required_arguments(thing: Callable[..., object], name: str, shapes: str = _SHAPES) -> int:
    """How many positional arguments a callable requires."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        raise ModelError(f"{name} does not say what it takes", hint=shapes) from None
    positional = [item for item in parameters if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    return sum(item.default is item.empty for item in positional)


def _source_digest(name: str, settings: Mapping[str, str], *things: object) -> str:
    """A fingerprint from the whole source files of some objects, since other code there may change their answers."""
    texts = list(dict.fromkeys(text for thing in things if (text := _text(thing))))
    if not texts:
        fact = f"{name} has no fingerprint, and no source to make one of"
        raise ModelError(fact, hint="add a `fingerprint`")
    logger.warning("%s has no fingerprint; its file is used, so every change to it asks all queries again", name)
    return f"{name} {hex_id(content_id([*texts, *(f'{key}={value}' for key, value in sorted(settings.items()))]))}"


def _text(thing: Any) -> str:
    """The source of the module of an object, or, where that has no file, of the object itself."""
    candidates: tuple[Any, ...] = (inspect.getmodule(thing), thing)
    for candidate in candidates:
        try:
            return inspect.getsource(candidate)
        except (OSError, TypeError):
            continue
    return ""
