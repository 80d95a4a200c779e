"""One group: its pictures, its texts with the difference marked, gold and proof, and what every model made of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

import pyarrow as pa

from counterpoint.core.answers import State
from counterpoint.core.errors import UnknownName
from counterpoint.core.ids import hex_id
from counterpoint.explorer.frequencies import StochasticPasses, stochastic_passes
from counterpoint.explorer.group_filters import (
    filter_parameters,
    list_address,
    read_filter,
)
from counterpoint.explorer.group_parts import (
    SENTENCES,
    THRESHOLD,
    AnswerProbability,
    AnswerView,
    PictureView,
    answer_view,
    heading,
    own_tags,
    picture_view,
    play_address,
    shared_tags,
)
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.group.strip import (
    LISTED,
    WORDS,
    ModelAnswers,
    QueryView,
    RankingRow,
    StripFrame,
    is_strip,
    ranking_rows,
    strip_frames,
)
from counterpoint.explorer.responses import parse_id
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece, mark_changes
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.store.groups import read_queries
from counterpoint.store.models import LabModel
from counterpoint.store.outcomes.selection import (
    GroupFilter,
    GroupKey,
    Neighbour,
    find_neighbours,
)


@dataclass(frozen=True, slots=True)
class GroupView(PageView):
    """One group, and what every model made of it."""

    suite: str = ""
    group_id: str = ""
    heading: str = ""
    test: str = ""
    kind: str = ""
    relation: str = ""
    related: str = ""
    words: tuple[str, str] = ("", "")  # for a variant that holds to the base, and for one that does not
    place: int = 0
    found: int = 0
    among: str = ""
    sample: str = ""
    play: str = ""  # where its picture and its texts can be changed
    pictures: tuple[PictureView, ...] = ()
    queries: tuple[QueryView, ...] = ()
    listed: tuple[int, ...] = ()  # the places of the queries whose texts stand below each other
    strip: tuple[StripFrame, ...] = ()
    proof: str = ""
    tags: tuple[str, ...] = ()  # those that all queries share
    answers: tuple[ModelAnswers, ...] = ()
    ranked: tuple[RankingRow, ...] = ()
    passes: tuple[StochasticPasses, ...] = ()
    top_of: str = ""

    @property
    def silent(self) -> tuple[str, ...]:
        """The models that have no answer here."""
        return tuple(line.model for line in self.answers if not line.asked)

    @property
    def golden(self) -> bool:
        """Whether the queries of a strip have right answers that differ."""
        return len({shot.gold for shot in self.strip if shot.gold}) > 1


_RELATED = {"same": "consistent", "differs": "consistent", "ranks": "caption above foil", "swap": "answer survived"}


def group_view(reader: LabReader, request: PageRequest) -> GroupView:
    """One group and the answers of every model, with its neighbours among the groups that fit a filter."""
    suite, group_id, chosen = request.path["suite"], parse_id(request.path["group"]), read_filter(request.values)
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
        tags=tuple(f"{key} {value}" for key, value in shared_tags(tags)),
        answers=tuple(replace(line, top=_likely(line.answers[telling])) for line in answers),
        ranked=ranking_rows(answers, names) if first["relation"] == "ranks" else (),
        passes=stochastic_passes(
            reader, [(line, name) for line, name in zip(rows["query"].to_pylist(), names, strict=True)]
        ),
        top_of=names[telling] if any(_likely(line.answers[telling]) for line in answers) else "",
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


def _with(path: str, chosen: GroupFilter) -> str:
    asked = urlencode(filter_parameters(chosen))
    return f"{path}?{asked}" if asked else path
