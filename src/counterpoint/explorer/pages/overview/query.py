"""What a visitor asked of the leaderboard: which suites and metrics, ordered by what, with which models opened."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import urlencode

COSTS = ("parameters", "queries_per_second", "seconds_per_query")
"""The columns that say what a model costs."""

COST = "cost"
"""The name under which these can be chosen, as if they were a metric, and ordered by, as if they were a suite."""

_MOST = 200  # characters of anything, and of how many


@dataclass(frozen=True, slots=True)
class OverviewQuery:
    """What of the leaderboard is shown; everything, where nothing is said.

    Models are ordered by the column that `sort` names, `suite/metric` or `suite/test/metric`, the best first; with a
    dash in front, the best comes last.
    """

    suites: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    sort: str = ""
    opened: tuple[str, ...] = ()

    @classmethod
    def read(cls, query: Iterable[tuple[str, str]]) -> "OverviewQuery":
        """The choice that an address says; what is said twice counts once."""
        said: dict[str, dict[str, None]] = {name: {} for name in _WORDS}
        for name, value in list(query)[:_MOST]:
            if name in said and value:
                said[name][value[:_MOST]] = None
        return cls(tuple(said["suite"]), tuple(said["metric"]), next(iter(said["sort"]), ""), tuple(said["open"]))

    @property
    def suite(self) -> str:
        """The suite, if it is one alone; its tests are columns then."""
        return self.suites[0] if len(self.suites) == 1 else ""

    def said(self) -> list[tuple[str, str]]:
        """What of it an address has to say."""
        values = (getattr(self, field.name) for field in fields(self))
        listed = ((value,) if isinstance(value, str) else value for value in values)
        return [(name, one) for name, own in zip(_WORDS, listed, strict=True) for one in own if one]

    def address(self, path: str = "/overview", **changes: Any) -> str:
        """Where this choice is shown, with some of it changed."""
        asked = replace(self, **changes).said()
        return f"{path}?{urlencode(asked)}" if asked else path

    def toggled(self, slug: str) -> str:
        """Where a model is opened, or closed if it is open."""
        others = tuple(one for one in self.opened if one != slug)
        return self.address(opened=others if slug in self.opened else (*self.opened, slug))

    def sorting(self, column: str) -> str:
        """Where models are ordered by a column, the other way round if they are already."""
        return self.address(sort=f"-{column}" if self.sort == column else column)


_WORDS = ("suite", "metric", "sort", "open")
