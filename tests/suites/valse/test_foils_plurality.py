"""Foils of plurality: one for many and many for one, with all that agrees."""

from collections import Counter

import pytest
from captions import caption, every_caption, sentences
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture, Size
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.suites.suite import Rejection, generate_groups
from counterpoint.suites.valse.plurality import PluralitySurvey, number_changes, propose_foils, quantifiers, suite

ONE, MANY = "exactly one", "some"


def shown(text: str) -> list[str]:
    """Caption and foil of every noun phrase, with the same quantifiers each time."""
    pairs = []
    for group in propose_foils(caption(text), PluralitySurvey([]), seeded_rng(1)):
        assert not isinstance(group, Rejection)
        pairs += [f"{group.base.text} / {group.variants[0].text}"]
    for one in quantifiers(False):
        pairs = [pair.replace(one.capitalize(), "Exactly one").replace(one, ONE) for pair in pairs]
    for many in quantifiers(True):
        pairs = [pair.replace(many.capitalize(), "Some").replace(many, MANY) for pair in pairs]
    return pairs


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A dog runs.", ["Exactly one dog runs. / Some dogs run."]),
        ("A dog is here.", ["Exactly one dog is here. / Some dogs are here."]),
        ("Two dogs are here.", ["Some dogs are here. / Exactly one dog is here."]),
        ("The old men carry bread.", []),
        ("The old men walk.", ["Some old men walk. / Exactly one old man walks."]),
        ("There is a clock.", ["There is exactly one clock. / There are some clocks."]),
        ("There was a clock.", ["There was exactly one clock. / There were some clocks."]),
        ("A cat that has a hat.", ["A cat that has exactly one hat. / A cat that has some hats."]),
        ("A herd of cows grazes.", ["Some cows graze. / Exactly one cow grazes."]),
        ("Numerous old cars.", ["Some old cars. / Exactly one old car."]),
        ("A photo of a giraffe.", ["A photo of exactly one giraffe. / A photo of some giraffes."]),
        ("A man sits and watches a bird.", [
            "A man sits and watches exactly one bird. / A man sits and watches some birds.",
        ]),
        ("A bowl of soup.", ["Exactly one bowl of soup. / Some bowls of soup."]),
        ("A man and a woman are here.", [
            "Exactly one man and a woman are here. / Some men and a woman are here.",
            "A man and exactly one woman are here. / A man and some women are here.",
        ]),
        ("a bus stops.", ["exactly one bus stops. / some buses stop."]),
        ("A cow stands on a beach next to a car.", [
            "Exactly one cow stands on a beach next to a car. / Some cows stand on a beach next to a car.",
        ]),
        # VALSE, tables 1 and 7
        ("A small copper vase with some flowers in it.", [
            "A small copper vase with some flowers in it. / A small copper vase with exactly one flower in it.",
        ]),
        ("Some children are playing baseball outside in a field.", [
            "Some children are playing baseball outside in a field. / "
            "Exactly one child is playing baseball outside in a field.",
        ]),
    ],
)  # fmt: skip
def test_a_caption_gives_these_foils(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Some grass and bread.",  # mass nouns
        "Scissors and pants.",  # pairs
        "Her dog.",  # possessives
        "A game of chess.",  # of-phrases
        "Two dogs play with each other.",
        "It sees them.",  # pronouns
        "Another man surfs.",
        "This is a dog.",
        "MEN ON A BUS.",
        "A man on his surfboard.",  # a single man on his surfboards
        "Men on surfboards.",  # one man on surfboards
        "A man wearing a hat.",  # some men wearing a hat
        "A group of dogs wearing muzzles.",  # one muzzle each
        "Girls with brown hair play with balls.",  # a verb that the tagger missed
        "Three zebras stand in a field and graze.",
        "A teddy bear on a picnic blankets.",  # no good English
        "Some people a table some bananas.",
        "Two men standing side by side.",
        "Two cats lie near a sitting cat.",
        "Two elephants standing and lying on a beach.",
        "Small and large giraffes on a hill.",
        "Two players are playing baseball and a camera.",
        "The men's dogs.",
        "A man riding a motor bike.",
        # VALSE, table 7
        "A row of motorcycles parked together on a grass yard area with a house in the background.",
        "Two men are looking inside of a giant barbecue.",
        "People riding motorbikes on the road.",
    ],
)
def test_what_cannot_be_counted_without_doubt_is_left_alone(text: str) -> None:
    assert list(number_changes(text)) == []


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("A fire hydrant beside a building.", ["hydrant"]),  # there may be more buildings
        ("A bus with a building in the background.", ["bus"]),
        ("Two young men playing frisbee at night on a sports field.", ["man"]),  # VALSE, table 7
    ],
)
def test_of_places_and_backgrounds_the_number_cannot_be_seen(text: str, nouns: list[str]) -> None:
    assert [change.noun for change in number_changes(text)] == nouns


def test_a_caption_of_more_than_eighty_words_is_too_long() -> None:
    long = "A dog " + "near a lake " * 25
    assert list(number_changes(f"{long}."))
    assert not list(number_changes(f"{long} near a lake."))


def test_exactly_one_is_not_said_where_another_caption_or_the_scene_has_several() -> None:
    for other in ("Two dogs run.", "Some animals play."):
        dropped = list(propose_foils(caption("A dog runs."), PluralitySurvey([caption(other)]), seeded_rng(1)))
        assert dropped == [Rejection("plurality", "another caption of the picture names several")]
    picture = Picture("world:1.png")
    two = Scene("1", picture, Size(9, 9), (SceneObject("1", "dog"), SceneObject("2", "dog")))
    dropped = list(propose_foils(Caption("1", picture, "A dog runs.", scene=two), PluralitySurvey([]), seeded_rng(1)))
    assert dropped == [Rejection("plurality", "several are annotated")]


@given(sentences())
def test_only_the_phrase_and_what_agrees_with_it_changes(text: str) -> None:
    for change in number_changes(text):
        places = {(change.start, change.end)} | {(start, end) for start, end, _, _ in change.forms}
        assert all(text[start:end] for start, end in places)
        assert (change.one in text) or change.many
        assert change.one != change.several


@given(sentences(), st.integers(0, 99))
def test_a_foil_differs_from_its_caption_and_comes_again(text: str, seed: int) -> None:
    one, other = (list(propose_foils(caption(text), PluralitySurvey([]), seeded_rng(seed))) for _ in range(2))
    assert one == other
    for group in one:
        assert not isinstance(group, Rejection)
        assert group.base.text != group.variants[0].text
        assert group.base.picture == group.variants[0].picture


def test_both_directions_and_all_nouns_are_as_often_in_captions_as_in_foils() -> None:
    groups = [group for _, group in generate_groups(suite, list(every_caption()))]
    assert groups
    words = [Counter(dict(group.tags[side])["word"] for group in groups) for side in (0, 1)]
    assert words[0] == words[1]
    directions = Counter(dict(group.tags[0])["direction"] for group in groups)
    assert directions["plural->singular"] == directions["singular->plural"]
    assert {group.test for group in groups} == {"plurals"}


def test_fewer_groups_are_as_balanced() -> None:
    groups = [group for _, group in generate_groups(suite, list(every_caption()), limit=20)]
    assert len(groups) == 20
    words = [Counter(dict(group.tags[side])["word"] for group in groups) for side in (0, 1)]
    assert words[0] == words[1]
