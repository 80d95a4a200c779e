"""The view of "Try a model": its inputs as they stand, the queries they make, and the answer of each model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Picture
from counterpoint.explorer.group_parts import AnswerProbability, AnswerView
from counterpoint.explorer.page import PageView
from counterpoint.explorer.play.model_threads import LoadedModel, ModelThreads
from counterpoint.explorer.play.request import FAMILIES, MASKS, PlayRequest, apply_request
from counterpoint.explorer.play.rewordings import SwappableWord, list_rewordings, noise_rejection, swappable_words
from counterpoint.explorer.play.uploads import NAMESPACE
from counterpoint.explorer.responses import parse_id
from counterpoint.explorer.views import SelectBox
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece, mark_changes
from counterpoint.models.builtin.onnx_graphs import vocabulary_warnings
from counterpoint.pictures.edits import summarize_edit
from counterpoint.store.groups import read_queries

PICKS = 12
"""Pictures offered on one page of the list."""
SENTENCE = (
    "Edit the picture or the text, and see how the answers of the loaded models change. "
    "Nothing of this is saved in the lab."
)

AnswersByRow = Mapping[tuple[int, str], Answer]
"""Answers by row of the table and slug of the model."""


class SeveritySlider(Struct, frozen=True):
    """An edit with its severity: from 0, which leaves it out, to `most`."""

    name: str
    value: int
    most: int


class EditFamily(Struct, frozen=True):
    """A named group of edits, such as noise."""

    name: str
    sliders: tuple[SeveritySlider, ...]


class PictureOption(Struct, frozen=True):
    """A picture of the lab to choose, and the question that the lab asks about it."""

    address: str
    picture: str
    suite: str
    query: str
    question: str
    chosen: bool
    width: int
    height: int


class MaskArea(Struct, frozen=True):
    """A named box, in per cent of the picture."""

    name: str
    x: int
    y: int
    w: int
    h: int


class EditedPicture(Struct, frozen=True):
    """The picture as models are shown it, with its source and edits."""

    picture: str
    source: str
    edits: str
    areas: tuple[MaskArea, ...] = ()
    gold: str = ""  # the right answer to the question that the lab asks about it


class AnswerCell(Struct, frozen=True):
    """The answer of one model; `same` says whether it equals its answer to the first row, where both are known."""

    model: str
    answer: AnswerView | None
    same: bool | None = None


class AnswerRow(Struct, frozen=True):
    """A query as text with its differences from the first row marked, and the answers to it."""

    name: str
    family: str
    does: str
    text: tuple[TextPiece, ...]
    cells: tuple[AnswerCell, ...] = ()


@dataclass(frozen=True, slots=True)
class PlayView(PageView):
    """All inputs of the page as they stand, and the answers where models were asked."""

    inputs: PlayRequest = field(default_factory=PlayRequest)
    models: tuple[LoadedModel, ...] = ()
    able: tuple[LoadedModel, ...] = ()  # the models that can do what the mode asks for
    shown: EditedPicture | None = None
    mask: SelectBox | None = None
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
    """The picture before any edit, and the row of the lab that it comes from, if any."""

    picture: Picture | None = None
    row: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PlayQuery:
    """A query, and how its text or picture was derived from the inputs."""

    name: str
    family: str
    does: str
    query: Query


def source_picture(reader: LabReader, play: PlayRequest) -> SourcePicture:
    """The picture that the inputs name, if any."""
    if play.dropped:
        return SourcePicture(Picture(f"{NAMESPACE}:{play.dropped}"))
    if not play.suite or not play.query:
        return SourcePicture()
    rows = reader.query_row(play.suite, parse_id(play.query))
    return SourcePicture(read_queries(rows)[0].picture, rows.to_pylist()[0])


def with_defaults(reader: LabReader, play: PlayRequest) -> PlayRequest:
    """The inputs with defaults filled in: the first picture of the lab, and what the lab asks about it."""
    if not play.dropped and not play.query:
        suites = [reader.require_suite(play.suite)] if play.suite else reader.suites()
        pictures = next((first for suite in suites if (first := _suite_pictures(reader, suite, 1, 1))), None)
        if pictures:
            play = replace(play, suite=pictures[0]["suite"], query=hex_id(pictures[0]["query"]))
    row = source_picture(reader, play).row
    if row is None:
        return play
    choices = ", ".join(row["choices"])
    if row["mode"] == Mode.SCORE:
        return replace(play, first=play.first or row["text"], mode="captions" if not play.question else play.mode)
    same = not play.question or play.question == row["text"]
    return replace(play, question=play.question or row["text"], choices=play.choices or (choices if same else ""))


def capable_models(threads: ModelThreads, play: PlayRequest) -> tuple[LoadedModel, ...]:
    """The models that can answer in the chosen mode."""
    mode = Mode.SCORE if play.mode == "captions" else Mode.ANSWER
    return tuple(model for model in threads.models if model.can(mode))


def is_reworded(threads: ModelThreads, play: PlayRequest) -> bool:
    """Whether a question is also asked in other words: as the visitor chose, else where no model is remote."""
    return bool(play.words) if play.words is not None else not any(model.remote for model in threads.models)


def play_queries(threads: ModelThreads, play: PlayRequest, picture: Picture | None) -> list[PlayQuery]:
    """All queries: first the inputs as shown, then without edits, then in other words."""
    shown = apply_request(picture, play)
    if play.mode == "captions":
        texts = [(name, text) for name, text in (("first", play.first), ("second", play.second)) if text.strip()]
        edited = [PlayQuery(name, "caption", "", Query(shown, text, Mode.SCORE)) for name, text in texts]
        plain = [PlayQuery(name, "no edits", "", Query(picture, text, Mode.SCORE)) for name, text in texts]
        return edited + (plain if picture != shown else [])
    if not play.question.strip():
        return []
    first = Query(shown, play.question, choices=play.choice_list)
    queries = [PlayQuery("as typed", "", "", first)]
    if picture != shown:
        queries.append(PlayQuery("no edits", "picture", "the picture as it was", replace(first, picture=picture)))
    rewordings = list_rewordings(play.question, swap=play.swap, into=play.into, severity=play.noise, seed=play.draw)
    if not is_reworded(threads, play):
        rewordings = [rewording for rewording in rewordings if rewording.family == "swap"]
    return queries + [PlayQuery(text.name, text.family, text.does, first.with_text(text.text)) for text in rewordings]


def play_view(
    reader: LabReader,
    threads: ModelThreads,
    play: PlayRequest,
    answers: AnswersByRow | None = None,
    problems: Sequence[str] = (),
) -> PlayView:
    """The whole page, with the answers where models were asked."""
    source, models = source_picture(reader, play), capable_models(threads, play)
    queries = play_queries(threads, play, source.picture)
    return PlayView(
        title="Try a model",
        sentence=SENTENCE,
        twin=play.address("/play.json"),
        inputs=replace(play, words=int(is_reworded(threads, play))),
        models=threads.models,
        able=models,
        shown=edited_picture(play, source),
        mask=SelectBox.of("mask", "Mask", MASKS.items(), play.mask),
        families=tuple(
            EditFamily(
                name, tuple(SeveritySlider(edit, play.severities.get(edit, 0), most) for edit, most in edits.items())
            )
            for name, edits in FAMILIES.items()
        ),
        suites=SelectBox.of("suite", "Suite", ((suite, suite) for suite in reader.suites()), play.suite),
        **_picture_options(reader, play, source),
        swappable=tuple(swappable_words(play.question)) if play.mode == "question" else (),
        rows=answer_rows(queries, models, answers or {}),
        notes=(*problems, *answer_notes(threads, play, models)),
        asked=answers is not None,
    )


def edited_picture(play: PlayRequest, source: SourcePicture) -> EditedPicture | None:
    """The picture with its edits, if there is one."""
    if source.picture is None:
        return None
    shown, row = apply_request(source.picture, play), source.row
    assert shown is not None, "a picture stays one"
    same = row is not None and row["gold"] and row["text"] == play.question and play.mode == "question"
    return EditedPicture(
        picture=play.picture_address(),
        source="an uploaded picture" if play.dropped else source.picture.address,
        edits=" | ".join(map(summarize_edit, shown.edits)) or "no edits",
        areas=_areas(source),
        gold=" / ".join(gold["answer"] for gold in row["gold"] if gold["credit"] > 0) if row and same else "",
    )


def answer_rows(
    queries: Sequence[PlayQuery], models: Sequence[LoadedModel], answers: AnswersByRow
) -> tuple[AnswerRow, ...]:
    """The queries as a table: one row each, one cell per model."""
    if not queries:
        return ()
    texts = mark_changes(queries[0].query.text, [query.query.text for query in queries[1:]])
    is_scored = queries[0].query.mode is Mode.SCORE
    return tuple(
        AnswerRow(
            query.name,
            query.family,
            query.does,
            pieces if not is_scored and place else mark_changes(query.query.text, [])[0],
            tuple(_cell(answers, place, model.slug, query.query.mode) for model in models),
        )
        for place, (query, pieces) in enumerate(zip(queries, texts, strict=True))
    )


def answer_notes(threads: ModelThreads, play: PlayRequest, models: Sequence[LoadedModel]) -> tuple[str, ...]:
    """Remarks on the answers: words outside a model's vocabulary, and why there is no noise in words."""
    if not threads:
        return ()
    if not models:
        what = "scores captions" if play.mode == "captions" else "answers questions"
        return (f"None of the loaded models {what}.",)
    text = f"{play.first} {play.second}" if play.mode == "captions" else play.question
    warnings = [
        warning
        for model in models
        for warning in vocabulary_warnings(threads.model(model.slug), model.name, text, play.choice_list)
    ]
    why = noise_rejection(play.question) if play.mode == "question" and is_reworded(threads, play) else ""
    return (*(f"{warning}." for warning in warnings), *([f"No noise is put into {why}."] if why else []))


