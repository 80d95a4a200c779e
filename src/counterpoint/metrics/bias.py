"""Modality bias and blind controls: which answers survive when an input is exchanged or removed.

Question bias is the share of pairs with another picture and the same answer, picture bias that with another question
and the same answer. The chance level of each is how often two answers agree that are drawn independently from the
model's answers to questions of that kind. What is owed to an input is the accuracy that is lost without it, over pairs.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.metric import (
    Estimator,
    Metric,
    MetricKind,
    Ratio,
    Statistic,
    except_on_tests,
    has_relation,
    has_test,
    nowhere,
)
from counterpoint.metrics.outcomes import Flags, Floats, Pairs, Rows, is_declined

QUESTION_BIAS, PICTURE_BIAS, CONTROLS = "question-bias", "picture-bias", "blind-controls"
"""The tests on whose pairs these are counted."""
PICTURE_CONTROLS = ("no-picture", "mean-color", "other-picture", "shuffled")
QUESTION_CONTROLS = ("no-question",)


def _tests(test: str) -> tuple[str, str]:
    """A test, and that which makes the same exchanges in features."""
    return test, f"feature-{test}"


def _on_test(test: str, pairs: Pairs) -> Flags:
    swapped = pairs.known & pairs.relation.where([Relation.SWAP])
    return swapped & pairs.labels("test").at(pairs.row).where(_tests(test)) if swapped.any() else swapped


def _controls(names: Collection[str], pairs: Pairs) -> Flags:
    with_gold = _on_test(CONTROLS, pairs) & pairs.gold
    return with_gold & pairs.labels("tag:control").at(pairs.row).where([*names]) if with_gold.any() else with_gold


@dataclass(frozen=True, slots=True)
class _BaseAnswers:
    """Answers to bases by kind: a cell is one answer to the questions of one kind."""

    kind: Rows  # of each base
    cell: Rows  # of each base
    kind_of: Rows  # of each cell
    answered: Flags  # whether a cell is an answer; two refusals are no two answers that agree

    @classmethod
    def of(cls, kind: Rows, value: Rows) -> "_BaseAnswers":
        """From the number of each base's kind and of its answer, -1 for a refusal."""
        span = int(value.max(initial=0)) + 2
        cells, cell = np.unique(kind * span + value + 1, return_inverse=True)
        return cls(kind, cell, cells // span, cells % span > 0)

    def agreement(self, weights: Floats) -> Floats:
        """For each kind the share of pairs of different bases with the same answer; nan where it has no pair."""
        pairs = np.bincount(self.cell, weights) ** 2 - np.bincount(self.cell, weights**2)
        all_pairs = np.bincount(self.kind, weights) ** 2 - np.bincount(self.kind, weights**2)
        agreeing = np.bincount(self.kind_of, np.where(self.answered, pairs, 0.0), minlength=len(all_pairs))
        share = np.full(len(all_pairs), np.nan)
        np.divide(agreeing, all_pairs, out=share, where=all_pairs > 0)
        return share


def _chance(pairs: Pairs, rows: Rows) -> Estimator:
    """How often the answers to two different bases of a kind agree, over kinds as pairs are.

    This is the sum of squared shares of the answers, without what comes from holding a base against itself, which
    would make it too high where a kind has few bases. A kind with one base takes the level of all bases together.
    """
    bases, first, place = np.unique(pairs.base[rows], return_index=True, return_inverse=True)
    _, kind = np.unique(pairs.labels("kind").codes[bases], return_inverse=True)
    value = np.where(is_declined(pairs.base_state[rows[first]]), -1, pairs.value[bases]).astype(np.int64)
    by_kind, together = _BaseAnswers.of(kind, value), _BaseAnswers.of(np.zeros_like(kind), value)

    def estimate(weights: Floats) -> float:
        own = weights[first]  # all pairs of a base are drawn together
        levels = by_kind.agreement(own)
        share = np.bincount(kind[place], weights, minlength=len(levels)) / weights.sum()
        return min(float(share @ np.where(np.isnan(levels), together.agreement(own)[0], levels)), 1.0)

    return estimate


def _lost(pairs: Pairs, rows: Rows) -> Estimator:
    """The mean of what is lost from the base to the variant."""
    lost = (pairs.base_correct - pairs.variant_correct)[rows]
    return lambda weights: float(lost @ weights / weights.sum())


def _bias(exchanged: str, kept: str, test: str, rank: int) -> tuple[Ratio[Pairs], Statistic[Pairs]]:
    """The bias of keeping an answer when an input is exchanged, and its chance level."""
    chance = Statistic(
        f"{kept}_chance",
        Pairs,
        _chance,
        lambda p: _on_test(test, p),
        title=f"{kept.capitalize()} bias by chance",
        description=f"{kept.capitalize()} bias of a model that gives the same answers as often, but at random.",
        applies=has_test(*_tests(test)),
        leads=nowhere,
        rank=rank + 10,
    )
    bias = Ratio(
        f"{kept}_bias",
        Pairs,
        lambda p: p.related,
        lambda p: _on_test(test, p),
        description=f"Share of pairs with the same answer although the {exchanged} is another.",
        lower_is_better=True,
        not_applicable=f"no {exchanged} here is exchanged",
        chance=chance.name,
        applies=has_test(*_tests(test)),
        rank=rank,
    )
    return bias, chance


def _owed(modality: str, controls: Collection[str], rank: int) -> Statistic[Pairs]:
    return Statistic(
        f"owed_to_{modality}",
        Pairs,
        _lost,
        lambda p: _controls(controls, p),
        description=f"Accuracy that is lost without the {modality}, over all ways of removing it.",
        range=(-1.0, 1.0),
        kind=MetricKind.DIFFERENCE,
        not_applicable=f"no {modality} here is removed",
        applies=has_test(*_tests(CONTROLS)),
        rank=rank,
    )


survived = Ratio(
    "survived",
    Pairs,
    lambda p: p.related,
    lambda p: p.known & p.relation.where([Relation.SWAP]),
    title="Answers that survive an exchange",
    description="Share of pairs with the same answer although an input is exchanged or removed.",
    lower_is_better=True,
    not_applicable="no input here is exchanged",
    applies=has_relation(Relation.SWAP),
    leads=except_on_tests(*(test for name in (QUESTION_BIAS, PICTURE_BIAS, CONTROLS) for test in _tests(name))),
    rank=24,
    on_request=True,
)

question_bias, question_chance = _bias("picture", "question", QUESTION_BIAS, 20)
picture_bias, picture_chance = _bias("question", "picture", PICTURE_BIAS, 21)
owed_to_picture = _owed("picture", PICTURE_CONTROLS, 22)
owed_to_question = _owed("question", QUESTION_CONTROLS, 23)

BIAS: tuple[Metric, ...] = (
    question_bias,
    question_chance,
    picture_bias,
    picture_chance,
    owed_to_picture,
    owed_to_question,
)
"""All of them."""
