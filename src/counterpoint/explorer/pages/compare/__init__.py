"""Compare: two to five models on one suite, their paired differences, where their verdicts part, what each covers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np

from counterpoint import catalog
from counterpoint.core.errors import UnknownName
from counterpoint.core.ids import hex_id
from counterpoint.explorer.group_filters import (
    browse_address,
    filter_parameters,
)
from counterpoint.explorer.group_parts import AnswerView, answer_view, own_tags
from counterpoint.explorer.page import PageRequest, PageView
from counterpoint.explorer.views import LinkChoice, ScoreCell, SelectOption
from counterpoint.lab.reader import LabReader
from counterpoint.language.word_diff import TextPiece, mark_changes
from counterpoint.metrics.comparison import TIE, compare_with_reference
from counterpoint.metrics.coverage import coverage_of_outcomes
from counterpoint.metrics.scoring import ScoreRequest
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.store.models import LabModel
from counterpoint.store.outcomes.queries import joint_verdict_counts, joint_verdict_groups, read_outcomes
from counterpoint.store.outcomes.selection import GroupFilter


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """How one model differs from the first in one metric: their shares, the difference, and what a test says of it."""

    model: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    n: int
    clusters: int
    p: float
    holm: float
    verdict: str
    method: str


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One metric of one slice, the first model against each other."""

    test: str
    metric: str
    label: str
    term: str
    against: tuple[ModelDifference | None, ...]


@dataclass(frozen=True, slots=True)
class VerdictCell:
    """How many groups have one verdict by the first model and one by the second, and where they are listed."""

    count: int
    share: float
    address: str
    title: str
    chosen: bool = False
    alike: bool = False


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """The groups with one verdict by the first model."""

    label: str
    fields: tuple[VerdictCell, ...]
    total: int


@dataclass(frozen=True, slots=True)
class VerdictTable:
    """The verdicts of two models against each other."""

    heads: tuple[str, ...]
    lines: tuple[VerdictRow, ...]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """How much one model has right of what each other has right."""

    model: str
    cells: tuple[ScoreCell, ...]


@dataclass(frozen=True, slots=True)
class PairLine:
    """A query of a group with what two models said to it; `own` is what sets apart an equal text."""

    name: str
    text: tuple[TextPiece, ...]
    own: str
    first: AnswerView | None
    second: AnswerView | None


@dataclass(frozen=True, slots=True)
class PairEntry:
    """A group in a list, in the hands of two models."""

    group_id: str
    about: str
    address: str
    picture: str
    width: int
    height: int
    lines: tuple[PairLine, ...]
    more: int


@dataclass(frozen=True, slots=True)
class CompareView(PageView):
    """Two to five models on one suite."""

    suite: str = ""
    models: tuple[SelectOption, ...] = ()
    names: tuple[str, ...] = ()
    suites: tuple[LinkChoice, ...] = ()
    references: tuple[LinkChoice, ...] = ()
    lines: tuple[DifferenceRow, ...] = ()
    coverage: tuple[CoverageRow, ...] = ()
    couples: tuple[LinkChoice, ...] = ()
    couple: tuple[str, str] = ("", "")
    tables: tuple[VerdictTable, ...] = ()
    left_out: int = 0
    listed: str = ""
    groups: tuple[PairEntry, ...] = ()
    elsewhere: str = ""  # the same groups in Find
    found: int = 0
    first: int = 0
    last: int = 0
    empty: str = ""


LEAST, MOST, PAGE = 2, 5, 10
"""How many models can be compared, and how many groups a page lists."""

SENTENCE = (
    "The first model against each other on the pairs that both answered: differences in points with 95 % intervals "
    "over pictures, and p values with Holm’s correction over all tests of a metric. At 5 % or more it is a tie."
)

_RANKED = ("comprehensive_accuracy", "acc_r", "accuracy")  # by which the models of a bare address are chosen
_KINDS = (("right", "broken", "gained", "wrong"), ("holds", "breaks"))
_SHORT = {"broken": "then incorrect", "gained": "then correct"}  # column heads are narrow
_WORDS = {
    "swap": {"holds": "all survived", "breaks": "not all survived"},
    "ranks": {"holds": "caption above", "breaks": "not above"},
}
_LINES = 3  # texts of one group in a list


