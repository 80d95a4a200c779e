"""Similar groups by the features of a CLIP-like checkpoint on disk."""

from pathlib import Path

import numpy as np
import tiny_pairs
from group_labs import PICTURES, lab_of_groups

from counterpoint.lab.feature_index import FeatureIndex, SuiteFeatures
from counterpoint.lab.reader import LabReader


def test_an_encoder_from_a_folder_finds_the_groups_with_the_nearest_vectors(tmp_path: Path) -> None:
    reader = LabReader(lab_of_groups(tmp_path / "lab"), tmp_path / "cache")
    reader.refresh()
    pictures, encoder = reader.lab.pictures({}), f"hf/{tiny_pairs.made('clip', tmp_path / 'clip')}"
    index = FeatureIndex(reader, pictures, tmp_path / "cache", encoder)
    index.suite("noise")
    index.wait("noise")
    features = index.suite("noise")
    assert isinstance(features, SuiteFeatures), features
    assert len(features.places) == PICTURES
    vectors = features.pictures.astype(np.float32)
    assert np.isfinite(vectors).all()
    assert np.ptp(vectors, axis=0).max() > 0  # pictures differ
    cosines = vectors @ vectors[0] / np.linalg.norm(vectors, axis=1) / np.linalg.norm(vectors[0])
    near = [found.place for found in features.near_pictures(int(features.places[0]), 1)]
    assert near[0] in features.places[np.argsort(-cosines, kind="stable")[1:4]]
    assert len(features.near_texts(int(features.places[0]), 3)) == 3
