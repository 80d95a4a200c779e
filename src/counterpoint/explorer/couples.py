"""Two models on one suite, from the tables of outcomes: paired differences and coverage, without judging anything."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from types import MappingProxyType

import numpy as np

from counterpoint.lab.reader import LabReader
from counterpoint.metrics.bootstrap import seeded_rng
from counterpoint.metrics.intervals import Score, interval_from_sums
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.outcomes import STATES, Flags, Floats, Rows
from counterpoint.metrics.paired_tests import PairedDifference, mcnemar, paired_difference

THRESHOLD = 0.5
FRACTIONAL = ("accuracy",)
"""Measures whose cases can be half right: McNemar's test is not for them."""

COMPARED_METRICS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "accuracy": ("same", "differs", "gold", "swap"),
        "self_consistency": ("same", "differs"),
        "comprehensive_accuracy": ("same", "differs", "gold"),
        "acc_r": ("ranks",),
        "survived": ("swap",),
    }
)
"""What is compared case by case, and the relations of the groups on which it counts."""

_FINE = 3  # states before this one are answers


@dataclass(frozen=True, slots=True)
class Suite:
    """The rows of a suite: the row of each one's base, its test and relation, and the picture of its base."""

    base: Rows
    test: Labels
    relation: Labels
    cluster: Rows
    variants: Rows  # the rows that are no bases: a pair each

    def has(self, relation: str) -> bool:
        """Whether any group has this relation."""
        return bool(self.relation.where([relation]).any())


@dataclass(frozen=True, slots=True)
class Told:
    """What became of each row in the hands of one model."""

    correct: Floats
    consistent: Flags
    known: Flags
    fine: Flags


@dataclass(frozen=True, slots=True)
class Cases:
    """What each pair earns by a metric in the hands of one model, and whether it counts."""

    metric: str
    earned: Floats
    counts: Flags


@dataclass(frozen=True, slots=True)
class Compared:
    """The first model's share less the second's on the cases that count for both."""

    first: float
    second: float
    difference: PairedDifference
    n: int
    clusters: int
    p: float


def suite_of(reader: LabReader, suite: str, slug: str) -> Suite:
    """The rows of a suite, as the outcomes of any model have them."""
    asked = reader.database.source("outcomes", model=slug, suite=suite)
    found = reader.database.table(f"SELECT place, test, relation, picture FROM {asked} ORDER BY row")
    base = found["place"].to_numpy().astype(np.int64)
    picture = found["picture"].combine_chunks().dictionary_encode()
    codes = picture.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
    variants = np.flatnonzero(base != np.arange(len(base)))
    return Suite(base, Labels.of(found["test"]), Labels.of(found["relation"]), codes[base], variants)


def told(reader: LabReader, suite: str, slug: str) -> Told:
    """What became of the rows of a suite, in their order."""
    asked = reader.database.source("outcomes", model=slug, suite=suite)
    found = reader.database.table(f"SELECT correct, consistent, state FROM {asked} ORDER BY row")
    consistent = found["consistent"].combine_chunks()
    answers = Labels.of(found["state"]).where(STATES[:_FINE])
    return Told(
        found["correct"].to_numpy().astype(np.float64),
        consistent.fill_null(False).to_numpy(zero_copy_only=False),
        consistent.is_valid().to_numpy(zero_copy_only=False),
        answers,
    )


def slices(rows: Suite) -> Iterator[tuple[str, Flags]]:
    """The whole suite, which has no name, and each of its tests where there are several."""
    yield "", np.ones(len(rows.variants), np.bool_)
    own = rows.test.at(rows.variants)
    tests = [str(word) for word in own.words.to_pylist()]
    if len(tests) > 1:
        for test in tests:
            yield test, own.where([test])


def cases(rows: Suite, model: Told, metric: str) -> Cases:
    """What each pair earns, and whether it counts."""
    row = rows.variants
    base = rows.base[row]
    there = rows.relation.at(row).where(COMPARED_METRICS[metric]) & model.fine[row] & model.fine[base]
    if metric in ("accuracy", "comprehensive_accuracy"):
        credit, other = model.correct[base], model.correct[row]
        counts = there & ~np.isnan(credit) & ~np.isnan(other)
        earned = (credit + other) / 2 if metric == "accuracy" else (credit >= THRESHOLD) & (other >= THRESHOLD)
    else:
        counts, earned = there & model.known[row], model.consistent[row]
    return Cases(metric, np.where(counts, earned, 0.0), counts)


def compared(rows: Suite, first: Cases, second: Cases, test: str, inside: Flags) -> Compared | None:
    """One metric of one slice, or nothing where no case counts for both models.

    Measures that hit or miss have McNemar's exact test and the paired test over pictures, and both must speak: `p` is
    the larger one.
    """
    (a, a_counts), (b, b_counts) = (first.earned, first.counts), (second.earned, second.counts)
    both = a_counts & b_counts & inside
    n = int(both.sum())
    if not n:
        return None
    apart, cluster = a[both] - b[both], rows.cluster[rows.variants[both]]
    sums, counts = np.bincount(cluster, apart).astype(np.float64), np.bincount(cluster)
    found = paired_difference(sums, counts, float((apart**2).sum()), seeded_rng(0, [test] if test else []))
    p = found.p
    if first.metric not in FRACTIONAL:
        p = max(p, mcnemar(int((apart > 0).sum()), int((apart < 0).sum())))
    return Compared(float(a[both].mean()), float(b[both].mean()), found, n, int(np.count_nonzero(counts)), p)


def covering(rows: Suite, model: Told, of: Told) -> tuple[Score, int] | None:
    """Of the answers that one model has right, the share that another has right too, and on how many pictures."""
    counts = of.fine & model.fine & (of.correct >= THRESHOLD) & ~np.isnan(model.correct)
    if not counts.any():
        return None
    hits = counts & (model.correct >= THRESHOLD)
    cases = np.bincount(rows.cluster[counts])
    sums = np.bincount(rows.cluster[hits], minlength=len(cases)).astype(np.float64)
    used = cases > 0
    score = interval_from_sums(sums[used], cases[used], float(sums.sum()))
    return None if isnan(score.value) else (score, int(used.sum()))
