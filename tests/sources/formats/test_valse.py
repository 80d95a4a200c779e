"""The released files of VALSE: names of pictures, irregular fields, votes, and what is left out."""

import json
from pathlib import Path
from typing import Any

import pytest

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Group
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.valse import INSTRUMENTS, valse


def _record(**own: Any) -> dict[str, Any]:
    votes = {"foil": 1, "caption": 2, "other": 0}
    texts = {"caption": "There are exactly 4 cars.", "foil": "There are exactly 2 cars."}
    return {"image_file": "v7w_1.jpg", "classes": 4, "classes_foil": 2, "mturk": votes} | texts | own


def _read(folder: Path, split: str = "valid") -> tuple[list[Group], Source]:
    source = Source(valse, folder, split)
    return [ready.group for ready in source.groups()], source


def _write(folder: Path, records: dict[str, Any], file: str = "counting-hard.json") -> None:
    folder.mkdir(exist_ok=True)
    (folder / file).write_text(json.dumps(records), encoding="utf-8")


def test_a_record_is_a_caption_that_ranks_above_its_foil(tmp_path: Path) -> None:
    _write(tmp_path, {"counting_visual7w_1": _record()})
    ((group,), source) = _read(tmp_path)
    assert not source.skips.total
    assert (group.relation, group.test, group.kind) == ("ranks", "counting-balanced", "counting")
    assert [query.text for query in group.queries] == ["There are exactly 4 cars.", "There are exactly 2 cars."]
    assert group.gold == (None, None)
    assert dict(group.tags[0]) == {"word": "4", "caption": "counting_visual7w_1", "votes": "2"}
    assert dict(group.tags[1])["word"] == "2"
    assert group.proof.startswith("2 of 3 annotators")


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("v7w_2371044.jpg", "visual7w:v7w_2371044.jpg"),
        ("000000291619.jpg", "coco:val2017/000000291619.jpg"),
        ("COCO_val2014_000000165831.jpg", "coco:val2014/COCO_val2014_000000165831.jpg"),
        ("COCO_train2014_000000254009.jpg", "coco:train2014/COCO_train2014_000000254009.jpg"),
        (
            "VisualDialog_val2018_000000284024.jpg",
            "visdial:VisualDialog_val2018/VisualDialog_val2018_000000284024.jpg",
        ),
        ("exercising_255.jpg", "swig:images_512/exercising_255.jpg"),
    ],
)
def test_the_style_of_a_name_tells_where_the_picture_is(name: str, address: str, tmp_path: Path) -> None:
    _write(tmp_path, {"1": _record(image_file=name)})
    ((group,), _) = _read(tmp_path)
    assert group.base.picture
    assert group.base.picture.address == address


@pytest.mark.parametrize(
    ("classes", "word"), [("field", "field"), (4, "4"), ([2, 1, 8], "2 | 1 | 8"), (False, "False"), ([], None)]
)
def test_changed_words_are_texts_numbers_lists_and_once_false(classes: Any, word: str | None, tmp_path: Path) -> None:
    _write(tmp_path, {"1": _record(classes_foil=classes)})
    ((group,), _) = _read(tmp_path)
    assert dict(group.tags[1]).get("word") == word


def test_splits_are_by_votes_for_the_caption(tmp_path: Path) -> None:
    votes = {str(n): _record(mturk={"foil": 3 - n, "caption": n, "other": 0}) for n in range(4)}
    _write(tmp_path, votes)
    counts = {split: len(_read(tmp_path, split)[0]) for split in ("valid", "test", "unanimous", "all")}
    assert counts == {"valid": 2, "test": 2, "unanimous": 1, "all": 4}


@pytest.mark.parametrize(
    "odd",
    [
        {"image_file": "a/b.png"},
        {"caption": " "},
        {"mturk": {"foil": 0}},
        {"mturk": {"caption": 7}},
        {"classes": {"a": 1}},
        {"classes": None},
        {"foil": None},
    ],
)
def test_a_record_that_is_not_as_the_layout_has_it_is_counted(odd: dict[str, Any], tmp_path: Path) -> None:
    _write(tmp_path, {"bad": _record(**odd), "good": _record()})
    found, source = _read(tmp_path)
    assert len(found) == 1
    assert source.skips.total == 1
    assert "counting-hard.json, record bad" in source.skips.lines()[0]


def test_files_are_found_beside_each_other_or_one_alone_in_the_order_of_the_paper(tmp_path: Path) -> None:
    for one in reversed(INSTRUMENTS):
        _write(tmp_path / "data", {"1": _record()}, one.file)
    assert [group.test for group in _read(tmp_path / "data")[0]] == [one.name for one in INSTRUMENTS]
    assert [group.test for group in _read(tmp_path)[0]] == [one.name for one in INSTRUMENTS]
    assert [group.test for group in _read(tmp_path / "data" / "plurals.json")[0]] == ["plurals"]
    _write(tmp_path / "other", {"1": _record()}, "mine.json")
    with pytest.raises(SourceError, match="no file of VALSE"):
        _read(tmp_path / "other" / "mine.json")
