"""What several pages show of groups: entries of lists, answers, pictures with boxes, and tags."""

from collections.abc import Mapping, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
from msgspec import Struct, structs

from counterpoint.core.costs import TokenPrices, Usage, format_price
from counterpoint.core.groups import Mode, State
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.explorer.group_filters import group_address
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece, mark_changes
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.pictures.edits import summarize_edit, visible_window
from counterpoint.store.outcomes.selection import GroupFilter, GroupMatch

THRESHOLD = 0.5
"""Credit from which an answer is shown as right."""

SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "same": "Every variant asks the same as the base, so the answer must stay.",
        "differs": "The variant reverses the base, so the answer must change.",
        "gold": "Each text has a gold answer of its own.",
        "ranks": "The caption, which is the base, must score above the foil.",
        "swap": "The input was exchanged, so the answer should not survive by itself.",
    }
)
"""What the answers in a group must satisfy, in a sentence for each relation."""

PLAIN = "A plain question, without variants."
"""The sentence of a group without variants."""

BEGINNING = 140
"""Characters of an answer without a value that lists and tables show."""

_SENTENCE = 24  # characters around a value that are not worth a click
_LINES = 3  # texts of one group in a list
_COLUMNS = ("row", "picture", "edits", "query", "text", "width", "height", "tags", "mode", "gold")
_THUMBNAIL = 128  # pixels of width


class AnswerProbability(Struct, frozen=True):
    """A value with the probability that a model gave it."""

    value: str
    probability: float


class AnswerView(Struct, frozen=True):
    """One answer: raw text, the value extracted from it by a rule, its state, and its credit."""

    raw: str
    value: str
    rule: str
    state: str
    score: float | None
    correct: float | None
    top: tuple[AnswerProbability, ...]
    reason: str
    shown: str  # the value or the score, or the beginning of what has no value
    is_long: bool = False  # more was said than is shown
    prompt: str = ""  # what the model was asked, where recorded and not the text of the query
    offered: tuple[str, ...] = ()  # the choices as the model saw them, likewise
    seconds: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    price: str = ""  # with its currency, where prices are known

    @property
    def is_terse(self) -> bool:
        """Whether the reply is what is shown, in one line, and nothing is recorded of how it was asked."""
        return not (self.is_long or self.prompt or self.offered or "\n" in self.raw)

    @property
    def facts(self) -> tuple[str, ...]:
        """How the value was taken and what the answer cost, as far as that is known."""
        tops = ", ".join(f"{likely.value} {100 * likely.probability:.1f} %" for likely in self.top)
        return tuple(
            filter(
                None,
                [
                    self.state if self.state != State.OK else "",
                    f"value {_beginning(self.value)} by {self.rule}" if self.value and self.rule else "",
                    "" if self.correct in (None, 0, 1) else f"credit {self.correct:.2f}",
                    f"most probable: {tops}" if tops else "",
                    "" if self.tokens_in is None else f"{self.tokens_in:,} tokens in, {self.tokens_out or 0:,} out",
                    "" if self.seconds is None else f"{self.seconds:.3g} s",
                    self.price,
                ],
            )
        )


class EntryLine(Struct, frozen=True):
    """A text in a list with the answers of one or two models; `own` are the tags that tell it from an equal text."""

    name: str
    text: tuple[TextPiece, ...]
    own: str
    answer: AnswerView | None
    other: AnswerView | None = None
    gold: str = ""


class GroupEntry(Struct, frozen=True):
    """One group in a list; `second` is the picture of a variant that is shown another one than the base."""

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
    second: str = ""


class BoxView(Struct, frozen=True):
    """An object that the question is about, and where it is."""

    name: str
    x: int
    y: int
    width: int
    height: int


class PictureView(Struct, frozen=True):
    """A picture as shown to models; boxes refer to its width and height, and the title lists its edits in full."""

    address: str
    large: str  # the address of the same picture for a closer look
    alt: str
    caption: str
    title: str
    width: int | None
    height: int | None
    boxes: tuple[BoxView, ...]


