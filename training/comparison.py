"""Scores of models trained with and without added questions, as a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from counterpoint.metrics.distributions import student_quantile
from counterpoint.metrics.intervals import Score

MEASURES = {
    "accuracy": "ACC",
    "self_consistency": "CONS",
    "comprehensive_accuracy": "C-ACC",
    "base_accuracy": "original",
    "variant_accuracy": "changed",
}
"""What is compared on each test, as the papers' tables call it."""


@dataclass(frozen=True, slots=True)
class AugmentationScores:
    """What one trained model scored: the measures on each test, and accuracy on plain questions."""

    tests: Mapping[str, Mapping[str, Score]]
    plain: Score


@dataclass(frozen=True, slots=True)
class AugmentationComparison:
    """One kind of model, trained without the added questions and with them, once or more each way."""

    model: str
    before: Sequence[AugmentationScores]
    after: Sequence[AugmentationScores]


def comparison_lines(found: Iterable[AugmentationComparison]) -> Iterator[str]:
    """Means of the runs in per cent, a line for each model and test: as trained with the questions, and the gain.

    With two runs or more, a 95 % interval of the gain stands beside it: Student's, of the differences between runs of
    one seed. It covers the luck of training, not that of the pictures.
    """
    found = list(found)
    heads = "".join(f"{head:>10}{'gain':>7}{'±':>6}" for head in MEASURES.values())
    wide = 2 + max((len(test) for one in found for test in (*one.after[0].tests, "plain")), default=5)
    yield f"{'model':<10}{'test':<{wide}}{heads}"
    for one in found:
        for test in one.after[0].tests:
            gains = (
                _gain(*([run.tests[test].get(name) for run in runs] for runs in (one.before, one.after)))
                for name in MEASURES
            )
            yield f"{one.model:<10}{test:<{wide}}{''.join(gains).rstrip()}"
        plain = _gain(*([run.plain for run in runs] for runs in (one.before, one.after)))
        yield f"{one.model:<10}{'plain':<{wide}}{plain.rstrip()}"


def _gain(before: Sequence[Score | None], after: Sequence[Score | None]) -> str:
    """The mean score, its gain and half the interval of that; a dash where the measure does not apply."""
    pairs = [(one.value, other.value) for one, other in zip(before, after, strict=True) if one and other]
    if not pairs:
        return f"{'–':>10}{'':13}"
    old, new = 100 * np.array(pairs).T
    return f"{new.mean():10.1f}{(new - old).mean():+7.1f}{_half(new - old):>6}"


def _half(gains: np.ndarray) -> str:
    """Half the 95 % interval of the mean of some gains; nothing for one."""
    if len(gains) < 2:
        return ""
    return f"{student_quantile(0.975, len(gains) - 1) * gains.std(ddof=1) / len(gains) ** 0.5:.1f}"
