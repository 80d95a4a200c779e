"""Objects: a noun of a caption is replaced by one of another category (FOIL it!, Shekhar et al. 2017)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from random import Random

from counterpoint.core.grouping import group_pairs
from counterpoint.core.groups import Group
from counterpoint.core.items import Caption
from counterpoint.language.english import article
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.noun_chunks import (
    Determiner,
    NounChunk,
    TaggedToken,
    find_noun_chunks,
    find_prepositions,
    tag_text,
)
from counterpoint.language.nouns import is_mass, is_pair, is_plural, plural, singular
from counterpoint.scenes.ambiguity import may_be
from counterpoint.scenes.names import is_known
from counterpoint.suites.suite import Rejection
from counterpoint.suites.valse.agreement import infinitive, is_kind
from counterpoint.suites.valse.caption_foils import (
    CaptionFoil,
    CaptionSurvey,
    Rewrite,
    apply_rewrites,
    caption_suite,
    draw_caption_foil,
    listed_words,
    mirrored_foils,
    read_lists,
)

PIECE = "foil-it"
_PICTURE_OF = 5  # tokens: a close up view of
_BESIDE = ("beside", "near")  # ties of all words of a caption
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
    context: tuple[str, ...] = ()  # the verb or preposition that ties it, its adjectives, and the other things


@cache
def categories() -> Mapping[str, tuple[str, str]]:
    """Each word with its category and its supercategory."""
    rows: Mapping[str, Mapping[str, str]] = read_lists("objects")["sorts"]
    return {
        word: (name, above) for above, names in rows.items() for name, row in names.items() for word in split_list(row)
    }


@cache
def sibling_words(word: str) -> tuple[str, ...]:
    """The first words of the categories that a word may be exchanged for.

    >>> sibling_words("bus"), sibling_words("kitten")
    (('bicycle', 'motorcycle'), ())
    """
    name, above = categories().get(word, ("", ""))
    rows: Sequence[str] = read_lists("objects")["sets"]
    names = {other for row in rows if name in split_list(row) for other in split_list(row)} - {name}
    return tuple(sorted(split_list(read_lists("objects")["sorts"][above][other])[0] for other in names))


@cache
def _doubts() -> Mapping[str, frozenset[str]]:
    """The words of a caption that name or may name a category, by the word."""
    rows: Mapping[str, str] = read_lists("objects")["also"]
    table = group_pairs((word, name) for name, row in rows.items() for word in split_list(row))
    return {word: frozenset(names) for word, names in table.items()}


def object_mentions(text: str) -> Iterator[ObjectMention]:
    """The nouns of known categories whose exchange would be plain: the subject, or what somebody is on or has.

    >>> [(one.word, one.many, one.context) for one in object_mentions("Two brown dogs are running near the bus stop.")]
    [('dog', True, ('before run', 'after brown', 'near stop', 'with run'))]
    """
    tokens = tag_text(text)
    broken = any(one.tag in ("VVN", "VVD") and two.text == "and" for one, two in pairwise(tokens))  # parked and a car
    if text.isupper() or broken or any(word.text in _unsaid() for word in tokens):
        return
    apart = find_prepositions(tokens)
    chunks = find_noun_chunks(tokens, apart)
    ends = {end: start for start, end in apart.items()}
    if any(one.end == two.start for one, two in pairwise(chunks)):
        return  # a bus a red car and some houses
    for place, chunk in enumerate(chunks):
        mention = _mention(tokens, chunk)
        lead = _lead(tokens, chunks, place, ends)
        if mention is not None and categories()[mention.word][1] == "furniture" and not lead.startswith("on "):
            continue  # a room may have a chair as well as a bed
        if mention is not None and lead and not _is_joined(tokens, chunk) and not _is_repeated(tokens, mention):
            start = next(token for token in range(chunk.first, chunk.end) if tokens[token].start == mention.start)
            context = (
                lead,
                *(
                    f"after {word.text}"
                    for word in tokens[chunk.first : start]
                    if word.text not in _neutral(mention.word)
                ),
                *_ties(tokens, [one for one in chunks if one is not chunk], ends),
                *(f"with {infinitive(word.text)}" for word in tokens if word.tag[:2] == "VV"),
            )
            yield replace(mention, context=context)


@cache
def _unsaid() -> frozenset[str]:
    return listed_words("objects", "words.unseen") | listed_words("objects", "words.telling")


@cache
def _neutral(word: str) -> frozenset[str]:
    """The adjectives that any thing of its sort may have."""
    colors = (
        listed_words("objects", "places.colors") if categories()[word][1] in ("vehicle", "furniture") else frozenset()
    )
    return listed_words("objects", "places.neutral") | colors


def _mention(tokens: Sequence[TaggedToken], chunk: NounChunk) -> ObjectMention | None:
    after = tokens[chunk.end].text if chunk.end < len(tokens) else ""
    if chunk.many is None or chunk.determiner is Determiner.OTHER or after in ("-", "'s", "of"):
        return None
    in_group = chunk.determiner is Determiner.GROUP
    if in_group and not {word.text for word in tokens[chunk.start : chunk.first]} & listed_words(
        "objects", "places.groups"
    ):
        return None  # a herd, a flock, a bunch
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


def _lead(tokens: Sequence[TaggedToken], chunks: Sequence[NounChunk], place: int, ends: Mapping[int, int]) -> str:
    """The verb or preposition by which a phrase is tied to the rest: of a subject the next, else the one before it."""
    chunk = chunks[place]
    before = tokens[chunk.start - 1] if chunk.start else None
    shows = before is not None and before.text == "of" and place <= 1 and chunk.start <= _PICTURE_OF
    if before is None or (before.tag[:2] == "VB" and tokens[0].text == "there") or shows:
        return _next_tie(tokens, chunk)
    if chunk.start in ends:
        start = ends[chunk.start]
        said = " ".join(word.text for word in tokens[start : chunk.start])
        resting = tokens[start - 1] if start else None
        if resting is None or resting.tag[0] != "V" or resting.tag[:2] == "VB":
            return ""
        return f"on {infinitive(resting.text)} {said}" if said in listed_words("objects", "places.supports") else ""
    verb = infinitive(before.text) if before.tag[0] == "V" or before.text.endswith("ing") else ""
    by_person = not any(is_kind(singular(tokens[one.head].text), "animal.n.01") for one in chunks[:place])
    is_thing = chunk.determiner is not Determiner.BARE or bool(chunk.many)
    return f"of {verb}" if by_person and is_thing and verb in listed_words("objects", "places.verbs") else ""


def _next_tie(tokens: Sequence[TaggedToken], chunk: NounChunk) -> str:
    for word in tokens[chunk.end :]:
        if word.tag[0] == "V" and word.tag[:2] != "VB":
            return f"before {infinitive(word.text)}"
        if word.tag in ("PRP", "PRF"):
            return f"before {word.text}"
        if word.tag[:2] not in ("VB", "AV", "CJ", "XX"):
            break
    return "alone"


def _is_joined(tokens: Sequence[TaggedToken], chunk: NounChunk) -> bool:
    sides = [tokens[place].text for place in (chunk.start - 1, chunk.end) if 0 <= place < len(tokens)]
    return any(side in ("and", ",", "or", "&", "/") for side in sides)


def _is_repeated(tokens: Sequence[TaggedToken], mention: ObjectMention) -> bool:
    """Whether a caption names the category twice: another thing would not fit the second name."""
    name = categories()[mention.word][0]
    own = [word.text for word in tokens if not mention.start <= word.start < mention.end]
    return any(name in _named(word) for word in own)


def _ties(tokens: Sequence[TaggedToken], chunks: Sequence[NounChunk], ends: Mapping[int, int]) -> list[str]:
    """The heads of phrases, each after the kind of its preposition: on, in, over, under, near, or else "beside"."""
    rows: Mapping[str, str] = read_lists("objects")["ties"]
    kinds = {said: kind for kind, row in rows.items() for said in split_list(row)}
    kind, found = "beside", list[str]()
    for chunk in chunks:
        name = singular(tokens[chunk.head].text)
        start = ends.get(chunk.start, chunk.start)
        said = " ".join(word.text for word in tokens[start : chunk.start])
        kind = kind if said == "of" else kinds.get(said, "beside")  # on the back of a cow
        if name not in listed_words("objects", "places.general"):
            found.append(f"{kind} {name}")
    return found


@cache
def _named(word: str) -> frozenset[str]:
    """The categories that a word names or may name."""
    one = singular(word)
    found = {categories()[name][0] for name in (word, one) if name in categories()}
    return frozenset(found).union(*(_doubts().get(name, frozenset()) for name in (word, one)))


@cache
def usual_contexts() -> frozenset[tuple[str, str]]:
    """Categories with contexts that captions of COCO have at least twice, for sources with few captions."""
    rows: Mapping[str, Mapping[str, str]] = read_lists("attested")["objects"]
    found = (
        (name, tie, word) for tie, names in rows.items() for name, row in names.items() for word in split_list(row)
    )
    return frozenset(
        (name, f"{one} {word}") for name, tie, word in found for one in (_BESIDE if tie == "beside" else (tie,))
    )


def _said(text: str) -> Iterator[str]:
    """The contexts that a caption gives to every category that it names."""
    tokens = tag_text(text)
    apart = find_prepositions(tokens)
    yield from _ties(tokens, find_noun_chunks(tokens, apart), {end: start for start, end in apart.items()})
    yield from (f"with {infinitive(word.text)}" for word in tokens if word.tag[:2] == "VV")


class ObjectSurvey(CaptionSurvey):
    """Counts of words and of the contexts of categories, and the categories in the captions of each picture."""

    def __init__(self, captions: Iterable[Caption], known: Iterable[tuple[str, str]] | None = None) -> None:
        self.words = Counter[str]()
        self.contexts = Counter[tuple[str, str]](usual_contexts() if known is None else known)
        self._captions = list[Caption]()  # with a word that may be exchanged
        super().__init__(captions)

    def facts(self, caption: Caption) -> Iterable[str]:
        """The categories that a caption names or may name."""
        words = [singular(word.strip(".,;:!?\"'()")) for word in caption.text.lower().split()]
        both = {*words, *map(" ".join, pairwise(words))}
        self.words.update(both & categories().keys())
        mentions = list(object_mentions(caption.text))
        self._captions += [caption] * bool(mentions)
        names = {categories()[word][0] for word in both & categories().keys()}
        self.contexts.update((name, row) for name in names for row in (_said(caption.text) if names else ()))
        for mention in mentions:
            self.contexts.update((categories()[mention.word][0], row) for row in mention.context)
        self.contexts.update((name, f"{tie} {word}") for name in names for word in words for tie in _BESIDE)
        return sorted(frozenset[str]().union(*map(_named, both)))

    @cached_property
    def assigned(self) -> Mapping[str, str]:
        """The foil of each caption that has a mirror image in another caption."""
        return mirrored_foils(self._captions, self, lambda caption: caption_foils(caption, self))

    def is_attested(self, mention: ObjectMention, word: str, *, alone: bool = False) -> bool:
        """Whether captions have a word after the same verb or preposition, with its adjectives and other things.

        Things are left out with `alone`: where the scene is annotated, they need not tell what is absent.
        """
        name = categories()[word][0]
        rows = [row for row in mention.context if not (alone and row.startswith(("beside", "near", "on ", "in ")))]
        return self.words[word] >= MIN_COUNT and all(self._is_usual(mention, name, row) for row in rows)

    def _is_usual(self, mention: ObjectMention, name: str, row: str) -> bool:
        """Whether captions have a context of a category; what is only near it may be near another one of the set."""
        among = {categories()[word][0] for word in sibling_words(mention.word)} if row.startswith("near ") else {name}
        return any((one, row) in self.contexts for one in among)


def candidate_words(caption: Caption, mention: ObjectMention, survey: ObjectSurvey) -> list[str]:
    """Words of sibling categories, attested there, that no caption of the picture names and no annotation contains."""
    if not _is_counted(mention.word):
        return []
    fits = [word for word in sibling_words(mention.word) if _is_counted(word)]
    fits = [word for word in fits if survey.is_attested(mention, word, alone=caption.scene is not None)]
    fits = [word for word in fits if not (mention.many and is_plural(word)) and _suits(caption.text, mention, word)]
    unnamed = [word for word in fits if not survey.states(caption.picture, categories()[word][0])]
    names = caption.scene.names if caption.scene else frozenset[str]()
    unseen = [word for word in unnamed if not any(is_known(name) and may_be(name, word) for name in names)]
    return [word for word in unseen if word not in names and categories()[word][0] not in names]


def _suits(text: str, mention: ObjectMention, word: str) -> bool:
    """Whether a thing has such a color, and is eaten by as many."""
    words = re.findall(r"[a-z]+", text.lower())
    colors = listed_words("objects", "places.colors").intersection(
        row[6:] for row in mention.context if row[:6] == "after "
    )
    coats: Mapping[str, str] = read_lists("objects")["coats"]
    name = categories()[word][0]
    known = split_list(coats.get(name, ""))
    is_plain = name not in coats or (
        colors <= set(known) and not (len(colors) > 1 and name in split_list(coats["plain"]))
    )
    is_shared = mention.many or "of eat" not in mention.context or name in listed_words("objects", "places.shared")
    return is_plain and (is_shared or not listed_words("objects", "places.eaters").intersection(words))


def _is_counted(word: str) -> bool:
    return not (is_mass(word) or is_pair(word) or plural(word) == word)


def caption_foils(caption: Caption, survey: ObjectSurvey) -> list[CaptionFoil]:
    """Every foil of a caption."""
    return [
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


def propose_foils(caption: Caption, survey: ObjectSurvey, rng: Random) -> Iterator[Group | Rejection]:
    """Replace one noun of a caption: by the one that was assigned to it, or else by any that may be."""
    foils = caption_foils(caption, survey)
    own = [foil for foil in foils if foil.text == survey.assigned.get(caption.id)]
    yield draw_caption_foil(PIECE, caption, own or foils, survey, rng, "no other category is surely absent")


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
