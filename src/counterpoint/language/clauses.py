"""Yes/no questions as clauses: a small grammar that finds subject and predicate, and the statement behind them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from counterpoint.language.lexicon.attributes import class_of
from counterpoint.language.lexicon.senses import curated_names
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.noun_chunks import TaggedToken, tag_text
from counterpoint.language.nouns import is_mass, is_plural
from counterpoint.language.tokens import is_noun
from counterpoint.language.verbs import past, third_person

PRONOUNS = frozenset(split_list("it, he, she, they"))
"""The pronouns that a subject may be; "this" and "these" may be one, or stand before a noun."""
_BE = {"is": False, "was": False, "are": True, "were": True}  # whether it agrees with a plural
_DO = {"does": False, "do": True, "did": None}
_DETERMINERS = frozenset(split_list("the, this, that, these, those, his, her, their, its"))
_PLACES = frozenset(split_list("left, right, middle, center, background, foreground, front, back"))
_BEFORE_NOUNS = ("AJ", "CRD", "ORD", "VVN", "VVG")
_PREDICATES = ("AJ", "VVG", "VHG", "VVN", "VVD", "VBG", "PRP", "AVP", "AT0", "DPS", "CRD")
_SUFFIXES = frozenset(
    split_list("free, friendly, proof, like, style, made, shaped, sized, colored, coloured, lit, themed, ready")
)
"""Words that form one adjective with the noun before them: "dairy free", "heart shaped"."""
_SIGNS = re.compile(r"[^\w\s'’-]|\d")
_UNSETTLED = "where its subject ends is not settled by its words"


@dataclass(frozen=True, slots=True)
class PolarClause:
    """A yes/no question as the parts of the statement that it asks about, in the words of the question."""

    auxiliary: str
    subject: str
    head: str  # the noun or pronoun of the subject
    predicate: str
    is_many: bool

    def statement(self, *, negated: bool = False) -> str:
        """The statement that the question asks about, or its negation.

        >>> parse_clause("Does this dog have a collar?").statement()
        'this dog has a collar'
        >>> parse_clause("Is the man on the left wearing a hat?").statement(negated=True)
        'the man on the left is not wearing a hat'
        """
        if negated:
            return f"{self.subject} {self.auxiliary} not {self.predicate}"
        if self.auxiliary in _BE:
            return f"{self.subject} {self.auxiliary} {self.predicate}"
        inflect = {"does": third_person, "did": past}.get(self.auxiliary)
        return f"{self.subject} {inflect(self.predicate) if inflect else self.predicate}"


@lru_cache(1 << 14)
def parse_clause(text: str) -> PolarClause | str:
    """The clause of a yes/no question about a definite subject, or the reason why it cannot be told."""
    words = strip_question(text)
    if _SIGNS.search(words):
        return "it has more than one clause"
    tokens = tag_text(f"{words}?")[:-1]
    if len(tokens) < 3 or tokens[0].text not in (*_BE, *_DO):
        return "it is no yes/no question with be or do"
    subject = _subject(tokens)
    if isinstance(subject, str):
        return subject
    end, head = subject
    if end == len(tokens):
        return _UNSETTLED
    is_many = _is_many(tokens, head)
    if {**_BE, **_DO}[tokens[0].text] not in (is_many, None):
        return "its verb does not agree with its subject"
    predicate = tokens[end]
    is_compound = predicate.text in _SUFFIXES and is_noun(tokens[end - 2].tag) and end + 1 == len(tokens)
    if is_compound or words.endswith("glow in the dark"):
        return _UNSETTLED  # the meal is dairy free
    if tokens[0].text in _DO:
        if predicate.tag not in ("VVB", "VVI", "VHB", "VHI") or predicate.text.endswith(("ing", "ed")):
            return _UNSETTLED
    elif not (predicate.tag.startswith(_PREDICATES) or _is_gerund(predicate) or (end == 2 and head == 1)):
        return _UNSETTLED
    if _is_reduced(tokens[end:]):
        return _UNSETTLED
    start = tokens[1].start
    return PolarClause(
        tokens[0].text,
        words[start : tokens[end - 1].end],
        " ".join(token.text for token in tokens[_first_noun(tokens, head) : head + 1]),
        words[predicate.start :],
        is_many,
    )


def strip_question(text: str) -> str:
    """A question with single spaces, without its question mark.

    >>> strip_question("Is  it red ?")
    'Is it red'
    """
    return " ".join(text.split()).removesuffix("?").rstrip()


def _subject(tokens: Sequence[TaggedToken]) -> tuple[int, int] | str:
    """The index after the subject and that of its head, or the reason why they cannot be told."""
    first = tokens[1].text
    if first in PRONOUNS:
        return 2, 1
    if first not in _DETERMINERS:
        return "its subject is not definite"
    head = _noun_phrase(tokens, 2)
    pointing = first in ("this", "these")
    if head < 0 or head + 1 == len(tokens):
        return (2, 1) if pointing and not tokens[2].tag.startswith(("VV", "PO")) else _UNSETTLED
    end = _modifiers_end(tokens, head + 1)
    if end < len(tokens) and first in ("this", "that", "these", "those"):
        doubtful = first in ("these", "those") or is_mass(tokens[head].text)
        if doubtful and not tokens[end].tag.startswith(("VVG", "AJ", "VH", "VVB", "VVI")):
            return _UNSETTLED  # these cows are in a field, or these are cows in a field
    return end, head


def _noun_phrase(tokens: Sequence[TaggedToken], start: int) -> int:
    """The index of the last noun of the phrase that goes on here after a determiner, or -1."""
    index = start
    while index < len(tokens) and tokens[index].tag.startswith(_BEFORE_NOUNS) and not is_noun(tokens[index].tag):
        index += 1
    if index == len(tokens) or not is_noun(tokens[index].tag) or _is_gerund(tokens[index]):
        return -1
    while index + 1 < len(tokens) and (is_noun(tokens[index + 1].tag) or tokens[index + 1].tag == "POS"):
        if _is_gerund(tokens[index + 1]):
            break
        index += 1
    after = [token.tag for token in tokens[index + 1 : index + 3]]
    if is_noun(tokens[index - 1].tag) and _may_be_adjective(tokens[index - 1].text, tokens[index].text):
        return -1
    if tokens[index].tag == "POS" or (len(after) == 2 and after[0].startswith("AJ") and is_noun(after[1])):
        return -1
    return index


def _may_be_adjective(before: str, word: str) -> bool:
    """Whether the last of two nouns may say how the first one is: "the cake level", and not "the traffic light"."""
    return f"{before} {word}" not in curated_names() and bool(lexicon().senses(word, "a"))


def _is_gerund(token: TaggedToken) -> bool:
    """Whether a word that may be tagged as a noun is what somebody does: running, and not a building."""
    return token.text.endswith("ing") and token.text not in curated_names()


def _modifiers_end(tokens: Sequence[TaggedToken], end: int) -> int:
    """The index after "of the building" and "on the left", which belong to the noun before them."""
    while end + 1 < len(tokens) and tokens[end].tag.startswith("PR"):
        start = end + 2 if tokens[end + 1].text in _DETERMINERS else end + 1
        head = _noun_phrase(tokens, start)
        if head < 0 or head + 1 == len(tokens):
            break
        is_place = tokens[head].text in _PLACES and tokens[end].text in ("on", "in", "at")
        if not (tokens[end].text == "of" or (is_place and tokens[head + 1].text != "of")):
            break
        end = head + 1
    return end


def _is_reduced(predicate: Sequence[TaggedToken]) -> bool:
    """Whether what seems to be the predicate may belong to the subject: "the man wearing a hat tall"."""
    if not (predicate[0].tag.startswith(("V", "PR")) or predicate[0].text.endswith("ing")) or len(predicate) < 3:
        return False
    after_noun = [word for before, word in pairwise(predicate[1:]) if is_noun(before.tag)]
    if predicate[0].text == "in" and class_of(predicate[1].text) == "color" and predicate[2].text.endswith("ing"):
        return True  # "the girls in black wearing helmets"
    if any(word.tag in ("VVG", "VVZ", "VBZ", "VBB", "VHZ") or _is_gerund(word) for word in after_noun):
        return True
    if predicate[0].tag.startswith("PR") and any(word.tag.startswith(("AJ", "VV")) for word in after_noun):
        return True
    if predicate[2].text in _PLACES and predicate[3:4] and predicate[3].text not in ("of", "side", "hand"):
        return True
    places = predicate[0].tag.startswith("V") and predicate[-1].text in _PLACES and predicate[-2].text == "the"
    return places or (predicate[-1].tag.startswith("AJ") and is_noun(predicate[-2].tag))


def _first_noun(tokens: Sequence[TaggedToken], head: int) -> int:
    first = head
    while first > 2 and is_noun(tokens[first - 1].tag):
        first -= 1
    return first


def _is_many(tokens: Sequence[TaggedToken], head: int) -> bool:
    if head == 1:
        return tokens[1].text in ("they", "these")
    return is_plural(" ".join(token.text for token in tokens[_first_noun(tokens, head) : head + 1]))
