"""Robustness to rewrites: how often an answer stays when the words of a question change and its sense does not.

Each application of a rule is a pair, so that rules are pooled by their applications, and `n` counts these. A flip is a
pair whose answers differ; what it did to rightness is told apart by two shares of all applications. Both have their
rule in the tag `rule`.
"""

from counterpoint.core.groups import Relation
from counterpoint.metrics.accuracy import Ratio
from counterpoint.metrics.outcomes import Flags, Pairs


def _rewritten(pairs: Pairs) -> Flags:
    return pairs.known & pairs.relation.where([Relation.SAME])


def _judged(pairs: Pairs) -> Flags:
    return _rewritten(pairs) & pairs.gold


robustness = Ratio("robustness", Pairs, lambda p: p.related, _rewritten)
"""Applications that left the answer as it was, 1 − flips / applications (Beyond Accuracy, SEARs)."""

right_to_wrong = Ratio("right_to_wrong", Pairs, lambda p: p.base_right & ~p.variant_right, _judged, lower=True)
"""Applications that made a wrong answer of a right one."""

wrong_to_right = Ratio("wrong_to_right", Pairs, lambda p: ~p.base_right & p.variant_right, _judged)
"""Applications that made a right answer of a wrong one."""
