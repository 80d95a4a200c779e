"""Outcomes: right, consistent and state, as the definitions have them, by hand and by a naive loop."""

import gc
from collections import Counter
from dataclasses import replace
from weakref import ref

import numpy as np
import pyarrow as pa
import pytest
from answer_tables import Made, Member, Said, made, tables
from hypothesis import given
from hypothesis import strategies as st
from naive import answered, consistent, credit, pair_cases

from counterpoint.metrics.labels import Labels, find_rows, tag_labels
from counterpoint.metrics.outcomes import judge
from counterpoint.metrics.units import STATES, Pairs


def _pair(base: Said | None, variant: Said | None, relation: str = "same", mode: str = "answer") -> Pairs:
    gold = {"yes": 1.0}
    groups, answers, _ = tables([Made((Member(gold, base), Member(gold, variant)), relation, mode=mode)])
    return judge(groups, answers).pairs()


@pytest.mark.parametrize(
    ("base", "variant", "relation", "related"),
    [
        (Said(value="red"), Said(value="red"), "same", True),
        (Said(value="red"), Said(value="pink"), "same", False),
        (Said(value="yes"), Said(value="no"), "differs", True),
        (Said(value="yes"), Said(value="yes"), "differs", False),
        (Said(value="yes"), Said(value="yes"), "swap", True),  # the base's answer survived
        (Said("unparsed", "", "I see, hm."), Said("unparsed", "", "i see,  hm"), "same", True),
        (Said("unparsed", "", "Yes!"), Said(value="yes"), "same", True),
        (Said("refused", "no"), Said("refused", "no"), "same", False),
        (Said("refused", "no"), Said(value="yes"), "differs", False),
    ],
)
def test_two_answers_are_consistent_as_their_relation_asks(
    base: Said, variant: Said, relation: str, related: bool
) -> None:
    judged = _pair(base, variant, relation)
    assert judged.known.tolist() == [True]
    assert judged.related.tolist() == [related]


@pytest.mark.parametrize("state", ["hedged", "unparsed", "refused"])
@pytest.mark.parametrize(
    ("raw", "gold", "earned"),
    [
        ("Unknown.", {"unknown": 1.0}, 1.0),
        (" unknown ", {"red": 0.9, "Unknown": 0.6}, 0.6),
        ("I don't know", {"unknown": 1.0}, 0.0),
        ("unknown", {"red": 1.0}, 0.0),
        ("unknown", None, np.nan),
        ("", {"": 1.0}, 0.0),
    ],
)
def test_a_reply_that_is_a_gold_answer_as_written_has_its_credit(
    state: str, raw: str, gold: dict[str, float] | None, earned: float
) -> None:
    """Annotators of VQA and VizWiz answer "unknown" too, which is a hedge to the rules."""
    groups, answers, _ = tables([Made((Member(gold, Said(state, "", raw)), Member(gold, Said(state, "", raw))))])
    outcomes = judge(groups, answers)
    assert outcomes.correct.tolist() == pytest.approx([earned] * 2, nan_ok=True)
    assert [STATES[code] for code in outcomes.state] == ["ok" if earned > 0 else state] * 2
    if earned > 0:
        assert outcomes.pairs().related.all()


GRAY = {"gray": 0.9, "grey": 0.6, "silver": 0.3}


@pytest.mark.parametrize(
    ("gold", "values", "relation", "related"),
    [
        ((GRAY, GRAY), ("gray", "grey"), "same", True),
        ((GRAY, dict(reversed(GRAY.items()))), ("gray", "grey"), "same", True),  # one list in another order
        ((GRAY, GRAY), ("gray", "silver"), "same", False),  # one of them is not right
        ((GRAY, GRAY | {"grey": 1.0}), ("gray", "grey"), "same", False),
        ((GRAY, {"grey": 1.0}), ("gray", "grey"), "same", False),
        ((GRAY, GRAY), ("gray", "grey"), "differs", False),
        (({"gray": 1.0}, {"grey": 1.0}), ("gray", "grey"), "differs", True),
        ((GRAY, GRAY), ("gray", "grey"), "swap", False),  # its chance level is that of equal answers
    ],
)
def test_two_right_answers_are_the_same_where_their_gold_is(
    gold: tuple[dict[str, float], dict[str, float]], values: tuple[str, str], relation: str, related: bool
) -> None:
    members = tuple(Member(own, Said(value=value)) for own, value in zip(gold, values, strict=True))
    groups, answers, _ = tables([Made(members, relation), Made((Member(GRAY, Said(value="gray")),))])
    assert judge(groups, answers).pairs().related.tolist() == [related]


