"""Classes of attributes and actions: what excludes what."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import UnknownName
from counterpoint.language.classes import (
    class_of,
    classes,
    classes_of,
    excludes,
    opposite,
    opposite_pairs,
    opposites,
    same,
    values,
)
from counterpoint.language.words import split_list

WORDS = sorted({word for held in classes().values() for value in held.values for word in value})
BASIC = split_list("white, black, gray, red, orange, yellow, green, blue, purple, pink, brown")
words = st.sampled_from([*WORDS, "delicious", "chain-smoking"])


@given(words, words)
def test_exclusion_is_mutual_and_never_of_itself(one: str, other: str) -> None:
    assert excludes(one, other) == excludes(other, one)
    assert same(one, other) == same(other, one)
    assert not excludes(one, one)
    assert not (excludes(one, other) and same(one, other))
    assert not excludes(one, other) or set(classes_of(one)) & set(classes_of(other))


@given(words)
def test_an_opposite_is_excluded_and_turns_back(word: str) -> None:
    for other in opposites(word):
        assert excludes(word, other)
        assert any(same(back, word) for back in opposites(other))


def test_lists_name_only_values_of_their_class() -> None:
    for held in classes().values():
        usual = {value[0] for value in held.values}
        known = {word for value in held.values for word in value}
        assert set().union(*held.near) <= usual
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
    assert all(same(*pair) for pair in [("gray", "grey"), ("large", "big"), ("closed", "shut"), ("odd", "odd")])
    assert not any(same(*pair) for pair in [("red", "blue"), ("red", "delicious")])


def test_states_of_the_world_are_pairs() -> None:
    pairs = "open-closed full-empty lit-unlit on-off clean-dirty intact-broken whole-sliced leafy-bare awake-asleep"
    for one, other in (pair.split("-") for pair in f"{pairs} blooming-wilted upright-overturned plain-striped".split()):
        assert opposite(one) == other
        assert opposite(other) == one


def test_there_are_enough_opposites() -> None:
    assert len(opposite_pairs()) == len(set(opposite_pairs()))
    assert len(opposite_pairs()) >= 45


def test_a_class_lists_its_values_and_an_unknown_one_says_so() -> None:
    assert values("openness") == ("open", "closed")
    assert [class_of(value) for value in ("sitting", "red", "delicious")] == ["pose", "color", None]
    with pytest.raises(UnknownName, match="no class is called 'colour'"):
        values("colour")
