"""Halves of data to tune on and to report on."""

from benchmarks.data_halves import keep_half


def test_questions_and_annotations_go_by_the_number_of_their_picture() -> None:
    rows = [{"image_id": number} for number in (42, 73, 42, 164)]
    for key in ("questions", "annotations"):
        tuned, reported = (keep_half({"info": "x", key: rows}, half) for half in (True, False))
        assert tuned == {"info": "x", key: [rows[0], rows[2], rows[3]]}
        assert reported == {"info": "x", key: [rows[1]]}


def test_both_halves_of_dialogues_keep_the_texts_that_turns_name_by_place() -> None:
    texts = {"questions": ["is it red"], "answers": ["yes"]}
    content = {"version": "1.0", "data": texts | {"dialogs": [{"image_id": 3}, {"image_id": 8}]}}
    tuned, reported = (keep_half(content, half)["data"] for half in (True, False))
    assert tuned == texts | {"dialogs": [{"image_id": 8}]}
    assert reported == texts | {"dialogs": [{"image_id": 3}]}
