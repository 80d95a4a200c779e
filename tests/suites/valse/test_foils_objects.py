"""Foils of objects: another thing of the same sort that is not there."""

from collections import Counter

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
    categories,
    object_mentions,
    propose_foils,
    sibling_words,
    suite,
)

NAMES = ("dog", "cat", "horse", "elephant", "orange", "apple", "banana", "bus", "car", "truck")
ALL = [caption(f"A {name} in a {place}.", 10 * n + m) for n, name in enumerate(NAMES) for m, place in enumerate("abcd")]
SEEN = ObjectSurvey(ALL)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A dog on a couch.", [("dog", False), ("couch", False)]),
        ("Two large buses.", [("bus", True)]),
        ("A teddy bear near a stop sign.", [("teddy bear", False), ("stop sign", False)]),
        ("A toy train.", []),  # another word would not fit
        ("A bus stop.", []),
        ("A man lies in bed.", []),
        ("A dog's bowl.", [("bowl", False)]),
        ("", []),
    ],
)
def test_things_of_the_categories_are_found(text: str, found: list[tuple[str, bool]]) -> None:
    assert [(mention.word, mention.many) for mention in object_mentions(text)] == found


def test_another_thing_is_of_the_same_sort_and_another_category() -> None:
    for word in categories():
        for other in sibling_words(word):
            assert categories()[word][1] == categories()[other][1]
            assert categories()[word][0] != categories()[other][0]


@pytest.mark.parametrize(
    ("text", "foils"),
    [
        ("A dog runs.", {"A cat runs.", "A horse runs.", "An elephant runs."}),
        ("Two dogs run.", {"Two cats run.", "Two horses run.", "Two elephants run."}),
        ("an orange", {"an apple", "a banana"}),
        ("A man near an Orange.", {"A man near an apple.", "A man near a banana."}),
        ("An old bus.", {"An old car.", "An old truck."}),
    ],
)
def test_a_caption_gives_these_foils(text: str, foils: set[str]) -> None:
    made = (next(iter(propose_foils(caption(text, 10**6), SEEN, seeded_rng(seed)))) for seed in range(500))
    assert {group.variants[0].text for group in made if not isinstance(group, Rejection)} == foils


def test_what_is_named_or_annotated_is_no_foil() -> None:
    more = ObjectSurvey([*ALL, caption("A kitten and a cat.", 10**6)])
    one = caption("A dog runs.", 10**6)
    assert candidate_words(one, next(iter(object_mentions(one.text))), more) == ["elephant", "horse"]
    picture = Picture("coco:1.jpg")
    scene = Scene("1", picture, Size(9, 9), (SceneObject("1", "horse"), SceneObject("2", "dog")))
    known = Caption("1", picture, "A dog runs.", scene=scene)
    assert candidate_words(known, next(iter(object_mentions(known.text))), SEEN) == ["cat", "elephant"]


@given(sentences(), st.integers(0, 99))
def test_a_foil_differs_in_the_thing_and_its_article_and_comes_again(text: str, seed: int) -> None:
    one, other = (list(propose_foils(caption(text), SEEN, seeded_rng(seed))) for _ in range(2))
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
