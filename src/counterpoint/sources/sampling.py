"""Seeded sampling of items by hashed ids.

A sample is the same on every machine, and a smaller one is part of every larger one.
"""

from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappushpop
from typing import Protocol, TypeVar

from counterpoint.core.ids import content_id

SAMPLE_SIZE = 15_000
"""Items per data set, as in the tool paper."""


class HasId(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """Unique among all of its kind."""
        ...


Item = TypeVar("Item", bound=HasId)


def sample_items(
    items: Iterable[Item],
    limit: int | None = SAMPLE_SIZE,
    seed: int = 0,
    on_repeated: Callable[[Item], None] = lambda item: None,
) -> Iterator[Item]:
    """At most `limit` of the items, in their order; all of them without a limit.

    Items are taken by the smallest hashes of seed and id, kept in a heap: so a smaller sample is part of every larger
    one, and the order of the items changes nothing but the order of the sample. Of items that share an id the first is
    taken; `on_repeated` is called with the others, unless none of them belongs to the sample.
    """
    ids: set[str] = set()
    if limit is None:
        for item in items:
            if item.id in ids:
                on_repeated(item)
            else:
                ids.add(item.id)
                yield item
        return
    first: list[Item] = []
    taken: list[tuple[int, int, Item]] = []

    def entry_of(place: int, item: Item) -> tuple[int, int, Item]:
        return -content_id([seed, item.id]), -place, item

    for place, item in enumerate(items):
        if item.id in ids:
            on_repeated(item)
        elif len(first) < limit:  # hashes are needed only where there are more
            first.append(item)
            ids.add(item.id)
        elif first:
            if not taken:
                taken = [entry_of(number - len(first), early) for number, early in enumerate(first)]
                heapify(taken)
            entry = entry_of(place, item)
            if entry[:2] > taken[0][:2]:
                ids.add(item.id)
                ids.remove(heappushpop(taken, entry)[2].id)
    yield from (item for _, _, item in sorted(taken, key=lambda entry: -entry[1])) if taken else first
