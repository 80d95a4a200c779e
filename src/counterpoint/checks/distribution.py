"""Distribution: every word is as frequent in captions as in foils, so that no word gives a foil away.

Each pair is an edge from the replaced word to its replacement. A set of pairs in which every word occurs equally often
on both sides is a circulation: as many edges leave each word as enter it. The check keeps the largest circulation of
each test.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.min_cost_flow import largest_circulation
from counterpoint.checks.text_pairs import Codes, Flags, TextPairs
from counterpoint.core.ids import seeded_rng
from counterpoint.language.word_diff import replaced_words
from counterpoint.metrics.data_statistics import jensen_shannon_distance

REASON = "its words are more frequent on one side"


def judge(pairs: TextPairs, context: CheckContext) -> Rejections:
    """Reject the pairs outside the largest circulation of their test.

    A group of several foils is represented by its first pair, so that the words its pairs share count once.
    """
    first = np.zeros(len(pairs), np.bool_)
    first[np.unique(pairs.group, return_index=True)[1]] = True
    before, after, terms = _terms(pairs)
    rejected, notes = np.zeros(len(pairs), np.bool_), {}
    seed = seeded_rng("distribution", context.seed).getrandbits(64)
    for test, rows in pairs.by_test():
        rows = rows[first[rows]]
        kept = _balanced_pairs(before[rows], after[rows], pairs.key[rows], context.settings["slack"], seed)
        rejected[rows] = ~kept
        notes[test] = {
            "divergence": _divergence(before[rows], after[rows], terms),
            "after": _divergence(before[rows[kept]], after[rows[kept]], terms),
        }
    return Rejections.first_of({REASON: rejected}, len(pairs), notes)


def _terms(pairs: TextPairs) -> tuple[Codes, Codes, list[str]]:
    """Numbers for the changed words on both sides: those of the tags, else those of a word diff."""
    known = {term: number for number, term in enumerate(pairs.terms)}
    before, after = pairs.was.copy(), pairs.now.copy()
    words = pairs.texts.words
    for row in np.flatnonzero((before < 0) | (after < 0)).tolist():
        left, right = replaced_words(words[pairs.caption[row]], words[pairs.foil[row]])
        before[row], after[row] = known.setdefault(left, len(known)), known.setdefault(right, len(known))
    return before, after, list(known)


def _balanced_pairs(before: Codes, after: Codes, keys: NDArray[np.uint64], slack: int, seed: int) -> Flags:
    """Which pairs stay; among pairs of the same replacement the choice is a hash of group id and seed."""
    words, numbers = np.unique(np.concatenate([before, after]), return_inverse=True)
    left, right = np.split(numbers.astype(np.int64), 2)
    edges, edge, counts = np.unique(left * max(len(words), 1) + right, return_inverse=True, return_counts=True)
    ends = [divmod(int(code), max(len(words), 1)) for code in edges]
    quota = np.array(largest_circulation(ends, counts.tolist(), len(words), slack), np.int64)
    mixed = (keys ^ np.uint64(seed)) * np.uint64(0x9E3779B97F4A7C15)
    order = np.lexsort((mixed ^ (mixed >> np.uint64(29)), edge))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    kept = np.zeros(len(before), np.bool_)
    if len(order):
        kept[order] = np.arange(len(order)) - np.repeat(starts, counts) < np.repeat(quota, counts)
    return kept


def _divergence(before: Codes, after: Codes, terms: list[str]) -> float:
    """The Jensen-Shannon distance between the words of captions and foils, from 0 to 1."""
    return jensen_shannon_distance(*(Counter(terms[code] for code in side.tolist()) for side in (before, after)))


check = Check("distribution", "every word is as frequent in captions as in foils", judge, {"slack": 0})
