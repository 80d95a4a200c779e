"""The leaderboard: each measure of each model as the unweighted mean over data sets (Beyond Accuracy, Table 1).

A mean says over how many data sets it was taken. One over fewer than other models have, or over a data set that was
asked only in part, is shown and not ranked, since a harder data set may be the one that is left out. A measure that
does not apply to a model has no value, and a reason.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import sqrt
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.metrics.bias import picture_bias, picture_chance, question_bias, question_chance
from counterpoint.metrics.calibration import ece
from counterpoint.metrics.metric import Metric, Ratio
from counterpoint.metrics.outcomes import Singles
from counterpoint.metrics.robustness import (
    mean_robustness,
    picture_feature_robustness,
    question_feature_robustness,
    robustness,
)
from counterpoint.metrics.uncertainty import uncertainty

BASES = "bases"
"""Stands for the test of measures that are read from the answers to bases."""
PLAIN = "plain"
"""The test whose questions are the bases of a data set, where it has that test."""

right = Ratio("accuracy", Singles, lambda s: s.correct, lambda s: s.gold & s.is_base)
"""What the answers to the questions of a data set earn."""


@dataclass(frozen=True, slots=True)
class Column:
    """One measure: on which test it is taken, what a model must be able to do."""

    name: str
    title: str
    test: str
    measure: Metric
    needs: str = "answers"
    chance: Metric | None = None  # what a model that guesses would have

    @property
    def lower(self) -> bool:
        """Whether less is better."""
        return self.measure.lower_is_better


COLUMNS = (
    Column("accuracy", "accuracy", BASES, right),
    Column("question_bias", "question bias", "question-bias", question_bias, chance=question_chance),
    Column("picture_bias", "picture bias", "picture-bias", picture_bias, chance=picture_chance),
    Column("pixel_noise", "pixel noise", "noise", mean_robustness),
    Column("picture_features", "picture features", "feature-noise", picture_feature_robustness, needs="features"),
    Column("question_features", "question features", "feature-noise", question_feature_robustness, needs="features"),
    Column("sears", "SEARs", "sears", robustness),
    Column("word_noise", "word noise", "word-noise", robustness),
    Column("uncertainty", "uncertainty", BASES, uncertainty, needs="samples"),
    Column("ece", "ECE", BASES, ece),
)
"""The measures, in the order of Table 1; those that the paper lacks stand beside the nearest of them."""
TESTS = (PLAIN, *dict.fromkeys(column.test for column in COLUMNS if column.test != BASES))
"""The tests that any of them is taken on."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One measure of one model on one data set, from 0 to 1; without a value, the reason why."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    reason: str = ""
    missing: float = 0.0  # the share of what there is to ask that was not asked
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Mean:
    """One measure of one model over data sets; `of` counts those on which any model has it."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    data_sets: int = 0
    of: int = 0
    part: bool = False  # a data set was asked only in part
    rank: int | None = None  # 1 is best; none where models cannot be compared
    reason: str = ""

    @property
    def whole(self) -> bool:
        """Whether it was taken over all data sets, each of them whole."""
        return self.value is not None and self.data_sets == self.of and not self.part


@dataclass(frozen=True, slots=True)
class Row:
    """A model with its means, and with what they were taken from."""

    model: str
    means: Mapping[str, Mean]
    entries: Mapping[str, Mapping[str, Entry]]  # by data set and column


@dataclass(frozen=True, slots=True)
class Board:
    """The whole leaderboard: the columns that there is anything for, and the models, the most accurate first."""

    columns: tuple[Column, ...] = ()
    data_sets: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def plain(self) -> list[dict[str, Any]]:
        """As JSON has it."""
        return [
            {
                "model": row.model,
                "measures": {name: asdict(mean) for name, mean in row.means.items()},
                "data_sets": {
                    data_set: {name: asdict(entry) for name, entry in own.items()}
                    for data_set, own in row.entries.items()
                },
            }
            for row in self.rows
        ]


def board(models: Mapping[str, Mapping[str, Mapping[str, Entry]]]) -> Board:
    """The leaderboard from the entries of each model, by data set and column."""
    data_sets = tuple(sorted({data_set for own in models.values() for data_set in own}))
    columns = tuple(column for column in COLUMNS if any(_entries(own, column.name) for own in models.values()))
    rows = {name: Row(name, {}, own) for name, own in models.items()}
    for column in columns:
        counted = {data_set for row in rows.values() for data_set in _values(row.entries, column.name)}
        means = {name: _mean(row.entries, column.name, len(counted)) for name, row in rows.items()}
        for name, mean in ranked(means, lower=column.lower).items():
            rows[name] = replace(rows[name], means={**rows[name].means, column.name: mean})
    order = sorted(rows.values(), key=_place)
    return Board(columns, data_sets, tuple(order), tuple(remarks(order, columns)))


def mean_of(entries: Sequence[Entry]) -> Mean:
    """The unweighted mean with a 95 % interval, from independent entries and the ends of theirs.

    Each end of an interval is as far from the mean as the distances of its parts, squared, added and rooted, allow
    (Zou and Donner, 2008), so that lopsided intervals stay lopsided.

    >>> one = mean_of([Entry(0.5, 0.4, 0.7), Entry(0.7, 0.4, 0.7)])
    >>> round(one.value, 3), round(one.low, 3), round(one.high, 3)
    (0.6, 0.442, 0.7)
    """
    value = sum(_known(one.value) for one in entries) / len(entries)
    below = sqrt(sum((_known(one.value) - _known(one.low)) ** 2 for one in entries)) / len(entries)
    above = sqrt(sum((_known(one.high) - _known(one.value)) ** 2 for one in entries)) / len(entries)
    part = any(one.missing > 0 for one in entries)
    return Mean(value, value - below, value + above, len(entries), len(entries), part)


def ranked(means: Mapping[str, Mean], *, lower: bool) -> dict[str, Mean]:
    """The means of a column with their ranks; equal ones share a rank, and those that are not whole have none."""
    sign = 1 if lower else -1
    places = {name: sign * _known(mean.value) for name, mean in means.items() if mean.whole}
    ranks = {name: 1 + sum(other < own for other in places.values()) for name, own in places.items()}
    return {name: replace(mean, rank=ranks.get(name)) for name, mean in means.items()}


def bases(groups: pa.Table) -> pa.Table:
    """The questions of a data set, each once: those of its plain test, or of all its tests where it has none."""
    first = groups.filter(pc.equal(groups["role"], 0))
    plain = first.filter(pc.equal(first["test"].cast(pa.string()), PLAIN))
    first = plain if plain.num_rows else first
    numbers = pa.array(range(first.num_rows), pa.int64())
    once = first.select(["query"]).append_column("row", numbers).group_by("query").aggregate([("row", "min")])
    found = first.take(once["row_min"].sort())
    test = pa.repeat(pa.scalar(BASES, pa.string()), found.num_rows)
    return found.set_column(found.column_names.index("test"), "test", test)


def stacked(tables: Sequence[pa.Table]) -> pa.Table:
    """Groups of several suites below each other."""
    return pa.concat_tables(tables)


def remarks(rows: Iterable[Row], columns: Sequence[Column]) -> Iterable[str]:
    """Why cells are blank and which means are not ranked, models that share both together."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        said: dict[str, list[str]] = {}
        for column in columns:
            if remark := _remark(row.means[column.name]):
                said.setdefault(remark, []).append(column.title)
        for remark, titles in said.items():
            found.setdefault((", ".join(titles), remark), []).append(row.model)
    return (f"{', '.join(models)}: {titles}: {remark}" for (titles, remark), models in found.items())


