"""What a reader left out, and why: counted by reason, the first places listed."""

from collections import Counter
from dataclasses import dataclass, field

from counterpoint.core.errors import SourceError

LISTED = 5
"""How many places of each reason are kept."""


@dataclass(slots=True)
class Skips:
    """Records and parts of records that were left out; a reader that was told of none before is as good as new."""

    counts: Counter[str] = field(default_factory=Counter)
    places: dict[str, list[str]] = field(default_factory=dict)

    def skip(self, reason: str, place: str) -> None:
        """Count one; the reason is the same for all that are left out for it, the place is its own."""
        self.counts[reason] += 1
        listed = self.places.setdefault(reason, [])
        if len(listed) < LISTED:
            listed.append(place)

    def problem(self, problem: SourceError) -> None:
        """Count a record that cannot be read; the problem says what is wrong with it, and where it stands."""
        self.skip("not as the layout has it", str(problem))

    @property
    def total(self) -> int:
        """How many in all."""
        return self.counts.total()

    def lines(self) -> list[str]:
        """A line per reason, the commonest first, with the first places."""
        return [
            f"{count:,} left out: {reason} ({'; '.join(self.places[reason][:3])}{'; …' if count > 3 else ''})"
            for reason, count in sorted(self.counts.items(), key=lambda row: (-row[1], row[0]))
        ]
