"""The groups that fit a filter: how many, in which order, which are before and after one, and counts by facet.

With a model, a group fits by the verdict of that model; without one, it fits where the verdict of any model does. Each
group is listed once; Browse lists those that most models fail first, or in another of the ORDERS.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.core.errors import UnknownName
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.units import Flags
from counterpoint.metrics.verdicts import FAILS, FLAGS, PASSES, REFUSED
from counterpoint.store.outcomes.noted_groups import common_notes, noted_groups, notes_table
from counterpoint.store.outcomes.reader import OutcomeReader

T = TypeVar("T")

STEPS = 20
"""Equal steps from 0 to 1 in which the score of a group can be bounded."""

FACETS = ("suite", "test", "kind", "relation", "verdict", "gold")
"""What can be chosen from a list, each value with the number of groups that it would show."""

ORDERS: Mapping[str, str] = {"": "by_failures", "disagreement": "by_disagreement", "suite": "number"}
"""The orders of a list and the columns they follow: most failures first, most disagreement first, suite by suite.

With a model, the groups that it fails come before those that it passes, unless they are listed suite by suite.
"""

_COLUMNS = "model, suite, place, group_id, test, kind, relation, verdict, inconsistent, base_query, variants, number"
_PASSED_LATER = 1 << 40  # more than there are groups
_ALL_MODELS = (
    "(SELECT '' AS model, number, suite, place, group_id, test, kind, relation, '' AS verdict, flags, gold, "
    f"false AS inconsistent, base_query, variants, {', '.join(sorted({*ORDERS.values()} - {'number'}))} FROM {{}})"
)


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """Which groups, for which model; an empty field fits all.

    `low` and `high` bound the score of a group by `metric`, in steps of a twentieth, and count only where a metric is
    named; without a model it is the mean over all models.
    """

    model: str = ""
    suite: str = ""
    test: str = ""
    kind: str = ""
    verdict: str = ""
    relation: str = ""
    tag: str = ""  # name=value
    answer: str = ""  # the value of an answer to any query of the group
    text: str = ""  # part of any text of the group, in lower or upper case; in quotes, as whole words
    metric: str = ""
    low: str = ""
    high: str = ""
    also: str = ""  # another model with its verdict on the same group, as model:verdict
    gold: str = ""  # the first right answer to the base
    note: str = ""  # part of any note on the group, in lower or upper case
    order: str = ""  # one of ORDERS
    view: str = ""  # `pictures` for a grid of pictures
    browse: str = ""  # the list is that of Browse; others are suite by suite

    @property
    def other(self) -> tuple[str, str]:
        """The other model and its verdict.

        >>> GroupFilter(also="fusion:right").other, GroupFilter().other
        (('fusion', 'right'), ('', ''))
        """
        model, _, verdict = self.also.rpartition(":")
        return model, verdict

    @property
    def steps(self) -> tuple[int, int]:
        """The bounds of the score, in steps."""
        return score_step(self.low, 0), score_step(self.high, STEPS)


def score_step(text: str, default: int) -> int:
    """Return a number from 0 to 1 in steps, or the default if the text is no such number.

    >>> score_step("0.5", 0), score_step("half", 0), score_step("7", 0)
    (10, 0, 20)
    """
    if len(text) > 10 or not text.replace(".", "", 1).isdecimal() or not text.isascii():
        return default
    return min(round(float(text) * STEPS), STEPS)


@dataclass(frozen=True, slots=True)
class GroupMatch:
    """A group that fits a filter; `score` is by the metric of the filter, `verdict` is empty without a model."""

    model: str
    suite: str
    place: int
    group_id: int
    test: str
    kind: str
    relation: str
    verdict: str
    inconsistent: bool
    base_query: int
    variants: int
    score: float | None = None
    number: int = 0  # among the groups of all suites


class Neighbour(NamedTuple):
    """A group before or after another."""

    suite: str
    group_id: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The position of a group among those that fit, from 1, and the groups before and after it."""

    place: int
    matches: int
    before: Neighbour | None
    after: Neighbour | None


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter as a part of a query: what follows FROM, what follows WHERE, and the parameters of both."""

    source: str
    where: str
    parameters: tuple[Any, ...]
    score: str  # the column of the metric, as SQL
    order: str  # a number by which groups are sorted, as SQL
    tables: Mapping[str, pa.Table]  # that the source names beside the lab's own

    @property
    def sql(self) -> str:
        """The query for the groups that fit."""
        return f"SELECT {_COLUMNS}, {self.score} AS score FROM {self.source} WHERE {self.where}"


def select(reader: OutcomeReader, chosen: GroupFilter, *, per_model: bool = False, bounded: bool = True) -> Selection:
    """Return a filter as SQL, with one row per group; names that the lab does not have raise UnknownName.

    Where `per_model` is set and no model is chosen, there is one row per group and model; where `bounded` is not, the
    score is not bounded.
    """
    models, (other, verdict) = [model.slug for model in reader.models()], chosen.other
    for name, value, known in (
        ("model", chosen.model, models),
        ("model", other, models),
        ("suite", chosen.suite, reader.suites()),
    ):
        if value and value not in known:
            raise UnknownName(f"{name} of this lab", value, known)
    per_model = per_model or bool(chosen.model)
    source, score = _ALL_MODELS.format(reader.database.source("bases", suite=chosen.suite)), "NULL::FLOAT"
    if per_model:
        source = reader.database.source("verdicts", model=chosen.model, suite=chosen.suite)
    where, parameters, tables = ["true"], list[Any](), dict[str, pa.Table]()
    if chosen.text or chosen.tag:
        source += " SEMI JOIN with_text USING (number)"
        tables["with_text"] = _groups_with_text(reader, chosen)
    if chosen.answer:
        source += f" SEMI JOIN with_answer USING ({'model, ' if per_model else ''}number)"
        given = "SELECT DISTINCT model, first + place AS number FROM outcomes JOIN suites USING (suite) WHERE value = ?"
        tables["with_answer"] = reader.cached(
            ("with answer", chosen.answer), lambda: reader.database.table(given, [chosen.answer])
        )
    if chosen.note:
        source += " SEMI JOIN with_note USING (suite, group_id)"
        tables["with_note"] = noted_groups(reader, chosen.note)
    for name in ("test", "kind", "relation", "gold"):
        if value := getattr(chosen, name):
            where, parameters = [*where, f"{name} = ?"], [*parameters, value]
    if chosen.verdict:
        where.append(f"flags & {FLAGS[chosen.verdict]} > 0")
    if other:
        where.append(f"number IN (SELECT number FROM verdicts WHERE model = ? AND flags & {FLAGS[verdict]} > 0)")
        parameters.append(other)
    if chosen.metric:
        if chosen.metric not in reader.group_metrics():
            raise UnknownName("metric", chosen.metric, reader.group_metrics())
        score = f'"{chosen.metric}"' if per_model else "mean_score"
        if not per_model:
            source += " LEFT JOIN mean_scores USING (number)"
            tables["mean_scores"] = _mean_scores(reader, chosen.metric)
        low, high = chosen.steps
        where += [f"{_step_code(score)} BETWEEN {2 * low} AND {2 * high}"] if bounded else []
    return Selection(source, " AND ".join(where), tuple(parameters), score, _order(chosen), tables)


def _order(chosen: GroupFilter) -> str:
    column = ORDERS[chosen.order] if chosen.browse else "number"
    if not chosen.model or column == "number":
        return column
    return f"{column} + CASE WHEN flags & {FLAGS[FAILS]} > 0 THEN 0 ELSE {_PASSED_LATER} END"


def _mean_scores(reader: OutcomeReader, metric: str) -> pa.Table:
    sql = f'SELECT number, avg("{metric}")::FLOAT AS mean_score FROM verdicts GROUP BY number'
    return reader.cached(("mean scores", metric), lambda: reader.database.table(sql))


def list_groups(reader: OutcomeReader, chosen: GroupFilter, limit: int, *, offset: int = 0) -> list[GroupMatch]:
    """Return at most `limit` of the groups that fit, in their order."""
    selection = select(reader, chosen)
    sql = f"{selection.sql} ORDER BY {selection.order} LIMIT {limit} OFFSET {offset}"
    return [GroupMatch(**row) for row in reader.database.rows(sql, selection.parameters, selection.tables)]


def find_groups(reader: OutcomeReader, slug: str, wanted: Sequence[tuple[str, int]]) -> list[GroupMatch]:
    """Return some groups, named by suite and group id, as a model's list has them; those that are not there are not."""
    found: dict[tuple[str, int], GroupMatch] = {}
    for suite in dict.fromkeys(suite for suite, _ in wanted if suite in reader.suites()):
        source = reader.database.source("verdicts", model=slug, suite=suite)
        ids = [group_id for own, group_id in wanted if own == suite]
        sql = f"SELECT {_COLUMNS} FROM {source} WHERE group_id IN ({', '.join('?' * len(ids))}) ORDER BY place DESC"
        rows = reader.database.rows(sql, ids)
        found |= {(suite, row["group_id"]): GroupMatch(**row) for row in rows}
    return [found[key] for key in wanted if key in found]


