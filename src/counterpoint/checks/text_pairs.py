"""Pairs of texts as columns: each base with each of its variants, numbers for texts, and every text split once."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import Relation
from counterpoint.metrics.labels import Labels, tag_labels

Codes: TypeAlias = NDArray[np.int32]
Flags: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Words: TypeAlias = tuple[str, ...]
WORD = "word"
"""The tag that holds what was changed: in the base what stood there, in the variant what stands there now."""
_SHOWN = ("picture", "edits", "feature_edits", "context")
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


def tokenize(text: str) -> Words:
    """The words of a text in small letters, without signs.

    >>> words_of("There's a T-shirt, no?")
    ("there's", 'a', 't-shirt', 'no')
    """
    return tuple(_TOKEN.findall(text.lower()))


class Texts:
    """Different texts, each split into words when that is first asked for."""

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
    """One row per base and variant, one column each; the base is called caption and the variant foil."""

    group: Codes  # the number of its group, in the order of the table
    key: NDArray[np.uint64]  # the id of its group, which luck may depend on
    test: Codes
    kind: Codes
    caption: Codes  # numbers of texts
    foil: Codes
    was: Codes  # numbers of words: what was changed in the caption, -1 where no tag says so
    now: Codes  # what stands there in the foil
    picture: Codes  # what is shown with both, -1 where they are not shown the same
    ranks: Flags  # whether the relation is that of a caption and a foil
    texts: Texts
    terms: Sequence[str]  # the words behind `was` and `now`
    tests: Sequence[str]
    kinds: Sequence[str]
    pictures: Sequence[str]

    def __len__(self) -> int:
        return len(self.group)

    @classmethod
    def of(cls, table: pa.Table, group: Codes) -> "TextPairs":
        """The pairs of a table of groups, of which each row has the number of its group."""
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
        shown, address = _shown(table), Labels.of(table["picture"])
        alike = shown[rows] == shown[base]
        return cls(
            group=group[rows].astype(np.int32),
            key=table["group_id"].to_numpy()[rows],
            test=test.codes[rows],
            kind=kind.codes[rows],
            caption=text.codes[base],
            foil=text.codes[rows],
            was=word.codes[base],
            now=word.codes[rows],
            picture=np.where(alike, shown[base], -1).astype(np.int32),
            ranks=np.asarray(pc.equal(table["relation"], Relation.RANKS.value))[rows],
            texts=Texts(text.words.to_pylist()),
            terms=word.words.to_pylist(),
            tests=test.words.to_pylist(),
            kinds=kind.words.to_pylist(),
            pictures=_addresses(address, rows),
        )

    def at(self, rows: Flags | NDArray[np.integer]) -> "TextPairs":
        """Some of the pairs."""
        shared = ("texts", "terms", "tests", "kinds")
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        pictures = [self.pictures[place] for place in places.tolist()]
        cut = {name: column if name in shared else column[places] for name, column in own.items() if name != "pictures"}
        return TextPairs(**cut, pictures=pictures)

    def by_test(self) -> list[tuple[str, NDArray[np.intp]]]:
        """The places of the pairs of each test, in the order of the tests' names."""
        found = [(self.tests[code], np.flatnonzero(self.test == code)) for code in np.unique(self.test).tolist()]
        return sorted(found, key=lambda one: one[0])

    def each(self, judge: Callable[[Words, Words], bool]) -> Flags:
        """Which pairs a function of the words of both texts holds of."""
        words = self.texts.words
        both = zip(self.caption.tolist(), self.foil.tolist(), strict=True)
        return np.fromiter((judge(words[one], words[other]) for one, other in both), np.bool_, len(self))


def group_numbers(table: pa.Table) -> Codes:
    """For each row the number of its group, in the order in which groups begin; a group may be in several tests."""
    test = Labels.of(table["test"])
    _, ids = np.unique(table["group_id"].to_numpy(), return_inverse=True)
    keys = ids.astype(np.int64) * max(len(test.words), 1) + test.codes
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    order = np.empty(len(first), np.int32)
    order[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
    return np.asarray(order[number], np.int32)


def _shown(table: pa.Table) -> Codes:
    """A number for what is shown beside the text: picture, edits, context."""
    number = np.zeros(table.num_rows, np.int64)
    for name in _SHOWN:
        labels = Labels.of(table[name])
        number = number * (len(labels.words) + 1) + labels.codes + 1
        number = np.unique(number, return_inverse=True)[1].astype(np.int64)
    return number.astype(np.int32)


def _addresses(labels: Labels, rows: NDArray[np.integer]) -> list[str]:
    words = [*labels.words.to_pylist(), ""]
    return [words[code] for code in labels.codes[rows].tolist()]
