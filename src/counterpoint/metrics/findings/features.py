"""Features of groups that say what a group is about, and never what a model answered: the columns of the search."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.groups import Relation
from counterpoint.metrics.credit import best_answers
from counterpoint.metrics.labels import Codes, Labels
from counterpoint.metrics.outcomes import find_bases, find_clusters, sort_by_group
from counterpoint.metrics.slices import drop_repeated_groups
from counterpoint.metrics.units import Flags, Rows

FEWEST = 20
"""Groups that a slice must have."""
FEWEST_PICTURES = 10
"""Pictures that they must be on."""
MOST_FEATURES = 600
"""Features that are searched; of more, those of most groups."""
MOST_FLAGS = 100_000_000
"""Features times groups that are searched."""
SMALL, LARGE = 0.01, 0.1
"""Shares of the picture below which an object is small, and from which on it is large."""
LONG = 13
"""Words from which on a text is long."""

_RECORDS = ("twin", "question", "proof", "caption", "dialogue", "frame")  # tags that name one record each
_PLAIN_WORD = re.compile(
    "an?|are|as|at|be|by|do|does|did|for|from|has|have|he|her|his|i|if|in|is|it|its|of|on|she|so|that|the|their|there|"
    "they|think|this|to|was|were|what|would|you"
)  # says nothing about a question
_TESTED = ("test", "relation", "kind")
_WORD_EDGES = r"[^\p{L}\p{N}'’-]+"


@dataclass(frozen=True, slots=True, order=True)
class SliceFeature:
    """One respect in which groups are alike: a column (test, gold, `tag:NAME`, word, object, …) and its value."""

    column: str
    value: str


@dataclass(frozen=True, slots=True)
class SearchSpace:
    """The groups of suites, those on one picture together, with the features of each as columns of flags."""

    features: tuple[SliceFeature, ...]
    flags: Flags  # a row per group, a column per feature
    picture: Codes  # of each group, in ascending order
    place: Rows  # of each group in the table

    def at(self, kept: Flags) -> "SearchSpace":
        """The space of some of its groups."""
        _, picture = np.unique(self.picture[kept], return_inverse=True)
        return SearchSpace(self.features, self.flags[kept], picture.astype(np.int32), self.place[kept])

    def inside(self, slice_: tuple[int, ...]) -> Flags:
        """Which groups have all these features."""
        return np.asarray(self.flags[:, list(slice_)].all(axis=1))


def prepare_groups(groups: pa.Table) -> pa.Table:
    """The rows of groups that can be searched: each group once, its rows together and the base first.

    A group whose input was exchanged has no right answer, and is left out.
    """
    swapped = Labels.of(groups["relation"]).where([Relation.SWAP])
    return sort_by_group(drop_repeated_groups(groups.filter(pa.array(~swapped))))


def find_features(table: pa.Table) -> SearchSpace:
    """The features of every group of a prepared table; of those that describe the same groups, the first."""
    starts = np.flatnonzero(table["role"].to_numpy() == 0)
    number = np.cumsum(table["role"].to_numpy() == 0) - 1
    columns: dict[bytes, tuple[SliceFeature, Rows]] = {}
    for feature, places in _all_features(table, starts, number):
        if FEWEST <= len(places) <= len(starts) - FEWEST:
            columns.setdefault(blake2b(places.tobytes(), digest_size=16).digest(), (feature, places))
    sizes = sorted((len(places) for _, places in columns.values()), reverse=True)
    most = max(min(MOST_FEATURES, MOST_FLAGS // max(len(starts), 1)), 1)
    fewest = sizes[most - 1] if len(sizes) > most else FEWEST
    chosen = [own for own in columns.values() if len(own[1]) >= fewest][:most]
    flags = np.zeros((len(starts), len(chosen)), np.bool_)
    for column, (_, places) in enumerate(chosen):
        flags[places, column] = True
    picture = find_clusters(table, find_bases(table))[starts]
    order = np.argsort(picture, kind="stable")
    _, ascending = np.unique(picture[order], return_inverse=True)
    return SearchSpace(tuple(own for own, _ in chosen), flags[order], ascending.astype(np.int32), order)


def _all_features(table: pa.Table, starts: Rows, number: Rows) -> Iterator[tuple[SliceFeature, Rows]]:
    """Every feature with the groups that have it, the plainest first.

    A group has the tags of its base, and those of its variants where the base has none of the name.
    """
    bases = table.take(pa.array(starts))
    every = np.arange(len(starts))
    for column in _TESTED:
        yield from _by_label(column, Labels.of(bases[column]), every)
    for name in _tag_names(table["tags"]):
        rows, values = _tag_values(table["tags"], name)
        own = np.isin(rows, starts) | ~np.isin(number[rows], number[rows[np.isin(rows, starts)]])
        yield from _by_label(f"tag:{name}", Labels.of(values.filter(pa.array(own))), number[rows[own]])
    yield from _by_label("gold", Labels.of(pa.chunked_array([best_answers(bases["gold"])])), every)
    yield from _object_features(bases)
    yield from _by_label("edit", Labels.of(_edit_names(table["edits"])), number)
    yield from _word_features(table, starts, number)


def _by_label(column: str, labels: Labels, owner: Rows) -> Iterator[tuple[SliceFeature, Rows]]:
    """A feature for each value that enough groups have."""
    known = labels.codes >= 0
    size = max(len(labels.words), 1)
    pairs = np.unique(owner[known].astype(np.int64) * size + labels.codes[known])
    codes, places = pairs % size, pairs // size
    counts = np.bincount(codes, minlength=size)
    order = np.argsort(codes, kind="stable")
    bounds = np.append(0, np.cumsum(counts))
    for code in np.flatnonzero(counts >= FEWEST):
        value = labels.words[int(code)].as_py()
        if value:
            yield SliceFeature(column, str(value)), places[order[bounds[code] : bounds[code + 1]]]


def _tag_names(tags: pa.ChunkedArray) -> list[str]:
    keys = pa.chunked_array([part.keys for part in tags.chunks], pa.string()).unique().to_pylist()
    return sorted(key for key in keys if key not in _RECORDS)


def _tag_values(tags: pa.ChunkedArray, name: str) -> tuple[Rows, pa.ChunkedArray]:
    """The rows that have a tag, and its value in each."""
    values = pa.chunked_array([pc.map_lookup(part, pa.scalar(name), "first") for part in tags.chunks], pa.string())
    rows = np.flatnonzero(values.is_valid().to_numpy())
    return rows, values.take(pa.array(rows))


def _object_features(bases: pa.Table) -> Iterator[tuple[SliceFeature, Rows]]:
    """What the question is about, and whether it is small or large in the picture."""
    objects = bases["objects"].combine_chunks()
    owner = pc.list_parent_indices(objects).to_numpy().astype(np.int64)
    listed = pc.list_flatten(objects)
    yield from _by_label("object", Labels.of(pa.chunked_array([listed.field("name")])), owner)
    width, height = (
        listed.field(name).to_numpy(zero_copy_only=False).astype(np.float64) for name in ("width", "height")
    )
    whole = np.prod([bases[name].to_numpy().astype(np.float64)[owner] for name in ("width", "height")], axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.nan_to_num(width * height / whole, posinf=0.0)
    largest = np.zeros(bases.num_rows)
    np.maximum.at(largest, owner, share)
    yield SliceFeature("size", "small"), np.flatnonzero((largest > 0) & (largest < SMALL))
    yield SliceFeature("size", "large"), np.flatnonzero(largest >= LARGE)


def _edit_names(edits: pa.ChunkedArray) -> pa.ChunkedArray:
    """The name of the first edit of each row's picture; null where there is none."""
    named = [pc.extract_regex(part, r'^\[\["(?P<name>[^"]+)"').field("name") for part in edits.cast(pa.string()).chunks]
    return pa.chunked_array(named, pa.string())


