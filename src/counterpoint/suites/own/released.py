"""Groups as their authors released them, each with its own test."""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.items import ReadyGroup
from counterpoint.suites.suite import Suite


def propose_group(item: ReadyGroup, statistics: None, rng: Random) -> Iterator[Group]:
    """The group, as it is."""
    yield item.group


suite = Suite(
    "released", tests="a published benchmark is answered as its authors intended", propose=propose_group, takes="groups"
)
