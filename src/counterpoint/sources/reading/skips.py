"""Skipped records, counted by reason, with the first places of each."""

from collections import Counter
from dataclasses import dataclass, field

from counterpoint.core.errors import SourceError

LISTED = 5
"""How many places of each reason are kept."""
REPEATED = "a repeated id"


@dataclass(slots=True)
class Skips:
    """Counts of skipped records and parts of records, with places and remedies by reason.

    As a context it counts a record that cannot be read, whose SourceError ends there.
    """

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    remedies: dict[str, str] = field(default_factory=dict)

    def __enter__(self) -> "Skips":
        return self

    def __exit__(self, kind: object, problem: BaseException | None, traceback: object) -> bool:
        if isinstance(problem, SourceError):
            self.problem(problem)
            return True
        return False

    def skip(self, reason: str, place: str, remedy: str = "") -> None:
        """Count a skipped record; reason and remedy are shared, the place is that of the record."""
        self.counts[reason] += 1
        listed = self.places.setdefault(reason, [])
        if len(listed) < LISTED:
            listed.append(place)
            if remedy:
                self.remedies.setdefault(reason, remedy)

    def include(self, other: "Skips") -> None:
        """Add the counts of another reader."""
        self.counts.update(other.counts)
        for reason, places in other.places.items():
            self.places[reason] = (self.places.get(reason, []) + places)[:LISTED]
        self.remedies = other.remedies | self.remedies

    def problem(self, problem: SourceError) -> None:
        """Count a record that cannot be read; the error tells its place and what is wrong."""
        message = f"{problem}: {problem.hint}" if problem.hint else str(problem)
        self.skip("not as the layout has it", message, "the rest is read; if they are many, is it another release?")

    @property
    def total(self) -> int:
        """How many in all."""
        return self.counts.total()

    def lines(self) -> list[str]:
        """A line per reason, the most frequent first, with the first places and the remedy."""
        return [
            f"{count:,} skipped: {reason} ({'; '.join(self.places[reason][:3])}{'; …' if count > 3 else ''})"
            + (f": {self.remedies[reason]}" if reason in self.remedies else "")
            for reason, count in sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))
        ]


def skip_repeated(skips: Skips, place: str) -> None:
    """Count a record with the id of an earlier one."""
    skips.skip(REPEATED, place, "the first is kept; was the file put together from others?")
