"""Modality bias and blind controls: which answers survive when an input is exchanged or removed.

Question bias is the share of pairs with another picture and the same answer, picture bias that with another question
and the same answer. The chance level of each is how often the answers to two questions of one kind about different
pictures agree. Both weigh a kind by the number of such couples, so that a kind with one question weighs nothing. In
their first version both weighed kinds by pairs; `survived` still does. What is owed to an input is the accuracy that
is lost without it, over pairs.
"""

from collections.abc import Collection
from dataclasses import dataclass
from math import nan

import numpy as np

from counterpoint.core.groups import Relation
from counterpoint.metrics.intervals import add_by
from counterpoint.metrics.metric import (
    Estimator,
    Metric,
    MetricKind,
    Ratio,
    Statistic,
    except_on_tests,
    has_relation,
    has_test,
    mean_estimator,
    nowhere,
)
from counterpoint.metrics.outcomes import is_declined
from counterpoint.metrics.units import Flags, Floats, Pairs, Rows

QUESTION_BIAS, PICTURE_BIAS, CONTROLS = "question-bias", "picture-bias", "blind-controls"
"""The tests on whose pairs these are counted."""
PICTURE_CONTROLS = ("no-picture", "mean-color", "other-picture", "shuffled")
QUESTION_CONTROLS = ("no-question",)

LARGEST_ERROR = 0.04
"""The standard error up to which a chance level is told."""


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
class _Couples:
    """Couples of members of one kind on different pictures, weighted: those of a kind, or of one answer to it."""

    kind: Rows  # of each base
    cell: Rows  # of each base: its kind and picture
    kind_of: Rows  # of each cell

    @classmethod
    def of(cls, kind: Rows, picture: Rows) -> "_Couples":
        span = int(picture.max(initial=0)) + 1
        cells, cell = np.unique(kind * span + picture, return_inverse=True)
        return cls(kind, cell, cells // span)

    def count(self, weights: Floats, kinds: int) -> Floats:
        """For each kind twice the number of its couples."""
        same_picture = np.bincount(self.kind_of, np.bincount(self.cell, weights) ** 2, minlength=kinds)
        return np.asarray(np.bincount(self.kind, weights, minlength=kinds) ** 2 - same_picture)


@dataclass(frozen=True, slots=True)
class _Bases:
    """The bases of some pairs, with the couples of one kind on different pictures that they make."""

    first: Rows  # a pair of each base
    place: Rows  # the base of each pair
    kind: Rows
    couples: _Couples
    agreeing: _Couples  # whose kinds are a kind and an answer to it
    answer_kind: Rows  # the kind of each of these
    answered: Flags  # two refusals are no two answers that agree

    @classmethod
    def of(cls, pairs: Pairs, rows: Rows) -> "_Bases":
        bases, first, place = np.unique(pairs.base[rows], return_index=True, return_inverse=True)
        _, kind = np.unique(pairs.labels("kind").codes[bases], return_inverse=True)
        kind = kind.astype(np.int64)
        picture = pairs.cluster[rows[first]].astype(np.int64)
        value = np.where(is_declined(pairs.base_state[rows[first]]), -1, pairs.value[bases]).astype(np.int64)
        span = int(value.max(initial=0)) + 2
        answers, answer = np.unique(kind * span + value + 1, return_inverse=True)
        return cls(
            first,
            place,
            kind,
            _Couples.of(kind, picture),
            _Couples.of(answer.astype(np.int64), picture),
            answers // span,
            answers % span > 0,
        )

    def counts(self, weights: Floats) -> tuple[Floats, Floats]:
        """For each kind the couples, and those that agree; all pairs of a base have its weight."""
        own, kinds = weights[self.first], int(self.kind.max(initial=-1)) + 1
        alike = self.agreeing.count(own, len(self.answered))
        agreeing = add_by(self.answer_kind, np.where(self.answered, alike, 0.0), kinds)
        return self.couples.count(own, kinds), agreeing


def _chance(pairs: Pairs, rows: Rows) -> Estimator:
    """The share of couples of bases, of one kind and on different pictures, whose answers agree."""
    bases = _Bases.of(pairs, rows)

    def estimate(weights: Floats) -> float:
        couples, agreeing = bases.counts(weights)
        return float(agreeing.sum() / couples.sum()) if couples.sum() > 0 else nan

    return estimate


def _weighted_bias(pairs: Pairs, rows: Rows) -> Estimator:
    """The share of pairs with the same answer in each kind, weighted by couples as the chance level is.

    Where no kind has a couple, all pairs have the same weight.
    """
    bases = _Bases.of(pairs, rows)
    kind, related = bases.kind[bases.place], pairs.related[rows].astype(np.float64)

    def estimate(weights: Floats) -> float:
        couples, _ = bases.counts(weights)
        drawn = add_by(kind, weights, len(couples))
        couples = couples if couples.sum() > 0 else drawn
        kept = add_by(kind, weights * related, len(couples))
        share = np.divide(kept, drawn, out=np.zeros_like(drawn), where=drawn > 0)
        return float(couples @ share / couples.sum())

    return estimate


def _lost(pairs: Pairs, rows: Rows) -> Estimator:
    """The mean of what is lost from the base to the variant."""
    return mean_estimator((pairs.base_correct - pairs.variant_correct)[rows])


def _bias(exchanged: str, kept: str, test: str, rank: int) -> tuple[Statistic[Pairs], Statistic[Pairs]]:
    """The bias of keeping an answer when an input is exchanged, and its chance level."""
    chance = Statistic(
        f"{kept}_chance",
        Pairs,
        _chance,
        lambda p: _on_test(test, p),
        title=f"{kept.capitalize()} bias by chance",
        description=f"{kept.capitalize()} bias of a model that gives the same answers as often, but at random.",
        kind=MetricKind.CURVE,
        version=2,
        directed=False,
        largest_error=LARGEST_ERROR,
        applies=has_test(*_tests(test)),
        leads=nowhere,
        rank=rank + 10,
    )
    bias = Statistic(
        f"{kept}_bias",
        Pairs,
        _weighted_bias,
        lambda p: _on_test(test, p),
        description=f"Share of pairs with the same answer although the {exchanged} is another.",
        lower_is_better=True,
        kind=MetricKind.CURVE,
        version=2,
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
