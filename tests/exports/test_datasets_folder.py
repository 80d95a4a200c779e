"""A suite as a Hugging Face datasets folder."""

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from export_labs import BLURRED, CLEAR, PHOTO, PLAIN, TURNED, asked, pixels_of, put, read_yaml, rows_in, scored, toy_lab

from counterpoint.core.errors import StoreError
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.core.ports import Pixels
from counterpoint.exports import datasets_folder
from counterpoint.exports import rows as rows_out
from counterpoint.exports.datasets_folder import export_datasets
from counterpoint.exports.rows import PictureExporter
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore
from counterpoint.store.pictures import LabPictures
from counterpoint.store.suites import StoredSuite


@pytest.fixture
def lab(tmp_path: Path) -> LabStore:
    return toy_lab(tmp_path / "lab")


@pytest.fixture
def suite(lab: LabStore) -> StoredSuite:
    return put(lab, "mixed", asked())


def test_every_row_says_what_is_asked_and_what_is_right(lab: LabStore, suite: StoredSuite, tmp_path: Path) -> None:
    written = export_datasets(suite, tmp_path / "out", lab.pictures())
    rows = rows_in(tmp_path / "out" / "data")
    assert (written.rows, written.groups, written.pictures) == (9, 5, 5)
    assert written.files == ("README.md", "data/test-00000-of-00001.parquet")
    assert [row["query_id"] for row in rows] == [hex_id(query.id) for query in read_queries(suite.table)]
    first, *_, last = rows
    image = first.pop("image")
    assert image["path"] == f"{hex_id(PLAIN.id)}.png"
    assert first == {
        "query_id": hex_id(suite.table["query"][0].as_py()),
        "question": "Is it gray?",
        "choices": [],
        "context": "",
        "answer": "yes",
        "answers": [{"answer": "yes", "credit": 1.0}],
        "group_id": hex_id(suite.table["group_id"][0].as_py()),
        "role": 0,
        "relation": "same",
        "suite": "mixed",
        "test": "words",
        "kind": "exist",
        "mode": "answer",
        "picture": "toy:a.png",
        "edits": "[]",
        "feature_edits": "[]",
        "proof": "it is",
        "tags": '{"number": "1"}',
        "objects": '{"objects": [], "size": null}',
    }
    assert (last["question"], last["choices"], last["context"]) == (
        "Is it “red” or blue?",
        ["red", "blue"],
        "It has a color.",
    )
    assert last["answers"] == [{"answer": "red", "credit": 1.0}, {"answer": "pink", "credit": 0.3}]
    assert [row["answer"] for row in rows[4:6]] == [None, None]
    assert [row["answers"] for row in rows[4:6]] == [None, None]


def test_other_decoders_see_the_pixels_that_our_models_are_shown(
    lab: LabStore, suite: StoredSuite, tmp_path: Path
) -> None:
    export_datasets(suite, tmp_path / "out", lab.pictures())
    asked_ = read_queries(suite.table)
    for query, row in zip(asked_, rows_in(tmp_path / "out" / "data"), strict=True):
        if query.picture is None:
            assert row["image"] is None
        else:
            np.testing.assert_array_equal(pixels_of(row["image"]), lab.pictures().pixels(query.picture))
    assert {PLAIN, PHOTO, TURNED, CLEAR, BLURRED, None} == {query.picture for query in asked_}


def test_a_file_that_can_only_be_read_in_one_way_goes_out_as_it_is(lab: LabStore) -> None:
    out = PictureExporter(lab.pictures())
    for picture in (PLAIN, PHOTO):
        assert out.file(picture)["bytes"] == (Path(lab.roots["toy"]) / picture.path).read_bytes()
    for picture in (TURNED, CLEAR, BLURRED):
        assert out.file(picture)["bytes"] != (Path(lab.roots["toy"]) / picture.path).read_bytes()


class Counting(LabPictures):
    """Counts how often a picture is decoded."""

    def __init__(self, lab: LabStore) -> None:
        super().__init__(lab.roots, {})
        self.count = 0

    def pixels(self, picture: Picture) -> Pixels:
        self.count += 1
        return super().pixels(picture)


def test_a_picture_is_encoded_once_as_far_as_there_is_room(lab: LabStore) -> None:
    pictures = Counting(lab)
    out = PictureExporter(pictures)
    for _ in range(3):
        out.file(BLURRED)
        out.file(TURNED)
    assert pictures.count == 2
    narrow = PictureExporter(pictures, cache_bytes=100)
    for _ in range(3):
        narrow.file(BLURRED)
        narrow.file(TURNED)
    assert pictures.count == 8
    assert len(narrow.seen) == 2


