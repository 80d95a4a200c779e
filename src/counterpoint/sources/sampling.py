"""Seeded sampling of items by hashed ids.

A sample is the same on every machine, and a smaller one is part of every larger one.
"""

from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappushpop
from itertools import starmap
from typing import Protocol, TypeVar

from counterpoint.core.ids import content_id
from counterpoint.sources.item_spool import HELD, ItemSpool

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
    held: int = HELD,
) -> Iterator[Item]:
    """At most `limit` of the items, in their order; all of them without a limit, each as soon as it is read.

    Items are taken by the smallest hashes of seed and id, kept in a heap: so a smaller sample is part of every larger
    one, and the order of the items changes nothing but the order of the sample. Of items that share an id the first is
    taken; `on_repeated` is called with the others, unless none of them belongs to the sample. More items than `held`
    are kept on disk until the sample is complete.
    """
    if limit is None:
        yield from _without_repetitions(items, on_repeated)
        return
    kept = ItemSpool[Item](held)
    places = _sample_places(items, limit, seed, on_repeated, kept)
    yield from kept if places is None else kept.pick(places)


def spool_sample(
    items: Iterable[Item], limit: int | None, seed: int, on_repeated: Callable[[Item], None], kept: ItemSpool[Item]
) -> ItemSpool[Item]:
    """The same items in `kept`, which is empty before, or in a list like it where some had to make room for others."""
    if limit is None:
        return kept.extend(_without_repetitions(items, on_repeated))
    places = _sample_places(items, limit, seed, on_repeated, kept)
    return kept if places is None else kept.copy(kept.pick(places))


def _sample_places(
    items: Iterable[Item], limit: int, seed: int, on_repeated: Callable[[Item], None], kept: ItemSpool[Item]
) -> list[int] | None:
    """The places of the sample in `kept`, which gets whatever was ever part of it; None where that is all."""
    ids: dict[str, None] = {}  # of the sample, in order
    taken: list[tuple[int, int, str]] = []  # hashes, places and ids, all negative but the last

    def entry_of(place: int, item_id: str) -> tuple[int, int, str]:
        return -content_id([seed, item_id]), -place, item_id

    for item in items:
        if item.id in ids:
            on_repeated(item)
        elif len(ids) < limit:  # hashes are needed only where there are more
            kept.append(item)
            ids[item.id] = None
        elif limit:
            if not taken:
                taken = list(starmap(entry_of, enumerate(ids)))
                heapify(taken)
            entry = entry_of(len(kept), item.id)
            if entry > taken[0]:
                kept.append(item)
                ids[item.id] = None
                del ids[heappushpop(taken, entry)[2]]
    return sorted(-place for _, place, _ in taken) if taken else None


def _without_repetitions(items: Iterable[Item], on_repeated: Callable[[Item], None]) -> Iterator[Item]:
    ids = set[str]()
    for item in items:
        if item.id in ids:
            on_repeated(item)
        else:
            ids.add(item.id)
            yield item
