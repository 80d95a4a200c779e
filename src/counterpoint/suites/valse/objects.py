"""Objects: a dog on a couch is no cat on a couch (FOIL it!, Shekhar et al. 2017)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.items import Caption
from counterpoint.core.pictures import Picture
from counterpoint.language.english import article
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.noun_chunks import Determiner, NounChunk, TaggedToken, find_noun_chunks, tag_text
from counterpoint.language.nouns import is_mass, is_pair, is_plural, plural, singular
from counterpoint.scenes.ambiguity import is_known, may_be
from counterpoint.suites.bloom_filter import BloomFilter
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.mirrored_foils import MirroredSampler
from counterpoint.suites.valse.pairs import caption_group
from counterpoint.suites.valse.plausibility import CrossFittedPlausibility
from counterpoint.suites.valse.rewriting import Rewrite, apply_rewrites, read_lists

PIECE = "foil-it"
MIN_COUNT = 3
"""How often captions have a word, at least, before it is put for others."""


@dataclass(frozen=True, slots=True)
class ObjectMention:
    """A thing of a known category in a caption: its letters, the article before it, and the words between the two."""

    start: int
    end: int
    word: str  # in the singular
    many: bool
    article: tuple[int, int, str]  # its letters and what stands before the word, "" where there is no "a" or "an"


@cache
def categories() -> Mapping[str, tuple[str, str]]:
    """Each word for a thing, with its category and the category above that."""
    rows: Mapping[str, Mapping[str, str]] = read_lists("objects")
    return {
        word: (name, above) for above, names in rows.items() for name, row in names.items() for word in split_list(row)
    }


@cache
def sibling_words(word: str) -> tuple[str, ...]:
    """The first words of the other categories under the same one.

    >>> sibling_words("bike")
    ('airplane', 'boat', 'bus', 'car', 'motorcycle', 'train', 'truck')
    """
    name, above = categories()[word]
    rows: Mapping[str, str] = read_lists("objects")[above]
    return tuple(sorted(split_list(row)[0] for other, row in rows.items() if other != name))


def object_mentions(text: str) -> Iterator[ObjectMention]:
    """The things of known categories that a caption is about.

    >>> [(one.word, one.many) for one in object_mentions("Two dogs and a stop sign near the bus stop.")]
    [('dog', True), ('stop sign', False)]
    """
    said = tag_text(text)
    for one in find_noun_chunks(said):
        found = _mention(said, one)
        if found:
            yield found


def _mention(said: Sequence[TaggedToken], one: NounChunk) -> ObjectMention | None:
    after = said[one.end].text if one.end < len(said) else ""
    if one.many is None or one.determiner is Determiner.OTHER or after in ("-", "'s"):
        return None
    for start in range(one.first, one.head + 1):
        name = " ".join(word.text for word in said[start : one.end])
        word = name if name in categories() else singular(name)
        if word not in categories():
            continue
        before = said[one.first : start]
        if any(word.tag[:2] in ("NN", "NP") for word in before):
            return None  # a toy train, a police car: another word would not fit
        if one.determiner is Determiner.BARE and not one.many and one.start and said[one.start - 1].tag[0] == "P":
            return None  # in bed, by train
        return ObjectMention(said[start].start, said[one.head].end, word, one.many, _article(said, one, start))
    return None


def _article(said: Sequence[TaggedToken], one: NounChunk, start: int) -> tuple[int, int, str]:
    first = said[one.start]
    if first.text in ("a", "an") and one.determiner is Determiner.ARTICLE and start == one.first:
        return first.start, first.end, first.text
    return 0, 0, ""


class ObjectSurvey:
    """The survey: how usual sentences are, how usual words, and which categories the captions of a picture name."""

    def __init__(self, captions: Iterable[Caption]) -> None:
        self.words = Counter[str]()
        self._named = BloomFilter()
        self.usual = CrossFittedPlausibility(self._noted(captions))

    def is_named(self, picture: Picture, word: str) -> bool:
        """Whether a caption of the picture has a word for the same category."""
        return self._named.has(picture.address, categories()[word][0])

    def _noted(self, captions: Iterable[Caption]) -> Iterator[tuple[Picture, str]]:
        for one in captions:
            for word in sorted(_named_in(one.text)):
                self._named.add(one.picture.address, categories()[word][0])
                self.words[word] += 1
            yield one.picture, one.text


def _named_in(text: str) -> set[str]:
    """The words for known categories anywhere in a text, in whatever number."""
    words = [singular(word.strip(".,;:!?\"'()")) for word in text.lower().split()]
    found = set(words) & categories().keys()
    return found | {" ".join(pair) for pair in pairwise(words)} & categories().keys()


def candidate_words(caption: Caption, mention: ObjectMention, seen: ObjectSurvey) -> list[str]:
    """Words of the same sort for what neither a caption of the picture names nor its annotators saw."""
    fits = [word for word in sibling_words(mention.word) if _fits(mention, word) and seen.words[word] >= MIN_COUNT]
    return [word for word in fits if not seen.is_named(caption.picture, word) and not _is_annotated(caption, word)]


def _fits(mention: ObjectMention, word: str) -> bool:
    uncounted = is_mass(word) or is_pair(word) or plural(word) == word
    own = is_mass(mention.word) or is_pair(mention.word) or plural(mention.word) == mention.word
    return not uncounted and not own and (not mention.many or not is_plural(word))


def _is_annotated(caption: Caption, word: str) -> bool:
    names = caption.scene.names if caption.scene else ()
    category = categories()[word][0]
    return any(name in (word, category) or (is_known(name) and may_be(name, word)) for name in names)


def propose_foils(caption: Caption, seen: ObjectSurvey, rng: Random) -> Iterator[Group | Rejection]:
    """One thing of a caption called by the name of another: if it can be, of one that is the more usual there."""
    found = [(one, word) for one in object_mentions(caption.text) for word in candidate_words(caption, one, seen)]
    if not found:
        yield Rejection(PIECE, "no other category is surely absent")
        return
    texts = [_foil(caption.text, one, word) for one, word in found]
    number, usual = seen.usual.drawn(caption.picture, caption.text, texts, rng)
    one, word = found[number]
    yield caption_group(
        caption,
        (caption.text, texts[number]),
        (one.word, word),
        test=PIECE,
        kind=PIECE,
        proof=f"caption {caption.id} says {one.word!r}, and no {word} is said or annotated to be there",
        usual=usual,
        tags=(("direction", f"{one.word}->{word}"), ("class", categories()[one.word][1])),
    )


def _foil(text: str, one: ObjectMention, word: str) -> str:
    said = plural(word) if one.many else word
    rewrites = [Rewrite(one.start, one.end, "", said)]
    start, end, before = one.article
    if before:
        rewrites.append(Rewrite(start, end, "", article(word)))
    return apply_rewrites(text, rewrites)[1]


suite = Suite(
    "objects",
    tests="a thing is told from another of its sort",
    propose=propose_foils,
    survey=ObjectSurvey,
    choose=MirroredSampler,
    takes="captions",
    prefers="described",
    always_balances=True,
)
