"""What object names mean in everyday photographs: a curated sense for each, and general names for questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from counterpoint.core.errors import UnknownName
from counterpoint.language.lexicon.word_lists import DATA, split_list, word_table
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.language.nouns import singular


@dataclass(frozen=True, slots=True)
class NameSense:
    """The sense of a name, and whether the name says all of it: a "stop sign" is only one kind of street sign."""

    sense: Sense
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Hypernym:
    """A general name with the senses it covers, and those among them that a person might not call so."""

    name: str
    of: tuple[Sense, ...]
    but: tuple[Sense, ...]
    whole: bool = False  # whether only names that say all of their sense are surely of the kind


@dataclass(frozen=True, slots=True)
class SenseCoverage:
    """A name in the singular, the senses that it covers whole, and for each sense of it everything it is a kind of."""

    one: str
    above: tuple[frozenset[Sense], ...]
    covers: frozenset[Sense]


def sense_of(name: str) -> Sense:
    """The sense that annotators of everyday photographs mean by a name, in the singular or the plural.

    >>> sense_of("glasses").name, sense_of("glass").name, sense_of("traffic lights").name
    ('spectacles.n.01', 'glass.n.02', 'traffic_light.n.01')
    """
    return resolve_name(name).sense


@cache
def resolve_name(name: str) -> NameSense:
    """The curated sense of a name; for other names the first thing that WordNet has, or what their last words mean."""
    row = _curated().get(singular(name)) or _curated().get(name)
    if row:
        return NameSense(lexicon().sense(row[0]), whole=len(row) == 1)
    if name in hypernyms():
        return NameSense(hypernyms()[name].of[0])
    return _resolve_by_wordnet(name)


def curated_names() -> tuple[str, ...]:
    """All names with a curated sense, in the singular, in alphabetical order."""
    return tuple(_curated())


def synonyms(name: str) -> tuple[str, ...]:
    """The other curated names that mean the same: sofa for couch."""
    mine = resolve_name(name)
    others = _by_sense().get(mine.sense, ()) if mine.whole else ()
    return tuple(other for other in others if other not in (name, singular(name)))


def is_a(name: str, other: str) -> bool:
    """Whether whatever the first names could be called by the second, as WordNet has it: a dog is an animal."""
    mine, theirs = sense_coverage(name), sense_coverage(other)
    if mine.one == theirs.one:
        return True
    return not any(map(theirs.covers.isdisjoint, mine.above))


@cache
def sense_coverage(name: str) -> SenseCoverage:
    """How far a name goes: worked out once, so that any two names are compared by their sets alone."""
    one = singular(name)
    kind = hypernyms().get(one)
    covered = (sense_of(name), *(kind.of if kind else ()))
    above = tuple(lexicon().ancestors(sense) | {sense} for sense in covered)
    return SenseCoverage(one, above, frozenset(covered) if resolve_name(name).whole else frozenset())


@cache
def hypernym_names(name: str) -> tuple[str, ...]:
    """The general names for a thing that nobody would dispute, the most special first.

    >>> hypernym_names("poodle"), hypernym_names("teapot")
    (('dog', 'mammal', 'animal'), ('container',))
    """
    found = [kind for kind in hypernyms().values() if _is_surely(name, kind)]
    return tuple(kind.name for kind in sorted(found, key=lambda kind: (_extent(kind), kind.name)))


@cache
def hypernyms() -> Mapping[str, Hypernym]:
    """The general names that a question may use."""
    rows = {name: row for group in word_table("kinds").values() for name, row in group.items()}
    return {
        name: Hypernym(name, _senses(row["of"]), _senses(row.get("but", "")), row.get("whole", False))
        for name, row in rows.items()
    }


def hyponym_names(kind: str) -> tuple[str, ...]:
    """The curated names that are surely of a kind, in alphabetical order."""
    return tuple(name for name in curated_names() if kind in hypernym_names(name))


def _is_surely(name: str, kind: Hypernym) -> bool:
    if singular(name) == kind.name or not is_a(name, kind.name):
        return False
    mine = resolve_name(name)
    if (kind.whole and not mine.whole) or any(one in sense_coverage(name).above[0] for one in kind.but):
        return False
    return not (mine.whole and (kind.of == (mine.sense,) or kind.name in synonyms(name)))


@cache
def _extent(kind: Hypernym) -> int:
    """How many curated names a kind covers."""
    return sum(is_a(name, kind.name) for name in curated_names())


def _senses(text: str) -> tuple[Sense, ...]:
    return tuple(lexicon().sense(name) for name in split_list(text))


@cache
def _curated() -> Mapping[str, list[str]]:
    lines = (DATA / "senses.tsv").read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {name: rest for name, *rest in rows}


@cache
def _by_sense() -> Mapping[Sense, tuple[str, ...]]:
    found: dict[Sense, tuple[str, ...]] = {}
    for name in curated_names():
        if resolve_name(name).whole:
            found[sense_of(name)] = (*found.get(sense_of(name), ()), name)
    return found


def _resolve_by_wordnet(name: str) -> NameSense:
    book, parts = lexicon(), name.lower().split()
    for start in range(len(parts)):
        ending = " ".join(parts[start:])
        if start and (ending in hypernyms() or singular(ending) in _curated()):
            return NameSense(sense_of(ending), whole=False)
        for form in (singular(ending), *book.base_forms(ending)):
            if senses := book.senses(form):
                return NameSense(_first_thing(senses), whole=start == 0)
    raise UnknownName("object", name, curated_names())


def _first_thing(senses: tuple[Sense, ...]) -> Sense:
    """The first sense that can be photographed and is not a person or place by name, or else the first of all."""
    book, physical = lexicon(), lexicon().sense("physical_entity.n.01")
    seen = (one for one in senses if book.is_kind_of(one, physical) and not book.is_instance(one))
    return next(seen, senses[0])
