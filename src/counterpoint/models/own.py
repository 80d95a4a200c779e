"""Models in people's own code: a class, an object, or a plain function of a picture and a text."""

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_type_hints

import numpy as np

from counterpoint.core.answers import Answer
from counterpoint.core.errors import ModelError, PictureError
from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.ports import Floats, Model, Pictures, Pixels, Placed, Scale
from counterpoint.language.extraction import answered

_SHAPES = "a model is made by a class or function of `pictures`, or is a function of a picture and a text"


def own(thing: object, name: str, pictures: Pictures, **settings: Any) -> Model:
    """The model behind an object of people's own.

    A function of two values is shown the pixels (an array, or None) and the text of each query, and returns its answer
    as a text, or, where it says so by `-> float`, how well the text fits. Anything else that can be called is called
    with `pictures` and the settings, and gives a model. What has no fingerprint gets one from its source.
    """
    if callable(thing) and not isinstance(thing, type) and not isinstance(thing, Model):
        if _wants(thing) == 2:
            return _function(thing, name, pictures, settings)
        made: object = thing(pictures, **settings)
    elif isinstance(thing, type):
        make: Callable[..., object] = thing
        made = make(pictures, **settings) if _wants(make) else make(**settings)
    else:
        made = thing
    if not hasattr(made, "answer") and not hasattr(made, "score"):
        raise ModelError(f"{name} gave {type(made).__name__}, which neither answers nor scores", hint=_SHAPES)
    if isinstance(made, Model):
        return made
    try:
        made.fingerprint = _source(type(made), name, settings)  # type: ignore[attr-defined]
    except AttributeError:
        raise ModelError(f"{name} has no fingerprint, and cannot be given one", hint="add a `fingerprint`") from None
    assert isinstance(made, Model), "a model is anything with a fingerprint"
    return made


class Function:
    """A plain function as a model: it sees one query at a time, and what it raises fails that query alone."""

    def __init__(self, fingerprint: str, function: Callable[..., object], pictures: Pictures) -> None:
        self.fingerprint = fingerprint
        self._function, self._pictures = function, pictures

    def _call(self, query: Query) -> object:
        return self._function(self._shown(query), query.text)

    def _shown(self, query: Query) -> Pixels | None:
        return None if query.picture is None else self._pictures.pixels(query.picture)


class AnsweringFunction(Function):
    """A function that returns what it would say."""

    def answer(self, queries: Sequence[Query]) -> Iterator[Placed]:
        """Answers in the order of the queries; the value is taken from what was said by the usual rules."""
        for place, query in enumerate(queries):
            try:
                said = self._call(query)
            except PictureError as problem:
                yield place, Answer.failed(problem)
            except Exception as problem:
                yield place, Answer.failed(f"{type(problem).__name__}: {problem}")
            else:
                yield place, said if isinstance(said, Answer) else answered(str(said), query)


class ScoringFunction(Function):
    """A function that returns how well a text fits."""

    scale = Scale.SIMILARITY

    def score(self, queries: Sequence[Query]) -> Floats:
        """One number per query."""
        return np.array([float(str(self._call(query))) for query in queries], np.float32)


def _function(function: Callable[..., object], name: str, pictures: Pictures, settings: Mapping[str, Any]) -> Model:
    if settings:
        raise ModelError(f"{name} takes no settings", hint="settings go to a class or a function of `pictures`")
    scores = get_type_hints(function).get("return") in (float, np.float32, np.float64)
    return (ScoringFunction if scores else AnsweringFunction)(_source(function, name, {}), function, pictures)


def _wants(thing: Callable[..., object]) -> int:
    """How many values a callable has to be given."""
    taken = inspect.signature(thing).parameters.values()
    by_place = [one for one in taken if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return sum(one.default is one.empty for one in by_place)


def _source(thing: Any, name: str, settings: Mapping[str, Any]) -> str:
    """A fingerprint from the whole file that a thing is written in: what it calls there may change its answers."""
    try:
        text = inspect.getsource(inspect.getmodule(thing) or thing)
    except (OSError, TypeError):
        fact = f"{name} has no fingerprint, and no source to make one of"
        raise ModelError(fact, hint="add a `fingerprint`") from None
    warnings.warn(
        f"{name} has no fingerprint; that of its file is used, so answers are asked anew after every change to it",
        stacklevel=2,
    )
    return f"{name} {hex_id(content_id([text, *(f'{key}={value}' for key, value in sorted(settings.items()))]))}"
