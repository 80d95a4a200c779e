"""How many groups a gate needs, from the variance of the answers in a lab."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np

from counterpoint import catalog
from counterpoint.core.ahead import map_ahead
from counterpoint.core.errors import CounterpointError
from counterpoint.core.quantities import check_least
from counterpoint.lab.gating import leading_ratio
from counterpoint.lab.results import LabResult
from counterpoint.lab.scores import judge_block
from counterpoint.lab.selection import ANSWER_COLUMNS, select_models
from counterpoint.metrics.metric import Contents, Ratio, columns_read, whole_suites
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.paired_tests import FEWEST_CLUSTERS, POWER
from counterpoint.metrics.picture_sums import PictureSums, join_sums, sum_by_picture
from counterpoint.metrics.sample_sizes import needed_pictures
from counterpoint.reports.tables import ResultTable
from counterpoint.store.blocks import BLOCK_ROWS, THREADS, SuiteBlocks, open_blocks
from counterpoint.store.lab import LabStore
from counterpoint.store.versions import ModelVersion

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


def find_sizes(store: LabStore, request: SizeRequest, *, block_rows: int = BLOCK_ROWS) -> SampleSizes:
    """How many groups of each suite a gate of fixed size needs, by the models whose answers vary most.

    Suites with more than `block_rows` rows are judged in blocks of about so many, which give the same sizes.
    """
    models = select_models(store, request.models)
    sizes = list[SampleSize]()
    for suite in request.suites or tuple(store.suites()):
        with open_blocks(store, [suite], rows=block_rows) as blocks:
            sizes += _suite_sizes(blocks, suite, store.manifest(suite).groups, models, request)
    if not sizes:
        fact = f"no suite has answers on {FEWEST_CLUSTERS} pictures, from which a variance is estimated"
        raise CounterpointError(fact, hint="counterpoint run asks a model; --limit 50 is enough")
    return SampleSizes(request, tuple(sizes))


def _suite_sizes(
    blocks: SuiteBlocks, suite: str, present: int, models: Mapping[str, ModelVersion], request: SizeRequest
) -> Iterator[SampleSize]:
    """The sizes that a suite with so many groups needs, by each metric."""
    metrics = _metrics(request, blocks.contents)
    columns = (*ANSWER_COLUMNS, *columns_read(metrics))
    answers = {title: blocks.answers(version.fingerprint, columns) for title, version in models.items()}
    chosen = [own for count in (1, 2) for own in combinations(answers, count)]
    pilots = {(metric, own): _Pilot(own) for metric in metrics for own in chosen}

    def judge_all(number: int) -> dict[str, Outcomes]:
        return {title: judge_block(blocks, own, 0.5, number)[1] for title, own in answers.items()}

    clusters = 0
    for outcomes in map_ahead(judge_all, range(len(blocks)) if pilots else (), THREADS):
        clusters += int(next(iter(outcomes.values())).cluster.max(initial=0)) + 1
        for (metric, own), pilot in pilots.items():
            pilot.add(metric, [outcomes[title] for title in own])
    for metric in metrics:
        for rule, pilot in _largest([pilots[metric, own] for own in chosen], request):
            pictures = needed_pictures(pilot.sums, request.detect, rules=request.rules, power=request.power)
            seen = len(pilot.sums.cases)
            counted = seen / pilot.answered  # a metric may count in some pictures alone
            needed = ceil(pictures / counted * present / clusters)
            yield SampleSize(suite, metric.name, rule, pilot.models, needed, pictures, present, seen)


class _Pilot:
    """The sums of one or two models, and the pictures that they answered anything about, from blocks of pictures."""

    def __init__(self, models: tuple[str, ...]) -> None:
        self.models, self.answered = models, 0
        self._parts: list[PictureSums] = []

    def add(self, metric: Ratio[Any], outcomes: Sequence[Outcomes]) -> None:
        """Add the outcomes of each model in the next block."""
        counted = np.logical_and.reduce([own.units(metric.unit).counted for own in outcomes])
        self.answered += len(np.unique(outcomes[0].units(metric.unit).cluster[counted]))
        own, other = outcomes[0], outcomes[1] if len(outcomes) > 1 else None
        self._parts.append(sum_by_picture(metric, {}, own, other))

    @cached_property
    def sums(self) -> PictureSums:
        """The sums of all pictures."""
        return join_sums(self._parts)


def _metrics(request: SizeRequest, contents: Mapping[tuple[str, ...], Contents]) -> Sequence[Ratio[Any]]:
    if not request.metrics:
        leading = [leading_ratio(own) for own in whole_suites(contents).values()]
        return [metric for metric in leading if metric]
    metrics = [catalog.resolve_metric(name) for name in request.metrics]
    for metric in metrics:
        if not isinstance(metric, Ratio):
            raise CounterpointError(f"{metric.name} is no share of cases", hint="name another --metric")
    return [metric for metric in metrics if isinstance(metric, Ratio)]


def _largest(pilots: Sequence[_Pilot], request: SizeRequest) -> Iterator[tuple[str, _Pilot]]:
    """For a line and for a baseline, the model or the two models that need the most pictures."""
    for rule, count in ((LINE, 1), (BASELINE, 2)):
        own = [pilot for pilot in pilots if len(pilot.models) == count]
        enough = [pilot for pilot in own if len(pilot.sums.cases) >= FEWEST_CLUSTERS]
        if enough:
            yield rule, max(enough, key=lambda pilot: needed_pictures(pilot.sums, request.detect))
