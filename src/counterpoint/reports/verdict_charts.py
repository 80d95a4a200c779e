"""Stacked bars of verdicts: the shares of a suite's groups by kind with one model, or by model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from counterpoint.core.quantities import counted
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.verdicts import VERDICTS
from counterpoint.reports.charts.bars import BarShare, StackedBarChart
from counterpoint.store.lab import LabModel
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
"""The colour token of each verdict: blue if all answers are correct, vermilion if all are incorrect, pale between."""

FEWEST = 20
"""Groups from which a chart has a finding for its title."""

_WITH_GOLD = frozenset(VERDICTS[name] for name in ("right", "broken", "gained", "wrong"))


def verdicts_by_kind(reader: LabReader, suite: str, slug: str) -> StackedBarChart:
    """The verdicts on the groups of each kind, with one model; on those of each test where there are no kinds."""
    counts = reader.verdict_counts(reader.require_suite(suite), reader.model(slug).slug)
    slices = reader.slices(suite)
    rows = [(test, kind) for test, kind in slices if kind] or [(test, kind) for test, kind in slices if test]
    has_tests = len({test for test, _ in rows}) > 1
    shares = []
    for test, kind in rows:
        name = " · ".join(filter(None, [test if has_tests or not kind else "", kind]))
        shares += _shares(name, counts, test, kind)
    return _chart(shares)


def verdicts_by_model(reader: LabReader, suite: str, models: Sequence[LabModel]) -> StackedBarChart:
    """The verdicts on the groups of a suite, with each model."""
    return _chart(
        [share for model in models for share in _shares(model.name, reader.verdict_counts(suite, model.slug))]
    )


def verdict_chart_title(shares: Sequence[BarShare]) -> str:
    """The finding: in which row most groups pass, and in which fewest.

    >>> verdict_chart_title([BarShare("a", "all correct", 0.9, 9), BarShare("b", "all correct", 0.2, 2)])
    'a has all correct in 90 % of groups, b in 20 %'
    >>> verdict_chart_title([BarShare("a", "relation satisfied", 0.9, 9), BarShare("b", "relation violated", 1.0, 9)])
    'a satisfies the relation in 90 % of groups, b in 0 %'
    >>> verdict_chart_title([BarShare("a", "all incorrect", 1.0, 9), BarShare("b", "all incorrect", 1.0, 9)])
    'each of 2 has all correct in 0 % of groups'
    """
    if not shares:
        return "no group is answered"
    parts = {share.part for share in shares}
    has_gold = bool(parts & _WITH_GOLD) or VERDICTS["holds"] not in parts
    passed, phrase = (
        (VERDICTS["right"], "has all correct") if has_gold else (VERDICTS["holds"], "satisfies the relation")
    )
    rates = {share.row: 0.0 for share in shares}
    rates |= {share.row: share.share for share in shares if share.part == passed}
    worst, best = min(rates, key=lambda row: rates[row]), max(rates, key=lambda row: rates[row])
    is_tie = len(rates) > 1 and rates[best] == rates[worst]
    title = f"{f'each of {len(rates)}' if is_tie else best} {phrase} in {100 * rates[best]:.0f} % of groups"
    return title if len(rates) == 1 or is_tie else f"{title}, {worst} in {100 * rates[worst]:.0f} %"


def _chart(shares: Sequence[BarShare]) -> StackedBarChart:
    colors = tuple((VERDICTS[name], token) for name, token in COLORS.items())
    rows = Counter[str]()
    for share in shares:
        rows[share.row] += share.count
    most = max(rows.values(), default=0)
    title = verdict_chart_title(shares) if most >= FEWEST or not most else f"Verdicts on {counted(most, 'group')}"
    return StackedBarChart(title, tuple(shares), colors)


def _shares(row: str, counts: Sequence[VerdictCount], test: str = "", kind: str = "") -> list[BarShare]:
    matching = [count for count in counts if test in ("", count.test) and kind in ("", count.kind)]
    total = sum(count.groups for count in matching)
    groups = {name: sum(count.groups for count in matching if count.verdict == name) for name in VERDICTS}
    return [BarShare(row, VERDICTS[name], number / total, number) for name, number in groups.items() if number]
