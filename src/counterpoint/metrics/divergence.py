"""How far apart the words of captions and foils are: the divergence of Jensen and Shannon, from 0 to 1."""

from collections.abc import Mapping

import numpy as np


def jensen_shannon_distance(one: Mapping[str, int], other: Mapping[str, int]) -> float:
    """The square root of the Jensen-Shannon divergence, to base 2, of two counts of words (VALSE, Appendix E).

    It is 0 where every word has the same share on both sides, 1 where none is on both, and nan where a side is empty.

    >>> jensen_shannon_distance({"four": 3}, {"two": 3})
    1.0
    """
    words = sorted({*one, *other})
    counts = np.array([[side.get(word, 0) for word in words] for side in (one, other)], np.float64).reshape(2, -1)
    if not counts.sum(axis=1).all():
        return float("nan")
    shares = counts / counts.sum(axis=1, keepdims=True)
    middle = np.broadcast_to(shares.mean(axis=0), shares.shape)
    there = shares > 0
    bits = (shares[there] * np.log2(shares[there] / middle[there])).sum() / 2
    return float(np.sqrt(min(max(bits, 0.0), 1.0)))
