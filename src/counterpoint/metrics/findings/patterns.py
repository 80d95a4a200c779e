"""How wrong answers are wrong: what they have in common, as a description and never as a feature of the search."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.groups import Relation
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.units import STATES, Flags, Rows

FEWEST_ANSWERS = 8
"""Wrong answers of a sort from which on they have a pattern."""
MOST_OF_THEM = 0.6
"""The share of them that makes one."""

_OK = STATES.index("ok")


@dataclass(frozen=True, slots=True)
class AnswerPattern:
    """How many of the wrong answers to some queries are alike in one respect."""

    name: str  # yes, no, kept, first, last, more, fewer, color, one
    detail: str  # the answer, or how much more
    count: int
    of: int

    @property
    def share(self) -> float:
        """The part of the wrong answers."""
        return self.count / self.of


@dataclass(frozen=True, slots=True)
class _WrongAnswers:
    """The wrong answers of some groups with what is right, as words."""

    rows: Rows
    said: list[str]
    gold: list[str]


def find_patterns(
    outcomes: Outcomes, texts: pa.ChunkedArray, rows: Rows, colors: Collection[str]
) -> list[AnswerPattern]:
    """What most of the wrong answers in some rows have in common, the commonest first.

    `texts` are the texts of all rows, and `colors` the names of colors.
    """
    wrong = _wrong_answers(outcomes, rows)
    patterns = [*_yes_or_no(wrong), *_kept(outcomes, wrong), *_places(wrong, texts), *_numbers(wrong)]
    patterns += [*_other_colors(outcomes, wrong, frozenset(colors)), *_one_answer(wrong)]
    clear = [own for own in patterns if own.of >= FEWEST_ANSWERS and own.share >= MOST_OF_THEM]
    return sorted(clear, key=lambda own: -own.share * own.of**0.5)


def _wrong_answers(outcomes: Outcomes, rows: Rows) -> _WrongAnswers:
    wrong = (outcomes.correct[rows] < outcomes.threshold) & (outcomes.state[rows] == _OK)
    kept = rows[wrong]
    said, gold = _words(outcomes.words.value, kept), _words(outcomes.words.gold, kept)
    return _WrongAnswers(kept, said, gold)


def _words(labels: Labels, rows: Rows) -> list[str]:
    codes = labels.codes[rows]
    return [word or "" for word in pc.take(labels.words, pa.array(codes, mask=codes < 0)).to_pylist()]


def _yes_or_no(wrong: _WrongAnswers) -> Iterator[AnswerPattern]:
    asked = [said for said, gold in zip(wrong.said, wrong.gold, strict=True) if gold in ("yes", "no")]
    for word in ("yes", "no"):
        yield AnswerPattern(word, word, asked.count(word), max(len(asked), 1))


def _kept(outcomes: Outcomes, wrong: _WrongAnswers) -> Iterator[AnswerPattern]:
    """The answer to the base is given to a variant that has another one."""
    relation = outcomes.labels("relation").at(wrong.rows).where([Relation.DIFFERS, Relation.GOLD])
    base = outcomes.base[wrong.rows]
    gold = outcomes.words.gold.codes
    changed: Flags = relation & (base != wrong.rows) & (gold[base] != gold[wrong.rows])
    same = outcomes.value[base] == outcomes.value[wrong.rows]
    yield AnswerPattern("kept", "", int((same & changed).sum()), max(int(changed.sum()), 1))


def _places(wrong: _WrongAnswers, texts: pa.ChunkedArray) -> Iterator[AnswerPattern]:
    """The answer and what is right are both in the text: which of them comes first."""
    asked = texts.take(pa.array(wrong.rows)).to_pylist()
    places = [
        (_find_word(text.lower(), said), _find_word(text.lower(), gold))
        for text, said, gold in zip(asked, wrong.said, wrong.gold, strict=True)
        if said and gold
    ]
    named = [(said, gold) for said, gold in places if said >= 0 and gold >= 0 and said != gold]
    first = sum(said < gold for said, gold in named)
    yield AnswerPattern("first", "", first, max(len(named), 1))
    yield AnswerPattern("last", "", len(named) - first, max(len(named), 1))


def _find_word(text: str, word: str) -> int:
    """The place of a whole word in a text, or -1.

    >>> _find_word("do you notice no dog?", "no"), _find_word("do you notice a dog?", "no")
    (14, -1)
    """
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)
    return found.start() if found else -1


def _numbers(wrong: _WrongAnswers) -> Iterator[AnswerPattern]:
    pairs = zip(wrong.said, wrong.gold, strict=True)
    steps = [int(said) - int(gold) for said, gold in pairs if said.isdecimal() and gold.isdecimal()]
    for name, sign in (("more", 1), ("fewer", -1)):
        beyond = [abs(step) for step in steps if step * sign > 0]
        detail = str(max(set(beyond), key=beyond.count)) if beyond else ""
        yield AnswerPattern(name, detail, len(beyond), max(len(steps), 1))


def _other_colors(outcomes: Outcomes, wrong: _WrongAnswers, colors: frozenset[str]) -> Iterator[AnswerPattern]:
    """A color is given that is right for another query on the picture."""
    asked = [place for place, pair in enumerate(zip(wrong.said, wrong.gold, strict=True)) if colors.issuperset(pair)]
    wanted = {int(outcomes.cluster[wrong.rows[place]]) for place in asked}
    near = np.flatnonzero(np.isin(outcomes.cluster, list(wanted)))
    right = set(zip(outcomes.cluster[near].tolist(), _words(outcomes.words.gold, near), strict=True))
    found = sum((int(outcomes.cluster[wrong.rows[place]]), wrong.said[place]) in right for place in asked)
    yield AnswerPattern("color", "", found, max(len(asked), 1))


def _one_answer(wrong: _WrongAnswers) -> Iterator[AnswerPattern]:
    """One answer is given most of the time."""
    said = [word for word, gold in zip(wrong.said, wrong.gold, strict=True) if gold not in ("yes", "no") and word]
    if said:
        most = max(sorted(set(said)), key=said.count)
        yield AnswerPattern("one", most, said.count(most), len(said))
