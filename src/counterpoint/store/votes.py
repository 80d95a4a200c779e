"""Votes at rest: a log of parts to which votes are only added, and the voters who were invited."""

import hmac
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b, sha256
from secrets import token_urlsafe
from threading import Lock
from typing import Any

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.quantities import counted
from counterpoint.core.votes import GoldCorrection, ReviewSettings, Vote, parse_review, standing_votes
from counterpoint.store.documents import (
    IntegrityCheck,
    Repair,
    check_document,
    check_readable,
    is_listed,
    put_object,
    read_object,
)
from counterpoint.store.parts import (
    DEFAULT_POLICY,
    PartLog,
    PartPolicy,
    list_parts,
    new_run_name,
    part_number,
    read_parts,
)
from counterpoint.store.storage import FileMissing, Storage
from counterpoint.store.tables import VOTES, read_parquet

FOLDER = "votes"
COUNTS = f"{FOLDER}/written.json"
MAX_WRITERS = 16
"""The last writers whose next parts are known; one that is forgotten says it again."""
CHECKS_MEANWHILE = 100
"""How often the votes are compared with their digest while somebody votes."""
VOTERS = "voters"
REVIEWS = "reviews"
_NAME = re.compile(r"[^\x00-\x1f\x7f/\\]{1,80}")


class VoteLog:
    """Adds votes to a lab; several processes may do so at once, under one lock, which is held while a part is put."""

    def __init__(self, storage: Storage, *, run: str = "", policy: PartPolicy = DEFAULT_POLICY) -> None:
        self._storage, self._swept, self._threads, self._run = storage, False, Lock(), run or new_run_name()
        self._parts = PartLog(storage, FOLDER, FOLDER, self._run, policy)

    def append(self, votes: Sequence[Vote]) -> None:
        """Write votes as one part; when it returns, they are on disk."""
        if not votes:
            return
        with self._threads, self._storage.lease(FOLDER):
            if not self._swept:
                self._parts.sweep()
                self._swept = True
            counts, run, number = read_counts(self._storage), self._run, self._parts.next_number
            if counts.next_parts.get(run) != number:  # the first vote, or one that could not be counted before this one
                counts = settle_counts(self._storage).with_writer(run, number)
                _put_counts(self._storage, counts)
            table = votes_table(votes)
            self._parts.put(table)
            _put_counts(self._storage, counts.with_part(run, number, VoteDigest.of(table)))
            self._parts.compact()

    def close(self) -> None:
        """Merge the parts of this log into few; a log to which nothing was added touches nothing."""
        if not self._swept:
            return
        with self._threads, self._storage.lease(FOLDER):
            self._parts.merge()


@dataclass(frozen=True, slots=True)
class VoteDigest:
    """The number of stored votes, and the sum of the digests of their rows, 128 bits of BLAKE2b each.

    A sum depends neither on parts nor on their order, so that an append adds its own rows, and what is missing or
    altered stays missing or altered after further votes.
    """

    rows: int = 0
    digest: int = 0

    @classmethod
    def of(cls, table: pa.Table) -> "VoteDigest":
        """The digest of the votes in a table."""
        lines = (json.dumps(_digested(row), sort_keys=True, default=str).encode() for row in table.to_pylist())
        digests = (blake2b(line, digest_size=16).digest() for line in lines)
        return cls(table.num_rows, sum(map(int.from_bytes, digests)) % (1 << 128))

    def __add__(self, other: "VoteDigest") -> "VoteDigest":
        return VoteDigest(self.rows + other.rows, (self.digest + other.digest) % (1 << 128))


def _digested(row: dict[str, Any]) -> dict[str, Any]:
    """A row without the column that votes of earlier releases do not have, where it says nothing."""
    return row if row["corrections"] else {name: value for name, value in row.items() if name != "corrections"}


@dataclass(frozen=True, slots=True)
class VoteCounts:
    """Which votes were written: their digest, and for each of the last writers the number of its next part.

    A part is counted after it is put, so that of each writer that was killed one part may not be counted yet: the one
    with its next number.
    """

    written: VoteDigest = field(default_factory=VoteDigest)
    next_parts: Mapping[str, int] = field(default_factory=dict)

    def is_counted(self, name: str) -> bool:
        """Whether a part is under the digest."""
        run, number = part_number(name)
        return number < self.next_parts.get(run, number + 1)

    def with_part(self, run: str, number: int, digest: VoteDigest) -> "VoteCounts":
        """With one more part of a writer."""
        return VoteCounts(self.written + digest, {**self.next_parts, run: number + 1})

    def with_writer(self, run: str, number: int) -> "VoteCounts":
        """With one more writer, where all parts are counted; the oldest of many is forgotten, and comes back itself."""
        others = sorted(own for own in self.next_parts if own != run)[-MAX_WRITERS:]
        return replace(self, next_parts={own: self.next_parts[own] for own in others} | {run: number})


