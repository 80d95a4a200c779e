"""Foils from real questions of VQA v2 and real dialogues of VisDial."""

from collections import Counter

import pytest
from real_data import real

from counterpoint.core.groups import Group
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.visdial import visdial
from counterpoint.sources.formats.vqa import vqa2
from counterpoint.suites.suite import generate_groups
from counterpoint.suites.valse import coreference, counting, existence
from counterpoint.suites.valse.statements import how_many


def _words(groups: list[Group], role: int) -> Counter[str]:
    return Counter(dict(group.tags[role])["word"] for group in groups)


def test_most_real_questions_after_a_number_become_statements() -> None:
    asked = [question.text for question in Source(vqa2, real("vqa2"), "val").questions()]
    counted = [text for text in asked if text.lower().startswith("how many")]
    assert sum(how_many(text) is not None for text in counted) >= 0.85 * len(counted) > 50


def test_half_of_real_existence_is_of_nothing() -> None:
    groups = [
        group for _, group in generate_groups(existence.suite, list(Source(vqa2, real("vqa2"), "val").questions()))
    ]
    words = _words(groups, 0)
    assert len(groups) >= 20
    assert words["no"] == words.total() / 2


def test_real_numbers_are_as_frequent_in_captions_as_in_foils() -> None:
    groups = [
        group for _, group in generate_groups(counting.suite, list(Source(vqa2, real("vqa2"), "val").questions()))
    ]
    tests = Counter(group.test for group in groups)
    assert tests[counting.BALANCED] >= 12
    assert tests[counting.SMALL] >= 14
    assert not any("0" in words or "zero" in words for words in (_words(groups, 0), _words(groups, 1)))
    for test in (counting.BALANCED, counting.SMALL):
        own = [group for group in groups if group.test == test]
        assert _words(own, 0) == _words(own, 1)


@pytest.mark.prove
def test_real_dialogues_make_the_clean_instrument() -> None:
    dialogues = list(Source(visdial, real("visdial"), "val").dialogues())
    for suite, least in ((coreference.suite, 3), (coreference.with_scenes, 18)):
        groups = [group for _, group in generate_groups(suite, dialogues)]
        assert {group.test for group in groups} == {coreference.CLEAN}
        assert _words(groups, 0)["yes"] == _words(groups, 0)["no"] >= least
