"""What a source tells of pictures beyond its sample: all their questions, and their captions where these are there."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from vqa_files import answered, asked, put

from counterpoint.core.errors import SourceError
from counterpoint.core.items import Caption, Question
from counterpoint.core.pictures import Picture
from counterpoint.lab.generation import GenerateRequest, generate
from counterpoint.sources.dataset import Source, has_captions, items_about
from counterpoint.sources.formats.own_files import plain
from counterpoint.sources.formats.vqa import vqa2, vqa_cp
from counterpoint.store.lab import LabStore
from counterpoint.studies.dataset_description import DescriptionRequest, describe, open_split
from counterpoint.world.source import World

DOG, CAT = (Picture(f"coco:val2014/COCO_val2014_{number:012}.jpg") for number in (1, 2))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three questions about two pictures of VQA."""
    put(tmp_path / "val_questions.json", "questions", [asked(question_id=n, image_id=1 + n // 2) for n in range(3)])
    put(tmp_path / "val_annotations.json", "annotations", [answered(question_id=n) for n in range(3)])
    return tmp_path


def _captions(folder: Path, split: str = "val2014", number: int = 1) -> None:
    """One caption of each picture, in COCO's own file."""
    images = [{"id": n, "file_name": f"COCO_{split}_{n:012}.jpg", "width": 9, "height": 9} for n in (1, 2)]
    said = [{"id": number + n, "image_id": n, "caption": f"A kite over {n} boats."} for n in (1, 2)]
    (folder / f"captions_{split}.json").write_text(json.dumps({"images": images, "annotations": said}), "utf-8")


def _told(source: Any, *pictures: Picture) -> list[str]:
    return [f"{type(one).__name__} {one.id}" for one in items_about(source, set(pictures))]


def test_all_questions_about_a_picture_are_told_whatever_the_sample(folder: Path) -> None:
    sample = Source(vqa2, folder, "val", 1)
    assert _told(sample, DOG) == ["Question 0", "Question 1"]
    assert _told(sample, CAT) == ["Question 2"]
    assert _told(Source(vqa2, folder, "val", None), DOG) == []  # nothing is beside the whole


def test_captions_of_coco_that_lie_beside_vqa_are_told_of_its_pictures(folder: Path) -> None:
    assert not has_captions(Source(vqa2, folder, "val"))
    _captions(folder)
    source = Source(vqa2, folder, "val", None)
    assert list(items_about(source, {CAT})) == [Caption("3", CAT, "A kite over 2 boats.")]
    assert not source.skips.total


def test_a_sample_of_a_split_that_has_no_captions_is_told_its_questions(tmp_path: Path) -> None:
    put(tmp_path / "v2_OpenEnded_mscoco_test2015_questions.json", "questions", [asked(image_id=1)])
    (one,) = items_about(Source(vqa2, tmp_path, "test", 1), {Picture("coco:test2015/COCO_test2015_000000000001.jpg")})
    assert isinstance(one, Question)


def test_pictures_of_two_splits_have_the_captions_of_both(tmp_path: Path) -> None:
    _captions(tmp_path, "val2014")
    _captions(tmp_path, "train2014", 5)
    found = [caption.picture.path.partition("/")[0] for caption in Source(vqa_cp, tmp_path, "test").captions()]
    assert found == ["train2014"] * 2 + ["val2014"] * 2


def test_captions_that_are_asked_for_and_missing_are_an_error_that_says_so(folder: Path) -> None:
    with pytest.raises(SourceError, match=r"there is no annotations/captions_val2014\.json"):
        list(Source(vqa2, folder, "val").captions())


def test_a_description_speaks_of_captions_only_where_they_are(folder: Path) -> None:
    request = DescriptionRequest(folder, "val")
    found = describe(open_split("vqa2", vqa2, request), request)
    assert [part.counts.kind for part in found.parts] == ["questions"]
    assert found.whole
    _captions(folder)
    found = describe(open_split("vqa2", vqa2, request), request)
    assert [(part.counts.kind, part.counts.items) for part in found.parts] == [("questions", 3), ("captions", 2)]


def test_a_file_of_ones_own_may_have_captions_beside_its_questions(tmp_path: Path) -> None:
    row = {"question": "Is there a dog?", "answer": "no", "image": "1.jpg"}
    path = tmp_path / "test.json"
    path.write_text(json.dumps([row]), "utf-8")
    picture = Picture("plain:1.jpg")
    assert _told(Source(plain, path, "test", None), picture) == []
    path.write_text(json.dumps([row | {"caption": "A cat."}]), "utf-8")
    assert _told(Source(plain, path, "test", None), picture) == ["Caption 0"]


def test_the_world_tells_its_captions() -> None:
    world = World("test", 2)
    scene = next(world.scenes())
    assert len(_told(world, scene.picture)) == 5


def test_a_picture_whose_captions_name_what_a_question_asks_about_is_not_put_in_for_its_own(folder: Path) -> None:
    asks = [asked(question_id=n, image_id=n, question=f"Is there a {thing}?") for n, thing in ((1, "dog"), (2, "kite"))]
    put(folder / "val_questions.json", "questions", asks)
    put(folder / "val_annotations.json", "annotations", [answered(question_id=n) for n in (1, 2)])
    request = GenerateRequest(("question-bias",), "vqa2", folder, "val", name="before")
    lab = LabStore(folder / "lab")
    before = generate(lab, request)["before"].manifest
    _captions(folder)  # in both a kite flies
    after = generate(lab, replace(request, name="after"))["after"].manifest
    assert before is not None
    assert after is not None
    assert (before.rows, before.parameters["captions"]) == (4, 0)
    assert (after.rows, after.parameters["captions"]) == (2, 2)
