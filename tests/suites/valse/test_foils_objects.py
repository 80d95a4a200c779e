"""Foils of objects: another thing of the same sort that is not there."""

from collections import Counter
from functools import cache

import pytest
from captions import caption, sentences
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.ids import seeded_rng
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture, Size
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.suites.suite import Rejection, generate_groups
from counterpoint.suites.valse.objects import (
    ObjectSurvey,
    candidate_words,
    caption_foils,
    categories,
    object_mentions,
    propose_foils,
    sibling_words,
    suite,
)

NAMES = (
    "dog",
    "cat",
    "bird",
    "horse",
    "elephant",
    "orange",
    "carrot",
    "donut",
    "bus",
    "bicycle",
    "car",
    "chair",
    "bed",
)
FORMS = (
    "A {} runs.",
    "A {} in a field.",
    "A man holding a {}.",
    "A brown {} is near a wall.",
    "A dog sitting on a {}.",
)
ALL = [caption(form.format(name), 10 * n + m) for n, name in enumerate(NAMES) for m, form in enumerate(FORMS)]


@cache
def _survey() -> ObjectSurvey:
    return ObjectSurvey(ALL, known=())


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A dog sitting on a couch.", [("dog", False), ("couch", False)]),
        ("Two large buses.", [("bus", True)]),
        ("A stop sign is near a teddy bear.", [("stop sign", False)]),  # another thing may be near it too
        ("There is a cat.", [("cat", False)]),
        ("A picture of a cat.", [("cat", False)]),
        ("A man holding a kite.", [("kite", False)]),
        ("A dog holding a kite.", [("dog", False)]),
        ("Two children eat pizza.", []),  # eat sandwich
        ("A toy train.", []),  # another word would not fit
        ("A wooden bear.", []),
        ("A bus stop.", []),
        ("A man lies in bed.", []),
        ("A dog and a horse.", []),
        ("A cat that looks like a dog.", []),
        ("They'll tow your car if you park.", []),  # what no picture shows
        ("A horse with a long mane.", []),  # what a cow has not
        ("A herd of cows.", []),
        ("A bed in a hotel room.", []),  # a chair may be there too
        ("A bowl of soup.", []),
        ("A cat sitting near its kitten.", []),  # named twice
        ("A dog's bowl.", [("bowl", False)]),
        ("A bus a red car and a house.", []),  # no sentence
        ("A bird perched on a wall.", []),  # what only some do
        ("A man between two dogs, one of them holding a kite.", []),  # who holds it
        ("", []),
    ],
)
def test_things_of_the_categories_are_found(text: str, found: list[tuple[str, bool]]) -> None:
    assert [(mention.word, mention.many) for mention in object_mentions(text)] == found


def test_another_thing_is_of_the_same_sort_and_another_category() -> None:
    assert any(sibling_words(word) for word in categories())
    for word in categories():
        for other in sibling_words(word):
            assert categories()[word][1] == categories()[other][1]
            assert categories()[word][0] != categories()[other][0]
            assert categories()[word][0] in [categories()[one][0] for one in sibling_words(other)]


@pytest.mark.parametrize(
    ("text", "foils"),
    [
        ("A dog runs.", {"A cat runs.", "A bird runs."}),
        ("Two dogs run.", {"Two cats run.", "Two birds run."}),
        ("A man holding an Orange.", {"A man holding a carrot.", "A man holding a donut."}),
        ("An old bus in a field.", {"An old bicycle in a field."}),
        ("A brown horse is near a wall.", {"A brown elephant is near a wall."}),
        ("A spotted horse is near a wall.", set()),  # no spotted elephant is attested
        ("A horse flies.", set()),
        ("A horse runs in a circus.", set()),
        ("A horse runs near a circus.", set()),  # no animal is attested near one
        ("A horse runs near a wall.", {"An elephant runs near a wall."}),
        ("A white horse runs.", set()),
        ("A dog sitting on the back of a horse.", set()),
        ("A dog sitting on a chair in a field.", {
            "A dog sitting on a bed in a field.",
            "A cat sitting on a chair in a field.",
            "A bird sitting on a chair in a field.",
        }),
    ],
)  # fmt: skip
def test_a_caption_gives_these_foils(text: str, foils: set[str]) -> None:
    more = [caption(f"A {name} sitting on a chair.", 500 + number) for number, name in enumerate(("cat", "bird"))]
    survey = ObjectSurvey([*ALL, *more], known=())
    assert {foil.text for foil in caption_foils(caption(text, 10**6), survey)} == foils


@pytest.mark.parametrize(
    ("text", "other", "is_made"),
    [
        ("A {} standing in a field.", ("horse", "zebra"), True),
        ("A white {} standing in a field.", ("horse", "zebra"), False),  # no zebra is white
        ("A black and white {} standing in a field.", ("cow", "bear"), False),
        ("A black {} standing in a field.", ("cow", "bear"), True),
        ("A man eating a {}.", ("pizza", "banana"), True),
        ("A group of people eating a {}.", ("pizza", "banana"), False),  # one for all of them
        ("A group of people eating a {}.", ("pizza", "cake"), True),
    ],
)
def test_a_thing_has_its_colors_and_its_eaters(text: str, other: tuple[str, str], is_made: bool) -> None:
    captions = [caption(text.format(word), number) for number, word in enumerate(other * 3)]
    foils = caption_foils(captions[0], ObjectSurvey(captions, known=()))
    assert (text.format(other[1]) in [foil.text for foil in foils]) is is_made


def test_a_source_with_few_captions_borrows_what_is_usual() -> None:
    few = [caption(f"A {word}.", number) for number, word in enumerate(["dog", "cat"] * 3)]
    one = caption("A dog sitting on a couch.", 99)
    assert not caption_foils(one, ObjectSurvey([*few, one], known=()))
    assert "A cat sitting on a couch." in [foil.text for foil in caption_foils(one, ObjectSurvey([*few, one]))]


def test_what_is_named_or_annotated_is_no_foil() -> None:
    one = caption("A dog runs.", 10**6)
    for other in ("A cat.", "A kitten on a sofa."):
        more = ObjectSurvey([*ALL, caption(other, 10**6)], known=())
        assert candidate_words(one, next(iter(object_mentions(one.text))), more) == ["bird"]
    picture = Picture("coco:1.jpg")
    scene = Scene("1", picture, Size(9, 9), (SceneObject("1", "bird"), SceneObject("2", "dog")))
    known = Caption("1", picture, "A dog runs.", scene=scene)
    assert candidate_words(known, next(iter(object_mentions(known.text))), _survey()) == ["cat"]


@given(sentences(), st.integers(0, 99))
def test_a_foil_differs_in_the_thing_and_its_article_and_comes_again(text: str, seed: int) -> None:
    one, other = (list(propose_foils(caption(text), _survey(), seeded_rng(seed))) for _ in range(2))
    assert one == other
    for group in one:
        if not isinstance(group, Rejection):
            changed = Counter(group.base.text.split()) - Counter(group.variants[0].text.split())
            assert 1 <= changed.total() <= 2


def test_each_thing_stands_for_another_as_often_as_the_other_way_round() -> None:
    groups = [group for _, group in generate_groups(suite, ALL)]
    assert groups
    words = [Counter(dict(group.tags[side])["word"] for group in groups) for side in (0, 1)]
    assert words[0] == words[1]
    assert {(group.test, group.kind) for group in groups} == {("foil-it", "foil-it")}
