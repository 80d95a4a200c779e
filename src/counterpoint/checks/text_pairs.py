"""Pairs of texts as columns: each base with each of its variants, texts as codes, each text tokenized once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import Relation
from counterpoint.language.word_diff import Words
from counterpoint.metrics.labels import Labels, tag_labels

Codes: TypeAlias = NDArray[np.int32]
Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
WORD = "word"
"""The tag that holds the changed word: in the base the original, in the variant its replacement."""
_INPUT_COLUMNS = ("picture", "edits", "feature_edits", "context")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def tokenize(text: str) -> Words:
    """The lowercase words of a text, without punctuation.

    >>> tokenize("There's a T-shirt, no?")
    ("there's", 'a', 't-shirt', 'no')
    """
    return tuple(_TOKEN.findall(text.lower()))


class Texts:
    """Distinct texts, tokenized on first use."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.all = texts

    def __len__(self) -> int:
        return len(self.all)

    @cached_property
    def words(self) -> Sequence[Words]:
        """The words of each text."""
        return [tokenize(text) for text in self.all]


@dataclass(frozen=True, slots=True)
class TextPairs:
    """One row per base and variant, in columns; the base is the caption and the variant the foil."""

    group: Codes  # group number, in the order of the table
    key: NDArray[np.uint64]  # group id, by which random choices are hashed
    test: Codes
    kind: Codes
    caption: Codes  # codes of texts
    foil: Codes
    was: Codes  # code of the changed word in the caption, -1 without a tag
    now: Codes  # code of its replacement in the foil
    picture: Codes  # code of picture, edits and context, -1 where caption and foil have different ones
    ranks: Flags  # whether the relation is `ranks`
    texts: Texts
    terms: Sequence[str]  # the words behind `was` and `now`
    tests: Sequence[str]
    kinds: Sequence[str]
    pictures: Sequence[str]

    def __len__(self) -> int:
        return len(self.group)

    @classmethod
    def of(cls, table: pa.Table, group: Codes) -> "TextPairs":
        """The pairs of a table of groups; `group` is the group number of each row."""
        roles = table["role"].to_numpy()
        bases = np.flatnonzero(roles == 0)
        base_of = np.full(int(group.max(initial=-1)) + 1, -1, np.int64)
        base_of[group[bases]] = bases
        rows = np.flatnonzero((roles > 0) & (base_of[group] >= 0))
        base = base_of[group[rows]]
        test, kind, text, word = (
            *(Labels.of(table[name]) for name in ("test", "kind", "text")),
            tag_labels(table["tags"], WORD),
        )
        shown, address = _input_codes(table), Labels.of(table["picture"])
        addresses = [*address.words.to_pylist(), ""]  # -1 is the code of no picture
        same_input = shown[rows] == shown[base]
        return cls(
            group=group[rows].astype(np.int32),
            key=table["group_id"].to_numpy()[rows],
            test=test.codes[rows],
            kind=kind.codes[rows],
            caption=text.codes[base],
            foil=text.codes[rows],
            was=word.codes[base],
            now=word.codes[rows],
            picture=np.where(same_input, shown[base], -1).astype(np.int32),
            ranks=np.asarray(pc.equal(table["relation"], Relation.RANKS.value))[rows],
            texts=Texts(text.words.to_pylist()),
            terms=word.words.to_pylist(),
            tests=test.words.to_pylist(),
            kinds=kind.words.to_pylist(),
            pictures=[addresses[code] for code in address.codes[rows].tolist()],
        )

    def at(self, rows: Flags | NDArray[np.integer]) -> "TextPairs":
        """The pairs of these rows, by mask or index."""
        shared = ("texts", "terms", "tests", "kinds")
        indices = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        columns = {column.name: getattr(self, column.name) for column in fields(self) if column.name != "pictures"}
        chosen = {name: column if name in shared else column[indices] for name, column in columns.items()}
        return TextPairs(**chosen, pictures=[self.pictures[index] for index in indices.tolist()])

    def by_test(self) -> list[tuple[str, NDArray[np.intp]]]:
        """The row indices of the pairs of each test, sorted by test name."""
        tests = [(self.tests[code], np.flatnonzero(self.test == code)) for code in np.unique(self.test).tolist()]
        return sorted(tests, key=lambda test: test[0])


def group_numbers(table: pa.Table) -> Codes:
    """The group number of each row, in order of first rows; a group id counts once per test."""
    test = Labels.of(table["test"])
    _, ids = np.unique(table["group_id"].to_numpy(), return_inverse=True)
    keys = ids.astype(np.int64) * max(len(test.words), 1) + test.codes
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int32)
    order[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return np.asarray(order[number], np.int32)


def _input_codes(table: pa.Table) -> Codes:
    """A code for what is shown beside the text: picture, edits, context."""
    number = np.zeros(table.num_rows, np.int64)
    for name in _INPUT_COLUMNS:
        labels = Labels.of(table[name])
        number = number * (len(labels.words) + 1) + labels.codes + 1
        number = np.unique(number, return_inverse=True)[1].astype(np.int64)
    return number.astype(np.int32)
