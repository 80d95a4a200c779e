"""An index of the pictures and texts of a suite by their features: files in the cache folder, searched exactly.

A suite is indexed when it is first asked for, in a thread of its own. Its files hold a unit vector of two bytes a
number for each picture and each text, so the product with one of them has the cosine similarity of all.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, Thread
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, ModelError, PictureError
from counterpoint.core.groups import Query
from counterpoint.core.ports import FeatureModel, Floats, Pictures
from counterpoint.store.groups import read_queries
from counterpoint.store.outcomes.queries import first_groups
from counterpoint.store.outcomes.reader import OutcomeReader

ENCODER = "two-tower"
"""The model whose features are used unless another is named."""

BATCH, CHUNK = 64, 65_536
"""Queries that are encoded at a time, and vectors that are multiplied at a time."""

Encode: TypeAlias = Callable[[Sequence[Query]], Floats]
"""The features of some queries; an unreadable picture raises PictureError."""

_FILES = ("places", "picture_of", "text_of", "pictures", "texts")


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far the index of a suite is, from 0 to 1, or why it could not be made."""

    share: float
    problem: str = ""


@dataclass(frozen=True, slots=True)
class SimilarPlace:
    """A group by its place in the suite, and its cosine similarity to another, from -1 to 1."""

    place: int
    similarity: float


@dataclass(frozen=True, slots=True)
class SuiteFeatures:
    """The groups of a suite by place, with the row of each one's picture and text; -1 without a picture."""

    places: NDArray[np.int64]
    picture_of: NDArray[np.int64]
    text_of: NDArray[np.int64]
    pictures: NDArray[np.float16]
    texts: NDArray[np.float16]

    def near_pictures(self, place: int, limit: int) -> tuple[SimilarPlace, ...]:
        """The first group of each of the pictures that are most similar to that of a group."""
        return self._near(place, self.picture_of, self.pictures, limit)

    def near_texts(self, place: int, limit: int) -> tuple[SimilarPlace, ...]:
        """The first group of each of the base texts that are most similar to that of a group."""
        return self._near(place, self.text_of, self.texts, limit)

    def _near(
        self, place: int, row_of: NDArray[np.int64], vectors: NDArray[np.float16], limit: int
    ) -> tuple[SimilarPlace, ...]:
        own = int(row_of[np.searchsorted(self.places, place)])
        if own < 0:
            return ()
        known, first = np.unique(row_of, return_index=True)
        place_of = dict(zip(known.tolist(), self.places[first].tolist(), strict=True))
        rows = ((row, similarity) for row, similarity in nearest_rows(vectors, own, limit) if row in place_of)
        return tuple(SimilarPlace(place_of[row], round(similarity, 4)) for row, similarity in rows)


def nearest_rows(vectors: NDArray[np.float16], own: int, limit: int) -> list[tuple[int, float]]:
    """The other rows with the largest product with a row, the largest first; rows of zeros are left out.

    >>> nearest_rows(np.array([[1, 0], [0, 1], [0.8, 0.6], [0, 0]], np.float16), 0, 2)
    [(2, 0.7998046875), (1, 0.0)]
    """
    wanted = np.asarray(vectors[own], np.float32)
    parts = (np.asarray(vectors[start : start + CHUNK], np.float32) for start in range(0, len(vectors), CHUNK))
    similarity = np.concatenate([np.where(part.any(1), part @ wanted, -np.inf) for part in parts])
    similarity[own] = -np.inf
    order = np.argsort(-similarity, kind="stable")[:limit]
    return [(int(row), float(similarity[row])) for row in order if similarity[row] > -np.inf]


def plane_of(vectors: NDArray[np.float16]) -> NDArray[np.float64]:
    """Both coordinates of each vector by its first two principal components, from 0 to 1; nan for a row of zeros.

    The components of largest variance are exact and need no random start; each points to where its largest weight is.
    """
    rows = np.asarray(vectors, np.float64)
    known = rows.any(1)
    plane = np.full((len(rows), 2), np.nan)
    if known.sum() < 2:
        plane[known] = 0.5
        return plane
    centered = rows[known] - rows[known].mean(0)
    _, components = np.linalg.eigh(centered.T @ centered)
    axes = components[:, :-3:-1] if components.shape[1] > 1 else np.repeat(components, 2, 1)
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), range(2)])
    found = centered @ axes
    low, high = np.quantile(found, (0.01, 0.99), axis=0)  # a few far ones do not press all others together
    plane[known] = np.clip((found - low) / np.where(high > low, high - low, 1.0), 0.0, 1.0)
    return plane


