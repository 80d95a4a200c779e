"""Sampling of pictures or questions that share no noun with a question."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from counterpoint.suites.bias.topics import noun_senses

T = TypeVar("T")


class DisjointSampler(Generic[T]):
    """Items with the nouns that each of them names, from which disjoint ones are sampled.

    Most items share no noun with a question, so rejection sampling is tried first; after too many rejections an
    inverted index of nouns gives the items that are left.

    >>> pool = DisjointSampler({"1.png": {"dog"}, "2.png": {"animal"}, "3.png": {"cup"}})
    >>> pool.sample(frozenset({"dog"}), 5, Random(0))
    ['3.png']
    """

    def __init__(self, named: Mapping[T, Iterable[str]]) -> None:
        self.things: Sequence[T] = list(named)
        self._names = [frozenset(names) for names in named.values()]
        self._shared: dict[str, frozenset[str]] = {}

    def with_names(self, more: Mapping[T, Iterable[str]]) -> "DisjointSampler[T]":
        """The same items with further nouns."""
        own = zip(self.things, self._names, strict=True)
        return DisjointSampler({thing: names.union(more.get(thing, ())) for thing, names in own})

    def sample(self, nouns: frozenset[str], most: int, rng: Random) -> list[T]:
        """This many different items that share none of the nouns, or all there are."""
        shared = frozenset[str]().union(*map(self._sharing, nouns))
        tried, chosen = set[int](), list[int]()
        for _ in range(2 * most + 8 if self.things else 0):
            place = int(rng.random() * len(self.things))
            if place not in tried and self._names[place].isdisjoint(shared):
                chosen.append(place)
            tried.add(place)
            if len(chosen) == most:
                break
        else:
            rest = self._rest(shared, chosen)
            chosen += rng.sample(rest, k=min(most - len(chosen), len(rest)))
        return [self.things[place] for place in chosen]

    def _rest(self, shared: frozenset[str], chosen: Sequence[int]) -> list[int]:
        """The positions of all items that share no noun and were not chosen yet."""
        free = np.ones(len(self.things), np.bool_)
        free[chosen] = False
        for name in shared:
            free[self._places[name]] = False
        return [int(place) for place in np.flatnonzero(free)]

    def _sharing(self, noun: str) -> frozenset[str]:
        """The names in use that overlap with a noun: synonyms, hypernyms and hyponyms."""
        if noun not in self._shared:
            mine = noun_senses(noun)
            special = (self._by_key[1].get(key, ()) for key in mine.own)
            general = (self._by_key[0].get(key, ()) for key in mine.above)
            self._shared[noun] = frozenset[str]().union(*special, *general)
        return self._shared[noun]

    @cached_property
    def _places(self) -> dict[str, NDArray[np.int64]]:
        """The inverted index: positions of the items with each name."""
        found: dict[str, list[int]] = {}
        for place, names in enumerate(self._names):
            for name in names:
                found.setdefault(name, []).append(place)
        return {name: np.array(places) for name, places in found.items()}

    @cached_property
    def _by_key(self) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
        """The names in use by their own senses, and by the senses above them."""
        exact, above = dict[str, set[str]](), dict[str, set[str]]()
        for name in frozenset[str]().union(*self._names):
            for key in noun_senses(name).own:
                exact.setdefault(key, set()).add(name)
            for key in noun_senses(name).above:
                above.setdefault(key, set()).add(name)
        return exact, above
