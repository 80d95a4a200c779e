"""Modality bias in feature space: the features of another picture, or of another question, replace those of its own.

The swaps are those of modality bias, so that the two can be compared. A model that encodes picture and question
independently has the same bias in both; one that attends to the picture by the question need not.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from random import Random

from counterpoint.core.groups import Group, Query, exchange_picture, exchange_text
from counterpoint.suites.bias import modality_bias as bias
from counterpoint.suites.bias.modality_bias import VARIANTS, Item, SwapSurvey
from counterpoint.suites.suite import Rejection, Suite

Swap = Callable[..., Iterable[Group | Rejection]]


def swap_features(
    item: Item, others: SwapSurvey, rng: Random, *, exchange: Swap, variants: int = VARIANTS
) -> Iterator[Group | Rejection]:
    """The groups of a swap, with the swap made in feature space."""
    for proposal in exchange(item, others, rng, variants=variants):
        yield proposal if isinstance(proposal, Rejection) else replace(proposal, queries=tuple(_moved(proposal)))


def _moved(group: Group) -> Iterator[Query]:
    """The base, and for each variant the base with the swap as an edit; its choices stay."""
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
    "feature-question-bias", "the answer changes when the picture features are swapped", bias.swap_pictures
)
picture_bias = _suite(
    "feature-picture-bias", "the answer changes when the question features are swapped", bias.swap_questions
)
