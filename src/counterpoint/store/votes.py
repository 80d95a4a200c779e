"""Votes at rest: a log of parts to which votes are only added, and the voters who were invited."""

import hmac
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b, sha256
from secrets import token_urlsafe
from threading import Lock

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.quantities import counted
from counterpoint.core.votes import ReviewSettings, Vote, parse_review, standing_votes
from counterpoint.store.documents import (
    IntegrityCheck,
    Repair,
    check_document,
    check_readable,
    put_object,
    read_object,
)
from counterpoint.store.parts import DEFAULT_POLICY, PartLog, PartPolicy, new_run_name, parts_by_run, read_parts
from counterpoint.store.storage import FileMissing, Storage
from counterpoint.store.tables import VOTES, read_parquet

FOLDER = "votes"
DIGEST = f"{FOLDER}/written.json"
VOTERS = "voters"
REVIEWS = "reviews"
_NAME = re.compile(r"[^\x00-\x1f\x7f/\\]{1,80}")


class VoteLog:
    """Adds votes to a lab; several processes may do so at once, under one lock, which is held while a part is put."""

    def __init__(self, storage: Storage, *, run: str = "", policy: PartPolicy = DEFAULT_POLICY) -> None:
        self._storage, self._swept, self._threads = storage, False, Lock()
        self._parts = PartLog(storage, FOLDER, FOLDER, run or new_run_name(), policy)

    def append(self, votes: Sequence[Vote]) -> None:
        """Write votes as one part; when it returns, they are on disk."""
        if not votes:
            return
        with self._threads, self._storage.lease(FOLDER):
            if not self._swept:
                self._parts.sweep()
                settle_digest(self._storage)
                self._swept = True
            table = votes_table(votes)
            self._parts.put(table)
            _put_digest(self._storage, _read_digest(self._storage) + VoteDigest.of(table))

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
        lines = (json.dumps(row, sort_keys=True, default=str).encode() for row in table.to_pylist())
        digests = (blake2b(line, digest_size=16).digest() for line in lines)
        return cls(table.num_rows, sum(map(int.from_bytes, digests)) % (1 << 128))

    def __add__(self, other: "VoteDigest") -> "VoteDigest":
        return VoteDigest(self.rows + other.rows, (self.digest + other.digest) % (1 << 128))


def settle_digest(storage: Storage) -> None:
    """Count what a killed writer put without counting it; a lab of an earlier release is counted as it is."""
    known = _read_digest(storage) if storage.has(DIGEST) else VoteDigest.of(_all_rows(storage))
    _put_digest(storage, known + _uncounted(storage, known))


def _uncounted(storage: Storage, known: VoteDigest) -> VoteDigest:
    """The last votes of the one run, if any, that was killed between putting them and counting them."""
    found = VoteDigest.of(_all_rows(storage))
    for names in parts_by_run(storage, FOLDER).values() if found.rows > known.rows else ():
        rows = pa.concat_tables([read_parquet(storage, name, FOLDER) for name in names])
        last = VoteDigest.of(rows.slice(max(rows.num_rows - (found.rows - known.rows), 0)))
        if known + last == found:
            return last
    return VoteDigest()


def _all_rows(storage: Storage) -> pa.Table:
    return read_parts(storage, FOLDER, FOLDER)


def _read_digest(storage: Storage) -> VoteDigest:
    content = read_object(storage, DIGEST)
    rows, digest = content.get("rows"), content.get("digest")
    if not isinstance(rows, int) or not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{32}", digest):
        raise StoreError(f"{storage.describe(DIGEST)} holds no digest of votes", hint="restore the file from a copy")
    return VoteDigest(rows, int(digest, 16))


def _put_digest(storage: Storage, digest: VoteDigest) -> None:
    put_object(storage, DIGEST, {"rows": digest.rows, "digest": f"{digest.digest:032x}"})


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
    return vote_values(_all_rows(storage))


def votes_version(storage: Storage) -> str:
    """A text that changes whenever votes are added."""
    return " ".join(storage.names(f"{FOLDER}/"))


def votes_table(votes: Iterable[Vote]) -> pa.Table:
    """Votes as a table."""
    rows = list(votes)
    columns = [pa.array([getattr(vote, field.name) for vote in rows], field.type) for field in VOTES]
    return pa.table(columns, schema=VOTES)


def vote_values(table: pa.Table) -> list[Vote]:
    """The rows of a table of votes."""
    names = [field.name for field in fields(Vote)]
    return [Vote(*row) for row in zip(*(table[name].to_pylist() for name in names), strict=True)]


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
    yield from readable
    if storage.has(DIGEST) and all(check.holds for check in readable):
        yield _check_digest(storage)
    for name in storage.names(f"{VOTERS}/"):
        yield check_document(storage, name, partial(_voter, storage, name))


def _check_digest(storage: Storage) -> IntegrityCheck:
    """Whether the votes are those that were written."""
    found = VoteDigest.of(_all_rows(storage))
    keep = Repair(f"write into {DIGEST} which votes are left", partial(_put_digest, storage, found))
    read = check_readable(DIGEST, partial(_read_digest, storage), keep)
    if not read.holds:
        return read
    known = _read_digest(storage)
    if found == known + _uncounted(storage, known):
        return IntegrityCheck(FOLDER, "votes", True)
    lost = known.rows - found.rows
    fact = f"{lost:,} of {counted(known.rows, 'vote')} are missing" if lost > 0 else "votes were altered or added"
    return IntegrityCheck(FOLDER, "votes", False, fact, "restore the files from a copy", keep)


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
