"""Grouping by a key: every value is in the group of its key, in order."""

from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.grouping import group_pairs


@given(st.lists(st.tuples(st.integers(0, 3), st.integers())))
def test_every_value_is_in_the_group_of_its_key_in_order(pairs: list[tuple[int, int]]) -> None:
    groups = group_pairs(pairs)
    assert groups == {key: [value for own, value in pairs if own == key] for key, _ in pairs}
    assert list(groups) == list(dict.fromkeys(key for key, _ in pairs))
