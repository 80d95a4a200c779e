"""WordNet as columns of numbers and words in an NPZ file, each loaded on first use.

Written by `scripts/wordnet_table.py`; synsets and lemmas are numbered within their part of speech.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = "NDArray[np.integer[Any]]"


class RaggedRows:
    """Rows of different lengths, as one column of values and the start of each row."""

    def __init__(self, counts: Numbers, values: Numbers) -> None:
        self._starts = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
        self._values = values

    def __getitem__(self, row: int) -> list[int]:
        return [int(value) for value in self._values[self._starts[row] : self._starts[row + 1]]]

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
        antonyms: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for synset, lemma, other, opposite in self._column("antonyms").tolist():
            antonyms.setdefault((synset, lemma), []).append((other, opposite))
        return antonyms

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
    def _breaks(self) -> Numbers:
        breaks = np.flatnonzero(np.frombuffer(self._text, np.uint8) == ord("\n"))
        return np.concatenate(([-1], breaks, [len(self._text)]))

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
