"""Noise and changes of pictures: the same question about the same thing, and none that the change would make wrong."""

import pickle
from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.items import Question, Step
from counterpoint.core.pictures import Picture
from counterpoint.language.lexicon.attributes import attribute_classes
from counterpoint.pictures.edits import EDITS, apply_edits
from counterpoint.pictures.noise import STRENGTHS
from counterpoint.pictures.transforms import TRANSFORMS
from counterpoint.store.groups import groups_table, read_queries
from counterpoint.suites.robustness import picture_changes as changed
from counterpoint.suites.robustness.picture_changes import QuestionTerms, change_rules, text_phrases
from counterpoint.suites.suite import Suite, Tally, generate_groups
from counterpoint.world.source import World

KINDS = ["gaussian", "poisson", "salt-and-pepper", "speckle"]


@cache
def _questions() -> tuple[Question, ...]:
    return tuple(World("test", 25).questions())


def _question(text: str, *answers: str, **about: Any) -> Question:
    return Question("1", Picture("own:1.jpg"), text, Gold.of(*answers), **about)


def _allowed(question: Question) -> set[str]:
    told = QuestionTerms.by(question)
    return {name for name, rule in change_rules().items() if rule.spares(told)}


def test_a_question_is_asked_about_twelve_noisy_pictures_each_drawn_anew() -> None:
    seeds = Counter[int]()
    groups = [group for _, group in generate_groups(changed.noise, _questions())]
    assert len(groups) == len(_questions())
    for group, question in zip(groups, _questions(), strict=True):
        assert group.relation is Relation.SAME
        assert group.kind == question.kind
        assert group.gold == (question.gold,) * 13
        assert {query.text for query in group.queries} == {question.text}
        assert group.base.picture == question.picture
        edits = [query.picture.edits for query in group.variants if query.picture]
        assert [len(chain) for chain in edits] == [1] * 12
        assert Counter(chain[0].name for chain in edits) == dict.fromkeys(KINDS, 3)
        assert {chain[0].arguments for chain in edits} == {("0.025",), (256,), ("0.1",), ("0.05",)}
        seeds.update(chain[0].seed for chain in edits)
        assert len({query.id for query in group.queries}) == 13
    assert seeds.most_common(1)[0][1] == 1


def test_a_variant_says_which_noise_it_has_and_the_base_says_none() -> None:
    _, group = next(iter(generate_groups(changed.noise_severities, _questions())))
    base, *variants = (dict(tags) for tags in group.tags)
    assert "edit" not in base
    assert base["question"] == _questions()[0].id
    assert [(tags["edit"], tags["severity"]) for tags in variants] == [(k, str(n)) for k in KINDS for n in range(1, 6)]
    for query, tags in zip(group.variants, variants, strict=True):
        assert query.picture
        assert query.picture.edits[0].arguments == (STRENGTHS[tags["edit"]][int(tags["severity"]) - 1],)


def test_kinds_severities_and_trials_can_be_chosen() -> None:
    own = changed.noise_suite("mine", kinds=["speckle"], severities=[1, 5], trials=2)
    _, group = next(iter(generate_groups(own, _questions())))
    assert [dict(tags)["severity"] for tags in group.tags[1:]] == ["1", "1", "5", "5"]


@pytest.mark.parametrize("suite", [changed.noise, changed.noise_severities, changed.suite, changed.with_severities])
def test_one_seed_makes_one_suite_and_it_travels(suite: Suite[Any, Any]) -> None:
    again = pickle.loads(pickle.dumps(suite))
    first, second, other = (
        [group.id for _, group in generate_groups(one, _questions(), seed)]
        for one, seed in ((suite, 1), (again, 1), (again, 2))
    )
    assert first == second
    assert first != other


@pytest.mark.parametrize("suite", [changed.noise, changed.with_severities])
def test_groups_come_back_from_the_table_and_every_edit_can_be_applied(suite: Suite[Any, Any]) -> None:
    groups = [group for _, group in generate_groups(suite, _questions()[:40])]
    assert read_queries(groups_table([("one", group) for group in groups], "one")) == [
        query for group in groups for query in group.queries
    ]
    small = np.full((12, 16, 3), 90, np.uint8)
    for chain in {query.picture.edits for group in groups for query in group.variants if query.picture}:
        assert apply_edits(chain, small).size


def test_a_question_that_nobody_answered_is_still_asked() -> None:
    unknown = _question("Is it?")
    for suite in (changed.noise, changed.suite):
        _, group = next(iter(generate_groups(suite, [unknown])))
        assert set(group.gold) == {None}


