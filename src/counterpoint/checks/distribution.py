"""Distribution: words that are as frequent in captions as in foils, so that no word gives a foil away.

Each pair is an edge from the word that was replaced to the word in its place. A set of pairs in which every word stands
as often on one side as on the other is one in which as many edges leave each word as enter it: a pair p → q beside a
pair q → p, or a ring of more words. The check keeps the largest such set of each test.
"""

import numpy as np
from numpy.typing import NDArray

from counterpoint.checks.check import Check, CheckContext, Rejections
from counterpoint.checks.min_cost_flow import largest_circulation
from counterpoint.checks.text_pairs import Codes, Flags, TextPairs
from counterpoint.core.ids import seeded
from counterpoint.language.word_diff import replaced_words
from counterpoint.metrics.divergence import jensen_shannon_distance

REASON = "its words are more frequent on one side"


def judge(pairs: TextPairs, given: CheckContext) -> Rejections:
    """Speak against pairs of which there are more than the other way round, in a ring of words or directly.

    Where a group has several foils, the first stands for it: what it shares with the others would count several times.
    """
    first = np.zeros(len(pairs), np.bool_)
    first[np.unique(pairs.group, return_index=True)[1]] = True
    was, now, terms = _terms(pairs)
    out, notes = np.zeros(len(pairs), np.bool_), {}
    luck = seeded("distribution", given.seed).getrandbits(64)
    for test, places in pairs.by_test():
        own = places[first[places]]
        kept = _balanced_pairs(was[own], now[own], pairs.key[own], given.settings["slack"], luck)
        out[own] = ~kept
        notes[test] = {
            "divergence": _divergence(was[own], now[own], terms),
            "after": _divergence(was[own[kept]], now[own[kept]], terms),
        }
    found = Rejections.against(out, REASON)
    return Rejections(found.codes, found.reasons, notes)


def _terms(pairs: TextPairs) -> tuple[Codes, Codes, list[str]]:
    """Numbers for the words on both sides: those of the tags, else whatever differs between the texts."""
    known = {term: number for number, term in enumerate(pairs.terms)}
    was, now = pairs.was.copy(), pairs.now.copy()
    words = pairs.texts.words
    for place in np.flatnonzero((was < 0) | (now < 0)).tolist():
        left, right = replaced_words(words[pairs.caption[place]], words[pairs.foil[place]])
        was[place], now[place] = known.setdefault(left, len(known)), known.setdefault(right, len(known))
    return was, now, list(known)


def _balanced_pairs(was: Codes, now: Codes, keys: NDArray[np.uint64], slack: int, luck: int) -> Flags:
    """Which pairs stay; which of those that change one word for one other is a matter of luck."""
    words, numbers = np.unique(np.concatenate([was, now]), return_inverse=True)
    left, right = np.split(numbers.astype(np.int64), 2)
    edges, edge, counts = np.unique(left * max(len(words), 1) + right, return_inverse=True, return_counts=True)
    ends = [divmod(int(one), max(len(words), 1)) for one in edges]
    stay = np.array(largest_circulation(ends, counts.tolist(), len(words), slack), np.int64)
    mixed = (keys ^ np.uint64(luck)) * np.uint64(0x9E3779B97F4A7C15)
    order = np.lexsort((mixed ^ (mixed >> np.uint64(29)), edge))
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
    kept = np.zeros(len(was), np.bool_)
    if len(order):
        kept[order] = np.arange(len(order)) - np.repeat(starts, counts) < np.repeat(stay, counts)
    return kept


def _divergence(was: Codes, now: Codes, terms: list[str]) -> float:
    """How far the words of captions and foils are apart, from 0 to 1."""
    return jensen_shannon_distance(_term_counts(was, terms), _term_counts(now, terms))


def _term_counts(codes: Codes, terms: list[str]) -> dict[str, int]:
    used, counts = np.unique(codes, return_counts=True)
    return {terms[code]: count for code, count in zip(used.tolist(), counts.tolist(), strict=True)}


check = Check("distribution", "every word is as frequent in captions as in foils", judge, {"slack": 0})
