"""Relations: a preposition of a caption is replaced (VALSE, A.4)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.items import Caption
from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.word_lists import split_list
from counterpoint.language.noun_chunks import Determiner, find_noun_chunks, find_prepositions, tag_text
from counterpoint.language.nouns import singular
from counterpoint.language.verbs import base_form
from counterpoint.suites.suite import GAP, MASKED_LM, Fillers, FoilProposals, Gap, Rejection, Suite
from counterpoint.suites.valse.agreement import is_kind
from counterpoint.suites.valse.caption_foils import (
    CaptionFoil,
    CaptionSurvey,
    Rewrite,
    apply_rewrites,
    caption_suite,
    draw_caption_foil,
    listed_words,
    read_lists,
)

PIECE = "relations"
MIN_COUNT = 3
"""The least number of captions with a preposition for it to be used in foils."""
TWICE, RARE = 2, 8
"""The least count before a noun, and the count of a noun from which on it applies."""


@dataclass(frozen=True, slots=True)
class PrepositionSlot:
    """A spatial preposition of a caption: its span, and the words on both sides."""

    start: int
    end: int
    said: str
    before: str  # the verb or noun that it follows
    noun: str  # the thing that it leads to, in the singular
    moves: bool  # whether it follows a verb


def preposition_slots(text: str) -> Iterator[PrepositionSlot]:
    """The prepositions of a caption that can be replaced.

    >>> slots = preposition_slots("A cat sleeps on top of a car in the background.")
    >>> [(slot.before, slot.said, slot.noun) for slot in slots]
    [('sleep', 'on top of', 'car')]
    """
    if text.isupper():
        return
    tokens = tag_text(text)
    apart = find_prepositions(tokens)
    chunks = {chunk.start: chunk for chunk in find_noun_chunks(tokens, apart)}
    for start, end in apart.items():
        span = " ".join(word.text for word in tokens[start:end])
        if start and span in preposition_kinds() and end in chunks:
            chunk, noun = chunks[end], singular(tokens[chunks[end].head].text)
            moves = tokens[start - 1].tag[0] == "V"
            before = (base_form if moves else singular)(tokens[start - 1].text)
            is_other = chunk.determiner is Determiner.OTHER or "other" in [
                word.text for word in tokens[end : chunk.end]
            ]
            free = not is_other and before not in listed_words(PIECE, "bound.words")
            if free and _is_placed(span, noun) and (moves or not _is_moving(span)):
                yield PrepositionSlot(tokens[start].start, tokens[end - 1].end, span, before, noun, moves)


def _is_placed(span: str, noun: str) -> bool:
    own = read_lists(PIECE)["unplaced"].get(preposition_kinds()[span], "")
    return noun.isalpha() and noun not in listed_words(PIECE, "unplaced.any") and noun not in split_list(own)


@cache
def _is_moving(span: str) -> bool:
    return preposition_kinds()[span] in listed_words(PIECE, "moving.kinds")


@cache
def preposition_kinds() -> Mapping[str, str]:
    """Each preposition that is replaced, with the name of its synonyms."""
    rows: Mapping[str, str] = read_lists(PIECE)["same"]
    return {span: name for name, row in rows.items() for span in split_list(row)}


@cache
def excluded_prepositions(span: str) -> tuple[str, ...]:
    """The prepositions that exclude this one.

    >>> excluded_prepositions("up"), "under" in excluded_prepositions("atop")
    (('down',), True)
    """
    rows: Mapping[str, str] = read_lists(PIECE)["apart"]
    kind = preposition_kinds()[span]
    apart = {other for name, row in rows.items() for other in split_list(row) if name == kind}
    apart |= {name for name, row in rows.items() if kind in split_list(row)}
    return tuple(other for other in sorted(preposition_kinds()) if preposition_kinds()[other] in apart)


class PrepositionSurvey(CaptionSurvey):
    """Counts of prepositions with the words on both sides, and their meanings before each noun of a picture."""

    def __init__(self, captions: Iterable[Caption]) -> None:
        self.spans, self._nouns = Counter[str](), Counter[str]()
        self._before, self._after = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        super().__init__(captions)

    def is_attested(self, place: PrepositionSlot, span: str) -> bool:
        """Whether a preposition occurs after such a word, and before such a noun."""
        needs_inside = preposition_kinds()[span] in ("in", "into", "out")
        if self.spans[span] < MIN_COUNT or (_is_moving(span) and not place.moves):
            return False
        if needs_inside and is_kind(place.noun, "person.n.01", "animal.n.01"):
            return False
        enough = min(TWICE, 1 + self._nouns[place.noun] // RARE)
        return self._before[place.before, span] > 0 and self._after[span, place.noun] >= enough

    def facts(self, caption: Caption) -> Iterator[str]:
        """The meanings of the prepositions of a caption, each with the noun after it."""
        for place in preposition_slots(caption.text):
            self.spans[place.said] += 1
            self._nouns[place.noun] += 1
            self._before[place.before, place.said] += 1
            self._after[place.said, place.noun] += 1
            yield f"{preposition_kinds()[place.said]} {place.noun}"


def caption_gaps(caption: Caption) -> Iterator[Gap]:
    """A caption with a gap for each of its prepositions, for a masked language model to fill."""
    return (Gap(_gap(caption.text, place), place.said) for place in preposition_slots(caption.text))


def _gap(text: str, place: PrepositionSlot) -> str:
    return text[: place.start] + GAP + text[place.end :]


def candidate_prepositions(
    caption: Caption, place: PrepositionSlot, survey: PrepositionSurvey, proposed: Fillers | None = None
) -> list[str]:
    """The prepositions that make a caption false and are plausible in it.

    They are among the proposals of a masked language model if there are any, else attested between such words.
    """
    spans = [span for span in excluded_prepositions(place.said) if _is_placed(span, place.noun)]
    if proposed is None:
        spans = [span for span in spans if survey.is_attested(place, span)]
    else:
        offered = proposed.get(_gap(caption.text, place), ())
        spans = [span for span in spans if span in offered and survey.spans[span] >= MIN_COUNT]
    return [
        span
        for span in spans
        if not survey.states(caption.picture, f"{preposition_kinds()[span]} {place.noun}")
        and not (caption.scene and _is_annotated(caption.scene, place, span, caption.text[: place.start].lower()))
    ]


def _is_annotated(scene: Scene, place: PrepositionSlot, span: str, before: str) -> bool:
    """Whether the relation is annotated from an object named before the preposition to one with the noun after it."""
    links = [link for link in scene.relations if preposition_kinds().get(link.name) == preposition_kinds()[span]]
    return any(scene[link.object].name == place.noun and scene[link.subject].name in before for link in links)


def propose_foils(
    caption: Caption, survey: PrepositionSurvey, rng: Random, proposed: Fillers | None = None
) -> Iterator[Group | Rejection]:
    """Replace one preposition of a caption."""
    foils = list[CaptionFoil]()
    for place in preposition_slots(caption.text):
        for span in candidate_prepositions(caption, place, survey, proposed):
            text = apply_rewrites(caption.text, [Rewrite(place.start, place.end, place.said, span)])[1]
            foils.append(CaptionFoil(place.said, span, text, f"which excludes {span!r}"))
    lack = "no other preposition is both usual and untrue there"
    yield draw_caption_foil(PIECE, caption, foils, survey, rng, lack)


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
