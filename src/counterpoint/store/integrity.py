"""Integrity checks of a suite or a lab."""

from collections.abc import Callable
from dataclasses import dataclass

from counterpoint.core.errors import StoreError


@dataclass(frozen=True, slots=True)
class IntegrityCheck:
    """One requirement of a suite or a lab, whether it holds, and what was found."""

    place: str
    name: str
    holds: bool
    found: str = ""
    hint: str = ""


def check_readable(place: str, reading: Callable[[], object]) -> IntegrityCheck:
    """Whether a file can be read."""
    try:
        reading()
    except StoreError as problem:
        return IntegrityCheck(place, "readable", False, str(problem), problem.hint)
    return IntegrityCheck(place, "readable", True)
