"""Exchanged inputs: nothing is shared with what was there before, luck follows from content, and what lacks is said."""

from collections.abc import Collection, Iterable, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from proving import examples

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.items import Caption, GroundedQuestion, Question
from counterpoint.core.pictures import Picture, Size
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.lexicon.senses import is_a
from counterpoint.suites.bias import modality_bias as bias
from counterpoint.suites.bias.modality_bias import (
    FEW_PICTURES,
    NO_SUBJECT,
    extend_survey,
    manifest_entries,
    picture_bias,
    question_bias,
    survey,
)
from counterpoint.suites.bias.topics import DisjointSampler, text_nouns
from counterpoint.suites.suite import Suite, Tally, generate_groups
from counterpoint.world.source import World

THINGS = ("dog", "animal", "cup", "glass", "tree", "car", "person", "boy", "kite", "pizza", "food", "xyzzy")
FEATURES = (bias.feature_question_bias, bias.feature_picture_bias)


def _question(number: int, thing: str, picture: int, answer: str = "yes", context: str = "") -> Question:
    text = f"Is there a {thing} in the picture?"
    shown = Picture(f"coco:{picture}.jpg")
    return Question(f"{number:03}", shown, text, Gold.of(answer), kind="exist", context=context)


def _items(count: int = 60) -> list[Question]:
    return [_question(n, THINGS[n % len(THINGS)], n // 2) for n in range(count)]


def _made(suite: Suite[Any, Any], items: Iterable[object], seed: int = 0) -> tuple[list[Group], Tally]:
    tally = Tally()
    return [group for _, group in generate_groups(suite, list(items), seed, tally=tally)], tally


def _by_picture(items: Sequence[Question]) -> dict[Picture, set[str]]:
    named: dict[Picture, set[str]] = {}
    for item in items:
        named.setdefault(item.picture, set()).update(text_nouns(item.text))
    return named


def _share(one: str, other: str) -> bool:
    known = {one, other}.isdisjoint({"xyzzy"})
    return one == other or (known and (is_a(one, other) or is_a(other, one)))


def test_another_picture_names_nothing_of_the_question_nor_a_kind_of_it() -> None:
    items = _items()
    groups, _ = _made(question_bias, items)
    named = _by_picture(items)
    assert len(groups) == len(items)
    for group in groups:
        (thing,) = text_nouns(group.base.text)
        assert {query.text for query in group.variants} == {group.base.text}
        pictures = [query.picture for query in group.variants]
        assert len(set(pictures)) == len(pictures)
        for picture in pictures:
            assert picture is not None
            assert not any(_share(thing, name) for name in named[picture])


def test_another_question_shares_no_noun_and_comes_with_its_own_choices() -> None:
    items = [
        Question("1", Picture("x:1.png"), "Is the dog red or blue?", Gold.of("red"), choices=("red", "blue")),
        Question("2", Picture("x:2.png"), "What is the animal doing?", Gold.of("eating")),
        Question("3", Picture("x:3.png"), "Is the cup big?", Gold.of("yes"), choices=("yes", "no")),
    ]
    groups, tally = _made(picture_bias, items)
    first = groups[0]
    assert [(query.picture, query.text, query.choices) for query in first.variants] == [
        (Picture("x:1.png"), "Is the cup big?", ("yes", "no"))
    ]
    assert dict(first.tags[1]) == {"other": "3"}
    assert sum(tally.dropped.values()) == 14 + 14 + 13


@examples(15)
@given(st.randoms(use_true_random=False), st.integers(0, 3))
def test_the_order_of_questions_changes_nothing(luck: Random, seed: int) -> None:
    items = _items(24)
    mixed = luck.sample(items, len(items))
    for suite in (question_bias, picture_bias, bias.blind_controls):
        one, other = (_made(suite, some, seed) for some in (items, mixed))
        assert {group.base.id: group for group in one[0]} == {group.base.id: group for group in other[0]}
        assert one[1] == other[1]


def test_variants_have_no_gold_and_the_base_keeps_its_own() -> None:
    groups, _ = _made(question_bias.configured({"variants": 3}), _items())
    assert {group.relation for group in groups} == {Relation.SWAP}
    assert {group.gold for group in groups} == {(Gold.of("yes"), None, None, None)}


def test_too_few_candidates_are_said_and_nothing_is_looked_for_twice() -> None:
    items = [_question(0, "dog", 0), _question(1, "cup", 1), _question(2, "thing", 2)]
    groups, tally = _made(question_bias, items)
    assert [len(group.variants) for group in groups] == [2, 2]  # the third picture names nothing at all
    assert tally.dropped == {("exist", FEW_PICTURES): 26, ("exist", NO_SUBJECT): 1}


def test_words_that_were_read_in_a_picture_go_with_it() -> None:
    items = [_question(0, "dog", 0, context="STOP"), _question(1, "cup", 1, context="EXIT")]
    (first, _), _ = _made(question_bias, items)
    assert [query.context for query in first.queries] == ["STOP", "EXIT"]
    (first, _), _ = _made(picture_bias, items)
    assert [query.context for query in first.queries] == ["STOP", "STOP"]


def test_what_is_annotated_counts_as_named() -> None:
    pictures = [Picture(f"x:{n}.png") for n in range(2)]
    seen = [
        Scene(str(n), pictures[n], Size(9, 9), (SceneObject("1", name),)) for n, name in enumerate(("cup", "poodle"))
    ]
    asked = [_question(0, "dog", 0), _question(1, "kite", 1)]
    items = [
        GroundedQuestion(Question(one.id, scene.picture, one.text, one.gold), scene)
        for one, scene in zip(asked, seen, strict=True)
    ]
    groups, tally = _made(question_bias, items)
    assert [group.base.text for group in groups] == ["Is there a kite in the picture?"]
    assert tally.dropped["", FEW_PICTURES] == 15 + 14


def test_what_captions_and_questions_that_were_not_drawn_tell_counts_as_named() -> None:
    items = [_question(n, thing, n) for n, thing in enumerate(("dog", "kite", "cup"))]
    told: list[Caption | Question] = [
        Caption("c", items[1].picture, "Two poodles run."),
        _question(9, "table", 2, "a dog"),
    ]
    asked: list[set[Picture]] = []

    def tell(pictures: Collection[Picture]) -> list[Caption | Question]:
        asked.append(set(pictures))
        return [*told, Caption("d", Picture("x:unknown.png"), "A dog.")]

    before = survey(items)
    after = extend_survey(before, tell)
    assert asked == [{item.picture for item in items}]
    assert manifest_entries(after) == {"captions": 1}
    free = [pool.pictures.sample(frozenset({"dog"}), 5, Random(0)) for pool in (before, after)]
    assert [{one.picture for one in some} for some in free] == [{items[1].picture, items[2].picture}, set()]
    assert after.questions is before.questions


@pytest.mark.parametrize("suite", [question_bias, picture_bias, bias.blind_controls, *FEATURES])
def test_every_suite_that_exchanges_pictures_counts_captions(suite: Suite[Any, Any]) -> None:
    assert suite.extend_survey is extend_survey
    assert suite.manifest_entries is manifest_entries


def test_controls_take_one_input_away_and_keep_the_right_answer() -> None:
    items = [_question(n, thing, n, context="STOP") for n, thing in enumerate(("dog", "cup"))]
    (group, _), tally = _made(bias.blind_controls, items)
    assert set(group.gold) == {Gold.of("yes")}
    made = {dict(tags).get("control", ""): query for tags, query in zip(group.tags, group.queries, strict=True)}
    assert list(made) == ["", *bias.PICTURE, bias.NO_QUESTION]
    assert made["no-picture"].picture is None
    assert made["no-picture"].context == ""
    assert made["other-picture"].picture == items[1].picture
    assert [str(edit).partition("#")[0] for edit in _edits(made["mean-color"].picture)] == ["mean-color()"]
    assert [str(edit).partition("#")[0] for edit in _edits(made["shuffled"].picture)] == ["shuffle(8)"]
    assert (made["no-question"].picture, made["no-question"].text) == (group.base.picture, "")
    assert not tally.dropped


def test_without_another_picture_the_other_controls_are_made() -> None:
    (group,), tally = _made(bias.blind_controls, [_question(0, "dog", 0)])
    assert len(group.variants) == 4
    assert tally.dropped == {("exist", FEW_PICTURES): 1}


@pytest.mark.parametrize(
    ("text", "nouns"),
    [
        ("What color is it?", set()),
        ("Is the dog's tail long?", {"dog", "tail", "dog tail"}),
        ("Are there wine glasses on the tables?", {"wine", "glasses", "wine glass", "table"}),
        ("What is to the left of the traffic light in this photo?", {"traffic", "light", "traffic light"}),
    ],
)
def test_a_question_is_about_its_nouns(text: str, nouns: set[str]) -> None:
    assert text_nouns(text) == nouns


@given(
    st.dictionaries(st.integers(0, 99), st.frozensets(st.sampled_from(THINGS), max_size=3), max_size=40),
    st.frozensets(st.sampled_from(THINGS), min_size=1, max_size=2),
    st.integers(1, 20),
    st.randoms(use_true_random=False),
)
def test_strangers_are_all_there_are_or_as_many_as_asked_for(
    named: dict[int, frozenset[str]], nouns: frozenset[str], most: int, luck: Random
) -> None:
    found = DisjointSampler(named).sample(nouns, most, luck)
    fine = {one for one, names in named.items() if not any(_share(noun, name) for noun in nouns for name in names)}
    assert set(found) <= fine
    assert len(set(found)) == len(found) == min(most, len(fine))


@pytest.mark.prove
def test_the_world_has_enough_to_exchange() -> None:
    items = list(World("test", 40).grounded())
    for suite in (question_bias, picture_bias):
        groups, _ = _made(suite.configured({"variants": 5}), items)
        assert len(groups) > 0.9 * len(items)
        assert sum(len(group.variants) for group in groups) > 0.95 * 5 * len(groups)


def _edits(picture: Picture | None) -> Sequence[object]:
    assert picture is not None
    return picture.edits
