"""A model asked from features that were edited: noise as wide as its features spread, or those of another sample.

How far a feature spreads is its standard deviation over all regions, or all words, of the reference queries; it is
taken once for a model. Noise follows from the query and its edits alone, so that neither batches nor machines matter.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.errors import ModelError
from counterpoint.core.features import Side
from counterpoint.core.groups import Query
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import Featured, Floats, Placed

PORTION = 32
"""Reference queries that are looked at together; always the same ones, so that a deviation is always the same."""
_BITS = 16


class FeatureEdits:
    """Takes the features of a model, edits them, and lets it answer from what came out."""

    def __init__(self, model: Featured, references: Mapping[str, Sequence[Query]]) -> None:
        self._model, self._references = model, references
        self._known: dict[tuple[Side, str], Floats] = {}

    def answer(self, queries: Sequence[Query]) -> Iterator[Placed]:
        """Answers with their positions; each query that is shown in several edits is looked at and read once."""
        shown = [_shown(query) for query in queries]
        places = {query: place for place, query in enumerate(dict.fromkeys(shown))}
        rows = [places[query] for query in shown]
        found = {side: self._features(side, list(places))[rows] for side in Side}
        for row, query in enumerate(queries):
            for number, edit in enumerate(query.edits):
                if side := _SIDES.get(edit.name):
                    self._disturb(found[side][row], edit, side, luck=content_id([hex_id(query.id), number]))
        yield from self._model.answer_from(found[Side.PICTURE], found[Side.TEXT], shown)

    def deviation(self, side: Side, references: str) -> Floats:
        """The standard deviation of each feature over the reference queries of this name."""
        if (side, references) not in self._known:
            if references not in self._references:
                fact = f"no suite names the reference queries {references}"
                raise ModelError(fact, hint="generate the suite again: its manifest lists them")
            self._known[side, references] = self._measured(side, self._references[references])
        return self._known[side, references]

    def _measured(self, side: Side, queries: Sequence[Query]) -> Floats:
        count, sums, squares = 0, np.zeros(1), np.zeros(1)
        for start in range(0, len(queries), PORTION):
            features = self._features(side, queries[start : start + PORTION])
            vectors = features[_present(features)].astype(np.float64)
            count += len(vectors)
            sums, squares = sums + vectors.sum(axis=0), squares + (vectors**2).sum(axis=0)
        if count < 2:
            return np.zeros_like(sums, np.float32)
        spread = np.maximum(squares - sums**2 / count, 0) / (count - 1)
        return np.asarray(np.sqrt(spread).astype(np.float32))

    def _disturb(self, features: Floats, edit: Edit, side: Side, *, luck: int) -> None:
        """Add noise to the features of one query, in their place."""
        scale, references = edit.arguments
        wide = np.float32(scale) * self.deviation(side, str(references))
        there = _present(features[None])[0]
        features[there] += wide * normal(luck, (int(np.count_nonzero(there)), features.shape[-1]))

    def _features(self, side: Side, queries: Sequence[Query]) -> Floats:
        taken = self._model.picture_features if side is Side.PICTURE else self._model.text_features
        return np.asarray(taken(queries), np.float32)


def normal(luck: int, shape: tuple[int, ...]) -> Floats:
    """Numbers from a normal distribution, drawn from sixteen random bits each: the same on every machine.

    >>> normal(7, (2,)).tolist() == normal(7, (2, 2))[0].tolist()
    True
    """
    count = int(np.prod(shape))
    words = np.random.SFC64(luck).random_raw(-(-count // 4))
    bits = np.asarray(words, "<u8").view("<u2")[:count]
    return np.asarray(_quantiles()[bits].reshape(shape))


@cache
def _quantiles() -> Floats:
    """The normal distribution in 65,536 equal parts, by the middle of each."""
    many, bell = 1 << _BITS, NormalDist()
    half = np.array([bell.inv_cdf((place + 0.5) / many) for place in range(many // 2)], np.float32)
    return np.concatenate([half, -half[::-1]])


_SIDES = {side.noise: side for side in Side}


def _present(features: Floats) -> NDArray[np.bool_]:
    """Which vectors hold something: where a query has several, zeros follow the last."""
    if features.ndim < 3:
        return np.ones(features.shape[:-1], np.bool_)
    return np.asarray(features.any(axis=-1))


def _shown(query: Query) -> Query:
    """The query without its edits; what is exchanged comes from the other sample, with how much of it there is."""
    picture, text, context = query.picture, query.text, query.context
    for edit in query.edits:
        match edit.name, edit.arguments:
            case Side.PICTURE.exchange, (address,):
                picture = Picture(str(address))
            case Side.TEXT.exchange, (other, before):
                text, context = str(other), str(before)
            case name, (_, _) if name in _SIDES:
                continue
            case _:
                raise ModelError(f"{edit} is no edit of features", hint=f"there are {', '.join(_EDITS)}")
    return replace(query, picture=picture, text=text, context=context, edits=())


_EDITS = [name for side in Side for name in (side.noise, side.exchange)]
