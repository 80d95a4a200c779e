"""One group: its pictures, its texts with the difference marked, gold and proof, and what every model made of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode

import pyarrow as pa

from counterpoint.core.answers import State
from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Mode
from counterpoint.core.ids import hex_id
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.explorer.frequencies import stochastic_passes
from counterpoint.explorer.group_filters import (
    filter_parameters,
    list_address,
)
from counterpoint.explorer.strips import LISTED, WORDS, is_strip, ranking_rows, strip_frames
from counterpoint.explorer.views import AnswerProbability, AnswerView, BoxView, PictureView, QueryView
from counterpoint.explorer.views_groups import GroupView, ModelAnswers
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece, mark_changes
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.pictures.edits import summarize_edit, visible_window
from counterpoint.store.groups import read_queries
from counterpoint.store.models import LabModel
from counterpoint.store.outcomes.selection import (
    GroupFilter,
    GroupKey,
    Neighbour,
    find_neighbours,
)

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

_RELATED = {"same": "consistent", "differs": "consistent", "ranks": "caption above foil", "swap": "answer survived"}


def group_view(reader: LabReader, suite: str, group_id: int, chosen: GroupFilter) -> GroupView:
    """The page of one group, with its neighbours among the groups that fit the filter."""
    rows = reader.group_rows(suite, group_id)
    if not rows.num_rows:
        raise UnknownName("group", hex_id(group_id), [])
    if chosen.test and chosen.test in rows["test"].to_pylist():
        rows = rows.filter(pa.array([test == chosen.test for test in rows["test"].to_pylist()]))
    first = rows.slice(0, 1).to_pylist()[0]
    rows = rows.filter(pa.array([test == first["test"] for test in rows["test"].to_pylist()]))
    here = f"/suites/{quote(suite)}/groups/{hex_id(group_id)}"
    near = find_neighbours(reader, chosen if chosen.browse else replace(chosen, suite=suite), _key(first, chosen))
    names = ["base", *(f"variant {number}" for number in range(1, rows.num_rows))]
    if first["relation"] == "ranks":
        names = ["caption", *("foil" if rows.num_rows == 2 else f"foil {number}" for number in range(1, rows.num_rows))]
    answers = _answers(reader, rows, chosen)
    telling = _telling([line for line in answers if line.chosen] or answers)
    seen, asked, tags = _pictures(suite, rows, names), _queries(rows, names), rows["tags"].to_pylist()
    as_strip = is_strip(seen) and first["relation"] != "ranks"
    return GroupView(
        view="group",
        title=f"{first['test']}: {first['text']}",
        sentence=SENTENCES[first["relation"]] if rows.num_rows > 1 else "A plain question, without variants.",
        twin=_with(f"{here}.json", chosen),
        before=_page_of(near.before, chosen),
        after=_page_of(near.after, chosen),
        above=list_address(chosen, suite, reader.models()),
        suite=suite,
        group_id=hex_id(group_id),
        heading=heading(first["test"], first["kind"]),
        test=first["test"],
        kind=first["kind"],
        relation=first["relation"],
        related=_RELATED.get(first["relation"], "consistent"),
        words=WORDS.get(first["relation"], ("", "")),
        place=near.place,
        found=near.matches,
        among=_among(suite, chosen),
        sample=f"/samples/{hex_id(first['query'])}",
        play=play_address(suite, first, rows["text"][1].as_py() if first["relation"] == "ranks" else ""),
        pictures=tuple(dict.fromkeys(one for one in seen if one)),
        queries=asked,
        listed=tuple(_listed(asked, as_strip=as_strip)),
        strip=strip_frames(asked, tags, seen) if as_strip else (),
        proof=first["proof"].rstrip("."),
        tags=tuple(f"{key} {value}" for key, value in _shared(tags)),
        answers=tuple(replace(line, top=_likely(line.answers[telling])) for line in answers),
        ranked=ranking_rows(answers, names) if first["relation"] == "ranks" else (),
        passes=stochastic_passes(
            reader, [(line, name) for line, name in zip(rows["query"].to_pylist(), names, strict=True)]
        ),
        top_of=names[telling] if any(_likely(line.answers[telling]) for line in answers) else "",
    )


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


def _answers(reader: LabReader, rows: pa.Table, chosen: GroupFilter) -> tuple[ModelAnswers, ...]:
    """One line per model, the chosen one first."""
    models = sorted(reader.models(), key=lambda model: model.slug != chosen.model)
    return tuple(_answered(reader, rows, model, chosen) for model in models)


def _answered(reader: LabReader, rows: pa.Table, model: LabModel, chosen: GroupFilter) -> ModelAnswers:
    lines = reader.answers_at(rows["suite"][0].as_py(), model.slug, rows["row"].to_numpy())
    modes = rows["mode"].to_pylist()
    answers = tuple(
        answer_view(line, line["correct"], mode) if line else None for line, mode in zip(lines, modes, strict=True)
    )
    related = tuple(line["consistent"] if line else None for line in lines[1:])
    known = [one for one in related if one is not None]
    return ModelAnswers(
        model=model.name,
        chosen=model.slug == chosen.model,
        answers=answers,
        related=related,
        consistent=all(known) if known else None,
        reason="" if known else _unknown(answers, rows["relation"][0].as_py()),
    )


def _listed(asked: Sequence[QueryView], *, as_strip: bool) -> Iterator[int]:
    """The queries whose texts are worth a line: all, or beside a strip the base and a few others that are new."""
    several = len(asked) - 1 > LISTED
    for place, query in enumerate(asked):
        if not as_strip or place == 0 or not (several or query.repeats):
            yield place


def _telling(lines: Sequence[ModelAnswers]) -> int:
    """The place of the variant that tells most: the first that went wrong, else the first."""
    for line in lines:
        for place, answer in enumerate(line.answers[1:], 1):
            if answer is not None and answer.correct is not None and answer.correct < THRESHOLD:
                return place
    return min(1, len(lines[0].answers) - 1) if lines else 0


def _likely(answer: AnswerView | None) -> tuple[AnswerProbability, ...]:
    return tuple(one for one in answer.top[:3] if one.probability >= 0.01) if answer else ()


def own_tags(tags: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, ...]]:
    """For each query of a group, the tags that not all of them have alike, in words."""
    shared = _shared(tags)
    return [tuple(f"{key} {value}" for key, value in own if (key, value) not in shared) for own in tags]


def _shared(tags: Sequence[Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """The tags that all queries have alike; a tag of one query is the same as its text, or stands below it."""
    return [tag for tag in tags[0] if all(tag in others for others in tags)]


def _unknown(answers: Iterable[AnswerView | None], relation: str) -> str:
    if any(answer is None or answer.state == State.FAILED for answer in answers):
        return "this model has not answered all of them"
    return "each text has a right answer of its own" if relation == "gold" else "the relation cannot be judged"


def _queries(rows: pa.Table, names: list[str]) -> tuple[QueryView, ...]:
    lines = rows.select(["query", "text", "context", "choices", "gold"]).to_pylist()
    base, *variants = (line["text"] for line in lines)
    exchanged = rows["relation"][0].as_py() == "swap"  # nothing was changed in a text that has another in its place
    texts = tuple((TextPiece(text),) for text in (base, *variants)) if exchanged else mark_changes(base, variants)
    return tuple(
        QueryView(
            name=name,
            short=name.replace("variant", "v"),
            query=hex_id(line["query"]),
            text=pieces,
            context=line["context"],
            choices=tuple(line["choices"]),
            gold=None if line["gold"] is None else tuple(one["answer"] for one in line["gold"] if one["credit"] > 0),
            tags=own,
            repeats=name not in ("base", "caption") and line["text"] == base,
        )
        for name, line, pieces, own in zip(names, lines, texts, own_tags(rows["tags"].to_pylist()), strict=True)
    )


def _pictures(suite: str, rows: pa.Table, names: list[str]) -> tuple[PictureView | None, ...]:
    """The picture of each query as it was shown, with the boxes of what the question is about; equal ones are equal."""
    lines = rows.select(["query", "objects", "width", "height"]).to_pylist()
    pictures = [query.picture for query in read_queries(rows)]
    found = list(dict.fromkeys(picture for picture in pictures if picture is not None))
    made = {}
    for picture in found:
        asked = [name for name, own in zip(names, pictures, strict=True) if own == picture] if len(found) > 1 else []
        base = found[0] if picture != found[0] else None
        made[picture] = picture_view(suite, picture, lines[pictures.index(picture)], asked, base)
    return tuple(None if picture is None else made[picture] for picture in pictures)


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


def _key(first: Mapping[str, Any], chosen: GroupFilter) -> GroupKey:
    return GroupKey(first["suite"], first["place"], chosen.model or chosen.focus)


def _page_of(found: Neighbour | None, chosen: GroupFilter) -> str:
    """The page of a group among those that fit; in a list of several models, in the hands of its own."""
    if found is None:
        return ""
    own = replace(chosen, focus="" if chosen.model else found.model) if chosen.browse else chosen
    return _with(f"/suites/{quote(found.suite)}/groups/{hex_id(found.group_id)}", own)


def _among(suite: str, chosen: GroupFilter) -> str:
    both = ((chosen.model, chosen.verdict), chosen.other)
    said = (f"{model} {VERDICTS.get(verdict, verdict)}".strip() for model, verdict in both)
    return " · ".join(filter(None, [suite, chosen.test, chosen.kind, *said]))


def heading(test: str, kind: str) -> str:
    """A test and the kind of a group as they stand above a page.

    >>> heading("question-bias", "compare"), heading("existence", "existence")
    ('Question bias · compare', 'Existence')
    """
    name = test.replace("_", " ").replace("-", " ")
    return f"{name[:1].upper()}{name[1:]}" + (f" · {kind}" if kind and kind != test else "")


def _with(path: str, chosen: GroupFilter) -> str:
    asked = urlencode(filter_parameters(chosen))
    return f"{path}?{asked}" if asked else path
