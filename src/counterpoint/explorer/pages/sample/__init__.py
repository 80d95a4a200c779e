"""One sample: a base query with its gold and likeliest answers, and a card for everything that was asked around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pyarrow as pa

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
from counterpoint.explorer.group_parts import (
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
from counterpoint.store.models import LabModel
from counterpoint.store.outcomes.queries import group_answers, group_scores, groups_of_base, query_places


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """An answer and the credit that it earns."""

    answer: str
    credit: float


@dataclass(frozen=True, slots=True)
class ModelPrediction:
    """What one model says to a query, with its likeliest answers."""

    model: str
    answer: AnswerView | None
    top: tuple[AnswerProbability, ...]


@dataclass(frozen=True, slots=True)
class SampleScore:
    """A score of one sample."""

    metric: str
    label: str
    value: float | None


@dataclass(frozen=True, slots=True)
class SampleCardRow:
    """One model on one card: its scores, and its answers with how often they came."""

    model: str
    address: str
    scores: tuple[SampleScore, ...]
    answers: tuple[AnswerFrequency, ...]
    asked: int


@dataclass(frozen=True, slots=True)
class SampleCard:
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
"""A probability from which an answer is named among the likeliest; less is read as nothing."""

_MAIN = ("self_consistency", "comprehensive_accuracy", "accuracy")
_TELLING: Mapping[str, tuple[str, ...]] = {
    "same": _MAIN,
    "differs": _MAIN,
    "gold": ("comprehensive_accuracy", "accuracy", "all_right"),
    "ranks": ("acc_r", "ties"),
    "swap": ("question_bias", "picture_bias", "base_accuracy", "variant_accuracy"),
}
"""The metrics of a card by the relation of its group, those that apply."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A group around the sample."""

    suite: str
    place: int
    group_id: int
    test: str
    kind: str
    relation: str
    variants: int
    base_query: int


def sample_view(reader: LabReader, request: PageRequest) -> SampleView:
    """One query with the answers of all models, and the groups that it is the base of."""
    query_id = parse_id(request.path["query"])
    suite, row, within = _found(reader, query_id)
    line = row.to_pylist()[0]
    around = _around(reader, query_id, line)
    picture = read_queries(row)[0].picture
    return SampleView(
        title=line["text"],
        sentence="One question, what each model says to it, and every test that was made of it.",
        twin=f"/samples/{hex_id(query_id)}.json",
        query=hex_id(query_id),
        text=line["text"],
        context=line["context"],
        choices=tuple(line["choices"]),
        gold=None if line["gold"] is None else tuple(GoldAnswer(one["answer"], one["credit"]) for one in line["gold"]),
        picture=picture_view(suite, picture, line, [], None) if picture else None,
        play=play_address(suite, line),
        predicted=tuple(_predicted(reader, model, suite, line["row"], line["mode"]) for model in reader.models()),
        cards=_cards(reader, around[:MOST]),
        passes=stochastic_passes(reader, [(query_id, "base")]),
        within=within,
        more=max(len(around) - MOST, 0),
    )


def _found(reader: LabReader, query_id: int) -> tuple[str, pa.Table, tuple[LinkChoice, ...]]:
    """A suite that has the query, its row there, and the groups of which it is a variant."""
    found = query_places(reader, query_id, MOST)
    if not found:
        raise UnknownName("query of this lab", hex_id(query_id), [])
    rows = [(suite, reader.rows_at(suite, [(row, 0)])) for suite, row in found]
    first = next((one for one in rows if one[1]["role"][0].as_py() == 0), rows[0])
    within = []
    for suite, row in rows:
        line = row.select(["group_id", "role", "test", "kind"]).to_pylist()[0]
        if line["role"]:
            name = f"{heading(line['test'], line['kind'])} · variant {line['role']}"
            within.append(LinkChoice(name, _group(suite, line["group_id"], line["test"])))
    return *first, tuple(within)


def _around(reader: LabReader, query_id: int, line: Mapping[str, Any]) -> list[_Asked]:
    """The groups whose base is the query, and those whose base has its picture and its text, in whatever mode."""
    found = groups_of_base(reader, query_id, line["picture"], line["text"])
    return [_Asked(**one) for one in found]


def _predicted(reader: LabReader, model: LabModel, suite: str, row: int, mode: str) -> ModelPrediction:
    (line,) = reader.answers_at(suite, model.slug, np.array([row]))
    answer = answer_view(line, mode)
    return ModelPrediction(
        model.name, answer, tuple(one for one in answer.top[:3] if one.probability >= LEAST) if answer else ()
    )


def _cards(reader: LabReader, around: Sequence[_Asked]) -> tuple[SampleCard, ...]:
    return tuple(_card(reader, one) for one in around)


def _card(reader: LabReader, asked: _Asked) -> SampleCard:
    names = [name for name in _TELLING[asked.relation] if name in reader.group_metrics()]
    scores = group_scores(reader, asked.suite, asked.place, names)
    answers = group_answers(reader, asked.suite, asked.place)
    apply = tuple(name for name in names if any(row[name] is not None for row in scores.values()))
    lines = (
        _line(asked, model, apply, scores.get(model.slug, {}), [one for one in answers if one["model"] == model.slug])
        for model in reader.models()
    )
    return SampleCard(
        suite=asked.suite,
        test=asked.test,
        kind=asked.kind,
        heading=heading(asked.test, ""),
        sentence=SENTENCES[asked.relation] if asked.variants else "A plain question, without variants.",
        address=_group(asked.suite, asked.group_id, asked.test),
        variants=asked.variants,
        metrics=tuple((name, catalog.metric(name).title) for name in apply),
        lines=tuple(line for line in lines if line.asked),
    )


def _scored(line: Mapping[str, Any]) -> str:
    return f"{'foil' if line['role'] else 'caption'} {line['score']:.3g}"


def _line(
    asked: _Asked, model: LabModel, names: Sequence[str], scores: Mapping[str, Any], answers: Sequence[dict[str, Any]]
) -> SampleCardRow:
    """One model on a card; where captions are scored, their scores stand for answers."""
    told = [one for one in answers if one["state"] != "missing"]
    variants = [one for one in told if one["role"]] or told
    if asked.relation == "ranks":
        variants = [one | {"value": _scored(one)} for one in told if one["score"] is not None]
    return SampleCardRow(
        model=model.name,
        address=_group(asked.suite, asked.group_id, asked.test, model.slug),
        scores=tuple(SampleScore(name, catalog.metric(name).title, scores.get(name)) for name in names),
        answers=answer_frequencies(map(display_value, variants)),
        asked=len(variants),
    )


def _group(suite: str, group_id: int, test: str, model: str = "") -> str:
    asked = {"test": test, "model": model}
    said = urlencode({name: value for name, value in asked.items() if value})
    return f"/suites/{quote(suite)}/groups/{hex_id(group_id)}?{said}"