def settle_counts(storage: Storage) -> VoteCounts:
    """What is written, with what killed writers put and did not count; call it under the lease of the votes.

    A lab of an earlier release is counted as it is.
    """
    counts = read_counts(storage)
    for name in list_parts(storage, FOLDER):
        if not storage.has(COUNTS) or not counts.is_counted(name):
            digest = VoteDigest.of(read_parquet(storage, name, FOLDER))
            counts = counts.with_part(*part_number(name), digest)
    return counts


def read_counts(storage: Storage) -> VoteCounts:
    """Which votes were written; none where no release has counted them."""
    if not storage.has(COUNTS):
        return VoteCounts()
    content = read_object(storage, COUNTS)
    rows, digest, parts = content.get("rows"), content.get("digest"), content.get("next_parts", {})
    if (
        isinstance(rows, int)
        and isinstance(digest, str)
        and re.fullmatch("[0-9a-f]{32}", digest)
        and isinstance(parts, dict)
        and all(isinstance(number, int) for number in parts.values())
    ):
        return VoteCounts(VoteDigest(rows, int(digest, 16)), parts)
    raise StoreError(f"{storage.describe(COUNTS)} holds no digest of votes", hint="restore the file from a copy")


def _put_counts(storage: Storage, counts: VoteCounts) -> None:
    written = {"rows": counts.written.rows, "digest": f"{counts.written.digest:032x}"}
    put_object(storage, COUNTS, written | {"next_parts": dict(counts.next_parts)})


def append_votes(storage: Storage, votes: Sequence[Vote]) -> None:
    """Write votes as one part, such as those of a file that is imported."""
    VoteLog(storage).append(votes)


def read_votes(storage: Storage, task: str = "", suite: str = "", *, gold_items: bool = False) -> pa.Table:
    """The votes that count, by time, as `standing_votes` settles them; those on gold items only if asked for."""
    votes = standing_votes(all_votes(storage))
    return votes_table(
        vote
        for vote in votes
        if task in ("", vote.task) and suite in ("", vote.suite) and (gold_items or not vote.is_gold_item)
    )


def all_votes(storage: Storage) -> list[Vote]:
    """Every stored vote, repeated and replaced ones included, the oldest part first."""
    return vote_values(read_parts(storage, FOLDER, FOLDER))


def votes_version(storage: Storage) -> str:
    """A text that changes whenever votes are added."""
    return " ".join(storage.names(f"{FOLDER}/"))


def votes_table(votes: Iterable[Vote]) -> pa.Table:
    """Votes as a table."""
    rows = list(votes)
    columns = [pa.array([_cell(vote, field.name) for vote in rows], field.type) for field in VOTES]
    return pa.table(columns, schema=VOTES)


def _cell(vote: Vote, column: str) -> object:
    return list(map(asdict, vote.corrections)) or None if column == "corrections" else getattr(vote, column)


def vote_values(table: pa.Table) -> list[Vote]:
    """The rows of a table of votes."""
    columns = {own.name: table[own.name].to_pylist() for own in fields(Vote)}
    columns["corrections"] = [tuple(GoldCorrection(**own) for own in wrong or ()) for wrong in columns["corrections"]]
    return [Vote(*row) for row in zip(*columns.values(), strict=True)]


def put_review(storage: Storage, settings: ReviewSettings) -> None:
    """Store what people vote on in a task; what was stored for the task before is replaced, its votes stay."""
    put_object(storage, f"{REVIEWS}/{settings.task}.json", asdict(settings))


def read_reviews(storage: Storage) -> dict[str, ReviewSettings]:
    """What people vote on, by task."""
    files = [file for file in storage.names(f"{REVIEWS}/") if file.endswith(".json")]
    reviews = [_review(storage, file) for file in files]
    return {settings.task: settings for settings in reviews}


def _review(storage: Storage, file: str) -> ReviewSettings:
    try:
        return parse_review(read_object(storage, file))
    except ValueError as problem:
        fact = f"{storage.describe(file)} holds no review: {problem}"
        raise StoreError(fact, hint="restore the file from a copy, or set up the task again") from problem


