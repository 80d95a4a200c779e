"""Foils of relations: one preposition for another that is not true of the same."""

from collections import Counter
from collections.abc import Iterable

import pytest
from captions import caption, every_caption, sentences
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.groups import Group
from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.suites.suite import GAP, MASKED_LM, Rejection, generate_groups
from counterpoint.suites.valse.relations import (
    PrepositionSlot,
    PrepositionSurvey,
    candidate_prepositions,
    caption_gaps,
    excluded_prepositions,
    preposition_kinds,
    preposition_slots,
    propose_foils,
    suite,
)

ALL = list(every_caption())
SURVEY = PrepositionSurvey(ALL)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A cat sits on top of a car.", [("sit", "on top of", "car")]),
        ("A cat under a bench in front of the house.", [("cat", "under", "bench"), ("bench", "in front of", "house")]),
        ("A man walks into a store.", [("walk", "into", "store")]),
        ("A man walks up the stairs.", [("walk", "up", "stair")]),
        ("A man in a suit.", []),  # clothes
        ("A dog in the background.", []),  # no place
        ("A man talking on a cell phone.", []),
        ("A bus driving down a street.", []),  # as well as up
        ("A plate covered in sauce.", []),  # the verb wants it
        ("A man lying down.", []),  # a particle
        ("A cat near a bench.", []),  # true of much else
        ("On a bench.", []),
        ("", []),
    ],
)
def test_the_prepositions_that_say_where_are_found(text: str, found: list[tuple[str, str, str]]) -> None:
    assert [(slot.before, slot.said, slot.noun) for slot in preposition_slots(text)] == found


@pytest.mark.parametrize(
    ("one", "other"),
    [("on", "on top of"), ("on", "in"), ("beside", "next to"), ("in", "inside"), ("under", "below"), ("near", "on")],
)
def test_what_says_the_same_or_follows_is_never_exchanged(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert first not in preposition_kinds() or second not in excluded_prepositions(first)


def test_what_excludes_is_excluded() -> None:
    for one in preposition_kinds():
        for other in excluded_prepositions(one):
            assert one in excluded_prepositions(other)
            assert preposition_kinds()[one] != preposition_kinds()[other]


def _only(found: Iterable[PrepositionSlot]) -> PrepositionSlot:
    (one,) = found
    return one


def test_a_foil_is_attested_between_such_words() -> None:
    offered = candidate_prepositions(
        caption("A dog sitting on a bench.", 10**6), _only(preposition_slots("A dog sitting on a bench.")), SURVEY
    )
    assert offered == ["behind", "in front of", "next to", "under"]
    assert not candidate_prepositions(
        caption("A dog flying on a bench."), _only(preposition_slots("A dog flying on a bench.")), SURVEY
    )


def test_what_another_caption_of_the_picture_says_is_no_foil() -> None:
    both = [*ALL, caption("A dog under a bench.", 10**6)]
    offered = candidate_prepositions(
        caption("A dog sitting on a bench.", 10**6),
        _only(preposition_slots("A dog sitting on a bench.")),
        PrepositionSurvey(both),
    )
    assert "under" not in offered
    assert "behind" in offered


def test_what_is_annotated_is_no_foil() -> None:
    picture = Picture("world:1.png")
    things = (SceneObject("1", "dog"), SceneObject("2", "bench"))
    scene = Scene("1", picture, Size(9, 9), things, (Link("1", "behind", "2"),))
    known = Caption("1", picture, "A dog sitting on a bench.", scene=scene)
    assert "behind" not in candidate_prepositions(known, _only(preposition_slots(known.text)), SURVEY)


def test_a_masked_language_model_proposes_through_gaps() -> None:
    text = "A dog sitting on a bench."
    ((gap, said),) = caption_gaps(caption(text))
    assert (gap, said) == (f"A dog sitting {GAP} a bench.", "on")
    made = suite.configured({MASKED_LM: {gap: ["on", "on top of", "under", "banana"]}})
    group = next(iter(made.propose(caption(text), SURVEY, seeded_rng(1))))
    assert isinstance(group, Group)
    assert group.variants[0].text == "A dog sitting under a bench."
    assert isinstance(next(iter(made.propose(caption("A cat sitting on a bench."), SURVEY, seeded_rng(1)))), Rejection)


@given(sentences(), st.integers(0, 99))
def test_only_the_preposition_changes_and_a_foil_comes_again(text: str, seed: int) -> None:
    one, other = (list(propose_foils(caption(text), SURVEY, seeded_rng(seed))) for _ in range(2))
    assert one == other
    for group in one:
        if isinstance(group, Rejection):
            continue
        said, instead = (dict(tags)["word"] for tags in group.tags)
        assert said != instead
        start = next(place for place in range(len(text)) if group.base.text[place] != group.variants[0].text[place])
        assert text[: start + 1].lower() == group.base.text[: start + 1].lower()
        assert Counter(group.base.text.split()) - Counter(said.split()) == (
            Counter(group.variants[0].text.split()) - Counter(instead.split())
        )


def test_each_preposition_stands_for_another_as_often_as_the_other_way_round() -> None:
    groups = [group for _, group in generate_groups(suite, ALL)]
    assert groups
    directions = Counter(dict(group.tags[0])["direction"] for group in groups)
    for direction, count in directions.items():
        one, _, other = direction.partition("->")
        assert directions[f"{other}->{one}"] == count
    usual = Counter(dict(group.tags[0])["usual"] for group in groups)
    assert usual["caption"] == usual["foil"]
    assert {(group.test, group.kind) for group in groups} == {("relations", "relations")}
