"""What a reader left out, and why: counted by reason, the first places listed."""

from collections import Counter
from dataclasses import dataclass, field

from counterpoint.core.errors import SourceError

LISTED = 5
"""How many places of each reason are kept."""
REPEATED = "a repeated id"


@dataclass(slots=True)
class Skips:
    """Records and parts of records that were left out; a reader that was told of none before is as good as new."""

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)
    remedies: dict[str, str] = field(default_factory=dict)

    def skip(self, reason: str, place: str, remedy: str = "") -> None:
        """Count one; reason and remedy are the same for all that are left out for it, the place is its own."""
        self.counts[reason] += 1
        listed = self.places.setdefault(reason, [])
        if len(listed) < LISTED:
            listed.append(place)
            if remedy:
                self.remedies.setdefault(reason, remedy)

    def include(self, other: "Skips") -> None:
        """Count what was left out elsewhere as well."""
        self.counts.update(other.counts)
        for reason, places in other.places.items():
            self.places[reason] = (self.places.get(reason, []) + places)[:LISTED]
        self.remedies = other.remedies | self.remedies

    def problem(self, problem: SourceError) -> None:
        """Count a record that cannot be read; the problem says what is wrong with it, and where it stands."""
        told = f"{problem}: {problem.hint}" if problem.hint else str(problem)
        self.skip("not as the layout has it", told, "the rest is read; if they are many, is it another release?")

    @property
    def total(self) -> int:
        """How many in all."""
        return self.counts.total()

    def lines(self) -> list[str]:
        """A line per reason, the commonest first, with the first places and what helps."""
        return [
            f"{count:,} left out: {reason} ({'; '.join(self.places[reason][:3])}{'; …' if count > 3 else ''})"
            + (f": {self.remedies[reason]}" if reason in self.remedies else "")
            for reason, count in sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))
        ]


def skip_repeated(skips: Skips, place: str) -> None:
    """Count what has the id of something that came before it."""
    skips.skip(REPEATED, place, "the first is kept; was the file put together from others?")
