"""Plurality: the number of a noun phrase is changed, "exactly one flower" to "some flowers" (VALSE, A.2)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random
from typing import NamedTuple

from counterpoint.core.groups import Group
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.lexicon.wordnet import lexicon
from counterpoint.language.noun_chunks import (
    Determiner,
    NounChunk,
    TaggedToken,
    find_noun_chunks,
    find_prepositions,
    tag_text,
)
from counterpoint.language.nouns import is_countable, is_mass, is_plural, plural, singular
from counterpoint.language.tokens import is_noun
from counterpoint.language.verbs import base_form
from counterpoint.scenes.names import is_known
from counterpoint.suites.question_groups import caption_group
from counterpoint.suites.suite import Rejection
from counterpoint.suites.valse.agreement import NumberForms, infinitive, is_kind, verb_forms, verb_subjects
from counterpoint.suites.valse.caption_foils import (
    CaptionSurvey,
    Rewrite,
    apply_rewrites,
    caption_suite,
    likelier_side,
    listed_words,
    read_lists,
)

PIECE = "plurality"

MAX_TOKENS = 80
"""The largest number of tokens of a caption."""
_THINGS = ("living_thing.n.01", "artifact.n.01", "food.n.01", "food.n.02", "body_part.n.01", "fruit.n.01")
_SEVERAL = re.compile(r"side by side|\b(?:stand|sitt|ly|lay)ing and (?:stand|sitt|ly|lay)ing\b")  # of several each
_KINDS = ("person.n.01", "animal.n.01", "vehicle.n.01")
_AGREEING = ("VBZ", "VBB", "VBD", "VHZ", "VHB", "VDZ", "VDB", "VVZ", "VVB")
_FIXED_TAGS = ("ORD", "AJS", "AJC", "DT0", "DPS", "CRD")
_PRONOUNS = ("PNP", "PNX", "DPS", "POS", "PNI")


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A noun phrase in singular and plural, with the words that agree with it."""

    start: int  # in letters
    end: int
    many: bool  # what the caption says
    noun: str  # the head, in the singular
    one: str  # the phrase without its article, in the singular
    several: str
    frame: str  # what stands on both sides, in a word each
    forms: tuple[tuple[int, int, str, str], ...]  # other words by their letters, of one and of many


def number_changes(text: str) -> Iterator[NumberChange]:
    """Every noun phrase of a caption whose number can be changed unambiguously.

    >>> [(change.one, change.several, change.many) for change in number_changes("A table with two red balls.")]
    [('red ball', 'red balls', True)]
    """
    tokens = tag_text(text)
    is_joint = any(word.text in listed_words("plurality", "together") for word in tokens) or _SEVERAL.search(text)
    if text.isupper() or len(tokens) > MAX_TOKENS or is_joint:
        return
    apart = find_prepositions(tokens)
    phrases = find_noun_chunks(tokens, apart)
    agreeing = verb_subjects(tokens, phrases)
    if agreeing is None:
        return
    ends = {end: start for start, end in apart.items()}
    if _is_broken(tokens, phrases) or _has_missed_verb(tokens, phrases, agreeing):
        return
    nouns = Counter(singular(word.text) for word in tokens)
    for place, chunk in enumerate(phrases):
        leads = [_Lead.of(tokens, one, ends) for one in phrases]
        if nouns[singular(tokens[chunk.head].text)] > 1:
            continue  # a cat near a sitting cat
        if (chunk.end in agreeing or not _is_verb_after(tokens, chunk)) and _can_change(tokens, phrases, place, leads):
            yield _change(tokens, chunk, tuple(verb_forms(tokens, agreeing, place)))


class _Lead(NamedTuple):
    """What leads to a noun phrase: a preposition, a verb or another word."""

    preposition: str
    before: TaggedToken | None

    @classmethod
    def of(cls, tokens: Sequence[TaggedToken], chunk: NounChunk, ends: Mapping[int, int]) -> "_Lead":
        start = ends.get(chunk.start, chunk.start)
        said = " ".join(word.text for word in tokens[start : chunk.start])
        return cls(said, tokens[start - 1] if start else None)

    @property
    def verb(self) -> str:
        """The base form of the verb that a phrase is the object of, or ""."""
        if self.preposition or self.before is None:
            return ""
        return infinitive(self.before.text) if self.before.tag[0] == "V" or self.before.text.endswith("ing") else ""


