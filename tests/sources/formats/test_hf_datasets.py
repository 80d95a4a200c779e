"""Folders in the form of Hugging Face are read without its packages, and a hub name from the cache of its client."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from counterpoint.cli.main import commands
from counterpoint.core.errors import SourceError, UnknownName
from counterpoint.core.groups import Query
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.pictures.folders import encode_png
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.hf_datasets import cached_folder, configs, hf
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabStore
from counterpoint.world.source import World

DOTS = [encode_png(np.full((2, 2, 3), shade, np.uint8)) for shade in range(9)]
CARD = """---
license: mit
dataset_info:
- config_name: elsewhere
  features:
  - name: image
    dtype: image
configs:
- config_name: hard
  data_files:
  - split: test
    path: hard/part-*
- config_name: default
  data_files:
  - split: validation
    path:
    - "data/one.parquet"
    - data/two.parquet
  - split: test
    path: [data/one.parquet, data/two.parquet]
tags:
- vision
---

# A card

configs:
- config_name: not this
"""


def _row(number: int, **changes: Any) -> dict[str, Any]:
    image = {"bytes": DOTS[number], "path": f"{number}.png"}
    return {"id": str(number), "image": image, "question": "How bright?", "answer": str(number)} | changes


def _write(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)


def _read(folder: Path, split: str = "test", **columns: str) -> list[Question]:
    source = Source(hf, folder, split, columns=columns)
    found = list(source.questions())
    assert not source.skips.total, source.skips.lines()
    return found


def _run(*words: str) -> Result:
    done = CliRunner().invoke(commands, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


@pytest.mark.parametrize("folder", ["", "data/", "en/"])
def test_shards_are_found_by_the_split_in_their_names(tmp_path: Path, folder: str) -> None:
    _write(tmp_path / f"{folder}test-00000-of-00002.parquet", _row(0))
    _write(tmp_path / f"{folder}test-00001-of-00002.parquet", _row(1))
    _write(tmp_path / f"{folder}validation-00000-of-00001.parquet", _row(2))
    assert [one.id for one in _read(tmp_path)] == ["0", "1"]
    assert [one.id for one in _read(tmp_path, "val")] == ["2"]
    with pytest.raises(UnknownName, match="is called 'train'") as raised:
        _read(tmp_path, "train")
    assert "test, validation" in raised.value.hint


def test_folders_tell_the_split_too_and_without_any_sign_all_files_are_read(tmp_path: Path) -> None:
    _write(tmp_path / "a" / "train" / "0000.parquet", _row(0))
    _write(tmp_path / "a" / "test" / "0000.parquet", _row(1))
    _write(tmp_path / "b" / "0000.parquet", _row(2))
    _write(tmp_path / "b" / ".cache" / "0001.parquet", _row(3))
    assert [one.id for one in _read(tmp_path / "a")] == ["1"]
    assert [one.id for one in _read(tmp_path / "b")] == ["2"]


def test_of_several_configs_without_a_default_the_one_that_is_read_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    config = "- config_name: {0}\n  data_files:\n  - split: test\n    path: {0}.parquet\n"
    (tmp_path / "README.md").write_text(f"---\nconfigs:\n{''.join(map(config.format, ('easy', 'hard')))}---\n")
    _write(tmp_path / "easy.parquet", _row(1))
    _write(tmp_path / "hard.parquet", _row(2))
    assert [one.id for _ in range(2) for one in _read(tmp_path)] == ["1", "1"]
    (record,) = caplog.records
    assert "has the configs easy, hard; easy is read, and --columns config=… names another" in record.message
    assert [one.id for one in _read(tmp_path, config="hard")] == ["2"]
    assert len(caplog.records) == 1


def test_the_card_says_which_files_belong_to_which_split(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(CARD)
    _write(tmp_path / "data" / "one.parquet", _row(0))
    _write(tmp_path / "data" / "two.parquet", _row(1))
    _write(tmp_path / "hard" / "part-0.parquet", _row(2))
    assert configs(CARD)["hard"] == {"test": ["hard/part-*"]}
    for split in ("val", "test"):
        assert [one.id for one in _read(tmp_path, split)] == ["0", "1"]
    assert [one.id for one in _read(tmp_path, config="hard")] == ["2"]
    with pytest.raises(UnknownName, match="is called 'soft'"):
        _read(tmp_path, config="soft")
    with pytest.raises(UnknownName, match="is called 'train'"):
        _read(tmp_path, "train")
    (tmp_path / "hard" / "part-0.parquet").unlink()
    with pytest.raises(SourceError, match=r"has no hard/part-\*, which its card lists"):
        _read(tmp_path, config="hard")


@pytest.mark.parametrize(
    "card", ["", "no front", "---\nconfigs:\n", "---\nconfigs: [a\n---\n", "---\n- configs\n---\n"]
)
def test_a_card_that_says_nothing_is_passed_over(tmp_path: Path, card: str) -> None:
    (tmp_path / "README.md").write_text(card)
    _write(tmp_path / "test.parquet", _row(0))
    assert [one.id for one in _read(tmp_path)] == ["0"]


def test_a_card_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    _write(tmp_path / "secret.parquet", _row(0))
    front = "---\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n    path: ../secret.parquet\n---\n"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "README.md").write_text(front)
    with pytest.raises(SourceError, match="which its card lists"):
        _read(tmp_path / "data")


def test_a_folder_of_pictures_has_a_list_of_them_beside_them(tmp_path: Path) -> None:
    folder = tmp_path / "test"
    folder.mkdir()
    (folder / "0.png").write_bytes(DOTS[0])
    row = {"file_name": "0.png", "question": "How bright?", "answer": "0"}
    (folder / "metadata.jsonl").write_text(json.dumps(row) + "\n")
    (question,) = _read(tmp_path)
    assert question.picture == Picture("hf:test/0.png")
    _run("generate", str(tmp_path / "lab"), "--suite", "plain", "--source", "hf", "--data", str(tmp_path))
    assert LabStore(tmp_path / "lab").pictures().pixels(question.picture).max() == 0


def _save(folder: Path, *rows: dict[str, Any], form: Any = pa.ipc.new_stream) -> None:
    """A split as `save_to_disk` of the package `datasets` writes it, in two files, with the cache of a `map` beside."""
    folder.mkdir(parents=True)
    files = [f"data-{place:05}-of-00002.arrow" for place in (0, 1)]
    for name, part in zip([*files, "cache-1.arrow"], [rows[:1], rows[1:], rows], strict=True):
        table = pa.Table.from_pylist(list(part))
        with form(str(folder / name), table.schema) as writer:
            writer.write_table(table)
    state = {"_data_files": [{"filename": name} for name in files], "_split": folder.name}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "dataset_info.json").write_text(json.dumps({"features": {"question": {"dtype": "string"}}}))


@pytest.mark.parametrize("form", [pa.ipc.new_stream, pa.ipc.new_file])
def test_a_data_set_that_was_saved_to_disk_is_read_by_its_own_list_of_files(tmp_path: Path, form: Any) -> None:
    _save(tmp_path / "test", _row(0), _row(1), _row(2), form=form)
    _save(tmp_path / "train", _row(3), _row(4), form=form)
    (tmp_path / "dataset_dict.json").write_text(json.dumps({"splits": ["train", "test"]}))
    assert [question.gold.best for question in _read(tmp_path)] == ["0", "1", "2"]
    assert [question.gold.best for question in _read(tmp_path / "train")] == ["3", "4"]  # one split alone
    _run("generate", str(tmp_path / "lab"), "--suite", "plain", "--source", "hf", "--data", str(tmp_path))
    lab = LabStore(tmp_path / "lab")
    assert (
        len({lab.pictures().pixels(Picture(name)).max() for name in lab.suite("plain").table["picture"].to_pylist()})
        == 3
    )
    (tmp_path / "test" / "data-00001-of-00002.arrow").write_bytes(b"ARROW1 and no more")
    with pytest.raises(SourceError, match="cannot be read as Arrow after row 0"):
        _read(tmp_path)


def test_a_split_that_was_not_saved_to_disk_names_those_that_were(tmp_path: Path) -> None:
    _save(tmp_path / "train", _row(3), _row(4))
    with pytest.raises(UnknownName, match=r"no split of .* is called 'test'") as caught:
        _read(tmp_path)
    assert "train" in caught.value.hint


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no files that end in"):
        _read(tmp_path)


def test_only_pictures_that_were_drawn_are_unpacked_and_the_same_ones_are_one(tmp_path: Path) -> None:
    rows = [_row(number) for number in range(9)] + [_row(0, id="again")]
    _write(tmp_path / "data" / "test-00000-of-00001.parquet", *rows)
    words = ("--suite", "plain", "--source", "hf", "--data", str(tmp_path), "--items", "4")
    _run("generate", str(tmp_path / "lab"), *words)
    lab = LabStore(tmp_path / "lab")
    addresses = set(lab.suite("plain").table["picture"].to_pylist())
    files = list((lab.folder / "pictures").rglob("*.png"))
    assert len(files) == len(addresses) <= 4
    for query, row in zip(read_queries(lab.suite("plain").table), lab.suite("plain").table.to_pylist(), strict=True):
        assert query.picture is not None
        assert str(lab.pictures().pixels(query.picture).max()) == row["gold"][0]["answer"]


@pytest.mark.parametrize("pictures", [True, False])
def test_a_suite_that_was_exported_comes_back_as_questions(tmp_path: Path, pictures: bool) -> None:
    before, folder = tmp_path / "before", tmp_path / "out"
    _run("generate", str(before), "--suite", "order", "--items", "4")
    _run("export", str(before), "--suite", "order", "--out", str(folder), "--layout", "datasets", *_without(pictures))
    _run("generate", str(tmp_path / "after"), "--suite", "plain", "--source", "hf", "--data", str(folder))
    old, new = LabStore(before).suite("order").table, LabStore(tmp_path / "after").suite("plain").table
    went = sorted(
        (query.text, row["gold"][0]["answer"]) for query, row in zip(read_queries(old), old.to_pylist(), strict=True)
    )
    came = sorted(
        (query.text, row["gold"][0]["answer"]) for query, row in zip(read_queries(new), new.to_pylist(), strict=True)
    )
    assert went == came
    if pictures:
        assert _pixels(LabStore(tmp_path / "after"), read_queries(new)) == _pixels(World("test"), read_queries(old))
    else:
        assert {query.picture for query in read_queries(new)} == {query.picture for query in read_queries(old)}


def _pixels(shown: Any, asked: Iterable[Query]) -> set[tuple[str, bytes]]:
    """What each question is asked about, pixel by pixel."""
    pictures = shown.pictures() if isinstance(shown, LabStore) else shown
    return {(query.text, pictures.pixels(query.picture).tobytes()) for query in asked if query.picture}


def _without(pictures: bool) -> list[str]:
    return [] if pictures else ["--no-pictures"]


def test_a_data_set_that_is_not_in_the_cache_is_answered_with_the_command_that_downloads_it(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    with pytest.raises(SourceError, match="the cache of huggingface_hub has no data set some/set") as raised:
        cached_folder("some/set", tmp_path)
    assert raised.value.hint == "get it: hf download some/set --repo-type dataset"
    with pytest.raises(SourceError) as raised:
        cached_folder("some/set@v1", tmp_path)
    assert raised.value.hint == "get it: hf download some/set --repo-type dataset --revision v1"
    with pytest.raises(SourceError, match="names no data set of the hub"):
        cached_folder("not/a/name", tmp_path)


def test_a_download_of_some_files_is_read_and_a_split_without_a_shard_is_not(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub")
    commit = "a" * 40
    home = tmp_path / "datasets--some--set"
    blobs, snapshot = home / "blobs", home / "snapshots" / commit
    for name in ("test-00000-of-00002", "test-00001-of-00002", "validation-00000-of-00002"):
        _write(blobs / name, _row(len(name) % 9, id=name))
        (snapshot / "data").mkdir(parents=True, exist_ok=True)
        (snapshot / "data" / f"{name}.parquet").symlink_to(blobs / name)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    folder = cached_folder("some/set", tmp_path)
    assert [one.id for one in _read(folder)] == ["test-00000-of-00002", "test-00001-of-00002"]
    with pytest.raises(SourceError, match="has 1 of the 2 files data/validation-…-of-00002"):
        _read(folder, "val")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="there is no folder"):
        _read(tmp_path / "missing")
