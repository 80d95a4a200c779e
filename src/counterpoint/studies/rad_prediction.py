"""Predicting accuracy on an unseen augmentation from accuracy and RAD on others (RAD, Appendix E), with its tables."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.errors import CounterpointError, SourceError
from counterpoint.core.quantities import counted
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.sources.reading.records import Record, Skips
from counterpoint.sources.reading.tables import read_rows

POOL = ("color", "how-many", "what-kind", "rephrase")
"""The augmentations of which each is predicted from the three others."""
FEATURES = ("accuracy", "rad_forward", "rad_backward")
"""What a prediction is made from, pooled over three augmentations."""
CHOICES: Mapping[str, tuple[int, ...]] = {"all": (0, 1, 2)} | {name: (place,) for place, name in enumerate(FEATURES)}
"""All features at once, and each by itself, as in Table 4."""

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RadCounts:
    """What one instance of a model made of the pairs of one augmentation; right is a credit of at least a threshold."""

    instance: str
    augmentation: str
    pairs: int
    base_credit: float  # summed over the pairs
    variant_credit: float
    base_right: int
    variant_right: int
    both_right: int

    @classmethod
    def of(cls, instance: str, augmentation: str, base: Floats, variant: Floats, threshold: float) -> "RadCounts":
        """From the credit of both members of each pair."""
        first, second = base >= threshold, variant >= threshold
        sums = float(base.sum()), float(variant.sum())
        rights = int(first.sum()), int(second.sum()), int((first & second).sum())
        return cls(instance, augmentation, len(base), *sums, *rights)


@dataclass(frozen=True, slots=True)
class RegressionFit:
    """One regression over all instances: what is predicted from what, and how well."""

    target: str
    features: str
    intercept: bool
    coefficients: tuple[float, ...]  # of the features, then the intercept if there is one
    r2: float | None  # about the mean of the target; nothing where the target does not vary
    r2_about_zero: float | None
    r2_left_out: float | None  # each instance predicted by the others
    instances: int


@dataclass(frozen=True, slots=True)
class RegressionSummary:
    """The mean and the standard deviation of one kind of R² over the targets for which it is defined."""

    features: str
    intercept: bool
    measure: str
    mean: float | None
    sd: float | None
    targets: int


def count_outcomes(instance: str, outcomes: Outcomes) -> Iterator[RadCounts]:
    """What one model made of every augmentation in a lab, by the tag that pairs carry."""
    pairs, labels = outcomes.pairs(), outcomes.labels("tag:augmentation")
    names = labels.at_or(pairs.row, pairs.base)
    for name in sorted(word for word in labels.words.to_pylist() if word in POOL):
        rows = names.where([name]) & pairs.gold & pairs.counted
        if rows.any():
            base, variant = pairs.base_correct[rows], pairs.variant_correct[rows]
            yield RadCounts.of(instance, name, base, variant, outcomes.threshold)


def design(counts: Iterable[RadCounts], target: str) -> tuple[list[str], Floats, Floats, list[str]]:
    """Instances, features and what is to be predicted; and the instances for which something is undefined.

    Features are pooled over the pairs of the other augmentations: credit of the originals, |J ∩ J'| / |J| and
    |J ∩ J'| / |J'|. The target is the credit of its modified questions.
    """
    by_instance: dict[str, dict[str, RadCounts]] = {}
    for row in counts:
        if row.augmentation in POOL:
            by_instance.setdefault(row.instance, {})[row.augmentation] = row
    instances, rows, wanted, left_out = list[str](), list[list[float]](), list[float](), list[str]()
    for instance, rows_of_instance in sorted(by_instance.items()):
        others = [rows_of_instance[name] for name in POOL if name != target and name in rows_of_instance]
        features = _features(others)
        if len(others) < len(POOL) - 1 or target not in rows_of_instance or features is None:
            left_out.append(instance)
            continue
        instances.append(instance)
        rows.append(features)
        wanted.append(rows_of_instance[target].variant_credit / rows_of_instance[target].pairs)
    return instances, np.array(rows, np.float64).reshape(-1, len(FEATURES)), np.array(wanted, np.float64), left_out


def regressions(counts: Sequence[RadCounts]) -> tuple[list[RegressionFit], dict[str, list[str]]]:
    """Every regression of Appendix E, as printed and with an intercept; and for each target who was left out."""
    fits, left_out = list[RegressionFit](), dict[str, list[str]]()
    for target in POOL:
        instances, features, wanted, left_out[target] = design(counts, target)
        if len(instances) < len(FEATURES) + 2:
            lacking = Counter(row.augmentation for row in counts)
            available = ", ".join(f"{name} {lacking[name]}" for name in POOL)
            having = counted(len(instances), "instance", "have")
            fact = f"{having} answers to all of {', '.join(POOL)}; a regression wants at least 5"
            raise CounterpointError(fact, hint=f"instances by augmentation: {available}")
        for name, columns in CHOICES.items():
            for intercept in (False, True):
                fits.append(fit_regression(target, name, features[:, columns], wanted, intercept=intercept))
    return fits, left_out


def fit_regression(target: str, name: str, features: Floats, wanted: Floats, *, intercept: bool) -> RegressionFit:
    """Least squares, with how much of the target is explained: seen, and by leaving out each instance in turn."""
    x = np.column_stack([features, np.ones(len(wanted))]) if intercept else features
    coefficients = _least_squares(x, wanted)
    spread = float(((wanted - wanted.mean()) ** 2).sum())
    missed = float(((wanted - x @ coefficients) ** 2).sum())
    others = ~np.eye(len(wanted), dtype=np.bool_)
    guessed = np.array([x[place] @ _least_squares(x[rest], wanted[rest]) for place, rest in enumerate(others)])
    return RegressionFit(
        target,
        name,
        intercept,
        tuple(map(float, coefficients)),
        _explained(missed, spread),
        _explained(missed, float((wanted**2).sum())),
        _explained(float(((wanted - guessed) ** 2).sum()), spread),
        len(wanted),
    )


def summaries(fits: Sequence[RegressionFit]) -> list[RegressionSummary]:
    """Mean and standard deviation (of a sample) over the targets, for each choice of features and each measure."""
    summary_rows = []
    for intercept in (False, True):
        for measure in ("r2", "r2_about_zero", "r2_left_out"):
            if intercept and measure == "r2_about_zero":
                continue
            for name in CHOICES:
                values = [getattr(fit, measure) for fit in fits if fit.features == name and fit.intercept is intercept]
                defined = np.array([value for value in values if value is not None], np.float64)
                mean = float(defined.mean()) if len(defined) else None
                sd = float(defined.std(ddof=1)) if len(defined) > 1 else None
                summary_rows.append(RegressionSummary(name, intercept, measure, mean, sd, len(defined)))
    return summary_rows


def columns() -> tuple[str, ...]:
    """The columns of a table of counts, in their order."""
    return tuple(one.name for one in fields(RadCounts))


def _features(others: Sequence[RadCounts]) -> list[float] | None:
    pairs, first, second, both = (
        sum(getattr(row, name) for row in others) for name in ("pairs", "base_right", "variant_right", "both_right")
    )
    if not (pairs and first and second):
        return None
    return [sum(row.base_credit for row in others) / pairs, both / first, both / second]


def _least_squares(x: Floats, y: Floats) -> Floats:
    return np.asarray(np.linalg.lstsq(x, y, rcond=None)[0], np.float64)


def _explained(missed: float, spread: float) -> float | None:
    return 1 - missed / spread if spread > 1e-12 else None


EXAMPLE = Path(str(files("counterpoint.studies").joinpath("data/rad_instances.csv")))
"""The counts of 45 instances of a small model, trained by `python -m training.rad_instances` in a checkout."""
PAIRS = ("instance", "augmentation", "base", "variant")
"""The columns of a table with one row a pair: what base and variant earned, from 0 to 1."""


def read_counts(path: Path, threshold: float) -> list[RadCounts]:
    """The counts of a table of either form; a row that cannot be read is an error that says where."""
    skips = Skips()
    records = list(read_rows(path, skips, lambda names: "instance" in names))
    if skips.total or not records:
        raise SourceError(skips.lines()[0] if skips.total else f"{path.name} has no rows", hint=_hint())
    names = set(records[0].content)
    if set(columns()) <= names:
        return [_counts(record) for record in records]
    if set(PAIRS) <= names:
        return _gathered(records, threshold)
    raise SourceError(f"{path.name} has the columns {', '.join(sorted(names))[:200]}", hint=_hint())


def counts_text(counts: Iterable[RadCounts]) -> str:
    """Counts as text with commas, which `read_counts` reads."""
    text = StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(columns())
    table.writerows([_short(cell) for cell in astuple(row)] for row in counts)
    return text.getvalue()


def _short(cell: Any) -> Any:
    return f"{cell:.6g}" if isinstance(cell, float) else cell


def _counts(record: Record) -> RadCounts:
    cells = [record.content[name] for name in columns()]
    try:
        pairs, first, second, both = (int(cells[place]) for place in (2, 5, 6, 7))
        credit = float(cells[3]), float(cells[4])
    except (TypeError, ValueError):
        raise SourceError(f"{record.place} holds no numbers", hint=_hint()) from None
    if not (0 <= both <= min(first, second) <= max(first, second) <= pairs and pairs):
        raise SourceError(f"{record.place}: {both}, {first} and {second} right of {pairs} cannot be", hint=_hint())
    return RadCounts(str(cells[0]), str(cells[1]), pairs, *credit, first, second, both)


def _gathered(records: Sequence[Record], threshold: float) -> list[RadCounts]:
    earned: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for record in records:
        instance, augmentation, *credit = (record.content[name] for name in PAIRS)
        try:
            base, variant = map(float, credit)
        except (TypeError, ValueError):
            raise SourceError(f"{record.place} holds no numbers", hint=_hint()) from None
        if not (0 <= base <= 1 and 0 <= variant <= 1):
            raise SourceError(f"{record.place}: {base:g} and {variant:g} are no credit from 0 to 1", hint=_hint())
        earned.setdefault((str(instance), str(augmentation)), []).append((base, variant))
    counts = []
    for (instance, augmentation), credit in sorted(earned.items()):
        base, variant = np.array(credit, np.float64).T
        counts.append(RadCounts.of(instance, augmentation, base, variant, threshold))
    return counts


def _hint() -> str:
    return f"its columns should be {', '.join(PAIRS)}, or {', '.join(columns())}"


def example() -> list[RadCounts]:
    """The counts that come with the package."""
    return read_counts(EXAMPLE, 0.5)
