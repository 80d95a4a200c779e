"""The divergence of two counts of words, held against its definition and against the entropy of the mixture."""

from math import isnan, log2, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.metrics.divergence import jensen_shannon_distance

COUNTS = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 50), min_size=1)


def _entropy(shares: list[float]) -> float:
    return -sum(share * log2(share) for share in shares if share > 0)


@given(COUNTS, COUNTS)
def test_it_is_the_root_of_what_the_entropy_of_the_mixture_exceeds_the_mean_entropy_by(
    one: dict[str, int], other: dict[str, int]
) -> None:
    left, right = ([side.get(word, 0) / sum(side.values()) for word in "abcdefgh"] for side in (one, other))
    mixed = [(a + b) / 2 for a, b in zip(left, right, strict=True)]
    naive = _entropy(mixed) - (_entropy(left) + _entropy(right)) / 2
    assert jensen_shannon_distance(one, other) == pytest.approx(sqrt(max(naive, 0)), abs=1e-6)


@given(COUNTS, COUNTS, st.integers(2, 9))
def test_it_is_the_same_both_ways_and_for_as_many_times_the_words(
    one: dict[str, int], other: dict[str, int], times: int
) -> None:
    found = jensen_shannon_distance(one, other)
    assert 0 <= found <= 1
    assert jensen_shannon_distance(other, one) == pytest.approx(found, abs=1e-7)
    assert jensen_shannon_distance({word: times * n for word, n in one.items()}, other) == pytest.approx(
        found, abs=1e-7
    )


def test_no_word_in_common_is_one_and_no_words_are_no_number() -> None:
    assert jensen_shannon_distance({"four": 3, "five": 1}, {"two": 3}) == 1.0
    assert isnan(jensen_shannon_distance({}, {"two": 3}))
    assert isnan(jensen_shannon_distance({}, {}))
