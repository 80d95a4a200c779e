"""Robustness to augmented data (RAD, equation 1): of what was answered rightly, how much is when asked in another way.

J is the set of pairs whose base is right, J' that of those whose variant is. Right is a credit of at least the
threshold, by the rule set of the suite; where nothing was right the measure is undefined, and never zero.
"""

from counterpoint.metrics.accuracy import Ratio
from counterpoint.metrics.ordered_pairs import OrderedPairs
from counterpoint.metrics.outcomes import Pairs

rad_forward = Ratio("rad_forward", Pairs, lambda p: p.variant_right, lambda p: p.gold & p.base_right)
"""Pairs whose variant is right among those whose base is, |J ∩ J'| / |J| (RAD)."""

rad_backward = Ratio("rad_backward", Pairs, lambda p: p.base_right, lambda p: p.gold & p.variant_right)
"""Pairs whose base is right among those whose variant is, |J ∩ J'| / |J'| (RAD)."""

rad_ordered = Ratio("rad_ordered", OrderedPairs, lambda p: p.variant_right, lambda p: p.gold & p.base_right)
"""The same over all ordered pairs of a set that has no original; forward and backward are one (RAD on ConVQA)."""
