"""What became of the groups, in shares: of each kind in the hands of one model, or of a suite in those of each."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.reports.charts.bars import BarShare, StackedBarChart
from counterpoint.store.models import LabModel
from counterpoint.store.outcomes.reader import VerdictCount

COLORS: Mapping[str, str] = MappingProxyType(
    {
        "right": "right",
        "gained": "band",
        "broken": "slip",
        "wrong": "wrong",
        "holds": "right",
        "breaks": "wrong",
        "unanswered": "line",
    }
)
"""The token of each verdict in charts: blue where right, vermilion where wrong, pale where both."""


_HOLDS = "holds together"


def verdicts_by_kind(reader: LabReader, suite: str, slug: str) -> StackedBarChart:
    """What became of the groups of each kind, with one model."""
    return _chart(verdict_shares_by_kind(reader, reader.require_suite(suite), reader.model(slug).slug))


def verdicts_by_model(reader: LabReader, suite: str, models: Sequence[LabModel]) -> StackedBarChart:
    """What became of the groups of a suite, with each model."""
    found = [part for model in models for part in _parts(model.name, reader.verdict_counts(suite, model.slug))]
    return _chart(found)


def verdict_shares_by_kind(reader: LabReader, suite: str, slug: str) -> list[BarShare]:
    """The shares of the verdicts in each kind where there are several, else in each test."""
    slices, counts = reader.slices(suite), reader.verdict_counts(suite, slug)
    several = [(test, kind) for test, kind in slices if kind] or [(test, kind) for test, kind in slices if test]
    tests = {test for test, _ in several}
    found = []
    for test, kind in several:
        name = " · ".join(filter(None, [test if len(tests) > 1 or not kind else "", kind]))
        found += _parts(name, counts, test, kind)
    return found


def verdict_chart_title(found: Sequence[BarShare]) -> str:
    """The sentence above the chart: where most groups are right throughout, or hold together, and where fewest.

    >>> finding([BarShare("a", "right throughout", 0.9, 9), BarShare("b", "right throughout", 0.2, 2)])
    'a is right throughout in 90 % of groups, b in 20 %'
    >>> finding([BarShare("a", "holds", 0.9, 9), BarShare("b", "breaks", 1.0, 9)])
    'a holds together in 90 % of groups, b in 0 %'
    """
    parts = {part.part for part in found}
    judged = parts & {VERDICTS[name] for name in ("right", "broken", "gained", "wrong")}
    well, says = ("right", "is right throughout") if judged or VERDICTS["holds"] not in parts else ("holds", _HOLDS)
    whole = {part.row: 0.0 for part in found}
    whole |= {part.row: part.share for part in found if part.part == VERDICTS[well]}
    if not whole:
        return "what became of the groups"
    weak, strong = min(whole, key=lambda row: whole[row]), max(whole, key=lambda row: whole[row])
    says = f"{strong} {says} in {100 * whole[strong]:.0f} % of groups"
    return says if len(whole) == 1 else f"{says}, {weak} in {100 * whole[weak]:.0f} %"


def _chart(found: Sequence[BarShare]) -> StackedBarChart:
    colors = tuple((VERDICTS[name], token) for name, token in COLORS.items())
    return StackedBarChart(verdict_chart_title(found), tuple(found), colors)


def _parts(row: str, counted: Sequence[VerdictCount], test: str = "", kind: str = "") -> list[BarShare]:
    own = [one for one in counted if test in ("", one.test) and kind in ("", one.kind)]
    whole = sum(one.groups for one in own)
    counts = {name: sum(one.groups for one in own if one.verdict == name) for name in VERDICTS}
    return [BarShare(row, VERDICTS[name], count / whole, count) for name, count in counts.items() if count]
