"""Ambiguity of names: which may denote the same object, which objects may show others, and what is provably absent.

A name is absent from a scene if nothing annotated could be such an object or may show one. The lexicon has the kinds
and parts, and the data files what people call by several names.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from counterpoint.core.errors import UnknownName
from counterpoint.core.scenes import Scene
from counterpoint.language.english import be
from counterpoint.language.lexicon.senses import is_a, sense_coverage, sense_of, synonyms
from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.noun_chunks import tag_text
from counterpoint.language.nouns import singular
from counterpoint.language.tokens import is_noun

DATA = Path(__file__).parent / "data"
"""The folder of the word lists."""

_ALONE = "!"
_PART = "it may be part of what is annotated"
UNLISTED = "it is no category that is annotated wherever it is visible"
"""Why nothing is said about a name that is not in the list of categories of a scene."""
IN_CAPTION = "a caption names it, something of its kind, or a part of it"
"""Why a name is not absent, although no box has it."""
_LONGEST_NAME = 3  # nouns of a name in a caption


@cache
def is_known(name: str) -> bool:
    """Whether the lexicon has a sense for a name; nothing can be proved about an unknown one."""
    try:
        sense_of(name)
    except UnknownName:
        return False
    return True


@cache
def can_be_asked(name: str) -> bool:
    """Whether a question may ask for such an object."""
    return is_known(name) and singular(name) not in word_set("everywhere")


def may_be(name: str, other: str) -> bool:
    """Whether one object could go by both names: hyponyms, hypernyms, or names that are confused.

    >>> may_be("bird", "duck"), may_be("cup", "container"), may_be("chair", "stool"), may_be("cat", "dog")
    (True, True, True, False)
    """
    if not (is_known(name) and is_known(other)) or is_a(name, other) or is_a(other, name):
        return True
    return _last_word(name) == _last_word(other) or not _rows_alike(name).isdisjoint(_rows_alike(other))


def may_show(whole: str, name: str) -> bool:
    """Whether an object may be visible in or on another without being annotated, as a door on a house.

    >>> may_show("house", "door"), may_show("bookshelf", "book"), may_show("girl", "shoes"), may_show("dog", "cup")
    (True, True, True, False)
    """
    if not (is_known(whole) and is_known(name)):
        return True
    coverage = sense_coverage(name)
    return (
        coverage.singular in _names_seen_on(whole)
        or sense_of(name) in _parts(sense_of(whole))
        or all(not above.isdisjoint(_senses_seen_on(whole)) for above in coverage.ancestors)
    )


def word_set(key: str) -> frozenset[str]:
    """One word list of the data file on doubtful names."""
    return word_list("doubts", key, DATA)


@cache
def general_names() -> Mapping[str, str]:
    """Hypernyms that a question may choose within, each in its countable form: "piece of fruit"."""
    return dict(word_table("doubts", DATA)["general"])


@cache
def unannotated_parts() -> Mapping[str, tuple[str, ...]]:
    """What may be visible in or on an object of each name; a part with a mark ("seat!") excludes its hyponyms."""
    return {owner: split_list(parts) for owner, parts in word_table("shows", DATA).items()}


@cache
def _last_word(name: str) -> str:
    return singular(name).rpartition(" ")[2]


@cache
def _alike() -> Mapping[str, frozenset[int]]:
    """For each name, the numbers of the rows that have it."""
    rows: dict[str, frozenset[int]] = {}
    for number, row in enumerate(word_table("doubts", DATA)["alike"]):
        for name in split_list(row):
            rows[singular(name)] = rows.get(singular(name), frozenset()) | {number}
    return rows


@cache
def _rows_alike(name: str) -> frozenset[int]:
    return _alike().get(singular(name), frozenset())


@cache
def _seen_on(whole: str) -> frozenset[str]:
    """What is listed for a thing, or for anything that it is a kind of."""
    return frozenset(part for owner, parts in unannotated_parts().items() if is_a(whole, owner) for part in parts)


@cache
def _names_seen_on(whole: str) -> frozenset[str]:
    return frozenset(part.removesuffix(_ALONE) for part in _seen_on(whole))


@cache
def _senses_seen_on(whole: str) -> frozenset[Sense]:
    return frozenset[Sense]().union(
        *(sense_coverage(part).covers for part in _seen_on(whole) if not part.endswith(_ALONE))
    )


@cache
def _parts(whole: Sense) -> frozenset[Sense]:
    """Every sense that WordNet has for a part, for a part of a part, and for what these are kinds of."""
    book, seen, waiting, parts = lexicon(), set[Sense](), [whole], set[Sense]()
    while waiting:
        for owner in {(sense := waiting.pop()), *book.ancestors(sense)} - seen:
            seen.add(owner)
            for part in book.parts(owner):
                parts |= {part, *book.ancestors(part)}
                waiting.append(part)
    return frozenset(parts)


def absence_proof(name: str) -> str:
    """The proof that an object is absent, for a name that was found to be so."""
    return f"no {name} {be(name)} annotated, nor anything that could be called so or may show such a thing"


def ambiguity_reason(name: str, names: Iterable[str]) -> str:
    """Why a name cannot be said to be absent beside these, or nothing.

    >>> ambiguity_reason("cat", ["dog", "table"]), ambiguity_reason("tire", ["dog", "car"])
    ('', 'it may be part of what is annotated')
    """
    reasons = ambiguity_reasons(name)
    return next(filter(None, ("it is annotated" if other == name else reasons[other] for other in names)), "")


class AmbiguityReasons(dict[str, str]):
    """Why objects of other names leave it open whether one of this name is present, computed once for each name.

    >>> reasons = ambiguity_reasons
    >>> reasons("bird")["duck"], reasons("dog")["animal"], reasons("tire")["car"], reasons("dog")["cat"]
    ('a kind of it is annotated', 'something more general is annotated', 'it may be part of what is annotated', '')
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def __missing__(self, other: str) -> str:
        reason = self[other] = _reason(other, self._name)
        return reason


