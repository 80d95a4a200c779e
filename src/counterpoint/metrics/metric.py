"""Metrics as values: what is computed, and all that a table, page or document says about it.

A `Ratio` is a mean of credit over the units that count; a `Statistic` is anything else, such as the area under a curve.
One module with one such value and one row of the catalog, or an entry point, make a metric: scores, comparisons,
leaderboards and pages find it there.

A metric applies where its cases can occur at all, whatever a model answers. It leads on the suites whose tables show it
first. Both are conditions on `Contents`, what the groups of a suite are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from math import inf, nan
from types import MappingProxyType
from typing import Any, Generic, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.core.groups import Relation
from counterpoint.metrics.credit import gold_labels
from counterpoint.metrics.labels import Labels, renumber
from counterpoint.metrics.units import Flags, Floats, Rows, Unit, UnitKind

PICTURE_EDIT_TESTS = ("noise", "noise-severities", "pictures-changed", "pictures-changed-severities")
"""The tests that edit a picture and keep the answer."""
REWRITE_TESTS = ("sears", "word-noise", "word-noise-severities")
"""The tests that rewrite a question and keep the answer."""
FEATURE_NOISE_TESTS = ("feature-noise",)
"""The tests that add noise to features."""
RAD_PAIR_TESTS = ("rad-counterfactuals", "rad-back-translations", "rad-dialogues", "rad-open-dialogues")
"""The tests of RAD that augment an original."""
RAD_SET_TESTS = ("rad-rephrasings", "rad-l-convqa", "rad-cs-convqa")
"""The tests of RAD whose sets have no original."""


YES_NO, OPEN = "yes-no", "open"
"""What right answers are: yes or no, or anything else."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What the groups of a suite, or of one of its tests, are.

    `relations` are those of groups that have a variant: plain questions have none. `gold` says whether right answers
    are yes or no ("yes-no"), others ("open"), or both.
    """

    tests: frozenset[str] = frozenset()
    relations: frozenset[str] = frozenset()
    gold: frozenset[str] = frozenset()

    def __or__(self, other: "Contents") -> "Contents":
        return Contents(self.tests | other.tests, self.relations | other.relations, self.gold | other.gold)


Condition: TypeAlias = Callable[[Contents], bool]
"""Whether something holds for the contents of a suite."""


def everywhere(contents: Contents) -> bool:
    """Hold for every suite."""
    return True


def nowhere(contents: Contents) -> bool:
    """Hold for no suite."""
    return False


def has_questions(contents: Contents) -> bool:
    """Hold where a model answers questions, and does not score captions alone."""
    return contents.relations != {Relation.RANKS}


def has_no_variants(contents: Contents) -> bool:
    """Hold for plain questions."""
    return not contents.relations


def is_plain_yes_no(contents: Contents) -> bool:
    """Hold for plain questions that are all answered by yes or no."""
    return has_no_variants(contents) and contents.gold == {YES_NO}


def has_relation(*relations: str) -> Condition:
    """Hold where a group with a variant has one of these relations.

    >>> has_relation("same")(Contents(relations=frozenset(["same", "gold"])))
    True
    """
    return lambda contents: not contents.relations.isdisjoint(relations)


def has_test(*tests: str) -> Condition:
    """Hold where one of the tests of a suite is among these."""
    return lambda contents: not contents.tests.isdisjoint(tests)


def only_tests(*tests: str) -> Condition:
    """Hold where every test of a suite is among these."""
    return lambda contents: bool(contents.tests) and contents.tests <= {*tests}


def except_on_tests(*tests: str) -> Condition:
    """Hold where not every test of a suite is among these.

    >>> except_on_tests("noise")(Contents(frozenset(["order"])))
    True
    """
    only = only_tests(*tests)
    return lambda contents: not only(contents)


has_pairs = has_relation(Relation.SAME, Relation.DIFFERS, Relation.GOLD, Relation.SWAP)
"""Hold where questions have variants."""


def contents_by_suite(groups: pa.Table, *columns: str) -> Mapping[tuple[str, ...], Contents]:
    """The contents of each suite in a table of groups, cut by further columns, such as its tests."""
    cut = ("suite", *(name for name in columns if name not in ("suite", "test", "relation")))
    labels = [Labels.of(groups[name]) for name in (*cut, "test", "relation")]
    words = [["", YES_NO, OPEN], [False, True], *(own.words.to_pylist() for own in labels)]
    codes = [_answer_kinds(groups), groups["role"].to_numpy() > 0, *(own.codes for own in labels)]
    sizes = [max(len(own), 1) for own in words]
    _, used = renumber(np.ravel_multi_index(codes, sizes), int(np.prod(sizes)))
    contents: dict[tuple[str, ...], Contents] = {}
    for places in zip(*np.unravel_index(used, sizes), strict=True):
        gold, varies, *names, test, relation = (own[place] for own, place in zip(words, places, strict=True))
        key = (*names, test) if "test" in columns else tuple(names)
        own = Contents(frozenset([test]), frozenset([relation] * varies), frozenset([gold] * bool(gold)))
        contents[key] = contents.get(key, Contents()) | own
    return contents


def whole_suites(contents: Mapping[tuple[str, ...], Contents]) -> dict[str, Contents]:
    """The contents of each suite, from those of its parts, whose names begin with that of the suite."""
    whole: dict[str, Contents] = {}
    for (suite, *_), own in contents.items():
        whole[suite] = whole.get(suite, Contents()) | own
    return whole


def _answer_kinds(groups: pa.Table) -> NDArray[np.int8]:
    """Whether the right answer of each row is yes or no (1), or open (2); 0 where there is none."""
    if "gold" not in groups.column_names:
        return np.zeros(groups.num_rows, np.int8)
    best = gold_labels(groups["gold"])
    return np.where(best.codes < 0, 0, np.where(best.where(["yes", "no"]), 1, 2)).astype(np.int8)


Estimator: TypeAlias = Callable[[Floats], float]
"""The value of a statistic, from the weight of each of its units; nan where there is none."""


@dataclass(frozen=True, slots=True)
class SumEstimator:
    """An estimator that is a function of sums over units, so that leaving out some of them takes no further pass.

    >>> mean = SumEstimator((np.array([1.0, 0.0]), np.ones(2)), lambda credit, cases: credit / cases)
    >>> mean(np.array([3.0, 1.0]))
    0.75
    """

    columns: tuple[Floats, ...]  # a value of each unit
    value: Callable[..., float]  # of the sum of each column

    def __call__(self, weights: Floats) -> float:
        """The value with these weights."""
        return self.value(*(float((column * weights).sum()) for column in self.columns))

    def without_groups(self, group: Rows, groups: int) -> Floats:
        """The values without the units of each group in turn."""
        left = [column.sum() - np.bincount(group, column, groups) for column in self.columns]
        return np.array([self.value(*own) for own in np.transpose(left).tolist()])


_MOST_CELLS = 1 << 20  # sums by group and code that are held at once


@dataclass(frozen=True, slots=True)
class CodedSumEstimator:
    """An estimator that is a function of sums over the units of each code: of each confidence, or of each edit.

    >>> largest = CodedSumEstimator(np.array([0, 1, 1]), 2, (np.ones(3),), lambda cases: float(cases.max()))
    >>> largest(np.ones(3)), largest.without_groups(np.array([0, 0, 1]), 2).tolist()
    (2.0, [1.0, 1.0])
    """

    code: Rows  # of each unit
    codes: int
    columns: tuple[Floats, ...]  # a value of each unit
    value: Callable[..., float]  # of an array for each column: the sum of each code

    def __call__(self, weights: Floats) -> float:
        """The value with these weights."""
        return self.value(*(np.bincount(self.code, column * weights, self.codes) for column in self.columns))

    def without_groups(self, group: Rows, groups: int) -> Floats:
        """The values without the units of each group in turn."""
        totals = [np.bincount(self.code, column, self.codes) for column in self.columns]
        if groups * self.codes <= _MOST_CELLS:
            cells = group * self.codes + self.code
            parts = (np.bincount(cells, column, groups * self.codes) for column in self.columns)
            left = [total - part.reshape(groups, -1) for total, part in zip(totals, parts, strict=True)]
            return np.array([self.value(*own) for own in zip(*left, strict=True)])
        order = np.argsort(group.astype(np.uint16), kind="stable")  # a radix sort; groups are few
        values = []
        for own in np.split(order, np.searchsorted(group[order], np.arange(1, groups))):
            parts = (np.bincount(self.code[own], column[own], self.codes) for column in self.columns)
            values.append(self.value(*(total - part for total, part in zip(totals, parts, strict=True))))
        return np.array(values)


def mean_estimator(values: Floats) -> SumEstimator:
    """The estimator of a mean over units."""
    return SumEstimator((values, np.ones(len(values))), lambda total, cases: total / cases if cases else nan)


class MetricKind(StrEnum):
    """What the value of a metric is; its interval follows from this and from its range."""

    SHARE = "share"  # of units that are the same for every model
    RATIO = "ratio"  # of units that depend on the model's answers
    DIFFERENCE = "difference"
    CURVE = "curve"  # an area or error over a curve
    PLUG_IN = "plug-in"  # raised by chance itself, so that it has no interval and ranks no model


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


Reason: TypeAlias = tuple[Callable[[Any], Flags], str]
"""Why a metric may have no value: the units for which it holds, and a sentence."""


@dataclass(frozen=True, slots=True)
class MetricMetadata:
    """What is known of a metric beside how it is computed.

    `version` counts the definitions of its value, and every score names it.
    `directed` is false where neither more nor less is better, as for the share of answers that are yes.
    `applies` says on which suites it can have a value, `leads` on which of them tables show it first, in the order of
    `rank`. A metric `on_request` is computed elsewhere only when it is named. `reads` lists the columns of the answers
    that it needs beside those that every metric needs. `chance` names the metric that is its chance level. Where
    nothing counts, the first of `reasons` that holds for a unit of the slice is shown, and `not_applicable` otherwise.
    """

    name: str
    _: KW_ONLY
    title: str = ""  # derived from the name, if empty
    term: str = ""  # what papers call it
    description: str = ""
    lower_is_better: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    kind: MetricKind = MetricKind.SHARE
    version: int = 1
    directed: bool = True
    needs: Ability = Ability.ANSWERS
    reads: tuple[str, ...] = ()
    not_applicable: str = "no group here counts for this metric"
    chance: str = ""
    applies: Condition = everywhere
    leads: Condition = everywhere
    rank: int = 100
    on_request: bool = False
    reasons: tuple[Reason, ...] = ()

    def __post_init__(self) -> None:
        if not self.title:
            words = self.name.replace("_", " ")
            object.__setattr__(self, "title", f"{words[:1].upper()}{words[1:]}")

    @property
    def better(self) -> str:
        """Which values are better: `higher`, `lower`, or `neither`."""
        return "neither" if not self.directed else "lower" if self.lower_is_better else "higher"

    @property
    def phrase(self) -> str:
        """The title within a sentence.

        >>> MetricMetadata("worst_case").phrase, MetricMetadata("x", title="RAD forward").phrase
        ('worst case', 'RAD forward')
        """
        return self.title if self.title[1:2].isupper() else f"{self.title[:1].lower()}{self.title[1:]}"


@dataclass(frozen=True, slots=True)
class Ratio(MetricMetadata, Generic[UnitKind]):
    """A metric that is a mean: what a unit earns, from 0 to 1, and whether it counts at all.

    A unit with a failed or missing member never counts.

    >>> from counterpoint import Pairs
    >>> rad = Ratio("rad", Pairs, lambda p: p.variant_right, counts=lambda p: p.gold & p.base_right)
    >>> rad.title
    'Rad'
    """

    unit: type[UnitKind]
    hit: Callable[[UnitKind], Flags | Floats]
    counts: Callable[[UnitKind], Flags] = all_units

    def cases(self, units: UnitKind) -> tuple[Floats, Flags]:
        """What each unit earns, nothing where it does not count, and whether it counts."""
        counted = self.counts(units) & units.counted
        return np.where(counted, self.hit(units), 0.0), counted


@dataclass(frozen=True, slots=True)
class Statistic(MetricMetadata, Generic[UnitKind]):
    """A metric that is no mean of cases: how it is estimated from weighted units, and whether a unit counts at all.

    `prepare` takes the units and the places of those that lie in a slice and count. It does once what need not be done
    again, such as sorting, and returns the estimator. A unit with a failed or missing member never counts.
    The value is that of the lowest of the ratios `lowest_of`, if there are any. Where its standard error is above
    `largest_error` there is no value. `test` gives a p value against chance, from the units, the places and a seed.
    """

    unit: type[UnitKind]
    prepare: Callable[[UnitKind, Rows], Estimator]
    counts: Callable[[UnitKind], Flags] = all_units
    lowest_of: tuple[Ratio[UnitKind], ...] = ()
    largest_error: float = inf
    test: Callable[[UnitKind, Rows, int], float] | None = None


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
