"""Groups that are not made yet: enough of each to decide whether it is kept, and how to make it then."""

from collections.abc import Callable
from dataclasses import dataclass

from counterpoint.core.groups import Group


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group before its variants: its kind, the id of its base, the best answer to that, and its tags."""

    kind: str
    number: int
    answer: str
    tags: tuple[tuple[str, str], ...]
    make: Callable[[], Group]  # pure: whatever luck it needs was drawn before

    @classmethod
    def of(cls, group: Group) -> "Candidate":
        """A draft of a group that is made already."""
        gold = group.gold[0]
        answer = gold.best if gold and gold.answers else ""
        return cls(group.kind, group.base.id, answer, group.tags[0] if group.tags else (), lambda: group)