@dataclass(frozen=True, slots=True)
class CompareQuery:
    """What an address asks to compare, and which field of the table of verdicts is listed."""

    suite: str
    models: tuple[LabModel, ...]
    other: int = 1  # the place of the second model of the table
    first: str = ""
    second: str = ""
    page: int = 1

    @classmethod
    def read(cls, reader: LabReader, query: Mapping[str, str], models: Sequence[str]) -> "CompareQuery":
        """The comparison that an address says; without models, the best ones of the suite."""
        suite = query.get("suite", "") or _usual_suite(reader)
        suite = reader.require_suite(suite) if suite else ""
        slugs = list(dict.fromkeys(slug for word in models for slug in word.split(",") if slug))[:MOST]
        chosen = tuple(reader.model(slug) for slug in slugs)
        if len(chosen) < LEAST and suite:
            others = [model for model in _best(reader, suite) if model not in chosen]
            chosen = (*chosen, *others[: LEAST - len(chosen)])
        first, second = query.get("first", ""), query.get("second", "")
        for verdict in filter(None, (first, second)):
            if verdict not in VERDICTS:
                raise UnknownName("verdict", verdict, VERDICTS)
        with_other = [place for place, model in enumerate(chosen) if place and model.slug == query.get("with", "")]
        return cls(suite, chosen, with_other[0] if with_other else 1, first, second, _number(query.get("page", "")))

    def address(self, ending: str = "", anchor: str = "", **changes: Any) -> str:
        """Where this comparison is shown, with some of it changed."""
        own = replace(self, **changes)
        asked = {
            "models": ",".join(model.slug for model in own.models),
            "suite": own.suite,
            "with": own.models[own.other].slug if own.other > 1 else "",
            "first": own.first,
            "second": own.second,
            "page": str(own.page) if own.page > 1 else "",
        }
        said = urlencode({name: value for name, value in asked.items() if value}, safe=",")
        return f"/compare{ending}?{said}{anchor}"


