"""Texts have the numbers that a dictionary of all of them would give, however they are added."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.store import text_numbers
from counterpoint.store.text_numbers import TextNumbers, hash_texts

TEXTS = st.lists(st.text("ab\0é", max_size=20), max_size=12)


def _numbered(portions: list[list[str]]) -> tuple[list[int], list[str]]:
    """By a dictionary of Python."""
    numbers = dict[str, int]()
    found = [numbers.setdefault(text, len(numbers)) for texts in portions for text in texts]
    return found, list(numbers)


@given(st.lists(TEXTS, max_size=5))
def test_numbers_are_those_of_a_dictionary(portions: list[list[str]]) -> None:
    numbers = TextNumbers()
    arrays = [pa.array(["other", *texts], pa.string()).slice(1) for texts in portions]
    found = [number for texts in arrays for number in numbers.add(texts).tolist()]
    assert (found, numbers.words().to_pylist()) == _numbered(portions)


def test_a_table_grows() -> None:
    portions = [[f"p:{number % 1_700}.png" for number in range(start, start + 900)] for start in range(0, 4_500, 900)]
    numbers = TextNumbers()
    found = [number for texts in portions for number in numbers.add(pa.array(texts)).tolist()]
    assert (found, numbers.words().to_pylist()) == _numbered(portions)


def test_texts_that_differ_in_half_of_their_hash_alone_are_two(monkeypatch: pytest.MonkeyPatch) -> None:
    def half_of_hash(texts: pa.Array) -> list[text_numbers.Keys]:
        first, second = hash_texts(texts)
        return [first % 2, second]

    monkeypatch.setattr(text_numbers, "hash_texts", half_of_hash)
    numbers = TextNumbers()
    assert numbers.add(pa.array(["a", "b", "c", "a"])).tolist() == [0, 1, 2, 0]
    assert numbers.add(pa.array(["d", "c"])).tolist() == [3, 2]
