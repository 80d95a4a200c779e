"""WordNet 3.0: senses, hypernyms, meronyms and antonyms.

It is columns of numbers and words in an NPZ file, written by `scripts/wordnet_table.py` and each loaded on first use;
synsets and lemmas are numbered within their part of speech.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from counterpoint.core.errors import UnknownName
from counterpoint.core.grouping import group_pairs
from counterpoint.language.lexicon.word_lists import DATA

Numbers: TypeAlias = "NDArray[np.integer[Any]]"


class RaggedRows:
    """Rows of different lengths, as one column of values and the start of each row."""

    def __init__(self, counts: Numbers, values: Numbers) -> None:
        self._starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        self._values = values

    def __getitem__(self, row: int) -> list[int]:
        found: list[int] = self._values[self._starts[row] : self._starts[row + 1]].tolist()
        return found

    def inverted(self) -> "RaggedRows":
        """The inverse relation, where values and rows number the same things."""
        size = len(self._starts) - 1
        holders = np.repeat(np.arange(size), np.diff(self._starts))
        order = np.argsort(self._values, kind="stable")
        return RaggedRows(np.bincount(self._values, minlength=size), holders[order])


class PartOfSpeechTable:
    """The columns of one part of speech."""

    def __init__(self, table: Mapping[str, Numbers], pos: str) -> None:
        self._table, self._pos = table, pos
        self._rows: dict[str, RaggedRows | None] = {}

    @cached_property
    def offsets(self) -> Numbers:
        """The offset of each synset in WordNet's data file, ascending."""
        return np.cumsum(self._column("offsets"), dtype=np.int64)

    @cached_property
    def antonyms(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """From a synset and one of its lemmas to the synsets and lemmas that are antonyms."""
        rows = self._column("antonyms").tolist()
        return group_pairs(((synset, lemma), (other, opposite)) for synset, lemma, other, opposite in rows)

    @cached_property
    def exceptions(self) -> dict[str, list[str]]:
        """From irregular forms to their base forms."""
        lines = self._column("exceptions").tobytes().decode().splitlines()
        forms = ([part.replace("_", " ") for part in line.split()] for line in lines)
        return {form: bases for form, *bases in forms}

    def rows(self, name: str, number: int) -> list[int]:
        """The numbers related to one, by the inverse relation if the name starts with a minus."""
        if name not in self._rows:
            self._rows[name] = self._read(name)
        rows = self._rows[name]
        return rows[number] if rows else []

    def lemma(self, number: int) -> str:
        """The word with this number."""
        return self._bytes(number).decode()

    def find(self, word: str) -> int | None:
        """The number of a word, or None where it is not in the table."""
        number = self._insertion_point(word)
        return number if number < self._size and self._bytes(number) == word.encode() else None

    def all(self) -> list[str]:
        """Every word, sorted."""
        return self._text.decode().split("\n")

    def near(self, word: str) -> Iterator[str]:
        """The words around a word in sorted order."""
        center = self._insertion_point(word)
        return (self.lemma(number) for number in range(max(0, center - 50), min(center + 50, self._size)))

    @cached_property
    def _text(self) -> bytes:
        return self._column("lemmas").tobytes()

    @cached_property
    def _breaks(self) -> list[int]:
        breaks: list[int] = np.flatnonzero(np.frombuffer(self._text, np.uint8) == ord("\n")).tolist()
        return [-1, *breaks, len(self._text)]

    @property
    def _size(self) -> int:
        return len(self._breaks) - 1

    def _bytes(self, number: int) -> bytes:
        return self._text[self._breaks[number] + 1 : self._breaks[number + 1]]

    def _insertion_point(self, word: str) -> int:
        return bisect_left(range(self._size), word.encode(), key=self._bytes)

    def _read(self, name: str) -> RaggedRows | None:
        if name.startswith("-"):
            forward = self._read(name[1:])
            return forward.inverted() if forward else None
        if f"{self._pos}_{name}_values" not in self._table:
            return None
        return RaggedRows(self._column(f"{name}_counts"), self._column(f"{name}_values"))

    def _column(self, name: str) -> Numbers:
        return self._table[f"{self._pos}_{name}"]


_ENDINGS = {
    "n": "s: ses:s xes:x zes:z ches:ch shes:sh men:man ies:y",
    "v": "s: ies:y es:e es: ed:e ed: ing:e ing:",
    "a": "er: est: er:e est:e",
    "r": "",
}


@dataclass(frozen=True, slots=True, order=True)
class Sense:
    """A synset, named by its first word, its part of speech and a number, as in "dog.n.01"."""

    name: str
    offset: int  # of its line in WordNet's data file

    def __hash__(self) -> int:
        return self.offset  # sets of senses are many

    @property
    def pos(self) -> str:
        """The part of speech: n, v, a or r."""
        return self.name.rsplit(".", 2)[1]

    @property
    def word(self) -> str:
        """The first word, with spaces."""
        return self.name.rsplit(".", 2)[0].replace("_", " ")


class Lexicon:
    """WordNet as a value; parts of speech are n, v, a and r.

    >>> dog = lexicon().sense("dog.n.01")
    >>> lexicon().lemmas(dog)
    ('dog', 'domestic dog', 'canis familiaris')
    >>> lexicon().is_kind_of(dog, lexicon().sense("animal.n.01"))
    True
    """

    def __init__(self, path: Path) -> None:
        table = np.load(BytesIO(path.read_bytes()))  # no open file, whose position forked processes would share
        self._columns = {pos: PartOfSpeechTable(table, pos) for pos in _ENDINGS}
        self._senses: dict[tuple[str, int], Sense] = {}
        self._ancestors: dict[Sense, frozenset[Sense]] = {}
        self._relations: dict[tuple[str, Sense], tuple[Sense, ...]] = {}

    def sense(self, name: str) -> Sense:
        """The sense of this name, with spaces or underscores."""
        word, pos, number = name.rsplit(".", 2) if name.count(".") > 1 else (name, "", "")
        pos = "a" if pos == "s" else pos  # a satellite adjective is an adjective
        senses = self.senses(word, pos) if pos in self._columns else ()
        if number.isdecimal() and 0 < int(number) <= len(senses):
            return senses[int(number) - 1]
        near = self._columns.get(pos, self._columns["n"]).near(word)
        names = [sense.name for sense in senses] or [f"{one.replace(' ', '_')}.{pos or 'n'}.01" for one in near]
        raise UnknownName("sense", name, names)

    def senses(self, word: str, pos: str = "n") -> tuple[Sense, ...]:
        """The senses of a word, the most frequent first; none for an unknown word.

        >>> [sense.name for sense in lexicon().senses("mouse")]
        ['mouse.n.01', 'shiner.n.01', 'mouse.n.03', 'mouse.n.04']
        """
        columns = self._columns[pos]
        lemma = columns.find(word.replace("_", " ").lower())
        return () if lemma is None else self._all(pos, columns.rows("senses", lemma))

    def lemmas(self, sense: Sense) -> tuple[str, ...]:
        """The words of a synset, the one it is named by first."""
        columns = self._columns[sense.pos]
        return tuple(columns.lemma(number) for number in columns.rows("words", self._number(sense)))

    def base_forms(self, word: str, pos: str = "n") -> tuple[str, ...]:
        """The lemmas of an inflected word, by WordNet's exception lists and rules of detachment (Morphy).

        >>> lexicon().base_forms("geese"), lexicon().base_forms("riding", "v")
        (('goose',), ('ride', 'rid'))
        """
        columns = self._columns[pos]
        word = word.lower()
        pairs = (rule.split(":") for rule in _ENDINGS[pos].split())
        by_rule = [word.removesuffix(old) + new for old, new in pairs if word.endswith(old)]
        guesses = columns.exceptions.get(word) or [word, *by_rule]
        return tuple(guess for guess in dict.fromkeys(guesses) if columns.find(guess) is not None)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every lemma and every irregular form, as a set for many lookups.

        >>> [word in lexicon().vocabulary for word in ("dog", "geese", "dgo")]
        [True, True, False]
        """
        held = (word for columns in self._columns.values() for word in (*columns.all(), *columns.exceptions))
        return frozenset(held)

    def hypernyms(self, sense: Sense) -> tuple[Sense, ...]:
        """The direct hypernyms; for a named individual, its class."""
        return self._related(sense, "hypernyms") + self._related(sense, "instances")

    def hyponyms(self, sense: Sense) -> tuple[Sense, ...]:
        """The direct hyponyms, instances included."""
        return self._related(sense, "-hypernyms") + self._related(sense, "-instances")

    def is_instance(self, sense: Sense) -> bool:
        """Whether a sense is a named individual, such as the Eiffel Tower."""
        return bool(self._related(sense, "instances"))

    def hypernym_path(self, sense: Sense) -> tuple[Sense, ...]:
        """From a sense to its root, by the first hypernym at each step."""
        path = [sense]
        while above := self.hypernyms(path[-1]):
            path.append(above[0])
        return tuple(path)

    def ancestors(self, sense: Sense) -> frozenset[Sense]:
        """All hypernyms of a sense, transitively."""
        if sense not in self._ancestors:
            direct = self.hypernyms(sense)
            self._ancestors[sense] = frozenset(direct).union(*map(self.ancestors, direct))
        return self._ancestors[sense]

    def is_kind_of(self, sense: Sense, other: Sense) -> bool:
        """Whether the second sense is the first or one of its hypernyms."""
        return sense == other or other in self.ancestors(sense)

    def parts(self, sense: Sense) -> tuple[Sense, ...]:
        """The part meronyms of a sense, not those of its hypernyms."""
        return self._related(sense, "parts")

    def antonyms(self, word: str, pos: str = "a") -> tuple[str, ...]:
        """The antonyms of a word; an adjective without its own takes those of its head synsets.

        >>> lexicon().antonyms("open"), lexicon().antonyms("huge")
        (('shut', 'closed'), ('small', 'little'))
        """
        columns = self._columns[pos]
        lemma = columns.find(word.lower())
        if lemma is None:
            return ()
        synsets = columns.rows("senses", lemma)
        direct = [columns.antonyms.get((synset, lemma), []) for synset in synsets]
        if not any(direct):
            heads = [head for synset in synsets for head in columns.rows("similar", synset)]
            direct = [columns.antonyms.get((head, of), []) for head in heads for of in columns.rows("words", head)]
        return tuple(dict.fromkeys(columns.lemma(lemma) for antonyms in direct for _, lemma in antonyms))

    def _related(self, sense: Sense, relation: str) -> tuple[Sense, ...]:
        key = (relation, sense)
        if key not in self._relations:
            self._relations[key] = self._all(sense.pos, self._columns[sense.pos].rows(relation, self._number(sense)))
        return self._relations[key]

    def _all(self, pos: str, numbers: Iterable[int]) -> tuple[Sense, ...]:
        return tuple(self._sense(pos, number) for number in numbers)

    def _sense(self, pos: str, number: int) -> Sense:
        if (pos, number) not in self._senses:
            columns = self._columns[pos]
            first = columns.rows("words", number)[0]
            place = columns.rows("senses", first).index(number) + 1
            name = f"{columns.lemma(first).replace(' ', '_')}.{pos}.{place:02}"
            self._senses[pos, number] = Sense(name, int(columns.offsets[number]))
        return self._senses[pos, number]

    def _number(self, sense: Sense) -> int:
        return int(np.searchsorted(self._columns[sense.pos].offsets, sense.offset))


@cache
def lexicon() -> Lexicon:
    """The lexicon that comes with the package."""
    return Lexicon(DATA / "wordnet.npz")
