"""Groups with many variants: a strip of what was shown in order of severity, and scores drawn beside each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from counterpoint.explorer.group_parts import AnswerProbability, AnswerView, PictureView
from counterpoint.language.word_diff import TextPiece


@dataclass(frozen=True, slots=True)
class QueryView:
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


@dataclass(frozen=True, slots=True)
class StripFrame:
    """One query in a strip: its place in the group, its picture, what sets it apart, and its text where that is new."""

    place: int
    name: str
    label: str
    picture: PictureView | None
    text: tuple[TextPiece, ...]
    gold: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class ScoreBar:
    """A score on the scale that one model's scores of a group share, from 0 to 1."""

    name: str
    score: float
    length: float
    shown: str


@dataclass(frozen=True, slots=True)
class RankingRow:
    """The scores of a caption and its foils by one model, drawn on one scale, and which is above the other."""

    model: str
    chosen: bool
    bars: tuple[ScoreBar, ...]
    low: float
    high: float
    holds: bool | None
    verdict: str


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """What one model said to every query of a group, whether each variant holds to the base, and whether all do."""

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
    def known(self) -> int:
        """How many variants can be held against the base."""
        return sum(one is not None for one in self.related)

    @property
    def holding(self) -> int:
        """How many of them hold to it."""
        return sum(one is True for one in self.related)


LISTED = 6
"""Variants whose texts still stand below each other; more of them stand in a strip."""

WORDS: Mapping[str, tuple[str, str]] = {
    "same": ("", "changed"),
    "differs": ("", "stayed"),
    "swap": ("survived", "gone"),
}
"""What is said below an answer that holds to the base's, and below one that does not."""

_BARE = ("edit", "control", "rule")  # tags whose value says enough


def is_strip(shown: Sequence[PictureView | None]) -> bool:
    """Whether a group is shown as a strip: it has several pictures beside the base's, or many variants."""
    return len(set(shown)) > 2 or len(shown) - 1 > LISTED


def strip_order(tags: Sequence[Sequence[tuple[str, str]]]) -> list[int]:
    """The places of a group's queries: the base, then each edit by itself, the mildest first.

    >>> in_order([[], [("edit", "blur"), ("severity", "2")], [("edit", "blur"), ("severity", "1")]])
    [0, 2, 1]
    """
    said = [dict(own) for own in tags]
    if not any("severity" in own for own in said):
        return list(range(len(tags)))
    kinds = list(dict.fromkeys(_kind(own) for own in said))

    def key(place: int) -> tuple[Any, ...]:
        own = said[place]
        return (place > 0, kinds.index(_kind(own)), _number(own.get("severity")), _number(own.get("trial")), place)

    return sorted(range(len(tags)), key=key)


def strip_frames(
    queries: Sequence[QueryView], tags: Sequence[Sequence[tuple[str, str]]], shown: Sequence[PictureView | None]
) -> tuple[StripFrame, ...]:
    """The queries of a group side by side."""
    several, labels = len(set(shown)) > 1, _labels([dict(own) for own in tags])
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
    """The scores of each model that was asked, drawn on one scale."""
    return tuple(_ranked(line, names) for line in lines if line.asked)


def _ranked(line: ModelAnswers, names: Sequence[str]) -> RankingRow:
    values = [one.score for one in line.answers if one and one.score is not None and isfinite(one.score)]
    if len(values) < len(names):
        return RankingRow(line.model, line.chosen, (), 0, 0, None, "a score is missing")
    low, high = _scale(values)
    bars = tuple(
        ScoreBar(name, score, (score - low) / (high - low), shown)
        for name, score, shown in zip(names, values, distinct_decimals(values), strict=True)
    )
    return RankingRow(line.model, line.chosen, bars, low, high, line.consistent, _verdict(values, line.consistent))


def distinct_decimals(values: Sequence[float]) -> list[str]:
    """Numbers with three decimals, or with as many digits as it takes to tell different ones apart.

    >>> told_apart([0.5, 0.25]), told_apart([0.00012, 0.00003])
    (['0.500', '0.250'], ['0.00012', '3e-05'])
    """
    for form in (".3f", ".3g", ".6g"):
        shown = [f"{value:{form}}" for value in values]
        if len(set(shown)) == len(set(values)):
            return shown
    return [repr(value) for value in values]


def _scale(values: Sequence[float]) -> tuple[float, float]:
    """From 0 to 1 or from -1 to 1 where all lie there, else a scale of their own that begins below the least."""
    for low, high in ((0.0, 1.0), (-1.0, 1.0)):
        if all(low <= value <= high for value in values):
            return low, high
    least, most = min(values), max(values)
    span = (most - least) or 1.0
    return least - span / 2, most


def _verdict(values: Sequence[float], holds: bool | None) -> str:
    caption, *foils = values
    if caption in foils:
        return "a tie, which counts as a miss"
    if holds is None:
        return "cannot be judged"
    return "caption above foil" if holds else "foil above caption"


def _labels(said: Sequence[Mapping[str, str]]) -> list[str]:
    """What sets each variant apart, in few words; a number that all have alike says nothing."""
    numbered = {name: len({own[name] for own in said if name in own}) > 1 for name in ("severity", "trial")}
    words = {"severity": "severity", "trial": "draw"}
    return [
        " · ".join(
            [
                *(own[name] for name in _BARE if name in own),
                *(f"{words[name]} {own[name]}" for name, varies in numbered.items() if varies and name in own),
            ]
        )
        for own in said
    ]


def _kind(own: Mapping[str, str]) -> str:
    return next((own[name] for name in _BARE if name in own), "")


def _number(text: str | None) -> float:
    try:
        return float(text or 0)
    except ValueError:
        return 0.0
