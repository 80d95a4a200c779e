"""Votes from files: those of another tool, and those that VALSE was released with."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from counterpoint.core.errors import SourceError, StoreError
from counterpoint.core.ids import hex_id
from counterpoint.core.quantities import counted
from counterpoint.core.votes import ANONYMOUS, Vote, VoteTask
from counterpoint.lab.results import LabResult
from counterpoint.lab.selection import load_groups
from counterpoint.sources.formats.valse import INSTRUMENTS, released_votes
from counterpoint.sources.results.vote_files import read_vote_files
from counterpoint.store.lab import LabStore
from counterpoint.store.votes import all_votes, append_votes

_RELEASED = datetime.fromtimestamp(0, UTC)  # the released files do not say when people voted


@dataclass(frozen=True, slots=True, repr=False)
class VoteImport(LabResult[dict[str, Any]]):
    """What became of the votes of some files."""

    added: int
    known: int  # that the lab had already
    unmatched: int  # on items of no suite of the lab
    lab: str

    def notes(self) -> list[str]:
        """The counts, and the next command."""
        unmatched = f"{counted(self.unmatched, 'vote', 'are')} on groups that no suite of the lab has"
        return [
            f"{counted(self.added, 'vote')} added to {self.lab}; {counted(self.known, verb='were')} there already",
            *([unmatched] if self.unmatched else []),
            f"counterpoint votes {self.lab} counts them",
        ]


def import_votes(store: LabStore, files: Sequence[Path]) -> VoteImport:
    """Add the votes of files to a lab; a vote that it has already is not added again."""
    groups = load_groups(store)
    suites, ids = groups["suite"].to_pylist(), groups["group_id"].to_pylist()
    places: dict[int, list[str]] = {}
    for suite, group in dict.fromkeys(zip(suites, ids, strict=True)):
        places.setdefault(group, []).append(suite)
    votes = list(_read(files, places))
    matched = [vote for vote in votes if vote.suite in places.get(vote.group_id, ())]
    if not matched:
        fact = f"no vote of {', '.join(file.name for file in files)} is on a group of {store.address}"
        raise StoreError(fact, hint="import into the lab from which the tasks were exported, or that has the suite")
    before = {vote.vote for vote in all_votes(store.storage)}
    new = list({vote.vote: vote for vote in matched if vote.vote not in before}.values())
    append_votes(store.storage, new)
    return VoteImport(len(new), len(matched) - len(new), len(votes) - len(matched), store.address)


def _read(paths: Sequence[Path], places: dict[int, list[str]]) -> Iterator[Vote]:
    released = {instrument.file for instrument in INSTRUMENTS}
    others = []
    for path in paths:
        if not path.exists():
            raise SourceError(f"there is no file {path}")
        if path.is_dir() or path.name in released:
            yield from _released(path, places)
        else:
            others.append(path)
    yield from read_vote_files(others)


def _released(path: Path, places: dict[int, list[str]]) -> Iterable[Vote]:
    """The three votes of each released pair, on every suite of the lab that has it; nobody knows who gave them."""
    for group, counts in released_votes(path):
        choices = [choice for choice, number in counts.items() for _ in range(number)]
        for suite in places.get(group.id, ["valse"]):
            for place, choice in enumerate(choices, 1):
                own = "/".join((suite, group.test, hex_id(group.id), str(place), choice))
                number = blake2b(own.encode(), digest_size=16).hexdigest()
                voter, about = f"{ANONYMOUS}{place} of {group.test}", (VoteTask.JUDGE.value, suite, group.id, None)
                yield Vote(number, *about, voter, choice, _RELEASED, note=group.test)
