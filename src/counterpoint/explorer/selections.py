"""The groups that fit a filter, asked of the database: how many, which come next, and which stand before and after one.

Groups come in the order of suite, place and model, which is also the key by which a list goes on. The first two are as
good as the number of the group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pyarrow as pa

from counterpoint.core.errors import UnknownName
from counterpoint.explorer.choices import STEPS, Filter
from counterpoint.explorer.reading import Reading
from counterpoint.metrics.verdicts import INCONSISTENT
from counterpoint.store.outcomes.tables import sampled

_SHOWN = "model, suite, place, group_id, test, kind, relation, verdict, inconsistent, base_query, variants"
_VERDICT = f"(verdict = ? OR (inconsistent AND ? = '{INCONSISTENT}'))"
_UNASKED = (
    "(SELECT '' AS model, number, suite, place, group_id, test, kind, relation, 'unanswered' AS verdict, "
    "false AS inconsistent, base_query, variants FROM {})"
)


@dataclass(frozen=True, slots=True)
class Key:
    """The place of a group in the order of all lists."""

    suite: str
    place: int
    model: str

    @classmethod
    def read(cls, text: str) -> "Key | None":
        """The key that an address says, if it says one.

        >>> Key.read("negation:12:fusion"), Key.read("")
        (Key(suite='negation', place=12, model='fusion'), None)
        """
        suite, _, rest = text.partition(":")
        place, _, model = rest.partition(":")
        return cls(suite, int(place), model) if place.isascii() and place.isdecimal() and len(place) < 10 else None

    def __str__(self) -> str:
        return f"{self.suite}:{self.place}:{self.model}"


@dataclass(frozen=True, slots=True)
class Found:
    """A group that fits, in the hands of a model; `score` is by the measure that was asked for."""

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
    def key(self) -> Key:
        """Its place in the order of lists."""
        return Key(self.suite, self.place, self.model)


class Neighbour(NamedTuple):
    """A group before or after another."""

    number: int
    model: str
    suite: str
    group_id: int


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where a group stands among those that fit, from 1, and those before and after it."""

    place: int
    found: int
    before: Neighbour | None
    after: Neighbour | None


@dataclass(frozen=True, slots=True)
class Selection:
    """A filter as a part of a question: what follows FROM, what follows WHERE, and the parameters of both."""

    source: str
    where: str
    parameters: tuple[Any, ...]
    score: str  # the column of the measure, as SQL
    tables: Mapping[str, pa.Table]  # that the source names beside the lab's own

    @property
    def rows(self) -> str:
        """The groups that fit, as a question."""
        return f"SELECT {_SHOWN}, {self.score} AS score FROM {self.source} WHERE {self.where}"


def selection(reading: Reading, chosen: Filter) -> Selection:
    """What a filter asks of the database; names that the lab does not have are refused."""
    models, (other, verdict) = [model.slug for model in reading.models()], chosen.other
    for name, value, known in (
        ("model", chosen.model, models),
        ("model", other, models),
        ("suite", chosen.suite, reading.suites()),
    ):
        if value and value not in known:
            raise UnknownName(f"{name} of this lab", value, known)
    asked = bool(chosen.model or (chosen.find and reading.models()))
    source, score = _source(reading, chosen, asked), "NULL::FLOAT"
    where, parameters, tables = ["true"], list[Any](), dict[str, pa.Table]()
    if chosen.text or chosen.tag:
        source += " SEMI JOIN fitting USING (number)"
        tables["fitting"] = _fitting(reading, chosen)
    if chosen.answer:
        source += f" SEMI JOIN answered USING ({'model, ' if asked else ''}number)"
        tables["answered"] = _answered(reading, chosen)
    for name in ("test", "kind", "relation"):
        if getattr(chosen, name):
            where, parameters = [*where, f"{name} = ?"], [*parameters, getattr(chosen, name)]
    if chosen.verdict:
        where.append(_VERDICT)
        parameters += [chosen.verdict, chosen.verdict]
    if other:
        where.append(f"number IN (SELECT number FROM verdicts WHERE model = ? AND {_VERDICT})")
        parameters += [other, verdict, verdict]
    if chosen.measure:
        score = _measured(chosen.measure) if asked else score
        low, high = chosen.steps
        where.append(f"{code(score)} BETWEEN {2 * low} AND {2 * high}")
    return Selection(source, " AND ".join(where), tuple(parameters), score, tables)


