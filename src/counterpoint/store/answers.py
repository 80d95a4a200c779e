"""Answers at rest: one folder per model; parts written whole, under names that no other writer can take."""

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterpoint.core.costs import Usage
from counterpoint.core.errors import StoreError
from counterpoint.core.groups import Answer, State
from counterpoint.core.ids import content_id, hex_id
from counterpoint.store import joins
from counterpoint.store.documents import IntegrityCheck, Repair, check_readable, is_listed
from counterpoint.store.fingerprints import RowDigest
from counterpoint.store.parts import PartLog, PartPolicy, new_run_name, read_parts
from counterpoint.store.picture_digests import current_digests
from counterpoint.store.storage import Storage
from counterpoint.store.tables import ANSWERS, read_parquet, to_parquet

StoredAnswer: TypeAlias = tuple[int, int, Answer, str, float]
"""A query's id, the trial, the answer, the digest of the picture file, and how many seconds it took."""
FOLDER = "answers"
ASIDE = "damaged"
"""The folder of a lab for files that a repair has put aside."""

DIGESTED = (
    *("query", "model", "trial", "raw", "value", "rule", "state", "score", "top", "reason", "digest", "seconds"),
    *("tokens_in", "tokens_out", "prompt", "offered"),
)
"""The columns under the digest of a run's answers; one that is added to the table later is not."""

_SETTLED = ("query", "trial", "state", "digest")


class AnswerRows:
    """The answers of one part, as they come."""

    def __init__(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint
        self._rows: list[StoredAnswer] = []

    def __len__(self) -> int:
        return len(self._rows)

    def extend(self, rows: Iterable[StoredAnswer]) -> None:
        """Gather more."""
        self._rows += list(rows)  # of rows that raise, none

    def drain(self) -> pa.Table:
        """All that was gathered as one table; nothing is left behind."""
        rows, self._rows = self._rows, []
        answers, digests = [row[2] for row in rows], [row[3] for row in rows]
        texts = ("raw", "value", "rule", "state", "reason")
        columns = {
            "query": pa.array([row[0] for row in rows], pa.uint64()),
            "model": pa.repeat(pa.scalar(self._fingerprint, pa.string()), len(rows)),
            "trial": pa.array([row[1] for row in rows], pa.uint16()),
            **{name: text_array(list(map(attrgetter(name), answers))) for name in texts},
            "score": pa.array([answer.score for answer in answers], pa.float64()),
            "top": _top([answer.top for answer in answers]),
            "digest": text_array(digests),
            "seconds": pa.array([row[4] for row in rows], pa.float32()),
            **_tokens([answer.usage for answer in answers]),
            "prompt": text_array([answer.prompt or None for answer in answers]),
            "offered": _offered(answers),
        }
        return pa.table([columns[field.name] for field in ANSWERS], schema=ANSWERS)


def _top(tops: Sequence[tuple[tuple[str, float], ...]]) -> pa.Array:
    kind = ANSWERS.field("top").type
    sizes = np.fromiter(map(len, tops), np.int64, len(tops))
    pairs = list(chain.from_iterable(tops))
    likely = [text_array([value for value, _ in pairs]), pa.array([share for _, share in pairs], pa.float32())]
    flat = pa.StructArray.from_arrays(likely, fields=[kind.value_type.field(place) for place in (0, 1)])
    return pa.ListArray.from_arrays(pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32()), flat)


def _tokens(usages: Sequence[Usage | None]) -> dict[str, pa.Array]:
    return {
        "tokens_in": pa.array([usage and usage.tokens_in for usage in usages], pa.uint32()),
        "tokens_out": pa.array([usage and usage.tokens_out for usage in usages], pa.uint32()),
    }


def _offered(answers: Sequence[Answer]) -> pa.Array:
    if not any(answer.offered for answer in answers):
        return pa.nulls(len(answers), ANSWERS.field("offered").type)
    whole = [[_whole(choice) for choice in answer.offered] or None for answer in answers]
    return pa.array(whole, ANSWERS.field("offered").type)


def text_array(values: Sequence[str | None]) -> pa.Array:
    """Replies as a column; half a character in one costs that character, not the reply."""
    try:
        return pa.array(values, pa.string())
    except UnicodeEncodeError:
        return pa.array([value and _whole(value) for value in values], pa.string())


def _whole(text: str) -> str:
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def slug(fingerprint: str) -> str:
    """The folder of a model: the readable part of its fingerprint, and a hash of all of it.

    >>> slug("chat gpt/7: be brief")
    'chat-gpt-7-be-brief-37690e4c8fee5300'
    """
    readable = re.sub(r"[^A-Za-z0-9.]+", "-", fingerprint)[:40].strip("-.")
    return f"{readable or 'model'}-{hex_id(content_id(fingerprint))}"


