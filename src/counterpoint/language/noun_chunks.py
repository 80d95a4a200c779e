"""Words of a caption with their places and parts of speech, and the noun phrases and prepositions among them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.nouns import is_mass, is_plural
from counterpoint.language.numbers import number_value
from counterpoint.language.tagger import is_noun, tag_words

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*(?:n['’]t)?|['’]s\b|\S")
_ADJECTIVES = ("AJ0", "AJC", "AJS", "ORD", "CRD", "DT0")
_PARTICIPLES = ("VVN", "VVG", "VVD", "VVB")
_LIKE_ADJECTIVES = frozenset(  # after a noun: a dome shaped building, a snow covered hill
    split_list("shaped, covered, lined, filled, colored, sized, topped, flavored, haired, patterned, looking, style")
)
_GROUPS = split_list(
    "group, bunch, couple, pair, herd, flock, crowd, number, lot, variety, assortment, collection, trio, team, gang, "
    "array, dozen, series, set, handful, family, pack, gathering, row, line, selection, mix, mixture"
)
_MANY = frozenset(split_list("several, many, some, multiple, numerous, various, few, both, all, these, those"))
_ONE = frozenset(split_list("a, an, one, this, another, each, every"))


class TaggedToken(NamedTuple):
    """A word or a sign, in small letters, with its part of speech and its place in the text."""

    text: str
    tag: str
    start: int
    end: int


class Determiner(StrEnum):
    """What a noun phrase begins with."""

    ARTICLE = "article"  # a, an
    DEFINITE = "definite"  # the, this, these
    COUNT = "count"  # one, two, several, some
    GROUP = "group"  # a group of, lots of
    OWNER = "owner"  # her, the man's
    OTHER = "other"  # no, each, another: what cannot be exchanged for a count
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class NounChunk:
    """A noun phrase that is no pronoun, by the places of its words."""

    start: int
    first: int  # the first word after the article, the count or the owner
    head: int
    lead: Determiner
    many: bool | None  # nothing where neither its head nor what goes before tells

    @property
    def end(self) -> int:
        """The place after the head."""
        return self.head + 1


def tag_text(text: str) -> tuple[TaggedToken, ...]:
    """The words and signs of a text.

    >>> [(word.text, word.tag) for word in read("The dog's bowl.")]
    [('the', 'AT0'), ('dog', 'NN1'), ("'s", 'POS'), ('bowl', 'NN1'), ('.', 'PUN')]
    """
    found = list(_WORD.finditer(text))
    tags = tag_words(tuple(one.group() for one in found))
    return tuple(
        TaggedToken(one.group().lower().replace("’", "'"), _known(one.group(), tag), one.start(), one.end())
        for one, tag in zip(found, tags, strict=True)
    )


def _known(word: str, tag: str) -> str:
    """The tag of a word; where the tagger has none, that of a noun, if the lexicon has the word as one."""
    if tag != "UNC" or not lexicon().base_forms(word):
        return tag
    return "NN2" if is_plural(word.lower()) else "NN1"


def find_prepositions(said: Sequence[TaggedToken]) -> dict[int, int]:
    """Where each preposition begins, and where it ends: the longest at each place, particles of verbs among them.

    >>> said = read("A cat sits on top of a car in the rain.")
    >>> {" ".join(word.text for word in said[start:end]) for start, end in prepositions(said).items()} == {
    ...     "on top of", "in"}
    True
    """
    found, place = dict[int, int](), 0
    while place < len(said):
        end = _preposition(said, place)
        if end:
            found[place] = end
        place = end or place + 1
    return found


def _preposition(said: Sequence[TaggedToken], place: int) -> int:
    word = said[place]
    for parts in _longer().get(word.text, ()):
        if tuple(one.text for one in said[place : place + len(parts)]) == parts:
            return place + len(parts)
    single = word.tag in ("PRP", "PRF") or word.text in word_list("prepositions", "single")
    return place + 1 if single and not is_noun(word.tag) and word.tag[0] != "V" else 0


@cache
def _longer() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Prepositions of several words by their first, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in split_list(word_table("prepositions")["several"]):
        parts = tuple(phrase.split())
        found.setdefault(parts[0], []).append(parts)
    return {first: tuple(sorted(rows, key=lambda parts: (-len(parts), parts))) for first, rows in found.items()}


def find_noun_chunks(said: Sequence[TaggedToken], apart: Mapping[int, int] | None = None) -> list[NounChunk]:
    """The noun phrases, in their order; `apart` are the prepositions, if they are known.

    >>> said = read("Two small dogs are on a chain link fence next to her house.")
    >>> [(" ".join(word.text for word in said[one.start : one.end]), one.many) for one in chunks(said)]
    [('two small dogs', True), ('a chain link fence', False), ('her house', False)]
    """
    apart = find_prepositions(said) if apart is None else apart
    return list(_chunks(said, apart))


def _chunks(said: Sequence[TaggedToken], apart: Mapping[int, int]) -> Iterator[NounChunk]:
    place = 0
    while place < len(said):
        lead, many, first = _lead(said, place)
        head = (
            -1 if lead is Determiner.BARE and place in apart else _head(said, first, apart, lead is not Determiner.BARE)
        )
        if head < 0:
            place = apart.get(place, place + 1)
            continue
        if head + 1 < len(said) and said[head + 1].tag == "POS":  # the man's dog: the dog is the head
            owned = _head(said, head + 2, apart, True)
            if owned < 0:
                place = head + 2
                continue
            lead, first, head, many = Determiner.OWNER, head + 2, owned, None
        yield NounChunk(place, first, head, lead, _number(said, first, head, many))
        place = head + 1


def _lead(said: Sequence[TaggedToken], place: int) -> tuple[Determiner, bool | None, int]:
    """What a phrase would begin with here, whether that says one or many, and where its rest begins."""
    word, tag = said[place].text, said[place].tag
    after = said[place + 1].text if place + 1 < len(said) else ""
    if group := _group(said, place):
        return Determiner.GROUP, True, group
    if word in ("a", "an"):
        if after == "few":
            return Determiner.COUNT, True, place + 2
        return (
            (Determiner.COUNT, False, place + 2)
            if after in ("single", "lone")
            else (Determiner.ARTICLE, False, place + 1)
        )
    if word in ("the", "this", "these", "those"):
        value = number_value(after) if after else None
        if value is not None and place + 2 < len(said):
            return Determiner.DEFINITE, value != 1, place + 2
        return Determiner.DEFINITE, {"this": False, "these": True, "those": True}.get(word), place + 1
    value = number_value(word) if tag in ("CRD", "AT0", "DT0") else None
    if value is not None and value > 0:
        return Determiner.COUNT, value != 1, place + 1
    if tag == "DPS" or (word == "her" and tag == "PNP"):
        return Determiner.OWNER, None, place + 1
    if word in _MANY and tag[0] != "N":
        told = word in ("both", "all", "those")
        return (Determiner.OTHER if told else Determiner.COUNT), (None if word == "some" else True), place + 1
    if word in _ONE or tag in ("DT0", "AT0"):
        return Determiner.OTHER, None, place + 1
    return Determiner.BARE, None, place


def _group(said: Sequence[TaggedToken], place: int) -> int:
    """The place after "a large group of", "lots of" or the like, or nothing."""
    here = place
    if said[here].text in ("lots", "dozens", "plenty", "hundreds", "tons", "loads"):
        here += 1
    elif said[here].text in ("a", "an", "the"):
        here += 1
        while here < len(said) and said[here].tag in ("AJ0", "AV0"):
            here += 1
        if here == len(said) or said[here].text not in _GROUPS:
            return 0
        here += 1
    else:
        return 0
    if here < len(said) and said[here].text == "of":
        after = here + 1
        return after + 1 if after < len(said) and said[after].text in ("the", "some") else after
    return here if said[here - 1].text == "dozen" else 0


def _head(said: Sequence[TaggedToken], first: int, apart: Mapping[int, int], opened: bool) -> int:
    """The place of the noun that a phrase is about, or -1."""
    place, noun = first, -1
    while place < len(said) and (place not in apart or (opened and place == first and is_noun(said[place].tag))):
        if is_noun(said[place].tag):
            noun = place
        elif not _goes_on(said, place, noun, opened or place > first):
            break
        place += 1
    return noun


def _goes_on(said: Sequence[TaggedToken], place: int, noun: int, opened: bool) -> bool:
    """Whether a word that is no noun stands within a phrase."""
    word, tag = said[place].text, said[place].tag
    after = said[place + 1].tag if place + 1 < len(said) else ""
    if noun >= 0:
        return word in _LIKE_ADJECTIVES and is_noun(after)
    if tag in _ADJECTIVES:
        return True
    if tag in _PARTICIPLES:
        return opened and (is_noun(after) or after in _ADJECTIVES)
    if tag == "AV0":
        return after in ("AJ0", "VVN")
    joins = (tag == "CJC" and word == "and") or word == ","
    before = said[place - 1].tag if place else ""
    return joins and before in ("AJ0", "AJC", "VVN") and after in ("AJ0", "AJC", "VVN")


def _number(said: Sequence[TaggedToken], first: int, head: int, many: bool | None) -> bool | None:
    """Whether a phrase names many, where what goes before and the noun itself do not disagree."""
    name = " ".join(word.text for word in said[first : head + 1])
    if said[head].text in word_list("nouns", "same"):
        return many
    own = is_plural(name)
    if many is None or many == own:
        return own
    return None if not is_mass(name) else False