def group_entries(
    reader: LabReader, matches: Sequence[GroupMatch], chosen: GroupFilter, other: str = ""
) -> tuple[GroupEntry, ...]:
    """Return groups as entries of a list, each with the answers of its model, and of an `other` one if it is named."""
    entries: dict[GroupMatch, GroupEntry] = {}
    for suite in dict.fromkeys(match.suite for match in matches):
        of_suite = [match for match in matches if match.suite == suite]
        spans = sorted({(match.place, match.variants) for match in of_suite})
        rows = {row["row"]: row for row in reader.rows_at(suite, spans, _COLUMNS).to_pylist()}
        for slug in dict.fromkeys(match.model for match in of_suite):
            listed = {
                match: range(match.place, match.place + match.variants + 1) for match in of_suite if match.model == slug
            }
            places = [place for span in listed.values() for place in span]
            given = [
                dict(zip(places, reader.answers_at(suite, model, np.array(places, np.int64)), strict=True))
                for model in ((slug, other) if other else (slug,))
            ]
            for match, span in listed.items():
                views = [[answer_view(answers[place], rows[place]["mode"]) for place in span] for answers in given]
                entries[match] = _entry(match, [rows[place] for place in span], views, chosen)
    return tuple(entries[match] for match in matches)


def _entry(
    match: GroupMatch,
    rows: Sequence[Mapping[str, Any]],
    answers: Sequence[Sequence[AnswerView | None]],
    chosen: GroupFilter,
) -> GroupEntry:
    """Return the base and a few variants in their order: first those that are answered wrongly, or differently."""
    texts = zip(query_names(len(rows)), changed_texts(rows), new_tags(rows), *answers, strict=True)
    lines = [
        structs.replace(EntryLine(*line), gold=gold_text(row["gold"])) for line, row in zip(texts, rows, strict=True)
    ]
    passes = [_agree(*pair) if len(pair) > 1 else is_right(*pair) for pair in zip(*answers, strict=True)]
    ranked = sorted(range(1, len(lines)), key=lambda place: (passes[place], place))
    listed = (0, *sorted(ranked[: _LINES - 1]))
    other = next((place for place in listed if _picture_key(rows[place]) != _picture_key(rows[0])), 0)
    picture, height = thumbnail(match.suite, rows[0])
    return GroupEntry(
        group_id=hex_id(match.group_id),
        test=match.test,
        kind=match.kind,
        verdict=VERDICTS.get(match.verdict, ""),
        about=" · ".join(filter(None, [match.test if match.test != match.suite else "", match.kind])),
        address=group_address(match.suite, hex_id(match.group_id), chosen),
        picture=picture,
        width=_THUMBNAIL,
        height=height,
        lines=tuple(lines[place] for place in listed),
        more=max(len(lines) - _LINES, 0),
        second=thumbnail(match.suite, rows[other])[0] if other else "",
    )


def _picture_key(row: Mapping[str, Any]) -> tuple[str | None, str | None]:
    return row["picture"], row["edits"]


def gold_text(gold: Sequence[Mapping[str, Any]] | None) -> str:
    """Return the right answers with credit, or nothing.

    >>> gold_text([{"answer": "red", "credit": 1.0}, {"answer": "pink", "credit": 0.3}]), gold_text(None)
    ('red / pink', '')
    """
    return " / ".join(answer["answer"] for answer in gold or () if answer["credit"] > 0)


def is_right(answer: AnswerView | None) -> bool:
    """Return whether an answer has enough credit."""
    return answer is not None and answer.correct is not None and answer.correct >= THRESHOLD


def _agree(first: AnswerView | None, second: AnswerView | None) -> bool:
    return bool(first and second and first.shown == second.shown and first.correct == second.correct)


def query_names(number: int) -> list[str]:
    """Return the names of the queries of a group; a plain question is no base, since it has no variants.

    >>> query_names(3), query_names(1)
    (['base', 'variant 1', 'variant 2'], ['question'])
    """
    if number == 1:
        return ["question"]
    return ["base", *(f"variant {place}" for place in range(1, number))]


def changed_texts(rows: Sequence[Mapping[str, Any]]) -> tuple[tuple[TextPiece, ...], ...]:
    """Return the texts of a group with the words that differ from the base marked."""
    return mark_changes(rows[0]["text"], [row["text"] for row in rows[1:]])


