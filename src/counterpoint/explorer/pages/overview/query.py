"""The query of the overview: which suites and metrics, sorted by which column, with which models expanded."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

COSTS = {
    "parameters": ("Parameters", "fewer first"),
    "queries_per_second": ("Queries a second", "whole runs"),
    "seconds_per_query": ("Milliseconds", "a query"),
    "tokens_per_query": ("Tokens", "a query"),
    "price_per_1000": ("Price", "of 1,000 queries"),
}
"""The columns of cost, each with its label and its note."""

TOKEN_COSTS = ("tokens_per_query", "price_per_1000")
"""The columns that are shown where any model has a value."""

LOWER_COSTS = ("parameters", "seconds_per_query", *TOKEN_COSTS)
"""The costs of which less is better."""

COST = "cost"
"""The name by which the columns of cost are chosen, as if they were a metric, and sorted, as if they were a suite."""

ALL_FAMILIES = "all"
"""The name by which the suites of every family are shown."""

_MOST = 200  # characters of a value, and number of parameters
_PARAMETERS = ("suite", "metric", "sort", "open", "family", "pin", "versions", "slice")


@dataclass(frozen=True, slots=True)
class OverviewQuery:
    """Which part of the leaderboard is shown; everything, if nothing is chosen.

    Models are sorted by the column that `sort` names, `suite/metric` or `suite/test/metric`, the best first; with a
    dash in front, the best comes last.
    """

    suites: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    sort: str = ""
    opened: tuple[str, ...] = ()
    families: tuple[str, ...] = ()  # whose suites are shown
    pinned: tuple[str, ...] = ()  # slugs of the models that come first
    versions: str = ""  # `latest`: of each model only the latest
    slices: tuple[str, ...] = ()  # saved ones that are columns as well

    @classmethod
    def read(cls, query: Iterable[tuple[str, str]]) -> "OverviewQuery":
        """Return the query of an address; a value that is given twice counts once."""
        values: dict[str, dict[str, None]] = {name: {} for name in _PARAMETERS}
        for name, value in list(query)[:_MOST]:
            if name in values and value:
                values[name][value[:_MOST]] = None
        suites, metrics, sort, opened, families, pinned, versions, slices = (tuple(own) for own in values.values())
        return cls(suites, metrics, next(iter(sort), ""), opened, families, pinned, next(iter(versions), ""), slices)

    @property
    def suite(self) -> str:
        """The suite, if it is one alone; its tests are columns then."""
        return self.suites[0] if len(self.suites) == 1 else ""

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The chosen metrics without cost."""
        return tuple(name for name in self.metrics if name != COST)

    @property
    def costs(self) -> tuple[str, ...]:
        """The columns of cost that are shown: all, unless only metrics were chosen."""
        return tuple(COSTS) if not self.metrics or COST in self.metrics else ()

    @property
    def sort_key(self) -> str:
        """The key of the column that models are sorted by."""
        return self.sort.removeprefix("-")

    @property
    def is_reversed(self) -> bool:
        """Whether the best comes last."""
        return self.sort.startswith("-")

    def parameters(self) -> list[tuple[str, str]]:
        """Return the parameters by which an address says the query."""
        values = (getattr(self, field.name) for field in fields(self))
        listed = ((value,) if isinstance(value, str) else value for value in values)
        return [(name, value) for name, given in zip(_PARAMETERS, listed, strict=True) for value in given if value]

    def address(self, path: str = "/overview", **changes: Any) -> str:
        """Return where this query is shown, with some of it changed."""
        parameters = replace(self, **changes).parameters()
        return f"{path}?{urlencode(parameters)}" if parameters else path

    def toggled(self, name: str, field: str = "opened") -> str:
        """Return where a model is expanded, or collapsed if it is expanded; other fields of several values likewise."""
        given = getattr(self, field)
        others = tuple(other for other in given if other != name)
        changes: dict[str, Any] = {field: others if name in given else (*given, name)}
        return self.address(**changes)

    def sorted_by(self, key: str) -> str:
        """Return where models are sorted by a column, in the other direction if they are already."""
        return self.address(sort=f"-{key}" if self.sort == key else key)

    def direction(self, key: str, *, lower: bool) -> str:
        """Return `ascending` or `descending` for the column that models are sorted by, nothing for others."""
        if self.sort_key != key:
            return ""
        return "ascending" if self.is_reversed != lower else "descending"
