"""Answers from edited features: Gaussian noise scaled by their standard deviation, or features of another sample.

The standard deviation of a feature is taken over all regions, or all words, of the reference queries, once per model.
Noise is seeded by the query and its edits alone, so that it depends on neither batch nor machine.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import shake_128
from math import prod
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.errors import ModelError
from counterpoint.core.groups import Query, Side
from counterpoint.core.pictures import Edit, Picture
from counterpoint.core.ports import FeatureModel, Floats, PlacedAnswer

PORTION = 32
"""Reference queries per batch; fixed, so that a deviation is reproducible."""
_BITS = 16
_Key: TypeAlias = tuple[Picture | None, str, str, str, tuple[str, ...], tuple[Edit, ...]]


class FeatureEditor:
    """Reads the features of a model, edits them, and lets it answer from the result."""

    def __init__(self, model: FeatureModel, references: Mapping[str, Sequence[Query]]) -> None:
        self._model, self._references = model, references
        self._deviations: dict[tuple[Side, str], Floats] = {}
        self._scaled: dict[tuple[Side, tuple[str | int, ...]], Floats] = {}

    def answer(self, queries: Sequence[Query]) -> Iterator[PlacedAnswer]:
        """Answers with their positions; features that several edits share are computed once."""
        plain_queries: dict[_Key, Query] = {}
        keys = [_key(query) for query in queries]
        for key, query in zip(keys, queries, strict=True):
            if key not in plain_queries:
                plain_queries[key] = _without_edits(query)
        places = {key: place for place, key in enumerate(plain_queries)}
        rows = [places[key] for key in keys]
        features = {side: self._features(side, list(plain_queries.values()))[rows] for side in Side}
        for row, query in enumerate(queries):
            for number, edit in enumerate(query.edits):
                if side := _SIDES.get(edit.name):
                    self._add_noise(features[side][row], edit, side, b"%d %d" % (query.id, number))
        yield from self._model.answer_from(
            features[Side.PICTURE], features[Side.TEXT], [plain_queries[key] for key in keys]
        )

    def deviation(self, side: Side, references: str) -> Floats:
        """The standard deviation of each feature over the reference queries of this name."""
        if (side, references) not in self._deviations:
            if references not in self._references:
                fact = f"no suite names the reference queries {references}"
                raise ModelError(fact, hint="generate the suite again: its manifest lists them")
            self._deviations[side, references] = self._measure(side, self._references[references])
        return self._deviations[side, references]

    def _measure(self, side: Side, queries: Sequence[Query]) -> Floats:
        count, sums, squares = 0, np.zeros(1), np.zeros(1)
        for start in range(0, len(queries), PORTION):
            features = self._features(side, queries[start : start + PORTION])
            vectors = features[_present(features)].astype(np.float64)
            count += len(vectors)
            sums, squares = sums + vectors.sum(axis=0), squares + (vectors**2).sum(axis=0)
        if count < 2:
            return np.zeros_like(sums, np.float32)
        variance = np.maximum(squares - sums**2 / count, 0) / (count - 1)
        return np.asarray(np.sqrt(variance).astype(np.float32))

    def _add_noise(self, features: Floats, edit: Edit, side: Side, seed: bytes) -> None:
        """Add noise to the features of one query, in place."""
        if (scaled := self._scaled.get((side, edit.arguments))) is None:
            scale, references = edit.arguments
            scaled = self._scaled[side, edit.arguments] = np.float32(scale) * self.deviation(side, str(references))
        if features.ndim == 1:
            features += scaled * normal_noise(seed, features.shape)
        else:
            there = _present(features[None])[0]
            features[there] += scaled * normal_noise(seed, (int(np.count_nonzero(there)), features.shape[-1]))

    def _features(self, side: Side, queries: Sequence[Query]) -> Floats:
        taken = self._model.picture_features if side is Side.PICTURE else self._model.text_features
        return np.asarray(taken(queries), np.float32)


def normal_noise(seed: bytes, shape: tuple[int, ...]) -> Floats:
    """Normally distributed numbers from sixteen random bits each, the same on every machine.

    >>> normal_noise(b"7", (2,)).tolist() == normal_noise(b"7", (2, 2))[0].tolist()
    True
    """
    count = prod(shape)
    bits = np.frombuffer(shake_128(seed).digest(2 * count), "<u2")
    return np.asarray(_quantiles()[bits].reshape(shape))


@cache
def _quantiles() -> Floats:
    """The quantiles of the normal distribution at the middles of 65,536 equal parts."""
    many, bell = 1 << _BITS, NormalDist()
    half = np.array([bell.inv_cdf((place + 0.5) / many) for place in range(many // 2)], np.float32)
    return np.concatenate([half, -half[::-1]])


_SIDES = {side.noise: side for side in Side}


def _present(features: Floats) -> NDArray[np.bool_]:
    """Which vectors are no padding: where a query has several, zeros follow the last."""
    if features.ndim < 3:
        return np.ones(features.shape[:-1], np.bool_)
    return np.asarray(features.any(axis=-1))


def _key(query: Query) -> _Key:
    """What distinguishes queries before noise is added."""
    others = tuple(edit for edit in query.edits if edit.name not in _SIDES)
    return query.picture, query.text, query.context, query.mode, query.choices, others


def _without_edits(query: Query) -> Query:
    """The query without its edits; exchanged inputs are those of the other sample."""
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
