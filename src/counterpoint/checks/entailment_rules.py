"""Whether a foil follows from its caption, by lexical rules: numbers, prepositions, yes and no, kinds and opposites.

The rules see only what was changed. Where none of them speaks the answer is that nothing is known, and not that the two
texts are neutral to each other: that is said only where the foil may be true of what the caption says.
"""

from functools import lru_cache

from counterpoint.checks import prepositions as places
from counterpoint.checks.quantities import NONE, VOCABULARY, parse_quantity, same_but_for_number
from counterpoint.checks.text_pairs import Words
from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.attributes import are_synonyms, excludes
from counterpoint.language.lexicon.senses import is_a, resolve_name
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.nouns import singular
from counterpoint.language.verbs import base_form
from counterpoint.language.word_diff import changed_span

ENTAILED, NEUTRAL, CONTRADICTED, UNKNOWN = "entailment", "neutral", "contradiction", "unknown"
LABELS = (ENTAILED, NEUTRAL, CONTRADICTED, UNKNOWN)
MUTUAL = frozenset(
    split_list(
        "hug, embrace, kiss, marry, meet, talk with, chat with, speak with, dance with, play with, fight with, wrestle,"
        "shake hands with, compete with, compete against, race against, box with, argue with, sit with, sit next to,"
        "stand next to, stand beside, converse with, communicate with, collide with, date, resemble, adjoin"
    )
)
"""What two do to each other alike, so that exchanging them changes nothing."""
_AROUND = 3  # words before the place that was changed, in which a phrase of quantity may begin
_SENSES = 3  # the most frequent senses of a verb; rare ones make synonyms of verbs that nobody takes for such
_CLOSING = ("of", "to", "from")  # the ends of prepositions that both sides may share
_STEPS_UP = 3  # beyond these, a more general verb says hardly more than that something is done


def entailment_label(caption: Words, foil: Words, verbs: bool = False) -> str:
    """What the rules know of a foil, if its caption is true; `verbs` says that verbs were exchanged.

    >>> from counterpoint.checks.text_pairs import words_of
    >>> label(words_of("some dogs in a field"), words_of("exactly one dog in a field"))
    'contradiction'
    >>> label(words_of("a cat next to a box"), words_of("a cat near a box"))
    'entailment'
    """
    changed = changed_span(caption, foil)
    if changed is None:
        return ENTAILED
    start, end, _, other_end = changed
    before, after = caption[max(start - _AROUND, 0) : start], caption[end : end + 1]
    return _label(caption[start:end], foil[start:other_end], before, after, verbs)


@lru_cache(1 << 16)
def _label(was: Words, now: Words, before: Words, after: Words, verbs: bool) -> str:
    if {was, now} == {("yes",), ("no",)}:
        return CONTRADICTED
    if sorted(was) == sorted(now):
        return ENTAILED if _is_mutual(was) else UNKNOWN
    found = _by_number(was, now, before, after)
    if found == UNKNOWN and not verbs:
        found = _by_place(was, now, before, after)
    if found == UNKNOWN and was and now and not places.is_preposition(" ".join(was)):
        found = _by_meaning(" ".join(was), " ".join(now), verbs)
    return found


def _by_number(was: Words, now: Words, before: Words, after: Words) -> str:
    """Where the same things are counted, whether the foil's range holds the caption's.

    A phrase of quantity may begin before the place that was changed: exactly | 8 horses.
    """
    while was and now and was[0] not in VOCABULARY and same_but_for_number(was[:1], now[:1]):
        was, now = was[1:], now[1:]
        before = ()
    for start in range(len(before) + 1):
        found = _compare_counts((*before[start:], *was, *after), (*before[start:], *now, *after))
        if found != UNKNOWN:
            return found
    return UNKNOWN


def _compare_counts(one: Words, other: Words) -> str:
    said, rest = parse_quantity(one)
    also, left = parse_quantity(other)
    if (said is None and also is None) or not rest or not same_but_for_number(rest, left):
        return UNKNOWN
    if said is None or also is None:
        return CONTRADICTED if NONE in (said, also) else UNKNOWN
    if said.apart(also):
        return CONTRADICTED
    return ENTAILED if said.within(also) else NEUTRAL


def _by_place(was: Words, now: Words, before: Words, after: Words) -> str:
    """Whether one preposition follows from another, or excludes it; their ends or beginnings may be shared."""
    shared = after if after and after[0] in _CLOSING else ()
    for head, tail in (((), shared), ((), ()), (before[-1:], shared), (before[-1:], ())):
        left, right = " ".join((*head, *was, *tail)), " ".join((*head, *now, *tail))
        if places.is_preposition(left) and places.is_preposition(right) and left != right:
            if places.entails(left, right):
                return ENTAILED
            if places.excludes(left, right):
                return CONTRADICTED
            return NEUTRAL if places.entails(right, left) else UNKNOWN
    return UNKNOWN


def _by_meaning(was: str, now: str, verbs: bool) -> str:
    if verbs:
        return _by_verb(base_form(was), base_form(now))
    was, now = _bare(was), _bare(now)
    if are_synonyms(was, now):
        return ENTAILED
    if excludes(was, now) or now in lexicon().antonyms(was):
        return CONTRADICTED
    return _by_noun(was, now)


def _by_noun(was: str, now: str) -> str:
    """What is a dog is an animal; what is an animal may be a dog."""
    if singular(was) == singular(now):
        return UNKNOWN  # of another number, of which the rule for numbers knew nothing
    try:
        if is_a(was, now):
            return ENTAILED if resolve_name(now).whole else UNKNOWN
        return NEUTRAL if is_a(now, was) else UNKNOWN
    except UnknownName:
        return UNKNOWN


def _by_verb(was: str, now: str) -> str:
    """Who strolls walks; who walks may stroll; who climbs does not descend."""
    if was == now:
        return ENTAILED
    book = lexicon()
    if now in book.antonyms(was, "v"):
        return CONTRADICTED
    mine, theirs = (book.senses(verb, "v")[:_SENSES] for verb in (was, now))
    if any(one in _general_senses(other) for other in mine for one in theirs):
        return ENTAILED
    return NEUTRAL if any(one in _general_senses(other) for other in theirs for one in mine) else UNKNOWN


def _general_senses(sense: Sense) -> frozenset[Sense]:
    """A sense of a verb and the next more general ones."""
    found, level = {sense}, {sense}
    for _ in range(_STEPS_UP):
        level = {above for one in level for above in lexicon().hypernyms(one)}
        found |= level
    return frozenset(found)


def _is_mutual(words: Words) -> bool:
    """Whether what stands between the two that changed places is done by both alike."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + 4, len(words)) + 1):
            verb = " ".join((base_form(words[start]), *words[start + 1 : end]))
            if verb in MUTUAL:
                return True
    return False


def _bare(phrase: str) -> str:
    """A noun without its article."""
    first, _, rest = phrase.partition(" ")
    return rest if rest and first in ("a", "an", "the") else phrase
