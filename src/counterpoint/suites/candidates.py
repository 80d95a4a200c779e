"""Candidates for groups: what a sampler needs to know, and a function that builds the group if it is kept."""

from collections.abc import Callable
from dataclasses import dataclass

from counterpoint.core.groups import Group


@dataclass(frozen=True, slots=True)
class Candidate:
    """A group before its variants are built: its kind, the id and best answer of its base, and the tags of the base."""

    kind: str
    number: int
    answer: str
    tags: tuple[tuple[str, str], ...]
    make: Callable[[], Group]  # pure: all random draws were made before

    @classmethod
    def of(cls, group: Group) -> "Candidate":
        """The candidate for a group that is built already."""
        gold = group.gold[0]
        answer = gold.best if gold and gold.answers else ""
        return cls(group.kind, group.base.id, answer, group.tags[0] if group.tags else (), lambda: group)