def _is_broken(tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk]) -> bool:
    """Whether a phrase is no good English ("a picnic blankets"), touches another, or is not found after its article."""
    inside = {place for chunk in phrases for place in range(chunk.start, chunk.end)}
    inside |= {place for start, end in find_prepositions(tokens).items() for place in range(start, end)}
    lost = any(word.text in ("a", "an", "the") and place not in inside for place, word in enumerate(tokens))
    return lost or any(
        (chunk.start and is_noun(tokens[chunk.start - 1].tag) and chunk.determiner is not Determiner.BARE)
        or (chunk.determiner is Determiner.ARTICLE and chunk.many is not False)
        for chunk in phrases
    )


def _has_missed_verb(tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], agreeing: Mapping[int, int]) -> bool:
    """Whether a word may be a finite verb that the tagger took for a noun: brown hair play with remotes."""
    heads = {chunk.head for chunk in phrases if chunk.head > chunk.first}
    nouns = any(_is_verb(tokens[head].text) and is_noun(tokens[head - 1].tag) for head in heads)
    joined = [word for before, word in pairwise(tokens) if before.text in ("and", "or", ",", "while", "as", "then")]
    odd = any(word.tag[:2] == "VV" and not _is_verb(word.text) for word in map(tokens.__getitem__, agreeing))
    return (
        nouns or odd or (bool(agreeing) and any(_is_verb(word.text) and word.tag not in _AGREEING for word in joined))
    )


def _is_verb_after(tokens: Sequence[TaggedToken], chunk: NounChunk) -> bool:
    """Whether a verb may follow that the tagger missed: people sit at a table."""
    after = tokens[chunk.end] if chunk.end < len(tokens) else None
    return after is not None and (after.tag in ("VVI", "VVB", "VVZ") or (after.tag[0] != "V" and _is_verb(after.text)))


def _can_change(
    tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], place: int, leads: Sequence[_Lead]
) -> bool:
    chunk = phrases[place]
    fixed = (
        (Determiner.OWNER, Determiner.OTHER) if chunk.many else (Determiner.OWNER, Determiner.OTHER, Determiner.BARE)
    )
    if chunk.many is None or chunk.determiner in fixed or _has_pronoun(tokens, chunk):
        return False
    return (
        is_countable_object(tokens[chunk.head].text, chunk.many)
        and _modifiers_allow(tokens, chunk)
        and _stands_out(tokens, phrases, place, leads)
        and all(_is_shared(tokens, phrases, other, leads) for other in range(place + 1, len(phrases)))
        and _after_allows(tokens, phrases, place)
    )


def _has_pronoun(tokens: Sequence[TaggedToken], chunk: NounChunk) -> bool:
    """Whether a pronoun or an owner tells the number: a man on his board; not flowers with a vase before, in it."""
    bound = {chunk.end + 1} if chunk.many and chunk.start and chunk.end + 1 < len(tokens) else set[int]()
    if bound and (tokens[chunk.end].tag not in ("PRP", "AVP") or tokens[chunk.end + 1].text != "it"):
        bound = set()
    return any(word.tag in _PRONOUNS and place not in bound for place, word in enumerate(tokens))


def _stands_out(
    tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], place: int, leads: Sequence[_Lead]
) -> bool:
    """Whether the number of a phrase can be seen by itself: what a caption begins with, or what one holds or has."""
    chunk, lead = phrases[place], leads[place]
    if not chunk.start:
        return True
    before = tokens[chunk.start - 1]
    if before.tag[:2] == "VB" or before.text == "there":
        return chunk.start > 1 and tokens[chunk.start - 2].text == "there"
    pictured = lead.preposition == "of" and lead.before is not None
    if pictured and lead.before is not None and lead.before.text in listed_words(PIECE, "pictures"):
        return True
    earlier = phrases[:place]
    if not earlier:
        return False
    joined = before.text in ("and", ",") and earlier[-1].end == chunk.start - 1
    if any(_is_living(tokens, one) and one.many is not False for one in earlier) and not (joined and place == 1):
        return False  # two men with a hat have a hat each
    if lead.preposition == "with":
        noun = singular(tokens[earlier[-1].head].text)
        holds = place == 1 or noun in listed_words(PIECE, "uncounted") or noun in listed_words(PIECE, "shared")
        is_behind = not chunk.many and "background" in [word.text for word in tokens[chunk.end :]]
        return holds and not is_behind and not _is_living(tokens, earlier[-1]) and earlier[-1].many is False
    if joined:
        return place == 1 or leads[place - 1].preposition == "with" or _stands_out(tokens, phrases, place - 1, leads)
    return lead.verb in listed_words(PIECE, "verbs") and all(one.many is False for one in earlier)


