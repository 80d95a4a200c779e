"""Files of a data set are found where people have them, and those that are missing are named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from counterpoint.core.errors import CounterpointError, SourceError, UnknownName
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.sources.dataset import DataSet, File, Source, SplitFiles
from counterpoint.sources.reading.records import Skips


def _captions(files: SplitFiles, skips: Skips) -> Iterator[Caption]:
    for line in files["texts"].read_text("utf-8").splitlines():
        if line:
            yield Caption(line, Picture("some:1.png"), line)
        else:
            skips.skip("an empty line", files["texts"].name)


DATA = DataSet(
    name="some",
    title="Some Data",
    files=(
        File(
            "texts",
            {s: (f"lists/{s}_texts.txt", "*texts*.txt") for s in ("train", "val")},
            "a storage",
            kinds=("captions",),
        ),
        File("graphs", {"train": ("train_graphs.txt",)}, "a drawer", kinds=("scenes",)),
        File("notes", {"val": ("notes.txt",)}, "a drawer", needed=False, kinds=("captions",)),
    ),
    read={"captions": _captions, "scenes": lambda files, skips: iter(())},
    namespace="some",
    withheld=("test",),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "val_texts.txt").write_text("a\n\nb\nc\n")
    return tmp_path


def test_a_split_is_read_from_its_files_and_what_is_left_out_is_counted(folder: Path) -> None:
    source = Source(DATA, folder, "val")
    assert [caption.id for caption in source.captions()] == ["a", "b", "c"]
    assert source.skips.lines() == ["1 skipped: an empty line (val_texts.txt)"]
    assert [caption.id for caption in source.captions()] == ["a", "b", "c"]
    assert source.skips.total == 1, "a second reading counts anew"


def test_files_are_found_with_and_without_their_folders(folder: Path) -> None:
    (folder / "lists" / "val_texts.txt").rename(folder / "val_texts.txt")
    assert DATA.find_files(folder, "val")["texts"] == folder / "val_texts.txt"


def test_a_file_in_a_folder_of_its_own_name_is_found(folder: Path) -> None:
    (folder / "train_texts.txt").mkdir()
    (folder / "train_texts.txt" / "train_texts.txt").write_text("x\n")
    assert [caption.id for caption in Source(DATA, folder, "train").captions()] == ["x"]


def test_a_file_named_outright_is_taken_whatever_it_is_called(folder: Path) -> None:
    path = folder / "mine.txt"
    path.write_text("x\n")
    assert [caption.id for caption in Source(DATA, path, "val").captions()] == ["x"]


def test_a_loose_name_never_takes_the_file_of_another_split(folder: Path) -> None:
    (folder / "val_texts.txt").write_text("x\n")
    with pytest.raises(SourceError, match=r"has no lists/train_texts\.txt, the texts of Some Data") as raised:
        list(Source(DATA, folder, "train").captions())
    assert "a storage has it" in raised.value.hint
    (folder / "texts_18.txt").write_text("y\n")
    assert [caption.id for caption in Source(DATA, folder, "train").captions()] == ["y"]


def test_only_the_files_of_what_is_read_are_needed(folder: Path) -> None:
    (folder / "train_graphs.txt").touch()
    assert list(Source(DATA, folder, "train").scenes()) == []
    assert DATA.find_files(folder, "train", "scenes").get("texts") is None


def test_what_a_split_or_a_data_set_has_not_is_said(folder: Path) -> None:
    with pytest.raises(SourceError, match="val of Some Data has no scenes") as raised:
        Source(DATA, folder, "val").scenes()
    assert raised.value.hint == "there are train"
    with pytest.raises(CounterpointError, match="Some Data has no frames"):
        Source(DATA, folder, "val").frames()
    with pytest.raises(UnknownName, match="no split of Some Data is called 'vale'"):
        Source(DATA, folder, "vale").captions()


def test_a_split_without_answers_is_refused_with_a_sentence(folder: Path) -> None:
    with pytest.raises(SourceError, match="the answers to test of Some Data are not published") as raised:
        Source(DATA, folder, "test").captions()
    assert raised.value.hint == "there are train, val"


def test_a_file_that_may_be_missing_is_asked_for_by_those_who_can_do_without(folder: Path) -> None:
    files = DATA.find_files(folder, "val")
    assert files.get("notes") is None
    with pytest.raises(SourceError, match="there is no file of notes for val"):
        files["notes"]


def test_the_folder_of_pictures_is_found_by_its_name_or_by_what_it_holds(folder: Path) -> None:
    assert DATA.picture_root(folder) is None
    (folder / "images" / "val2014").mkdir(parents=True)
    assert DATA.picture_root(folder) == folder / "images"
    held = DataSet("some", "Some Data", DATA.files, DATA.read, "some", holds=("val2014",))
    assert held.picture_root(folder) == folder / "images"
    assert held.picture_root(folder / "images") == folder / "images"
    assert held.picture_root(folder / "lists") is None