class FeatureIndex:
    """The indexes of the suites of a lab by one encoder, each made once and read from its files from then on."""

    def __init__(self, reader: OutcomeReader, pictures: Pictures, folder: Path, encoder: str = ENCODER) -> None:
        self.encoder = encoder
        self._reader, self._pictures, self._folder = reader, pictures, folder / "features"
        self._states: dict[str, IndexProgress] = {}
        self._threads: dict[str, Thread] = {}
        self._paths: dict[str, Path] = {}  # of the index that a thread makes or has made
        self._lock, self._model_lock = Lock(), Lock()
        self._model: FeatureModel | None = None

    @property
    def version(self) -> str:
        """A text that changes with every step of an index that is being made."""
        with self._lock:
            return " ".join(f"{suite} {state.share:.2f} {state.problem}" for suite, state in self._states.items())

    def suite(self, suite: str) -> SuiteFeatures | IndexProgress:
        """Return the index of a suite, or how far it is; the first call begins to make it."""
        if (features := self._read(suite)) is not None:
            return features
        with self._lock:
            path = self._path(suite)  # another one when the suite is replaced
            if self._paths.get(suite) != path:
                self._paths[suite], self._states[suite] = path, IndexProgress(0.0)
                self._threads[suite] = Thread(target=self._make, args=(suite, path), daemon=True)
                self._threads[suite].start()
            return self._states[suite]

    def wait(self, suite: str) -> None:
        """Wait until the index of a suite is there, or has failed."""
        if suite in self._threads:
            self._threads[suite].join()

    def _path(self, suite: str) -> Path:
        encoder = re.sub(r"[^A-Za-z0-9._-]+", "-", self.encoder)
        return self._folder / f"{self._reader.lab.manifest(suite).fingerprint}-{encoder}"

    def _read(self, suite: str) -> SuiteFeatures | None:
        path = self._path(suite)
        with suppress(OSError, ValueError):  # not there, or half deleted
            return SuiteFeatures(*(np.load(path / f"{name}.npy", mmap_mode="r") for name in _FILES))
        return None

    def _make(self, suite: str, path: Path) -> None:
        def report(state: IndexProgress) -> None:
            with self._lock:
                if self._paths[suite] == path:
                    self._states[suite] = state

        try:
            _write(path, self._encode(suite, report))
            report(IndexProgress(1.0))
        except (CounterpointError, OSError) as problem:
            report(IndexProgress(0.0, str(problem)))
        except Exception as problem:  # of whatever library; a page that waits for it says so
            report(IndexProgress(0.0, f"{type(problem).__name__}: {problem}"))

    def _load_model(self) -> FeatureModel:
        with self._model_lock:
            if self._model is None:
                model: Any = catalog.model(self.encoder, self._pictures)
                if not isinstance(model, FeatureModel):
                    hint = "two-tower has them, and so have CLIP-like models such as hf/openai/clip-vit-base-patch32"
                    raise ModelError(f"{self.encoder} has no features of pictures and texts", hint=hint)
                self._model = model
            return self._model

    def _encode(self, suite: str, report: Callable[[IndexProgress], None]) -> SuiteFeatures:
        bases = first_groups(self._reader, suite, 2**31)
        places = np.array([base["place"] for base in bases], np.int64)
        picture_of, text_of = (np.full(len(places), -1, np.int64) for _ in range(2))
        shown: dict[Any, tuple[int, Query]] = {}
        texts: dict[Any, tuple[int, Query]] = {}
        for start in range(0, len(places), 4096):
            part = places[start : start + 4096]
            queries = read_queries(self._reader.rows_at(suite, [(int(place), 0) for place in part]))
            for group, query in enumerate(queries, start):
                if query.picture is not None:
                    picture_of[group] = shown.setdefault(query.picture, (len(shown), query))[0]
                text_of[group] = texts.setdefault((query.context, query.text), (len(texts), query))[0]
        model, total = self._load_model(), max(len(shown) + len(texts), 1)

        def encode(queries: Sequence[Query], features: Encode, done: int) -> NDArray[np.float16]:
            vectors = []
            for start in range(0, len(queries), BATCH):
                report(IndexProgress((done + start) / total))
                vectors += unit_vectors(features, queries[start : start + BATCH])
            return stack_vectors(vectors)

        return SuiteFeatures(
            places,
            picture_of,
            text_of,
            encode([query for _, query in shown.values()], model.picture_features, 0),
            encode([query for _, query in texts.values()], model.text_features, len(shown)),
        )


def _write(path: Path, features: SuiteFeatures) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent, prefix=".draft-") as draft:
        whole = Path(draft) / "whole"
        whole.mkdir()
        for name in _FILES:
            np.save(whole / f"{name}.npy", getattr(features, name))
        with suppress(OSError):  # another process was first
            whole.rename(path)


def unit_vectors(encode: Encode, queries: Sequence[Query]) -> list[Floats | None]:
    """The features of each query as a unit vector, the mean where a query has several; None where one fails."""
    try:
        features = np.asarray(encode(queries), np.float32)
    except PictureError:
        return [vector for query in queries for vector in unit_vectors(encode, [query])] if len(queries) > 1 else [None]
    means = features.reshape(len(queries), -1, features.shape[-1]).mean(1)
    lengths = np.linalg.norm(means, axis=1)
    return [mean / length if length > 0 else None for mean, length in zip(means, lengths, strict=True)]


def stack_vectors(vectors: Sequence[Floats | None]) -> NDArray[np.float16]:
    """Vectors as the rows of a matrix of two bytes a number, with zeros in the place of those that are missing."""
    width = next((len(vector) for vector in vectors if vector is not None), 1)
    matrix = np.zeros((len(vectors), width), np.float16)
    for row, vector in zip(matrix, vectors, strict=True):
        if vector is not None:
            row[:] = vector
    return matrix
