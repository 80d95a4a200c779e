import os
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from io import StringIO
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from proving import examples
from scenery import scene, sources, world

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.scenes import Scene
from counterpoint.scenes.cooccurrence import survey_scenes
from counterpoint.suites.balanced_sampling import BalancedSampler, Candidate, Quota, made_elsewhere, share_evenly
from counterpoint.suites.carets import order, rephrase
from counterpoint.suites.families import SuiteFamily
from counterpoint.suites.suite import (
    MASKED_LM,
    OPTIONS,
    Chooser,
    Rejection,
    Suite,
    Tally,
    draws_always,
    draws_never,
    generate_groups,
)
from counterpoint.suites.valse.paired_foils import MirroredSampler, PairSampler
from counterpoint.world.source import World

PROGRAM = """
from counterpoint.core.ids import content_id
from counterpoint.suites.carets import order, rephrase
from counterpoint.suites.suite import generate_groups
from counterpoint.world.source import World
scenes = list(World("test", 12).scenes())
for suite in (order.suite, rephrase.suite):
    for limit in (None, 20):
        print(content_id([group.id for _, group in generate_groups(suite, scenes, 3, limit)]))
"""


def _plain(item: Scene, statistics: None, rng: Random) -> Iterator[Group | Rejection]:
    for thing in item:
        yield _group(item.id + thing.id, "yes" if rng.random() < 0.5 else "no")
    yield Rejection("plain", "no more things")


def _group(text: str, answer: str, kind: str = "plain") -> Group:
    return Group(Relation.GOLD, (Query(None, text),), (Gold.of(answer),), kind=kind)


@pytest.mark.prove
def test_the_same_seed_makes_the_same_groups_in_another_process_with_another_hash_seed() -> None:
    other = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"PYTHONHASHSEED": "4711"},
        capture_output=True,
        text=True,
        check=True,
    )
    with redirect_stdout(StringIO()) as here:
        exec(PROGRAM, {})
    assert here.getvalue() == other.stdout
    assert len(other.stdout.split()) == 4


@given(sources(), st.integers(0, 9), st.randoms(use_true_random=False))
@examples(40)
def test_neither_the_order_of_scenes_nor_the_parts_they_come_in_change_a_group(
    scenes: list[Scene], seed: int, rng: Random
) -> None:
    mixed = rng.sample(scenes, len(scenes))
    cut = rng.randint(0, len(scenes))
    statistics = survey_scenes(mixed)
    for suite in (order.suite, rephrase.suite):
        whole = Counter(group.id for _, group in generate_groups(suite, scenes, seed))
        parts = (generate_groups(suite, part, seed, statistics=statistics) for part in (mixed[:cut], mixed[cut:]))
        assert Counter(group.id for part in parts for _, group in part) == whole
        chosen = [[group.id for _, group in generate_groups(suite, one, seed, 7)] for one in (scenes, mixed)]
        assert chosen[0] == chosen[1]


def test_another_seed_asks_other_questions() -> None:
    one, other = ({group.id for _, group in generate_groups(order.suite, world(20), seed)} for seed in (0, 1))
    assert len(one & other) < len(one) / 4


def test_a_suite_without_a_survey_may_take_an_iterator_and_every_loss_is_counted() -> None:
    tally = Tally()
    suite = Suite("plain", tests="anything", propose=_plain)
    scenes = (scene(number, ("cat",), ("dog",)) for number in range(5))
    made = list(generate_groups(suite, scenes, tally=tally))
    assert [test for test, _ in made] == ["plain"] * 10
    assert tally.groups == 10
    assert tally.dropped == {("plain", "no more things"): 5}


def test_a_limit_keeps_as_many_of_each_kind_and_answer_and_says_how_many_it_left() -> None:
    tally = Tally()
    suite = Suite("plain", tests="anything", propose=_plain)
    scenes = [scene(number, ("cat",), ("dog",)) for number in range(50)]
    kept = [group for _, group in generate_groups(suite, scenes, limit=20, tally=tally)]
    assert tally.kept == {("plain", "yes"): 10, ("plain", "no"): 10}
    assert tally.dropped["plain", "more than asked for, or out of balance"] == 80
    assert len(kept) == 20


