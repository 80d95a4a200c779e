"""ConVQA: sets of questions whose answers follow from each other, by logic or by common sense."""

import json
from pathlib import Path
from typing import Any

import pytest
from vqa_files import read

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.formats.convqa import cs_convqa, l_convqa
from counterpoint.sources.reading.records import Skips

YELLOW = [{"question": "is train yellow", "answer": "yes"}, {"question": "is train brown", "answer": "no"}]
TRACKS = [{"question": "what is on tracks", "answer": "train"}]
ZEBRAS = "https://vqa_mscoco_images.s3.amazonaws.com/val2014/COCO_val2014_000000543385.jpg"
TOWELS = "https://vqa_mscoco_images.s3.amazonaws.com/val2014/COCO_val2014_000000527845.jpg"
COUNTED = [["how many zebras are there", "3"], ["is there only one zebra", "no"]]


def _logical(folder: Path, content: Any) -> tuple[list[Question], Skips]:
    (folder / "cleaned_Logical_ConVQA_test.json").write_text(json.dumps(content))
    return read(l_convqa, folder, "test")


def _common(folder: Path, content: Any, split: str = "all") -> tuple[list[Question], Skips]:
    (folder / "CommonSense_ConVQA_consistent.json").write_text(json.dumps(content))
    return read(cs_convqa, folder, split)


def test_questions_of_a_set_share_a_tag_and_ids_are_made_of_their_places(tmp_path: Path) -> None:
    found, skips = _logical(tmp_path, {"2342914": [YELLOW, TRACKS]})
    assert found[1] == Question(
        "2342914-0-1",
        Picture("vg:VG_100K/2342914.jpg"),
        "is train brown",
        Gold.of("no"),
        kind="yes/no",
        scene="2342914",
        tags=(("set", "2342914-0"),),
    )
    assert [(one.id, one.kind, one.tags) for one in found[2:]] == [("2342914-1-0", "other", (("set", "2342914-1"),))]
    assert not skips.total


def test_the_list_of_visual_genome_tells_in_which_folder_a_picture_lies(tmp_path: Path) -> None:
    listed = [{"image_id": 2342914, "url": "https://cs.stanford.edu/people/rak248/VG_100K_2/2342914.jpg"}]
    (tmp_path / "image_data.json").write_text(json.dumps(listed))
    (one, other), _ = _logical(tmp_path, {"2342914": [TRACKS], "5": [TRACKS]})
    assert (one.picture.address, other.picture.address) == ("vg:VG_100K_2/2342914.jpg", "vg:VG_100K/5.jpg")


def test_sets_by_common_sense_belong_to_pictures_of_coco(tmp_path: Path) -> None:
    found, skips = _common(tmp_path, {ZEBRAS: COUNTED})
    assert [(one.id, one.text, one.gold.best, one.kind) for one in found] == [
        ("543385-0", "how many zebras are there", "3", "number"),
        ("543385-1", "is there only one zebra", "no", "yes/no"),
    ]
    assert {one.picture.address for one in found} == {"coco:val2014/COCO_val2014_000000543385.jpg"}
    assert {one.tags for one in found} == {(("set", "543385"),)}
    assert not skips.total


def test_the_test_is_what_the_list_of_the_split_names(tmp_path: Path) -> None:
    (tmp_path / "highlevel_test_split.json").write_text(json.dumps([TOWELS]))
    found, skips = _common(tmp_path, {ZEBRAS: COUNTED, TOWELS: [["how many towels are there", "2"]]}, "test")
    assert [one.id for one in found] == ["527845-0"]
    assert not skips.total


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"dog": [TRACKS]}, "a question without a picture (cleaned_Logical_ConVQA_test.json, image dog)"),
        ({"1": TRACKS}, "image 1, set 0 is {'question': 'what is on tracks',"),
        ({"1": 7}, "image 1 is 7, not a list"),
        ({"1": [[7]]}, "image 1, set 0, question 0 is 7, not an object"),
        ({"1": [[{"question": "is it"}]]}, "image 1, set 0, question 0 has no answer"),
        ({"1": [[{"question": "?" * 0, "answer": "yes"}]]}, "a question without words"),
    ],
)
def test_what_cannot_be_read_is_left_out_of_the_logical_sets(tmp_path: Path, content: Any, said: str) -> None:
    found, skips = _logical(tmp_path, content | {"2": [TRACKS]})
    assert [one.id for one in found] == ["2-0-0"]
    assert said in skips.lines()[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"https://somewhere/dog.jpg": COUNTED}, "a question without a picture"),
        ({TOWELS: [COUNTED]}, "question 0: question is ['how many zebras are there', '3'], not a text"),
        ({TOWELS: [["how many", "2", "3"]]}, "question 0 is ['how many', '2', '3'], not an object"),
        ({TOWELS: [["how many", None]]}, "question 0: answer is None, not a text"),
    ],
)
def test_what_cannot_be_read_is_left_out_of_the_sets_by_common_sense(tmp_path: Path, content: Any, said: str) -> None:
    found, skips = _common(tmp_path, content | {ZEBRAS: COUNTED})
    assert [one.id for one in found] == ["543385-0", "543385-1"]
    assert said in skips.lines()[0]


def test_a_picture_that_is_there_twice_is_taken_once(tmp_path: Path) -> None:
    (tmp_path / "cleaned_Logical_ConVQA_test.json").write_text(
        '{"1": [[%s]], "1": [[%s]]}' % ((json.dumps(TRACKS[0]),) * 2)
    )
    found, skips = read(l_convqa, tmp_path, "test")
    assert [one.id for one in found] == ["1-0-0"]
    assert skips.counts == {"a repeated id": 1}


def test_a_list_in_place_of_the_object_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a list, not an object"):
        _logical(tmp_path, [YELLOW])
