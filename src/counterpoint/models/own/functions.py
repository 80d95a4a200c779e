"""Models in people's own code: a class, an object, or a plain function of a picture and a text."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import CounterpointError, ModelError
from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.ports import Floats, Model, Pictures, Pixels, PlacedAnswer, Scale
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.models.settings import convert_settings

_SHAPES = "a model is made by a class or function of `pictures`, or is a function of a picture and a text"


def load_own_model(thing: object, name: str, pictures: Pictures, **settings: str) -> Model:
    """The model behind an object of people's own; settings are as they were typed.

    A function of two values is shown the pixels (an array, or None) and the text of each query, and returns its answer
    as a text, or, where it says so by `-> float`, how well the text fits. Any other function, and any class, is called
    with `pictures`, where it takes any, and with the settings, and gives a model. What has no fingerprint gets one from
    its source.
    """
    ready = not isinstance(thing, type) and (hasattr(thing, "answer") or hasattr(thing, "score"))
    if ready or not callable(thing):
        _refuse(settings, name)
        return _checked(thing, thing, name, {})
    wanted = _wanted(thing, name)
    if wanted == 2 and not isinstance(thing, type):
        _refuse(settings, name)
        return _function(thing, name, pictures)
    if wanted > 1:
        raise ModelError(f"{name} has to be given {wanted} values", hint=_SHAPES)
    given = convert_settings(thing, settings, name)
    shown = wanted or "pictures" in inspect.signature(thing).parameters
    return _checked(thing(pictures, **given) if shown else thing(**given), thing, name, settings)


class FunctionModel:
    """A plain function as a model: it sees one query at a time, and what it raises fails that query alone."""

    def __init__(self, fingerprint: str, function: Callable[..., object], pictures: Pictures) -> None:
        self.fingerprint = fingerprint
        self._function, self._pictures = function, pictures

    def _each(self, queries: Sequence[Query], read: Callable[[object, Query], Answer]) -> Iterator[PlacedAnswer]:
        for place, query in enumerate(queries):
            try:
                answer = read(self._function(self._shown(query), query.text), query)
            except CounterpointError as problem:
                answer = Answer.failed(problem)
            except Exception as problem:
                answer = Answer.failed(f"{type(problem).__name__}: {problem}")
            yield place, answer

    def _shown(self, query: Query) -> Pixels | None:
        return None if query.picture is None else self._pictures.pixels(query.picture)


class AnsweringFunctionModel(FunctionModel):
    """A function that returns what it would say."""

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers in the order of the queries; the value is taken from what was said by the usual rules."""
        return self._each(queries, _said)


class ScoringFunctionModel(FunctionModel):
    """A function that returns how well a text fits."""

    scale = Scale.SIMILARITY

    def rate(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Scores in the order of the queries, each with the reason why there is none, if so."""
        return self._each(queries, _rated)

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query; not a number where there is none."""
        scores = [answer.score for _, answer in self.rate(queries)]
        return np.array([np.nan if score is None else score for score in scores], np.float32)


def _said(said: object, query: Query) -> Answer:
    if isinstance(said, Answer):
        return said
    if said is None:
        return Answer.failed("the function returned nothing")
    words = ("yes" if said else "no") if isinstance(said, bool | np.bool_) else str(said)
    return extract_answer(words, query)


def _rated(number: Any, query: Query) -> Answer:
    score = float(np.float32(number))
    return Answer.scored(score) if isfinite(score) else Answer.failed(f"the function returned {number!r} as a score")


def _function(function: Callable[..., object], name: str, pictures: Pictures) -> Model:
    fingerprint = getattr(function, "fingerprint", None) or _source(name, {}, function)
    scores = inspect.signature(function).return_annotation in (float, "float", np.float32, np.float64)
    made: Model = (ScoringFunctionModel if scores else AnsweringFunctionModel)(fingerprint, function, pictures)
    return _checked(made, function, name, {})


def _refuse(settings: Mapping[str, str], name: str) -> None:
    if settings:
        fact = f"{name} takes no settings, and was given {', '.join(settings)}"
        raise ModelError(fact, hint="settings go to a class, or to a function of `pictures`")


def _checked(made: object, thing: object, name: str, settings: Mapping[str, str]) -> Model:
    """What was made, if it is a model, with a fingerprint that tells its settings."""
    if not hasattr(made, "answer") and not hasattr(made, "score"):
        raise ModelError(f"{name} gave {type(made).__name__}, which neither answers nor scores", hint=_SHAPES)
    if hasattr(made, "score") and not hasattr(made, "scale"):
        hint = "add `scale = Scale.SIMILARITY`, or `Scale.PROBABILITY` for numbers from 0 to 1"
        raise ModelError(f"{name} scores, and does not say what its numbers are", hint=hint)
    if not isinstance(made, Model) and not _marked(made, _source(name, settings, thing, type(made))):
        raise ModelError(f"{name} has no fingerprint, and cannot be given one", hint="add a `fingerprint`")
    assert isinstance(made, Model), "a model is anything with a fingerprint"
    if not isinstance(made.fingerprint, str) or not made.fingerprint:
        fact = f"{name} has a fingerprint that is no text: {made.fingerprint!r}"
        raise ModelError(fact, hint="a fingerprint is a text that changes whenever an answer could")
    if settings:
        said = " ".join(f"{key}={value}" for key, value in sorted(settings.items()))
        _marked(made, f"{made.fingerprint} {said}")  # one that is worked out is trusted to tell the settings by itself
    return made


def _marked(made: Any, fingerprint: str) -> bool:
    """Give a model a fingerprint, if it lets us."""
    try:
        made.fingerprint = fingerprint
    except AttributeError:
        return False
    return True


def _wanted(thing: Callable[..., object], name: str) -> int:
    """How many values a callable has to be given."""
    try:
        taken = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        raise ModelError(f"{name} does not say what it takes", hint=_SHAPES) from None
    by_place = [one for one in taken if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return sum(one.default is one.empty for one in by_place)


def _source(name: str, settings: Mapping[str, str], *things: object) -> str:
    """A fingerprint from the whole files that things are written in: what they call there may change their answers."""
    texts = list(dict.fromkeys(text for thing in things if (text := _text(thing))))
    if not texts:
        fact = f"{name} has no fingerprint, and no source to make one of"
        raise ModelError(fact, hint="add a `fingerprint`")
    warnings.warn(
        f"{name} has no fingerprint; that of its file is used, so answers are asked anew after every change to it",
        stacklevel=2,
    )
    return f"{name} {hex_id(content_id([*texts, *(f'{key}={value}' for key, value in sorted(settings.items()))]))}"


def _text(thing: Any) -> str:
    """The source of the module of a thing, or, where that has no file, of the thing itself."""
    places: tuple[Any, ...] = (inspect.getmodule(thing), thing)
    for place in places:
        try:
            return inspect.getsource(place)
        except (OSError, TypeError):
            continue
    return ""