@given(st.lists(st.sampled_from(["yes", "no"]), max_size=40), st.integers(0, 30), st.randoms(use_true_random=False))
def test_a_balance_never_prefers_an_answer(answers: list[str], quota: int, rng: Random) -> None:
    groups = [_group(str(place), answer) for place, answer in enumerate(answers)]
    chosen = []
    for stream in (groups, rng.sample(groups, len(groups))):
        balance = BalancedSampler(quota, 0)
        for group in stream:
            balance.add(group)
        chosen.append([draft.make() for draft in balance.chosen()])
    assert chosen[0] == chosen[1]
    counts = Counter(group.gold[0].best for group in chosen[0] if group.gold[0])
    assert len(chosen[0]) <= quota
    if set(answers) == {"yes", "no"}:
        assert abs(counts["yes"] - counts["no"]) <= 1


@given(
    st.lists(st.tuples(st.integers(0, 20), st.sampled_from(["yes", "no", "red"])), max_size=60),
    st.integers(0, 60),
    st.integers(0, 30),
)
def test_samplers_of_parts_make_that_of_the_whole(rows: list[tuple[int, str]], cut: int, quota: int) -> None:
    """Whether a candidate says how to make its group or has a ticket, the first of those with the same base counts."""
    whole = [
        Candidate("plain", number, answer, (), partial(_group, str(n), answer))
        for n, (number, answer) in enumerate(rows)
    ]
    ticketed = [structs.replace(draft, make=made_elsewhere, ticket=place) for place, draft in enumerate(whole)]
    chosen = []
    for drafts in (whole, ticketed):
        parts = [BalancedSampler(quota, 0) for _ in range(3)]
        for draft in drafts:
            parts[0].add(draft)
        for place, draft in enumerate(drafts):
            parts[1 if place < cut else 2].add(draft)
        parts[1].merge(parts[2])
        assert parts[0].chosen() == parts[1].chosen()
        chosen.append(parts[0].chosen())
    assert [draft.make() for draft in chosen[0]] == [whole[draft.ticket or 0].make() for draft in chosen[1]]


@pytest.mark.parametrize("choose", [BalancedSampler, PairSampler, MirroredSampler])
def test_a_pickled_sampler_leaves_its_candidates_to_whoever_offered_them(choose: Callable[..., Chooser]) -> None:
    tags = (("twin", "plural 1"), ("exchanged", "in | on"), ("word", "in"), ("usual", "caption"))
    mirror = (("twin", "plural 1"), ("exchanged", "in | on"), ("word", "on"), ("usual", "foil"))
    sampler = choose(2, 0)
    for ticket, own in enumerate((tags, mirror)):
        sampler.add(Candidate("plain", ticket, "red", own, partial(_group, str(ticket), "red"), ticket))
    sent = pickle.loads(pickle.dumps(sampler))
    kept = [draft.ticket for draft in sent.chosen()]
    assert sorted(kept) == [0, 1]
    assert all(make is made_elsewhere for make in sent.makes().values())
    assert [sampler.makes()[ticket]() for ticket in kept] == [_group(str(ticket), "red") for ticket in kept]


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 20), max_size=6), st.integers(0, 60))
def test_shares_fill_the_room_there_is_and_no_more(room: dict[str, int], total: int) -> None:
    shares = share_evenly(room, total)
    assert sum(shares.values()) == min(total, sum(room.values()))
    assert all(shares[name] <= room[name] for name in room)
    assert all(
        abs(shares[a] - shares[b]) <= 1 for a in room for b in room if max(shares[a], shares[b]) < min(room[a], room[b])
    )


def test_rare_classes_and_answers_are_kept_as_often_as_usual_ones() -> None:
    """Of 900 questions on red, 90 on blue and 90 on wood, a draw with equal chances would keep about 83 percent red."""
    rows = [("color", "red")] * 900 + [("color", "blue")] * 90 + [("material", "wood")] * 90
    balance = BalancedSampler(90, 0)
    for place, (sort, answer) in enumerate(rows):
        tags = (("class", sort), ("choices", "2"))
        query = (Query(None, str(place)),)
        balance.add(Group(Relation.SAME, query, (Gold.of(answer),), kind="attribute choice", tags=(tags,)))
    counts = Counter(draft.answer for draft in balance.chosen())
    assert counts.total() == 90
    assert counts["wood"] > counts["blue"] > counts["red"]


