"""Classes of attributes and actions: what excludes what."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.language.lexicon.attributes import (
    action_of,
    are_synonyms,
    attribute_classes,
    class_of,
    classes_of,
    excludes,
    opposite,
    opposites,
)
from counterpoint.language.lexicon.word_lists import split_list

WORDS = sorted({word for held in attribute_classes().values() for value in held.values for word in value})
OPPOSITES = [
    pair for held in attribute_classes().values() if held.visible and held.name != "color" for pair in held.opposites
]
BASIC = split_list("white, black, gray, red, orange, yellow, green, blue, purple, pink, brown")
words = st.sampled_from([*WORDS, "quixotic", "chain-smoking"])


@given(words, words)
def test_exclusion_is_mutual_and_never_of_itself(one: str, other: str) -> None:
    assert excludes(one, other) == excludes(other, one)
    assert are_synonyms(one, other) == are_synonyms(other, one)
    assert not excludes(one, one)
    assert not (excludes(one, other) and are_synonyms(one, other))
    assert not excludes(one, other) or set(classes_of(one)) & set(classes_of(other))


@given(words)
def test_an_opposite_is_excluded_and_turns_back(word: str) -> None:
    for other in opposites(word):
        assert excludes(word, other)
        assert any(are_synonyms(back, word) for back in opposites(other))


def test_lists_name_only_values_of_their_class() -> None:
    for held in attribute_classes().values():
        usual = {value[0] for value in held.values}
        known = {word for value in held.values for word in value}
        assert set().union(*held.overlapping) <= usual
        assert {word for pair in held.opposites for word in pair} <= known
        assert len(known) == sum(len(value) for value in held.values)


def test_basic_colors_exclude_each_other() -> None:
    assert all(excludes(one, other) for one, other in combinations(BASIC, 2))


@pytest.mark.parametrize(
    "pair",
    [
        "tan-beige",
        "gray-silver",
        "gold-yellow",
        "blue-light blue",
        "metal-steel",
        "brown-brunette",
        "red-large",
        "large-huge",
    ],
)
def test_values_that_a_thing_may_both_have_are_not_contrasted(pair: str) -> None:
    assert not excludes(*pair.split("-"))


def test_spellings_and_synonyms_are_the_same() -> None:
    assert all(are_synonyms(*pair) for pair in [("gray", "grey"), ("large", "big"), ("closed", "shut"), ("odd", "odd")])
    assert not any(are_synonyms(*pair) for pair in [("red", "blue"), ("red", "quixotic")])


def test_states_of_the_world_are_pairs() -> None:
    pairs = "open-closed full-empty lit-unlit on-off clean-dirty intact-broken whole-sliced leafy-bare awake-asleep"
    for one, other in (pair.split("-") for pair in f"{pairs} blooming-wilted upright-overturned plain-striped".split()):
        assert opposite(one) == other
        assert opposite(other) == one


def test_there_are_enough_opposites() -> None:
    assert len(OPPOSITES) == len(set(OPPOSITES))
    assert len(OPPOSITES) >= 45


CURATED = """
open-closed, tall-short, long-short, large-small, huge-tiny, wide-narrow, thick-thin, deep-shallow, full-empty, wet-dry,
clean-dirty, neat-messy, old-young, new-old, modern-antique, dark-light, bright-dark, heavy-light, hot-cold, raw-cooked,
ripe-unripe, fresh-rotten, curly-straight, straight-curved, straight-bent, smooth-rough, smooth-wrinkled, hard-soft,
sharp-dull, shiny-dull, on-off, lit-unlit, whole-sliced, intact-broken, peeled-unpeeled, leafy-bare, blooming-wilted,
paved-unpaved, awake-asleep, happy-sad, tight-loose, calm-choppy, clear-murky, sunny-cloudy, upright-fallen, flat-steep,
folded-unfolded, inflated-deflated, covered-uncovered, tied-untied, raised-lowered, fat-skinny, crowded-deserted,
occupied-unoccupied, vertical-horizontal, plain-striped, framed-unframed, painted-unpainted, eaten-uneaten, real-fake
"""


def test_the_opposites_that_people_name_first_are_there() -> None:
    known = {frozenset(pair) for pair in OPPOSITES}
    assert [pair for pair in split_list(CURATED) if frozenset(pair.split("-")) not in known] == []
    assert len(split_list(CURATED)) >= 45


SAID = """
old man: young, old car: new, old dogs: young, short boy: tall, short hair: long, short tree: tall, short skirt: long,
thin woman: fat, thin book: thick, light hair: dark, smooth shirt: wrinkled, smooth road: rough, rough ocean: calm,
straight hair: curly, straight road: curved, dull knife: sharp, dull car: shiny, whole pizza: sliced, whole cup: broken,
clear sky: overcast, clear water: murky, plain shirt: striped, plain donut: glazed, big dog: small, parked bus: moving
"""


@pytest.mark.parametrize("row", split_list(SAID))
def test_a_word_with_two_opposites_takes_the_one_that_fits_the_thing(row: str) -> None:
    said, other = row.split(": ")
    value, name = said.split(" ")
    assert opposite(value, name) == other


@pytest.mark.parametrize(
    "said", split_list("light bag, clear glass, long building, tall boot, red car, black cat, old xyzzy")
)
def test_a_word_has_no_opposite_where_people_could_differ(said: str) -> None:
    assert opposite(*said.split(" ")) is None


def test_colors_are_opposites_only_when_asked_for() -> None:
    assert [opposite("black"), opposite("white", "cat"), opposite("black", "cat", colors=True)] == [None, None, "white"]
    assert attribute_classes()["color"].opposites == (("black", "white"),)


def test_a_thing_may_have_several_values_of_some_classes() -> None:
    assert not any(excludes(*pair) for pair in [("grassy", "rocky"), ("holding", "touching"), ("hanging", "mounted")])
    assert excludes("stacked", "scattered")


def test_poses_exclude_each_other_and_what_can_be_done_meanwhile_does_not() -> None:
    rivals = split_list("standing-sitting, sitting-lying, lying-standing, walking-running")
    both = split_list("sitting-eating, standing-talking, eating-talking")
    assert all(excludes(*pair.split("-")) for pair in rivals)
    assert not any(excludes(*pair.split("-")) for pair in both)


def test_relations_tell_what_is_done() -> None:
    relations = ["lying on", "walking down", "flying", "flying over", "wearing", "playing with", "behind", "covered in"]
    told = ["lying", "walking", "flying a kite", "flying", "wearing", "playing", None, None]
    assert [action_of(relation) for relation in relations] == told


def test_a_value_has_the_class_that_lists_it() -> None:
    assert [value[0] for value in attribute_classes()["openness"].values] == ["open", "closed"]
    assert [class_of(value) for value in ("sitting", "red", "quixotic")] == ["pose", "color", None]
