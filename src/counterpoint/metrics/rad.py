"""Robustness to augmented data (RAD, equation 1): of what is answered correctly, how much is when asked in another way.

J is the set of pairs whose base is correct, J' that of those whose variant is. Correct is a credit of at least the
threshold, by the rule set of the suite; where nothing is correct the metric is undefined, and never zero.
"""

from counterpoint.core.groups import Relation
from counterpoint.metrics.applicability import RAD_PAIR_TESTS, RAD_SET_TESTS, has_relation, only_tests
from counterpoint.metrics.metric import MetricKind, Ratio
from counterpoint.metrics.ordered_pairs import OrderedPairs
from counterpoint.metrics.outcomes import Pairs

_applies = has_relation(Relation.SAME, Relation.DIFFERS, Relation.GOLD)

rad_forward = Ratio(
    "rad_forward",
    Pairs,
    lambda p: p.variant_right,
    lambda p: p.gold & p.base_right,
    title="RAD forward",
    term="RAD",
    description="Share of pairs whose variant is correct among those whose base is, |J ∩ J'| / |J|.",
    kind=MetricKind.RATIO,
    not_applicable="no base here is answered correctly",
    applies=_applies,
    leads=only_tests(*RAD_PAIR_TESTS),
    rank=30,
    on_request=True,
)

rad_backward = Ratio(
    "rad_backward",
    Pairs,
    lambda p: p.base_right,
    lambda p: p.gold & p.variant_right,
    title="RAD backward",
    term="RAD",
    description="Share of pairs whose base is correct among those whose variant is, |J ∩ J'| / |J'|.",
    kind=MetricKind.RATIO,
    not_applicable="no variant here is answered correctly",
    applies=_applies,
    leads=only_tests(*RAD_PAIR_TESTS),
    rank=31,
    on_request=True,
)

rad_ordered = Ratio(
    "rad_ordered",
    OrderedPairs,
    lambda p: p.variant_right,
    lambda p: p.gold & p.base_right,
    title="RAD over ordered pairs",
    term="RAD",
    description="Share of correct seconds among ordered pairs whose first is correct, of sets without an original.",
    kind=MetricKind.RATIO,
    not_applicable="no question here is answered correctly",
    applies=_applies,
    leads=only_tests(*RAD_SET_TESTS),
    rank=32,
    on_request=True,
)
