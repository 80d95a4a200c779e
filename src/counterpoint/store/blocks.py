"""Suites and answers in blocks of whole pictures, so that labs larger than memory are scored block by block.

Blocks follow the order in which pictures first occur in the suites, and rows of a block have the order of the suites.
Up to `BLOCK_ROWS` rows are one block, which is the tables themselves. More are partitioned in temporary files: once for
the groups, once for the answers of each model, and once for tags, if a metric or slice reads them. What stays in memory
is 16 bytes for each row of the suites: its query, an index of the queries, and the number of its picture.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.ahead import map_ahead
from counterpoint.core.groups import State
from counterpoint.metrics.labels import Labels, renumber
from counterpoint.metrics.metric import Contents, contents_by_suite
from counterpoint.metrics.outcomes import TagReader, is_together, sort_by_group
from counterpoint.metrics.slices import pool_name, pool_suites
from counterpoint.metrics.units import Flags
from counterpoint.store import answers, suites, values
from counterpoint.store.block_survey import PlacedPortion, SuiteSurvey
from counterpoint.store.lab import LabStore
from counterpoint.store.partitions import OrderedRows, PartitionedTable
from counterpoint.store.parts import list_parts
from counterpoint.store.picture_digests import digests_of
from counterpoint.store.storage import FileMissing
from counterpoint.store.tables import ANSWERS, GROUPS, read_row_groups

BLOCK_ROWS = 500_000
"""The rows of suites that are scored at once, up to which nothing is partitioned."""

THREADS = 2
"""The threads that work ahead."""
_MOST_BLOCKS = 250  # each is an open file while they are written, and gets a batch of every portion
_PLACES = ("suite", "test", "role", "query", "picture", "group_id")
_COLUMNS = ("suite", "test", "relation", "mode", "role", "query", "kind", "gold")
_TAGS = ("role", "tags")
_ALL_COLUMNS = (*_COLUMNS, "picture", "group_id", "tags")
_CONTENTS = ("suite", "test", "relation", "role", "gold")
_FEW_WORDS = ("value", "rule", "state", "digest")  # columns of answers
_ROUTED_BYTES = 2**26  # at once; fewer would be many small batches in each of many blocks

Numbers = NDArray[np.integer]
Ids = NDArray[np.uint64]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class GroupMarker:
    """Which groups are judged: `marks` says it of each group, from tables with the rows of each together."""

    reads: tuple[str, ...]  # columns of groups
    marks: Callable[[pa.Table], Flags]


def prefetch(items: Iterable[Item]) -> Iterator[Item]:
    """The same items; a thread makes the next one while one is in use."""
    iterator, end = iter(items), object()
    with ThreadPoolExecutor(1) as thread:
        pending = thread.submit(next, iterator, end)
        while (item := pending.result()) is not end:
            pending = thread.submit(next, iterator, end)
            yield item  # type: ignore[misc]


@contextmanager
def open_blocks(
    lab: LabStore,
    names: Sequence[str],
    *,
    pool: bool = False,
    inside: GroupMarker | None = None,
    rows: int = BLOCK_ROWS,
) -> "Iterator[SuiteBlocks]":
    """The groups of suites in blocks, all or those inside a filter; their temporary files are removed at the end."""
    with TemporaryDirectory(prefix="counterpoint-") as folder:
        yield SuiteBlocks(lab, names, Path(folder), pool=pool, inside=inside, rows=rows)


def read_contents(lab: LabStore, name: str) -> dict[tuple[str, ...], Contents]:
    """The contents of a suite by test, read in portions."""
    contents: dict[tuple[str, ...], Contents] = {}
    for portion in suites.read_portions(lab.storage, f"suites/{name}", _CONTENTS):
        _add_contents(contents, contents_by_suite(portion, "test"))
    return contents


class SuiteBlocks:
    """The groups of suites in blocks, those of large suites in a folder."""

    def __init__(
        self,
        lab: LabStore,
        names: Sequence[str],
        folder: Path,
        *,
        pool: bool,
        inside: GroupMarker | None,
        rows: int,
    ) -> None:
        self._lab, self._names, self._folder, self._pool, self._inside = lab, tuple(names), folder, pool, inside
        self._sorted: dict[str, pa.Table] = {}  # suites whose groups are not together on disk
        self.contents: dict[tuple[str, ...], Contents] = {}  # by suite and test
        self._whole: pa.Table | None = None
        self._tags: PartitionedTable | None = None
        self._lock = Lock()
        self._count = 1
        many = sum(lab.manifest(name).rows for name in self._names)
        if many <= rows:
            self._whole = self._read_whole()
            self.contents = dict(contents_by_suite(self._whole, "test"))
        else:
            self._partition(many, max(rows // 2, many // _MOST_BLOCKS))  # of half the size: several are in memory

    def __len__(self) -> int:
        return self._count

    def groups(self, number: int) -> pa.Table:
        """The groups of a block, with the columns of `metrics.outcomes.BLOCK_COLUMNS` where there are several."""
        if self._whole is not None:
            return self._whole
        table = self._groups.read(number, self._empty)
        pictures = _with_used_words(table["picture"].to_numpy(), self._pictures)
        return table.set_column(table.column_names.index("picture"), "picture", pictures)

    def tag_reader(self, number: int) -> TagReader | None:
        """What reads the tags of a block; None where its groups have them."""
        return partial(self._read_tags, number) if self._whole is None else None

    def delete(self, number: int) -> None:
        """Remove the groups of a block, if they are on disk: they are not read again."""
        if self._whole is None:
            self._groups.delete(number)

    def answers(self, fingerprint: str, columns: Sequence[str]) -> "AnswerBlocks":
        """The answers of a model to these suites, with these columns."""
        return AnswerBlocks(self, self._lab, fingerprint, columns, self._whole is not None, self._new_folder())

    def route(self, queries: Ids) -> tuple[Numbers, Numbers]:
        """The rows of an array of queries that a block needs, and the number of that block."""
        return self._index.find(queries)

    def _read_whole(self) -> pa.Table:
        """All suites in one table."""
        tables = [sort_by_group(self._lab.suite(name).groups.replace_schema_metadata()) for name in self._names]
        if self._inside:
            tables = [keep_groups(table, self._inside) for table in tables]
        whole = pa.concat_tables(tables)
        return pool_suites(whole) if self._pool and whole.num_rows else whole

    def _partition(self, many: int, rows: int) -> None:
        """Find the block of each group in a first pass over narrow columns, and write the groups in a second one."""
        survey = self._survey(many)
        survey.finish(rows, self._pool)
        self._count, self._groups = int(survey.block.max(initial=0)) + 1, PartitionedTable(self._new_folder())
        self._pictures = survey.pictures.words
        with ThreadPoolExecutor(1) as thread:
            index = thread.submit(survey.index)  # which routes answers, later
            portions = prefetch(self._placed_portions())
            for ordered, contents in map_ahead(partial(self._complete, survey), portions, THREADS):
                self._empty = ordered.table.slice(0, 0)
                self._groups.write(ordered)
                _add_contents(self.contents, contents)
            self._index = index.result()
        self._groups.close()
        self._block_of_group, self._group_sizes = survey.block, survey.size

    def _survey(self, many: int) -> SuiteSurvey:
        """Pictures, queries and sizes of all groups; suites whose groups are not together are sorted first."""
        survey = SuiteSurvey(many)
        further = self._inside.reads if self._inside else ()
        columns = tuple(dict.fromkeys((*_PLACES, *further)))
        for number, name in enumerate(self._names):
            for portion in prefetch(self._portions(name, columns)):
                if name not in self._sorted and not is_together(portion):
                    read = tuple(dict.fromkeys((*_ALL_COLUMNS, *further)))
                    portions = list(suites.read_portions(self._lab.storage, f"suites/{name}", read))
                    self._sorted[name] = sort_by_group(pa.concat_tables(portions).unify_dictionaries())
                    return self._survey(many)
                survey.add(number, portion, self._marks(portion))
        return survey

    def _marks(self, portion: pa.Table) -> Flags | None:
        """Which groups of a portion are inside the filter; None where there is no filter."""
        if self._inside is None:
            return None
        plain = pa.schema([GROUPS.field(name) for name in portion.column_names])
        return self._inside.marks(portion.cast(plain))

    def _placed_portions(self, columns: Sequence[str] = _COLUMNS) -> Iterator[PlacedPortion]:
        """Portions of all suites with the places of their first rows and groups."""
        row = group = 0
        for name in self._names:
            rules = self._lab.manifest(name).rules
            for table in self._portions(name, columns):
                groups = int(np.count_nonzero(table["role"].to_numpy() == 0))
                yield PlacedPortion(_with_word(table, "rules", rules), row, group, groups)
                row, group = row + table.num_rows, group + groups

    def _complete(
        self, survey: SuiteSurvey, portion: PlacedPortion
    ) -> tuple[OrderedRows, Mapping[tuple[str, ...], Contents]]:
        """A portion with what was found of its rows, by their block, and its contents."""
        table, block = survey.complete(portion)
        if self._pool:
            table = _with_word(table.drop_columns(["suite"]), "suite", pool_name(self._names))
        return self._groups.order(table, block), contents_by_suite(table, "test")

    def _read_tags(self, number: int) -> pa.ChunkedArray:
        """The tags of a block; those of all blocks are partitioned at the first call."""
        with self._lock:
            if self._tags is None:
                self._tags = PartitionedTable(self._new_folder())
                for portion in prefetch(self._placed_portions(_TAGS)):
                    block = np.repeat(self._block_of_group[portion.groups], self._group_sizes[portion.groups])
                    kept = np.flatnonzero(block >= 0)
                    self._tags.write(self._tags.order(portion.table.select(["tags"]), block[kept], kept))
                self._tags.close()
        empty = pa.table({"tags": pa.array([], GROUPS.field("tags").type)})
        return self._tags.read(number, empty)["tags"]

    def _portions(self, name: str, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Columns of a suite in portions of whole groups."""
        if name in self._sorted:
            return iter([self._sorted[name].select(columns)])
        return whole_groups(suites.read_portions(self._lab.storage, f"suites/{name}", columns))

    def _new_folder(self) -> Path:
        folder = self._folder / str(len([*self._folder.iterdir()]))
        folder.mkdir()
        return folder


