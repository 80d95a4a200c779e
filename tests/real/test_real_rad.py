"""Counterfactuals of real questions and dialogues: how many there are, and that they read as they should."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from real_data import real

from counterpoint.core.groups import Group
from counterpoint.sources.dataset import Source
from counterpoint.sources.formats.convqa import l_convqa
from counterpoint.sources.formats.visdial import visdial
from counterpoint.sources.formats.vqa import vqa2
from counterpoint.suites.rad import counterfactuals, dialogues
from counterpoint.suites.rad import question_sets as families
from counterpoint.suites.suite import generate_groups


def _made(suite: Any, items: Sequence[Any]) -> list[Group]:
    return [group for _, group in generate_groups(suite, items)]


SHAPES = {
    "color": r"is the color of the [^?]+ [a-z]+",
    "how-many": r"(?:is there exactly one|is it true that there are no|are there exactly (?!one )[a-z-]+) [^,?]+",
    "what-kind": r"is this [^,?]+",
}


def _reads_well(groups: Sequence[Group]) -> None:
    """Every variant has the shape of its kind, and is written as its base is."""
    for group in groups:
        base, variant = (query.text for query in group.queries)
        assert re.fullmatch(SHAPES[group.kind], variant.lower().removesuffix("?")), variant
        assert (base[0].isupper(), base.endswith("?")) == (variant[0].isupper(), variant.endswith("?"))
        assert not re.search(r"  | \?|[0-9]", variant)


def test_counterfactuals_of_vqa_read_well_and_are_as_many_as_they_were() -> None:
    groups = _made(counterfactuals.suite, list(Source(vqa2, real("vqa2"), "val", None).questions()))
    assert Counter(group.kind for group in groups) == {"color": 20, "how-many": 24, "what-kind": 2}
    _reads_well(groups)


def test_counterfactuals_of_visual_dialogues_read_well_and_have_a_hundred_options() -> None:
    groups = _made(dialogues.suite, list(Source(visdial, real("visdial"), "val", None).dialogues()))
    assert Counter(group.kind for group in groups) == {"color": 38, "how-many": 8}
    assert all(len(query.choices) == 100 for group in groups for query in group.queries)
    assert all(set(dict(gold.answers)) <= set(query.choices) for group in groups for query, gold in _members(group))
    _reads_well(groups)


def _members(group: Group) -> list[tuple[Any, Any]]:
    return list(zip(group.queries, group.gold, strict=True))


def test_sets_of_convqa_become_groups_of_all_their_questions() -> None:
    groups = _made(families.logical_sets, list(Source(l_convqa, real("convqa"), "test", None).questions()))
    assert len(groups) == 1991  # of 1,999 sets, eight repeat another on the same picture
    assert sum(len(group.queries) for group in groups) == 6716
