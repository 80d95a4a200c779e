"""Tagged tokens of a caption, and a rule-based chunker for its noun phrases and prepositions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from counterpoint.core.grouping import group_pairs
from counterpoint.language.english import number_value
from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.nouns import is_mass, is_plural
from counterpoint.language.tokens import is_noun, tag_words

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*(?:n['’]t)?|['’]s\b|\S")
_ADJECTIVES = ("AJ0", "AJC", "AJS", "ORD", "CRD", "DT0")
_PARTICIPLES = ("VVN", "VVG", "VVD", "VVB")
_ADJECTIVAL = frozenset(  # after a noun: a dome shaped building, a snow covered hill
    split_list("shaped, covered, lined, filled, colored, sized, topped, flavored, haired, patterned, looking, style")
)
_GROUP_NOUNS = split_list(
    "group, bunch, couple, pair, herd, flock, crowd, number, lot, variety, assortment, collection, trio, team, gang, "
    "array, dozen, series, set, handful, family, pack, gathering, row, line, selection, mix, mixture"
)
_PLURAL = frozenset(split_list("several, many, some, multiple, numerous, various, few, both, all, these, those"))
_SINGULAR = frozenset(split_list("a, an, one, this, another, each, every"))


class TaggedToken(NamedTuple):
    """A lowercase word or punctuation mark with its part-of-speech tag and its span in the text."""

    text: str
    tag: str
    start: int
    end: int


class Determiner(StrEnum):
    """The kind of determiner that a noun phrase begins with."""

    ARTICLE = "article"  # a, an
    DEFINITE = "definite"  # the, this, these
    COUNT = "count"  # one, two, several, some
    GROUP = "group"  # a group of, lots of
    OWNER = "owner"  # her, the man's
    OTHER = "other"  # no, each, another: not replaceable by a count
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class NounChunk:
    """A noun phrase other than a pronoun, by token indices."""

    start: int
    first: int  # the first token after the determiner
    head: int
    determiner: Determiner
    many: bool | None  # None where neither head nor determiner decides

    @property
    def end(self) -> int:
        """The index after the head."""
        return self.head + 1


def tag_text(text: str) -> tuple[TaggedToken, ...]:
    """Tokenize and tag a text.

    >>> [(token.text, token.tag) for token in tag_text("The dog's bowl.")]
    [('the', 'AT0'), ('dog', 'NN1'), ("'s", 'POS'), ('bowl', 'NN1'), ('.', 'PUN')]
    """
    matches, tokens = list(_WORD.finditer(text)), []
    for match, tag in zip(matches, tag_words(tuple(match.group() for match in matches)), strict=True):
        word = match.group().lower()
        if tag == "UNC" and lexicon().base_forms(word):  # a noun that the tagger does not know
            tag = "NN2" if is_plural(word) else "NN1"
        tokens.append(TaggedToken(word.replace("’", "'"), tag, *match.span()))
    return tuple(tokens)


def find_prepositions(tokens: Sequence[TaggedToken]) -> dict[int, int]:
    """The start and end index of each preposition, the longest at each start, verb particles included.

    >>> tokens = tag_text("A cat sits on top of a car in the rain.")
    >>> [" ".join(token.text for token in tokens[start:end]) for start, end in find_prepositions(tokens).items()]
    ['on top of', 'in']
    """
    spans, index = dict[int, int](), 0
    while index < len(tokens):
        end = _preposition_end(tokens, index)
        if end:
            spans[index] = end
        index = end or index + 1
    return spans


def _preposition_end(tokens: Sequence[TaggedToken], index: int) -> int:
    """The index after the preposition that begins here, or 0."""
    token = tokens[index]
    for words in _multiword_prepositions().get(token.text, ()):
        if tuple(following.text for following in tokens[index : index + len(words)]) == words:
            return index + len(words)
    single = token.tag in ("PRP", "PRF") or token.text in word_list("prepositions", "single")
    return index + 1 if single and not is_noun(token.tag) and token.tag[0] != "V" else 0


@cache
def _multiword_prepositions() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Prepositions of several words by their first word, the longest first."""
    phrases = [tuple(phrase.split()) for phrase in split_list(word_table("prepositions")["several"])]
    table = group_pairs((words[0], words) for words in phrases)
    return {first: tuple(sorted(rows, key=lambda words: (-len(words), words))) for first, rows in table.items()}