def _word_features(table: pa.Table, starts: Rows, number: Rows) -> Iterator[tuple[SliceFeature, Rows]]:
    """The words of the base, those that only a variant has, and whether the base is long."""
    texts = Labels.of(table["text"])
    plain = pc.utf8_trim(pc.replace_substring_regex(pc.utf8_lower(texts.words), _WORD_EDGES, " "), " '’-")
    split = pc.utf8_split_whitespace(plain)
    owner = pc.list_parent_indices(split).to_numpy().astype(np.int64)
    words = Labels.of(pa.chunked_array([pc.list_flatten(split)]))
    lengths = np.bincount(owner, minlength=len(texts.words))
    yield SliceFeature("length", "long"), np.flatnonzero(lengths[texts.codes[starts]] >= LONG)
    row, token = _repeat_words(texts.codes, owner, words.codes)
    size = max(len(words.words), 1)
    key = number[row].astype(np.int64) * size + token
    is_base = table["role"].to_numpy()[row] == 0
    base, other = np.unique(key[is_base]), np.unique(key[~is_base])
    other = np.setdiff1d(other, base, assume_unique=True)
    for column, pairs in (("word", base), ("new word", other)):
        told = Labels((pairs % size).astype(np.int32), words.words)
        found = _by_label(column, told, pairs // size)
        yield from ((own, places) for own, places in found if not _PLAIN_WORD.fullmatch(own.value))


def _repeat_words(texts: Codes, owner: Rows, words: Codes) -> tuple[Rows, Codes]:
    """The row and the code of every word of every row, from the words of each distinct text."""
    counts = np.bincount(owner, minlength=int(texts.max(initial=-1)) + 1)
    first = np.append(0, np.cumsum(counts))[:-1]
    many = counts[texts]
    row = np.repeat(np.arange(len(texts)), many)
    step = np.arange(len(row)) - np.repeat(np.cumsum(many) - many, many)
    return row, words[first[texts][row] + step]
