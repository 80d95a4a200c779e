"""Suites whose foils a masked language model may propose: the gaps that it is shown, and what becomes of its words."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from counterpoint.suites.suite import ItemT, StatisticsT, Suite

GAP = "[MASK]"
"""What stands for the words that are left out."""
Proposals: TypeAlias = Mapping[str, Collection[str]]
"""What would fit into a text with a gap, in small letters, by that text."""


class Gap(NamedTuple):
    """A text with a gap, and what stands there; what stands in the gaps of a source is all that may be proposed."""

    text: str
    said: str


@dataclass(frozen=True, slots=True)
class Proposable(Suite[ItemT, StatisticsT]):
    """A suite that takes its foils from what others say, or from what a masked language model proposes."""

    gaps: Callable[[ItemT], Iterable[Gap]] = field(kw_only=True)  # the texts of an item with a gap each
    filled: Callable[[Proposals], Suite[Any, Any]] = field(kw_only=True)  # the same suite, with what was proposed
    most: int = 10  # proposals of each length for a gap
    longest: int = 1  # words of a proposal
