"""Groups as their makers released them: nothing is made up, and each keeps the test that it belongs to."""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.items import ReadyGroup
from counterpoint.suites.suite import Suite


def propose_group(item: ReadyGroup, statistics: None, rng: Random) -> Iterator[Group]:
    """The group, as it is."""
    yield item.group


suite = Suite(
    "released", tests="what others published is answered as they meant it", propose=propose_group, takes="groups"
)