def find_neighbours(reader: OutcomeReader, chosen: GroupFilter, suite: str, place: int) -> Neighbours:
    """Return the groups next to one in the order of the list; if it does not fit itself, its place is 0."""
    selection, number = select(reader, chosen), _number(reader, suite, place)
    unfiltered = select(reader, GroupFilter(chosen.model, order=chosen.order, browse=chosen.browse))
    found = reader.database.rows(f"SELECT {unfiltered.order} AS rank FROM {unfiltered.source} WHERE number = {number}")
    here, columns = int(found[0]["rank"]) if found else 0, f"({', '.join(Neighbour._fields)})"
    sql = (
        f"SELECT count(*) AS matches, count_if(rank <= {here}) AS place, count_if(number = {number}) AS fits, "
        f"arg_max({columns}, rank) FILTER (rank < {here}) AS before, "
        f"arg_min({columns}, rank) FILTER (rank > {here}) AS after "
        f"FROM (SELECT *, {selection.order} AS rank FROM {selection.source} WHERE {selection.where})"
    )
    (row,) = reader.database.rows(sql, selection.parameters, selection.tables)
    before, after = (Neighbour(*row[side]) if row[side] else None for side in ("before", "after"))
    return Neighbours(row["place"] if row["fits"] else 0, row["matches"], before, after)