def test_a_quota_counts_yes_and_no_apart_from_choices() -> None:
    rows = [("plain", "yes"), ("plain", "no"), ("choice", "red"), ("choice", "blue")]
    groups = [_group(f"{kind} {answer} {n}", answer, kind) for n in range(30) for kind, answer in rows]
    balance = BalancedSampler(Quota(binary=10, choice=4), 0)
    for group in groups:
        balance.add(group)
    assert Counter(draft.kind for draft in balance.chosen()) == {"plain": 10, "choice": 4}


@pytest.mark.parametrize("name", catalog.TABLES["suites"])
def test_every_suite_takes_the_options_that_it_lists_and_refuses_others(name: str) -> None:
    suite = catalog.find("suites", name)
    assert set(suite.required) <= set(suite.options) <= OPTIONS.keys()
    assert (MASKED_LM in suite.options) == (suite.proposals is not None)
    for option, about in OPTIONS.items():
        if option in suite.options:
            values = dict.fromkeys(suite.required, 1)
            assert suite.configured(values | {option: {} if option == MASKED_LM else 1}).name == suite.name
        else:
            with pytest.raises(CounterpointError, match=f"the suite {name} takes no option {option}") as caught:
                suite.configured({option: 1})
            assert about.takers in caught.value.hint


def test_an_option_that_is_none_is_not_given_and_a_required_one_must_be() -> None:
    plain, visual = catalog.find("suites", "plain"), catalog.find("suites", "visual")
    assert plain.configured({"means": None, "variants": None}) is plain
    with pytest.raises(CounterpointError, match="the suite visual needs the option means") as caught:
        visual.configured({"means": None})
    assert "mean color of the training pictures" in caught.value.hint
    with pytest.raises(CounterpointError, match="takes no option colour"):
        plain.configured({"colour": "red"})


@pytest.mark.parametrize("name", catalog.TABLES["families"])
def test_the_suites_of_a_family_are_in_the_catalog(name: str) -> None:
    family: SuiteFamily = catalog.find("families", name)
    assert family.name == name
    assert set(family.suites) <= catalog.rows("suites").keys()
    assert family.sizes.keys() <= set(family.suites)
    assert family.questions_from in ("", *family.suites)
    assert not family.single_pass or {catalog.find("suites", suite).takes for suite in family.suites} == {"scenes"}


@pytest.mark.parametrize("limit", [None, 10])
def test_items_that_repeat_each_other_make_one_group(limit: int | None) -> None:
    def propose(item: Scene, statistics: None, rng: Random) -> Iterator[Group]:
        yield Group(Relation.SAME, (Query(None, "Is it red?"), Query(None, "Is it not?")), (Gold.of("yes"), None))

    tally = Tally()
    suite = Suite("plain", tests="nothing", propose=propose)
    groups = list(generate_groups(suite, [scene(n) for n in range(3)], limit=limit, tally=tally))
    assert len(groups) == tally.groups == 1
    assert sum(tally.dropped.values()) == 2


def test_a_suite_that_draws_nothing_is_given_no_rng_and_the_same_groups() -> None:
    scenes = list(World("test", 4).scenes())
    certain: Suite[Scene, None] = Suite("certain", tests="all", propose=lambda scene, *_: [_group(scene.id, "yes")])
    drawn, undrawn = (
        list(generate_groups(replace(certain, draws=draws), scenes)) for draws in (draws_always, draws_never)
    )
    assert drawn == undrawn
    with pytest.raises(AssertionError, match="nothing is drawn at random"):
        list(generate_groups(Suite("luck", tests="none", propose=_plain, draws=draws_never), scenes))


def test_a_plain_question_that_a_data_set_has_twice_stays() -> None:
    def propose(item: Scene, statistics: None, rng: Random) -> Iterator[Group]:
        yield _group("Is it red?", "yes")

    suite = Suite("plain", tests="nothing", propose=propose)
    assert len(list(generate_groups(suite, [scene(n) for n in range(3)]))) == 3
