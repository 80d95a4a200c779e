"""Leases at rest: what was handed out and not voted on yet, so that a server that is started again knows it."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from counterpoint.core.votes import VotedItem, voted_item
from counterpoint.review.assignment import LEASE_SECONDS


class LeaseJournal:
    """A file of lines in the cache, one for each item that a voter was given.

    It is not synced: it outlives the process and not the machine, and without it an item may get a vote too many.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path, self._clock = path, clock
        self._known: set[tuple[str, VotedItem]] = set()

    @classmethod
    def of(cls, cache: Path, place: str, task: str) -> "LeaseJournal":
        """The journal of a task of the lab at a place."""
        digest = blake2b(place.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
        return cls(cache / "leases" / f"{digest}-{task}.jsonl")

    def read(self) -> Iterator[tuple[str, VotedItem]]:
        """The leases that have not ended, the oldest first; a line that a kill cut is left out."""
        with suppress(OSError):
            for line in self._path.read_text("utf-8", "replace").splitlines():
                with suppress(ValueError, TypeError):
                    since, voter, *item = json.loads(line)
                    if self._clock() - since < LEASE_SECONDS:
                        yield str(voter), voted_item(*item)

    def rewrite(self, leases: Iterable[tuple[str, VotedItem]]) -> None:
        """Keep these alone."""
        self._known = set()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        for voter, item in leases:
            self.add(voter, [item])

    def add(self, voter: str, items: Iterable[VotedItem]) -> None:
        """Write that a voter was given items; those that are known are not written again."""
        new = [item for item in items if (voter, item) not in self._known]
        if not new:
            return
        self._known |= {(voter, item) for item in new}
        lines: list[list[Any]] = [[self._clock(), voter, *item] for item in new]
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write("".join(f"{json.dumps(line)}\n" for line in lines))