class AnswerLog:
    """The answers of one model. The first read or write waits until no other run of this model holds the lock.

    Use it in a `with`, or call `close` at the end: both write what is gathered and merge the parts of this run. The log
    of a numbered `worker` writes under the lock of the run that it works for, which merges its parts.
    """

    def __init__(
        self,
        storage: Storage,
        fingerprint: str,
        *,
        run: str = "",
        waiting: Callable[[str], None] = lambda holder: None,
        clock: Callable[[], float] = time.monotonic,
        policy: PartPolicy | None = None,
        worker: int = 0,
    ) -> None:
        self.fingerprint, self.run = fingerprint, run or new_run_name()
        self._storage, self._folder = storage, f"{FOLDER}/{slug(fingerprint)}"
        policy = policy or PartPolicy(part_seconds=storage.part_seconds)
        self._waiting, self._clock, self._policy, self._due = waiting, clock, policy, 0.0
        self._rows = AnswerRows(fingerprint)
        self._parts = PartLog(storage, self._folder, FOLDER, self.run, policy, worker)
        self._lock, self._is_worker = ExitStack(), worker > 0
        self._locked = False
        self.written = RowDigest(DIGESTED)  # of the rows that this run has put

    def __enter__(self) -> "AnswerLog":
        self._acquire()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add(self, rows: Iterable[StoredAnswer]) -> None:
        """Gather answers; a part is written once a second (every ten in a bucket) or every 20,000 rows."""
        self._acquire()
        if not len(self._rows):
            self._due = self._clock() + self._policy.part_seconds
        self._rows.extend(rows)
        if len(self._rows) >= self._policy.part_rows or self._clock() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Write the gathered answers as a part."""
        if len(self._rows):
            self._acquire()
            rows = self._rows.drain()
            self._parts.put(rows)
            self.written.update(rows)
            self._parts.compact()

    def missing(self, plan: pa.Table) -> pa.Table:
        """The rows of a plan (query, trial, digest) without a settled answer about that picture file, by anti-join.

        Fastest where the digests of the plan are dictionary-encoded.
        """
        self._acquire()
        self.flush()
        return missing_answers(self._storage, self.fingerprint, plan)

    def adopt(self) -> None:
        """Take over the parts that workers of this run wrote, those of lost ones included."""
        self._acquire()
        self.flush()
        self.written = RowDigest(DIGESTED)
        for rows in self._parts.adopt():
            self.written.update(rows)

    def merge(self) -> None:
        """Merge the parts of this run into few; readers see each answer once at any time."""
        self._parts.merge()

    def close(self) -> None:
        """Write the gathered answers, merge, and release the lock."""
        with self._lock:
            if self._is_worker:
                self.flush()
            elif self._locked:
                self.flush()
                self.merge()
        self._locked = False

    def _acquire(self) -> None:
        if not self._locked and not self._is_worker:
            self._lock.enter_context(self._storage.lease(self._folder, self._waiting))
            self._locked = True
            self._parts.sweep()


def read_answers(
    storage: Storage, fingerprint: str, columns: Sequence[str] | None = None, encoded: Sequence[str] = ()
) -> pa.Table:
    """The answers of a model, one per query and trial: a settled one before a failed one (`joins.standing_answers`).

    Where no query was answered twice, `encoded` columns are dictionaries.
    """
    wanted, folder = list(columns or ANSWERS.names), f"{FOLDER}/{slug(fingerprint)}"
    table = read_parts(storage, folder, FOLDER, list(dict.fromkeys([*wanted, "query", "trial"])), encoded)
    if joins.repeated_rows(table) is not None:
        deciding = dict.fromkeys([*wanted, "query", "trial", "state", "digest"])
        table = read_parts(storage, folder, FOLDER, list(deciding))  # whole, as parts may have been merged since
        table = settle_repeats(table, partial(current_digests, storage))
    return table.select(wanted)


def settle_repeats(table: pa.Table, digests: Callable[[pa.Array], pa.Table]) -> pa.Table:
    """One answer per query and trial; `digests` gives those of the pictures of some queries (query, digest)."""
    repeated = joins.repeated_rows(table)
    if repeated is None:
        return table
    queries = pc.unique(table["query"].filter(pa.array(repeated)))
    return joins.standing_answers(table, repeated, digests(queries))


def missing_answers(storage: Storage, fingerprint: str, plan: pa.Table) -> pa.Table:
    """The rows of a plan without a settled answer of a model, as `AnswerLog.missing` has them; no lock is needed."""
    settled = read_parts(storage, f"{FOLDER}/{slug(fingerprint)}", FOLDER, _SETTLED, encoded=("state", "digest"))
    return joins.unanswered_rows(plan, settled)


def copy_answers(storage: Storage, old: str, new: str, run: str, part: int) -> None:
    """Put the settled answers of one fingerprint into the folder of another, as the part of a run with this number."""
    table = read_answers(storage, old)
    table = table.filter(pc.not_equal(table["state"], State.FAILED.value))
    if table.num_rows:
        names = pa.repeat(pa.scalar(new, pa.string()), table.num_rows)
        table = table.set_column(table.column_names.index("model"), ANSWERS.field("model"), names)
        storage.put(f"{FOLDER}/{slug(new)}/{run}-{part:08}.parquet", to_parquet(table.combine_chunks()))


def verify(
    storage: Storage, table: str = "answers", states: Collection[str] = tuple(State)
) -> Iterator[IntegrityCheck]:
    """Whether every part of a table (of the same name as its folder) can be read and is in the folder of its model."""
    for name in storage.names(f"{table}/"):
        if name.endswith(".parquet"):
            aside = Repair(f"move {name} to {ASIDE}/{name}, which nothing reads", partial(_set_aside, storage, name))
            check = check_readable(name, partial(_checked_part, storage, name, table, states), aside)
            if check.holds or is_listed(storage, name):  # else it was merged since it was listed
                yield check


def _set_aside(storage: Storage, name: str) -> None:
    storage.put(f"{ASIDE}/{name}", storage.get(name))
    storage.delete(name)


def _checked_part(storage: Storage, name: str, table: str, states: Collection[str]) -> None:
    rows = read_parquet(storage, name, table)
    for model in pc.unique(rows["model"]).to_pylist():
        if slug(model) != name.split("/")[1]:
            fact = f"{storage.describe(name)} holds {table} of the model {model!r}"
            raise StoreError(fact, hint=f"move it to the folder {slug(model)}")
    if odd := sorted(set(pc.unique(rows["state"]).to_pylist()) - set(states)):
        fact = f"{storage.describe(name)}: no {table.removesuffix('s')} has the state {odd[0]!r}"
        raise StoreError(fact, hint=f"states: {', '.join(states)}")