def new_tags(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return for each query whose text is that of the base the tags that distinguish it."""
    tags = own_tags([row["tags"] for row in rows])
    repeats = (place > 0 and row["text"] == rows[0]["text"] for place, row in enumerate(rows))
    return [" · ".join(own) if repeat else "" for own, repeat in zip(tags, repeats, strict=True)]


def thumbnail(suite: str, row: Mapping[str, Any]) -> tuple[str, int]:
    """Return the address of a query's thumbnail, if it has a picture, and its height in pixels."""
    ratio = row["height"] / row["width"] if row["width"] else 0.75
    address = picture_address(suite, row["query"], 320) if row["picture"] else ""
    return address, round(_THUMBNAIL * ratio)


def picture_address(suite: str, query: int, width: int) -> str:
    """Return where the picture of a query is, at most so many pixels wide."""
    return f"/suites/{quote(suite)}/pictures/{hex_id(query)}.webp?width={width}"


def play_address(suite: str, row: Mapping[str, Any], foil: str = "") -> str:
    """Return where a model can be tried on a query, or on a caption and its foil; nothing without a picture."""
    given = {"suite": suite, "query": hex_id(row["query"]), "second": foil}
    return f"/play?{urlencode({name: text for name, text in given.items() if text})}" if row["picture"] else ""


def answer_view(row: Mapping[str, Any] | None, mode: str, prices: TokenPrices | None = None) -> AnswerView | None:
    """Return a row of answers with its credit as pages show it, or None."""
    if row is None:
        return None
    usage = Usage.of(row["tokens_in"], row["tokens_out"])
    score = row["score"] if row["score"] is not None and isfinite(row["score"]) else None  # JSON has no infinity
    has_value = row["state"] == State.OK and row["value"]
    value = _beginning(row["value"] if has_value else row["raw"] or row["value"] or "(empty)")
    return AnswerView(
        raw=row["raw"],
        value=row["value"],
        rule=row["rule"],
        state=row["state"],
        score=score,
        correct=row["correct"],
        top=tuple(AnswerProbability(top["value"], round(top["probability"], 4)) for top in row["top"]),
        reason=row["reason"],
        shown=score_text(score) if mode == Mode.SCORE and score is not None else value,
        is_long=score is None and len(row["raw"]) > len(value) + _SENTENCE,
        prompt=row["prompt"] or "",
        offered=tuple(row["offered"] or ()),
        seconds=round(row["seconds"], 4) or None,
        tokens_in=usage.tokens_in if usage else None,
        tokens_out=usage.tokens_out if usage else None,
        price=f"{format_price(prices.price(usage))} {prices.currency}" if prices and usage else "",
    )


def score_text(score: float) -> str:
    """Return a score with three decimals, or with three digits where these would not show it.

    >>> score_text(0.25), score_text(0.00012), score_text(-1.5e9)
    ('0.250', '0.00012', '-1.5e+09')
    """
    return f"{score:.3f}" if score == 0 or 0.001 <= abs(score) < 1e6 else f"{score:.3g}"


def _beginning(text: str) -> str:
    """Return a text in one line, or the beginning of a long one."""
    line = " ".join(text[: 4 * BEGINNING].split())
    return line if len(line) <= BEGINNING else f"{line[:BEGINNING].rstrip()}…"


def own_tags(tags: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, ...]]:
    """Return for each query of a group the tags that not all of them share, as text."""
    shared = shared_tags(tags)
    return [tuple(f"{key} {value}" for key, value in own if (key, value) not in shared) for own in tags]


def shared_tags(tags: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return the tags that all queries of a group share."""
    return [tag for tag in tags[0] if all(tag in others for others in tags)]


def picture_view(
    suite: str, picture: Picture, row: Mapping[str, Any], names: list[str], base: Picture | None
) -> PictureView:
    """Return a picture with the boxes that are visible; its caption omits what it shares with the base's picture."""
    address = "" if base and base.address == picture.address else picture.address
    has_boxes = base is None or not address  # size and boxes are those of the base's picture
    window = _visible_box(picture, row["width"], row["height"]) if has_boxes else None
    size = f"{window.width} × {window.height}" if window and (address or window.width < row["width"]) else ""
    edits = " | ".join(map(summarize_edit, picture.edits)) or "no edits"
    return PictureView(
        address=picture_address(suite, row["query"], 640),
        large=picture_address(suite, row["query"], 1920),
        alt=f"the picture {picture.address}",
        caption=" · ".join(filter(None, [", ".join(names), address, size, edits])),
        title=" | ".join(map(str, picture.edits)),
        width=window.width if window else None,
        height=window.height if window else None,
        boxes=tuple(
            BoxView(found["name"], found["x"] - window.x, found["y"] - window.y, found["width"], found["height"])
            for found in row["objects"]
            if window and found["x"] is not None
        ),
    )


def _visible_box(picture: Picture, width: int | None, height: int | None) -> Box | None:
    """Return the part of a picture that is visible after its edits, in the pixels that boxes refer to, if known."""
    if not width or not height:
        return None
    try:
        return visible_window(picture.edits, Size(width, height))
    except ValueError:  # an edit that cannot be applied is reported in place of the picture
        return Box(0, 0, width, height)


def heading(test: str, kind: str) -> str:
    """Return a test and the kind of a group as a heading.

    >>> heading("question-bias", "compare"), heading("existence", "existence")
    ('Question bias · compare', 'Existence')
    """
    name = test.replace("_", " ").replace("-", " ")
    return f"{name[:1].upper()}{name[1:]}" + (f" · {kind}" if kind and kind != test else "")
