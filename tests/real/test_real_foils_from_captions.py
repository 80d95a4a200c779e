"""Foils from real captions of COCO: enough of them, balanced, and told from captions by no word."""

from collections import Counter
from typing import Any

import pytest
from proving import prove
from real_data import real

from counterpoint.core.items import Caption
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.coco import coco
from counterpoint.suites.suite import Suite, generate_groups
from counterpoint.suites.valse import objects, plurality, relations


@pytest.fixture(scope="module")
def captions() -> list[Caption]:
    return list(Source(coco, real("coco"), "val2017", limit=1500).captions())


@pytest.mark.parametrize(
    ("suite", "least"), [prove(plurality.suite, 20), (relations.suite, 10), prove(objects.suite, 20)]
)
def test_real_captions_give_balanced_foils(suite: Suite[Any, Any], least: int, captions: list[Caption]) -> None:
    groups = [group for _, group in generate_groups(suite, captions)]
    assert len(groups) >= least
    words = [Counter(dict(group.tags[side])["word"] for group in groups) for side in (0, 1)]
    assert words[0] == words[1]
    usual = Counter(dict(group.tags[0])["usual"] for group in groups)
    assert usual["caption"] == usual["foil"]
    assert all(group.base.text != group.variants[0].text for group in groups)