def answer_view(answer: Answer, mode: Mode) -> AnswerView:
    """An answer as the page shows it."""
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


def _cell(answers: AnswersByRow, place: int, slug: str, mode: Mode) -> AnswerCell:
    answer, first = answers.get((place, slug)), answers.get((0, slug))
    if answer is None or first is None or not place or mode is Mode.SCORE:
        return AnswerCell(slug, answer_view(answer, mode) if answer else None)
    failed = State.FAILED in (answer.state, first.state)
    return AnswerCell(slug, answer_view(answer, mode), None if failed else _value(answer) == _value(first))


def _number(score: float) -> str:
    """A score with three decimals, or in scientific notation where it is tiny."""
    return f"{score:.3f}" if abs(score) >= 0.001 or not score else f"{score:.1e}"


def _value(answer: Answer) -> str:
    return (answer.value or answer.raw).strip().lower()


def _areas(source: SourcePicture) -> tuple[MaskArea, ...]:
    """The boxes of the question's objects, in per cent of the picture, rounded outward."""
    row = source.row
    if row is None or not row["width"] or not row["height"]:
        return ()
    width, height, areas = row["width"], row["height"], []
    for box in row["objects"]:
        if box["x"] is None:
            continue
        left, top = max(0, 100 * box["x"] // width), max(0, 100 * box["y"] // height)
        right = min(100, -(-100 * (box["x"] + box["width"]) // width))
        bottom = min(100, -(-100 * (box["y"] + box["height"]) // height))
        if right > left and bottom > top:
            areas.append(MaskArea(box["name"], left, top, right - left, bottom - top))
    return tuple(areas)


def _picture_options(reader: LabReader, play: PlayRequest, source: SourcePicture) -> dict[str, Any]:
    """One page of pictures to choose from, and the addresses of the pages before and after."""
    suite = play.suite or next(iter(reader.suites()), "")
    if not suite:
        return {}
    row = source.row
    keeps_question = bool(play.question) and (row is None or play.question != row["text"])
    pictures = _suite_pictures(reader, suite, play.page, PICKS + 1)
    rows = reader.rows_at(suite, [(picture["place"], 0) for picture in pictures]).to_pylist()
    options = tuple(
        _picture_option(play, suite, hex_id(picture["query"]), row, keeps_question)
        for picture, row in zip(pictures, rows, strict=True)
    )
    return {
        "picks": options[:PICKS],
        "fewer": play.address(page=str(play.page - 1)) if play.page > 1 else "",
        "more": play.address(page=str(play.page + 1)) if len(options) > PICKS else "",
    }


def _suite_pictures(reader: LabReader, suite: str, page: int, size: int) -> list[dict[str, Any]]:
    """Distinct pictures of a suite, each with the first query about it."""
    bases = reader.database.source("bases", suite=reader.require_suite(suite))
    sql = (
        f"SELECT suite, min(place) AS place, arg_min(base_query, place) AS query FROM {bases} "
        "WHERE picture IS NOT NULL GROUP BY suite, picture ORDER BY 2 LIMIT ? OFFSET ?"
    )
    return reader.database.rows(sql, [size, (page - 1) * PICKS])


def _picture_option(
    play: PlayRequest, suite: str, query: str, row: Mapping[str, Any], keeps_question: bool
) -> PictureOption:
    ratio = row["height"] / row["width"] if row["width"] and row["height"] else 0.75
    question = "" if row["mode"] == Mode.SCORE else row["text"]
    text = {} if keeps_question or not question else {"question": question, "choices": ""}
    return PictureOption(
        address=play.address(suite=suite, query=query, dropped="", **text),
        picture=f"/suites/{quote(suite)}/pictures/{query}.webp?width=160",
        suite=suite,
        query=query,
        question=question,
        chosen=(suite, query) == (play.suite, play.query) and not play.dropped,
        width=96,
        height=round(96 * min(ratio, 2)),
    )
