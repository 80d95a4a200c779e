"""English: forms that a careful reader accepts, for every name we know."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.language import english, verbs
from counterpoint.language.english import (
    a,
    any_of,
    article,
    base_form,
    be,
    count,
    gerund,
    is_countable,
    is_mass,
    is_plural,
    join_list,
    number_value,
    number_word,
    plural,
    singular,
)
from counterpoint.language.lexicon.senses import curated_names, hypernyms
from counterpoint.language.lexicon.word_lists import split_list, word_list

GOLDEN = Path(__file__).parents[1] / "goldens" / "english.txt"
REAL = Path(os.environ.get("COUNTERPOINT_REAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
NAMES = [*curated_names(), *hypernyms()]
VERBS = sorted(word_list("verbs", "known"))
ODD = {"glass", "plier"}  # "glasses" are spectacles, "pliers" a pair

AN = """
hour, heir, honest man, herb, apple, umbrella, umpire, SUV, x-ray, 8, 11, 18, iPod, unlit lamp, unoccupied bench,
unhappy cat, urban street, orange, egg, oven, ice cube, Xbox
"""
A = """
unicycle, uniform, utensil, urinal, used car, one-way sign, ewe, European, unique hat, house, horse, hotel, yellow cup,
wheel, TV, DVD, useful tool, university, 10, 7
"""


def test_a_countable_name_survives_its_plural() -> None:
    countable = [name for name in NAMES if is_countable(name) and name not in ODD]
    assert [name for name in countable if singular(plural(name)) != name] == []
    assert [name for name in countable if not is_plural(plural(name)) and plural(name) != name] == []


def test_every_name_of_gqa_survives_its_other_number() -> None:
    path = REAL / "ontology" / "graphvqa" / "name_gqa.txt"
    if not path.exists():
        pytest.skip(f"the names of GQA are not at {path}; set COUNTERPOINT_REAL_DATA to the folder that holds them")
    countable = [name for name in path.read_text("utf-8").splitlines()[1:] if is_countable(name) and name not in ODD]
    returned = [plural(singular(name)) if is_plural(name) else singular(plural(name)) for name in countable]
    assert returned == countable


@given(st.sampled_from(NAMES))
def test_forms_are_stable(name: str) -> None:
    assert plural(plural(name)) == plural(name)
    assert singular(singular(name)) == singular(name)


@given(st.sampled_from(NAMES))
def test_no_article_stands_before_a_plural_or_a_mass_noun(name: str) -> None:
    assert re.match(r"an? ", a(name)) if is_countable(name) else a(name) == f"some {name}"
    assert a(plural(name)).startswith("some ") == any_of(plural(name)).startswith("any ")


@given(st.sampled_from(NAMES), st.sampled_from(["red", "open", "empty", "large", "old", "unlit", "used", "upright"]))
def test_an_adjective_changes_the_article_and_nothing_else(name: str, adjective: str) -> None:
    phrase = f"{adjective} {name}"
    assert is_plural(phrase) == is_plural(name)
    assert is_mass(phrase) == is_mass(name)
    assert plural(phrase) == f"{adjective} {plural(name)}"


@pytest.mark.parametrize("phrase", split_list(AN))
def test_an_stands_before_a_vowel_that_is_heard(phrase: str) -> None:
    assert article(phrase) == "an"


@pytest.mark.parametrize("phrase", split_list(A))
def test_a_stands_before_a_consonant_that_is_heard(phrase: str) -> None:
    assert article(phrase) == "a"


@given(st.integers(0, 100))
def test_number_words_are_read_back(n: int) -> None:
    assert number_value(number_word(n)) == n
    assert number_value(str(n)) == n


@given(st.integers(0, 20), st.sampled_from(NAMES))
def test_a_count_agrees_with_its_noun(n: int, name: str) -> None:
    counted = count(n, name)
    assert counted.startswith(number_word(n) + " ")
    assert is_plural(counted) == (n != 1) or plural(counted) == counted
    assert be(n) == ("is" if n == 1 else "are")


def test_verbs_are_told_back_from_their_forms() -> None:
    makers = (english.third_person, english.gerund, verbs.past, verbs.participle)
    forms = [(verb, make(verb)) for verb in VERBS for make in makers]
    assert [pair for pair in forms if base_form(pair[1]) != pair[0]] == [("lie", "lay")]


def test_every_gerund_ends_well() -> None:
    assert [verb for verb in VERBS if not re.fullmatch(r"(?!.*(.)\1\1).*ing", gerund(verb))] == []


def test_words_agree_with_one_and_with_many() -> None:
    words = (be, english.do, english.have, english.it)
    assert " ".join(word("dog") for word in words) == "is does has it"
    assert " ".join(word("pants") for word in words) == "are do have they"
    assert " ".join(word(n) for word in words for n in (1, 0)) == "is are does do has have it they"
    assert be("bread") == be("wine glass") == "is"


def test_spectacles_are_not_taken_for_glasses_to_drink_from() -> None:
    assert [english.is_pair("glasses"), english.is_pair("wine glasses")] == [True, False]
    assert [singular("glasses"), singular("wine glasses")] == ["glasses", "wine glass"]


FORMS: dict[Callable[[str], str], str] = {
    a: """
        apple, hour hand, unicycle, umbrella, SUV, used car, bread, grass, pants, glasses, wine glasses, people, sheep,
        deer, red trees, pair of scissors, slice of pizza, ice cream, urinal, herb, bus, clothes, young men, broccoli
    """,
    any_of: "dog, dogs, bread, open umbrella, jeans, silverware",
    plural: """
        bookshelf, knife, leaf, scarf, roof, man, policeman, ottoman, woman, child, person, foot, tooth, goose, mouse,
        cactus, octopus, bus, box, bench, dish, glass, mattress, cherry, toy, monkey, tomato, potato, mango, photo,
        piano, taco, ski, taxi, menu, kiwi, sheep, deer, fish, pants, grass, fruit, slice of pizza, traffic light,
        woman with a dog, teddy bear, potted plant, T-shirt, TV
    """,
    singular: """
        leaves, olives, knives, gloves, people, children, mice, geese, feet, teeth, cookies, berries, pies, movies,
        buses, houses, vases, boxes, watches, axes, mustaches, glasses, wine glasses, skis, menus, gas, lens, tennis,
        pieces of cake, cacti
    """,
    english.third_person: "carry, watch, ride, go, do, have, be, play, fix, look at, pass",
    gerund: """
        ride, sit, lie, ski, run, carry, see, tie, swim, open, begin, picnic, quit, kayak, pick up, dye, travel, hit
    """,
    verbs.past: "ride, carry, stop, sit, hold, wear, eat, play, lie, lay, throw, look at, ski, travel, begin",
    verbs.participle: "ride, eat, write, break, take, swim, cut, stand, carry",
    base_form: "riding, sliced, holding, wore, flies, lying, hopping, hoping, skiing, looking at, stacked",
    english.possessive: "dog, dogs, bus, children, man, glasses",
    english.sentence: "there are two dogs, stop!",
    english.question: "is there any bread",
}
COUNTS = [(0, "dog"), (1, "cups"), (2, "man"), (3, "pants"), (2, "bread"), (12, "sheep"), (21, "traffic light")]
LISTS = [["a cat"], ["red", "blue"], ["a cat", "a dog", "a bird"]]


def _forms() -> list[str]:
    return [
        *(f"{make.__name__}: {word} → {make(word)}" for make, text in FORMS.items() for word in split_list(text)),
        *(f"count: {n}, {noun} → {count(n, noun)}" for n, noun in COUNTS),
        *(f"listed: {' + '.join(row)} → {join_list(row)} / {join_list(row, 'or')}" for row in LISTS),
    ]


def test_english_reads_well() -> None:
    assert _forms() == GOLDEN.read_text("utf-8").splitlines()