def _is_living(tokens: Sequence[TaggedToken], chunk: NounChunk) -> bool:
    return is_kind(singular(tokens[chunk.head].text), "person.n.01", "animal.n.01")


def _is_shared(tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], place: int, leads: Sequence[_Lead]) -> bool:
    """Whether a later phrase fits one as well as several: a beach, or a bench that they are next to; not a hat."""
    chunk, lead, noun = phrases[place], leads[place], singular(tokens[phrases[place].head].text)
    if chunk.determiner in (Determiner.OWNER, Determiner.OTHER) or noun in listed_words(PIECE, "unshared"):
        return False
    is_bare = chunk.determiner is Determiner.BARE and not chunk.many
    is_place = noun in listed_words(PIECE, "uncounted") or noun in listed_words(PIECE, "shared")
    if lead.preposition in listed_words(PIECE, "near"):
        return True
    if lead.preposition == "with":
        after = [word.text for word in tokens[chunk.end : chunk.end + 3]]
        return is_place and after[:2] == ["in", "the"]
    if lead.preposition:
        return (
            is_place
            or (is_bare and is_mass(noun))
            or (lead.preposition == "of" and chunk.determiner is Determiner.BARE)
        )
    if lead.before is not None and lead.before.text in ("and", ","):
        joined = phrases[place - 1].end == chunk.start - 1 and (place == 1 or bool(leads[place - 1].preposition))
        return joined and (place == 1 or _is_shared(tokens, phrases, place - 1, leads))
    return (is_place and lead.verb in ("cross", "enter")) or (is_bare and lead.verb == "play")


@cache
def is_countable_object(noun: str, many: bool) -> bool:
    """Whether a noun names countable, visible objects."""
    one, several = singular(noun), plural(singular(noun))
    if one in listed_words("plurality", "uncounted") or not is_countable(noun) or noun.isdecimal():
        return False
    return (
        one != several and noun == (several if many else one) and bool(lexicon().senses(one)) and is_kind(one, *_THINGS)
    )


def _modifiers_allow(tokens: Sequence[TaggedToken], chunk: NounChunk) -> bool:
    before = tokens[chunk.first : chunk.head]
    if any(word.tag in _FIXED_TAGS or word.text in listed_words("plurality", "fixed") for word in before):
        return False
    if any(is_kind(word.text, "person.n.01") and is_noun(word.tag) for word in before):
        return False  # woman skiers
    if sum(word.text in listed_words(PIECE, "opposed") for word in before) > 1:
        return False
    if any(word.text.endswith("ing") and other.tag[0] == "N" for other, word in pairwise(before)):
        return False  # some adult doing dishes
    is_open = chunk.many and chunk.determiner in (Determiner.BARE, Determiner.DEFINITE)  # the black dog runs
    return not (is_open and before and before[-1].tag[0] == "N" and _is_verb(tokens[chunk.head].text))


@cache
def _is_verb(word: str) -> bool:
    return base_form(word) in word_list("verbs", "known") and not word.endswith(("ing", "ed"))


def _after_allows(tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], place: int) -> bool:
    chunk = phrases[place]
    if chunk.end >= len(tokens):
        return True
    after = tokens[chunk.end]
    if after.text == "of":
        return singular(tokens[chunk.head].text) in listed_words("plurality", "measures")
    if after.tag == "CJC" or after.text == ",":
        joined = next((other for other in phrases if other.start == chunk.end + 1), None)
        return joined is None or joined.determiner is not Determiner.BARE
    return after.tag[:2] != "NN" and after.text not in ("-", "/", "&")