class VerdictMark(NamedTuple):
    """The verdict of one model on a group, and whether it refused to answer any of its queries."""

    model: str  # the slug
    verdict: str
    refused: bool


def verdict_marks(reader: OutcomeReader, numbers: Sequence[int]) -> Mapping[int, Sequence[VerdictMark]]:
    """Return the verdicts of all models on some groups by their number, those that pass most groups of the lab first.

    A model that has no answer to a group has no mark there.
    """
    sql = (
        f"SELECT number, model, verdict, flags & {FLAGS[REFUSED]} > 0 AS refused FROM verdicts "
        f"WHERE verdict <> 'unanswered' AND number IN ({', '.join(map(str, numbers)) or 'NULL'})"
    )
    places = {slug: place for place, slug in enumerate(ranked_models(reader))}
    marks: dict[int, list[VerdictMark]] = {number: [] for number in numbers}
    for row in sorted(reader.database.rows(sql), key=lambda row: places[row["model"]]):
        marks[row["number"]].append(VerdictMark(row["model"], row["verdict"], row["refused"]))
    return marks


def ranked_models(reader: OutcomeReader) -> Sequence[str]:
    """Return the slugs of the models, the one that passes the largest share of the groups it answered first."""
    passed, failed = (f"count_if(flags & {FLAGS[name]} > 0)" for name in (PASSES, FAILS))
    sql = f"SELECT model FROM verdicts GROUP BY model ORDER BY {passed} / greatest({passed} + {failed}, 1) DESC, model"
    return reader.cached(("ranked models",), lambda: [row["model"] for row in reader.database.rows(sql)])


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """Numbers of groups by every combination of facets, verdicts and score step."""

    labels: Mapping[str, Labels]
    flags: NDArray[np.int64]  # of the verdict of the chosen model, or of those of all models
    code: NDArray[np.int64]  # -1 where there is no score
    groups: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, about."""
        return len(self.groups) * 8 * (3 + len(self.labels))


@dataclass(frozen=True, slots=True)
class Facets:
    """The facet counts of a filter's searches, under which each choice of the filter can be counted."""

    counts: FacetCounts
    chosen: GroupFilter

    def matches(self) -> int:
        """Return how many groups fit the whole filter."""
        return int(self.counts.groups[self._fits()].sum())

    def options(self, facet: str) -> list[tuple[str, int]]:
        """Return each value of a facet with the number of groups that would fit, by name."""
        fits = self._fits(but=facet)
        if facet == "verdict":
            flags, groups = self.counts.flags[fits], self.counts.groups[fits]
            values = [(name, int(groups[flags & flag > 0].sum())) for name, flag in FLAGS.items()]
        else:
            labels = self.counts.labels[facet]
            counts = np.bincount(labels.codes[fits], self.counts.groups[fits], len(labels.words)).astype(int).tolist()
            values = sorted(zip(labels.words.to_pylist(), counts, strict=True))
        return [(value, count) for value, count in values if count]

    def histogram(self) -> list[int]:
        """Return how many groups have a score from each step to the next, whatever the bounds; the last is of 1."""
        fits = self._fits(but="code")
        counts = np.bincount(self.counts.code[fits] // 2, self.counts.groups[fits], STEPS + 1)
        return [int(count) for count in counts]

    def _fits(self, but: str = "") -> Flags:
        fits = np.ones(len(self.counts.groups), np.bool_)
        for facet in FACETS:
            value = getattr(self.chosen, facet)
            if value and facet != but:
                by_flags = self.counts.flags & FLAGS.get(value, 0) > 0
                fits &= by_flags if facet == "verdict" else self.counts.labels[facet].where([value])
        if self.chosen.metric:
            low, high = self.chosen.steps if but != "code" else (0, STEPS)
            fits &= (self.counts.code >= 2 * low) & (self.counts.code <= 2 * high)
        return fits


def count_facets(reader: OutcomeReader, chosen: GroupFilter) -> Facets:
    """Return the facet counts of a filter; they are the same for all its choices and bounds, and are cached."""
    names = ("model", "text", "tag", "answer", "metric", "also", "note")
    searches = GroupFilter(**{name: getattr(chosen, name) for name in names})
    return Facets(_cached(reader, "facets", searches, lambda: _count_facets(reader, searches)), chosen)


def _cached(reader: OutcomeReader, name: str, searches: GroupFilter, make: Callable[[], T]) -> T:
    """Return what is counted for a filter, from the cache unless it is by notes, which are written at any time."""
    return make() if searches.note else reader.cached((name, searches), make)


def _count_facets(reader: OutcomeReader, searches: GroupFilter) -> FacetCounts:
    selection, named = select(reader, searches, bounded=False), tuple(facet for facet in FACETS if facet != "verdict")
    code = f"coalesce({_step_code(selection.score)}, -1)" if searches.metric else "-1"
    sql = (
        f"SELECT {', '.join(named)}, flags, {code} AS code, count(*) AS groups "
        f"FROM {selection.source} WHERE {selection.where} GROUP BY ALL"
    )
    table = reader.database.table(sql, selection.parameters, selection.tables)
    labels = {facet: Labels.of(table[facet]) for facet in named}
    flags, codes, groups = (table[name].to_numpy().astype(np.int64) for name in ("flags", "code", "groups"))
    return FacetCounts(labels, flags, codes, groups)


def count_models(reader: OutcomeReader, chosen: GroupFilter) -> Mapping[str, int]:
    """Return how many groups a filter would show for each model, by slug."""
    searches = replace(chosen, model="", order="", view="", browse="")
    selection = select(reader, searches, per_model=True)
    sql = f"SELECT model, count(*) AS groups FROM {selection.source} WHERE {selection.where} GROUP BY model"
    rows = _cached(
        reader, "models", searches, lambda: reader.database.rows(sql, selection.parameters, selection.tables)
    )
    return {row["model"]: row["groups"] for row in rows}


def common_answers(reader: OutcomeReader, chosen: GroupFilter, limit: int = 40) -> Sequence[tuple[str, int]]:
    """Return the most frequent answer values with their counts."""
    source = reader.database.source("outcomes", model=chosen.model, suite=chosen.suite)
    return _most_frequent(reader, f"SELECT value FROM {source} WHERE value <> ''", limit)


def common_tags(reader: OutcomeReader, chosen: GroupFilter, limit: int = 60) -> Sequence[tuple[str, int]]:
    """Return the tags of the groups that fit, whatever tag is chosen, with how many groups have each."""
    searches = replace(chosen, tag="", order="", view="", browse="")
    selection = select(reader, searches)
    sql = (
        "SELECT value, count(*) AS n FROM (SELECT unnest(tags) AS value FROM bases SEMI JOIN ("
        f"SELECT number FROM {selection.source} WHERE {selection.where}) USING (number)) "
        f"GROUP BY value ORDER BY n DESC, value LIMIT {limit}"
    )
    rows = _cached(reader, "tags", searches, lambda: reader.database.rows(sql, selection.parameters, selection.tables))
    return [(row["value"], row["n"]) for row in rows]


def count_notes(reader: OutcomeReader, chosen: GroupFilter, longest: int) -> list[tuple[str, int]]:
    """Return the beginnings of notes on the groups that fit, whatever note is chosen, with how many have each."""
    if not notes_table(reader).num_rows:
        return []
    selection = select(reader, replace(chosen, note=""))
    sql = f"SELECT suite, group_id FROM {selection.source} WHERE {selection.where}"
    return common_notes(reader, reader.database.table(sql, selection.parameters, selection.tables), longest)


def _most_frequent(reader: OutcomeReader, values: str, limit: int) -> Sequence[tuple[str, int]]:
    sql = f"SELECT value, count(*) AS n FROM ({values}) GROUP BY value ORDER BY n DESC, value LIMIT {limit}"
    return reader.cached((sql,), lambda: [(row["value"], row["n"]) for row in reader.database.rows(sql)])


def _step_code(score: str) -> str:
    """Return SQL for the step of a score: an even number where it is on a step, an odd one between two."""
    return f"(CAST(floor(round({score} * {STEPS}, 3)) AS INTEGER) + CAST(ceil(round({score} * {STEPS}, 3)) AS INTEGER))"


def _number(reader: OutcomeReader, suite: str, place: int) -> int:
    """Return the number of a group in the order of all."""
    sql = "SELECT suite, first FROM suites"
    first = reader.cached(("first numbers",), lambda: {row["suite"]: row["first"] for row in reader.database.rows(sql)})
    return int(first.get(suite, 0)) + place


def _groups_with_text(reader: OutcomeReader, chosen: GroupFilter) -> pa.Table:
    """Return the numbers of the groups whose texts and tags fit, in all suites, as facet counts need them all."""
    conditions = {**_text_condition(chosen.text.lower()), "list_contains(tags, ?)": chosen.tag}
    wanted = {sql: value for sql, value in conditions.items() if value}
    sql = f"SELECT number FROM bases WHERE {' AND '.join(wanted)}"
    key = ("with text", *wanted.items())
    return reader.cached(key, lambda: reader.database.table(sql, list(wanted.values())))


def _text_condition(text: str) -> dict[str, str]:
    """Return what a text must fit, as SQL with its parameter: a part of it, or whole words in quotes."""
    pattern = word_pattern(text)
    return {"regexp_matches(texts, ?)": pattern} if pattern else {"contains(texts, ?)": text}


def word_pattern(text: str) -> str:
    """Return the regular expression (RE2) of whole words, for a text in quotes; else nothing.

    >>> word_pattern('"or"') != "", word_pattern("or")
    (True, '')
    """
    if len(text) < 3 or not (text[0] == text[-1] == '"'):
        return ""
    edge = r"[^\pL\pN]"
    return f"(^|{edge}){re.escape(text[1:-1])}($|{edge})"
