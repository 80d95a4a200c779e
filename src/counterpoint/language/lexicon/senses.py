"""Senses of object names in everyday photographs: a curated WordNet sense for each, and hypernyms for questions."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

from counterpoint.core.errors import UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.language.lexicon.word_lists import DATA, split_list, word_table
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.nouns import singular


@dataclass(frozen=True, slots=True)
class NameSense:
    """The sense of a name, and whether the name covers all of it: a "stop sign" is only one kind of street sign."""

    sense: Sense
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Hypernym:
    """A general name with the senses it covers, and those among them that people might not call so."""

    name: str
    senses: tuple[Sense, ...]
    excluded: tuple[Sense, ...]
    exact_only: bool = False  # whether only names with an exact sense are surely its hyponyms


@dataclass(frozen=True, slots=True)
class SenseCoverage:
    """A singular name, the ancestors of each of its senses, and the senses that it covers exactly."""

    singular: str
    ancestors: tuple[frozenset[Sense], ...]
    covers: frozenset[Sense]


def sense_of(name: str) -> Sense:
    """The sense of a singular or plural name in everyday photographs.

    >>> sense_of("glasses").name, sense_of("glass").name, sense_of("traffic lights").name
    ('spectacles.n.01', 'glass.n.02', 'traffic_light.n.01')
    """
    return resolve_name(name).sense


@cache
def resolve_name(name: str) -> NameSense:
    """The curated sense of a name; else the first physical sense in WordNet of the name or of its last words."""
    row = _curated().get(singular(name)) or _curated().get(name)
    if row:
        return NameSense(lexicon().sense(row[0]), exact=len(row) == 1)
    if name in hypernyms():
        return NameSense(hypernyms()[name].senses[0])
    return _resolve_by_wordnet(name)


def curated_names() -> Collection[str]:
    """All names with a curated sense, in the singular, sorted."""
    return _curated().keys()


def synonyms(name: str) -> tuple[str, ...]:
    """The other curated names of the same sense: sofa for couch."""
    resolved = resolve_name(name)
    others = _by_sense().get(resolved.sense, ()) if resolved.exact else ()
    return tuple(other for other in others if other not in (name, singular(name)))


def is_a(name: str, other: str) -> bool:
    """Whether everything with the first name can be called by the second, by WordNet: a dog is an animal."""
    special, general = sense_coverage(name), sense_coverage(other)
    if special.singular == general.singular:
        return True
    return not any(map(general.covers.isdisjoint, special.ancestors))


@cache
def sense_coverage(name: str) -> SenseCoverage:
    """The ancestors and covered senses of a name, cached, so that two names are compared by their sets."""
    noun = singular(name)
    hypernym = hypernyms().get(noun)
    senses = (sense_of(name), *(hypernym.senses if hypernym else ()))
    ancestors = tuple(lexicon().ancestors(sense) | {sense} for sense in senses)
    return SenseCoverage(noun, ancestors, frozenset(senses) if resolve_name(name).exact else frozenset())


class KindIndex:
    """General names by the senses that they cover, so that those that a name is of are found without trying each.

    >>> sorted(KindIndex(("dog", "animal", "cup")).of("poodle"))
    ['animal', 'dog']
    """

    def __init__(self, kinds: Collection[str]) -> None:
        self._by_sense = group_pairs((sense, kind) for kind in kinds for sense in sense_coverage(kind).covers)
        self._by_noun = group_pairs((sense_coverage(kind).singular, kind) for kind in kinds)

    def of(self, name: str) -> frozenset[str]:
        """The kinds that `is_a` holds of."""
        own, by_sense = sense_coverage(name), self._by_sense
        above = [{kind for sense in senses for kind in by_sense.get(sense, ())} for senses in own.ancestors]
        return frozenset(above[0].intersection(*above[1:]).union(self._by_noun.get(own.singular, ())))


@cache
def hypernym_names(name: str) -> tuple[str, ...]:
    """The undisputed general names of an object, the most specific first.

    >>> hypernym_names("poodle"), hypernym_names("teapot")
    (('dog', 'mammal', 'animal'), ('container',))
    """
    general = [kind for kind in _hypernym_index().of(name) if _is_surely(name, hypernyms()[kind])]
    return tuple(sorted(general, key=lambda kind: (_extents()[kind], kind)))


@cache
def hypernyms() -> Mapping[str, Hypernym]:
    """The general names that a question may use."""
    rows = {name: row for group in word_table("kinds").values() for name, row in group.items()}
    return {
        name: Hypernym(name, _senses(row["of"]), _senses(row.get("but", "")), row.get("whole", False))
        for name, row in rows.items()
    }


def _is_surely(name: str, hypernym: Hypernym) -> bool:
    """Whether a hypernym that a name is of by WordNet is undisputed."""
    if singular(name) == hypernym.name:
        return False
    resolved = resolve_name(name)
    ancestors = sense_coverage(name).ancestors[0]
    if (hypernym.exact_only and not resolved.exact) or any(sense in ancestors for sense in hypernym.excluded):
        return False
    same = hypernym.senses == (resolved.sense,) or hypernym.name in synonyms(name)
    return not (resolved.exact and same)


@cache
def _hypernym_index() -> KindIndex:
    return KindIndex(hypernyms())


@cache
def _extents() -> Mapping[str, int]:
    """The number of curated names that each hypernym covers."""
    return Counter(kind for name in curated_names() for kind in _hypernym_index().of(name))


def _senses(text: str) -> tuple[Sense, ...]:
    return tuple(lexicon().sense(name) for name in split_list(text))


@cache
def _curated() -> Mapping[str, list[str]]:
    lines = (DATA / "senses.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {name: rest for name, *rest in rows}


@cache
def _by_sense() -> Mapping[Sense, tuple[str, ...]]:
    names: dict[Sense, tuple[str, ...]] = {}
    for name in curated_names():
        if resolve_name(name).exact:
            names[sense_of(name)] = (*names.get(sense_of(name), ()), name)
    return names


def _resolve_by_wordnet(name: str) -> NameSense:
    words, book, thing = name.lower().split(), lexicon(), lexicon().sense("physical_entity.n.01")
    for start in range(len(words)):
        ending = " ".join(words[start:])
        if start and (ending in hypernyms() or singular(ending) in _curated()):
            return NameSense(sense_of(ending), exact=False)
        for form in (singular(ending), *book.base_forms(ending)):
            if senses := book.senses(form):
                physical = (one for one in senses if book.is_kind_of(one, thing) and not book.is_instance(one))
                return NameSense(next(physical, senses[0]), exact=start == 0)
    raise UnknownName("object", name, curated_names())
