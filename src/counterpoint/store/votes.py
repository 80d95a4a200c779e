"""Votes at rest: a log of parts to which votes are only added, and the voters who were invited."""

import hmac
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from secrets import token_urlsafe
from threading import Lock

import pyarrow as pa

from counterpoint.core.errors import StoreError
from counterpoint.core.ids import content_id, hex_id
from counterpoint.core.votes import ReviewSettings, Vote, parse_review, standing_votes
from counterpoint.store.folder import (
    FileMissing,
    IntegrityCheck,
    StorageFolder,
    check_readable,
    put_object,
    read_object,
)
from counterpoint.store.parts import DEFAULT_POLICY, PartLog, PartPolicy, new_run_name, read_parts
from counterpoint.store.tables import VOTES, read_parquet

FOLDER = "votes"
VOTERS = "voters"
REVIEWS = "reviews"
_NAME = re.compile(r"[^\x00-\x1f\x7f/\\]{1,80}")


class VoteLog:
    """Adds votes to a lab; several processes may do so at once, under one lock, which is held while a part is put."""

    def __init__(self, storage: StorageFolder, *, run: str = "", policy: PartPolicy = DEFAULT_POLICY) -> None:
        self._storage, self._swept, self._threads = storage, False, Lock()
        self._parts = PartLog(storage, FOLDER, FOLDER, run or new_run_name(), policy)

    def append(self, votes: Sequence[Vote]) -> None:
        """Write votes as one part; when it returns, they are on disk."""
        if not votes:
            return
        with self._threads, self._storage.lock(FOLDER):
            if not self._swept:
                self._parts.sweep()
                self._swept = True
            self._parts.put(votes_table(votes))

    def close(self) -> None:
        """Merge the parts of this log into few; a log to which nothing was added touches nothing."""
        if not self._swept:
            return
        with self._threads, self._storage.lock(FOLDER):
            self._parts.merge()


def append_votes(storage: StorageFolder, votes: Sequence[Vote]) -> None:
    """Write votes as one part, such as those of a file that is imported."""
    VoteLog(storage).append(votes)


def read_votes(storage: StorageFolder, task: str = "", suite: str = "", *, gold_items: bool = False) -> pa.Table:
    """The votes that count, by time, as `standing_votes` settles them; those on gold items only if asked for."""
    votes = standing_votes(all_votes(storage))
    return votes_table(
        vote
        for vote in votes
        if task in ("", vote.task) and suite in ("", vote.suite) and (gold_items or not vote.is_gold_item)
    )


def all_votes(storage: StorageFolder) -> list[Vote]:
    """Every stored vote, repeated and replaced ones included, the oldest part first."""
    return vote_values(read_parts(storage, FOLDER, FOLDER))


def votes_table(votes: Iterable[Vote]) -> pa.Table:
    """Votes as a table."""
    rows = list(votes)
    columns = [pa.array([getattr(vote, field.name) for vote in rows], field.type) for field in VOTES]
    return pa.table(columns, schema=VOTES)


def vote_values(table: pa.Table) -> list[Vote]:
    """The rows of a table of votes."""
    names = [field.name for field in fields(Vote)]
    return [Vote(*row) for row in zip(*(table[name].to_pylist() for name in names), strict=True)]


def put_review(storage: StorageFolder, settings: ReviewSettings) -> None:
    """Store what people vote on in a task; what was stored for the task before is replaced, its votes stay."""
    put_object(storage, f"{REVIEWS}/{settings.task}.json", asdict(settings))


def read_reviews(storage: StorageFolder) -> dict[str, ReviewSettings]:
    """What people vote on, by task."""
    files = [file for file in storage.names(f"{REVIEWS}/") if file.endswith(".json")]
    reviews = [_review(storage, file) for file in files]
    return {settings.task: settings for settings in reviews}


def _review(storage: StorageFolder, file: str) -> ReviewSettings:
    try:
        return parse_review(read_object(storage, file))
    except ValueError as problem:
        fact = f"{storage.path(file)} holds no review: {problem}"
        raise StoreError(fact, hint="restore the file from a copy, or set up the task again") from problem


def verify(storage: StorageFolder) -> Iterator[IntegrityCheck]:
    """Whether every part of votes, every voter and every review can be read."""
    for name in storage.names(f"{REVIEWS}/"):
        yield check_readable(name, partial(_review, storage, name))
    for name in storage.names(f"{FOLDER}/"):
        if name.endswith(".parquet"):
            yield check_readable(name, partial(read_parquet, storage, name, FOLDER))
    for name in storage.names(f"{VOTERS}/"):
        yield check_readable(name, partial(_voter, storage, name))


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
    storage: StorageFolder, name: str, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> tuple[Voter, str]:
    """Store a voter; returns it with the secret of a new link. A link of the same name that was made before ends."""
    if not _NAME.fullmatch(name) or name != name.strip():
        raise StoreError(f"{name!r} cannot be a voter's name", hint="up to 80 letters, digits and blanks")
    secret = token_urlsafe(18)
    voter = Voter(name, _hash(secret), now().isoformat(timespec="seconds"))
    put_object(storage, _voter_file(name), asdict(voter))
    return voter, secret


def read_voters(storage: StorageFolder) -> dict[str, Voter]:
    """The voters that were invited, by name."""
    voters = {}
    for file in storage.names(f"{VOTERS}/"):
        if file.endswith(".json"):
            with suppress(FileMissing):  # deleted after it was listed
                voter = _voter(storage, file)
                voters[voter.name] = voter
    return dict(sorted(voters.items()))


def find_voter(storage: StorageFolder, name: str, secret: str) -> Voter | None:
    """The voter of this name, if the secret is that of the link."""
    with suppress(FileMissing):
        voter = _voter(storage, _voter_file(name))
        return voter if voter.name == name and voter.accepts(secret) else None
    return None


def _voter(storage: StorageFolder, file: str) -> Voter:
    content = read_object(storage, file)
    names = [field.name for field in fields(Voter)]
    for name in names:
        if not isinstance(content.get(name), str):
            fact = f"{storage.path(file)}: {name} is {content.get(name)!r}"
            raise StoreError(fact, hint="restore the file from a copy, or invite the voter again")
    return Voter(**{name: content[name] for name in names})


def _voter_file(name: str) -> str:
    return f"{VOTERS}/{hex_id(content_id(name))}.json"


def _hash(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
