"""Uncertainty: how sure a model is of its answers to the bases, by its stochastic passes.

Where a model knows how likely every answer is, the distributions of its passes have a mean, and uncertainty is one less
the largest probability in it; lower is better. Where it only speaks, its passes can be held against each other.
"""

import numpy as np

from counterpoint.metrics.accuracy import Ratio
from counterpoint.metrics.metric import Metric
from counterpoint.metrics.outcomes import Flags, Floats, Rows, Singles

NO_MEAN = "no mean of passes with dropout is there: the model has none, or was run without --trials"
NO_ENTROPY = "the mean of its passes has no entropy: its probabilities do not add up to one, or there is none"
NO_PASSES = "there are no two stochastic passes: the model has none, or was run without --trials"


def _there(values: Floats, singles: Singles) -> Flags:
    return singles.is_base & ~np.isnan(values)


def _why(reason: str, singles: Singles, rows: Rows) -> str:
    """The reason, where anything was answered at all."""
    return reason if (singles.counted & singles.is_base)[rows].any() else ""


uncertainty = Ratio(
    "uncertainty",
    Singles,
    lambda s: s.chances.uncertainty,
    lambda s: _there(s.chances.uncertainty, s),
    lambda s, rows: _why(NO_MEAN, s, rows),
    reads=("top",),
    lower=True,
)
"""One less the largest probability in the mean of the passes (lower is better)."""

mean_entropy = Ratio(
    "mean_entropy",
    Singles,
    lambda s: s.chances.entropy,
    lambda s: _there(s.chances.entropy, s),
    lambda s, rows: _why(NO_ENTROPY, s, rows),
    lower=True,
)
"""The entropy of the mean of the passes over the logarithm of the number of answers (lower is better)."""

sampling_agreement = Ratio(
    "sampling_agreement",
    Singles,
    lambda s: s.chances.votes.agreement,
    lambda s: _there(s.chances.votes.agreement, s),
    lambda s, rows: _why(NO_PASSES, s, rows),
)
"""The share of passes that say what most of them say."""

answer_entropy = Ratio(
    "answer_entropy",
    Singles,
    lambda s: s.chances.votes.entropy,
    lambda s: _there(s.chances.votes.entropy, s),
    lambda s, rows: _why(NO_PASSES, s, rows),
    lower=True,
)
"""The entropy of what the passes say over that of passes which all differ (lower is better)."""

UNCERTAINTY: tuple[Metric, ...] = (uncertainty, mean_entropy, sampling_agreement, answer_entropy)
"""All measures of how sure a model is."""
