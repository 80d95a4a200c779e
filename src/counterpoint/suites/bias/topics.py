"""What a text is about: its nouns with their senses, and sampling of pictures or questions that share none.

Two texts share a topic if one has a noun of the other, a synonym, a hypernym or a hyponym: a question about an animal
shares it with one about a dog. A word is a noun if either the tagger or the lexicon takes it for one; a text without
any may be about anything.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from random import Random
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.language.lexicon.senses import curated_names, hypernyms, sense_coverage
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.nouns import singular
from counterpoint.language.tokens import is_noun, tag_words

AMBIGUOUS_TAGS = ("AJ", "VV", "UNC")
"""Tag prefixes of words that may be nouns after all; the lexicon decides."""

DATA = Path(__file__).parent / "data"
"""The folder of the list of nouns about pictures and appearance as such, which are no topic."""
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CLITIC = re.compile(r"['’](?:s|re|ll|d|ve|m)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NounSenses:
    """The senses of a noun, the word itself included, and all senses that it is a kind of."""

    own: frozenset[str]
    above: frozenset[str]  # its own among them


@cache
def text_nouns(text: str) -> frozenset[str]:
    """The nouns of a text in the singular, alone and in compounds.

    >>> sorted(text_nouns("What color are the traffic lights in the picture?"))
    ['light', 'traffic', 'traffic light']
    """
    words = tuple(_CLITIC.sub("", word) for word in _WORD.findall(text))
    return frozenset(name for run in _runs(words) for name in name_nouns(" ".join(run)))


@cache
def name_nouns(name: str) -> frozenset[str]:
    """A name in the singular, and each of its words.

    >>> sorted(name_nouns("Traffic lights"))
    ['light', 'traffic', 'traffic light']
    """
    low = name.lower()
    words = {singular(word) for word in low.split()} - word_list("subjects", "no_subjects", DATA)
    return frozenset(words | ({singular(low)} if len(low.split()) > 1 else set()))


def question_nouns(item: Question | GroundedQuestion) -> frozenset[str]:
    """What a question is about."""
    return text_nouns((item.question if isinstance(item, GroundedQuestion) else item).text)


def item_nouns(item: Question | GroundedQuestion) -> frozenset[str]:
    """Everything that a question implies about its picture: its nouns, its answers, and the annotation."""
    question = item.question if isinstance(item, GroundedQuestion) else item
    texts = [answer for answer, _ in question.gold.answers]
    if isinstance(item, GroundedQuestion):
        texts += filter(None, (*item.scene.names, item.scene.place))
    return question_nouns(question).union(*(name_nouns(" ".join(_WORD.findall(text))) for text in texts))


@cache
def noun_senses(name: str) -> NounSenses:
    """The senses of a noun; a word that the lexicon does not have stands for itself.

    >>> "animal.n.01" in noun_senses("dog").above, "dog.n.01" in noun_senses("animal").above
    (True, False)
    """
    if not (name in hypernyms() or lexicon().senses(name) or lexicon().base_forms(name)):
        return NounSenses(frozenset([name]), frozenset([name]))
    coverage = sense_coverage(name)
    own = frozenset([name, *(sense.name for sense in coverage.covers)])
    return NounSenses(own, own.union(sense.name for senses in coverage.ancestors for sense in senses))


def _runs(words: tuple[str, ...]) -> Iterator[list[str]]:
    """Runs of adjacent nouns."""
    run: list[str] = []
    for word, tag in zip(words, tag_words(words), strict=True):
        if is_noun(tag) or (tag.startswith(AMBIGUOUS_TAGS) and singular(word.lower()) in curated_names()):
            run.append(word)
        elif run:
            yield run
            run = []
    if run:
        yield run


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
