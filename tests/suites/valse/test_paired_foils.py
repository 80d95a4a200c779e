"""Twins exchange what sets caption and foil apart."""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.suites.valse.paired_foils import MANY_PAIRS, pair_cases


@dataclass(frozen=True)
class Case:
    """What is paired here."""

    id: str
    side: str
    key: int


def _cases(rows: list[tuple[str, int]]) -> list[Case]:
    return [Case(str(place), side, key) for place, (side, key) in enumerate(rows)]


ROWS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=160)


@given(ROWS)
def test_no_case_has_two_twins_and_order_does_not_matter(rows: list[tuple[str, int]]) -> None:
    cases = _cases(rows)
    found = pair_cases(cases, side=lambda case: case.side, keys=(lambda case: case.key,))
    seen = Counter(case.id for pair in found for case in (pair.one, pair.other))
    assert all(count == 1 for count in seen.values())
    assert all(pair.one.side != pair.other.side and pair.one.key == pair.other.key for pair in found)
    assert pair_cases(cases[::-1], side=lambda case: case.side, keys=(lambda case: case.key,)) == found


@given(st.lists(st.integers(0, 3), min_size=2, max_size=200))
def test_of_many_pairs_one_case_each_is_kept_and_of_few_both(keys: list[int]) -> None:
    cases = [Case(f"{place}-{side}", side, key) for place, key in enumerate(keys) for side in ("yes", "no")]
    found = pair_cases(cases, side=lambda case: case.side, keys=(lambda case: case.key,))
    kept = sum(len(pair.kept) for pair in found)
    assert len(found) == len(keys)
    assert kept == (2 * len(keys) if len(keys) < MANY_PAIRS else len(keys))


def test_what_is_kept_is_a_coin_that_the_other_pairs_do_not_tell() -> None:
    cases = [Case(f"{place}-{side}", side, place) for place in range(2000) for side in ("yes", "no")]
    sides = [
        pair.kept[0].side for pair in pair_cases(cases, side=lambda case: case.side, keys=(lambda case: case.key,))
    ]
    assert abs(sides.count("yes") - 1000) < 90
    runs = sum(one == other for one, other in pairwise(sides))
    assert abs(runs - 1000) < 90  # not in turns


def test_keys_that_say_less_are_used_only_where_few_are_found() -> None:
    few = _cases([("a", 1), ("b", 2)])
    many = _cases([("a", 1), ("b", 1)] * MANY_PAIRS + [("a", 3), ("b", 4)])
    for cases, pairs in ((few, 1), (many, MANY_PAIRS)):
        found = pair_cases(
            cases, side=lambda case: case.side, keys=(lambda case: case.key,), otherwise=(lambda case: 0,)
        )
        assert len(found) == pairs


def test_only_cases_that_fit_become_twins() -> None:
    cases = _cases([("a", 1), ("b", 1), ("c", 1)])
    found = pair_cases(
        cases,
        side=lambda case: case.side,
        keys=(lambda case: case.key,),
        fits=lambda one, other: {one.side, other.side} == {"a", "c"},
    )
    assert [{pair.one.side, pair.other.side} for pair in found] == [{"a", "c"}]
