"""The groups that fit a filter: how many, which come next, which are before and after one, and counts by facet.

Groups are sorted by suite, place and model, which is also the key by which a list is paged. The first two are
equivalent to the number of the group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.core.errors import UnknownName
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.units import Flags
from counterpoint.metrics.verdicts import INCONSISTENT
from counterpoint.store.outcomes.reader import OutcomeReader

STEPS = 20
"""Equal steps from 0 to 1 in which the score of a group can be bounded."""

FACETS = ("model", "suite", "test", "kind", "relation", "verdict")
"""What can be chosen from a list, each value with the number of groups that it would show."""

_COLUMNS = "model, suite, place, group_id, test, kind, relation, verdict, inconsistent, base_query, variants"
_VERDICT = f"(verdict = ? OR (inconsistent AND ? = '{INCONSISTENT}'))"
_UNANSWERED = (
    "(SELECT '' AS model, number, suite, place, group_id, test, kind, relation, 'unanswered' AS verdict, "
    "false AS inconsistent, base_query, variants FROM {})"
)


@dataclass(frozen=True, slots=True)
class GroupFilter:
    """Which groups, for which model; an empty field fits all.

    `low` and `high` bound the score of a group by `metric`, in steps of a twentieth, and count only where a metric is
    named. `browse` is set where the groups of every model are listed if none is named.
    """

    model: str = ""
    suite: str = ""
    test: str = ""
    kind: str = ""
    verdict: str = ""
    relation: str = ""
    tag: str = ""  # name=value
    answer: str = ""  # the value of an answer to any query of the group
    text: str = ""  # part of any text of the group, in lower or upper case
    metric: str = ""
    low: str = ""
    high: str = ""
    also: str = ""  # another model with its verdict on the same group, as model:verdict
    browse: str = ""
    focus: str = ""  # the model whose entry is looked at, if the filter names none

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
class GroupKey:
    """The position of a group in the order of all lists."""

    suite: str
    place: int
    model: str

    @classmethod
    def parse(cls, text: str) -> "GroupKey | None":
        """Return the key in a text, or None.

        >>> GroupKey.parse("negation:12:fusion"), GroupKey.parse("")
        (GroupKey(suite='negation', place=12, model='fusion'), None)
        """
        suite, _, rest = text.partition(":")
        place, _, model = rest.partition(":")
        return cls(suite, int(place), model) if place.isascii() and place.isdecimal() and len(place) < 10 else None

    def __str__(self) -> str:
        return f"{self.suite}:{self.place}:{self.model}"


@dataclass(frozen=True, slots=True)
class GroupMatch:
    """A group that fits a filter, with the verdict of a model; `score` is by the metric of the filter."""

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

    @property
    def key(self) -> GroupKey:
        """Its position in lists."""
        return GroupKey(self.suite, self.place, self.model)


class Neighbour(NamedTuple):
    """A group before or after another."""

    number: int
    model: str
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
    tables: Mapping[str, pa.Table]  # that the source names beside the lab's own

    @property
    def sql(self) -> str:
        """The query for the groups that fit."""
        return f"SELECT {_COLUMNS}, {self.score} AS score FROM {self.source} WHERE {self.where}"


def select(reader: OutcomeReader, chosen: GroupFilter) -> Selection:
    """Return a filter as SQL; names that the lab does not have raise UnknownName."""
    models, (other, verdict) = [model.slug for model in reader.models()], chosen.other
    for name, value, known in (
        ("model", chosen.model, models),
        ("model", other, models),
        ("suite", chosen.suite, reader.suites()),
    ):
        if value and value not in known:
            raise UnknownName(f"{name} of this lab", value, known)
    per_model, score = bool(chosen.model or (chosen.browse and models)), "NULL::FLOAT"
    source = _UNANSWERED.format(reader.database.source("bases", suite=chosen.suite))
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
    for name in ("test", "kind", "relation"):
        if value := getattr(chosen, name):
            where, parameters = [*where, f"{name} = ?"], [*parameters, value]
    if chosen.verdict:
        where.append(_VERDICT)
        parameters += [chosen.verdict, chosen.verdict]
    if other:
        where.append(f"number IN (SELECT number FROM verdicts WHERE model = ? AND {_VERDICT})")
        parameters += [other, verdict, verdict]
    if chosen.metric:
        if per_model and chosen.metric not in reader.group_metrics():
            raise UnknownName("metric", chosen.metric, reader.group_metrics())
        score = f'"{chosen.metric}"' if per_model else score
        low, high = chosen.steps
        where.append(f"{_step_code(score)} BETWEEN {2 * low} AND {2 * high}")
    return Selection(source, " AND ".join(where), tuple(parameters), score, tables)


def list_groups(
    reader: OutcomeReader,
    chosen: GroupFilter,
    limit: int,
    *,
    after: GroupKey | None = None,
    before: GroupKey | None = None,
    offset: int = 0,
) -> list[GroupMatch]:
    """Return at most `limit` of the groups that fit, in their order: the first, or those after or before a key."""
    selection = select(reader, chosen)
    where, parameters, order = selection.where, list(selection.parameters), "number, model"
    key = after or before
    if key is not None:
        where += f" AND (number, model) {'>' if after else '<'} (?, ?)"
        parameters += [_number(reader, key), key.model]
    if before and not after:
        order = "number DESC, model DESC"
    sql = f"{replace(selection, where=where).sql} ORDER BY {order} LIMIT {limit} OFFSET {offset}"
    matches = [GroupMatch(**row) for row in reader.database.rows(sql, parameters, selection.tables)]
    return matches[::-1] if before and not after else matches


def find_neighbours(reader: OutcomeReader, chosen: GroupFilter, key: GroupKey) -> Neighbours:
    """Return the groups next to one in the order of the list; if it does not fit itself, its place is 0."""
    selection = select(reader, chosen)
    compare, columns = "(number, model) {} (?, ?)", f"({', '.join(Neighbour._fields)})"
    sql = (
        f"SELECT count(*) AS matches, count_if({compare.format('<=')}) AS place, "
        f"count_if({compare.format('=')}) AS fits, "
        f"max({columns}) FILTER ({compare.format('<')}) AS before, "
        f"min({columns}) FILTER ({compare.format('>')}) AS after "
        f"FROM {selection.source} WHERE {selection.where}"
    )
    position = (_number(reader, key), key.model)
    (row,) = reader.database.rows(sql, [*position * 4, *selection.parameters], selection.tables)
    before, after = (Neighbour(*row[side]) if row[side] else None for side in ("before", "after"))
    return Neighbours(row["place"] if row["fits"] else 0, row["matches"], before, after)


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """Numbers of groups by every combination of facets, consistency and score step."""

    labels: Mapping[str, Labels]
    inconsistent: Flags
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
        fits, labels = self._fits(but=facet), self.counts.labels[facet]
        counts = np.bincount(labels.codes[fits], self.counts.groups[fits], len(labels.words)).astype(int).tolist()
        values = sorted(zip(labels.words.to_pylist(), counts, strict=True))
        if facet == "verdict":
            values.append((INCONSISTENT, int(self.counts.groups[fits & self.counts.inconsistent].sum())))
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
                by_consistency = facet == "verdict" and value == INCONSISTENT
                fits &= self.counts.inconsistent if by_consistency else self.counts.labels[facet].where([value])
        if self.chosen.metric:
            low, high = self.chosen.steps if but != "code" else (0, STEPS)
            fits &= (self.counts.code >= 2 * low) & (self.counts.code <= 2 * high)
        return fits


def count_facets(reader: OutcomeReader, chosen: GroupFilter) -> Facets:
    """Return the facet counts of a filter; they are the same for all its choices and bounds, and are cached."""
    names = ("text", "tag", "answer", "metric", "also")
    searches = GroupFilter(**{name: getattr(chosen, name) for name in names}, browse="1")
    return Facets(reader.cached(("facets", searches), lambda: _count_facets(reader, searches)), chosen)


def _count_facets(reader: OutcomeReader, searches: GroupFilter) -> FacetCounts:
    code = f"coalesce({_step_code(select(reader, searches).score)}, -1)" if searches.metric else "-1"
    selection = select(reader, replace(searches, metric=""))
    sql = (
        f"SELECT {', '.join(FACETS)}, inconsistent, {code} AS code, count(*) AS groups "
        f"FROM {selection.source} WHERE {selection.where} GROUP BY ALL"
    )
    table = reader.database.table(sql, selection.parameters, selection.tables)
    labels = {facet: Labels.of(table[facet]) for facet in FACETS}
    inconsistent, codes, groups = (table[name].to_numpy() for name in ("inconsistent", "code", "groups"))
    return FacetCounts(labels, inconsistent.astype(np.bool_), codes.astype(np.int64), groups)


def common_answers(reader: OutcomeReader, chosen: GroupFilter, limit: int = 40) -> Sequence[tuple[str, int]]:
    """Return the most frequent answer values with their counts."""
    source = reader.database.source("outcomes", model=chosen.model, suite=chosen.suite)
    return _most_frequent(reader, f"SELECT value FROM {source} WHERE value <> ''", limit)


def common_tags(reader: OutcomeReader, chosen: GroupFilter, limit: int = 100) -> Sequence[tuple[str, int]]:
    """Return the tags that most groups have, with the number of groups."""
    source = reader.database.source("bases", suite=chosen.suite)
    return _most_frequent(reader, f"SELECT unnest(tags) AS value FROM {source}", limit)


def _most_frequent(reader: OutcomeReader, values: str, limit: int) -> Sequence[tuple[str, int]]:
    sql = f"SELECT value, count(*) AS n FROM ({values}) GROUP BY value ORDER BY n DESC, value LIMIT {limit}"
    return reader.cached((sql,), lambda: [(row["value"], row["n"]) for row in reader.database.rows(sql)])


def _step_code(score: str) -> str:
    """Return SQL for the step of a score: an even number where it is on a step, an odd one between two."""
    return f"(CAST(floor(round({score} * {STEPS}, 3)) AS INTEGER) + CAST(ceil(round({score} * {STEPS}, 3)) AS INTEGER))"


def _number(reader: OutcomeReader, key: GroupKey) -> int:
    """Return the number of a group in the order of all."""
    sql = "SELECT suite, first FROM suites"
    first = reader.cached(("first numbers",), lambda: {row["suite"]: row["first"] for row in reader.database.rows(sql)})
    return int(first.get(key.suite, 0)) + key.place


def _groups_with_text(reader: OutcomeReader, chosen: GroupFilter) -> pa.Table:
    """Return the numbers of the groups whose texts and tags fit, in all suites, as facet counts need them all."""
    conditions = {"contains(texts, ?)": chosen.text.lower(), "list_contains(tags, ?)": chosen.tag}
    wanted = {sql: value for sql, value in conditions.items() if value}
    sql = f"SELECT number FROM bases WHERE {' AND '.join(wanted)}"
    key = ("with text", *conditions.values())
    return reader.cached(key, lambda: reader.database.table(sql, list(wanted.values())))
