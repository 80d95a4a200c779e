"""A sample is the same on every machine, and part of every larger one."""

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.sources.sampling import sample_items

IDS = st.lists(st.text(max_size=3), unique=True, max_size=30)


def _items(ids: list[str]) -> list[Caption]:
    return [Caption(one, Picture("some:1.png"), one) for one in ids]


def _taken(ids: list[str], most: int | None, seed: int) -> list[str]:
    return [one.id for one in sample_items(_items(ids), most, seed)]


@given(IDS, st.integers(0, 30), st.integers(0, 3))
def test_a_sample_has_so_many_in_the_order_in_which_they_came(ids: list[str], most: int, seed: int) -> None:
    taken = _taken(ids, most, seed)
    assert len(taken) == min(most, len(ids))
    assert taken == [one for one in ids if one in taken]


@given(IDS, st.integers(0, 30), st.integers(0, 30), st.integers(0, 3))
def test_a_sample_is_part_of_every_larger_one(ids: list[str], one: int, other: int, seed: int) -> None:
    small, large = sorted((one, other))
    assert set(_taken(ids, small, seed)) <= set(_taken(ids, large, seed))


@given(IDS.flatmap(lambda ids: st.tuples(st.just(ids), st.permutations(ids))), st.integers(0, 30))
def test_the_order_of_the_items_does_not_change_what_is_taken(orders: tuple[list[str], list[str]], most: int) -> None:
    assert set(_taken(orders[0], most, 0)) == set(_taken(orders[1], most, 0))


@given(IDS)
def test_without_a_limit_everything_is_taken(ids: list[str]) -> None:
    assert _taken(ids, None, 0) == ids


def test_another_seed_takes_others_and_the_same_seed_these() -> None:
    ids = [str(number) for number in range(20)]
    assert _taken(ids, 4, 0) == ["0", "5", "11", "17"]
    assert _taken(ids, 4, 1) != _taken(ids, 4, 0)


@given(st.lists(st.text(max_size=1), max_size=20), st.one_of(st.none(), st.integers(0, 6)))
def test_of_items_that_share_an_id_the_first_is_taken_and_the_others_are_told(ids: list[str], most: int | None) -> None:
    items = [Caption(one, Picture("some:1.png"), str(place)) for place, one in enumerate(ids)]
    again: list[Caption] = []
    taken = list(sample_items(items, most, 0, again.append))
    assert taken == list(sample_items([items[ids.index(one)] for one in dict.fromkeys(ids)], most, 0))
    known = {one.id for one in taken}
    assert [one for one in again if one.id in known] == [one for one in items if one.id in known and one not in taken]