def verify(storage: Storage) -> Iterator[IntegrityCheck]:
    """Whether every part of votes, every voter and every review can be read, and no vote is missing or altered."""
    for name in storage.names(f"{REVIEWS}/"):
        yield check_document(storage, name, partial(_review, storage, name))
    parts = [name for name in storage.names(f"{FOLDER}/") if name.endswith(".parquet")]
    readable = [check_readable(name, partial(read_parquet, storage, name, FOLDER)) for name in parts]
    readable = [check for check in readable if check.holds or is_listed(storage, check.place)]  # others were merged
    yield from readable
    if storage.has(COUNTS) and all(check.holds for check in readable):
        yield _check_counts(storage)
    for name in storage.names(f"{VOTERS}/"):
        yield check_document(storage, name, partial(_voter, storage, name))


def _check_counts(storage: Storage) -> IntegrityCheck:
    """Whether the votes are those that were written; a mismatch counts where nobody wrote meanwhile."""
    keep = Repair(f"write into {COUNTS} which votes are left", partial(_keep_votes, storage))
    read = check_readable(COUNTS, partial(read_counts, storage), keep)
    if not read.holds:
        return read
    found = VoteDigest()
    for _ in range(CHECKS_MEANWHILE):
        before, counts = _state(storage), read_counts(storage)
        try:
            found = _digest_parts(storage, filter(counts.is_counted, list_parts(storage, FOLDER)))
        except FileMissing:  # merged since they were listed
            continue
        if found == counts.written:
            return IntegrityCheck(FOLDER, "votes", True)
        if _state(storage) == before:
            break
    lost = counts.written.rows - found.rows
    all_votes = counted(counts.written.rows, "vote")
    fact = f"{lost:,} of {all_votes} are missing" if lost > 0 else "votes were altered or added"
    return IntegrityCheck(FOLDER, "votes", False, fact, "restore the files from a copy", keep)


def _state(storage: Storage) -> tuple[bytes, list[str]]:
    """What changes whenever votes are added or merged."""
    return storage.get(COUNTS), storage.names(f"{FOLDER}/")


def _digest_parts(storage: Storage, parts: Iterable[str]) -> VoteDigest:
    return sum((VoteDigest.of(read_parquet(storage, name, FOLDER)) for name in parts), VoteDigest())


def _keep_votes(storage: Storage) -> None:
    with storage.lease(FOLDER):
        _put_counts(storage, VoteCounts(_digest_parts(storage, list_parts(storage, FOLDER))))


@dataclass(frozen=True, slots=True)
class Voter:
    """A person who was invited to vote; the lab holds a hash of the secret in the link, and not the secret."""

    name: str
    secret_sha256: str
    created: str

    def accepts(self, secret: str) -> bool:
        """Whether this is the secret of the voter's link, compared in constant time."""
        return hmac.compare_digest(self.secret_sha256, _hash(secret))


def invite_voter(
    storage: Storage, name: str, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> tuple[Voter, str]:
    """Store a voter; returns it with the secret of a new link. A link of the same name that was made before ends."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise StoreError(f"{name!r} cannot be a voter's name", hint="up to 80 letters, digits and blanks")
    secret = token_urlsafe(18)
    voter = Voter(name, _hash(secret), now().isoformat(timespec="seconds"))
    put_object(storage, _voter_file(name), asdict(voter))
    return voter, secret


def read_voters(storage: Storage) -> dict[str, Voter]:
    """The voters that were invited, by name."""
    voters = {}
    for file in storage.names(f"{VOTERS}/"):
        if file.endswith(".json"):
            with suppress(FileMissing):  # deleted after it was listed
                voter = _voter(storage, file)
                voters[voter.name] = voter
    return dict(sorted(voters.items()))


def find_voter(storage: Storage, name: str, secret: str) -> Voter | None:
    """The voter of this name, if the secret is that of the link."""
    with suppress(FileMissing):
        voter = _voter(storage, _voter_file(name))
        return voter if voter.name == name and voter.accepts(secret) else None
    return None


def _voter(storage: Storage, file: str) -> Voter:
    content = read_object(storage, file)
    names = [field.name for field in fields(Voter)]
    for name in names:
        if not isinstance(content.get(name), str):
            fact = f"{storage.describe(file)}: {name} is {content.get(name)!r}"
            raise StoreError(fact, hint="restore the file from a copy, or invite the voter again")
    return Voter(**{name: content[name] for name in names})


def _voter_file(name: str) -> str:
    return f"{VOTERS}/{hex_id(content_id(name))}.json"


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