@given(made(), st.sampled_from([0.3, 0.5, 0.9]))
def test_pairs_of_one_gold_list_that_are_both_right_are_consistent(groups: list[Made], threshold: float) -> None:
    """CONS is at least C-ACC on every pair that must be answered alike and has one list of right answers."""
    alike = [
        replace(
            group, relation="same", members=tuple(replace(one, gold=group.members[0].gold) for one in group.members)
        )
        for group in groups
    ]
    table, answers, _ = tables(alike)
    pairs = judge(table, answers, threshold).pairs()
    both = pairs.counted & pairs.gold & pairs.base_right & pairs.variant_right
    assert (pairs.related & pairs.known)[both].all()


def test_a_single_answer_has_its_value_and_its_gold_as_the_rule_set_normalises_them() -> None:
    golds = [{"Two": 1.0, "2": 0.6}, {"The red one.": 1.0}, None, {"yes": 1.0}]
    given_answers = [Said(value="two"), Said(value="red 1"), Said(value="blue"), Said("unparsed", "", "oh, yes")]
    groups, answers, _ = tables([Made((Member(gold, said),)) for gold, said in zip(golds, given_answers, strict=True)])
    singles = judge(groups, answers).singles()
    assert _texts(singles.value) == ["two", "red 1", "blue", None]
    assert _texts(singles.gold_answer) == ["Two", "The red one.", None, "yes"]
    rules = pa.array(["vqa", "vqa", "gqa", "exact"])
    singles = judge(groups.append_column("rules", rules), answers).singles()
    assert _texts(singles.value) == ["2", "red 1", "blue", None]
    assert _texts(singles.gold_answer) == ["2", "red 1", None, "yes"]
    assert len(singles.value.words) == len(set(singles.value.words.to_pylist()))


def _texts(labels: Labels) -> list[str | None]:
    return [*labels.words.take(pa.array(labels.codes, mask=labels.codes < 0)).to_pylist()]


def test_a_caption_is_ranked_above_its_foil_strictly() -> None:
    scores = [(0.9, 0.1), (0.1, 0.9), (0.5, 0.5)]
    found = [_pair(Said(score=one), Said(score=two), "ranks", "score") for one, two in scores]
    assert [bool(pair.related[0]) for pair in found] == [True, False, False]
    assert all(np.isnan(pair.base_correct).all() for pair in found)


def test_what_cannot_be_judged_is_not_known() -> None:
    assert not _pair(Said(), Said(), "gold").known.any()
    assert not _pair(Said(), Said(), "ranks", "score").known.any()
    assert not _pair(Said(value=""), Said(value=""), "same", "score").known.any()


def test_out_of_form_and_refused_answers_are_wrong_even_if_their_words_are_right() -> None:
    judged = _pair(Said("unparsed", "yes", "oh, yes"), Said("refused", "yes", "yes, but no"))
    assert judged.counted.all()
    assert (judged.base_correct.tolist(), judged.variant_correct.tolist()) == ([0.0], [0.0])


@pytest.mark.parametrize("absent", [Said("failed"), None])
def test_a_pair_with_a_failed_or_missing_member_does_not_count(absent: Said | None) -> None:
    assert not _pair(absent, Said()).counted.any()
    assert not _pair(Said(), absent).counted.any()


def test_only_the_plain_pass_is_judged() -> None:
    groups, answers, _ = tables([Made((Member({"yes": 1.0}, Said(value="yes")),))])
    later = answers.set_column(2, "trial", pa.array([3], pa.uint16())).set_column(4, "value", pa.array(["no"]))
    later = later.cast(answers.schema)
    assert judge(groups, pa.concat_tables([answers, later])).singles().correct.tolist() == [1.0]


