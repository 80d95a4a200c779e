import re
from collections import Counter
from dataclasses import replace
from functools import cache

import naive_reader
import pytest
from conftest import Golden
from hypothesis import given
from hypothesis import strategies as st
from proving import examples, scaled
from scenery import sources, world

from counterpoint.core.groups import Group, Relation
from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.cooccurrence import SceneStatistics
from counterpoint.suites.carets import antonym, negation, ontology, order, rephrase
from counterpoint.suites.suite import Suite, Tally, generate_groups

SUITES = (rephrase.suite, order.suite, negation.suite, ontology.suite, antonym.suite)
SHARING = (rephrase.suite, order.suite, negation.suite)
SCENES = scaled(400)


def _groups(
    suite: Suite[Scene, SceneStatistics], scenes: list[Scene] | tuple[Scene, ...], seed: int = 0
) -> list[Group]:
    return [group for _, group in generate_groups(suite, scenes, seed)]


@cache
def _world_groups(suite: Suite[Scene, SceneStatistics]) -> tuple[list[Group], Tally]:
    """The groups of the whole world, generated once, and what was counted on the way."""
    tally = Tally()
    return [group for _, group in generate_groups(suite, world(SCENES), tally=tally)], tally


@given(sources(), st.integers(0, 99))
@examples(60)
def test_order_variants_use_the_same_words_in_another_order(scenes: list[Scene], seed: int) -> None:
    for group in _groups(order.suite, scenes, seed):
        base, variant = group.queries
        assert base.text != variant.text
        assert Counter(_words(base.text)) == Counter(_words(variant.text))


@given(sources(), st.integers(0, 99))
@examples(60)
def test_rephrasings_all_differ_and_ask_about_the_same_picture(scenes: list[Scene], seed: int) -> None:
    for group in _groups(rephrase.suite, scenes, seed):
        assert len({query.text for query in group.queries}) == len(group.queries) == 2
        assert len({query.picture for query in group.queries}) == 1


@pytest.mark.parametrize("suite", [rephrase.suite, order.suite], ids=lambda suite: suite.name)
def test_a_naive_reader_of_words_and_annotation_agrees_with_every_gold(suite: Suite[Scene, SceneStatistics]) -> None:
    scenes = {one.picture.address: one for one in world(SCENES)}
    names = {name for scene in scenes.values() for name in scene.names} - {"picture"}  # never asked after
    values = {value for scene in scenes.values() for thing in scene for value in thing.attributes}
    checked = 0
    groups = _world_groups(suite)[0]
    for group in groups:
        if group.kind == "action choice" or dict(group.tags[0]).get("relation", "none") != "none":
            continue  # what the referee reads
        for query, gold in zip(group.queries, group.gold, strict=True):
            assert query.picture
            assert gold
            found = naive_reader.answer(group.kind, query.text, scenes[query.picture.address], names, values)
            assert found == gold.best, f"{query.text} {group.proof}"
            checked += 1
    assert checked > scaled(1500)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_yes_and_no_are_balanced_and_the_first_choice_is_right_as_often_as_the_last(
    suite: Suite[Scene, SceneStatistics],
) -> None:
    (groups, tally), places = _world_groups(suite), Counter[int]()
    for group in groups:
        if group.kind.endswith("choice") and dict(group.tags[0])["choices"] == "2":
            text, best = group.base.text.lower(), group.gold[0].best if group.gold[0] else ""
            places[text.rindex(best) > text.rindex(" or ")] += 1
    kinds = {kind for kind, answer in tally.kept if answer in ("yes", "no")}
    for kind in kinds:
        assert 0.4 < tally.kept[kind, "yes"] / (tally.kept[kind, "yes"] + tally.kept[kind, "no"]) < 0.6
    assert not places or 0.4 < places[True] / places.total() < 0.6


def test_groups_say_everything_that_pages_and_slices_need() -> None:
    for suite in SUITES:
        for group in _world_groups(suite)[0]:
            assert group.relation is (Relation.DIFFERS if suite.name in ("negation", "antonym") else Relation.SAME)
            assert group.proof
            assert group.size
            for tags, gold in zip(map(dict, group.tags), group.gold, strict=True):
                assert gold
                assert tags["answer"] == gold.best
                assert tags["template"]
                assert tags.get("class") or tags.get("hypernym")
            assert group.objects or dict(group.tags[0])["there"] == "0"
            assert all(thing.box for thing in group.objects)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_the_suite_reads_well(suite: Suite[Scene, SceneStatistics], golden: Golden) -> None:
    lines = []
    for _, group in generate_groups(suite, world(100), limit=36):
        gold = group.gold[0]
        lines += [f"{group.kind} · {gold.best if gold else ''} · {group.proof}"]
        lines += [f"  {query.text}" for query in group.queries]
    golden(f"suite_{suite.name}.txt", lines)


