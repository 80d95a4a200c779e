"""One group: pictures, texts with the differences marked, gold and proof, and the answers of every model."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
from msgspec import structs

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Relation, State
from counterpoint.core.ids import hex_id
from counterpoint.explorer.frequencies import StochasticPasses, stochastic_passes
from counterpoint.explorer.group_filters import group_address, list_address, read_filter
from counterpoint.explorer.group_parts import (
    PLAIN,
    SENTENCES,
    THRESHOLD,
    AnswerProbability,
    AnswerView,
    PictureView,
    answer_view,
    changed_texts,
    heading,
    own_tags,
    picture_view,
    play_address,
    query_names,
    shared_tags,
)
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.pages.group.notes import group_notes
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
from counterpoint.lab.group_notes import GroupNote
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece
from counterpoint.metrics.verdicts import CHOICES
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.selection import (
    GroupFilter,
    Neighbour,
    find_neighbours,
)


@dataclass(frozen=True, slots=True)
class GroupView(PageView):
    """One group and the answers of every model."""

    suite: str = ""
    group_id: str = ""
    heading: str = ""
    test: str = ""
    kind: str = ""
    relation: str = ""
    related: str = ""
    words: tuple[str, str] = ("", "")  # below a consistent answer, and below an inconsistent one
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
    notes: tuple[GroupNote, ...] = ()

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
    rows = _rows(reader, suite, group_id, chosen.test)
    base = rows.slice(0, 1).to_pylist()[0]
    relation, is_ranking = base["relation"], base["relation"] == Relation.RANKS
    names = query_names(rows.num_rows)
    if is_ranking:
        names = ["caption", *("foil" if len(names) == 2 else f"foil {place}" for place in range(1, len(names)))]
    listed = chosen if chosen.browse else replace(chosen, suite=suite)
    near = find_neighbours(reader, listed, base["suite"], base["place"])
    models = sorted(reader.models(), key=lambda model: model.slug != chosen.model)  # the chosen one first
    answers = tuple(_model_answers(reader, rows, model, chosen) for model in models)
    place = _first_failure([line for line in answers if line.chosen] or answers)
    pictures, queries, tags = _pictures(suite, rows, names), _queries(rows, names), rows["tags"].to_pylist()
    as_strip = is_strip(pictures) and not is_ranking
    return GroupView(
        title=f"{base['test']}: {base['text']}",
        sentence=SENTENCES[relation] if rows.num_rows > 1 else PLAIN,
        twin=group_address(suite, f"{hex_id(group_id)}.json", chosen),
        before=_neighbour_address(near.before, chosen),
        after=_neighbour_address(near.after, chosen),
        above=list_address(chosen, suite, reader.models()),
        suite=suite,
        group_id=hex_id(group_id),
        heading=heading(base["test"], base["kind"]),
        test=base["test"],
        kind=base["kind"],
        relation=relation,
        related=_RELATED.get(relation, "consistent"),
        words=WORDS.get(relation, ("", "")),
        place=near.place,
        found=near.matches,
        among=_filter_summary(suite, chosen, models),
        sample=f"/samples/{hex_id(base['query'])}",
        play=play_address(suite, base, rows["text"][1].as_py() if is_ranking and rows.num_rows > 1 else ""),
        pictures=tuple(dict.fromkeys(picture for picture in pictures if picture)),
        queries=queries,
        listed=tuple(_listed(queries, as_strip=as_strip)),
        strip=strip_frames(queries, tags, pictures) if as_strip else (),
        proof=base["proof"].rstrip("."),
        tags=tuple(f"{name} {value}" for name, value in shared_tags(tags)),
        answers=tuple(structs.replace(line, top=_most_probable(line.answers[place])) for line in answers),
        ranked=ranking_rows(answers, names) if is_ranking else (),
        passes=stochastic_passes(reader, list(zip(rows["query"].to_pylist(), names, strict=True))),
        notes=group_notes(reader, suite, hex_id(group_id)),
        top_of=names[place] if any(_most_probable(line.answers[place]) for line in answers) else "",
    )


def _rows(reader: LabReader, suite: str, group_id: int, test: str) -> pa.Table:
    """Return the rows of a group in one test, since the same group may be in several."""
    rows = reader.group_rows(suite, group_id)
    if not rows.num_rows:
        raise UnknownName("group", hex_id(group_id), [])
    tests = rows["test"].to_pylist()
    shown = test if test in tests else tests[0]
    return rows.filter(pa.array([name == shown for name in tests]))


def _model_answers(reader: LabReader, rows: pa.Table, model: LabModel, chosen: GroupFilter) -> ModelAnswers:
    given = reader.answers_at(rows["suite"][0].as_py(), model.slug, rows["row"].to_numpy())
    prices, modes = reader.token_prices().get(model.slug), rows["mode"].to_pylist()
    answers = tuple(answer_view(row, mode, prices) for row, mode in zip(given, modes, strict=True))
    related = tuple(row["consistent"] if row else None for row in given[1:])
    known = [consistent for consistent in related if consistent is not None]
    return ModelAnswers(
        model=model.name,
        chosen=model.slug == chosen.model,
        answers=answers,
        related=related,
        consistent=all(known) if known else None,
        reason="" if known else _unknown_reason(answers, rows["relation"][0].as_py()),
    )


def _listed(queries: Sequence[QueryView], *, as_strip: bool) -> Iterator[int]:
    """Yield the queries whose texts are listed: all, or beside a strip the base and a few with new texts."""
    has_many = len(queries) - 1 > LISTED
    for place, query in enumerate(queries):
        if not as_strip or place == 0 or not (has_many or query.repeats):
            yield place


def _first_failure(lines: Sequence[ModelAnswers]) -> int:
    """Return the place of the first variant that is answered wrongly, else of the first variant."""
    for line in lines:
        for place, answer in enumerate(line.answers[1:], 1):
            if answer is not None and answer.correct is not None and answer.correct < THRESHOLD:
                return place
    return min(1, len(lines[0].answers) - 1) if lines else 0


def _most_probable(answer: AnswerView | None) -> tuple[AnswerProbability, ...]:
    return tuple(likely for likely in answer.top[:3] if likely.probability >= 0.01) if answer else ()


def _unknown_reason(answers: Iterable[AnswerView | None], relation: str) -> str:
    if any(answer is None or answer.state == State.FAILED for answer in answers):
        return "this model has not answered all of them"
    return "each text has a gold answer of its own" if relation == Relation.GOLD else "the relation cannot be judged"


def _queries(rows: pa.Table, names: list[str]) -> tuple[QueryView, ...]:
    lines = rows.select(["query", "text", "context", "choices", "gold", "tags"]).to_pylist()
    base = lines[0]["text"]
    is_swap = rows["relation"][0].as_py() == Relation.SWAP  # the text is another one, not a changed one
    texts = tuple((TextPiece(line["text"]),) for line in lines) if is_swap else changed_texts(lines)
    tags = own_tags([line["tags"] for line in lines])
    return tuple(
        QueryView(
            name=name,
            short=name.replace("variant", "v"),
            query=hex_id(line["query"]),
            text=pieces,
            context=line["context"],
            choices=tuple(line["choices"]),
            gold=None if line["gold"] is None else tuple(gold["answer"] for gold in line["gold"] if gold["credit"] > 0),
            tags=own,
            repeats=place > 0 and line["text"] == base,
        )
        for place, (name, line, pieces, own) in enumerate(zip(names, lines, texts, tags, strict=True))
    )


def _pictures(suite: str, rows: pa.Table, names: list[str]) -> tuple[PictureView | None, ...]:
    """Return the picture of each query with its boxes; equal pictures have equal views."""
    lines = rows.select(["query", "objects", "width", "height"]).to_pylist()
    pictures = [query.picture for query in read_queries(rows)]
    distinct = list(dict.fromkeys(picture for picture in pictures if picture is not None))
    views = {}
    for picture in distinct:
        shown_with = [name for name, other in zip(names, pictures, strict=True) if other == picture]
        base = distinct[0] if picture != distinct[0] else None
        line = lines[pictures.index(picture)]
        views[picture] = picture_view(suite, picture, line, shown_with if len(distinct) > 1 else [], base)
    return tuple(None if picture is None else views[picture] for picture in pictures)


def _neighbour_address(neighbour: Neighbour | None, chosen: GroupFilter) -> str:
    return group_address(neighbour.suite, hex_id(neighbour.group_id), chosen) if neighbour else ""


def _filter_summary(suite: str, chosen: GroupFilter, models: Sequence[LabModel]) -> str:
    pairs, names = ((chosen.model, chosen.verdict), chosen.other), {model.slug: model.name for model in models}
    verdicts = (f"{names.get(slug, slug)} {CHOICES.get(verdict, verdict)}".strip() for slug, verdict in pairs)
    return " · ".join(filter(None, [suite, chosen.test, chosen.kind, *verdicts]))
