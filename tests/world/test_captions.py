"""Captions, dialogues and frames of the world."""

import re
from collections import Counter

from conftest import Golden
from hypothesis import given
from hypothesis import strategies as st
from proving import examples
from samples import a_park, scenes

from counterpoint.core.ids import seeded_rng
from counterpoint.core.scenes import Scene
from counterpoint.world.captions import LENGTH, captions
from counterpoint.world.dialogues import dialogue
from counterpoint.world.frames import frames
from counterpoint.world.kinds import COLORS, kinds


@given(scenes(), st.integers(0, 99))
@examples(60)
def test_a_picture_has_five_different_captions(scene: Scene, seed: int) -> None:
    texts = [caption.text for caption in captions(scene, seeded_rng(seed))]
    assert len(set(texts)) == 5
    for text in texts:
        assert text[0].isupper()
        assert text.endswith(".")
        assert "  " not in text
        assert len(text.split()) in LENGTH
        assert not re.search(r"\ba [aeio]|\ban [^aeiouh]", text.lower()), text


@given(scenes(), st.integers(0, 99))
@examples(60)
def test_a_caption_names_nothing_that_is_not_there(scene: Scene, seed: int) -> None:
    here = {word for one in scene.objects for word in one.name.split()} | set(scene.place.split())
    colors = {word for one in scene.objects for word in one.attributes if word in COLORS} | here
    known = {name for name in kinds() if " " not in name} - {"picture"}
    for caption in captions(scene, seeded_rng(seed)):
        words = caption.text.lower().rstrip(".").replace(",", "").split()
        assert not [word for word in words if word in known - here and word not in colors], caption.text
        assert not [word for word in words if word in COLORS and word not in colors], caption.text


@given(scenes(), st.integers(0, 99))
@examples(40)
def test_a_dialogue_has_ten_turns_of_a_hundred_options(scene: Scene, seed: int) -> None:
    talk = dialogue(scene, seeded_rng(seed))
    assert len({turn.question for turn in talk.turns}) == 10
    for turn in talk.turns:
        assert len(set(turn.options)) == len(turn.options) == 100
        assert turn.answer in turn.options
        assert len(turn.answer.split()) <= 8


def test_a_dialogue_speaks_in_pronouns() -> None:
    asked = [turn.question for seed in range(40) for turn in dialogue(a_park(), seeded_rng(seed)).turns]
    words = Counter(word for question in asked for word in question.split())
    assert min(words["it"], words["he"], words["she"]) > 0


def test_a_right_option_is_not_known_by_its_place() -> None:
    turns = [turn for seed in range(40) for turn in dialogue(a_park(), seeded_rng(seed)).turns]
    places = [turn.options.index(turn.answer) for turn in turns]
    assert 40 <= sum(places) / len(places) <= 60


def test_an_action_is_a_frame_with_its_roles() -> None:
    riding, holding = frames(a_park())
    assert [(role.name, role.noun) for role in riding.roles] == [
        ("agent", "man"),
        ("vehicle", "bicycle"),
        ("place", "park"),
    ]
    assert [(role.name, role.noun, role.box is None) for role in holding.roles[1:]] == [
        ("item", "umbrella", False),
        ("place", "park", True),
    ]


def test_captions_and_a_dialogue_about_a_park_read_well(golden: Golden) -> None:
    park = a_park()
    talk = dialogue(park, seeded_rng("d"))
    lines = [caption.text for seed in range(4) for caption in captions(park, seeded_rng(seed))]
    golden(
        "world_captions.txt", [*lines, "", talk.caption, *(f"{turn.question}? {turn.answer}" for turn in talk.turns)]
    )
