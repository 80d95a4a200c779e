"""Metrics as values: what is computed, and all that a table, page or document says about it.

A `Ratio` is a mean of credit over the units that count; a `Statistic` is anything else, such as the area under a curve.
One module with one such value and one row of the catalog, or an entry point, make a metric: scores, comparisons,
leaderboards and pages find it there.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np

from counterpoint.metrics.applicability import Condition, Contents, everywhere
from counterpoint.metrics.outcomes import Flags, Floats, OrderedPairs, Pairs, Rows, Sets, Singles, Unit

T = TypeVar("T", Pairs, OrderedPairs, Sets, Singles)

Estimator: TypeAlias = Callable[[Floats], float]
"""The value of a statistic, from how often each of its units is drawn; nan where there is none."""


class MetricKind(StrEnum):
    """What the value of a metric is."""

    SHARE = "share"  # of units that are the same for every model
    RATIO = "ratio"  # of units that depend on the model's answers
    DIFFERENCE = "difference"
    CURVE = "curve"  # an area or error over a curve


class Ability(StrEnum):
    """What a model must be able to do for a metric."""

    ANSWERS = "answers"
    SCORES = "scores"
    SAMPLES = "samples"
    FEATURES = "features"
    PROBABILITIES = "probabilities"


MISSING_ABILITY = MappingProxyType(
    {
        Ability.ANSWERS: "it scores texts, and answers no questions",
        Ability.SCORES: "it gives no scores to texts",
        Ability.SAMPLES: "it has no stochastic passes",
        Ability.FEATURES: "it does not let its features be changed",
        Ability.PROBABILITIES: "it gives no probabilities of its answers",
    }
)
"""The reason why a metric does not apply to a model that lacks an ability."""


def all_units(unit: Unit) -> Flags:
    """Count all units."""
    return np.ones_like(unit.counted)


def no_diagnosis(unit: Unit, rows: Rows) -> str:
    """Give no reason beyond `not_applicable`."""
    return ""


@dataclass(frozen=True, slots=True)
class MetricMetadata:
    """What is known of a metric beside how it is computed.

    `applies` says on which suites it can have a value, `leads` on which of them tables show it first, in the order of
    `rank`. A metric `on_request` is computed elsewhere only when it is named. `reads` lists the columns of the answers
    that it needs beside those that every metric needs. `chance` names the metric that is its chance level. Where
    nothing counts, `diagnose` may give a reason from the units and the rows of a slice; `not_applicable` is the
    reason otherwise.
    """

    name: str
    _: KW_ONLY
    title: str = ""  # derived from the name, if empty
    term: str = ""  # what papers call it
    description: str = ""
    lower_is_better: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    kind: MetricKind = MetricKind.SHARE
    needs: Ability = Ability.ANSWERS
    reads: tuple[str, ...] = ()
    not_applicable: str = "no group here counts for this metric"
    chance: str = ""
    applies: Condition = everywhere
    leads: Condition = everywhere
    rank: int = 100
    on_request: bool = False
    diagnose: Callable[[Any, Rows], str] = no_diagnosis

    def __post_init__(self) -> None:
        if not self.title:
            words = self.name.replace("_", " ")
            object.__setattr__(self, "title", f"{words[:1].upper()}{words[1:]}")

    @property
    def phrase(self) -> str:
        """The title within a sentence.

        >>> MetricMetadata("worst_case").phrase, MetricMetadata("x", title="RAD forward").phrase
        ('worst case', 'RAD forward')
        """
        return self.title if self.title[1:2].isupper() else f"{self.title[:1].lower()}{self.title[1:]}"


@dataclass(frozen=True, slots=True)
class Ratio(MetricMetadata, Generic[T]):
    """A metric that is a mean: what a unit earns, from 0 to 1, and whether it counts at all.

    A unit with a failed or missing member never counts.

    >>> rad = Ratio("rad", Pairs, lambda p: p.variant_right, counts=lambda p: p.gold & p.base_right)
    >>> rad.title
    'Rad'
    """

    unit: type[T]
    hit: Callable[[T], Flags | Floats]
    counts: Callable[[T], Flags] = all_units

    def cases(self, units: T) -> tuple[Floats, Flags]:
        """What each unit earns, nothing where it does not count, and whether it counts."""
        counted = self.counts(units) & units.counted
        return np.where(counted, self.hit(units), 0.0), counted


@dataclass(frozen=True, slots=True)
class Statistic(MetricMetadata, Generic[T]):
    """A metric that is no mean of cases: how it is estimated from weighted units, and whether a unit counts at all.

    `prepare` takes the units and the places of those that lie in a slice and count. It does once what need not be done
    again, such as sorting, and returns the estimator. A unit with a failed or missing member never counts.
    """

    unit: type[T]
    prepare: Callable[[T, Rows], Estimator]
    counts: Callable[[T], Flags] = all_units


Metric: TypeAlias = Ratio[Any] | Statistic[Any]
"""Anything that scores are made by."""


def columns_read(metrics: Iterable[Metric]) -> tuple[str, ...]:
    """The columns of the answers that some metrics need beside those that every metric needs."""
    return tuple(sorted({column for metric in metrics for column in metric.reads}))


def ordered(metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """Metrics by rank, then by name."""
    return tuple(sorted(metrics, key=lambda metric: (metric.rank, metric.name)))


def applicable(contents: Contents, metrics: Iterable[Metric], *, on_request: bool = False) -> tuple[Metric, ...]:
    """The metrics that are computed of a suite when none is named; with `on_request`, all that apply to it."""
    return ordered(
        metric
        for metric in metrics
        if metric.applies(contents) and (on_request or not metric.on_request or metric.leads(contents))
    )


def displayed(contents: Contents, metrics: Iterable[Metric]) -> tuple[Metric, ...]:
    """The few metrics that a table of a suite shows, the most telling first, of those that have a value there."""
    known: Sequence[Metric] = ordered(metrics)
    return tuple(metric for metric in known if metric.leads(contents)) or tuple(known[:1])
