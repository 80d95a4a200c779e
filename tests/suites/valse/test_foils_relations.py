"""Foils of relations: one preposition for another that is not true of the same."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache

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
    caption_foils,
    caption_gaps,
    exclusions,
    preposition_kinds,
    preposition_slots,
    propose_foils,
    suite,
)

ALL = list(every_caption())
NESTED = ("nested", "noun", "in front of", "fence")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A cat sits on top of a car.", [("cat", "sit", "on top of", "car")]),
        ("A cat on a bench in front of a fence.", [("cat", "noun", "on", "bench"), NESTED]),
        ("A man in a suit with a dog is standing behind a fence.", [("man", "stand", "behind", "fence")]),
        ("A man walks up the stairs.", [("man", "walk", "up", "stair")]),
        ("A man riding a skateboard down a ramp.", [("man", "ride", "down", "ramp")]),
        ("A man in a suit.", []),  # clothes
        ("A dog in the background.", []),  # no place
        ("A man talking on a cell phone.", []),
        ("A plate covered in sauce.", []),  # the verb wants it
        ("A man lying down.", []),  # a particle
        ("A cat near a bench.", []),  # true of much else
        ("A cat sitting in bed.", []),  # no thing by itself
        ("A man standing on a street.", []),  # a place that one is in
        ("A motorcycle just outside a building.", []),
        ("A cat on a bench and a chair.", []),
        ("A man holding a kite on a bench.", []),  # who or what is on it
        ("A woman touching a bag sitting on a bench.", []),
        ("People standing by an elephant behind a fence.", []),  # who of them
        ("Dogs on a row of benches.", []),
        ("A bear in four boxes.", []),
        ("On a bench.", []),
        ("", []),
    ],
)
def test_the_prepositions_that_say_where_are_found(text: str, found: list[tuple[str, str, str, str]]) -> None:
    assert [(slot.subject, slot.verb, slot.said, slot.noun) for slot in preposition_slots(text)] == found


@cache
def _survey() -> PrepositionSurvey:
    return PrepositionSurvey(ALL, known=())


def _offered(text: str, survey: PrepositionSurvey | None = None) -> list[str]:
    seen = survey or _survey()
    return [
        span for slot in preposition_slots(text) for span in candidate_prepositions(caption(text, 10**6), slot, seen)
    ]


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("A dog sitting on a bench.", {"on top of", "in", "near", "above", "off"}),
        ("A dog sitting in a car.", {"inside", "at"}),
        ("A dog standing next to a truck.", {"behind", "in front of", "beside"}),  # both may hold
        ("A dog standing on a truck behind a bench.", {"behind"}),  # said already
    ],
)
def test_what_says_the_same_or_may_hold_too_is_never_offered(text: str, never: set[str]) -> None:
    assert not never & set(_offered(text))


def _is_made(text: str, foil: str) -> bool:
    """Whether a caption gets a foil that another caption attests word by word."""
    survey = PrepositionSurvey([caption(text, 1), caption(foil, 2)], known=())
    return foil in [one.text for one in caption_foils(caption(text, 1), survey)]


@pytest.mark.parametrize(
    ("made", "refused"),
    [
        ("A man riding a bike down/up a hill.", "A man riding skis down/up a hill."),  # nobody skis uphill
        ("A man riding a bike down/up a hill.", "A man riding a bike down/up a hill to go up it."),
        ("A man walking down/across a street.", "A man walking down/across a street at a crosswalk."),
        ("A man walking down/across a street.", "A truck driving down/across a street."),
        ("A cat sitting in/on a car.", "A cat sitting in/on a car and looking out."),
        ("A cat sitting in/on a car.", "A cat sitting in/on a box."),  # an open box has no top
        ("Two men standing in/outside a barn.", "Two men standing in/outside a barn with a dirt floor."),
        ("Two men standing outside/in a barn.", "Two men standing outside/in a barn near the bushes."),
        ("A motorcycle parked outside/in a garage.", "A motorcycle parked outside/in an apartment building."),
        ("A chair standing outside/in a building.", "A fire hydrant standing outside/in a building."),
        ("A man standing in front of/behind a house.", "A man standing in front of/behind a tall house."),
        ("A bench in front of/behind a house.", "A street sign in front of/behind a house."),
        ("A man standing behind/in front of a woman.", "A man standing behind/in front of a batter."),
        ("A cat sitting on/under a couch.", "A woman sitting on/under a couch."),
        ("A cat sitting next to/on a suitcase.", "A man standing next to/on a suitcase."),
        ("A bird sitting in/behind a tree.", "A man standing behind/in a tree."),
        ("A man sitting at/on a table.", "A man sitting at/on a table with a meal."),
        ("A man sitting on/at a table.", "Two men sitting on/at a table."),
        ("A train going under/over a bridge.", "A boat going under/over a bridge."),
        ("A cat looking down at/up at a dog.", "A cat looking down at/up at a phone."),
        ("A man sitting on/outside a bus.", "A man sitting on/outside a bus with a tray of food."),
        ("People sitting on/in front of a bus.", "No people sitting on/in front of a bus."),
        ("A man standing on/next to a surfboard.", "A man standing on/next to a surfboard and riding a wave."),
        ("A man getting off/on a bus.", "A man getting off/on a bus onto the street."),
        ("A man on/next to a horse.", "A man on/next to a dog."),
        ("A clock above/below a sign.", "A mirror above/below a sink."),
    ],
)
def test_a_foil_that_would_be_odd_or_true_is_not_made(made: str, refused: str) -> None:
    for pattern, is_made in ((made, True), (refused, False)):
        before, said, other, after = _choice(pattern)
        assert _is_made(f"{before}{said}{after}", f"{before}{other}{after}") is is_made, pattern


def _choice(pattern: str) -> tuple[str, ...]:
    spans = "|".join(sorted(preposition_kinds(), key=len, reverse=True))
    found = re.fullmatch(rf"(.*?\b)({spans})/({spans})( .*)", pattern)
    assert found
    return found.groups()


def test_people_sit_at_a_desk_and_animals_do_not() -> None:
    said = [f"A {who} sitting {where} a desk." for who in ("man", "cat") for where in ("on", "at") for _ in range(9)]
    survey = PrepositionSurvey([caption(text, number) for number, text in enumerate(said)])
    assert "at" in _offered("A man sitting on a desk.", survey)
    assert "at" not in _offered("A cat sitting on a desk.", survey)


def test_a_landmark_that_is_named_twice_is_left_alone() -> None:
    assert caption_foils(caption("A dog sitting on a bench."), _survey())
    assert not caption_foils(caption("A dog sitting on a bench beyond a bench."), _survey())


def test_what_excludes_is_excluded() -> None:
    for row in exclusions():
        assert not row.these & row.those
        for one in row.these | row.those:
            assert one in preposition_kinds().values()
            assert row.is_one_way or all(one in row.others(other) for other in row.others(one))
        assert not row.is_one_way or not any(row.others(one) for one in row.those)


def _only(found: Iterable[PrepositionSlot]) -> PrepositionSlot:
    (one,) = found
    return one


def test_a_foil_is_attested_between_such_words() -> None:
    assert _offered("A dog sitting on a bench.") == ["behind", "in front of", "next to", "under"]
    assert not _offered(
        "A dog sitting on a stool.", PrepositionSurvey([caption("A dog sitting on a stool.")] * 3, known=())
    )
    assert not _offered("A dog flying on a bench.")


def test_a_source_with_few_captions_borrows_what_is_usual() -> None:
    few = [caption("A cat sitting on a laptop.", 1), caption("A man standing next to a truck.", 2)]
    assert not _offered(few[0].text, PrepositionSurvey(few, known=()))
    assert _offered(few[0].text, PrepositionSurvey(few)) == ["next to"]


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
    assert "behind" not in candidate_prepositions(known, _only(preposition_slots(known.text)), _survey())


def test_a_masked_language_model_proposes_through_gaps() -> None:
    text = "A dog sitting on a bench."
    ((gap, said),) = caption_gaps(caption(text))
    assert (gap, said) == (f"A dog sitting {GAP} a bench.", "on")
    made = suite.configured({MASKED_LM: {gap: ["on", "on top of", "under", "banana"]}})
    group = next(iter(made.propose(caption(text), _survey(), seeded_rng(1))))
    assert isinstance(group, Group)
    assert group.variants[0].text == "A dog sitting under a bench."
    assert isinstance(
        next(iter(made.propose(caption("A cat sitting on a bench."), _survey(), seeded_rng(1)))), Rejection
    )


@given(sentences(), st.integers(0, 99))
def test_only_the_preposition_changes_and_a_foil_comes_again(text: str, seed: int) -> None:
    one, other = (list(propose_foils(caption(text), _survey(), seeded_rng(seed))) for _ in range(2))
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


@pytest.mark.parametrize(
    ("text", "foil", "attests"),
    [
        (
            "A cat plays with a pocket knife on a table.",
            "A cat plays with a pocket knife underneath a table.",
            "A bag underneath a desk.",
        ),
        (
            "Fruits and vegetables are being sold in a market.",
            "Fruits and vegetables are being sold outside a market.",
            "Flowers are sold outside a market.",
        ),
    ],
)
def test_the_examples_of_valse_are_made(text: str, foil: str, attests: str) -> None:
    survey = PrepositionSurvey([caption(attests, 1)] * 2)
    assert foil in [one.text for one in caption_foils(caption(text), survey)]


@pytest.mark.parametrize(
    "text",
    [
        "A baby elephant is walking under a larger elephant.",
        "An airplane is letting off white smoke against a blue sky.",
        "A cow stands on a sidewalk outside a building.",
        "Three giraffes banding down to drink water with trees in the background.",
    ],
)
def test_examples_of_valse_with_an_odd_foil_are_not_made(text: str) -> None:
    assert not list(preposition_slots(text))


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