@given(made(), st.integers(0, 9), st.booleans())
def test_rows_are_judged_as_a_loop_judges_them(groups: list[Made], seed: int, shuffled: bool) -> None:
    table, answers, _ = tables(groups, seed, shuffled=shuffled)
    outcomes = judge(table, answers)
    found = Counter(zip((STATES[code] for code in outcomes.state), map(_shown, outcomes.correct), strict=True))
    naive: Counter[tuple[str, str]] = Counter()
    for group in groups:
        for member in group.members:
            own = answered(member, other=False)
            earned = credit(group, member, own) if own else None
            naive[member.said.state if member.said else "missing", _shown(earned)] += 1
    assert found == naive


def _shown(earned: float | None) -> str:
    return "nothing" if earned is None or np.isnan(earned) else f"{earned:.6f}"


@given(made(), st.integers(0, 9))
def test_pairs_are_those_of_a_loop_in_the_order_of_the_table(groups: list[Made], seed: int) -> None:
    table, answers, _ = tables(groups, seed)
    judged = judge(table, answers).pairs()
    naive = list(pair_cases(groups))
    assert judged.counted.tolist() == [case.counted for case in naive]
    for place, (group, variant) in enumerate((g, v) for g in groups for v in g.members[1:]):
        base, own = answered(group.members[0], other=False), answered(variant, other=False)
        if base and own:
            expected = consistent(group, (group.members[0], variant), base, own)
            assert (bool(judged.related[place]) if judged.known[place] else None) == expected
    same_cluster = judged.cluster[:, None] == judged.cluster[None, :]
    assert same_cluster.tolist() == [[one.cluster == two.cluster for two in naive] for one in naive]


def test_outcomes_are_freed_with_their_last_reference() -> None:
    """A block of many is judged after another: a cycle would keep all until the garbage collector runs."""
    table, answers, _ = tables([Made((Member({"yes": 1.0}, Said()),) * 2)])
    outcomes = judge(table, answers)
    assert outcomes.pairs().labels("test").words == outcomes.sets().labels("test").words
    alive = ref(outcomes.correct)
    gc.disable()
    try:
        del outcomes
        assert alive() is None
    finally:
        gc.enable()


def test_changed_outcomes_have_units_of_their_own() -> None:
    table, answers, _ = tables([Made((Member({"yes": 0.6}, Said(value="yes")),) * 2)])
    outcomes = judge(table, answers)
    assert outcomes.pairs() is outcomes.pairs()
    assert outcomes.pairs().base_right.all()
    assert not replace(outcomes, threshold=0.7).pairs().base_right.any()


@given(st.lists(st.integers(0, 40)), st.lists(st.integers(0, 40)), st.sampled_from([1, 2**40, 2**58]))
def test_ids_are_found_where_they_are_last(wanted: list[int], keys: list[int], stretch: int) -> None:
    last = {key: place for place, key in enumerate(keys)}
    found = find_rows(np.array(wanted, np.uint64) * np.uint64(stretch), np.array(keys, np.uint64) * np.uint64(stretch))
    assert found.tolist() == [last.get(one, -1) for one in wanted]


_TAGS = st.none() | st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), max_size=3)


@given(st.lists(st.lists(_TAGS), max_size=3), st.integers(0, 2))
def test_the_first_value_of_a_tag_is_found_in_each_row(
    chunks: list[list[list[tuple[str, str]] | None]], skipped: int
) -> None:
    kind = pa.map_(pa.string(), pa.string())
    tags = pa.chunked_array([pa.array(chunk, kind) for chunk in chunks], kind).slice(skipped)
    found = tag_labels(tags, "a")
    rows = [row for chunk in chunks for row in chunk][skipped:]
    expected = [next((value for name, value in row or () if name == "a"), None) for row in rows]
    assert [None if code < 0 else found.words[code].as_py() for code in found.codes.tolist()] == expected
