"""One sample: a query with its gold, the answers of every model, and a card for each group made from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec import Struct

from counterpoint import catalog
from counterpoint.core.errors import UnknownName
from counterpoint.core.ids import hex_id
from counterpoint.explorer.frequencies import (
    AnswerFrequency,
    StochasticPasses,
    answer_frequencies,
    display_value,
    stochastic_passes,
)
from counterpoint.explorer.group_filters import group_address
from counterpoint.explorer.group_parts import (
    PLAIN,
    SENTENCES,
    AnswerProbability,
    AnswerView,
    PictureView,
    answer_view,
    heading,
    picture_view,
    play_address,
)
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.responses import parse_id
from counterpoint.explorer.views import LinkChoice
from counterpoint.lab.reader import LabReader
from counterpoint.store.groups import read_queries
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.queries import ResultRow, group_answers, group_scores, groups_of_base, query_places
from counterpoint.store.outcomes.selection import GroupFilter


class GoldAnswer(Struct, frozen=True):
    """An answer and the credit that it earns."""

    answer: str
    credit: float


class ModelPrediction(Struct, frozen=True):
    """What one model says to a query, with its likeliest answers."""

    model: str
    answer: AnswerView | None
    top: tuple[AnswerProbability, ...]


class SampleScore(Struct, frozen=True):
    """A score of one sample."""

    metric: str
    label: str
    value: float | None


class SampleCardRow(Struct, frozen=True):
    """One model on one card: its scores, and its answers with how often they came."""

    model: str
    address: str
    scores: tuple[SampleScore, ...]
    answers: tuple[AnswerFrequency, ...]
    asked: int


class SampleCard(Struct, frozen=True):
    """What was asked around a sample in one group: its scores by what counts there, and the answers to its variants."""

    suite: str
    test: str
    kind: str
    heading: str
    sentence: str
    address: str
    variants: int
    metrics: tuple[tuple[str, str], ...]  # name and label
    lines: tuple[SampleCardRow, ...]


@dataclass(frozen=True, slots=True)
class SampleView(PageView):
    """One base query, and everything that was asked around it."""

    query: str = ""
    text: str = ""
    context: str = ""
    choices: tuple[str, ...] = ()
    gold: tuple[GoldAnswer, ...] | None = None
    picture: PictureView | None = None
    play: str = ""
    predicted: tuple[ModelPrediction, ...] = ()
    cards: tuple[SampleCard, ...] = ()
    passes: tuple[StochasticPasses, ...] = ()
    within: tuple[LinkChoice, ...] = ()  # groups of which it is a variant
    more: int = 0  # groups that are not shown


MOST = 40
"""Groups that one page shows."""

LEAST = 0.005
"""The least probability of an answer that is listed among the most probable ones."""

_MAIN = ("self_consistency", "comprehensive_accuracy", "accuracy")
_METRICS: Mapping[str, tuple[str, ...]] = {
    "same": _MAIN,
    "differs": _MAIN,
    "gold": ("comprehensive_accuracy", "accuracy", "all_right"),
    "ranks": ("acc_r", "ties"),
    "swap": ("survived", "base_accuracy", "variant_accuracy"),
}
"""The metrics of a card by the relation of its group; those that apply are shown."""


def sample_view(reader: LabReader, request: PageRequest) -> SampleView:
    """One query with the answers of all models, and the groups that it is the base of."""
    query_id = parse_id(request.path["query"])
    suite, row, within = _find_query(reader, query_id)
    line = row.to_pylist()[0]
    groups = groups_of_base(reader, query_id, line["picture"], line["text"])
    picture = read_queries(row)[0].picture
    return SampleView(
        title=line["text"],
        sentence="One question, the answers of each model, and every group that was made from it.",
        twin=f"/samples/{hex_id(query_id)}.json",
        query=hex_id(query_id),
        text=line["text"],
        context=line["context"],
        choices=tuple(line["choices"]),
        gold=None
        if line["gold"] is None
        else tuple(GoldAnswer(gold["answer"], gold["credit"]) for gold in line["gold"]),
        picture=picture_view(suite, picture, line, [], None) if picture else None,
        play=play_address(suite, line),
        predicted=tuple(_prediction(reader, model, suite, line["row"], line["mode"]) for model in reader.models()),
        cards=tuple(_card(reader, group) for group in groups[:MOST]),
        passes=stochastic_passes(reader, [(query_id, "base")]),
        within=within,
        more=max(len(groups) - MOST, 0),
    )


def _find_query(reader: LabReader, query_id: int) -> tuple[str, pa.Table, tuple[LinkChoice, ...]]:
    """Return a suite that has the query, its row there, and the groups of which it is a variant."""
    places = query_places(reader, query_id, MOST)
    if not places:
        raise UnknownName("query of this lab", hex_id(query_id), [])
    rows = [(suite, reader.rows_at(suite, [(row, 0)])) for suite, row in places]
    first = next(((suite, row) for suite, row in rows if row["role"][0].as_py() == 0), rows[0])
    within = []
    for suite, row in rows:
        line = row.select(["group_id", "role", "test", "kind"]).to_pylist()[0]
        if line["role"]:
            name = f"{heading(line['test'], line['kind'])} · variant {line['role']}"
            within.append(LinkChoice(name, _group_address(suite, line["group_id"], line["test"])))
    return *first, tuple(within)


def _prediction(reader: LabReader, model: LabModel, suite: str, row: int, mode: str) -> ModelPrediction:
    (given,) = reader.answers_at(suite, model.slug, np.array([row]))
    answer = answer_view(given, mode)
    top = tuple(likely for likely in answer.top[:3] if likely.probability >= LEAST) if answer else ()
    return ModelPrediction(model.name, answer, top)


def _card(reader: LabReader, group: ResultRow) -> SampleCard:
    names = [name for name in _METRICS[group["relation"]] if name in reader.group_metrics()]
    scores = group_scores(reader, group["suite"], group["place"], names)
    answers = group_answers(reader, group["suite"], group["place"])
    applicable = tuple(name for name in names if any(row[name] is not None for row in scores.values()))
    lines = (
        _card_row(
            group, model, applicable, scores.get(model.slug, {}), [row for row in answers if row["model"] == model.slug]
        )
        for model in reader.models()
    )
    return SampleCard(
        suite=group["suite"],
        test=group["test"],
        kind=group["kind"],
        heading=heading(group["test"], ""),
        sentence=SENTENCES[group["relation"]] if group["variants"] else PLAIN,
        address=_group_address(group["suite"], group["group_id"], group["test"]),
        variants=group["variants"],
        metrics=tuple((name, catalog.metric(name).title) for name in applicable),
        lines=tuple(line for line in lines if line.asked),
    )


def _card_row(
    group: ResultRow,
    model: LabModel,
    names: Sequence[str],
    scores: Mapping[str, Any],
    answers: Sequence[Mapping[str, Any]],
) -> SampleCardRow:
    """Return one model on a card; of captions and foils the scores are listed in place of answers."""
    given = [answer for answer in answers if answer["state"] != "missing"]
    variants = [answer for answer in given if answer["role"]] or given
    if group["relation"] == "ranks":
        variants = [
            {**answer, "value": f"{'foil' if answer['role'] else 'caption'} {answer['score']:.3g}"}
            for answer in given
            if answer["score"] is not None
        ]
    return SampleCardRow(
        model=model.name,
        address=_group_address(group["suite"], group["group_id"], group["test"], model.slug),
        scores=tuple(SampleScore(name, catalog.metric(name).title, scores.get(name)) for name in names),
        answers=answer_frequencies(map(display_value, variants)),
        asked=len(variants),
    )


def _group_address(suite: str, group_id: int, test: str, model: str = "") -> str:
    return group_address(suite, hex_id(group_id), GroupFilter(model, test=test))