@cache
def ambiguity_reasons(name: str) -> AmbiguityReasons:
    """The reasons for one name, by the other name; memoized here alone, since pairs of names are many."""
    return AmbiguityReasons(name)


def _reason(other: str, name: str) -> str:
    if not may_be(name, other):
        return _PART if may_show(other, name) else ""
    if not (is_known(name) and is_known(other)):
        return "something has a name that no lexicon knows"
    if singular(name) == singular(other) or other in synonyms(name):
        return "it is annotated by another word"
    if is_a(other, name):
        return "a kind of it is annotated"
    if is_a(name, other):
        return "something more general is annotated"
    return "something that might be called so is annotated"


def naming_doubt(scene: Scene, name: str, names: Iterable[str]) -> str:
    """Why some other names of a scene leave it open whether an object of this name is present, or nothing.

    Where a scene has a list of categories, a name beyond the list is always open. Its annotators have told categories
    apart, so one that no lexicon knows is another thing, unless both names end in the same word.
    """
    if scene.categories is None:
        return ambiguity_reason(name, (other for other in names if other != name))
    if name not in scene.categories:
        return UNLISTED
    reasons = ambiguity_reasons(name)
    others = (other for other in names if other != name)
    return next(filter(None, (reasons[other] for other in others if not are_told_apart(scene, name, other))), "")


def clear_names(scene: Scene, names: Collection[str]) -> list[str]:
    """Those names of present objects that could as well have been proved absent; boxes alone prove no tiny object."""
    asked = (name for name in names if can_be_asked(name) and not naming_doubt(scene, name, names))
    return [name for name in asked if scene.categories is None or any(map(scene.is_visible, scene.named(name)))]


def absence_doubt(scene: Scene, name: str, names: Collection[str]) -> str:
    """Why it is not proved that no object of this name is present, or nothing; `names` are those of the scene."""
    if name in scene.names:
        return ambiguity_reason(name, names) if scene.categories is None else "it is annotated"
    if reason := naming_doubt(scene, name, names):
        return reason
    return IN_CAPTION if any(_is_in(text, name) for text in scene.captions) else ""


def are_told_apart(scene: Scene, name: str, other: str) -> bool:
    """Whether annotators would have given each of two names its own box, although the lexicon leaves that open."""
    if scene.categories is None or other not in scene.categories:
        return False
    if not (is_known(name) and is_known(other)):
        return name in scene.categories and _last_word(name) != _last_word(other)
    return scene.annotates_parts and ambiguity_reasons(name)[other] == _PART


def _is_in(caption: str, name: str) -> bool:
    """Whether a caption names an object of this name, one that might be called so, or the part or whole of one."""
    if not is_known(name):
        return _last_word(name) in {_last_word(noun) for noun in caption_nouns(caption)}
    known = filter(is_known, caption_nouns(caption))
    return any(_may_tell_of(noun, name) for noun in known)


@lru_cache(1 << 16)
def _may_tell_of(noun: str, name: str) -> bool:
    """Whether a noun of a caption may mean an object of a name, its part or its whole, also in its commonest sense.

    Among things that are seen a driver is a golf club, but a caption means the person.
    """
    if may_be(noun, name) or may_show(noun, name) or may_show(name, noun):
        return True
    commonest = lexicon().senses(noun, "n")[:1]
    return any(lexicon().is_kind_of(sense, sense_of(name)) for sense in commonest)


@lru_cache(1 << 15)
def caption_nouns(text: str) -> frozenset[str]:
    """The nouns of a text in the singular, alone and in runs of up to three.

    >>> sorted(caption_nouns("Two small dogs near a stop sign"))
    ['dog', 'sign', 'stop', 'stop sign']
    """
    tokens = tag_text(text)
    spans = (tokens[end - length : end] for end in range(1, len(tokens) + 1) for length in range(1, _LONGEST_NAME + 1))
    runs = (span for span in spans if span and all(is_noun(token.tag) for token in span))
    return frozenset(singular(" ".join(token.text for token in span)) for span in runs)
