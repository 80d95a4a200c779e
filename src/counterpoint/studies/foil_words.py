"""The words by which captions and foils differ: how many, how often on each side, before and after validation.

The analyses of VALSE's Table 5 and Appendix E, for any suite in which captions rank above foils. What was changed is
what the tags `word` of caption and foil say, else what differs between the texts. Where two words of a sentence are
exchanged both stand on both sides, so that the sides cannot differ.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Relation
from counterpoint.language.word_diff import replaced_words
from counterpoint.metrics.data_statistics import jensen_shannon_distance
from counterpoint.metrics.slices import Table
from counterpoint.sources.formats.valse import INSTRUMENTS

SWAPS = ("actant-swap",)
"""Tests whose foils have the words of their captions in other places."""
ALL = "all"
SUBSETS: Mapping[str, int] = {ALL: 0, "valid": 2, "unanimous": 3}
"""How many of three annotators must have chosen the caption, in each part of a suite that tells their votes."""

_COLUMNS = ("test", "role", "relation", "tags", "text")
_PARTED = " | "


class ChangedWords(NamedTuple):
    """A caption and a foil: what was changed in one, what stands there in the other, and the votes for the caption."""

    words: tuple[str, ...]
    foil_words: tuple[str, ...]
    votes: int | None


@dataclass(slots=True)
class WordSides:
    """How often each changed word stands in captions, and in foils."""

    pairs: int = 0
    captions: Counter[str] = field(default_factory=Counter)
    foils: Counter[str] = field(default_factory=Counter)

    def add(self, pair: ChangedWords) -> None:
        """Count one pair."""
        self.pairs += 1
        self.captions.update(pair.words)
        self.foils.update(pair.foil_words)

    @property
    def items(self) -> int:
        """How many different words there are on both sides together."""
        return len({*self.captions, *self.foils})

    @property
    def divergence(self) -> float:
        """How far apart the two sides are."""
        return jensen_shannon_distance(self.captions, self.foils)

    def commonest(self, most: int) -> list[str]:
        """The words that stand on either side most often."""
        both = self.captions + self.foils
        return sorted(both, key=lambda word: (-both[word], word))[:most]


def foil_words(groups: Table) -> dict[str, dict[str, WordSides]]:
    """For each test, in the order of the paper, the words of all pairs, and of each subset where votes are told."""
    pairs: dict[str, list[ChangedWords]] = {}
    for test, pair in _pairs(groups):
        pairs.setdefault(test, []).append(pair)
    if not pairs:
        raise StoreError("nothing here ranks a caption above a foil", hint="name a suite that does, with --suite")
    instruments = [instrument.name for instrument in INSTRUMENTS if instrument.name in pairs]
    return {test: _subsets(pairs[test]) for test in (*instruments, *sorted({*pairs} - {*instruments}))}


def _subsets(pairs: Sequence[ChangedWords]) -> dict[str, WordSides]:
    has_votes = all(pair.votes is not None for pair in pairs)
    counted = {}
    for name, needed in SUBSETS.items() if has_votes else [(ALL, 0)]:
        counted[name] = WordSides()
        for pair in pairs:
            if (pair.votes or 0) >= needed:
                counted[name].add(pair)
    return counted


def _pairs(groups: Table) -> Iterator[tuple[str, ChangedWords]]:
    """Every caption with each of its foils, and the test that it belongs to."""
    rows = [row | {"tags": dict(row["tags"])} for row in groups.select(_COLUMNS).to_pylist()]
    tagged = {row["test"] for row in rows if row["tags"].get("word")}
    caption: Mapping[str, Any] = {}
    for row in rows:
        if row["role"] == 0:
            caption = row
        elif row["relation"] == Relation.RANKS:
            words = _changed_words(caption, row, tagged=row["test"] in tagged)
            if row["test"] in SWAPS:
                words = ((*words[0], *words[1]),) * 2
            votes = caption["tags"].get("votes", "")
            yield row["test"], ChangedWords(*words, int(votes) if votes.isdecimal() else None)


def _changed_words(
    caption: Mapping[str, Any], foil: Mapping[str, Any], *, tagged: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What was changed: what the tags `word` say, else what differs between the texts."""
    if tagged:
        was, now = (row["tags"].get("word", "") for row in (caption, foil))
    else:
        was, now = replaced_words(*(tuple(row["text"].lower().rstrip(".!?").split()) for row in (caption, foil)))
    before, after = (tuple(filter(None, words.split(_PARTED))) for words in (was, now))
    return before, after


def foil_word_rows(tests: Mapping[str, Mapping[str, WordSides]]) -> list[dict[str, Any]]:
    """The same as JSON has it: a row for each test, with each subset's counts and commonest words."""
    return [
        {
            "test": test,
            **{
                name: {
                    "pairs": words.pairs,
                    "lexical_items": words.items,
                    "divergence": None if isnan(words.divergence) else round(words.divergence, 6),
                    "words": [
                        {"word": word, "captions": words.captions[word], "foils": words.foils[word]}
                        for word in words.commonest(50)
                    ],
                }
                for name, words in subsets.items()
            },
        }
        for test, subsets in tests.items()
    ]


def most_skewed_words(words: WordSides, most: int) -> list[tuple[str, float]]:
    """The words whose frequencies in captions and foils differ most, with the difference."""
    sides = [(side, max(side.total(), 1)) for side in (words.captions, words.foils)]
    gaps = {word: sides[0][0][word] / sides[0][1] - sides[1][0][word] / sides[1][1] for word in words.commonest(10**9)}
    return sorted(gaps.items(), key=lambda one: (-abs(one[1]), one[0]))[:most]