def code(score: str) -> str:
    """SQL for where a score lies: an even number where it is on a step, an odd one where it is between two."""
    return f"(CAST(floor(round({score} * {STEPS}, 3)) AS INTEGER) + CAST(ceil(round({score} * {STEPS}, 3)) AS INTEGER))"


def page(
    reading: Reading, chosen: Filter, size: int, *, after: Key | None = None, before: Key | None = None
) -> list[Found]:
    """So many of the groups that fit, in their order: the first ones, or those after or before a key."""
    asked = selection(reading, chosen)
    where, parameters, order = asked.where, list(asked.parameters), "number, model"
    key = after or before
    if key is not None:
        where += f" AND (number, model) {'>' if after else '<'} (?, ?)"
        parameters += [_number(reading, key), key.model]
    if before and not after:
        order = "number DESC, model DESC"
    sql = f"{replace(asked, where=where).rows} ORDER BY {order} LIMIT {size}"
    found = [Found(**row) for row in reading.database.rows(sql, parameters, asked.tables)]
    return found[::-1] if before and not after else found


def numbered(reading: Reading, chosen: Filter, size: int, skipped: int) -> list[Found]:
    """So many of the groups that fit, after the first ones."""
    asked = selection(reading, chosen)
    sql = f"{asked.rows} ORDER BY number, model LIMIT {size} OFFSET {skipped}"
    return [Found(**row) for row in reading.database.rows(sql, asked.parameters, asked.tables)]


def neighbours(reading: Reading, chosen: Filter, key: Key) -> Neighbours:
    """The groups next to one in the order of the list; it may itself not fit, and then has no place."""
    asked = selection(reading, chosen)
    at, one = "(number, model) {} (?, ?)", f"({', '.join(Neighbour._fields)})"
    sql = (
        f"SELECT count(*) AS found, count_if({at.format('<=')}) AS place, count_if({at.format('=')}) AS fits, "
        f"max({one}) FILTER ({at.format('<')}) AS before, min({one}) FILTER ({at.format('>')}) AS after "
        f"FROM {asked.source} WHERE {asked.where}"
    )
    mine: Sequence[Any] = (_number(reading, key), key.model)
    (row,) = reading.database.rows(sql, [*mine, *mine, *mine, *mine, *asked.parameters], asked.tables)
    before, after = (Neighbour(*row[side]) if row[side] else None for side in ("before", "after"))
    return Neighbours(row["place"] if row["fits"] else 0, row["found"], before, after)


def _number(reading: Reading, key: Key) -> int:
    """The number of a group in the order of all."""
    sql = "SELECT suite, first FROM suites"
    first = reading.remembered(
        ("first numbers",), lambda: {row["suite"]: row["first"] for row in reading.database.rows(sql)}
    )
    return int(first.get(key.suite, 0)) + key.place


def _source(reading: Reading, chosen: Filter, asked: bool) -> str:
    if asked:
        return reading.database.source("verdicts", model=chosen.model, suite=chosen.suite)
    return _UNASKED.format(reading.database.source("bases", suite=chosen.suite))


def _fitting(reading: Reading, chosen: Filter) -> pa.Table:
    """The numbers of the groups whose texts and tags fit, looked for once in all suites, as counts need them all."""
    asked = {"contains(texts, ?)": chosen.text.lower(), "list_contains(tags, ?)": chosen.tag}
    wanted = {sql: value for sql, value in asked.items() if value}
    sql = f"SELECT number FROM bases WHERE {' AND '.join(wanted)}"
    return reading.table(("fitting", *asked.values()), lambda: reading.database.table(sql, list(wanted.values())))


def _answered(reading: Reading, chosen: Filter) -> pa.Table:
    """The numbers of the groups in which the answer was given, with the models that gave it."""
    sql = "SELECT DISTINCT model, first + place AS number FROM outcomes JOIN suites USING (suite) WHERE value = ?"
    return reading.table(("answered", chosen.answer), lambda: reading.database.table(sql, [chosen.answer]))


def _measured(measure: str) -> str:
    known = [metric.name for metric in sampled()]
    if measure not in known:
        raise UnknownName("measure", measure, known)
    return f'"{measure}"'
