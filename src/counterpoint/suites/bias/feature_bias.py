"""Modality bias in features: what a model makes of another picture, or of another question, is put in for its own.

The exchanges are those of modality bias, so that the two can be held against each other. A model that looks without
reading and reads without looking has the same bias in both; one whose eye is led by the question need not.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from random import Random

from counterpoint.core.features import exchange_picture, exchange_text
from counterpoint.core.groups import Group, Query
from counterpoint.suites.bias import modality_bias as bias
from counterpoint.suites.bias.modality_bias import VARIANTS, Item, SwapSurvey
from counterpoint.suites.suite import Rejection, Suite

Swap = Callable[..., Iterable[Group | Rejection]]


def swap_features(
    item: Item, others: SwapSurvey, rng: Random, *, exchange: Swap, variants: int = VARIANTS
) -> Iterator[Group | Rejection]:
    """The groups of an exchange, with the exchange made in features."""
    for proposal in exchange(item, others, rng, variants=variants):
        yield proposal if isinstance(proposal, Rejection) else replace(proposal, queries=tuple(_moved(proposal)))


def _moved(group: Group) -> Iterator[Query]:
    """The base, and for each variant the base with what differs as an edit; what is offered with it stays."""
    base = group.base
    yield base
    for variant in group.variants:
        if variant.picture is not None and variant.picture != base.picture:
            yield replace(variant, picture=base.picture, edits=(exchange_picture(variant.picture),))
        else:
            yield replace(variant, text=base.text, edits=(exchange_text(variant.text, variant.context),))


def _suite(name: str, tests: str, exchange: Swap) -> Suite[Item, SwapSurvey]:
    swap = partial(swap_features, exchange=exchange)
    return bias.swap_suite(name, tests, swap)


question_bias = _suite(
    "feature-question-bias", "what is seen in another picture is not answered as the first was", bias.swap_pictures
)
picture_bias = _suite(
    "feature-picture-bias", "what is read in another question is not answered as the first was", bias.swap_questions
)
