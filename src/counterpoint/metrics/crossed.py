"""Two pictures × two texts: scores of Winoground and accuracies of NaturalBench, over groups of four queries.

The queries of such a group are the first picture with the first and second text, then the second picture with both; or
the first text on both pictures, then the second. Of captions, the first fits the first picture, the second the second.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.metric import Ability, Ratio, has_relation, nowhere
from counterpoint.metrics.units import Flags, Floats, Sets


def _rows(sets: Sets) -> Any:
    """The four rows of each group, in columns, by picture; groups of other sizes take rows of others."""
    pictures = sets.labels("picture").codes
    rows = np.minimum(sets.row[:, None] + np.arange(4), len(pictures) - 1)
    by_text = pictures[rows[:, 0]] != pictures[rows[:, 1]]
    return np.where(by_text[:, None], rows[:, [0, 2, 1, 3]], rows)


def is_crossed(sets: Sets) -> Flags:
    """Which groups have four queries about two pictures, two of each, ordered by picture or by text."""
    has_four = np.asarray(sets.variants == 3)
    if not has_four.any():
        return has_four
    pictures = sets.labels("picture").codes[_rows(sets)]
    turns = (pictures[:, 0] == pictures[:, 1]) & (pictures[:, 2] == pictures[:, 3])
    return np.asarray(has_four & turns & (pictures[:, 0] != pictures[:, 2]))


def _beats(*pairs: tuple[int, int]) -> Callable[[Sets], Flags]:
    """Whether the first query of each pair has the higher score; a query without a score never has."""

    def hit(sets: Sets) -> Flags:
        scores = sets.score[_rows(sets)]
        return np.asarray(np.all([scores[:, first] > scores[:, second] for first, second in pairs], axis=0))

    return hit


def _both_right(*pairs: tuple[int, int]) -> Callable[[Sets], Floats]:
    """The share of pairs of queries that are both answered correctly."""

    def hit(sets: Sets) -> Floats:
        right = sets.correct[_rows(sets)] >= sets.threshold
        return np.asarray(np.mean([right[:, first] & right[:, second] for first, second in pairs], axis=0))

    return hit


_TEXT, _IMAGE = ((0, 1), (3, 2)), ((0, 2), (3, 1))  # a matching query and the one that differs in text, or in picture


def _score(name: str, pairs: Sequence[tuple[int, int]], rank: int, description: str) -> Ratio[Sets]:
    return Ratio(
        name,
        Sets,
        _beats(*pairs),
        is_crossed,
        description=description,
        needs=Ability.SCORES,
        not_applicable="no group here has two pictures and two captions",
        applies=has_relation(Relation.RANKS),
        leads=nowhere,
        rank=rank,
        on_request=True,
    )


def _accuracy(name: str, title: str, pairs: Sequence[tuple[int, int]], rank: int, description: str) -> Ratio[Sets]:
    return Ratio(
        name,
        Sets,
        _both_right(*pairs),
        lambda sets: sets.gold & is_crossed(sets),
        title=title,
        description=description,
        not_applicable="no group here has two pictures and two questions with gold",
        applies=has_relation(Relation.GOLD),
        leads=nowhere,
        rank=rank,
        on_request=True,
    )


text_score = _score("text_score", _TEXT, 17, "Share of groups in which each picture scores highest with its caption.")
image_score = _score(
    "image_score", _IMAGE, 18, "Share of groups in which each caption scores highest with its picture."
)
group_score = _score("group_score", _TEXT + _IMAGE, 19, "Share of groups in which every picture and caption does.")
question_accuracy = _accuracy(
    "question_accuracy",
    "Accuracy per question",
    ((0, 2), (1, 3)),
    55,
    "Share of questions that are answered correctly on both pictures.",
)
picture_accuracy = _accuracy(
    "picture_accuracy",
    "Accuracy per picture",
    ((0, 1), (2, 3)),
    56,
    "Share of pictures on which both questions are answered correctly.",
)
