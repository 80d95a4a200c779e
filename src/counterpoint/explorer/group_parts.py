"""Groups as a list shows them: a small picture, the texts that tell most, and what a model said to each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from counterpoint.core.groups import Mode
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.explorer.group_filters import (
    filter_parameters,
)
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece, mark_changes
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.pictures.edits import summarize_edit, visible_window
from counterpoint.store.outcomes.selection import (
    GroupFilter,
    GroupKey,
    GroupMatch,
)


@dataclass(frozen=True, slots=True)
class AnswerProbability:
    """A value with the probability that a model gave it."""

    value: str
    probability: float


@dataclass(frozen=True, slots=True)
class AnswerView:
    """One answer: raw text, the value taken from it by a rule, its state, and the credit that it earns."""

    raw: str
    value: str
    rule: str
    state: str
    score: float | None
    correct: float | None
    top: tuple[AnswerProbability, ...]
    reason: str
    shown: str  # the value, or the score where the mode asks for one


@dataclass(frozen=True, slots=True)
class EntryLine:
    """A text in a list, with the answer of the model that the list is about; `own` is what sets apart an equal text."""

    name: str
    text: tuple[TextPiece, ...]
    answer: AnswerView | None
    own: str = ""


@dataclass(frozen=True, slots=True)
class GroupEntry:
    """One group in a list."""

    group_id: str
    test: str
    kind: str
    verdict: str
    about: str
    address: str
    picture: str
    width: int
    height: int
    lines: tuple[EntryLine, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class BoxView:
    """An object that the question is about, and where it is."""

    name: str
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class PictureView:
    """A picture as models saw it; the boxes refer to its width and height, and the title says its edits in full."""

    address: str
    alt: str
    caption: str
    title: str
    width: int | None
    height: int | None
    boxes: tuple[BoxView, ...]


_MOST = 3  # texts of one group in a list
_COLUMNS = ("row", "picture", "query", "text", "width", "height", "tags", "mode")


def group_entries(reader: LabReader, found: Sequence[GroupMatch], chosen: GroupFilter) -> list[GroupEntry]:
    """The groups in their order, each with what its model said; the rows of a suite are read once for all models."""
    made: dict[GroupKey, GroupEntry] = {}
    for suite in dict.fromkeys(one.suite for one in found):
        made |= _entries(reader, suite, [one for one in found if one.suite == suite], chosen)
    return [made[one.key] for one in found]


def _entries(
    reader: LabReader, suite: str, found: Sequence[GroupMatch], chosen: GroupFilter
) -> dict[GroupKey, GroupEntry]:
    spans = sorted({(one.place, one.variants) for one in found})
    lines = {line["row"]: line for line in reader.rows_at(suite, spans, _COLUMNS).to_pylist()}
    made = {}
    for slug in dict.fromkeys(one.model for one in found):
        own = [one for one in found if one.model == slug]
        places = [place for one in own for place in range(one.place, one.place + one.variants + 1)]
        said = dict(zip(places, reader.answers_at(suite, slug, np.array(places, np.int64)), strict=True))
        for one in own:
            span = range(one.place, one.place + one.variants + 1)
            every = [_said(said[place], lines[place]["mode"]) for place in span]
            made[one.key] = _entry(one, [lines[place] for place in span], every, chosen)
    return made


def _said(line: Mapping[str, Any] | None, mode: str) -> AnswerView | None:
    return answer_view(line, line["correct"], mode) if line else None


def _entry(
    found: GroupMatch, lines: Sequence[Mapping[str, Any]], every: Sequence[AnswerView | None], chosen: GroupFilter
) -> GroupEntry:
    first, names = lines[0], ["base", *(f"variant {number}" for number in range(1, len(lines)))]
    texts = mark_changes(first["text"], [line["text"] for line in lines[1:]])
    new = ["", *map(" · ".join, own_tags([line["tags"] for line in lines])[1:])]  # tells equal texts apart
    own = [tags if line["text"] == first["text"] else "" for line, tags in zip(lines, new, strict=True)]
    asked = [EntryLine(*one) for one in zip(names, texts, every, own, strict=True)]
    ratio = first["height"] / first["width"] if first["width"] else 0.75
    suite, among = quote(found.suite), replace(chosen, focus="" if chosen.model or not chosen.browse else found.model)
    address = f"/suites/{suite}/groups/{hex_id(found.group_id)}"
    return GroupEntry(
        group_id=hex_id(found.group_id),
        test=found.test,
        kind=found.kind,
        verdict=VERDICTS[found.verdict],
        about=" · ".join(filter(None, [found.test if found.test != found.suite else "", found.kind])),
        address=f"{address}?{urlencode(filter_parameters(among))}" if filter_parameters(among) else address,
        picture=f"/suites/{suite}/pictures/{hex_id(first['query'])}.png?width=320" if first["picture"] else "",
        width=128,
        height=round(128 * ratio),
        lines=tuple(_telling(asked)),
        more=max(len(texts) - _MOST, 0),
    )


def _telling(asked: Sequence[EntryLine]) -> list[EntryLine]:
    """The base and the variants that tell most, those that went wrong before the others, in their order."""
    told = sorted(range(1, len(asked)), key=lambda place: (_went_well(asked[place].answer), place))
    return [asked[0], *(asked[place] for place in sorted(told[: _MOST - 1]))]


def _went_well(answer: AnswerView | None) -> bool:
    return answer is not None and answer.correct is not None and answer.correct >= THRESHOLD


THRESHOLD = 0.5
"""Credit from which an answer is shown as right."""


SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "same": "Every variant asks the same as the base, so the answer must stay.",
        "differs": "The variant turns the base around, so the answer must change.",
        "gold": "Each text has a right answer of its own.",
        "ranks": "The caption, which is the base, must score above the foil.",
        "swap": "The input was exchanged, so the answer should not survive by itself.",
    }
)
"""What the answers in a group must satisfy, in a sentence for each relation."""


def play_address(suite: str, line: Mapping[str, Any], foil: str = "") -> str:
    """Where a query can be played with, a caption against a foil; nowhere if it has no picture."""
    asked = {"suite": suite, "query": hex_id(line["query"]), "second": foil}
    return f"/play?{urlencode({name: text for name, text in asked.items() if text})}" if line["picture"] else ""


def answer_view(line: Mapping[str, Any] | None, correct: float | None, mode: str) -> AnswerView | None:
    """A row of answers as pages show it, with what it earned; nothing where there is none."""
    if line is None:
        return None
    score = line["score"]
    return AnswerView(
        raw=line["raw"],
        value=line["value"],
        rule=line["rule"],
        state=line["state"],
        score=score,
        correct=correct,
        top=tuple(AnswerProbability(one["value"], round(one["probability"], 4)) for one in line["top"]),
        reason=line["reason"],
        shown=f"{score:.3f}" if mode == Mode.SCORE and score is not None else line["value"] or line["raw"] or "(empty)",
    )


def own_tags(tags: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, ...]]:
    """For each query of a group, the tags that not all of them have alike, in words."""
    shared = shared_tags(tags)
    return [tuple(f"{key} {value}" for key, value in own if (key, value) not in shared) for own in tags]


def shared_tags(tags: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """The tags that all queries have alike; a tag of one query is the same as its text, or stands below it."""
    return [tag for tag in tags[0] if all(tag in others for others in tags)]


def picture_view(
    suite: str, picture: Picture, line: Mapping[str, Any], asked: list[str], base: Picture | None
) -> PictureView:
    """A picture with its boxes where they are seen; what it has in common with the base's is not said again."""
    address = "" if base and base.address == picture.address else picture.address
    own = base is None or not address  # size and boxes are those of the base's picture
    seen = _seen(picture, line["width"], line["height"]) if own else None
    size = f"{seen.width} × {seen.height}" if seen and (address or seen.width < line["width"]) else ""
    edits = " | ".join(map(summarize_edit, picture.edits)) or "no edits"
    return PictureView(
        address=f"/suites/{suite}/pictures/{hex_id(line['query'])}.png?width=640",
        alt=f"the picture {picture.address}",
        caption=" · ".join(filter(None, [", ".join(asked), address, size, edits])),
        title=" | ".join(map(str, picture.edits)),
        width=seen.width if seen else None,
        height=seen.height if seen else None,
        boxes=tuple(
            BoxView(one["name"], one["x"] - seen.x, one["y"] - seen.y, one["width"], one["height"])
            for one in line["objects"]
            if seen and one["x"] is not None
        ),
    )


def _seen(picture: Picture, width: int | None, height: int | None) -> Box | None:
    """The part of a picture that is shown, in the pixels that boxes refer to, where these are known."""
    if not width or not height:
        return None
    try:
        return visible_window(picture.edits, Size(width, height))
    except ValueError:  # an edit that cannot be applied is said where the picture would be
        return Box(0, 0, width, height)


def heading(test: str, kind: str) -> str:
    """A test and the kind of a group as they stand above a page.

    >>> heading("question-bias", "compare"), heading("existence", "existence")
    ('Question bias · compare', 'Existence')
    """
    name = test.replace("_", " ").replace("-", " ")
    return f"{name[:1].upper()}{name[1:]}" + (f" · {kind}" if kind and kind != test else "")
