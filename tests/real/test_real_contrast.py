"""Contrast sets from real questions and scene graphs of GQA."""

import sys
from collections import Counter
from pathlib import Path

import pytest
from real_data import real

from counterpoint.core.groups import Group
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.gqa import gqa
from counterpoint.suites.contrast.contrast_sets import NO_TEMPLATE, suite
from counterpoint.suites.contrast.question_forms import TEMPLATES
from counterpoint.suites.suite import Tally, generate_groups

sys.path.append(str(Path(__file__).parents[1] / "suites"))
from contrast_judge import judged

READ = {
    "Which color is the snow?": "white",
    "Is the black animal to the right of the green chair?": "no",
    "Is there a wine glass to the right of the man on the left?": "yes",
    "Is there a wine glass to the left of the painting?": "yes",
    "Is there a wine glass to the left of the paper?": "yes",
    "Is there a wine glass to the left of the man on the right?": "yes",
    "Is there a ball to the left of the boy?": "no",
    "Is there a car to the right of the boy?": "no",
    "Is there a cat to the right of the boy?": "no",
    "Is there a dog to the right of the boy?": "no",
    "Is there a food truck to the right of the boy?": "no",
    "Is there a taxi to the right of the boy?": "no",
    "Is the boy playing with a ball?": "yes",
    "Is the street light to the right or to the left of the man at the window?": "right",
    "Is the black street light to the right or to the left of the man at the window?": "right",
    "On which side of the photo is the windshield?": "right",
    "Is the food to the right of any leaves?": "yes",
    "Is the person holding a wine glass?": "no",
    "Is the person standing on the umbrella?": "no",
}
"""What was read by eye, with the scene beside it, and found right and fluent."""

RESTATED = {
    "Is the boy playing with a controller?",
    "Is there a ball to the right of the boy?",
    "Is the backpack to the right or to the left of the man at the window?",
    "Is the person holding the spatula?",
}
"""The originals whose words could mean several things, by the names of their annotation."""


@pytest.fixture(scope="module")
def made() -> tuple[list[Group], Tally, int]:
    items, tally = Source(gqa, real("gqa"), "val").grounded(), Tally()
    return [group for _, group in generate_groups(suite, items, tally=tally)], tally, sum(1 for _ in items)


def test_every_real_contrast_was_read_and_found_right(made: tuple[list[Group], Tally, int]) -> None:
    groups, _, _ = made
    told = {
        query.text: gold.best
        for group in groups
        for query, gold in zip(group.variants, group.gold[1:], strict=True)
        if gold
    }
    assert told.items() <= READ.items()
    assert len({dict(group.tags[0])["question"] for group in groups}) == 10, "of the 14 that are matched"
    restated = {group.base.text for group in groups if "restated" in dict(group.tags[0])}
    assert restated == RESTATED


def test_a_second_opinion_reads_every_original_and_contrast_in_its_own_words_and_agrees() -> None:
    source = Source(gqa, real("gqa"), "val")
    scenes = {item.scene.picture.address: item.scene for item in source.grounded()}
    told = [
        (query.text, gold.best, judged(scenes[query.picture.address], query.text))
        for seed in range(5)
        for _, group in generate_groups(suite, source.grounded(), seed)
        for query, gold in zip(group.queries, group.gold, strict=True)
        if query.picture and gold
    ]
    assert len(told) >= 30
    assert [row for row in told if row[1] != row[2]] == []


def test_every_question_is_changed_or_counted_with_a_reason(made: tuple[list[Group], Tally, int]) -> None:
    groups, tally, questions = made
    assert questions == 33
    by_template = Counter(group.kind for group in groups)
    by_template.update(dict.fromkeys(TEMPLATES, 0))
    for (kind, reason), count in tally.dropped.items():
        assert reason
        by_template[kind] += count
    relations = by_template[TEMPLATES[4]]
    assert relations == 3, "what can be turned round is an instance of two templates"
    assert by_template[NO_TEMPLATE] == tally.dropped[NO_TEMPLATE, "it is of another kind"], "every wording is known"
    assert by_template.total() - relations == questions
    assert by_template[TEMPLATES[0]] == 3
    assert by_template[TEMPLATES[2]] == 4
    assert by_template[TEMPLATES[3]] == 5
    assert by_template[TEMPLATES[5]] == 2


def test_ids_keep_their_zeros_and_proofs_name_objects_of_the_scene(made: tuple[list[Group], Tally, int]) -> None:
    groups, _, _ = made
    known = {item.question.id: item.scene for item in Source(gqa, real("gqa"), "val").grounded()}
    for group in groups:
        for tags in map(dict, group.tags[1:]):
            scene = known[tags["question"]]
            assert any(one.id in tags["proof"] for one in scene) or tags["proof"].startswith(f"no {tags['to']}")
