"""The referee's reading of phrases: which words name a thing, which say how it looks, which only frame a question."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import cast

from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.attributes import attribute_classes
from counterpoint.language.lexicon.senses import curated_names, hypernyms
from counterpoint.language.nouns import plural, singular


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LONGEST = 6
"""How many words a name, a value or a relation has at most."""
ARTICLES = _words("a an any some no the one another")
PICTURE = _words("picture image photo photograph scene")
FRAME = _words(
    """
    , : ; a am is are do does can could would you i we say think agree suggest tell me if whether that who there this
    these the of in at on to by with from as far so all both either one least see seen find spot notice be show shows
    shown contain contains include includes have has it they visible appear part here anywhere look looking looks
    judging seem more like fits word words describe describes best how true right fair correct what which call take made
    turned doing well and or not
    """
)
"""The words that a question may use beside things and values; with an article before it, any may be a noun."""
ENDINGS = frozenset(("on",))
"""Frame words that are values wherever they tie nothing to a thing: "is the lamp on"."""
PIECES = ("piece of ", "pair of ", "pieces of ", "pairs of ")
SORTS = _words("kind sort type color material shape size pattern pose activity sport action state thing")


@dataclass(frozen=True, slots=True)
class Related:
    """What stands in a relation to a thing: a cup `on` a table, or a table that something is `on`."""

    relation: str
    to: "Thing"


@dataclass(frozen=True, slots=True)
class Thing:
    """A noun phrase: its article, the values before the noun, the noun, and what it relates to."""

    article: str
    values: tuple[str, ...]
    name: str
    related: tuple[Related, ...] = ()
    bare_value: str = ""  # the same words as a value, where they are one: glass, orange


@dataclass(frozen=True, slots=True)
class Value:
    """A word for how a thing looks or what it does, with no noun after it."""

    word: str


Piece = str | Thing | Value
"""A word of the frame, a thing, or a value."""


@dataclass(frozen=True)
class Vocabulary:
    """The words of a source: names, values and relations as its scenes have them, and all that the lexicon lists."""

    names: frozenset[str]
    values: frozenset[str]
    relations: frozenset[str]

    @classmethod
    def of(cls, scenes: Iterable[Scene]) -> "Vocabulary":
        """Everything that is said in some scenes."""
        called, looks, relations = set(curated_names()) | set(hypernyms()), set[str](_listed_values()), set[str]()
        for scene in scenes:
            called |= scene.names
            looks.update(value for one in scene for value in one.attributes)
            relations.update(link.name for link in scene.relations)
        both = called | {plural(name) for name in called} | {singular(name) for name in called}
        return cls(frozenset(both) - PICTURE - SORTS, frozenset(looks), frozenset(relations))

    def name(self, words: Sequence[str], place: int) -> tuple[str, int]:
        """The longest name that starts here, and where it ends; pieces and pairs of something are that thing."""
        rest = " ".join(words[place : place + 2]) + " "
        if rest in PIECES:
            found, end = self.name(words, place + 2)
            return (found, end) if found else ("", place)
        return _longest(words, place, self.names)

    def value(self, words: Sequence[str], place: int) -> tuple[str, int]:
        """The longest value that starts here, and where it ends."""
        return _longest(words, place, self.values)

    def relation(self, words: Sequence[str], place: int) -> tuple[str, int]:
        """The longest relation that starts here, and where it ends."""
        return _longest(words, place, self.relations)


def _longest(words: Sequence[str], place: int, known: frozenset[str]) -> tuple[str, int]:
    for length in range(min(LONGEST, len(words) - place), 0, -1):
        phrase = " ".join(words[place : place + length])
        if phrase in known:
            return phrase, place + length
    return "", place


@cache
def _listed_values() -> frozenset[str]:
    return frozenset(word for held in attribute_classes().values() for value in held.values for word in value)


def tokens(text: str) -> list[str]:
    """The words and marks of a question, in lower case; n't stands apart, as not, and "can" before "be" is no can."""
    plain = text.lower().replace("n't", " not").replace(" can be ", " could be ")
    return re.findall(r"[\w'-]+|[,:;]", plain)


