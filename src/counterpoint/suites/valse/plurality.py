"""Plurality: the number of a noun phrase is changed, "exactly one flower" to "some flowers" (VALSE, A.2)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.items import Caption
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
from counterpoint.language.nouns import is_countable, is_plural, plural, singular
from counterpoint.language.verbs import base_form
from counterpoint.scenes.ambiguity import is_known
from counterpoint.suites.question_groups import caption_group
from counterpoint.suites.suite import Rejection
from counterpoint.suites.valse.agreement import NumberForms, is_kind, pronoun_forms, verb_forms, verb_subjects
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
_AGREEING = ("VBZ", "VBB", "VBD", "VHZ", "VHB", "VDZ", "VDB", "VVZ", "VVB")
_FIXED_TAGS = ("ORD", "AJS", "AJC", "DT0", "DPS", "CRD")


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

    >>> [(change.one, change.several, change.many) for change in number_changes("A dog with two red balls is here.")]
    [('dog', 'dogs', False), ('red ball', 'red balls', True)]
    """
    tokens = tag_text(text)
    is_joint = any(word.text in listed_words("plurality", "together") for word in tokens)
    if text.isupper() or len(tokens) > MAX_TOKENS or is_joint:
        return
    apart = find_prepositions(tokens)
    phrases = find_noun_chunks(tokens, apart)
    agreeing = verb_subjects(tokens, phrases)
    if agreeing is None:
        return
    for place, chunk in enumerate(phrases):
        if chunk.end not in agreeing and _is_verb_after(tokens, chunk):
            continue
        if not _can_change(tokens, phrases, place, {end: start for start, end in apart.items()}):
            continue
        pronouns = pronoun_forms(tokens, phrases, place)
        if pronouns is not None:
            yield _change(tokens, chunk, (*verb_forms(tokens, agreeing, place), *pronouns))


def _is_verb_after(tokens: Sequence[TaggedToken], chunk: NounChunk) -> bool:
    """Whether a verb may follow that the tagger missed: people sit at a table."""
    after = tokens[chunk.end] if chunk.end < len(tokens) else None
    return after is not None and (after.tag in ("VVI", "VVB", "VVZ") or (after.tag[0] != "V" and _is_verb(after.text)))


def _can_change(tokens: Sequence[TaggedToken], phrases: Sequence[NounChunk], place: int, ends: dict[int, int]) -> bool:
    chunk = phrases[place]
    fixed = (
        (Determiner.OWNER, Determiner.OTHER) if chunk.many else (Determiner.OWNER, Determiner.OTHER, Determiner.BARE)
    )
    if chunk.many is None or chunk.determiner in fixed:
        return False
    if not chunk.many and any(other.many is not False for other in phrases[:place]):
        return False  # two men with a hat have a hat each
    return (
        is_countable_object(tokens[chunk.head].text, chunk.many)
        and _modifiers_allow(tokens, chunk)
        and _before_allows(tokens, chunk, ends)
        and _after_allows(tokens, phrases, place)
    )


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
    if any(word.text.endswith("ing") and other.tag[0] == "N" for other, word in pairwise(before)):
        return False  # some adult doing dishes
    is_open = chunk.many and chunk.determiner in (Determiner.BARE, Determiner.DEFINITE)  # the black dog runs
    return not (is_open and before and before[-1].tag[0] == "N" and _is_verb(tokens[chunk.head].text))


@cache
def _is_verb(word: str) -> bool:
    return base_form(word) in word_list("verbs", "known") and not word.endswith(("ing", "ed"))


def _before_allows(tokens: Sequence[TaggedToken], chunk: NounChunk, ends: dict[int, int]) -> bool:
    if not chunk.start:
        return True
    if (start := ends.get(chunk.start)) is not None:
        said_before = " ".join(word.text for word in tokens[start : chunk.start])
        pictured = said_before == "of" and start and tokens[start - 1].text in listed_words("plurality", "pictures")
        return bool(pictured) or said_before not in listed_words("plurality", "after")
    before = tokens[chunk.start - 1]
    if before.tag[:2] == "VB":
        return chunk.start > 1 and tokens[chunk.start - 2].text == "there"
    if chunk.determiner is Determiner.BARE and (
        before.tag[0] == "N" or before.tag == "VVN" or tokens[chunk.first].text.endswith("ing")
    ):
        return False  # with opened umbrellas
    return before.tag not in ("AV0", "CRD", "POS", "DPS")


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
        """The plural nouns of a caption."""
        words = set(caption.text.lower().replace(".", " ").replace(",", " ").split())
        return filter(is_plural, sorted(words))


def propose_foils(caption: Caption, survey: PluralitySurvey, rng: Random) -> Iterator[Group | Rejection]:
    """A group for each noun phrase, with a quantifier in both caption and foil."""
    for change in number_changes(caption.text):
        quantified = tuple(rng.choice(quantifiers(many)) for many in (False, True))
        if not change.many and survey.states(caption.picture, plural(change.noun)):
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
