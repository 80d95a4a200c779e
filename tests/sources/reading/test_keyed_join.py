"""Two files are joined by key, in whatever order each has its records."""

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.sources.reading.keyed_join import KeyedJoin

KEYS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(KEYS, KEYS)
def test_every_key_gets_its_own_record_once_whatever_the_order(first: list[str], second: list[str]) -> None:
    beside = KeyedJoin((key, key.upper()) for key in second)
    assert [beside.take(key) for key in first] == [key.upper() if key in second else None for key in first]
    assert beside.left() == [key for key in second if key not in first]


def test_records_in_the_same_order_are_not_held() -> None:
    beside = KeyedJoin((str(number), number) for number in range(100))
    for number in range(100):
        assert beside.take(str(number)) == number
        assert not beside._held
