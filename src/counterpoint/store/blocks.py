"""Suites and answers in blocks of whole pictures, so that labs larger than memory are scored block by block.

Blocks follow the order in which pictures first occur in the suites, and rows of a block have the order of the suites.
Up to `BLOCK_ROWS` rows are one block, which is the tables themselves. More are partitioned in temporary files: once for
the groups, once for the answers of each model. What stays in memory is the query ids of the suites, eight bytes a row.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from counterpoint.core.groups import State
from counterpoint.metrics.labels import Labels
from counterpoint.metrics.metric import Contents, contents_by_suite
from counterpoint.metrics.outcomes import BLOCK_COLUMNS, is_together, number_pictures, sort_by_group
from counterpoint.metrics.slices import find_repeats, pool_name, pool_suites
from counterpoint.store import answers, suites, values
from counterpoint.store.lab import LabStore
from counterpoint.store.parts import list_parts
from counterpoint.store.picture_digests import digests_of
from counterpoint.store.storage import FileMissing
from counterpoint.store.tables import ANSWERS, read_row_groups

BLOCK_ROWS = 2_000_000
"""The rows of suites that are scored at once, up to which nothing is partitioned."""

_GROUPED = ("suite", "test", "relation", "mode", "group_id", "role")
_PLACES = (*_GROUPED, "picture", "query")
_COLUMNS = (*_PLACES, "kind", "gold", "tags")
_ROUTED_ROWS = 250_000  # at once, as one array of texts holds 2 GiB at most
_BITS = np.uint64(16)  # of a key that hold the number of a block

Numbers = NDArray[np.int64]


class PartitionedTable:
    """Rows of a table in files by the number of their partition, in the order in which they were added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writers: dict[int, pa.ipc.RecordBatchStreamWriter] = {}

    def add(self, table: pa.Table, partition: Numbers) -> None:
        """Add rows, each to its partition."""
        order = np.argsort(partition, kind="stable")
        numbers, starts = np.unique(partition[order], return_index=True)
        ordered = table.take(pa.array(order)).combine_chunks()
        ends = np.append(starts, len(order))[1 : len(numbers) + 1]
        for number, start, end in zip(numbers.tolist(), starts, ends, strict=True):
            if number not in self._writers:
                options = pa.ipc.IpcWriteOptions(compression="lz4")
                self._writers[number] = pa.ipc.new_stream(self._file(number), table.schema, options=options)
            self._writers[number].write_table(ordered.slice(start, end - start))

    def close(self) -> None:
        """End writing; what was added can be read from then on."""
        for writer in self._writers.values():
            writer.close()

    def read(self, number: int, empty: pa.Table) -> pa.Table:
        """The rows of a partition; `empty` where it has none."""
        if number not in self._writers:
            return empty
        with pa.OSFile(str(self._file(number))) as file, pa.ipc.open_stream(file) as stream:
            return stream.read_all()

    def _file(self, number: int) -> Path:
        return self._folder / f"{number}.arrows"


@contextmanager
def open_blocks(
    lab: LabStore, names: Sequence[str], *, pool: bool = False, rows: int = BLOCK_ROWS
) -> "Iterator[SuiteBlocks]":
    """The groups of suites in blocks; their temporary files are removed at the end."""
    with TemporaryDirectory(prefix="counterpoint-") as folder:
        yield SuiteBlocks(lab, names, Path(folder), pool=pool, rows=rows)


