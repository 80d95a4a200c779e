"""Objects: a noun of a caption is replaced by one of another category (FOIL it!, Shekhar et al. 2017)."""

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
from counterpoint.suites.question_groups import caption_group
from counterpoint.suites.suite import Rejection, Suite
from counterpoint.suites.valse.paired_foils import MirroredSampler
from counterpoint.suites.valse.plausibility import CrossFittedPlausibility, Rewrite, apply_rewrites, read_lists

PIECE = "foil-it"
MIN_COUNT = 3
"""The least number of captions with a word for it to be used in foils."""


@dataclass(frozen=True, slots=True)
class ObjectMention:
    """A noun of a known category in a caption: its span, its number, and the article before it."""

    start: int
    end: int
    word: str  # in the singular
    many: bool
    article: tuple[int, int, str]  # its letters and what stands before the word, "" where there is no "a" or "an"


@cache
def categories() -> Mapping[str, tuple[str, str]]:
    """Each word with its category and its supercategory."""
    rows: Mapping[str, Mapping[str, str]] = read_lists("objects")
    return {
        word: (name, above) for above, names in rows.items() for name, row in names.items() for word in split_list(row)
    }


@cache
def sibling_words(word: str) -> tuple[str, ...]:
    """The first words of the other categories of the same supercategory.

    >>> sibling_words("bike")
    ('airplane', 'boat', 'bus', 'car', 'motorcycle', 'train', 'truck')
    """
    name, above = categories()[word]
    rows: Mapping[str, str] = read_lists("objects")[above]
    return tuple(sorted(split_list(row)[0] for other, row in rows.items() if other != name))


def object_mentions(text: str) -> Iterator[ObjectMention]:
    """The nouns of known categories in a caption.

    >>> [(one.word, one.many) for one in object_mentions("Two dogs and a stop sign near the bus stop.")]
    [('dog', True), ('stop sign', False)]
    """
    tokens = tag_text(text)
    for chunk in find_noun_chunks(tokens):
        mention = _mention(tokens, chunk)
        if mention:
            yield mention


def _mention(tokens: Sequence[TaggedToken], chunk: NounChunk) -> ObjectMention | None:
    after = tokens[chunk.end].text if chunk.end < len(tokens) else ""
    if chunk.many is None or chunk.determiner is Determiner.OTHER or after in ("-", "'s"):
        return None
    for start in range(chunk.first, chunk.head + 1):
        name = " ".join(word.text for word in tokens[start : chunk.end])
        word = name if name in categories() else singular(name)
        if word not in categories():
            continue
        before = tokens[chunk.first : start]
        if any(word.tag[:2] in ("NN", "NP") for word in before):
            return None  # a toy train, a police car: another word would not fit
        if (
            chunk.determiner is Determiner.BARE
            and not chunk.many
            and chunk.start
            and tokens[chunk.start - 1].tag[0] == "P"
        ):
            return None  # in bed, by train
        return ObjectMention(
            tokens[start].start, tokens[chunk.head].end, word, chunk.many, _article(tokens, chunk, start)
        )
    return None


def _article(tokens: Sequence[TaggedToken], chunk: NounChunk, start: int) -> tuple[int, int, str]:
    first = tokens[chunk.start]
    if first.text in ("a", "an") and chunk.determiner is Determiner.ARTICLE and start == chunk.first:
        return first.start, first.end, first.text
    return 0, 0, ""


class ObjectSurvey:
    """The survey: plausibility of sentences, counts of words, and the categories in the captions of each picture."""

    def __init__(self, captions: Iterable[Caption]) -> None:
        self.words = Counter[str]()
        self._named = BloomFilter()
        self.plausibility = CrossFittedPlausibility(self._count_captions(captions))

    def is_named(self, picture: Picture, word: str) -> bool:
        """Whether a caption of the picture has a word for the same category."""
        return self._named.has(picture.address, categories()[word][0])

    def _count_captions(self, captions: Iterable[Caption]) -> Iterator[tuple[Picture, str]]:
        for caption in captions:
            for word in sorted(_named_in(caption.text)):
                self._named.add(caption.picture.address, categories()[word][0])
                self.words[word] += 1
            yield caption.picture, caption.text


def _named_in(text: str) -> set[str]:
    """The words of known categories anywhere in a text, in singular or plural."""
    words = [singular(word.strip(".,;:!?\"'()")) for word in text.lower().split()]
    found = set(words) & categories().keys()
    return found | {" ".join(pair) for pair in pairwise(words)} & categories().keys()


def candidate_words(caption: Caption, mention: ObjectMention, survey: ObjectSurvey) -> list[str]:
    """Words of sibling categories that no caption of the picture names and no annotation contains."""
    fits = [word for word in sibling_words(mention.word) if _fits(mention, word) and survey.words[word] >= MIN_COUNT]
    return [word for word in fits if not survey.is_named(caption.picture, word) and not _is_annotated(caption, word)]


def _fits(mention: ObjectMention, word: str) -> bool:
    uncounted = is_mass(word) or is_pair(word) or plural(word) == word
    own = is_mass(mention.word) or is_pair(mention.word) or plural(mention.word) == mention.word
    return not uncounted and not own and (not mention.many or not is_plural(word))


def _is_annotated(caption: Caption, word: str) -> bool:
    names = caption.scene.names if caption.scene else ()
    category = categories()[word][0]
    return any(name in (word, category) or (is_known(name) and may_be(name, word)) for name in names)


def propose_foils(caption: Caption, survey: ObjectSurvey, rng: Random) -> Iterator[Group | Rejection]:
    """Replace one noun of a caption, preferably such that the foil is the more plausible sentence."""
    pairs = [
        (mention, word)
        for mention in object_mentions(caption.text)
        for word in candidate_words(caption, mention, survey)
    ]
    if not pairs:
        yield Rejection(PIECE, "no other category is surely absent")
        return
    texts = [_foil(caption.text, mention, word) for mention, word in pairs]
    number, usual = survey.plausibility.draw_foil(caption.picture, caption.text, texts, rng)
    mention, word = pairs[number]
    yield caption_group(
        caption,
        (caption.text, texts[number]),
        (mention.word, word),
        test=PIECE,
        kind=PIECE,
        proof=f"caption {caption.id} says {mention.word!r}, and no {word} is said or annotated to be there",
        likelier=usual,
        tags=(("direction", f"{mention.word}->{word}"), ("class", categories()[mention.word][1])),
    )


def _foil(text: str, mention: ObjectMention, word: str) -> str:
    form = plural(word) if mention.many else word
    rewrites = [Rewrite(mention.start, mention.end, "", form)]
    start, end, before = mention.article
    if before:
        rewrites.append(Rewrite(start, end, "", article(word)))
    return apply_rewrites(text, rewrites)[1]


suite = Suite(
    "objects",
    tests="a caption ranks above one with an object of another category",
    propose=propose_foils,
    survey=ObjectSurvey,
    choose=MirroredSampler,
    takes="captions",
    prefers="described",
    always_balances=True,
)
