"""How far two distributions of words are apart."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log2, sqrt


def divergence(left: Sequence[str] | Mapping[str, int], right: Sequence[str] | Mapping[str, int]) -> float:
    """The Jensen-Shannon divergence of two lists of words, or of their counts, as VALSE has it (Appendix E).

    With logarithms to the base 2 and its square root taken: 0 for the same distribution, 1 where no word is in both.

    >>> divergence(["on", "in"], ["in", "on"]), divergence(["on"], {"in": 3})
    (0.0, 1.0)
    """
    one, other = Counter(left), Counter(right)
    assert min(one.total(), other.total()), "there are words on both sides"
    return sqrt(max(0.0, (_part(one, other) + _part(other, one)) / 2))


def _part(own: Counter[str], other: Counter[str]) -> float:
    """The relative entropy of one distribution to the mean of both."""
    size, others = own.total(), other.total()
    shares = ((count / size, other[word] / others) for word, count in sorted(own.items()) if count)
    return sum(share * log2(2 * share / (share + theirs)) for share, theirs in shares)
