"""Relations: a preposition of a caption is replaced (VALSE, A.4)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import product
from random import Random
from typing import Any, NamedTuple, TypeAlias

from counterpoint.core.groups import Group
from counterpoint.core.items import Caption
from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.word_lists import split_list, word_list
from counterpoint.language.noun_chunks import (
    Determiner,
    NounChunk,
    TaggedToken,
    find_noun_chunks,
    find_prepositions,
    tag_text,
)
from counterpoint.language.nouns import singular
from counterpoint.suites.suite import GAP, MASKED_LM, Fillers, FoilProposals, Gap, Rejection, Suite
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

PIECE = "relations"
MIN_COUNT = 1
"""The least number of captions with a preposition for it to be used in foils."""
_ANY = "any"
_NOUN = "noun"  # stands for a verb where the preposition follows what is placed
_NESTED = "nested"  # stands for a subject where the preposition follows another place
_LINKS = 4  # phrases between what is placed and its verb
Attestation: TypeAlias = tuple[str, str, tuple[str, str]]
"""A kind of prepositions with the class of a verb, and those of a landmark and of what is placed."""
_SKIPPED = ("AV0", "XX0", "CJT", "PNQ", "VBZ", "VBB", "VBD", "VBG", "VHZ", "VHB")


@dataclass(frozen=True, slots=True)
class PrepositionSlot:
    """A spatial preposition of a caption: its span, what is placed, by which verb, and the thing that it leads to."""

    start: int
    end: int
    said: str
    subject: str  # in the singular
    verb: str  # its base form, or "noun" where there is none
    noun: str  # in the singular
    is_several: bool  # what is placed


class Exclusion(NamedTuple):
    """Prepositions that exclude each other, by the names of their synonyms, and where they do."""

    these: frozenset[str]
    those: frozenset[str]
    landmarks: frozenset[str]  # names of classes of nouns
    subjects: frozenset[str]
    verbs: frozenset[str]
    but: frozenset[str] = frozenset()  # names of classes of nouns that are no such landmarks
    unless: frozenset[str] = frozenset()  # names of lists of words that may not stand elsewhere in the caption
    is_nested: bool = False  # whether it holds of what stands in another place too
    is_one_way: bool = False  # whether only these are replaced, by those
    is_of_one: bool = False  # whether it holds of one alone, not of several

    def others(self, kind: str) -> frozenset[str]:
        """What may replace a preposition."""
        back = self.these if kind in self.those and not self.is_one_way else frozenset[str]()
        return self.those if kind in self.these else back

    def contexts(self, subject: str, noun: str) -> frozenset[tuple[str, str]]:
        """The classes of a landmark, each with a class of what is placed, for which it holds."""
        named = _classes("landmarks", noun)
        landmarks = frozenset[str]() if self.but & named else self.landmarks & {_ANY, *named}
        subjects = self.subjects & _classes("subjects", subject)
        return frozenset((one, _ANY if one == _ANY else other) for one, other in product(landmarks, subjects))


@cache
def exclusions() -> tuple[Exclusion, ...]:
    """The table of prepositions that exclude each other."""
    rows: Sequence[Mapping[str, Any]] = read_lists(PIECE)["apart"]
    names = ("these", "those", "landmarks", "subjects", "verbs", "but", "unless")
    return tuple(
        Exclusion(
            **{name: frozenset(split_list(row.get(name, ""))) for name in names},
            is_nested=row.get("nested", False),
            is_one_way=row.get("one_way", False),
            is_of_one=row.get("number") == "one",
        )
        for row in rows
    )


@cache
def preposition_kinds() -> Mapping[str, str]:
    """Each preposition that is replaced, with the name of its synonyms."""
    rows: Mapping[str, str] = read_lists(PIECE)["same"]
    return {span: name for name, row in rows.items() for span in split_list(row)}


@cache
def _classes(table: str, word: str) -> frozenset[str]:
    rows: Mapping[str, str] = read_lists(PIECE)[table]
    found = {name for name in rows if word in listed_words(PIECE, f"{table}.{name}")}
    if table == "subjects" and word not in word_list("verbs", "known") and is_kind(word, "person.n.01", "animal.n.01"):
        found.add("living")
    return frozenset(found)


def _is_living(word: str) -> bool:
    return "living" in _classes("subjects", word)


def _verb_classes(verb: str) -> frozenset[str]:
    return frozenset({_NOUN}) if verb == _NOUN else _classes("verbs", verb)


def preposition_slots(text: str) -> Iterator[PrepositionSlot]:
    """The prepositions of a caption that say where something is or goes.

    >>> slots = preposition_slots("A cat sleeps on top of a car in the background.")
    >>> [(slot.subject, slot.verb, slot.said, slot.noun) for slot in slots]
    [('cat', 'sleep', 'on top of', 'car')]
    """
    if text.isupper():
        return
    tokens = tag_text(text)
    apart = find_prepositions(tokens)
    chunks = find_noun_chunks(tokens, apart)
    starts = {chunk.start: chunk for chunk in chunks}
    ends = {chunk.end: place for place, chunk in enumerate(chunks)}
    for start, end in apart.items():
        said = " ".join(word.text for word in tokens[start:end])
        if start and said in preposition_kinds() and end in starts and _is_landmark(tokens, starts[end]):
            subject, verb, is_several = _placed(tokens, chunks, ends, start)
            noun = _name(tokens, starts[end])
            if subject and _rows(subject, verb, noun, preposition_kinds()[said]):
                yield PrepositionSlot(tokens[start].start, tokens[end - 1].end, said, subject, verb, noun, is_several)


def _is_landmark(tokens: Sequence[TaggedToken], chunk: NounChunk) -> bool:
    """Whether a phrase names a thing by itself: not "each other", "bed", "the back of" or "a table's edge"."""
    after = tokens[chunk.end].text if chunk.end < len(tokens) else ""
    words = [word.text for word in tokens[chunk.start : chunk.end]]
    joined = chunk.end + 1 < len(tokens) and after == "and" and tokens[chunk.end + 1].tag[0] != "V"
    is_whole = chunk.determiner is not Determiner.OTHER and "other" not in words and after not in ("of", "'s", "-", "/")
    is_whole &= not joined and not (chunk.determiner is Determiner.COUNT and chunk.many)  # in four boxes
    is_crowd = bool(chunk.many) and (chunk.determiner is Determiner.BARE or "being" in _classes("landmarks", words[-1]))
    return is_whole and (chunk.determiner not in (Determiner.BARE, Determiner.GROUP) or is_crowd)


@cache
def _compounds() -> frozenset[str]:
    rows = [row for table in ("landmarks", "subjects") for row in read_lists(PIECE)[table].values()]
    return frozenset(word for row in rows for word in split_list(row) if " " in word)


def _name(tokens: Sequence[TaggedToken], chunk: NounChunk) -> str:
    """The noun of a phrase, with the word before it where both name a thing of the lists."""
    head = singular(tokens[chunk.head].text)
    both = f"{tokens[chunk.head - 1].text} {head}" if chunk.head > chunk.first else ""
    return both if both in _compounds() else head


class _Placed(NamedTuple):
    subject: str = ""  # "" where something else may be placed
    verb: str = _NOUN
    is_several: bool = False


def _placed(tokens: Sequence[TaggedToken], chunks: Sequence[NounChunk], ends: Mapping[int, int], start: int) -> _Placed:
    """What is placed by a preposition, and by which verb."""
    place, verb = _skip_auxiliaries(tokens, start), _NOUN
    ridden = ends.get(start)
    if ridden is not None and infinitive(tokens[chunks[ridden].start - 1].text) in listed_words(PIECE, "verbs.ride"):
        place = chunks[ridden].start
    if tokens[start - 1].tag in ("AV0", "XX0") or not place:
        return _Placed()  # just outside a door
    if place not in ends and tokens[place - 1].tag[0] == "V":
        verb, place = infinitive(tokens[place - 1].text), _skip_auxiliaries(tokens, place - 1)
    if place and verb != _NOUN and tokens[place - 1].text in ("while", "and", ","):
        place -= 1
    number = ends.get(place)
    if number is None:
        return _Placed()
    return _nested(tokens, chunks[number]) if verb == _NOUN else _agent(tokens, chunks, ends, number, verb)


def _nested(tokens: Sequence[TaggedToken], chunk: NounChunk) -> _Placed:
    """What a preposition after a noun places."""
    before = tokens[chunk.start - 1] if chunk.start else None
    if before is not None and ((before.tag[0] == "V" and before.tag[:2] != "VB") or before.tag in ("TO0", "AVP")):
        return _Placed()  # a man holding a kite on a beach
    if before is not None and before.tag == "PRP" and before.text != "with":
        return _Placed(_NESTED if before.text in ("in", "on", "at") else "")  # near a man behind a fence: who of them?
    joined = before is not None and before.text == "and"
    return _Placed(_name(tokens, chunk), _NOUN, joined or chunk.many is not False)


def _agent(
    tokens: Sequence[TaggedToken], chunks: Sequence[NounChunk], ends: Mapping[int, int], number: int, verb: str
) -> _Placed:
    """What a verb and its preposition place: of a man in a suit with a dog, the man."""
    for _ in range(_LINKS):
        chunk = chunks[number]
        before = tokens[chunk.start - 1] if chunk.start else None
        linked = before is not None and (before.tag in ("PRP", "PRF", "VVG", "VVN") or before.text == "wearing")
        is_object = linked and before is not None and before.tag[0] == "V" and before.text != "wearing"
        if is_object and (verb in listed_words(PIECE, "verbs.rest") or _is_living(_name(tokens, chunk))):
            return _Placed()  # a woman touching a box sitting on a table
        if not linked:
            joined = before is not None and before.text == "and"
            return _Placed(_name(tokens, chunk), verb, joined or chunk.many is not False)
        earlier = ends.get(_skip_auxiliaries(tokens, chunk.start - 1))
        if earlier is None:
            return _Placed()
        number = earlier
    return _Placed()


def _skip_auxiliaries(tokens: Sequence[TaggedToken], place: int) -> int:
    while place and tokens[place - 1].tag in _SKIPPED:
        place -= 1
    return place


@cache
def _rows(subject: str, verb: str, noun: str, kind: str) -> tuple[tuple[Exclusion, frozenset[tuple[str, str]]], ...]:
    """The rows of the table that speak of a preposition in such a place, each with the classes for which it holds."""
    fits = ((row, _contexts(row, subject, noun)) for row in exclusions() if row.verbs & _verb_classes(verb))
    return tuple((row, contexts) for row, contexts in fits if contexts and kind in row.these | row.those)


def _contexts(row: Exclusion, subject: str, noun: str) -> frozenset[tuple[str, str]]:
    if subject != _NESTED:
        return row.contexts(subject, noun)
    landmarks = row.landmarks & _classes("landmarks", noun) if row.is_nested else frozenset[str]()
    return frozenset((landmark, _NESTED) for landmark in landmarks)


def _excluding(place: PrepositionSlot, text: str) -> Mapping[str, frozenset[tuple[str, str]]]:
    """The kinds of prepositions that make a caption false, each with the classes of landmark and subject for which."""
    rest = f"{text[: place.start]} {text[place.end :]}".lower()
    found: dict[str, frozenset[tuple[str, str]]] = {}
    if _tells("any", rest):
        return found
    kind = preposition_kinds()[place.said]
    for row, contexts in _rows(place.subject, place.verb, place.noun, kind):
        if not (row.is_of_one and place.is_several) and not any(_tells(name, rest) for name in row.unless):
            for other in row.others(kind):
                found[other] = found.get(other, frozenset()) | contexts
    return found


def _tells(name: str, text: str) -> bool:
    return bool(_telling(name).search(text))


@cache
def _telling(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(split_list(read_lists(PIECE)['tells'][name]))})\b|n't\b")


@cache
def usual_places() -> frozenset[Attestation]:
    """What captions of COCO have at least twice, for sources with few captions."""
    rows: Mapping[str, str] = read_lists("attested")["relations"]
    found = ((kind, item.split("/")) for kind, row in rows.items() for item in split_list(row))
    return frozenset((kind, verb, (landmark, subject)) for kind, (verb, landmark, subject) in found)


class PrepositionSurvey(CaptionSurvey):
    """Counts of prepositions with verbs and classes of nouns, and their meanings before each noun of a picture."""

    def __init__(self, captions: Iterable[Caption], known: Iterable[Attestation] | None = None) -> None:
        self.spans = Counter[str]()
        self._captions = list[Caption]()  # with a preposition that can be exchanged
        self.attested = Counter[Attestation](usual_places() if known is None else known)
        super().__init__(captions)

    def is_attested(self, verb: str, span: str, contexts: Iterable[tuple[str, str]]) -> bool:
        """Whether a preposition is usual, and one of its kind occurs with such a verb, landmark and subject."""
        kind = preposition_kinds()[span]
        met = any(self.attested[kind, name, one] for one in contexts for name in _verb_classes(verb))
        return met and self.spans[span] >= MIN_COUNT

    def facts(self, caption: Caption) -> Iterator[str]:
        """The meanings of the prepositions of a caption, each with the noun after it."""
        tokens = tag_text(caption.text)
        apart = find_prepositions(tokens)
        starts = {chunk.start: chunk for chunk in find_noun_chunks(tokens, apart)}
        for start, end in apart.items():
            said = " ".join(word.text for word in tokens[start:end])
            if said in preposition_kinds() and end in starts:
                noun = _name(tokens, starts[end])
                yield from (f"{preposition_kinds()[said]} {name}" for name in (noun, *_classes("landmarks", noun)))
        slots = list(preposition_slots(caption.text))
        self._captions += [caption] * bool(slots)
        for place in slots:
            self.spans[place.said] += 1
            kind = preposition_kinds()[place.said]
            rows = _rows(place.subject, place.verb, place.noun, kind)
            for context in frozenset[tuple[str, str]]().union(*(contexts for _, contexts in rows)):
                for verb in _verb_classes(place.verb):
                    self.attested[kind, verb, context] += 1

    @cached_property
    def assigned(self) -> Mapping[str, str]:
        """The foil of each caption that has a mirror image in another caption."""
        return mirrored_foils(self._captions, self, lambda caption: caption_foils(caption, self))


def caption_gaps(caption: Caption) -> Iterator[Gap]:
    """A caption with a gap for each of its prepositions, for a masked language model to fill."""
    return (Gap(_gap(caption.text, place), place.said) for place in preposition_slots(caption.text))


def _gap(text: str, place: PrepositionSlot) -> str:
    return text[: place.start] + GAP + text[place.end :]


def candidate_prepositions(
    caption: Caption, place: PrepositionSlot, survey: PrepositionSurvey, proposed: Fillers | None = None
) -> list[str]:
    """The prepositions that make a caption false and are attested with its verb and landmark.

    Where a masked language model made proposals, they are among these too.
    """
    kinds = preposition_kinds()
    apart = _excluding(place, caption.text)
    offered = None if proposed is None else proposed.get(_gap(caption.text, place), ())
    return [
        span
        for span in sorted(kinds)
        if kinds[span] in apart
        and survey.is_attested(place.verb, span, apart[kinds[span]])
        and (offered is None or span in offered)
        and (kinds[span] != "around" or place.is_several)
        and not _says_kind(caption.text, kinds[span])
        and not any(
            survey.states(caption.picture, f"{kinds[span]} {name}")
            for name in (place.noun, *(landmark for landmark, _ in apart[kinds[span]]))
        )
        and not (caption.scene and _is_annotated(caption.scene, place, span, caption.text[: place.start].lower()))
    ]


def _says_kind(text: str, kind: str) -> bool:
    """Whether a caption has a preposition of this kind already: on a desk next to a desk lamp."""
    return bool(_kind_pattern(kind).search(text.lower()))


@cache
def _kind_pattern(kind: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(split_list(read_lists(PIECE)['same'][kind]))})\b")


def _is_annotated(scene: Scene, place: PrepositionSlot, span: str, before: str) -> bool:
    """Whether the relation is annotated from an object named before the preposition to one with the noun after it."""
    links = [link for link in scene.relations if preposition_kinds().get(link.name) == preposition_kinds()[span]]
    return any(scene[link.object].name == place.noun and scene[link.subject].name in before for link in links)


def caption_foils(caption: Caption, survey: PrepositionSurvey, proposed: Fillers | None = None) -> list[CaptionFoil]:
    """Every foil of a caption; none of a landmark that is named twice."""
    foils = list[CaptionFoil]()
    for place in preposition_slots(caption.text):
        if len(re.findall(rf"\b{re.escape(place.noun)}", caption.text.lower())) == 1:
            for span in candidate_prepositions(caption, place, survey, proposed):
                text = apply_rewrites(caption.text, [Rewrite(place.start, place.end, place.said, span)])[1]
                foils.append(CaptionFoil(place.said, span, text, f"which excludes {span!r}"))
    return foils


def propose_foils(
    caption: Caption, survey: PrepositionSurvey, rng: Random, proposed: Fillers | None = None
) -> Iterator[Group | Rejection]:
    """Replace one preposition of a caption: by the one that was assigned to it, if that may be."""
    foils = caption_foils(caption, survey, proposed)
    own = survey.assigned.get(caption.id)
    lack = "no other preposition is both usual and untrue there"
    yield draw_caption_foil(PIECE, caption, [foil for foil in foils if foil.text == own] or foils, survey, rng, lack)


suite: Suite[Caption, PrepositionSurvey] = caption_suite(
    "relations",
    tests="a caption with the right preposition ranks above one with a wrong preposition",
    propose=propose_foils,
    survey=PrepositionSurvey,
    options=(MASKED_LM,),
    proposals=FoilProposals(
        gaps=caption_gaps,
        apply=lambda proposed: replace(suite, propose=partial(propose_foils, proposed=proposed)),
        max_words=3,
    ),
)