class SuiteBlocks:
    """The groups of suites in blocks, those of large suites in a folder."""

    def __init__(self, lab: LabStore, names: Sequence[str], folder: Path, *, pool: bool, rows: int) -> None:
        self._lab, self._names, self._folder, self._pool = lab, tuple(names), folder, pool
        self._sorted: dict[str, pa.Table] = {}  # suites whose groups are not together on disk
        self.contents: dict[tuple[str, ...], Contents] = {}  # by suite and test
        self._whole: pa.Table | None = None
        self._count, self._keys = 1, np.empty(0, np.uint64)
        if sum(lab.manifest(name).rows for name in self._names) <= rows:
            self._whole = self._read_whole()
            self.contents = dict(contents_by_suite(self._whole, "test"))
        else:
            self._partition(rows)

    def __len__(self) -> int:
        return self._count

    def groups(self, number: int) -> pa.Table:
        """The groups of a block, with the columns of `metrics.outcomes.BLOCK_COLUMNS` where there are several."""
        return self._whole if self._whole is not None else self._groups.read(number, self._empty)

    def answers(self, fingerprint: str, columns: Sequence[str]) -> "AnswerBlocks":
        """The answers of a model to these suites, with these columns."""
        return AnswerBlocks(self, self._lab, fingerprint, columns, self._whole is not None, self._new_folder())

    def route(self, queries: NDArray[np.uint64]) -> tuple[Numbers, Numbers]:
        """The rows of an array of queries that a block needs, and the number of that block.

        A key of the index is a query without its lowest bits and a block in their place. Two queries that share all
        other bits are taken to the blocks of both, which changes no score.
        """
        order = np.argsort(queries)
        floor = queries[order] >> _BITS << _BITS
        starts = np.searchsorted(self._keys, floor)
        sizes = np.searchsorted(self._keys, floor | np.uint64(2**16 - 1), side="right") - starts
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        block = (self._keys[np.repeat(starts, sizes) + within] & np.uint64(2**16 - 1)).astype(np.int64)
        rows = np.repeat(order, sizes)
        again = np.argsort(rows, kind="stable")  # later answers stay behind earlier ones
        return rows[again], block[again]

    def _read_whole(self) -> pa.Table:
        """All suites in one table."""
        tables = [sort_by_group(self._lab.suite(name).groups.replace_schema_metadata()) for name in self._names]
        return pool_suites(pa.concat_tables(tables)) if self._pool else pa.concat_tables(tables)

    def _partition(self, rows: int) -> None:
        """Find the block of each group in a first pass over narrow columns, and write the groups in a second one."""
        self._sort_scattered()
        survey = _Survey()
        for number, name in enumerate(self._names):
            for portion in self._portions(name, _PLACES):
                survey.add(number, portion)
        survey.finish(rows, self._pool)
        self._count, self._keys = int(survey.block.max(initial=0)) + 1, survey.keys()
        self._groups, first = PartitionedTable(self._new_folder()), 0
        label = pool_name(self._names)
        for name in self._names:
            rules = self._lab.manifest(name).rules
            for portion in self._portions(name, _COLUMNS):
                many = len(np.flatnonzero(portion["role"].to_numpy() == 0))
                table, block = survey.complete(_with_word(portion, "rules", rules), first, many)
                first += many
                if self._pool:
                    table = _with_word(table.drop_columns(["suite"]), "suite", label)
                for key, contents in contents_by_suite(table, "test").items():
                    self.contents[key] = self.contents.get(key, Contents()) | contents
                self._empty = table.slice(0, 0)
                self._groups.add(table, block)
        self._groups.close()

    def _portions(self, name: str, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Columns of a suite in portions of whole groups."""
        if name in self._sorted:
            return iter([self._sorted[name].select(columns)])
        return whole_groups(suites.read_portions(self._lab.storage, f"suites/{name}", columns))

    def _sort_scattered(self) -> None:
        """Read the suites whose groups are not together, and sort them; those that we write are."""
        for name in self._names:
            if not all(map(is_together, self._portions(name, _GROUPED))):
                portions = list(suites.read_portions(self._lab.storage, f"suites/{name}", _COLUMNS))
                self._sorted[name] = sort_by_group(pa.concat_tables(portions).unify_dictionaries())

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

    def read(self, number: int) -> pa.Table:
        """The answers to the queries of a block, once per query and trial; the metadata have their `scale`."""
        if self._is_whole:
            return self._lab.read_answers(self._fingerprint, self._columns)
        groups = self._blocks.groups(number).select(["query", "picture"])

        def digests(queries: pa.Array) -> pa.Table:
            return digests_of(self._lab.storage, groups.filter(pc.is_in(groups["query"], value_set=queries)))

        table = answers.settle_repeats(self._table.read(number, self._empty), digests)
        if self._values.num_rows:
            table = values.overlay_values(table, self._values)
        return table.select(self._columns).replace_schema_metadata({"scale": self._lab.scale(self._fingerprint)})

    def _partition(self) -> None:
        needed = [*dict.fromkeys([*self._columns, "query", "trial", "raw", "state", "digest", "rule", "value"])]
        folder = f"{answers.FOLDER}/{answers.slug(self._fingerprint)}"
        self._empty = pa.schema([ANSWERS.field(name) for name in needed]).empty_table()
        for attempt in range(10):
            target = self._folder / str(attempt)
            target.mkdir()
            self._table = PartitionedTable(target)
            try:
                for name in list_parts(self._lab.storage, folder):
                    for portion in read_row_groups(self._lab.storage, name, answers.FOLDER, needed):
                        for start in range(0, portion.num_rows, _ROUTED_ROWS):
                            self._add(portion.slice(start, _ROUTED_ROWS))
            except FileMissing:
                continue  # a run merged its parts after they were listed
            finally:
                self._table.close()
            return
        fact = f"the answers in {self._lab.storage.describe(folder)} vanish while they are read"
        raise FileMissing(fact, hint="is another program deleting them?")

    def _add(self, portion: pa.Table) -> None:
        """Add answers to the blocks that need them, without raw texts unless probabilities or values refer to them."""
        rows, block = self._blocks.route(portion["query"].to_numpy())
        is_raw_needed = "top" in self._columns or self._values.num_rows
        narrow = portion if is_raw_needed else _without_read_texts(portion)
        self._table.add(narrow.take(pa.array(rows)), block)


class _Survey:
    """The picture, size and block of each group of suites, and the queries of their rows."""

    def __init__(self) -> None:
        self._pictures: list[pa.Array] = []
        self._sizes: list[Numbers] = []
        self._queries: list[NDArray[np.uint64]] = []
        self._ids: list[NDArray[np.uint64]] = []
        self._suite: list[Numbers] = []

    def add(self, suite: int, portion: pa.Table) -> None:
        """Add whole groups of a suite."""
        starts = np.flatnonzero(portion["role"].to_numpy() == 0)
        self._pictures.append(pa.concat_arrays(portion["picture"].take(pa.array(starts)).chunks).dictionary_encode())
        self._sizes.append(np.diff(np.append(starts, portion.num_rows)))
        self._queries.append(portion["query"].to_numpy())
        self._ids.append(portion["group_id"].to_numpy()[starts])
        self._suite.append(np.full(len(starts), suite, np.int64))

    def finish(self, rows: int, pool: bool) -> None:
        """Number pictures and rows, and assign blocks of about so many rows; pooled groups that repeat have none."""
        self.size, self._query = np.concatenate(self._sizes), np.concatenate(self._queries)
        suite, kept = np.concatenate(self._suite), np.ones(len(self.size), np.bool_)
        if pool:
            kept = ~find_repeats(suite, np.concatenate(self._ids))
        pictures = Labels.of(pa.chunked_array(self._pictures))
        self.cluster = np.full(len(kept), -1, np.int64)
        self.cluster[kept] = number_pictures(pictures.at(np.flatnonzero(kept)))
        load = np.bincount(self.cluster[kept], self.size[kept]).cumsum()
        share = load[-1] / max(np.ceil(load[-1] / rows), 1)
        self.block = np.where(kept, np.minimum((load - 1) // share, 2**16 - 1).astype(np.int64)[self.cluster], -1)
        self._end, self._first_row = np.cumsum(self.size), np.cumsum(np.where(kept, self.size, 0))
        self._repeated: NDArray[np.bool_] | None = None
        if pool:
            inside = np.repeat(kept, self.size)
            self._repeated = np.zeros(len(self._query), np.bool_)
            self._repeated[inside] = find_repeats(np.repeat(suite, self.size)[inside], self._query[inside])
        del self._pictures, self._sizes, self._queries, self._ids, self._suite

    def keys(self) -> NDArray[np.uint64]:
        """The index of queries for `SuiteBlocks.route`, sorted."""
        block = np.repeat(self.block, self.size)
        keys = (self._query >> _BITS << _BITS) | np.maximum(block, 0).astype(np.uint64)
        keys = keys[block >= 0]
        del self._query
        keys.sort()
        return np.asarray(keys[np.append(True, keys[1:] != keys[:-1])], np.uint64)

    def complete(self, portion: pa.Table, first: int, many: int) -> tuple[pa.Table, Numbers]:
        """The kept rows of the groups from `first` on with their places among all, and the block of each."""
        own = slice(first, first + many)
        sizes = self.size[own]
        block, cluster = np.repeat(self.block[own], sizes), np.repeat(self.cluster[own], sizes)
        start = int(self._end[first] - self.size[first]) if many else 0
        if self._repeated is not None:
            portion = portion.append_column("repeated", pa.array(self._repeated[start : start + len(block)]))
        places = (pa.array(start + np.arange(len(block))), pa.array(cluster))
        for name, column in zip(BLOCK_COLUMNS, places, strict=True):
            portion = portion.append_column(name, column)
        kept = block >= 0
        return (portion, block) if kept.all() else (portion.filter(pa.array(kept)), block[kept])


def whole_groups(portions: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in portions that end where a group ends."""
    rest: pa.Table | None = None
    for portion in portions:
        table = portion if rest is None else pa.concat_tables([rest, portion]).unify_dictionaries()
        starts = np.flatnonzero(table["role"].to_numpy() == 0)
        cut = int(starts[-1]) if len(starts) else 0
        if cut:
            yield table.slice(0, cut)
        rest = table.slice(cut)
    if rest is not None and rest.num_rows:
        yield rest


def _with_word(table: pa.Table, name: str, word: str) -> pa.Table:
    """The table with a column that has one word throughout."""
    return table.append_column(name, pa.DictionaryArray.from_arrays(np.zeros(table.num_rows, np.int32), [word]))


def _without_read_texts(table: pa.Table) -> pa.Table:
    """Answers whose raw texts are left out where a value was read: nothing compares those."""
    texts = pc.if_else(pc.equal(table["state"], State.UNPARSED.value), table["raw"], "")
    return table.set_column(table.column_names.index("raw"), table.schema.field("raw"), texts)