@pytest.mark.parametrize(
    ("question", "kept", "lost"),
    [
        (
            _question("Is the dog to the left of the tree?", "yes"),
            {"gray", "blur", "jpeg"},
            {"flip", "rotation", "crop"},
        ),
        (_question("On which side is the dog?", "left"), {"gray", "darker"}, {"flip", "rotation", "crop"}),
        (_question("What is near the man?", "left shoe"), {"blur"}, {"flip"}),
        (_question("What color is the car?", "red"), {"flip", "rotation"}, {"gray", "brighter", "darker", "contrast"}),
        (_question("Is the car blue?", "no"), {"flip"}, {"gray", "brighter"}),
        (_question("What is the man wearing?", "red hat"), {"flip"}, {"gray"}),
        (_question("What is it?", "dog", choices=("dog", "brown bear")), {"flip"}, {"gray"}),
        (_question("Is the banana ripe?", "yes"), {"flip", "rotation"}, {"gray", "brighter"}),
        (_question("How many dogs are there?", "2"), {"flip", "rotation", "gray", "darker", "blur"}, {"crop"}),
        (_question("Is there a dog?", "yes"), {"flip", "rotation", "gray", "darker", "blur"}, {"crop"}),
        (_question("What is the dog chasing?", "ball"), {"flip", "rotation", "gray", "darker"}, {"crop"}),
        (_question("What does the sign say?", "stop"), {"gray", "rotation"}, {"flip", "blur", "jpeg"}),
        (_question("What drink is it?", "pepsi", context="pepsi 330 ml"), {"rotation"}, {"flip", "blur", "jpeg"}),
        (_question("Is it day or night?", "day"), {"flip", "crop", "blur"}, {"brighter", "darker", "contrast"}),
        (_question("What room is this?", "kitchen"), {"crop", "flip", "darker", "blur", "rotation"}, set()),
        (_question("Is the picture blurry?", "no"), {"flip"}, {"blur", "jpeg"}),
        (_question("What is above the bed?", "lamp"), {"flip", "gray"}, {"rotation"}),
        (
            _question("Which one is it?", "dog", program=(Step("select", "dog"), Step("filter hposition", "left"))),
            {"gray"},
            {"flip", "rotation"},
        ),
        (
            _question("How is it?", "nice", program=(Step("select", "scene"), Step("query", "weather", (0,)))),
            {"crop", "flip"},
            {"brighter", "darker"},
        ),
    ],
)
def test_a_change_is_not_made_where_it_would_change_the_answer(
    question: Question, kept: set[str], lost: set[str]
) -> None:
    assert kept <= _allowed(question)
    assert not lost & _allowed(question)
    made = [group for _, group in generate_groups(changed.suite, [question])]
    assert {dict(tags)["edit"] for group in made for tags in group.tags[1:]} == _allowed(question)


def test_what_is_not_made_is_counted_with_its_reason() -> None:
    tally = Tally()
    groups = [group for _, group in generate_groups(changed.with_severities, _questions(), tally=tally)]
    made = sum(len(group.variants) for group in groups)
    assert made + sum(tally.dropped.values()) == len(_questions()) * sum(map(len, TRANSFORMS.values()))
    reasons = {why.partition(":")[0] for _, why in tally.dropped}
    assert reasons <= set(TRANSFORMS)
    assert {"flip", "gray", "crop"} <= reasons


def test_no_question_of_the_world_about_sides_is_mirrored_and_none_about_colors_is_gray() -> None:
    groups = [group for _, group in generate_groups(changed.suite, World("test", 120).questions())]
    by_edit: dict[str, list[Group]] = {}
    for group in groups:
        for tags in group.tags[1:]:
            by_edit.setdefault(dict(tags)["edit"], []).append(group)
    assert set(by_edit) == set(TRANSFORMS)
    assert not {"query side", "choose side"} & {group.kind for group in by_edit["flip"]}
    assert not {"query color", "verify color", "choose color"} & {group.kind for group in by_edit["gray"]}
    assert not any("color" in group.base.text for group in by_edit["gray"] + by_edit["brighter"])
    assert not {"count", "exist"} & {group.kind for group in by_edit["crop"]}
    assert all(group.gold[0] and group.gold[0].best not in ("left", "right") for group in by_edit["rotation"])


def test_every_change_has_a_rule_of_known_classes_and_every_edit_is_known() -> None:
    assert set(change_rules()) == set(TRANSFORMS)
    assert {edit.name for edits in TRANSFORMS.values() for edit in edits} <= set(EDITS)
    assert {name for rule in change_rules().values() for name in rule.classes} <= set(attribute_classes())
    assert all(len(one.split()) <= 4 for rule in change_rules().values() for one in rule.words | rule.only)


def test_pictures_are_turned_to_both_sides() -> None:
    turns = Counter(
        query.picture.edits[0].arguments[0]
        for _, group in generate_groups(changed.suite, _questions())
        for query in group.variants
        if query.picture and query.picture.edits[0].name == "rotate"
    )
    assert set(turns) == {-10, 10}
    assert min(turns.values()) > 0.3 * turns.total()


@given(st.lists(st.sampled_from(["left", "what's", "the", "dog", "7"]), max_size=6))
def test_phrases_are_what_stands_together(words: list[str]) -> None:
    found = text_phrases(" ".join(words).upper() + "?")
    assert set(words) <= found
    assert all(one in " ".join(words) for one in found)
