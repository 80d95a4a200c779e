"""Groups with many variants as a strip in order of severity, and the scores of captions and foils on one scale."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from msgspec import Struct

from counterpoint.explorer.group_parts import AnswerProbability, AnswerView, PictureView
from counterpoint.language.word_diff import TextPiece


class QueryView(Struct, frozen=True):
    """A query of a group: its place in it, its text with the changes marked, and its right answers."""

    name: str
    short: str
    query: str
    text: tuple[TextPiece, ...]
    context: str
    choices: tuple[str, ...]
    gold: tuple[str, ...] | None
    tags: tuple[str, ...]  # those that not all queries of the group have
    repeats: bool = False  # the text is that of the base; what is new is in the tags


class StripFrame(Struct, frozen=True):
    """One query in a strip: its place in the group, its picture, its label, and its text unless that of the base."""

    place: int
    name: str
    label: str
    picture: PictureView | None
    text: tuple[TextPiece, ...]
    gold: tuple[str, ...] | None


class ScoreBar(Struct, frozen=True):
    """A score on the scale that one model's scores of a group share, from 0 to 1."""

    name: str
    score: float
    length: float
    shown: str


class RankingRow(Struct, frozen=True):
    """The scores of a caption and its foils by one model, drawn on one scale, and which is above the other."""

    model: str
    chosen: bool
    bars: tuple[ScoreBar, ...]
    low: float
    high: float
    holds: bool | None
    verdict: str


class ModelAnswers(Struct, frozen=True):
    """The answers of one model to a group, and whether each variant, and all of them, satisfy the relation."""

    model: str
    chosen: bool
    answers: tuple[AnswerView | None, ...]
    related: tuple[bool | None, ...]  # of each variant
    consistent: bool | None
    reason: str
    top: tuple[AnswerProbability, ...] = ()

    @property
    def asked(self) -> bool:
        """Whether there is any answer."""
        return any(answer is not None for answer in self.answers)

    @property
    def recorded(self) -> bool:
        """Whether the prompt or the tokens of any answer are known."""
        return any(answer and (answer.prompt or answer.tokens_in is not None) for answer in self.answers)

    @property
    def known(self) -> int:
        """How many variants can be compared with the base."""
        return sum(related is not None for related in self.related)

    @property
    def holding(self) -> int:
        """How many of them satisfy the relation."""
        return sum(related is True for related in self.related)


LISTED = 6
"""The most variants whose texts are listed; a group with more is shown as a strip."""

WORDS: Mapping[str, tuple[str, str]] = {
    "same": ("", "changed"),
    "differs": ("", "stayed"),
    "swap": ("survived", "gone"),
}
"""The labels of a variant's answer that satisfies the relation, and of one that does not."""

_BARE = ("edit", "control", "rule")  # tags whose value says enough


def is_strip(shown: Sequence[PictureView | None]) -> bool:
    """Return whether a group is shown as a strip: it has several pictures beside the base's, or many variants."""
    return len(set(shown)) > 2 or len(shown) - 1 > LISTED


def strip_order(tags: Sequence[Sequence[tuple[str, str]]]) -> list[int]:
    """Return the places of a group's queries: the base, then edit by edit, the least severe first.

    >>> strip_order([[], [("edit", "blur"), ("severity", "2")], [("edit", "blur"), ("severity", "1")]])
    [0, 2, 1]
    """
    named = [dict(pairs) for pairs in tags]
    if not any("severity" in values for values in named):
        return list(range(len(tags)))
    kinds = list(dict.fromkeys(_kind(values) for values in named))

    def key(place: int) -> tuple[Any, ...]:
        values = named[place]
        severity, trial = (_number(values.get(name)) for name in ("severity", "trial"))
        return place > 0, kinds.index(_kind(values)), severity, trial, place

    return sorted(range(len(tags)), key=key)


def strip_frames(
    queries: Sequence[QueryView], tags: Sequence[Sequence[tuple[str, str]]], shown: Sequence[PictureView | None]
) -> tuple[StripFrame, ...]:
    """Return the queries of a group as frames of a strip."""
    several, labels = len(set(shown)) > 1, _labels([dict(pairs) for pairs in tags])
    return tuple(
        StripFrame(
            place,
            queries[place].name,
            labels[place] if place else "base",
            shown[place] if several else None,
            () if queries[place].repeats or (several and not place) else queries[place].text,
            queries[place].gold,
        )
        for place in strip_order(tags)
    )


def ranking_rows(lines: Sequence[ModelAnswers], names: Sequence[str]) -> tuple[RankingRow, ...]:
    """Return the scores of each model that has answers, each on one scale."""
    return tuple(_ranked(line, names) for line in lines if line.asked)


def _ranked(line: ModelAnswers, names: Sequence[str]) -> RankingRow:
    scores = (answer.score for answer in line.answers if answer)
    values = [score for score in scores if score is not None and isfinite(score)]
    if len(values) < len(names):
        return RankingRow(line.model, line.chosen, (), 0, 0, None, "a score is missing")
    low, high = _scale(values)
    bars = tuple(
        ScoreBar(name, score, (score - low) / (high - low), shown)
        for name, score, shown in zip(names, values, distinct_decimals(values), strict=True)
    )
    return RankingRow(line.model, line.chosen, bars, low, high, line.consistent, _verdict(values, line.consistent))


def distinct_decimals(values: Sequence[float]) -> list[str]:
    """Return numbers with three decimals, or with as many digits as distinguish different ones.

    >>> distinct_decimals([0.5, 0.25]), distinct_decimals([0.00012, 0.00003])
    (['0.500', '0.250'], ['0.00012', '3e-05'])
    """
    for form in (".3f", ".3g", ".6g"):
        shown = [f"{value:{form}}" for value in values]
        if len(set(shown)) == len(set(values)):
            return shown
    return [repr(value) for value in values]


def _scale(values: Sequence[float]) -> tuple[float, float]:
    """Return 0 to 1 or -1 to 1 if all values lie there, else a range that begins below the least."""
    for low, high in ((0.0, 1.0), (-1.0, 1.0)):
        if all(low <= value <= high for value in values):
            return low, high
    least, most = min(values), max(values)
    span = (most - least) or max(1.0, abs(most) / 1e6)  # one that is not lost beside a large score
    return least - span / 2, most


def _verdict(values: Sequence[float], holds: bool | None) -> str:
    caption, *foils = values
    if caption in foils:
        return "a tie, which counts as a miss"
    if holds is None:
        return "cannot be judged"
    return "caption above foil" if holds else "foil above caption"


def _labels(named: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the tags that distinguish each variant; a number that all share is omitted."""
    numbered = {name: len({tags[name] for tags in named if name in tags}) > 1 for name in ("severity", "trial")}
    words = {"severity": "severity", "trial": "draw"}
    return [
        " · ".join(
            [
                *(tags[name] for name in _BARE if name in tags),
                *(f"{words[name]} {tags[name]}" for name, varies in numbered.items() if varies and name in tags),
            ]
        )
        for tags in named
    ]


def _kind(tags: Mapping[str, str]) -> str:
    return next((tags[name] for name in _BARE if name in tags), "")


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
