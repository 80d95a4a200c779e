"""A seeded sample of at most so many: the same on every machine, and part of every larger one."""

from collections.abc import Callable, Iterable, Iterator
from heapq import heappush, heappushpop
from typing import Protocol, TypeVar

from counterpoint.core.ids import content_id

MOST = 15_000
"""As many as the tool paper takes of each data set."""


class Identified(Protocol):
    """Anything with an id of its own."""

    @property
    def id(self) -> str:
        """What sets it apart from all others of its kind."""
        ...


Item = TypeVar("Item", bound=Identified)


def sample_items(
    items: Iterable[Item], most: int | None = MOST, seed: int = 0, again: Callable[[Item], None] = lambda item: None
) -> Iterator[Item]:
    """At most so many of the items, in the order in which they came; all of them if there is no limit.

    Every id has a number that follows from it and the seed, and the items with the smallest are taken: so a smaller
    sample is part of every larger one, and the order of the items changes nothing but the order of the sample. Of items
    that share an id the first is taken; `again` is told of each other one, unless none of them belongs to the sample.
    """
    known: set[str] = set()
    if most is None:
        for item in items:
            if item.id in known:
                again(item)
            else:
                known.add(item.id)
                yield item
        return
    taken: list[tuple[int, int, Item]] = []
    for place, item in enumerate(items):
        if item.id in known:
            again(item)
            continue
        entry = (-content_id([seed, item.id]), -place, item)
        if len(taken) < most:
            heappush(taken, entry)
            known.add(item.id)
        elif taken and entry[:2] > taken[0][:2]:
            known.add(item.id)
            known.remove(heappushpop(taken, entry)[2].id)
    yield from (item for _, _, item in sorted(taken, key=lambda entry: -entry[1]))
