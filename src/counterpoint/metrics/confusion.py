"""Confusions: which answers are given to questions of each right answer, and what is said instead of what by kind."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from counterpoint.language.answers.rule_sets import RULE_SETS

MOST_CLASSES = 12
"""Right answers that have a row and a column; the others are counted together."""
MOST_CONFUSIONS = 5
"""Confusions that are listed of a kind."""
OTHERS, UNREAD = "others", "not read"


class AnswerTally(NamedTuple):
    """How often one value was given to questions of one right answer; without a value, answers that were not read."""

    gold: str
    value: str | None
    rules: str  # the rule set by which both are compared
    is_correct: bool
    answers: int


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """The answers to questions of one right answer, a count for each column, and how many of them are correct."""

    gold: str
    counts: tuple[int, ...]
    total: int
    correct: int


@dataclass(frozen=True, slots=True)
class ConfusionTable:
    """Right answers in rows and given ones in columns, the most frequent right answers first.

    A correct answer counts under the right answer whatever its spelling. Rarer right answers share the row `others`;
    the columns `others` and `not read` hold answers that are no class, and those from which no value was taken.
    """

    columns: tuple[str, ...]
    rows: tuple[ConfusionRow, ...]


def confusion_table(tallies: Iterable[AnswerTally], most: int = MOST_CLASSES) -> ConfusionTable | None:
    """The confusion table of some answers; None where fewer than two right answers occur.

    >>> table = confusion_table(
    ...     [AnswerTally("yes", "yes", "exact", True, 3), AnswerTally("no", "yes", "exact", False, 2)]
    ... )
    >>> table.columns, [(row.gold, row.counts, row.correct) for row in table.rows]
    (('yes', 'no'), [('yes', (3, 0), 3), ('no', (2, 0), 0)])
    """
    cells, correct = Counter[tuple[str, str | None]](), Counter[str]()
    for tally in tallies:
        normalize = RULE_SETS[tally.rules].normalize
        gold = normalize(tally.gold)
        value = gold if tally.is_correct else None if tally.value is None else normalize(tally.value)
        cells[gold, value] += tally.answers
        correct[gold] += tally.answers * tally.is_correct
    totals = Counter[str]()
    for (gold, _), count in cells.items():
        totals[gold] += count
    if len(totals) < 2:
        return None
    classes = sorted(totals, key=lambda gold: (-totals[gold], gold))[:most]
    places = {gold: place for place, gold in enumerate(classes)}
    heads = (*classes, OTHERS, UNREAD)
    columns = dict[str | None, int](places.items()) | {None: len(classes) + 1}
    grid = [[0] * len(heads) for _ in range(len(classes) + 1)]
    for (gold, value), count in cells.items():
        grid[places.get(gold, len(classes))][columns.get(value, len(classes))] += count
    used = [place for place in range(len(heads)) if place < len(classes) or any(row[place] for row in grid)]
    rare = sum(correct[gold] for gold in totals if gold not in places)
    rows = [
        ConfusionRow(gold, tuple(line[place] for place in used), sum(line), hits)
        for gold, line, hits in zip(heads, grid, [*(correct[gold] for gold in classes), rare], strict=False)
        if any(line)
    ]
    return ConfusionTable(tuple(heads[place] for place in used), tuple(rows))


@dataclass(frozen=True, slots=True)
class AnswerConfusion:
    """How often a value was given to questions of another right answer, of all questions of that right answer."""

    gold: str
    given: str  # `not read` where no value was taken
    answers: int
    questions: int


@dataclass(frozen=True, slots=True)
class KindConfusions:
    """The most frequent confusions of one kind of a test, and how many of its answers are incorrect."""

    test: str
    kind: str
    answers: int
    incorrect: int
    confusions: tuple[AnswerConfusion, ...]


def confusions_by_kind(
    tallies: Iterable[tuple[str, str, AnswerTally]], most: int = MOST_CONFUSIONS
) -> tuple[KindConfusions, ...]:
    """The most frequent confusions of each test and kind, those with the most incorrect answers first.

    >>> tallies = [
    ...     ("negation", "color", AnswerTally("no", "yes", "exact", False, 3)),
    ...     ("negation", "color", AnswerTally("no", "no", "exact", True, 5)),
    ... ]
    >>> (kind,) = confusions_by_kind(tallies)
    >>> kind.incorrect, kind.confusions
    (3, (AnswerConfusion(gold='no', given='yes', answers=3, questions=8),))
    """
    pairs: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
    questions: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for test, kind, tally in tallies:
        normalize = RULE_SETS[tally.rules].normalize
        gold = normalize(tally.gold)
        questions[test, kind][gold] += tally.answers
        if not tally.is_correct:
            pairs[test, kind][gold, UNREAD if tally.value is None else normalize(tally.value)] += tally.answers
    kinds = [
        KindConfusions(
            *place,
            questions[place].total(),
            wrong.total(),
            tuple(
                AnswerConfusion(gold, given, count, questions[place][gold])
                for (gold, given), count in sorted(wrong.items(), key=lambda item: (-item[1], item[0]))[:most]
            ),
        )
        for place, wrong in pairs.items()
    ]
    return tuple(sorted(kinds, key=lambda own: (-own.incorrect, own.test, own.kind)))