def compare_view(reader: LabReader, request: PageRequest) -> CompareView:
    """Two to five models on one suite: paired differences, joint verdicts and coverage."""
    asked = CompareQuery.read(reader, request.values, request.all("models"))
    if len(asked.models) < LEAST:
        return CompareView(
            title="Compare",
            sentence=SENTENCE,
            twin="/compare.json",
            empty="There are no two models to compare yet: start one with counterpoint run.",
        )
    counts = joint_verdict_counts(reader, asked.suite, asked.models[0].slug, asked.models[asked.other].slug)
    found = counts.get((asked.first, asked.second), 0) if asked.first and asked.second else 0
    asked = replace(asked, page=min(asked.page, max(-(-found // PAGE), 1)))
    names = tuple(model.name for model in asked.models)
    lines, coverage, words = reader.cached(("versus", asked.suite, asked.models), lambda: _paired(reader, asked))
    joint = _joint(asked, words)
    shown = _listed(reader, asked, joint) if found else ()
    return CompareView(
        title=f"Compare: {', '.join(names)}",
        sentence=SENTENCE,
        twin=asked.address(".json"),
        before=asked.address(anchor="#groups", page=asked.page - 1) if found and asked.page > 1 else "",
        after=asked.address(anchor="#groups", page=asked.page + 1) if asked.page * PAGE < found else "",
        suite=asked.suite,
        models=tuple(SelectOption(one.slug, one.name, one in asked.models) for one in reader.models()),
        names=names,
        suites=tuple(LinkChoice(one, _plain(asked).address(suite=one), one == asked.suite) for one in reader.suites()),
        references=tuple(_references(asked)),
        lines=lines,
        coverage=coverage,
        couples=tuple(_couples(asked)) if len(asked.models) > LEAST else (),
        couple=(names[0], names[asked.other]),
        tables=tuple(_tables(asked, counts, words)),
        left_out=sum(number for key, number in counts.items() if not any(set(key) <= set(own) for own in _KINDS)),
        listed=_title(asked, words) if asked.first and asked.second else "",
        groups=shown,
        elsewhere=browse_address(joint) if joint and found else "",
        found=found,
        first=(asked.page - 1) * PAGE + 1 if shown else 0,
        last=(asked.page - 1) * PAGE + len(shown),
    )


def _paired(
    reader: LabReader, asked: CompareQuery
) -> tuple[tuple[DifferenceRow, ...], tuple[CoverageRow, ...], Mapping[str, str]]:
    """What is the same whichever field is listed: the differences, the coverage, and what verdicts are called."""
    names = tuple(model.name for model in asked.models)
    outcomes = [read_outcomes(reader, asked.suite, model.slug) for model in asked.models]
    relations = reader.contents(asked.suite).relations
    words = next((said for relation, said in _WORDS.items() if relation in relations), {})
    return (
        _lines(names, compare_with_reference(outcomes[0], outcomes[1:], reader.metrics)),
        _coverage(
            names,
            coverage_of_outcomes(
                {str(number): own for number, own in enumerate(outcomes)}, ScoreRequest(())
            ).to_pylist(),
        ),
        words,
    )


def _plain(asked: CompareQuery) -> CompareQuery:
    """The same without a field that is listed."""
    return replace(asked, first="", second="", page=1)


def _usual_suite(reader: LabReader) -> str:
    """The suite that most models have answered, the first of these."""
    suites = reader.suites()
    asked = [sum(reader.has_answers(suite, model.slug) for model in reader.models()) for suite in suites]
    return suites[asked.index(max(asked))] if suites else ""


def _best(reader: LabReader, suite: str) -> list[LabModel]:
    """The models that have answered a suite, the best first."""

    def rank(model: LabModel) -> tuple[float, str]:
        scores = (reader.score(suite, model.slug, metric) for metric in _RANKED)
        return -next((score.value for score in scores if score), -1.0), model.name

    return sorted((one for one in reader.models() if reader.has_answers(suite, one.slug)), key=rank)


def _references(asked: CompareQuery) -> Iterator[LinkChoice]:
    """Each model as the one that the others are held against."""
    for model in asked.models:
        rest = tuple(one for one in asked.models if one != model)
        yield LinkChoice(
            model.name,
            replace(_plain(asked), models=(model, *rest), other=1).address(),
            not rest or model == asked.models[0],
        )


def _couples(asked: CompareQuery) -> Iterator[LinkChoice]:
    for place, model in enumerate(asked.models[1:], 1):
        address = _plain(asked).address(anchor="#verdicts", other=place)
        yield LinkChoice(f"{asked.models[0].name} and {model.name}", address, place == asked.other)


def _lines(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> tuple[DifferenceRow, ...]:
    """Every metric of every slice, the first model against each other."""
    lines: dict[tuple[str, str], dict[int, ModelDifference]] = {}
    for row in rows:
        lines.setdefault((row["test"], row["metric"]), {})[row["other"]] = _difference(names, row)
    return tuple(
        DifferenceRow(
            test,
            name,
            (metric := catalog.metric(name)).title,
            metric.term,
            tuple(own.get(number) for number in range(len(names) - 1)),
        )
        for (test, name), own in lines.items()
    )


def _difference(names: Sequence[str], row: Mapping[str, Any]) -> ModelDifference:
    other = names[1 + row["other"]]
    verdict = {"first": names[0], "second": other}.get(row["verdict"], TIE)
    figures = ("first", "second", "difference", "low", "high", "n", "clusters", "p", "holm")
    return ModelDifference(other, *(row[name] for name in figures), verdict, row["method"])


def _coverage(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> tuple[CoverageRow, ...]:
    """Rows are models, columns what each of the others has right; nothing where no answer has gold."""
    scores = {(int(row["model"]), int(row["of"])): row for row in rows if row["n"]}
    if not scores:
        return ()

    def cell(number: int, of: int) -> ScoreCell:
        if row := scores.get((number, of)):
            return ScoreCell(row["value"], row["low"], row["high"], row["n"], row["clusters"], "clustered")
        return ScoreCell(reason="the same model" if number == of else f"{names[of]} has nothing right here")

    places = range(len(names))
    return tuple(CoverageRow(names[number], tuple(cell(number, of) for of in places)) for number in places)


def _tables(
    asked: CompareQuery, counts: Mapping[tuple[str, str], int], words: Mapping[str, str]
) -> Iterator[VerdictTable]:
    for kinds in _KINDS:
        own = {key: number for key, number in counts.items() if set(key) <= set(kinds)}
        total = sum(own.values())
        if not total:
            continue
        labels = {one: words.get(one) or _SHORT.get(one) or VERDICTS[one] for one in kinds}
        yield VerdictTable(
            tuple(labels[one] for one in kinds),
            tuple(
                VerdictRow(
                    labels[one],
                    tuple(_field(asked, (one, other), own.get((one, other), 0), total, words) for other in kinds),
                    sum(own.get((one, other), 0) for other in kinds),
                )
                for one in kinds
            ),
            tuple(sum(own.get((one, other), 0) for one in kinds) for other in kinds),
        )


def _field(
    asked: CompareQuery, verdicts: tuple[str, str], count: int, total: int, words: Mapping[str, str]
) -> VerdictCell:
    own = replace(asked, first=verdicts[0], second=verdicts[1], page=1)
    return VerdictCell(
        count,
        count / total,
        own.address(anchor="#groups") if count else "",
        _title(own, words),
        chosen=(asked.first, asked.second) == verdicts,
        alike=verdicts[0] == verdicts[1],
    )


def _title(asked: CompareQuery, words: Mapping[str, str]) -> str:
    said = {**VERDICTS, **words}
    one, other = asked.models[0].name, asked.models[asked.other].name
    return f"{one}: {said[asked.first]}, {other}: {said[asked.second]}"


def _joint(asked: CompareQuery, words: Mapping[str, str]) -> GroupFilter | None:
    """The groups of one field as Find has them; whether answers survived an exchange is no verdict that it knows."""
    if not (asked.first and asked.second) or (words is _WORDS["swap"] and asked.first in _KINDS[1]):
        return None
    one, other = asked.models[0].slug, asked.models[asked.other].slug
    return GroupFilter(one, asked.suite, verdict=asked.first, also=f"{other}:{asked.second}", browse="1")


def _listed(reader: LabReader, asked: CompareQuery, joint: GroupFilter | None) -> tuple[PairEntry, ...]:
    """The groups of one field, a page of them."""
    pair = (asked.models[0], asked.models[asked.other])
    found = joint_verdict_groups(
        reader,
        asked.suite,
        (pair[0].slug, pair[1].slug),
        (asked.first, asked.second),
        PAGE,
        (asked.page - 1) * PAGE,
    )
    rows = reader.rows_at(asked.suite, [(one["place"], one["variants"]) for one in found])
    at = rows["row"].to_numpy().astype(np.int64)
    modes = rows["mode"].to_pylist()
    first, second = (
        [
            answer_view(answer, mode)
            for answer, mode in zip(reader.answers_at(asked.suite, model.slug, at), modes, strict=True)
        ]
        for model in pair
    )
    lines = rows.select(["query", "text", "picture", "width", "height", "tags"]).to_pylist()
    made, start = [], 0
    for one in found:
        span = slice(start, start + one["variants"] + 1)
        made.append(_both(asked, joint, one, lines[span], first[span], second[span]))
        start = span.stop
    return tuple(made)


def _both(
    asked: CompareQuery,
    joint: GroupFilter | None,
    found: Mapping[str, Any],
    lines: Sequence[Mapping[str, Any]],
    first: Any,
    second: Any,
) -> PairEntry:
    base, suite = lines[0], quote(asked.suite)
    texts = mark_changes(base["text"], [line["text"] for line in lines[1:]])
    own = ["", *map(" · ".join, own_tags([line["tags"] for line in lines])[1:])]
    told_apart = sorted(range(1, len(lines)), key=lambda place: (_alike(first[place], second[place]), place))
    shown = [0, *sorted(told_apart[: _LINES - 1])]
    group = hex_id(found["group_id"])
    query = urlencode(filter_parameters(joint or GroupFilter(asked.models[0].slug)))
    ratio = base["height"] / base["width"] if base["width"] else 0.75
    return PairEntry(
        group_id=group,
        about=" · ".join(filter(None, [found["test"] if found["test"] != asked.suite else "", found["kind"]])),
        address=f"/suites/{suite}/groups/{group}?{query}",
        picture=f"/suites/{suite}/pictures/{hex_id(base['query'])}.png?width=320" if base["picture"] else "",
        width=128,
        height=round(128 * ratio),
        lines=tuple(
            PairLine(
                f"variant {place}" if place else "base",
                texts[place],
                own[place] if lines[place]["text"] == base["text"] else "",
                first[place],
                second[place],
            )
            for place in shown
        ),
        more=len(lines) - len(shown),
    )


def _alike(first: Any, second: Any) -> bool:
    """Whether two answers say the same; those that do not tell more."""
    return bool(first and second and first.shown == second.shown and first.correct == second.correct)


def _number(text: str) -> int:
    return max(int(text), 1) if text.isascii() and text.isdecimal() and len(text) < 9 else 1
