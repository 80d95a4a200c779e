"""A list that is kept on disk is the list that it would be in memory."""

import pickle

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.sources.item_spool import ItemSpool
from counterpoint.sources.sampling import sample_items, spool_sample


@given(
    st.lists(st.text(max_size=3), max_size=30),
    st.integers(0, 12),
    st.integers(1, 5),
    st.tuples(st.integers(0, 30), st.integers(0, 30)),
    st.sets(st.integers(0, 29)),
)
def test_items_are_walked_in_parts_and_picked_wherever_they_are(
    items: list[str], held: int, portion: int, cut: tuple[int, int], picked: set[int]
) -> None:
    spool = ItemSpool.of(items, held, portion, light=0)
    first, last = sorted(min(place, len(items)) for place in cut)
    places = sorted(place for place in picked if place < len(items))
    for one in (spool, pickle.loads(pickle.dumps(spool))):
        assert len(one) == len(items)
        assert list(one) == items
        assert list(one.part(first, last)) == items[first:last]
        assert list(one.pick(places)) == [items[place] for place in places]
        assert one.is_held == (len(items) <= max(held, portion))
    spool.append("last")
    assert list(spool) == [*items, "last"]


def test_more_items_are_held_where_they_are_light() -> None:
    """Ten items of a thousand bytes, or as many shorter ones as have ten thousand bytes together."""
    for letters, most in ((5_000, 10), (1_000, 10), (100, 90)):
        items = [str(number % 10) * letters for number in range(200)]
        spool, held = ItemSpool[str](held=10, portion=4, light=1_000), 0
        for item in items:
            spool.append(item)
            held += spool.is_held
        assert list(spool) == items
        assert most * 0.8 <= held <= most * 1.2, letters


def test_a_sample_that_is_kept_on_disk_is_the_one_in_memory() -> None:
    items = [Caption(str(number % 1900), Picture("some:1.png"), str(number)) for number in range(2000)]
    for most in (0, 300, 1000, 1899, 1900, 3000):
        held, again = list(sample_items(items, most)), list[Caption]()
        assert list(sample_items(items, most, held=10, on_repeated=again.append)) == held
        assert {item.id for item in again} >= {item.id for item in held if int(item.id) < 100}
        kept = ItemSpool[Caption](10, digest=lambda item: int(item.text))
        spool = spool_sample(items, most, 0, again.append, kept)
        assert list(spool) == held
        assert list(spool.ids) == [int(item.text) for item in held]
        assert (spool is kept) == (most >= 1900 or not most)
