"""The page Play as values: what can be moved and how it stands, what is asked, and what each model said to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

import numpy as np

from counterpoint.core.answers import Answer, State
from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Mode, Query
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.explorer.play.model_threads import LoadedModel, ModelThreads
from counterpoint.explorer.play.request import FAMILIES, MASKS, PlayRequest, apply_request
from counterpoint.explorer.play.rewordings import SwappableWord, list_rewordings, noise_rejection, swappable_words
from counterpoint.explorer.play.uploads import NAMESPACE
from counterpoint.explorer.views import AnswerProbability, AnswerView, PageView, SelectBox, SelectOption
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece, mark_changes
from counterpoint.models.builtin.unknown_words import vocabulary_warnings
from counterpoint.pictures.edits import summarize_edit
from counterpoint.store.groups import read_queries
from counterpoint.store.outcomes.row_groups import take_rows

PICKS = 12
"""Pictures that are offered at once."""
SENTENCE = (
    "Change the picture or the words, and see at once what becomes of the answers of the loaded models. "
    "Nothing of this is kept in the lab."
)

AnswersByRow = Mapping[tuple[int, str], Answer]
"""What was said, by the place of a line and the model."""


@dataclass(frozen=True, slots=True)
class SeveritySlider:
    """An edit that can be moved, from 0, which is none, to its highest severity."""

    name: str
    value: int
    most: int


@dataclass(frozen=True, slots=True)
class EditFamily:
    """Edits of one sort."""

    name: str
    sliders: tuple[SeveritySlider, ...]


@dataclass(frozen=True, slots=True)
class PictureOption:
    """A picture of the lab that could be played with, and the question that is asked about it there."""

    address: str
    picture: str
    suite: str
    query: str
    question: str
    chosen: bool
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class MaskArea:
    """A box by the name of what is in it, in per cent of the picture."""

    name: str
    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True, slots=True)
class EditedPicture:
    """The picture as models are shown it, and where it is from."""

    picture: str
    source: str
    edits: str
    areas: tuple[MaskArea, ...] = ()
    gold: str = ""  # the right answer to the question that the lab asks about it


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """What one model said; `same` tells whether it is what the model said to the first row, where both are known."""

    model: str
    answer: AnswerView | None
    same: bool | None = None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A text that is asked, the difference from the first marked, and where it comes from."""

    name: str
    family: str
    does: str
    text: tuple[TextPiece, ...]
    cells: tuple[AnswerCell, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayView(PageView):
    """Everything that can be moved, as it stands, and what the models said, where they were asked."""

    mode: str = "question"
    models: tuple[LoadedModel, ...] = ()
    able: tuple[LoadedModel, ...] = ()  # the models that can do what the mode asks for
    shown: EditedPicture | None = None
    question: str = ""
    choices: str = ""
    first: str = ""
    second: str = ""
    swap: str = ""
    into: str = ""
    noise: int = 1
    draw: int = 1
    words: bool = True
    suite: str = ""
    query: str = ""
    dropped: str = ""
    mask: SelectBox | None = None
    box: tuple[int, int, int, int] = (25, 25, 50, 50)
    families: tuple[EditFamily, ...] = ()
    suites: SelectBox | None = None
    picks: tuple[PictureOption, ...] = ()
    fewer: str = ""
    more: str = ""
    swappable: tuple[SwappableWord, ...] = ()
    rows: tuple[AnswerRow, ...] = ()
    notes: tuple[str, ...] = ()
    asked: bool = False


@dataclass(frozen=True, slots=True)
class SourcePicture:
    """The picture that is played with, before it is edited, and the row of the lab that it is from, if it is."""

    picture: Picture | None = None
    row: Mapping[str, Any] | None = None
    size: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class PlayQuery:
    """Something that is asked, and where its text comes from."""

    name: str
    family: str
    does: str
    query: Query


def source_picture(reader: LabReader, asked: PlayRequest) -> SourcePicture:
    """The picture that a request names; none, where it names none."""
    if asked.dropped:
        return SourcePicture(Picture(f"{NAMESPACE}:{asked.dropped}"))
    if not asked.suite or not asked.query:
        return SourcePicture()
    row, query = _row(reader, asked.suite, asked.query)
    size = (row["width"], row["height"]) if row["width"] and row["height"] else None
    return SourcePicture(query.picture, row, size)


def with_defaults(reader: LabReader, asked: PlayRequest) -> PlayRequest:
    """A request with something to begin with: the first picture of the lab, and what the lab asks about it."""
    if not asked.dropped and not asked.query:
        found = next((picks for suite in _suites(reader, asked) if (picks := _picked(reader, suite, 1, 1))), None)
        asked = replace(asked, suite=found[0]["suite"], query=hex_id(found[0]["query"])) if found else asked
    row = source_picture(reader, asked).row
    if row is None:
        return asked
    choices = ", ".join(row["choices"])
    if row["mode"] == Mode.SCORE:
        return replace(asked, first=asked.first or row["text"], mode="captions" if not asked.question else asked.mode)
    same = not asked.question or asked.question == row["text"]
    return replace(asked, question=asked.question or row["text"], choices=asked.choices or (choices if same else ""))


def capable_models(players: ModelThreads, asked: PlayRequest) -> tuple[LoadedModel, ...]:
    """The models that can do what is asked for."""
    mode = Mode.SCORE if asked.mode == "captions" else Mode.ANSWER
    return tuple(known for known in players.known if known.can(mode))


def is_reworded(players: ModelThreads, asked: PlayRequest) -> bool:
    """Whether a question is also asked in other words: as the visitor says, else unless each answer is a request."""
    return bool(asked.words) if asked.words is not None else not any(known.remote for known in players.known)


def play_queries(players: ModelThreads, asked: PlayRequest, picture: Picture | None) -> list[PlayQuery]:
    """All that is asked: first what the visitor sees, then the same without edits, then the same in other words."""
    shown = apply_request(picture, asked)
    if asked.mode == "captions":
        texts = [(name, text) for name, text in (("first", asked.first), ("second", asked.second)) if text.strip()]
        made = [PlayQuery(name, "caption", "", Query(shown, text, Mode.SCORE)) for name, text in texts]
        plain = [PlayQuery(name, "no edits", "", Query(picture, text, Mode.SCORE)) for name, text in texts]
        return made + (plain if picture != shown else [])
    if not asked.question.strip():
        return []
    first = Query(shown, asked.question, choices=asked.listed)
    found = [PlayQuery("as typed", "", "", first)]
    if picture != shown:
        found.append(PlayQuery("no edits", "picture", "the picture as it was", replace(first, picture=picture)))
    made_of = list_rewordings(asked.question, swap=asked.swap, into=asked.into, severity=asked.noise, draw=asked.draw)
    kept = made_of if is_reworded(players, asked) else [one for one in made_of if one.family == "swap"]
    return found + [PlayQuery(one.name, one.family, one.does, first.asking(one.text)) for one in kept]


def play_view(
    reader: LabReader,
    players: ModelThreads,
    asked: PlayRequest,
    given: AnswersByRow | None = None,
    problems: Sequence[str] = (),
) -> PlayView:
    """The whole page, with what was said where models were asked."""
    picked, models = source_picture(reader, asked), capable_models(players, asked)
    asked_for = play_queries(players, asked, picked.picture)
    return PlayView(
        view="play",
        title="Try a model",
        sentence=SENTENCE,
        twin=asked.address("/play.json"),
        mode=asked.mode,
        models=players.known,
        able=models,
        shown=edited_picture(asked, picked),
        question=asked.question,
        choices=asked.choices,
        first=asked.first,
        second=asked.second,
        swap=asked.swap,
        into=asked.into,
        noise=asked.noise,
        draw=asked.draw,
        words=is_reworded(players, asked),
        suite=asked.suite,
        query=asked.query,
        dropped=asked.dropped,
        mask=SelectBox(
            "mask", "Mask", tuple(SelectOption(one, label, one == asked.mask) for one, label in MASKS.items())
        ),
        box=(asked.x, asked.y, asked.w, asked.h),
        families=tuple(
            EditFamily(
                name, tuple(SeveritySlider(one, asked.severities.get(one, 0), most) for one, most in own.items())
            )
            for name, own in FAMILIES.items()
        ),
        suites=_suite_box(reader, asked),
        **_picking(reader, asked),
        swappable=tuple(swappable_words(asked.question)) if asked.mode == "question" else (),
        rows=answer_rows(asked_for, models, given or {}),
        notes=(*problems, *answer_notes(players, asked, models)),
        asked=given is not None,
    )


def edited_picture(asked: PlayRequest, picked: SourcePicture) -> EditedPicture | None:
    """The picture as it is shown, if there is one."""
    if picked.picture is None:
        return None
    shown, row = apply_request(picked.picture, asked), picked.row
    assert shown is not None, "a picture stays one"
    same = row is not None and row["gold"] and row["text"] == asked.question and asked.mode == "question"
    return EditedPicture(
        picture=asked.shown(),
        source="a picture that was dropped in" if asked.dropped else picked.picture.address,
        edits=" | ".join(map(summarize_edit, shown.edits)) or "no edits",
        areas=_areas(picked),
        gold=" / ".join(one["answer"] for one in row["gold"] if one["credit"] > 0) if row is not None and same else "",
    )


def answer_rows(
    asked: Sequence[PlayQuery], models: Sequence[LoadedModel], given: AnswersByRow
) -> tuple[AnswerRow, ...]:
    """The lines as a table: one row each, one cell for each model."""
    if not asked:
        return ()
    texts = mark_changes(asked[0].query.text, [line.query.text for line in asked[1:]])
    scored = asked[0].query.mode is Mode.SCORE
    return tuple(
        AnswerRow(
            line.name,
            line.family,
            line.does,
            pieces if not scored and place else mark_changes(line.query.text, [])[0],
            tuple(_cell(given, place, model.slug, line.query.mode) for model in models),
        )
        for place, (line, pieces) in enumerate(zip(asked, texts, strict=True))
    )


def answer_notes(players: ModelThreads, asked: PlayRequest, models: Sequence[LoadedModel]) -> tuple[str, ...]:
    """What is to be known of the answers: words that a model never learnt, and why there is no noise in words."""
    if not players:
        return ()
    if not models:
        what = "scores captions" if asked.mode == "captions" else "answers questions"
        return (f"None of the loaded models {what}.",)
    text = f"{asked.first} {asked.second}" if asked.mode == "captions" else asked.question
    found = [
        note for one in models for note in vocabulary_warnings(players.model(one.slug), one.name, text, asked.listed)
    ]
    why = noise_rejection(asked.question) if asked.mode == "question" and is_reworded(players, asked) else ""
    return (*(f"{note}." for note in found), *([f"No noise is put into {why}."] if why else []))


def answer_view(answer: Answer, mode: Mode) -> AnswerView:
    """An answer as pages show it."""
    number = _number(answer.score) if mode is Mode.SCORE and answer.score is not None else ""
    return AnswerView(
        raw=answer.raw,
        value=answer.value,
        rule=answer.rule,
        state=str(answer.state),
        score=answer.score,
        correct=None,
        top=tuple(AnswerProbability(value, round(probability, 4)) for value, probability in answer.top[:3]),
        reason=answer.reason,
        shown="failed" if answer.state is State.FAILED else number or answer.value or answer.raw or "(empty)",
    )


def _cell(given: AnswersByRow, place: int, slug: str, mode: Mode) -> AnswerCell:
    answer, first = given.get((place, slug)), given.get((0, slug))
    if answer is None or first is None or not place or mode is Mode.SCORE:
        return AnswerCell(slug, answer_view(answer, mode) if answer else None)
    failed = State.FAILED in (answer.state, first.state)
    return AnswerCell(slug, answer_view(answer, mode), None if failed else _value(answer) == _value(first))


def _number(score: float) -> str:
    """Three decimals, or what tells apart two scores that are both next to nothing."""
    return f"{score:.3f}" if abs(score) >= 0.001 or not score else f"{score:.1e}"


def _value(answer: Answer) -> str:
    return (answer.value or answer.raw).strip().lower()


def _row(reader: LabReader, suite: str, query: str) -> tuple[Mapping[str, Any], Query]:
    """A row of a suite with the query that it is."""
    if len(query) != 16 or not set(query) <= set("0123456789abcdef"):
        raise UnknownName("query", query, [])
    asked = reader.database.source("queries", suite=reader.require_suite(suite))
    found = reader.database.rows(f"SELECT row FROM {asked} WHERE query = ? LIMIT 1", [int(query, 16)])
    if not found:
        raise UnknownName("query", query, [])
    (path,) = reader.database.files.paths("groups", suite=suite)
    table = take_rows(path, np.array([found[0]["row"]]))
    return table.to_pylist()[0], read_queries(table)[0]


def _areas(picked: SourcePicture) -> tuple[MaskArea, ...]:
    """The boxes of what the question is about, in per cent of the picture, rounded outward."""
    if picked.row is None or picked.size is None:
        return ()
    width, height = picked.size
    found = []
    for one in picked.row["objects"]:
        if one["x"] is None:
            continue
        left, top = (max(0, 100 * one[side] // whole) for side, whole in (("x", width), ("y", height)))
        right = min(100, -(-100 * (one["x"] + one["width"]) // width))
        bottom = min(100, -(-100 * (one["y"] + one["height"]) // height))
        if right > left and bottom > top:
            found.append(MaskArea(one["name"], left, top, right - left, bottom - top))
    return tuple(found)


def _suites(reader: LabReader, asked: PlayRequest) -> Sequence[str]:
    return [reader.require_suite(asked.suite)] if asked.suite else reader.suites()


def _suite_box(reader: LabReader, asked: PlayRequest) -> SelectBox:
    return SelectBox("suite", "Suite", tuple(SelectOption(one, one, one == asked.suite) for one in reader.suites()))


def _picking(reader: LabReader, asked: PlayRequest) -> dict[str, Any]:
    """The pictures to choose from: some of a suite, and where there are fewer and more."""
    suite = asked.suite or next(iter(reader.suites()), "")
    if not suite:
        return {}
    own = _row(reader, asked.suite, asked.query)[0] if asked.suite and asked.query else None
    touched = asked.question and (own is None or asked.question != own["text"])
    found = _picked(reader, suite, asked.page, PICKS + 1)
    (path,) = reader.database.files.paths("groups", suite=suite)
    texts = take_rows(path, np.array([one["place"] for one in found], np.int64)).to_pylist() if found else []
    picks = tuple(_pick(suite, one, text, asked, bool(touched)) for one, text in zip(found, texts, strict=True))
    return {
        "picks": picks[:PICKS],
        "fewer": asked.address(page=str(asked.page - 1)) if asked.page > 1 else "",
        "more": asked.address(page=str(asked.page + 1)) if len(picks) > PICKS else "",
    }


def _picked(reader: LabReader, suite: str, page: int, size: int) -> list[dict[str, Any]]:
    """Some pictures of a suite, each once, with the first query about each."""
    asked = reader.database.source("bases", suite=reader.require_suite(suite))
    sql = (
        f"SELECT suite, min(place) AS place, arg_min(base_query, place) AS query FROM {asked} "
        "WHERE picture IS NOT NULL GROUP BY suite, picture ORDER BY 2 LIMIT ? OFFSET ?"
    )
    return reader.database.rows(sql, [size, (page - 1) * PICKS])


def _pick(
    suite: str, found: Mapping[str, Any], row: Mapping[str, Any], asked: PlayRequest, touched: bool
) -> PictureOption:
    query, ratio = hex_id(found["query"]), row["height"] / row["width"] if row["width"] and row["height"] else 0.75
    text = {} if touched or row["mode"] == Mode.SCORE else {"question": row["text"], "choices": ""}
    return PictureOption(
        address=asked.address(suite=suite, query=query, dropped="", **text),
        picture=f"/suites/{quote(suite)}/pictures/{query}.png?width=160",
        suite=suite,
        query=query,
        question="" if row["mode"] == Mode.SCORE else row["text"],
        chosen=(suite, query) == (asked.suite, asked.query) and not asked.dropped,
        width=96,
        height=round(96 * min(ratio, 2)),
    )