def find_noun_chunks(tokens: Sequence[TaggedToken], prepositions: Mapping[int, int] | None = None) -> list[NounChunk]:
    """The noun phrases in order; `prepositions` are those of `find_prepositions`, if known.

    >>> tokens = tag_text("Two small dogs are on a chain link fence next to her house.")
    >>> [(" ".join(token.text for token in tokens[one.start : one.end]), one.many) for one in find_noun_chunks(tokens)]
    [('two small dogs', True), ('a chain link fence', False), ('her house', False)]
    """
    prepositions = find_prepositions(tokens) if prepositions is None else prepositions
    chunks, index = list[NounChunk](), 0
    while index < len(tokens):
        determiner, many, first = _determiner(tokens, index)
        bare = determiner is Determiner.BARE
        head = -1 if bare and index in prepositions else _head(tokens, first, prepositions, not bare)
        if head < 0:
            index = prepositions.get(index, index + 1)
            continue
        if head + 1 < len(tokens) and tokens[head + 1].tag == "POS":  # the man's dog: the dog is the head
            owned = _head(tokens, head + 2, prepositions, True)
            if owned < 0:
                index = head + 2
                continue
            determiner, first, head, many = Determiner.OWNER, head + 2, owned, None
        chunks.append(NounChunk(index, first, head, determiner, _is_plural(tokens, first, head, many)))
        index = head + 1
    return chunks


def _determiner(tokens: Sequence[TaggedToken], index: int) -> tuple[Determiner, bool | None, int]:
    """The determiner that begins here, whether it is plural, and the index after it."""
    word, tag = tokens[index].text, tokens[index].tag
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if group := _group_end(tokens, index):
        return Determiner.GROUP, True, group
    if word in ("a", "an"):
        if after == "few":
            return Determiner.COUNT, True, index + 2
        if after in ("single", "lone"):
            return Determiner.COUNT, False, index + 2
        return Determiner.ARTICLE, False, index + 1
    if word in ("the", "this", "these", "those"):
        value = number_value(after) if after else None
        if value is not None and index + 2 < len(tokens):
            return Determiner.DEFINITE, value != 1, index + 2
        return Determiner.DEFINITE, {"this": False, "these": True, "those": True}.get(word), index + 1
    value = number_value(word) if tag in ("CRD", "AT0", "DT0") else None
    if value is not None and value > 0:
        return Determiner.COUNT, value != 1, index + 1
    if tag == "DPS" or (word == "her" and tag == "PNP"):
        return Determiner.OWNER, None, index + 1
    if word in _PLURAL and tag[0] != "N":
        total = word in ("both", "all", "those")
        return (Determiner.OTHER if total else Determiner.COUNT), (None if word == "some" else True), index + 1
    if word in _SINGULAR or tag in ("DT0", "AT0"):
        return Determiner.OTHER, None, index + 1
    return Determiner.BARE, None, index


def _group_end(tokens: Sequence[TaggedToken], index: int) -> int:
    """The index after "a large group of", "lots of" or the like, or 0."""
    if tokens[index].text in ("lots", "dozens", "plenty", "hundreds", "tons", "loads"):
        index += 1
    elif tokens[index].text in ("a", "an", "the"):
        index += 1
        while index < len(tokens) and tokens[index].tag in ("AJ0", "AV0"):
            index += 1
        if index == len(tokens) or tokens[index].text not in _GROUP_NOUNS:
            return 0
        index += 1
    else:
        return 0
    if index < len(tokens) and tokens[index].text == "of":
        after = index + 1
        return after + 1 if after < len(tokens) and tokens[after].text in ("the", "some") else after
    return index if tokens[index - 1].text == "dozen" else 0


def _head(tokens: Sequence[TaggedToken], first: int, prepositions: Mapping[int, int], opened: bool) -> int:
    """The index of the head noun of a phrase, or -1."""
    index, noun = first, -1
    while index < len(tokens) and (
        index not in prepositions or (opened and index == first and is_noun(tokens[index].tag))
    ):
        if is_noun(tokens[index].tag):
            noun = index
        elif not _continues(tokens, index, noun, opened or index > first):
            break
        index += 1
    return noun


def _continues(tokens: Sequence[TaggedToken], index: int, noun: int, opened: bool) -> bool:
    """Whether a token other than a noun can continue a phrase."""
    word, tag = tokens[index].text, tokens[index].tag
    after = tokens[index + 1].tag if index + 1 < len(tokens) else ""
    if noun >= 0:
        return word in _ADJECTIVAL and is_noun(after)
    if tag in _ADJECTIVES:
        return True
    if tag in _PARTICIPLES:
        return opened and (is_noun(after) or after in _ADJECTIVES)
    if tag == "AV0":
        return after in ("AJ0", "VVN")
    joins = (tag == "CJC" and word == "and") or word == ","
    before = tokens[index - 1].tag if index else ""
    return joins and before in ("AJ0", "AJC", "VVN") and after in ("AJ0", "AJC", "VVN")


def _is_plural(tokens: Sequence[TaggedToken], first: int, head: int, many: bool | None) -> bool | None:
    """Whether a phrase is plural; None where determiner and head disagree."""
    name = " ".join(word.text for word in tokens[first : head + 1])
    if tokens[head].text in word_list("nouns", "same"):
        return many
    plural = is_plural(name)
    if many is None or many == plural:
        return plural
    return None if not is_mass(name) else False
