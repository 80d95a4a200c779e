"""OK-VQA has the layout of VQA, with raw answers beside those that count."""

from pathlib import Path

import pytest
from vqa_files import answered, asked, put, read

from counterpoint.sources.formats.vqa import okvqa

SAID = [
    {"answer_id": place, "raw_answer": raw, "answer_confidence": "yes", "answer": answer}
    for place, (raw, answer) in enumerate([("racing", "race")] * 6 + [("motocross", "motocross")] * 4, 1)
]


@pytest.mark.parametrize("split", ["train", "val"])
def test_the_answers_that_count_are_those_that_are_not_raw(tmp_path: Path, split: str) -> None:
    annotation = answered(answers=SAID, question_type="four", confidence=3)
    put(tmp_path / f"OpenEnded_mscoco_{split}2014_questions.json", "questions", [asked()])
    put(tmp_path / f"mscoco_{split}2014_annotations.json", "annotations", [annotation])
    (question,), skips = read(okvqa, tmp_path, split)
    assert question.votes == ("race",) * 6 + ("motocross",) * 4
    assert question.gold.answers == (("race", 1.0), ("motocross", 1.0))
    assert question.kind == "four"
    assert question.picture.address == f"coco:{split}2014/COCO_{split}2014_000000262148.jpg"
    assert not skips.total
    assert okvqa.rules == "vqa"
