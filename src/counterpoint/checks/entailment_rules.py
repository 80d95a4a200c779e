"""Lexical entailment rules for a caption and its foil: numbers, prepositions, yes and no, hypernyms and antonyms.

The rules see only the changed words. Where none applies the label is unknown, not neutral: neutral means that the foil
may be true where the caption is.
"""

import re
from functools import lru_cache

from counterpoint.checks import prepositions
from counterpoint.checks.quantities import NONE, VOCABULARY, parse_quantity, same_but_for_number
from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.attributes import are_synonyms, excludes
from counterpoint.language.lexicon.senses import is_a, resolve_name
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.nouns import singular
from counterpoint.language.verbs import base_form
from counterpoint.language.word_diff import Words, changed_span

ENTAILED, NEUTRAL, CONTRADICTED, UNKNOWN = "entailment", "neutral", "contradiction", "unknown"
LABELS = (ENTAILED, NEUTRAL, CONTRADICTED, UNKNOWN)
_AROUND = 3  # words before the changed span in which a quantity phrase may begin
_SENSES = 3  # senses of a verb that are compared; rare ones make synonyms of verbs that nobody uses as such
_CLOSING = ("of", "to", "from")  # last words of prepositions that both sides may share
_STEPS_UP = 3  # hypernyms farther up mean hardly more than "do"


def entailment_label(caption: Words, foil: Words, verbs: bool = False) -> str:
    """The entailment label of a foil given its caption; `verbs` says that verbs were exchanged.

    >>> from counterpoint.checks.text_pairs import tokenize
    >>> entailment_label(tokenize("some dogs in a field"), tokenize("exactly one dog in a field"))
    'contradiction'
    >>> entailment_label(tokenize("a cat next to a box"), tokenize("a cat near a box"))
    'entailment'
    """
    span = changed_span(caption, foil)
    if span is None:
        return ENTAILED
    start, end, _, other_end = span
    before, after = caption[max(start - _AROUND, 0) : start], caption[end : end + 1]
    return _label(caption[start:end], foil[start:other_end], before, after, verbs)


@lru_cache(1 << 16)
def _label(was: Words, now: Words, before: Words, after: Words, verbs: bool) -> str:
    if {was, now} == {("yes",), ("no",)}:
        return CONTRADICTED
    if sorted(was) == sorted(now):
        return ENTAILED if _is_mutual(was) else UNKNOWN
    label = _by_number(was, now, before, after)
    if label == UNKNOWN and not verbs:
        label = _by_preposition(was, now, before, after)
    if label == UNKNOWN and was and now and " ".join(was) not in prepositions.all_prepositions():
        label = (_by_verb if verbs else _by_lexicon)(" ".join(was), " ".join(now))
    return label


def _by_number(was: Words, now: Words, before: Words, after: Words) -> str:
    """Compare counts of the same things: entailed where the foil's range contains the caption's.

    A quantity phrase may begin before the changed span: exactly | 8 horses.
    """
    while was and now and was[0] not in VOCABULARY and same_but_for_number(was[:1], now[:1]):
        was, now = was[1:], now[1:]
        before = ()
    for start in range(len(before) + 1):
        label = _compare_counts((*before[start:], *was, *after), (*before[start:], *now, *after))
        if label != UNKNOWN:
            return label
    return UNKNOWN


def _compare_counts(caption: Words, foil: Words) -> str:
    count, rest = parse_quantity(caption)
    foil_count, foil_rest = parse_quantity(foil)
    if (count is None and foil_count is None) or not rest or not same_but_for_number(rest, foil_rest):
        return UNKNOWN
    if count is None or foil_count is None:
        return CONTRADICTED if NONE in (count, foil_count) else UNKNOWN
    if count.is_disjoint(foil_count):
        return CONTRADICTED
    return ENTAILED if count.within(foil_count) else NEUTRAL


def _by_preposition(was: Words, now: Words, before: Words, after: Words) -> str:
    """Compare prepositions, which may share their first or last words."""
    shared = after if after and after[0] in _CLOSING else ()
    for head, tail in (((), shared), ((), ()), (before[-1:], shared), (before[-1:], ())):
        left, right = " ".join((*head, *was, *tail)), " ".join((*head, *now, *tail))
        if left != right and prepositions.all_prepositions().issuperset((left, right)):
            if prepositions.entails(left, right):
                return ENTAILED
            if prepositions.excludes(left, right):
                return CONTRADICTED
            return NEUTRAL if prepositions.entails(right, left) else UNKNOWN
    return UNKNOWN


def _by_lexicon(was: str, now: str) -> str:
    """Synonyms entail and antonyms contradict each other; a hyponym entails its hypernym, as a dog is an animal."""
    was, now = (re.sub("^(?:an?|the) ", "", phrase) for phrase in (was, now))
    if are_synonyms(was, now):
        return ENTAILED
    if excludes(was, now) or now in lexicon().antonyms(was):
        return CONTRADICTED
    if singular(was) == singular(now):
        return UNKNOWN  # they differ in number only, to which the rule for numbers did not apply
    try:
        if is_a(was, now):
            return ENTAILED if resolve_name(now).exact else UNKNOWN
        return NEUTRAL if is_a(now, was) else UNKNOWN
    except UnknownName:
        return UNKNOWN


def _by_verb(was: str, now: str) -> str:
    """A troponym entails its hypernym: strolling is walking; antonyms contradict: climbing, descending."""
    was, now = base_form(was), base_form(now)
    if was == now:
        return ENTAILED
    if now in lexicon().antonyms(was, "v"):
        return CONTRADICTED
    senses, foil_senses = (lexicon().senses(verb, "v")[:_SENSES] for verb in (was, now))
    if any(general in _general_senses(special) for special in senses for general in foil_senses):
        return ENTAILED
    return NEUTRAL if any(sense in _general_senses(special) for special in foil_senses for sense in senses) else UNKNOWN


def _general_senses(sense: Sense) -> frozenset[Sense]:
    """A sense of a verb and its hypernyms within a few steps."""
    senses, level = {sense}, {sense}
    for _ in range(_STEPS_UP):
        level = {hypernym for member in level for hypernym in lexicon().hypernyms(member)}
        senses |= level
    return frozenset(senses)


def _is_mutual(words: Words) -> bool:
    """Whether the words contain a verb that is the same both ways."""
    mutual = split_list(prepositions.read_rules()["mutual"])
    phrases = ((base_form(word), *words[place + 1 : place + 4]) for place, word in enumerate(words))
    return any(" ".join(phrase[:end]) in mutual for phrase in phrases for end in range(1, len(phrase) + 1))
