"""What is hidden in a picture of the world is known, and nobody is asked about it."""

import re
from dataclasses import replace

import numpy as np
import pytest
from proving import scaled

from counterpoint.core.ids import seeded_rng
from counterpoint.core.scenes import Scene
from counterpoint.language.english import plural
from counterpoint.world.captions import captions
from counterpoint.world.dialogues import dialogue
from counterpoint.world.questions import gqa_questions, vqa_questions
from counterpoint.world.scene_building import BuiltScene, build_scene

NUMBERS = range(scaled(240))


def _hidden(staged: BuiltScene) -> list[tuple[str, str]]:
    return [(one.name, one.attributes[0]) for one in staged.scene if one.is_hidden]


@pytest.mark.parametrize(
    ("index", "thing"),
    [
        (0, ("pants", "gray")),  # on a gray street
        (42, ("hat", "white")),  # in front of a white wall
        (158, ("refrigerator", "white")),  # the same; another one beside it is open, and seen
        (1, ("shirt", "black")),  # below a jacket
    ],
)
def test_what_is_covered_or_of_its_background_color_is_hidden(index: int, thing: tuple[str, str]) -> None:
    assert _hidden(build_scene("test", index)).count(thing) == 1


def test_little_is_hidden_and_nothing_else_of_a_scene_depends_on_it() -> None:
    staged = [build_scene("test", index) for index in NUMBERS]
    share = sum(len(_hidden(one)) for one in staged) / sum(len(one.plan.objects) for one in staged)
    assert 0.002 < share < 0.04
    for one in staged:
        objects = tuple(replace(thing, is_hidden=False) for thing in one.scene)
        assert replace(one.scene, objects=objects) == one.plan
    assert len({(one.scene.content_id == one.plan.content_id, bool(_hidden(one))) for one in staged}) == 2


def test_a_thing_that_is_drawn_on_a_plain_ground_of_another_color_is_seen() -> None:
    """Taking it away changes most of the pixels in its place, where nothing of another cluster is near."""
    for index in NUMBERS[:20]:
        staged = build_scene("test", index)
        last, thing = staged.placed[-1], staged.scene.objects[-1]
        if last.member.look.wearing or not thing.box:
            continue
        with_it, without = np.asarray(staged.draw()), np.asarray(replace(staged, placed=staged.placed[:-1]).draw())
        box = (slice(thing.box.y, thing.box.bottom), slice(thing.box.x, thing.box.right))
        changed = np.abs(with_it[box].astype(int) - without[box]).max(axis=2) >= 30
        assert thing.is_hidden == (changed.mean() < 0.1) or 0.05 < changed.mean() < 0.3, staged.scene.id


def _texts(scene: Scene) -> list[str]:
    rng = seeded_rng("visibility", scene.id)
    questions = [*gqa_questions(scene, rng), *vqa_questions(scene, rng)]
    talk = dialogue(scene, rng)
    return [
        *(f"{one.text} {one.gold.best}" for one in questions),
        *(one.text for one in captions(scene, rng)),
        *(f"{turn.question} {turn.answer}" for turn in talk.turns),
    ]


def test_no_question_caption_or_dialogue_of_the_world_is_about_what_is_hard_to_see() -> None:
    seen = 0
    for index in NUMBERS:
        scene = build_scene("test", index).scene
        hidden = {one.name for one in scene if scene.is_hard_to_see(one)}
        words = [form for name in hidden for form in (name, plural(name))]
        seen += bool(hidden)
        assert not [text for text in _texts(scene) for word in words if re.search(rf"\b{word}\b", text.lower())]
    assert seen > scaled(20)
