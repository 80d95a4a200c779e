"""Names of objects: what a name may denote, what such a thing may show, and what it is a part of.

The lexicon has the kinds and parts, and the data files what people call by several names.
"""

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.senses import KindIndex, hypernym_names, is_a, sense_coverage, sense_of
from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.nouns import singular

DATA = Path(__file__).parent / "data"
"""The folder of the word lists."""

_ALONE = "!"


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


@cache
def readings(name: str) -> tuple[str, ...]:
    """A name, and one name for each further thing that it may mean in a photograph.

    >>> readings("glasses"), readings("cat")
    (('glasses', 'sunglasses', 'wine glass', 'cup'), ('cat',))
    """
    table = word_table("readings", DATA)["readings"]
    return (name, *split_list(table.get(name) or table.get(singular(name), "")))


@cache
def sure_hypernyms(name: str) -> tuple[str, ...]:
    """The general names of an object in every reading of its name: a chicken may be meat, so it is no sure animal.

    >>> sure_hypernyms("dog"), sure_hypernyms("chicken")
    (('mammal', 'animal'), ())
    """
    others = [reading for reading in readings(name)[1:] if is_known(reading)]
    return tuple(kind for kind in hypernym_names(name) if all(is_a(reading, kind) for reading in others))


def could_be(name: str, other: str) -> bool:
    """Whether two names may denote the same object in one of their readings."""
    return any(_may_be(one, another) for one in readings(name) for another in readings(other))


def _may_be(name: str, other: str) -> bool:
    if not (is_known(name) and is_known(other)) or is_a(name, other) or is_a(other, name):
        return True
    return last_word(name) == last_word(other) or not rows_alike(name).isdisjoint(rows_alike(other))


@lru_cache(1 << 18)
def may_show(whole: str, name: str) -> bool:
    """Whether an object may be visible in or on another without being annotated, as a door on a house.

    >>> may_show("house", "door"), may_show("bookshelf", "book"), may_show("girl", "shoes"), may_show("dog", "cup")
    (True, True, True, False)
    >>> may_show("food truck", "pizza")
    True
    """
    return any(_may_show(one, another) for one in readings(whole) for another in readings(name))


def _may_show(whole: str, name: str) -> bool:
    if not (is_known(whole) and is_known(name)):
        return True
    coverage = sense_coverage(name)
    return (
        coverage.singular in names_seen_on(whole)
        or sense_of(name) in parts_of(sense_of(whole))
        or all(not above.isdisjoint(senses_seen_on(whole)) for above in coverage.ancestors)
        or is_part_of(name, whole)
    )


@cache
def is_part(name: str) -> bool:
    """Whether an object is a part of a creature, a vehicle or a plant, or worn: a tail, a wheel, a leaf, a shirt."""
    movable = {"person", "animal", "bird", "vehicle", "aircraft", "plant", "tree"}
    return is_known(name) and (is_a(name, "body part") or not movable.isdisjoint(wholes_of(name)))


@cache
def is_part_of(part: str, whole: str) -> bool:
    """Whether an object may be a part of another, or worn by it: a hand and a person, a tail and a dog."""
    return is_known(part) and is_known(whole) and not wholes_of(part).isdisjoint(_kinds_with_parts(whole))


@cache
def is_body_part(name: str) -> bool:
    """Whether an object is a part of a body: a head, a tail, a mane."""
    return is_known(name) and (is_a(name, "body part") or not {"animal", "bird"}.isdisjoint(wholes_of(name)))


def may_complete(part: str, name: str) -> bool:
    """Whether an object may be there unannotated because a part of it is annotated."""
    return any(is_a(name, kind) or is_a(kind, name) for one in readings(part) for kind in wholes_of(one))


@cache
def wholes_of(part: str) -> frozenset[str]:
    """The kinds of things that an object is a part of, or is worn by."""
    return _listed("wholes", part)


@cache
def surroundings_of(name: str) -> frozenset[str]:
    """The places and general kinds of things that are usual where an object is, annotated or not."""
    return _listed("surroundings", name)


@cache
def _kinds_with_parts(whole: str) -> frozenset[str]:
    """Of the kinds of things that have listed parts, those that an object is of."""
    return _whole_kinds().of(whole)


@cache
def _whole_kinds() -> KindIndex:
    rows = word_table("readings", DATA)["wholes"].values()
    return KindIndex({kind for row in rows for kind in split_list(row)})


def _listed(table: str, name: str) -> frozenset[str]:
    rows, noun = word_table("readings", DATA)[table], singular(name)
    own = {noun, f"{noun}{_ALONE}"} | _kinds_in(table).of(name)
    return frozenset(kind for part in own if part in rows for kind in split_list(rows[part]))


@cache
def _kinds_in(table: str) -> KindIndex:
    return _unmarked(word_table("readings", DATA)[table])


def _unmarked(names: Iterable[str]) -> KindIndex:
    """Those of listed names that stand for all their kinds."""
    return KindIndex([name for name in names if not name.endswith(_ALONE)])


@cache
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
def last_word(name: str) -> str:
    """The head of a name, in the singular."""
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
def rows_alike(name: str) -> frozenset[int]:
    """The rows of names that are confused in which a name stands."""
    return _alike().get(singular(name), frozenset())


@cache
def _seen_on(whole: str) -> frozenset[str]:
    """What is listed for a thing, or for anything that it is a kind of."""
    return frozenset(part for owner in _owners_of_parts().of(whole) for part in unannotated_parts()[owner])


@cache
def _owners_of_parts() -> KindIndex:
    return KindIndex(unannotated_parts().keys())


@cache
def names_seen_on(whole: str) -> frozenset[str]:
    """The names of what may be visible in or on an object."""
    return frozenset(part.removesuffix(_ALONE) for part in _seen_on(whole))


@cache
def senses_seen_on(whole: str) -> frozenset[Sense]:
    """The senses of what may be visible in or on an object, kinds of it included."""
    return frozenset[Sense]().union(
        *(sense_coverage(part).covers for part in _seen_on(whole) if not part.endswith(_ALONE))
    )


@cache
def parts_of(whole: Sense) -> frozenset[Sense]:
    """Every sense that WordNet has for a part, for a part of a part, and for what these are kinds of."""
    seen, waiting, parts = set[Sense](), [whole], set[Sense]()
    while waiting:
        for owner in _lineage(waiting.pop()) - seen:
            seen.add(owner)
            for part in _own_parts(owner):
                parts |= _lineage(part)
                waiting.append(part)
    return frozenset(parts)


@cache
def _lineage(sense: Sense) -> frozenset[Sense]:
    """A sense and what it is a kind of."""
    return lexicon().ancestors(sense) | {sense}


@cache
def _own_parts(sense: Sense) -> tuple[Sense, ...]:
    return lexicon().parts(sense)


@cache
def is_listed(key: str, name: str) -> bool:
    """Whether a name is listed, or of a kind that is listed without a mark."""
    if not is_known(name):
        return False
    listed = word_list("readings", key, DATA)
    return f"{singular(name)}{_ALONE}" in listed or bool(_kinds_listed(key).of(name))


@cache
def _kinds_listed(key: str) -> KindIndex:
    return _unmarked(word_list("readings", key, DATA))
