"""Real dialogues of VisDial v1.0."""

import json

from real_data import real

from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.visdial import visdial


def test_every_dialogue_of_the_excerpt_is_read_with_its_hundred_options() -> None:
    path = real("visdial/visdial_1.0_val_97.json")
    source = Source(visdial, path.parent, "val")
    found = list(source.dialogues())
    data = json.loads(path.read_text("utf-8"))["data"]
    assert not source.skips.total, source.skips.lines()
    assert len(found) == len(data["dialogs"]) == 97
    for dialogue, row in zip(found, data["dialogs"], strict=True):
        assert dialogue.caption == row["caption"].strip()
        assert dialogue.picture.path.endswith(f"_{row['image_id']:012}.jpg")
        assert len(dialogue.turns) == 10
        for turn, said in zip(dialogue.turns, row["dialog"], strict=True):
            assert turn.question == data["questions"][said["question"]]
            assert turn.answer == data["answers"][said["answer"]] == turn.options[said["gt_index"]]
            assert turn.options == tuple(data["answers"][place] for place in said["answer_options"])


def test_a_text_that_many_turns_offer_is_held_once() -> None:
    dialogues = Source(visdial, real("visdial"), "val").dialogues()
    yes = {id(text) for dialogue in dialogues for turn in dialogue.turns for text in turn.options if text == "yes"}
    assert len(yes) == 1
