"""How many groups a gate needs, from the variance of the answers in a lab."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError
from counterpoint.core.quantities import check_least
from counterpoint.lab.gating import leading_ratio
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_answers, load_groups, select_models
from counterpoint.metrics.metric import Ratio, columns_read, contents_by_suite
from counterpoint.metrics.outcomes import Outcomes, judge
from counterpoint.metrics.paired_tests import FEWEST_CLUSTERS, POWER
from counterpoint.metrics.picture_sums import PictureSums, sum_by_picture
from counterpoint.metrics.sample_sizes import needed_pictures
from counterpoint.reports.tables import ResultTable
from counterpoint.store.lab import LabStore

LINE, BASELINE = "line", "baseline"


@dataclass(frozen=True, slots=True)
class SizeRequest:
    """What is to be found: a value so far on the wrong side of its line or margin, by one of some rules."""

    detect: float
    models: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()  # else the one that leads on each suite
    power: float = POWER
    rules: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.detect < 1:
            raise CounterpointError(
                f"{self.detect} is no difference to detect", hint="between 0 and 1; 0.02 is 2 points"
            )
        if not 0.5 <= self.power < 1:
            raise CounterpointError(f"{self.power} is no power", hint="from 0.5 to below 1")
        check_least(1, rules=self.rules)


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How many groups of a suite a rule needs, beside those there are."""

    suite: str
    metric: str
    rule: str  # "line", or "baseline" for the difference of two models
    models: tuple[str, ...]  # whose answers vary most, and decide
    groups: int  # that are needed
    pictures: int  # that are needed
    present: int  # groups that the suite has
    seen: int  # pictures with answers, on which this is based


@dataclass(frozen=True, slots=True, repr=False)
class SampleSizes(LabResult[SampleSize], rows="sizes"):
    """The sizes that suites need for a gate to find a difference."""

    request: SizeRequest
    sizes: tuple[SampleSize, ...]

    def to_dict(self) -> dict[str, Any]:
        """What is detected, and a row for each suite, metric and kind of rule."""
        request = self.request
        about = {"detect": request.detect, "power": request.power, "rules": request.rules}
        return about | {"sizes": self.records()}

    def tables(self) -> list[ResultTable]:
        """One line per suite, metric and kind of rule."""
        rows = [
            (
                size.suite,
                size.metric,
                size.rule,
                " – ".join(size.models),
                f"{size.groups:,}",
                f"{size.pictures:,}",
                f"{size.present:,}",
                f"{max(size.groups - size.present, 0):,}",
            )
            for size in self.sizes
        ]
        heads = ("suite", "metric", "rule", "by the variance of", "groups", "pictures", "present", "further")
        return [ResultTable(self._title, heads, rows, names=4, note=self._note)]

    def notes(self) -> list[str]:
        """How the figures are to be read."""
        return [
            "line: METRIC >= LINE; baseline: METRIC not worse than a baseline",
            "points count from the line or the margin: a drop of 5 points is 2 beyond a margin of 3",
        ]

    @property
    def _title(self) -> str:
        return f"Groups that find {100 * self.request.detect:g} points with a power of {100 * self.request.power:g} %"

    @property
    def _note(self) -> str:
        many = f" over {self.request.rules} rules" if self.request.rules > 1 else ""
        return f"fixed size, one-sided at 5 %{many}, pictures as clusters, as counterpoint gate tests"


def find_sizes(store: LabStore, request: SizeRequest) -> SampleSizes:
    """How many groups of each suite a gate of fixed size needs, by the models whose answers vary most."""
    models = select_models(store, request.models)
    sizes = []
    for suite in request.suites or tuple(store.suites()):
        groups = load_groups(store, [suite])
        present, clusters = int(np.sum(groups["role"].to_numpy() == 0)), 0
        for metric in _metrics(request, groups):
            outcomes = {
                title: judge(groups, load_answers(store, version, columns_read([metric])))
                for title, version in models.items()
            }
            clusters = int(next(iter(outcomes.values())).cluster.max(initial=0)) + 1
            for rule, sums in _largest(metric, outcomes, request):
                pictures = needed_pictures(sums.sums, request.detect, rules=request.rules, power=request.power)
                counted = len(sums.sums.cases) / sums.answered  # a metric may count in some pictures alone
                needed = ceil(pictures / counted * present / clusters)
                size = (needed, pictures, present, len(sums.sums.cases))
                sizes.append(SampleSize(suite, metric.name, rule, sums.models, *size))
    if not sizes:
        fact = f"no suite has answers on {FEWEST_CLUSTERS} pictures, from which a variance is estimated"
        raise CounterpointError(fact, hint="counterpoint run asks a model; --limit 50 is enough")
    return SampleSizes(request, tuple(sizes))


@dataclass(frozen=True, slots=True)
class _Pilot:
    """The sums of one or two models, and the pictures that they answered anything about."""

    models: tuple[str, ...]
    sums: PictureSums
    answered: int


def _metrics(request: SizeRequest, groups: Any) -> Sequence[Ratio[Any]]:
    if not request.metrics:
        (contents,) = contents_by_suite(groups).values()
        leading = leading_ratio(contents)
        return [leading] if leading else []
    metrics = [catalog.resolve_metric(name) for name in request.metrics]
    for metric in metrics:
        if not isinstance(metric, Ratio):
            raise CounterpointError(f"{metric.name} is no share of cases", hint="name another --metric")
    return [metric for metric in metrics if isinstance(metric, Ratio)]


def _largest(metric: Ratio[Any], outcomes: dict[str, Outcomes], request: SizeRequest) -> Iterator[tuple[str, _Pilot]]:
    """For a line and for a baseline, the model or the two models that need the most pictures."""
    for rule, count in ((LINE, 1), (BASELINE, 2)):
        pilots = [_pilot(metric, outcomes, chosen) for chosen in combinations(outcomes, count)]
        enough = [pilot for pilot in pilots if len(pilot.sums.cases) >= FEWEST_CLUSTERS]
        if enough:
            yield rule, max(enough, key=lambda pilot: needed_pictures(pilot.sums, request.detect))


def _pilot(metric: Ratio[Any], outcomes: dict[str, Outcomes], models: tuple[str, ...]) -> _Pilot:
    chosen = [outcomes[title] for title in models]
    counted = np.logical_and.reduce([own.units(metric.unit).counted for own in chosen])
    answered = len(np.unique(chosen[0].units(metric.unit).cluster[counted]))
    return _Pilot(models, sum_by_picture(metric, {}, chosen[0], chosen[1] if len(chosen) > 1 else None), answered)