class AnswerBlocks:
    """The answers of one model to the suites of some blocks."""

    def __init__(
        self,
        blocks: SuiteBlocks,
        lab: LabStore,
        fingerprint: str,
        columns: Sequence[str],
        is_whole: bool,
        folder: Path,
    ) -> None:
        self._blocks, self._lab, self._fingerprint, self._columns = blocks, lab, fingerprint, list(columns)
        self._is_whole, self._folder = is_whole, folder
        if not is_whole:
            self._values = values.read_values(lab.storage, fingerprint)
            self._partition()

    def read(self, number: int, groups: pa.Table) -> pa.Table:
        """The answers to the groups of a block, once per query and trial; the metadata have their `scale`."""
        if self._is_whole:
            return self._lab.read_answers(self._fingerprint, self._columns)

        def digests(queries: pa.Array) -> pa.Table:
            rows = groups.select(["query", "picture"]).filter(pc.is_in(groups["query"], value_set=queries))
            return digests_of(self._lab.storage, rows.set_column(1, "picture", rows["picture"].cast(pa.string())))

        table = answers.settle_repeats(self._table.read(number, self._empty), digests)
        if self._values.num_rows:
            table = values.overlay_values(table.cast(self._empty.schema), self._values)
        return table.select(self._columns).replace_schema_metadata({"scale": self._lab.scale(self._fingerprint)})

    def delete(self, number: int) -> None:
        """Remove the answers to a block, if they are on disk: they are not read again."""
        if not self._is_whole:
            self._table.delete(number)

    def _partition(self) -> None:
        needed = [*dict.fromkeys([*self._columns, "query", "trial", "raw", "state", "digest", "rule", "value"])]
        folder = f"{answers.FOLDER}/{answers.slug(self._fingerprint)}"
        self._empty = pa.schema([ANSWERS.field(name) for name in needed]).empty_table()
        for attempt in range(10):
            target = self._folder / str(attempt)
            target.mkdir()
            self._table = PartitionedTable(target)
            try:
                portions = prefetch(self._portions(list_parts(self._lab.storage, folder), needed))
                for ordered in map_ahead(self._route, portions, THREADS):
                    self._table.write(ordered)
            except FileMissing:
                continue  # a run merged its parts after they were listed
            finally:
                self._table.close()
            return
        fact = f"the answers in {self._lab.storage.describe(folder)} vanish while they are read"
        raise FileMissing(fact, hint="is another program deleting them?")

    def _portions(self, parts: Sequence[str], columns: Sequence[str]) -> Iterator[pa.Table]:
        """The answers in parts."""
        for name in parts:
            for whole in read_row_groups(self._lab.storage, name, answers.FOLDER, columns, _FEW_WORDS):
                rows = max(_ROUTED_BYTES * whole.num_rows // max(whole.nbytes, 1), 1)
                yield from (whole.slice(start, rows) for start in range(0, whole.num_rows, rows))

    def _route(self, portion: pa.Table) -> OrderedRows:
        """Some answers by the block that needs them.

        They are without raw texts, unless probabilities or values refer to these.
        """
        is_raw_needed = "top" in self._columns or self._values.num_rows
        narrow = portion if is_raw_needed else _without_read_texts(portion)
        rows, block = self._blocks.route(portion["query"].to_numpy())
        return self._table.order(narrow, block, rows)


def keep_groups(table: pa.Table, inside: GroupMarker) -> pa.Table:
    """The rows of the groups inside a filter, from a table with the rows of each group together."""
    starts = np.flatnonzero(table["role"].to_numpy() == 0)
    marks = inside.marks(table)
    return table.filter(pa.array(np.repeat(marks, np.diff(np.append(starts, table.num_rows)))))


def _add_contents(contents: dict[tuple[str, ...], Contents], further: Mapping[tuple[str, ...], Contents]) -> None:
    for key, own in further.items():
        contents[key] = contents.get(key, Contents()) | own


def whole_groups(portions: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in portions that end where a group ends."""
    rest: pa.Table | None = None
    for portion in portions:
        table = portion if rest is None else pa.concat_tables([rest, portion])
        starts = np.flatnonzero(table["role"].to_numpy() == 0)
        cut = int(starts[-1]) if len(starts) else 0
        if cut:
            yield table.slice(0, cut)
        rest = _without_unused_words(table.slice(cut))
    if rest is not None and rest.num_rows:
        yield rest


def _without_unused_words(table: pa.Table) -> pa.Table:
    """A few rows of a table, with dictionaries of their own."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            column = table[field.name].cast(field.type.value_type).dictionary_encode()
            table = table.set_column(place, field, column)
    return table


def _with_word(table: pa.Table, name: str, word: str) -> pa.Table:
    """The table with a column that has one word throughout."""
    return table.append_column(name, pa.DictionaryArray.from_arrays(np.zeros(table.num_rows, np.int32), [word]))


def _with_used_words(codes: Numbers, words: pa.Array) -> pa.DictionaryArray:
    """Words by their numbers, -1 for none, with a dictionary of those that occur."""
    known = codes >= 0
    present = codes[known].astype(np.int64)
    least = int(present.min(initial=len(words)))
    numbers, used = renumber(present - least, int(present.max(initial=least)) - least + 1)
    indices = np.zeros(len(codes), np.int32)
    indices[known] = numbers
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=~known), words.take(pa.array(used + least)))


def _without_read_texts(table: pa.Table) -> pa.Table:
    """Answers whose raw texts are left out where a value was read or none was given: nothing compares those."""
    is_unread = pa.array(Labels.of(table["state"]).where([State.UNPARSED, State.REFUSED, State.HEDGED]))
    texts = pc.if_else(is_unread, table["raw"], "")
    return table.set_column(table.column_names.index("raw"), table.schema.field("raw"), texts)
