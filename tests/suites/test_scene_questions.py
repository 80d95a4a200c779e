"""Questions made of boxes by templates: what they ask, and that a naive loop over the boxes gives the same answers."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from box_judge import boxes_of, is_easily_counted, judge

from counterpoint import catalog
from counterpoint.core.groups import Relation
from counterpoint.core.items import GroundedQuestion
from counterpoint.core.scenes import Scene
from counterpoint.sources.dataset import OWN, Source
from counterpoint.sources.formats.coco import coco
from counterpoint.suites.scene_questions import WRITERS, make_questions
from counterpoint.suites.suite import generate_groups

NAMES = ("dog", "car", "person", "umbrella", "pizza", "kite")
WIDTH, HEIGHT = 640, 480


def drawn_file(seed: int, pictures: int = 20, names: tuple[str, ...] = NAMES) -> dict[str, Any]:
    """A file in COCO's layout with boxes at random: many overlap, some are tiny, some are crowds."""
    rng, annotations = Random(seed), list[dict[str, Any]]()
    for image in range(1, pictures + 1):
        for _ in range(rng.randrange(9)):
            x, y, side = rng.randrange(WIDTH - 20), rng.randrange(HEIGHT - 20), rng.choice((8, 40, 90, 160))
            box = [x, y, min(side, WIDTH - x), min(side, HEIGHT - y)]
            row = {"id": len(annotations) + 1, "image_id": image, "category_id": rng.randrange(len(names)) + 1}
            annotations.append(row | {"bbox": box, "iscrowd": int(rng.random() < 0.1)})
    return {
        "images": [
            {"id": n, "file_name": f"{n}.jpg", "width": WIDTH, "height": HEIGHT} for n in range(1, pictures + 1)
        ],
        "annotations": annotations,
        "categories": [{"id": n, "name": name} for n, name in enumerate(names, 1)],
    }


def scenes_of(file: dict[str, Any], folder: Path, captions: dict[int, str] | None = None) -> list[Scene]:
    """The scenes of a file of one's own, with captions by the id of their picture."""
    (folder / "instances_mine.json").write_text(json.dumps(file))
    rows = [{"id": n, "image_id": n, "caption": text} for n, text in (captions or {}).items()]
    (folder / "captions_mine.json").write_text(json.dumps({"images": file["images"], "annotations": rows}))
    return list(Source(coco, folder / "instances_mine.json", OWN, limit=None).scenes())


