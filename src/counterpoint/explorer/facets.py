"""How many groups each choice of Find would show, from one count of all groups by everything that can be chosen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.explorer.choices import STEPS, Filter
from counterpoint.explorer.reading import Reading
from counterpoint.explorer.selections import code, selection
from counterpoint.explorer.verdicts import INCONSISTENT

FACETS = ("model", "suite", "test", "kind", "relation", "verdict")
"""What can be chosen from a list, each with the number of groups that it would show."""


@dataclass(frozen=True, slots=True)
class Facets:
    """Groups counted by every facet and by where their score lies, after what was searched for."""

    counts: pa.Table  # of the facets, `inconsistent`, `code` and `groups`
    chosen: Filter

    def found(self) -> int:
        """How many groups fit the whole filter."""
        return _total(self.counts.filter(self._fits()))

    def options(self, facet: str) -> list[tuple[str, int]]:
        """Each value of a facet with the number of groups that fit if it were chosen, by name."""
        left = self.counts.filter(self._fits(but=facet))
        found = left.group_by(facet).aggregate([("groups", "sum")]).sort_by(facet)
        values = list(zip(found[facet].to_pylist(), found["groups_sum"].to_pylist(), strict=True))
        if facet == "verdict":
            values.append((INCONSISTENT, _total(left.filter(left["inconsistent"]))))
        return [(value, count) for value, count in values if count]

    def spread(self) -> list[int]:
        """How many groups have a score from each step to the next, whatever the bounds; the last is those of 1."""
        left = self.counts.filter(self._fits(but="code"))
        found = left.group_by("code").aggregate([("groups", "sum")]).to_pylist()
        columns = [0] * (STEPS + 1)
        for one in found:
            if one["code"] is not None:
                columns[one["code"] // 2] += one["groups_sum"]
        return columns

    def _fits(self, but: str = "") -> Any:
        fits: Any = pc.is_valid(self.counts["model"])
        for facet in FACETS:
            value = getattr(self.chosen, facet)
            if value and facet != but:
                chosen = facet == "verdict" and value == INCONSISTENT
                own = self.counts["inconsistent"] if chosen else pc.equal(self.counts[facet], value)
                fits = pc.and_(fits, own)
        if self.chosen.measure:
            fits = pc.and_(fits, pc.is_valid(self.counts["code"]))
            if but != "code":
                low, high = self.chosen.steps
                inside = pc.and_(
                    pc.greater_equal(self.counts["code"], 2 * low), pc.less_equal(self.counts["code"], 2 * high)
                )
                fits = pc.and_(fits, pc.fill_null(inside, False))
        return fits


def facets(reading: Reading, chosen: Filter) -> Facets:
    """The counts behind a filter; they are the same wherever the slider is, and are kept for a while."""
    searched = Filter(text=chosen.text, tag=chosen.tag, answer=chosen.answer, measure=chosen.measure, find="1")
    return Facets(reading.lately(("facets", searched), lambda: _counted(reading, searched)), chosen)


def _counted(reading: Reading, searched: Filter) -> pa.Table:
    asked = selection(reading, searched)
    where = code(asked.score) if searched.measure else "NULL::INTEGER"
    plain = selection(reading, replace(searched, measure=""))
    sql = (
        f"SELECT {', '.join(FACETS)}, inconsistent, {where} AS code, count(*) AS groups "
        f"FROM {plain.source} WHERE {plain.where} GROUP BY ALL"
    )
    return reading.database.table(sql, plain.parameters, plain.tables)


def _total(counts: pa.Table) -> int:
    return int(pc.sum(counts["groups"]).as_py() or 0)


def common_answers(reading: Reading, chosen: Filter, most: int = 40) -> Sequence[tuple[str, int]]:
    """The values that are said most often, with how often."""
    source = reading.database.source("outcomes", model=chosen.model, suite=chosen.suite)
    sql = (
        f"SELECT value, count(*) AS said FROM {source} WHERE value <> '' "
        "GROUP BY value ORDER BY said DESC, value LIMIT ?"
    )
    key = ("answers said", chosen.model, chosen.suite)
    return reading.lately(key, lambda: [(row["value"], row["said"]) for row in reading.database.rows(sql, [most])])


def common_tags(reading: Reading, chosen: Filter, most: int = 100) -> Sequence[tuple[str, int]]:
    """The tags that most groups have, with how many have them."""
    source = reading.database.source("bases", suite=chosen.suite)
    sql = (
        f"SELECT tag, count(*) AS groups FROM (SELECT unnest(tags) AS tag FROM {source}) "
        "GROUP BY tag ORDER BY groups DESC, tag LIMIT ?"
    )
    key = ("tags", chosen.suite)
    return reading.lately(key, lambda: [(row["tag"], row["groups"]) for row in reading.database.rows(sql, [most])])