def _change(tokens: Sequence[TaggedToken], chunk: NounChunk, forms: Sequence[NumberForms]) -> NumberChange:
    dropped, head = listed_words("plurality", "dropped"), singular(tokens[chunk.head].text)
    modifiers = [word.text for word in tokens[chunk.first : chunk.head] if word.text not in dropped]
    first, several = (" ".join((*modifiers, form)).replace(" ,", ",") for form in (head, plural(head)))
    rest = tuple((tokens[form.place].start, tokens[form.place].end, form.one, form.many) for form in forms)
    assert chunk.many is not None, "only what has a number changes it"
    return NumberChange(
        tokens[chunk.start].start, tokens[chunk.head].end, chunk.many, head, first, several, _frame(tokens, chunk), rest
    )


def _frame(tokens: Sequence[TaggedToken], chunk: NounChunk) -> str:
    """The kind of the word before and the word after, which both correlate with number."""
    before, after = _sort(tokens[chunk.start - 1]) if chunk.start else "start", "end"
    if chunk.end < len(tokens) and tokens[chunk.end].tag != "PUN":
        after = "verb" if tokens[chunk.end].tag in _AGREEING else tokens[chunk.end].text
    return f"{before} {after}"


def _sort(word: TaggedToken) -> str:
    if word.text in ("with", ",", "of") or word.tag == "CJC":
        return word.text
    if word.tag == "PUN":
        return "end"
    return "verb" if word.tag[0] == "V" else "place" if word.tag in ("PRP", "PRF") else "other"


def quantifiers(many: bool) -> tuple[str, ...]:
    """The quantifiers for many, or for one."""
    return tuple(read_lists("plurality")["quantifiers"]["many" if many else "one"])


class PluralitySurvey(CaptionSurvey):
    """The plural nouns in the captions of each picture."""

    def facts(self, caption: Caption) -> Iterable[str]:
        """The plural nouns of a caption, and the general kinds of which it names several."""
        words = {word for word in re.findall(r"\w+", caption.text.lower()) if is_plural(word)}
        return sorted(words | {kind for kind in _KINDS for word in words if is_kind(singular(word), kind)})

    def names_several(self, picture: Picture, noun: str) -> bool:
        """Whether a caption of a picture names several of a thing, or of its general kind: men where people are."""
        kinds = [kind for kind in _KINDS if is_kind(noun, kind)]
        return any(self.states(picture, name) for name in (plural(noun), *kinds))


def propose_foils(caption: Caption, survey: PluralitySurvey, rng: Random) -> Iterator[Group | Rejection]:
    """A group for each noun phrase, with a quantifier in both caption and foil."""
    for change in number_changes(caption.text):
        quantified = tuple(rng.choice(quantifiers(many)) for many in (False, True))
        if not change.many and survey.names_several(caption.picture, change.noun):
            yield Rejection(PIECE, "another caption of the picture names several")
        elif not change.many and sum(_is_called(thing.name, change.noun) for thing in caption.scene or ()) > 1:
            yield Rejection(PIECE, "several are annotated")
        else:
            yield _group(caption, change, quantified, survey)


@cache
def _is_called(name: str, noun: str) -> bool:
    return singular(name) == noun or (is_known(name) and is_known(noun) and is_a(name, noun))


def _group(caption: Caption, change: NumberChange, quantified: tuple[str, ...], survey: PluralitySurvey) -> Group:
    phrases = (f"{quantified[0]} {change.one}", f"{quantified[1]} {change.several}")
    rewrites = [Rewrite(change.start, change.end, *phrases)]
    rewrites += [Rewrite(*form) for form in change.forms]
    turn = -1 if change.many else 1  # the caption is in the singular, or the foil is
    texts = apply_rewrites(caption.text, rewrites)[::turn]
    word, other = (change.noun, plural(change.noun))[::turn]
    (gain,) = survey.plausibility.gains(caption.picture, texts[0], texts[1:])
    return caption_group(
        caption,
        (texts[0], texts[1]),
        (word, other),
        test="plurals",
        kind=PIECE,
        proof=f"caption {caption.id} says {caption.text[change.start : change.end]!r}",
        likelier=likelier_side(gain),
        tags=(
            ("direction", "->".join(("singular", "plural")[::turn])),
            ("frame", change.frame),
            ("quantifiers", " | ".join(quantified[::turn])),
        ),
    )


suite = caption_suite(
    "plurality",
    tests="a caption with the right grammatical number ranks above one with the wrong number",
    propose=propose_foils,
    survey=PluralitySurvey,
)
