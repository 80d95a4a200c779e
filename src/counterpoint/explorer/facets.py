"""How many groups each choice of Find would show, from one count of all groups by everything that can be chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from counterpoint.explorer.choices import STEPS, Filter
from counterpoint.explorer.reading import Reading
from counterpoint.explorer.selections import code, selection
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.outcomes import Flags
from counterpoint.metrics.verdicts import INCONSISTENT

FACETS = ("model", "suite", "test", "kind", "relation", "verdict")
"""What can be chosen from a list, each with the number of groups that it would show."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many groups there are of every sort: by each facet, by consistency, and by where their score lies."""

    labels: Mapping[str, Labels]
    inconsistent: Flags
    code: NDArray[np.int64]  # -1 where there is no score
    groups: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Facets:
    """Groups counted by every facet and by where their score lies, after what was searched for."""

    counts: Counts
    chosen: Filter

    def found(self) -> int:
        """How many groups fit the whole filter."""
        return int(self.counts.groups[self._fits()].sum())

    def options(self, facet: str) -> list[tuple[str, int]]:
        """Each value of a facet with the number of groups that fit if it were chosen, by name."""
        fits, labels = self._fits(but=facet), self.counts.labels[facet]
        found = np.bincount(labels.codes[fits], self.counts.groups[fits], len(labels.words)).astype(int).tolist()
        values = sorted(zip(labels.words.to_pylist(), found, strict=True))
        if facet == "verdict":
            values.append((INCONSISTENT, int(self.counts.groups[fits & self.counts.inconsistent].sum())))
        return [(value, count) for value, count in values if count]

    def spread(self) -> list[int]:
        """How many groups have a score from each step to the next, whatever the bounds; the last is those of 1."""
        fits = self._fits(but="code")
        found = np.bincount(self.counts.code[fits] // 2, self.counts.groups[fits], STEPS + 1)
        return [int(one) for one in found]

    def _fits(self, but: str = "") -> Flags:
        fits = np.ones(len(self.counts.groups), np.bool_)
        for facet in FACETS:
            value = getattr(self.chosen, facet)
            if value and facet != but:
                chosen = facet == "verdict" and value == INCONSISTENT
                fits &= self.counts.inconsistent if chosen else self.counts.labels[facet].where([value])
        if self.chosen.measure:
            low, high = self.chosen.steps if but != "code" else (0, STEPS)
            fits &= (self.counts.code >= 2 * low) & (self.counts.code <= 2 * high)
        return fits


def facets(reading: Reading, chosen: Filter) -> Facets:
    """The counts behind a filter; they are the same wherever the slider is, and are kept for a while."""
    names = ("text", "tag", "answer", "measure", "also")
    searched = Filter(**{name: getattr(chosen, name) for name in names}, find="1")
    return Facets(reading.lately(("facets", searched), lambda: _counted(reading, searched)), chosen)


def _counted(reading: Reading, searched: Filter) -> Counts:
    asked = selection(reading, searched)
    where = f"coalesce({code(asked.score)}, -1)" if searched.measure else "-1"
    plain = selection(reading, replace(searched, measure=""))
    sql = (
        f"SELECT {', '.join(FACETS)}, inconsistent, {where} AS code, count(*) AS groups "
        f"FROM {plain.source} WHERE {plain.where} GROUP BY ALL"
    )
    found = reading.database.table(sql, plain.parameters, plain.tables)
    labels = {facet: Labels.of(found[facet]) for facet in FACETS}
    inconsistent, places, groups = (found[name].to_numpy() for name in ("inconsistent", "code", "groups"))
    return Counts(labels, inconsistent.astype(np.bool_), places.astype(np.int64), groups)


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
