"""Two models on every suite at once: a row of difference each, the scale of the bars, and the groups that flip."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from counterpoint import catalog
from counterpoint.core.quantities import counted
from counterpoint.explorer.group_filters import browse_address
from counterpoint.explorer.group_parts import GroupEntry, group_entries
from counterpoint.explorer.pages.compare.query import CompareQuery
from counterpoint.lab.reader import LabReader
from counterpoint.metrics.comparison import TIE, TOO_FEW, compare_on_suites
from counterpoint.metrics.metric import Metric, MetricKind
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.verdicts import FAILS, PASSES
from counterpoint.store.outcomes.queries import flip_counts, flip_groups, read_outcomes
from counterpoint.store.outcomes.selection import GroupFilter, GroupMatch

HALF = 100
"""Pixels of a bar from zero to the end of the scale."""

ENDS = (5, 10, 20, 40, 75)
"""Points at which a scale may end; on the widest, 3 points are still 4 pixels."""

FLIPS = 12
"""Groups that a gallery shows."""

NOT_BOTH = "not answered by both models"


class DifferenceScale(Struct, frozen=True):
    """The points at which the bars of a page end on either side of zero, and the pixels of a point."""

    end: int
    pixels: float


class SuiteDifference(Struct, frozen=True):
    """The first model less the second in the main metric of a suite; without values where they cannot be compared."""

    suite: str
    address: str
    metric: str = ""
    label: str = ""
    reason: str = ""
    first: float | None = None
    second: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    holm: float | None = None
    verdict: str = ""  # the name of the better model, or why there is none
    detectable: float | None = None
    n: int = 0
    clusters: int = 0
    only_first: int = 0  # groups that only the first model passes
    only_second: int = 0


class FlipGallery(Struct, frozen=True):
    """Groups that one of two models passes and the other fails."""

    title: str
    found: int
    groups: tuple[GroupEntry, ...]
    address: str  # all of them, in Browse


def difference_scale(differences: Sequence[float]) -> DifferenceScale:
    """Return the narrowest scale on which all differences have room; it never ends above the last of ENDS.

    >>> difference_scale([0.031, -0.08]), difference_scale([0.97])
    (DifferenceScale(end=10, pixels=10.0), DifferenceScale(end=75, pixels=1.3333333333333333))
    """
    widest = 100 * max(map(abs, differences), default=0.0)
    end = next((end for end in ENDS if end >= widest), ENDS[-1])
    return DifferenceScale(end, HALF / end)


def suite_differences(reader: LabReader, query: CompareQuery) -> tuple[SuiteDifference, ...]:
    """Return a row for each suite, that in which the first model is farthest ahead first."""
    first, second = query.pair
    compared = reader.cached(("suites apart", first, second), lambda: tuple(_compare(reader, query)))
    rows = {row["suite"]: row for row in compared}
    flips = flips_by_suite(reader, query)
    names = {"first": first.name, "second": second.name}
    differences = []
    for suite in reader.suites():
        address = query.without_cell.address(suite=suite)
        if row := rows.get(suite):
            metric = catalog.metric(row["metric"])
            known = {name: row[name] for name in SuiteDifference.__struct_fields__ if name in row}
            known |= {"address": address, "label": metric.title, "verdict": names.get(row["verdict"], row["verdict"])}
            lost, won = flips.get(suite, (0, 0))
            differences.append(SuiteDifference(**known, only_first=lost, only_second=won))
        else:
            differences.append(SuiteDifference(suite, address, reason=NOT_BOTH))
    return tuple(sorted(differences, key=_lead))


def _lead(row: SuiteDifference) -> tuple[bool, float]:
    """Return by how much the second model is ahead, with suites that cannot be compared last."""
    if row.difference is None:
        return True, 0.0
    return False, row.difference if catalog.metric(row.metric).lower_is_better else -row.difference


def _compare(reader: LabReader, query: CompareQuery) -> Sequence[dict[str, Any]]:
    first, second = query.pair

    def outcomes() -> Iterator[tuple[Outcomes, Outcomes, Metric]]:
        for suite in reader.suites():
            metric = main_metric(reader, suite)
            if metric and reader.has_answers(suite, first.slug) and reader.has_answers(suite, second.slug):
                yield read_outcomes(reader, suite, first.slug), read_outcomes(reader, suite, second.slug), metric

    return compare_on_suites(outcomes())


def main_metric(reader: LabReader, suite: str) -> Metric | None:
    """Return the first metric that tables show of a suite, of those that can tell models apart."""
    metrics = map(catalog.metric, reader.displayed_metrics(suite))
    return next((metric for metric in metrics if metric.kind is not MetricKind.PLUG_IN), None)


def suites_sentence(query: CompareQuery, rows: Sequence[SuiteDifference]) -> str:
    """Say on how many suites which model is better."""
    first, second = (model.name for model in query.pair)
    verdicts = [row.verdict for row in rows if row.difference is not None]
    if not verdicts:
        return f"{first} and {second} have answered no suite in common."
    ties, few = verdicts.count(TIE), verdicts.count(TOO_FEW)
    parts = [
        f"{first} is better on {verdicts.count(first)} and {second} on {verdicts.count(second)} "
        f"of {counted(len(verdicts), 'suite')}",
        f"on {ties} they are tied" if ties else "",
        f"{few} {'has' if few == 1 else 'have'} too few pictures to tell" if few else "",
    ]
    return f"{'; '.join(filter(None, parts))}."


def flips_by_suite(reader: LabReader, query: CompareQuery) -> Mapping[str, tuple[int, int]]:
    """Return by suite how many groups only the first model of a pair passes, and how many only the second."""
    first, second = query.pair
    return reader.cached(("flips", first, second), lambda: flip_counts(reader, first.slug, second.slug))


def flip_galleries(reader: LabReader, query: CompareQuery, most: int = FLIPS) -> tuple[FlipGallery, FlipGallery]:
    """Return the groups that only the first model passes, and those that only the second does."""
    first, second = query.pair
    shown = [counts for suite, counts in flips_by_suite(reader, query).items() if query.suite in ("", suite)]
    return (
        FlipGallery(
            f"{first.name} passes, {second.name} fails",
            sum(lost for lost, _ in shown),
            *_gallery(reader, query, most, passed_by_second=False),
        ),
        FlipGallery(
            f"{second.name} passes, {first.name} fails",
            sum(won for _, won in shown),
            *_gallery(reader, query, most, passed_by_second=True),
        ),
    )


def _gallery(
    reader: LabReader, query: CompareQuery, most: int, *, passed_by_second: bool
) -> tuple[tuple[GroupEntry, ...], str]:
    first, second = (model.slug for model in query.pair)
    rows = flip_groups(reader, (first, second), query.suite, most, passed_by_second=passed_by_second)
    own, other = (FAILS, PASSES) if passed_by_second else (PASSES, FAILS)
    chosen = GroupFilter(first, query.suite, verdict=own, also=f"{second}:{other}", browse="1")
    return group_entries(reader, [GroupMatch(**row) for row in rows], chosen, second), browse_address(chosen)