def _values(entries: Mapping[str, Mapping[str, Entry]], name: str) -> dict[str, Entry]:
    """The data sets on which a measure has a value."""
    return {data_set: entry for data_set, entry in _entries(entries, name).items() if entry.value is not None}


def _entries(entries: Mapping[str, Mapping[str, Entry]], name: str) -> dict[str, Entry]:
    return {data_set: own[name] for data_set, own in entries.items() if name in own}


def _mean(entries: Mapping[str, Mapping[str, Entry]], name: str, of: int) -> Mean:
    if found := list(_values(entries, name).values()):
        return replace(mean_of(found), of=of)
    reasons = dict.fromkeys(entry.reason for entry in _entries(entries, name).values() if entry.reason)
    return Mean(of=of, reason="; ".join(reasons) or "no data set has it")


def _place(row: Row) -> tuple[bool, float, str]:
    mean = row.means.get(COLUMNS[0].name, Mean())
    return not mean.whole, -(mean.value or 0.0), row.model


def _remark(mean: Mean) -> str:
    if mean.value is None:
        return mean.reason
    if mean.whole:
        return ""
    over = f"over {mean.data_sets} of {mean.of} data sets" if mean.data_sets < mean.of else "over all data sets"
    return f"{over}, {'not all of them asked whole, ' * mean.part}so not ranked"


def _known(value: float | None) -> float:
    assert value is not None, "only what has a value is averaged"
    return value
