"""Similar groups by features: exact search against a plain loop, a plane that is always the same, files in a cache."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from group_labs import PICTURES, lab_of_groups
from hypothesis import given
from hypothesis import strategies as st

from counterpoint import catalog
from counterpoint.core.errors import PictureError
from counterpoint.core.groups import Query
from counterpoint.core.ports import Floats
from counterpoint.lab.feature_index import FeatureIndex, IndexProgress, SuiteFeatures, nearest_rows, plane_of
from counterpoint.lab.reader import LabReader
from counterpoint.store.lab import LabStore
from counterpoint.store.suites import Manifest


class ShadeEncoder:
    """The features of a picture are those of its number, and of a text its letters; one picture cannot be read."""

    fingerprint = "shades"

    def __init__(self) -> None:
        self.encoded = 0

    def picture_features(self, queries: Sequence[Query]) -> Floats:
        self.encoded += len(queries)
        numbers = [int(str(query.picture).rpartition(":")[2].split(".")[0]) for query in queries]
        if 5 in numbers:
            raise PictureError("toy:5.png is torn")
        return np.array([[np.cos(number / 20), np.sin(number / 20)] for number in numbers], np.float32)

    def text_features(self, queries: Sequence[Query]) -> Floats:
        return np.array([[query.text.count("1") + 1, query.text.count("2") + 1] for query in queries], np.float32)

    def answer_from(self, picture: Floats, text: Floats, queries: Sequence[Query]) -> Sequence[object]:
        return ()


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> ShadeEncoder:
    made = ShadeEncoder()
    monkeypatch.setattr(catalog, "model", lambda name, pictures: made)
    return made


@pytest.fixture(scope="module")
def reader(groups_lab: LabStore, cache: Path) -> LabReader:
    reader = LabReader(groups_lab, cache)
    reader.refresh()
    return reader


def _index(reader: LabReader, folder: Path) -> SuiteFeatures:
    index = FeatureIndex(reader, reader.lab.pictures({}), folder)
    assert isinstance(index.suite("noise"), IndexProgress)
    index.wait("noise")
    made = index.suite("noise")
    assert isinstance(made, SuiteFeatures)
    return made


def test_the_nearest_pictures_are_those_with_the_nearest_features(
    reader: LabReader, tmp_path: Path, encoder: ShadeEncoder
) -> None:
    features = _index(reader, tmp_path)
    assert len(features.places) == PICTURES
    number = {place: group for group, place in enumerate(features.places.tolist())}
    near = [number[found.place] for found in features.near_pictures(int(features.places[10]), 4)]
    assert sorted(near) == [8, 9, 11, 12]
    assert 5 not in [number[found.place] for found in features.near_pictures(int(features.places[4]), PICTURES)]
    assert len(features.near_texts(int(features.places[3]), 3)) == 3


def test_an_index_is_made_once_and_read_by_another_server(
    reader: LabReader, tmp_path: Path, encoder: ShadeEncoder
) -> None:
    first, encoded = _index(reader, tmp_path), encoder.encoded
    assert encoded
    again = FeatureIndex(reader, reader.lab.pictures({}), tmp_path).suite("noise")
    assert isinstance(again, SuiteFeatures)
    assert encoder.encoded == encoded
    assert np.array_equal(first.pictures, again.pictures)
    assert again.pictures.dtype == np.float16


def test_a_model_without_features_is_a_problem_that_the_page_tells(
    reader: LabReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "model", lambda name, pictures: object())
    index = FeatureIndex(reader, reader.lab.pictures({}), tmp_path, "always-yes")
    index.suite("noise")
    index.wait("noise")
    state = index.suite("noise")
    assert isinstance(state, IndexProgress)
    assert "always-yes has no features" in state.problem


def test_a_model_that_breaks_is_a_problem_that_the_page_tells(
    reader: LabReader, tmp_path: Path, encoder: ShadeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(encoder, "text_features", lambda queries: 1 / 0)
    index = FeatureIndex(reader, reader.lab.pictures({}), tmp_path)
    index.suite("noise")
    index.wait("noise")
    assert index.suite("noise") == IndexProgress(0.0, "ZeroDivisionError: division by zero")


@pytest.mark.prove
def test_a_suite_that_was_replaced_is_indexed_again(tmp_path: Path, encoder: ShadeEncoder) -> None:
    lab = lab_of_groups(tmp_path / "lab")
    reader = LabReader(lab, tmp_path / "cache")
    reader.refresh()
    index = FeatureIndex(reader, lab.pictures({}), tmp_path)
    index.suite("noise")
    index.wait("noise")
    suite = lab.suite("noise")
    fewer = suite.table.slice(0, suite.table.num_rows // 2)
    lab.put_suite(Manifest.of(fewer, generator="tests", seed=1), fewer, replace=True)
    reader.refresh()
    assert index.suite("noise") == IndexProgress(0.0)
    index.wait("noise")
    again = index.suite("noise")
    assert isinstance(again, SuiteFeatures)
    assert len(again.places) < PICTURES


@given(st.integers(0, 2**32 - 1), st.integers(2, 40))
def test_the_search_is_exact(seed: int, rows: int) -> None:
    drawn = np.random.default_rng(seed).normal(size=(rows, 8))
    vectors = (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float16)
    found = nearest_rows(vectors, 0, 5)
    exact = sorted(
        ((float(row.astype(np.float32) @ vectors[0].astype(np.float32))) for row in vectors[1:]), reverse=True
    )
    assert [similarity for _, similarity in found] == pytest.approx(exact[:5], abs=1e-6)
    assert 0 not in [row for row, _ in found]


def test_the_plane_keeps_clusters_apart_and_is_the_same_each_time() -> None:
    rng = np.random.default_rng(7)
    centers = np.eye(3)[[0] * 20 + [1] * 20 + [2] * 20]
    vectors = np.concatenate([centers + rng.normal(0, 0.05, (60, 3)), np.zeros((1, 3))]).astype(np.float16)
    plane = plane_of(vectors)
    assert np.array_equal(plane, plane_of(vectors.copy()), equal_nan=True)
    assert np.isnan(plane[-1]).all()
    assert ((plane[:-1] >= 0) & (plane[:-1] <= 1)).all()
    means = [plane[start : start + 20].mean(0) for start in (0, 20, 40)]
    widest = max(plane[start : start + 20].std(0).max() for start in (0, 20, 40))
    assert min(np.linalg.norm(means[a] - means[b]) for a, b in ((0, 1), (1, 2), (2, 0))) > 4 * widest
    assert plane_of(np.zeros((0, 4), np.float16)).shape == (0, 2)
    assert plane_of(np.ones((1, 4), np.float16)).tolist() == [[0.5, 0.5]]