def test_readers_are_told_that_pictures_are_pictures(lab: LabStore, suite: StoredSuite, tmp_path: Path) -> None:
    export_datasets(suite, tmp_path / "out", lab.pictures())
    schema = pq.read_schema(tmp_path / "out/data/test-00000-of-00001.parquet")
    features = json.loads(schema.metadata[b"huggingface"])["info"]["features"]
    assert list(features) == schema.names
    assert features["image"] == {"_type": "Image"}
    assert features["choices"] == {"feature": {"dtype": "string", "_type": "Value"}, "_type": "Sequence"}
    assert str(schema.field("image").type) == "struct<bytes: binary, path: string>"
    assert all(field.nullable for field in schema), (
        "readers only believe what they are told of columns that may be empty"
    )


def test_the_card_names_files_columns_and_sizes(lab: LabStore, suite: StoredSuite, tmp_path: Path) -> None:
    written = export_datasets(suite, tmp_path / "out", lab.pictures())
    _, front, text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    about = read_yaml(front)
    assert about["configs"] == [
        {"config_name": "default", "data_files": [{"split": "test", "path": "data/test-*"}]},
    ]
    features = {feature["name"]: feature for feature in about["dataset_info"]["features"]}
    schema = pq.read_schema(tmp_path / "out/data/test-00000-of-00001.parquet")
    assert list(features) == schema.names
    assert features["image"]["dtype"] == "image"
    assert features["role"]["dtype"] == str(schema.field("role").type)
    assert features["choices"]["sequence"] == "string"
    assert [one["name"] for one in features["answers"]["list"]] == ["answer", "credit"]
    (split,) = about["dataset_info"]["splits"]
    assert (split["name"], split["num_examples"]) == ("test", 9)
    assert about["dataset_info"]["download_size"] == written.bytes
    assert "license" not in about
    assert suite.manifest.fingerprint in text
    assert all(f"| `{name}` |" in text for name in schema.names)
    assert "`score`" not in text.partition("## Columns")[0]


def test_a_suite_of_captions_and_foils_is_told_to_want_numbers(lab: LabStore, tmp_path: Path) -> None:
    export_datasets(put(lab, "foils", scored()), tmp_path / "out", lab.pictures())
    assert {row["mode"] for row in rows_in(tmp_path / "out" / "data")} == {"score"}
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert '{"query_id": "…", "score": 0.73}' in text


def test_a_large_suite_becomes_several_files_with_the_same_rows(
    lab: LabStore, suite: StoredSuite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = list(rows_out.flat_tables(suite, PictureExporter(lab.pictures())))
    assert len(whole) == 1
    monkeypatch.setattr(rows_out, "BYTES", 5000)
    parts = list(rows_out.flat_tables(suite, PictureExporter(lab.pictures())))
    assert len(parts) > 2
    written = datasets_folder.write_shards(iter(parts), tmp_path, most=9000)
    assert 1 < len(written.names) < len(parts)
    assert written.names[0] == f"test-00000-of-{len(written.names):05}.parquet"
    assert {path.name for path in tmp_path.glob("test*")} == set(written.names)
    assert rows_in(tmp_path) == whole[0].to_pylist()
    assert written.bytes == sum((tmp_path / name).stat().st_size for name in written.names)


def test_a_picture_that_many_rows_show_is_stored_once(lab: LabStore, tmp_path: Path) -> None:
    few, many = (put(lab, name, (group for _ in range(times) for group in asked())) for name, times in SIZES.items())
    sizes = [export_datasets(suite, tmp_path / suite.manifest.suite, lab.pictures()).bytes for suite in (few, many)]
    assert sizes[1] < 2 * sizes[0]


SIZES = {"few": 1, "many": 40}


def test_without_pictures_their_addresses_remain(lab: LabStore, suite: StoredSuite, tmp_path: Path) -> None:
    written = export_datasets(suite, tmp_path / "out", None)
    rows = rows_in(tmp_path / "out" / "data")
    assert written.pictures == 0
    assert "image" not in rows[0]
    assert rows[0]["picture"] == "toy:a.png"
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "The pictures are not in this folder" in text
    assert "dtype: image" not in text


@pytest.mark.parametrize("harm", [Path.unlink, lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\nnothing")])
def test_a_picture_that_is_missing_or_broken_is_named_and_leaves_nothing_behind(
    lab: LabStore, suite: StoredSuite, tmp_path: Path, harm: object
) -> None:
    assert callable(harm)
    harm(Path(lab.roots["toy"]) / "a.png")
    with pytest.raises(StoreError, match=r"the picture toy:a\.png cannot be exported") as problem:
        export_datasets(suite, tmp_path / "out", lab.pictures())
    assert "--no-pictures" in problem.value.hint
    assert {path.name for path in tmp_path.iterdir()} == {"lab"}


def test_what_is_there_already_is_left_alone(lab: LabStore, suite: StoredSuite, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    export_datasets(suite, tmp_path / "out", lab.pictures())
    with pytest.raises(StoreError, match="out exists already"):
        export_datasets(suite, tmp_path / "out", lab.pictures())
    (tmp_path / "file").write_text("mine")
    for place in ("file", "file/below"):
        with pytest.raises(StoreError):
            export_datasets(suite, tmp_path / place, lab.pictures())
    assert (tmp_path / "file").read_text() == "mine"
