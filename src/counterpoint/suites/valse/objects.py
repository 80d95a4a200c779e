"""Objects: a noun of a caption is replaced by one of another category (FOIL it!, Shekhar et al. 2017)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.items import Caption
from counterpoint.language.english import article
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.noun_chunks import Determiner, NounChunk, TaggedToken, find_noun_chunks, tag_text
from counterpoint.language.nouns import is_mass, is_pair, is_plural, plural, singular
from counterpoint.scenes.ambiguity import is_known, may_be
from counterpoint.suites.suite import Rejection
from counterpoint.suites.valse.caption_foils import (
    CaptionFoil,
    CaptionSurvey,
    Rewrite,
    apply_rewrites,
    caption_suite,
    draw_caption_foil,
    read_lists,
)

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
    yield from filter(None, (_mention(tokens, chunk) for chunk in find_noun_chunks(tokens)))


def _mention(tokens: Sequence[TaggedToken], chunk: NounChunk) -> ObjectMention | None:
    after = tokens[chunk.end].text if chunk.end < len(tokens) else ""
    if chunk.many is None or chunk.determiner is Determiner.OTHER or after in ("-", "'s"):
        return None
    for start in range(chunk.first, chunk.head + 1):
        name = " ".join(word.text for word in tokens[start : chunk.end])
        word = name if name in categories() else singular(name)
        if word not in categories():
            continue
        if any(word.tag[:2] in ("NN", "NP") for word in tokens[chunk.first : start]):
            return None  # a toy train, a police car: another word would not fit
        is_bare = chunk.determiner is Determiner.BARE and not chunk.many
        if is_bare and chunk.start and tokens[chunk.start - 1].tag[0] == "P":
            return None  # in bed, by train
        first, article = tokens[chunk.start], (0, 0, "")
        if first.text in ("a", "an") and chunk.determiner is Determiner.ARTICLE and start == chunk.first:
            article = first.start, first.end, first.text
        return ObjectMention(tokens[start].start, tokens[chunk.head].end, word, chunk.many, article)
    return None


class ObjectSurvey(CaptionSurvey):
    """Counts of words, and the categories in the captions of each picture."""

    def __init__(self, captions: Iterable[Caption]) -> None:
        self.words = Counter[str]()
        super().__init__(captions)

    def facts(self, caption: Caption) -> Iterable[str]:
        """The categories that a caption names."""
        words = [singular(word.strip(".,;:!?\"'()")) for word in caption.text.lower().split()]
        named = sorted({*words, *map(" ".join, pairwise(words))} & categories().keys())
        self.words.update(named)
        return [categories()[word][0] for word in named]


def candidate_words(caption: Caption, mention: ObjectMention, survey: ObjectSurvey) -> list[str]:
    """Words of sibling categories that no caption of the picture names and no annotation contains."""
    if not _is_counted(mention.word):
        return []
    fits = [word for word in sibling_words(mention.word) if _is_counted(word) and survey.words[word] >= MIN_COUNT]
    fits = [word for word in fits if not (mention.many and is_plural(word))]
    unnamed = [word for word in fits if not survey.states(caption.picture, categories()[word][0])]
    names = caption.scene.names if caption.scene else frozenset[str]()
    unseen = [word for word in unnamed if not any(is_known(name) and may_be(name, word) for name in names)]
    return [word for word in unseen if word not in names and categories()[word][0] not in names]


def _is_counted(word: str) -> bool:
    return not (is_mass(word) or is_pair(word) or plural(word) == word)


def propose_foils(caption: Caption, survey: ObjectSurvey, rng: Random) -> Iterator[Group | Rejection]:
    """Replace one noun of a caption."""
    foils = [
        CaptionFoil(
            mention.word,
            word,
            _foil(caption.text, mention, word),
            f"and no {word} is said or annotated to be there",
            (("class", categories()[mention.word][1]),),
        )
        for mention in object_mentions(caption.text)
        for word in candidate_words(caption, mention, survey)
    ]
    yield draw_caption_foil(PIECE, caption, foils, survey, rng, "no other category is surely absent")


def _foil(text: str, mention: ObjectMention, word: str) -> str:
    start, end, before = mention.article
    rewrites = [Rewrite(mention.start, mention.end, "", plural(word) if mention.many else word)]
    rewrites += [Rewrite(start, end, "", article(word))] if before else []
    return apply_rewrites(text, rewrites)[1]


suite = caption_suite(
    "objects",
    tests="a caption ranks above one with an object of another category",
    propose=propose_foils,
    survey=ObjectSurvey,
)
