"""From what a model said to a value that can be compared: named rules, each a pure function of text."""

from collections.abc import Sequence

from counterpoint.core.answers import Answer
from counterpoint.core.groups import Query


def answered(raw: str, query: Query, *, rule: str = "auto", top: Sequence[tuple[str, float]] = ()) -> Answer:
    """The answer to a query, its value taken from the raw text by a rule."""
    return Answer.of(raw, value=raw.strip().strip(".").lower(), rule="exact", top=tuple(top))