def judged(questions: list[GroundedQuestion], file: dict[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Each question with its gold, and with what the judge answers."""
    for item in questions:
        boxes = boxes_of(file, int(item.scene.id))
        yield item.question.text, item.question.gold.best, judge(item.question.text, boxes, WIDTH)


@pytest.mark.parametrize("seed", range(6))
def test_a_loop_over_the_boxes_gives_every_answer(seed: int, tmp_path: Path) -> None:
    file = drawn_file(seed)
    questions, _ = make_questions(scenes_of(file, tmp_path), seed)
    assert {item.question.kind for item in questions} == WRITERS.keys() - {"query color"}
    assert [row for row in judged(questions, file) if row[1] != row[2]] == []


def test_worn_things_and_parts_are_not_asked_for_their_place(tmp_path: Path) -> None:
    questions, _ = make_questions(scenes_of(drawn_file(1, 40, ("person", "tie", "dog", "bicycle wheel")), tmp_path), 1)
    placed = [item.question.text for item in questions if item.question.kind in ("verify rel", "query side")]
    assert any("dog" in text for text in placed)
    assert [text for text in placed if "tie" in text or "wheel" in text] == []
    pairs = [item.question.text for item in questions if item.question.kind == "exist or"]
    assert [text for text in pairs if "person" in text and "tie" in text] == []


@pytest.mark.parametrize("seed", range(3))
def test_what_is_counted_nobody_would_count_otherwise(seed: int, tmp_path: Path) -> None:
    file = drawn_file(seed, 40, ("dog", "kite"))
    questions, tally = make_questions(scenes_of(file, tmp_path), seed)
    for item in questions:
        if item.question.kind == "count":
            name = item.question.program[0].argument.rpartition(" (")[0]
            assert is_easily_counted(boxes_of(file, int(item.scene.id)), name, WIDTH, HEIGHT), item.question.text
    reasons = " ".join(tally.reasons["count"])
    assert all(
        why in reasons for why in ("a crowd is annotated as one", "too small to be sure of", "boxes of it overlap")
    )


def test_yes_and_no_are_asked_as_often(tmp_path: Path) -> None:
    questions, _ = make_questions(scenes_of(drawn_file(1, 60), tmp_path), 0)
    answers = Counter((item.question.kind, item.question.gold.best) for item in questions)
    assert answers["exist", "yes"] == answers["exist", "no"] > 30
    for kind in ("exist or", "exist rel", "verify rel"):
        assert min(answers[kind, "yes"], answers[kind, "no"]) > 0, kind


def test_one_seed_writes_the_same_questions(tmp_path: Path) -> None:
    scenes = scenes_of(drawn_file(2), tmp_path)
    once, again, other = (
        make_questions(order, seed)[0] for order, seed in ((scenes, 4), (scenes[::-1], 4), (scenes, 5))
    )
    by_id = {item.id: item.question for item in once}
    assert by_id == {item.id: item.question for item in again}
    assert by_id != {item.id: item.question for item in other}
    assert len(by_id) == len(once)


def test_names_that_no_lexicon_knows_are_asked_by_their_boxes(tmp_path: Path) -> None:
    file = drawn_file(3, 40, ("barcode", "e-scooter", "no_helmet", "class_7"))
    questions, _ = make_questions(scenes_of(file, tmp_path), 0)
    assert [row for row in judged(questions, file) if row[1] != row[2]] == []
    words = " ".join(item.question.text for item in questions)
    assert all(name in words for name in ("barcode", "e-scooter"))
    assert not any(name in words for name in ("helmet", "class"))


def test_a_part_of_one_category_is_another_category_of_ones_own(tmp_path: Path) -> None:
    questions, _ = make_questions(scenes_of(drawn_file(4, 40, ("person", "helmet", "shoe")), tmp_path), 0)
    texts = Counter((item.question.text, item.question.gold.best) for item in questions)
    assert min(texts["Is there a helmet?", answer] for answer in ("yes", "no")) > 0


@pytest.mark.parametrize(
    ("caption", "vetoed"),
    [
        ("A kite in the sky.", "kite"),
        ("Two sports cars.", "car"),
        ("A puppy sleeps.", "dog"),
        ("An open parasol.", "umbrella"),
        ("A steering wheel and a windshield.", "car"),
        ("Children at play.", "person"),
    ],
)
def test_a_caption_vetoes_what_boxes_call_absent(caption: str, vetoed: str, tmp_path: Path) -> None:
    file = drawn_file(5, 40)
    plain, _ = make_questions(scenes_of(file, tmp_path), 0)
    told, tally = make_questions(scenes_of(file, tmp_path, dict.fromkeys(range(1, 41), caption)), 0)
    denied = [f"Is there {article} {vetoed}?" for article in ("a", "an")]

    def denials(questions: list[GroundedQuestion]) -> int:
        return sum(one.question.gold.best == "no" and one.question.text in denied for one in questions)

    assert denials(plain)
    assert not denials(told)
    assert tally.reasons["exist"]["candidate rejected: a caption names it, something of its kind, or a part of it"]
    texts = [one.question.text for one in told if one.question.gold.best == "no"]
    assert any("pizza" in text for text in texts)


def test_contrasts_of_made_questions_have_the_answers_of_the_boxes(tmp_path: Path) -> None:
    file = drawn_file(6, 60)
    questions, _ = make_questions(scenes_of(file, tmp_path), 0)
    groups = [group for _, group in generate_groups(catalog.find("suites", "contrast"), questions, 0)]
    assert len({group.kind for group in groups}) == 5
    for group in groups:
        assert group.relation is Relation.GOLD
        assert group.base.picture is not None
        boxes = boxes_of(file, int(group.base.picture.path.removesuffix(".jpg")))
        answers = [judge(query.text, boxes, WIDTH) for query in group.queries]
        assert answers == [gold.best for gold in group.gold if gold], group.base.text


def test_a_scene_without_boxes_or_list_says_why_it_has_no_questions(tmp_path: Path) -> None:
    empty = scenes_of(drawn_file(0) | {"annotations": []}, tmp_path)[:1]
    questions, tally = make_questions(empty, 0)
    assert not questions
    assert all(reasons == {"nothing is annotated": 1} for reasons in tally.reasons.values())
