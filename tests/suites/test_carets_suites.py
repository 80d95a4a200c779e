from collections import Counter

import naive_reader
import pytest
from conftest import Golden
from hypothesis import given, settings
from hypothesis import strategies as st
from scenery import sources, world

from counterpoint.core.groups import Group, Relation
from counterpoint.core.scenes import Scene
from counterpoint.suites import order, rephrase
from counterpoint.suites.habits import Habits
from counterpoint.suites.suite import Suite, Tally, generate
from counterpoint.suites.templates import spoken

SUITES = (rephrase.suite, order.suite)


def _groups(suite: Suite[Scene, Habits], scenes: list[Scene] | tuple[Scene, ...], seed: int = 0) -> list[Group]:
    return [group for _, group in generate(suite, scenes, seed)]


@given(sources(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_order_variants_use_the_same_words_in_another_order(scenes: list[Scene], seed: int) -> None:
    for group in _groups(order.suite, scenes, seed):
        base, variant = group.queries
        assert base.text != variant.text
        assert Counter(spoken(base.text)) == Counter(spoken(variant.text))


@given(sources(), st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_rephrasings_all_differ_and_ask_about_the_same_picture(scenes: list[Scene], seed: int) -> None:
    for group in _groups(rephrase.suite, scenes, seed):
        assert len({query.text for query in group.queries}) == 1 + rephrase.VARIANTS
        assert len({query.picture for query in group.queries}) == 1


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_a_naive_reader_of_words_and_annotation_agrees_with_every_gold(suite: Suite[Scene, Habits]) -> None:
    scenes = {one.picture.address: one for one in world()}
    names = {name for one in scenes.values() for name in one.names} - {"picture"}  # never asked after
    values = {value for one in scenes.values() for thing in one for value in thing.attributes}
    checked = 0
    for group in _groups(suite, world()):
        for query, gold in zip(group.queries, group.gold, strict=True):
            assert query.picture
            assert gold
            found = naive_reader.answer(group.kind, query.text, scenes[query.picture.address], names, values)
            assert found == gold.best, f"{query.text} {group.proof}"
            checked += 1
    assert checked > 3000


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)
def test_yes_and_no_are_balanced_and_the_first_choice_is_right_as_often_as_the_last(
    suite: Suite[Scene, Habits],
) -> None:
    tally, places = Tally(), Counter[int]()
    for _, group in generate(suite, world(), tally=tally):
        if group.kind.endswith("choice") and dict(group.tags[0])["choices"] == "2":
            text, best = group.base.text.lower(), group.gold[0].best if group.gold[0] else ""
            places[text.rindex(best) > text.rindex(" or ")] += 1
    kinds = {kind for kind, answer in tally.kept if answer in ("yes", "no")}
    for kind in kinds:
        assert 0.4 < tally.kept[kind, "yes"] / (tally.kept[kind, "yes"] + tally.kept[kind, "no"]) < 0.6
    assert 0.4 < places[True] / places.total() < 0.6


def test_groups_say_everything_that_pages_and_slices_need() -> None:
    for suite in SUITES:
        for group in _groups(suite, world()[:50]):
            assert group.relation is Relation.SAME
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
def test_the_suite_reads_well(suite: Suite[Scene, Habits], golden: Golden) -> None:
    lines = []
    for _, group in generate(suite, world(), limit=36):
        gold = group.gold[0]
        lines += [f"{group.kind} · {gold.best if gold else ''} · {group.proof}"]
        lines += [f"  {query.text}" for query in group.queries]
    golden(f"suite_{suite.name}.txt", lines)
