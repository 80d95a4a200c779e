"""What a suite or a lab must satisfy, one thing at a time."""

from collections.abc import Callable
from dataclasses import dataclass

from counterpoint.core.errors import StoreError


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a suite or a lab must satisfy, whether it does, and what was found."""

    place: str
    name: str
    holds: bool
    found: str = ""
    hint: str = ""


def tried(place: str, reading: Callable[[], object]) -> Check:
    """Whether something can be read."""
    try:
        reading()
    except StoreError as problem:
        return Check(place, "readable", False, str(problem), problem.hint)
    return Check(place, "readable", True)
