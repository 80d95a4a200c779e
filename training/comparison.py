"""Scores of models trained with and without added questions, as a table."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

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
    """One kind of model, trained without the added questions and with them."""

    model: str
    before: AugmentationScores
    after: AugmentationScores


def comparison_lines(found: Iterable[AugmentationComparison]) -> Iterator[str]:
    """The figures in per cent, a line for each model and test: as trained with the questions, and what that gained."""
    found = list(found)
    heads = "".join(f"{head:>10}{'gain':>7}" for head in MEASURES.values())
    wide = 2 + max((len(test) for one in found for test in (*one.after.tests, "plain")), default=5)
    yield f"{'model':<10}{'test':<{wide}}{heads}"
    for one in found:
        for test, scores in one.after.tests.items():
            gains = (_gain(one.before.tests[test].get(name), scores.get(name)) for name in MEASURES)
            yield f"{one.model:<10}{test:<{wide}}{''.join(gains).rstrip()}"
        yield f"{one.model:<10}{'plain':<{wide}}{_gain(one.before.plain, one.after.plain)}"


def _gain(before: Score | None, after: Score | None) -> str:
    """A score and what it gained; a dash where the measure does not apply."""
    if before is None or after is None:
        return f"{'–':>10}{'':7}"
    return f"{100 * after.value:10.1f}{100 * (after.value - before.value):+7.1f}"
