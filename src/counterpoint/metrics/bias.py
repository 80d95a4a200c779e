"""Modality bias and blind controls: what survives when an input is exchanged or taken away.

Question bias is the share of pairs in which another picture is answered as the first one was, picture bias that in
which another question is. Beside each stands its chance level: how often two answers would agree that were drawn, each
by itself, from what the model says to questions of that kind. What is owed to an input is the accuracy that is lost
where it is taken away, pair by pair.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.accuracy import Ratio
from counterpoint.metrics.metric import Estimator, Metric, Statistic
from counterpoint.metrics.outcomes import STATES, Flags, Floats, Pairs, Rows

QUESTION_BIAS, PICTURE_BIAS, CONTROLS = "question-bias", "picture-bias", "blind-controls"
"""The tests on whose pairs these are counted."""
PICTURE_CONTROLS = ("no-picture", "mean-color", "other-picture", "shuffled")
QUESTION_CONTROLS = ("no-question",)

_REFUSED = STATES.index("refused")


def _of(test: str, pairs: Pairs) -> Flags:
    """The pairs of a test, and of that which makes the same exchanges in features."""
    swapped = pairs.known & pairs.relation.where([Relation.SWAP])
    tests = [test, f"feature-{test}"]
    return swapped & pairs.labels("test").at(pairs.row).where(tests) if swapped.any() else swapped


def _controls(names: Collection[str], pairs: Pairs) -> Flags:
    judged = _of(CONTROLS, pairs) & pairs.gold
    return judged & pairs.labels("tag:control").at(pairs.row).where([*names]) if judged.any() else judged


@dataclass(frozen=True, slots=True)
class _Answers:
    """Answers to bases by kind: a cell is one answer to the questions of one kind."""

    kind: Rows  # of each base
    cell: Rows  # of each base
    kind_of: Rows  # of each cell
    spoken: Flags  # whether a cell is an answer; two refusals are no two answers that agree

    @classmethod
    def of(cls, kind: Rows, value: Rows) -> "_Answers":
        """From the number of each base's kind and of its answer, -1 for a refusal."""
        span = int(value.max(initial=0)) + 2
        cells, cell = np.unique(kind * span + value + 1, return_inverse=True)
        return cls(kind, cell, cells // span, cells % span > 0)

    def alike(self, weights: Floats) -> Floats:
        """For each kind the share of couples of different bases that are answered alike; nan where it has no couple."""
        couples = np.bincount(self.cell, weights) ** 2 - np.bincount(self.cell, weights**2)
        everyone = np.bincount(self.kind, weights) ** 2 - np.bincount(self.kind, weights**2)
        agreeing = np.bincount(self.kind_of, np.where(self.spoken, couples, 0.0), minlength=len(everyone))
        found = np.full(len(everyone), np.nan)
        np.divide(agreeing, everyone, out=found, where=everyone > 0)
        return found


def _chance(pairs: Pairs, rows: Rows) -> Estimator:
    """How often the answers to two different bases of a kind agree, over kinds as pairs are.

    This is the sum of squared shares of the answers, without what comes from holding a base against itself, which
    would make it too high where a kind has few bases. A kind with one base takes the level of all bases together.
    """
    bases, first, place = np.unique(pairs.base[rows], return_index=True, return_inverse=True)
    _, kind = np.unique(pairs.labels("kind").codes[bases], return_inverse=True)
    value = np.where(pairs.base_state[rows[first]] == _REFUSED, -1, pairs.value[bases]).astype(np.int64)
    by_kind, together = _Answers.of(kind, value), _Answers.of(np.zeros_like(kind), value)

    def weighed(weights: Floats) -> float:
        own = weights[first]  # all pairs of a base are drawn together
        levels = by_kind.alike(own)
        share = np.bincount(kind[place], weights, minlength=len(levels)) / weights.sum()
        return min(float(share @ np.where(np.isnan(levels), together.alike(own)[0], levels)), 1.0)

    return weighed


def _lost(pairs: Pairs, rows: Rows) -> Estimator:
    """The mean of what is lost from the base to the variant."""
    lost = (pairs.base_correct - pairs.variant_correct)[rows]
    return lambda weights: float(lost @ weights / weights.sum())


question_bias = Ratio("question_bias", Pairs, lambda p: p.related, lambda p: _of(QUESTION_BIAS, p), lower=True)
"""Pairs of one question about two pictures whose answers are the same: 1 never looks."""

question_chance = Statistic("question_chance", Pairs, _chance, lambda p: _of(QUESTION_BIAS, p))
"""The question bias of a model that says as often what it says, but at random."""

picture_bias = Ratio("picture_bias", Pairs, lambda p: p.related, lambda p: _of(PICTURE_BIAS, p), lower=True)
"""Pairs of two questions about one picture whose answers are the same: 1 never reads."""

picture_chance = Statistic("picture_chance", Pairs, _chance, lambda p: _of(PICTURE_BIAS, p))
"""The picture bias of a model that says as often what it says, but at random."""

owed_to_picture = Statistic("owed_to_picture", Pairs, _lost, lambda p: _controls(PICTURE_CONTROLS, p))
"""The accuracy that is lost without the picture, over all ways of taking it away; `--by tag:control` has each."""

owed_to_question = Statistic("owed_to_question", Pairs, _lost, lambda p: _controls(QUESTION_CONTROLS, p))
"""The accuracy that is lost without the question."""

BIAS: tuple[Metric, ...] = (
    question_bias,
    question_chance,
    picture_bias,
    picture_chance,
    owed_to_picture,
    owed_to_question,
)
"""The measures that are taken of exchanged inputs."""
