"""The six tests of CARETS, and how many originals of each the paper has (its Table 6)."""

from collections.abc import Mapping
from types import MappingProxyType

from counterpoint.suites.balance import Quota

PAPER: Mapping[str, Quota] = MappingProxyType(
    {
        "rephrase": Quota(10_000, 9_412),
        "order": Quota(5_000, 9_412),
        "ontology": Quota(13_952, 0),
        "visual": Quota(18_000, 8_272),
        "negation": Quota(10_000, 0),
        "antonym": Quota(5_000, 0),
    }
)
"""The tests in the order of the paper; an original of the visual test has five pairs, one for each edit."""

TESTS = tuple(PAPER)
"""Their names."""
