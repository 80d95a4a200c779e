"""Uncertainty of the answers to bases, by the stochastic passes of a model.

Where a model gives a distribution over all answers, its passes have a mean distribution, and uncertainty is one minus
the largest probability in it. Where it gives only an answer, the answers of its passes are compared.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from counterpoint.metrics.metric import Ability, Metric, Ratio, has_questions, nowhere
from counterpoint.metrics.units import Flags, Floats, Singles

NO_MEAN = "no mean of passes with dropout is there: the model has none, or was run without --trials"
NO_ENTROPY = "the mean of its passes has no entropy: its probabilities do not add up to one, or there is none"
NO_PASSES = "there are no two stochastic passes: the model has none, or was run without --trials"


def _known(values: Callable[[Singles], Floats], singles: Singles) -> Flags:
    return singles.is_base & ~np.isnan(values(singles))


def _metric(
    name: str,
    values: Callable[[Singles], Floats],
    rank: int,
    description: str,
    missing: str,
    *,
    lower_is_better: bool = True,
    reads: tuple[str, ...] = (),
) -> Ratio[Singles]:
    return Ratio(
        name,
        Singles,
        values,
        partial(_known, values),
        description=description,
        lower_is_better=lower_is_better,
        needs=Ability.SAMPLES,
        reads=reads,
        not_applicable=missing,
        applies=has_questions,
        leads=nowhere,
        rank=rank,
        on_request=True,
        reasons=((lambda singles: singles.counted & singles.is_base, missing),),
    )


uncertainty = _metric(
    "uncertainty",
    lambda s: s.probabilities.uncertainty,
    80,
    "One minus the largest probability in the mean of the passes.",
    NO_MEAN,
    reads=("top",),
)

mean_entropy = _metric(
    "mean_entropy",
    lambda s: s.probabilities.entropy,
    81,
    "Entropy of the mean of the passes, divided by the logarithm of the number of answers.",
    NO_ENTROPY,
)

sampling_agreement = _metric(
    "sampling_agreement",
    lambda s: s.probabilities.passes.agreement,
    82,
    "Share of passes that give the most frequent answer.",
    NO_PASSES,
    lower_is_better=False,
)

answer_entropy = _metric(
    "answer_entropy",
    lambda s: s.probabilities.passes.entropy,
    83,
    "Entropy of the answers of the passes, divided by that of passes which all differ.",
    NO_PASSES,
)

UNCERTAINTY: tuple[Metric, ...] = (uncertainty, mean_entropy, sampling_agreement, answer_entropy)
"""All of them."""
