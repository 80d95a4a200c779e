"""The lexical rules: what follows, what may be, what cannot be, and where they are silent."""

import pytest

from counterpoint.checks import prepositions as places
from counterpoint.checks.entailment_rules import entailment_label
from counterpoint.checks.text_pairs import tokenize
from counterpoint.language.lexicon.word_lists import split_list


@pytest.mark.parametrize(
    ("caption", "foil", "expected"),
    [
        ("A vase with some flowers in it.", "A vase with exactly one flower in it.", "contradiction"),
        ("Two men inside a single giant barbecue.", "Two men inside a number of giant barbecues.", "contradiction"),
        ("Some children are playing.", "A single child is playing.", "contradiction"),
        ("Here is a image of some zoo animals.", "Here is a image of a single zoo animal.", "contradiction"),
        ("A giraffe looks over a single metal fence.", "A giraffe looks over some metal fences.", "contradiction"),
        ("There are exactly 8 horses.", "There are exactly 5 horses.", "contradiction"),
        ("There is exactly 1 couch.", "There are exactly 4 couches.", "contradiction"),
        ("There are four zebras.", "There are six zebras.", "contradiction"),
        ("Two dogs are here.", "At least one dog is here.", "entailment"),
        ("Two dogs are here.", "Some dogs are here.", "entailment"),
        ("Two dogs are here.", "A dog is here.", "entailment"),
        ("Some dogs are here.", "Two dogs are here.", "neutral"),
        ("A dog is here.", "Several dogs are here.", "neutral"),
        ("Dogs are here.", "A dog is here.", "entailment"),
        ("At most two dogs are here.", "More than three dogs are here.", "contradiction"),
        ("There are no people.", "There are people.", "contradiction"),
        ("There are red vehicles.", "There are no red vehicles.", "contradiction"),
        ("There is a truck pictured.", "There is no truck pictured.", "contradiction"),
        ("A cat is here. Is it big? Yes.", "A cat is here. Is it big? No.", "contradiction"),
    ],
)
def test_numbers(caption: str, foil: str, expected: str) -> None:
    assert entailment_label(tokenize(caption), tokenize(foil)) == expected


@pytest.mark.parametrize(
    ("caption", "foil", "expected"),
    [
        ("a cat on a table", "a cat underneath a table", "contradiction"),
        ("a cat on top of a table", "a cat in front of a table", "contradiction"),
        ("a cat to the left of a table", "a cat to the right of a table", "contradiction"),
        ("a cat beside a table", "a cat next to a table", "entailment"),
        ("a cat next to a table", "a cat near a table", "entailment"),
        ("a cat near a table", "a cat under a table", "neutral"),
        ("a cat on a table", "a cat beside a table", "unknown"),
        ("people in a market", "people outside a market", "contradiction"),
        ("a cat on a table", "a cat atop a table", "entailment"),
        ("skiing down a hill", "skiing up a hill", "contradiction"),
    ],
)
def test_prepositions(caption: str, foil: str, expected: str) -> None:
    assert entailment_label(tokenize(caption), tokenize(foil)) == expected


@pytest.mark.parametrize(
    ("caption", "foil", "verbs", "expected"),
    [
        ("a dog on a bed", "an animal on a bed", False, "entailment"),
        ("an animal on a bed", "a dog on a bed", False, "neutral"),
        ("a couch in a room", "a sofa in a room", False, "entailment"),
        ("a dog on a bed", "a cat on a bed", False, "unknown"),
        ("an open door", "a closed door", False, "contradiction"),
        ("a gray cat", "a grey cat", False, "entailment"),
        ("a red car", "a blue car", False, "contradiction"),
        ("A man strolls here.", "A man walks here.", True, "entailment"),
        ("A man walks here.", "A man strolls here.", True, "neutral"),
        ("A figure ascends the stairs.", "A figure descends the stairs.", True, "contradiction"),
        ("A man shouts at a woman.", "A man smiles at a woman.", True, "unknown"),
        ("A man hugs a woman.", "A woman hugs a man.", False, "entailment"),
        ("A man dances with a woman.", "A woman dances with a man.", False, "entailment"),
        ("A man shouts at a woman.", "A woman shouts at a man.", False, "unknown"),
        ("A dog.", "a dog", False, "entailment"),
    ],
)
def test_meanings(caption: str, foil: str, verbs: bool, expected: str) -> None:
    assert entailment_label(tokenize(caption), tokenize(foil), verbs) == expected


def test_a_preposition_says_the_same_as_those_of_one_line_only() -> None:
    lines = [split_list(line) for line in places.read_rules()["synonyms"]]
    known = [phrase for line in lines for phrase in line]
    assert len(known) == len(set(known))
    assert not any(places.excludes(one, other) for line in lines for one in line for other in line)


def test_prepositions_that_exclude_each_other_do_so_both_ways_and_none_follows_from_the_other() -> None:
    for one, other in places.exclusive_pairs():
        assert places.excludes(one, other) == places.excludes(other, one)
        assert places.excludes(one, other) != places.entails(one, other)