def pieces(text: str, words: Vocabulary) -> list[Piece]:
    """A question as frame words, things and values, from left to right."""
    found, told, place = list[Piece](), tokens(text), 0
    while place < len(told):
        thing, end = _thing(told, place, words)
        tied, after = _related(told, place, words) if _ties(found) else ((), place)
        if thing is not None and not tied:
            found.append(thing)
        elif tied:
            last = max(place for place, one in enumerate(found) if isinstance(one, Thing))
            found[last], end = replace(cast(Thing, found[last]), related=tied), after
        else:
            value, end = words.value(told, place)
            if end == place + 1 and told[place] in FRAME - ENDINGS:
                value = ""
            found.append(Value(value) if value else told[place])
            end = end if value else place + 1
        place = end
    return found


def _ties(found: Sequence[Piece]) -> bool:
    """Whether what follows belongs to a thing before "be seen": "can a cup be seen on the table"."""
    return found[-2:] == ["be", "seen"] and any(isinstance(one, Thing) for one in found)


def _thing(told: Sequence[str], place: int, words: Vocabulary) -> tuple[Thing | None, int]:
    """A noun phrase that starts here, and where it ends."""
    start = place
    article = told[place] if told[place] in ARTICLES else ""
    place += bool(article)
    looks = list[str]()
    while place < len(told):
        name, end = words.name(told, place)
        value, after = words.value(told, place)
        if place == start and end == place + 1 and told[place] in FRAME and not _is_listed(told, place):
            name = ""
        if place == start and after == place + 1 and told[place] in FRAME:
            value = ""
        if (
            value
            and (not name or after >= end)
            and _goes_on(told, after, words)
            and not (name and (_said_of_it(told, after, words) or (_is_noun(value) and words.value(told, after)[0])))
        ):
            looks.append(value)
            place = after
        elif name and not (not article and after > end):  # "light colored" is no light
            thing = Thing(article, tuple(looks), name, bare_value=" ".join((*looks, name)))
            bare = thing.bare_value if not article and words.value(thing.bare_value.split(), 0)[0] else ""
            related, end = _related(told, end, words)
            return Thing(article, tuple(looks), name, related, bare), end
        else:
            break
    return None, start


def _is_listed(told: Sequence[str], place: int) -> bool:
    """Whether "words" are things here, and not those of "which of these words"."""
    return told[place] == "words" and told[place - 1 : place] not in (["these"], ["which"])


def _goes_on(told: Sequence[str], place: int, words: Vocabulary) -> bool:
    """Whether more values and then a name follow without a break."""
    while place < len(told):
        if words.name(told, place)[0]:
            return True
        value, after = words.value(told, place)
        if not value:
            return False
        place = after
    return False


def _said_of_it(told: Sequence[str], place: int, words: Vocabulary) -> bool:
    """Whether one of several values follows, with which the question ends: the cheese is "orange or yellow"."""
    value, after = words.value(told, place)
    listed = told[after : after + 1] in (["or"], [","]) and bool(words.value(told, after + 1)[0])
    return bool(value) and listed


@cache
def _is_noun(value: str) -> bool:
    """Whether a value is a noun or a brand and nothing else, as the apple in "is it near the apple orange?"."""
    classes = (name for name, held in attribute_classes().items() if any(value in row for row in held.values))
    return all(name in ("noun", "brand") for name in classes)


def _related(told: Sequence[str], place: int, words: Vocabulary) -> tuple[tuple[Related, ...], int]:
    """What follows a noun and ties it to another thing: "on the table", "that is on the table"."""
    start = place
    if told[place : place + 2] in (["that", "is"], ["that", "are"], ["who", "is"], ["who", "are"]):
        place += 2
    relation, end = words.relation(told, place)
    if not relation or end >= len(told):
        return (), start
    other, after = _thing(told, end, words)
    return ((Related(relation, other),), after) if other else ((), start)


def near_values() -> Mapping[str, tuple[frozenset[str], ...]]:
    """Of each class, the groups of words that are never held against each other, all spellings included."""
    return {
        name: tuple(frozenset(w for row in held.values if row[0] in group for w in row) for group in held.overlapping)
        for name, held in attribute_classes().items()
    }
