"""Plurality: exactly one flower is not some flowers, and a number of dogs is not a single dog (VALSE, A.2)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Group
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.core.scenes import Scene
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
from counterpoint.suites.bloom_filter import BloomFilter
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.agreement import NumberForms, is_kind, pronoun_forms, verb_forms, verb_subjects
from counterpoint.suites.valse.mirrored_foils import MirroredSampler
from counterpoint.suites.valse.pairs import caption_group
from counterpoint.suites.valse.plausibility import CrossFittedPlausibility, likelier_side
from counterpoint.suites.valse.rewriting import Rewrite, apply_rewrites, listed_words, read_lists

PIECE = "plurality"

MAX_TOKENS = 80
"""How many words and signs a caption may have."""
_THINGS = ("living_thing.n.01", "artifact.n.01", "food.n.01", "food.n.02", "body_part.n.01", "fruit.n.01")
_AGREEING = ("VBZ", "VBB", "VBD", "VHZ", "VHB", "VDZ", "VDB", "VVZ", "VVB")
_FIXED_TAGS = ("ORD", "AJS", "AJC", "DT0", "DPS", "CRD")


@dataclass(frozen=True, slots=True)
class NumberChange:
    """A noun phrase that can be said of one and of many, with all that agrees with it."""

    start: int  # in letters
    end: int
    many: bool  # what the caption says
    noun: str  # the head, in the singular
    one: str  # the phrase without its article, in the singular
    several: str
    frame: str  # what stands on both sides, in a word each
    forms: tuple[tuple[int, int, str, str], ...]  # other words by their letters, of one and of many


def number_changes(text: str) -> Iterator[NumberChange]:
    """Every noun phrase of a caption whose number can be changed without doubt.

    >>> [(change.one, change.several, change.many) for change in number_changes("A dog with two red balls is here.")]
    [('dog', 'dogs', False), ('red ball', 'red balls', True)]
    """
    said = tag_text(text)
    if (
        text.isupper()
        or len(said) > MAX_TOKENS
        or any(word.text in listed_words("plurality", "together") for word in said)
    ):
        return
    apart = find_prepositions(said)
    phrases = find_noun_chunks(said, apart)
    agreeing = verb_subjects(said, phrases)
    if agreeing is None:
        return
    for place, one in enumerate(phrases):
        if one.end not in agreeing and _is_verb_after(said, one):
            continue
        if not _can_change(said, phrases, place, {end: start for start, end in apart.items()}):
            continue
        pronouns = pronoun_forms(said, phrases, place)
        if pronouns is not None:
            yield _change(said, one, (*verb_forms(said, agreeing, place), *pronouns))


def _is_verb_after(said: Sequence[TaggedToken], one: NounChunk) -> bool:
    """Whether a verb may follow that the tagger did not see as one: people sit at a table."""
    after = said[one.end] if one.end < len(said) else None
    return after is not None and (after.tag in ("VVI", "VVB", "VVZ") or (after.tag[0] != "V" and _is_verb(after.text)))


def _can_change(said: Sequence[TaggedToken], phrases: Sequence[NounChunk], place: int, ends: dict[int, int]) -> bool:
    one = phrases[place]
    if (
        one.many is None
        or one.determiner in (Determiner.OWNER, Determiner.OTHER)
        or (one.determiner is Determiner.BARE and not one.many)
    ):
        return False
    if not one.many and any(other.many is not False for other in phrases[:place]):
        return False  # two men with a hat have a hat each
    return (
        is_countable_object(said[one.head].text, one.many)
        and _modifiers_allow(said, one)
        and _before_allows(said, one, ends)
        and _after_allows(said, phrases, place)
    )


@cache
def is_countable_object(noun: str, many: bool) -> bool:
    """Whether a noun names things that a photograph shows one or several of."""
    one = singular(noun)
    if (
        one in listed_words("plurality", "uncounted")
        or not is_countable(noun)
        or (plural(one) == one)
        or noun.isdecimal()
    ):
        return False
    if (plural(one) if many else one) != noun or not lexicon().senses(one):
        return False
    return is_kind(one, *_THINGS)


def _modifiers_allow(said: Sequence[TaggedToken], one: NounChunk) -> bool:
    before = said[one.first : one.head]
    if any(word.tag in _FIXED_TAGS or word.text in listed_words("plurality", "fixed") for word in before):
        return False
    if any(word.text.endswith("ing") and other.tag[0] == "N" for other, word in pairwise(before)):
        return False  # some adult doing dishes
    last = said[one.head - 1] if before else None
    looks_like_verb = last is not None and last.tag[0] == "N" and _is_verb(said[one.head].text)
    return not (
        looks_like_verb and one.many and one.determiner in (Determiner.BARE, Determiner.DEFINITE)
    )  # the black dog runs


@cache
def _is_verb(word: str) -> bool:
    return base_form(word) in word_list("verbs", "known") and not word.endswith(("ing", "ed"))


def _before_allows(said: Sequence[TaggedToken], one: NounChunk, ends: dict[int, int]) -> bool:
    if not one.start:
        return True
    if (start := ends.get(one.start)) is not None:
        said_before = " ".join(word.text for word in said[start : one.start])
        pictured = said_before == "of" and start and said[start - 1].text in listed_words("plurality", "pictures")
        return bool(pictured) or said_before not in listed_words("plurality", "after")
    before = said[one.start - 1]
    if before.tag[:2] == "VB":
        return one.start > 1 and said[one.start - 2].text == "there"
    if one.determiner is Determiner.BARE and (
        before.tag[0] == "N" or before.tag == "VVN" or said[one.first].text.endswith("ing")
    ):
        return False  # with opened umbrellas
    return before.tag not in ("AV0", "CRD", "POS", "DPS")


def _after_allows(said: Sequence[TaggedToken], phrases: Sequence[NounChunk], place: int) -> bool:
    one = phrases[place]
    if one.end >= len(said):
        return True
    after = said[one.end]
    if after.text == "of":
        return singular(said[one.head].text) in listed_words("plurality", "measures")
    if after.tag == "CJC" or after.text == ",":
        joined = next((other for other in phrases if other.start == one.end + 1), None)
        return joined is None or joined.determiner is not Determiner.BARE
    return after.tag[:2] != "NN" and after.text not in ("-", "/", "&")


def _change(said: Sequence[TaggedToken], one: NounChunk, forms: Sequence[NumberForms]) -> NumberChange:
    kept = [word.text for word in said[one.first : one.head] if word.text not in listed_words("plurality", "dropped")]
    head = singular(said[one.head].text)
    first, several = (_joined([*kept, form]) for form in (head, plural(head)))
    rest = tuple((said[form.place].start, said[form.place].end, form.one, form.many) for form in forms)
    assert one.many is not None, "only what has a number changes it"
    return NumberChange(
        said[one.start].start, said[one.head].end, one.many, head, first, several, _frame(said, one), rest
    )


def _frame(said: Sequence[TaggedToken], one: NounChunk) -> str:
    """The sort of word before, and the word after: in a list there are many, after a verb mostly one."""
    before = _sort(said[one.start - 1]) if one.start else "start"
    after = said[one.end] if one.end < len(said) else None
    return f"{before} {_plainly(after) if after else 'end'}"


def _plainly(word: TaggedToken) -> str:
    """A word as the side of a frame: the same whatever it agrees with."""
    return "end" if word.tag == "PUN" else "verb" if word.tag in _AGREEING else word.text


def _sort(word: TaggedToken) -> str:
    if word.text in ("with", ",", "of") or word.tag == "CJC":
        return word.text
    if word.tag == "PUN":
        return "end"
    return "verb" if word.tag[0] == "V" else "place" if word.tag in ("PRP", "PRF") else "other"


def _joined(parts: Sequence[str]) -> str:
    return " ".join(parts).replace(" ,", ",")


def quantifiers(many: bool) -> tuple[str, ...]:
    """What stands before one, and what before many."""
    return tuple(read_lists("plurality")["quantifiers"]["many" if many else "one"])


class PluralitySurvey:
    """The survey: how usual sentences are, and which nouns the captions of each picture have."""

    def __init__(self, captions: Iterable[Caption]) -> None:
        self._nouns = BloomFilter()
        self.usual = CrossFittedPlausibility(self._noted(captions))

    def has(self, picture: Picture, noun: str) -> bool:
        """Whether a caption of the picture has a noun, in this very form."""
        return self._nouns.has(picture.address, noun)

    def _noted(self, captions: Iterable[Caption]) -> Iterator[tuple[Picture, str]]:
        for one in captions:
            for word in sorted(set(one.text.lower().replace(".", " ").replace(",", " ").split())):
                if is_plural(word):
                    self._nouns.add(one.picture.address, word)
            yield one.picture, one.text


def propose_foils(caption: Caption, said: PluralitySurvey, rng: Random) -> Iterator[Group | Rejection]:
    """Each noun phrase once, with a quantifier on both sides."""
    for change in number_changes(caption.text):
        quantified = tuple(rng.choice(quantifiers(many)) for many in (False, True))
        if not change.many and said.has(caption.picture, plural(change.noun)):
            yield Rejection(PIECE, "another caption of the picture names several")
            continue
        if not change.many and count_annotated(caption.scene, change.noun) > 1:
            yield Rejection(PIECE, "several are annotated")
            continue
        yield _group(caption, change, quantified, said)


def count_annotated(scene: Scene | None, noun: str) -> int:
    """How many things of a name, or of a kind that goes by this name, are annotated."""
    return sum(_is_called(one.name, noun) for one in scene) if scene else 0


@cache
def _is_called(name: str, noun: str) -> bool:
    try:
        return singular(name) == noun or is_a(name, noun)
    except UnknownName:
        return False


def _group(caption: Caption, change: NumberChange, quantified: tuple[str, ...], said: PluralitySurvey) -> Group:
    phrases = (f"{quantified[0]} {change.one}", f"{quantified[1]} {change.several}")
    rewrites = [Rewrite(change.start, change.end, *phrases)]
    rewrites += [Rewrite(start, end, one, many) for start, end, one, many in change.forms]
    sides = [0, 1] if not change.many else [1, 0]
    texts = apply_rewrites(caption.text, [one.ordered(sides[0]) for one in rewrites])
    words = (change.noun, plural(change.noun))
    (gain,) = said.usual.gains(caption.picture, texts[0], texts[1:])
    names = ("singular", "plural")
    return caption_group(
        caption,
        texts,
        (words[sides[0]], words[sides[1]]),
        test="plurals",
        kind=PIECE,
        proof=f"caption {caption.id} says {caption.text[change.start : change.end]!r}",
        usual=likelier_side(gain),
        tags=(
            ("direction", f"{names[sides[0]]}->{names[sides[1]]}"),
            ("frame", change.frame),
            ("quantifiers", f"{quantified[sides[0]]} | {quantified[sides[1]]}"),
        ),
    )


suite = Suite(
    "plurality",
    tests="one is told from several",
    propose=propose_foils,
    survey=PluralitySurvey,
    choose=MirroredSampler,
    takes="captions",
    prefers="described",
    always_balances=True,
)