def test_suites_that_share_their_originals_ask_the_same_base_queries() -> None:
    asked = {suite.name: {group.base.id: group for group in _world_groups(suite)[0]} for suite in SHARING}
    assert asked["order"].keys() <= asked["rephrase"].keys()
    assert asked["negation"].keys() <= asked["rephrase"].keys()
    shared = asked["order"].keys() & asked["negation"].keys()
    assert {asked["order"][number].kind for number in shared} == {
        "conjunctive verification",
        "disjunctive verification",
    }
    kept = [{group.base.id for _, group in generate_groups(suite, world(40), limit=90)} for suite in SHARING]
    assert len(kept[0] & kept[2]) > 0.3 * len(kept[2]), "what is kept is drawn by the base, so it is shared as well"


@given(sources(), st.integers(0, 99))
@examples(60)
def test_a_negation_turns_yes_into_no_and_no_into_yes(scenes: list[Scene], seed: int) -> None:
    for group in _groups(negation.suite, scenes, seed):
        assert {gold.best for gold in group.gold if gold} == {"yes", "no"}
        assert group.relation is Relation.DIFFERS


def test_a_more_general_name_keeps_the_answer_and_the_attribute() -> None:
    directions = Counter[tuple[str, str]]()
    for group in _world_groups(ontology.suite)[0]:
        first, second = map(dict, group.tags)
        assert first["answer"] == second["answer"]
        assert first["attribute"] == second["attribute"]
        directions[first["direction"], first["answer"]] += 1
        special = group.queries[first["direction"] == "down"].text
        named = [name for name in sorted(world_names(), key=len) if f" {name}" in special]
        assert any(first["general"] in hypernym_names(name) for name in named), special
    assert directions.keys() == {("up", "yes"), ("down", "yes"), ("up", "no"), ("down", "no")}
    assert min(directions.values()) > 0.8 * directions.total() / 4, "neither word tells the answer"


def test_an_antonym_is_on_nothing_of_the_name_and_comes_first_as_often_as_last() -> None:
    first = Counter[str]()
    scenes = {one.picture: one for one in world(SCENES)}
    for group in _world_groups(antonym.suite)[0]:
        assert group.base.picture
        assert {gold.best for gold in group.gold if gold} == {"yes", "no"}
        assert group.gold[0]
        first[group.gold[0].best] += 1
        tags = dict(group.tags[0])
        assert tags["colors"] == "no"
        wrong = next(word for word in tags["pair"].split("-") if word not in group.objects[0].attributes)
        assert not any(
            wrong in thing.attributes for thing in scenes[group.base.picture].named(group.objects[0].name)
        ), group.proof
    assert 0.4 < first["yes"] / first.total() < 0.6


def test_black_and_white_are_opposites_only_where_they_are_asked_for() -> None:
    tags = [dict(group.tags[0]) for group in _groups(antonym.with_colors, world(SCENES))]
    pairs = {tag["pair"] for tag in tags if tag["colors"] == "yes"}
    assert pairs == {"black-white"}
    assert {tag["class"] for tag in tags if tag["colors"] == "no"} > {"size"}


def test_actions_are_asked_of_people_and_animals_and_their_choices_exclude_each_other() -> None:
    groups = [group for group in _world_groups(rephrase.suite)[0] if group.kind == "action choice"]
    assert len(groups) > scaled(100)
    for group in groups:
        gold = group.gold[0]
        assert gold
        assert gold.best in group.objects[0].attributes
        assert "asleep or sleeping" not in group.base.text


def world_names() -> set[str]:
    return {name for one in world(SCENES) for name in one.names}


def _words(text: str) -> list[str]:
    """The words of a question, in lower case and without punctuation."""
    return re.findall(r"[\w'-]+", text.lower())


def test_of_two_things_that_are_both_absent_from_a_photograph_nobody_says_either() -> None:
    def both_absent(scenes: list[Scene]) -> list[Group]:
        joint = (group for group in _groups(negation.suite, scenes) if group.kind == "conjunctive verification")
        return [group for group in joint if dict(group.tags[0])["gone"] == "2"]

    drawn = list(world(60))
    assert both_absent(drawn)
    assert not both_absent([replace(one, is_complete=False) for one in drawn])
