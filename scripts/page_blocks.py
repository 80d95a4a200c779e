"""The blocks of a page: what a reader types, and what it shows as printed. The standard library alone is needed."""

import re
from collections.abc import Iterable, Iterator

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"…|\d{4}-\d{2}-\d{2}|\bin \d+ s\b|127\.0\.0\.1")
"""Lines with an ellipsis, a date, a duration or a server are not compared."""


def shown_commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Every command of a `console` block, with the lines that it prints.

    >>> list(shown_commands("$ make demo\\n$ counterpoint ls lab\\nnothing\\n"))
    [('$ make demo', []), ('$ counterpoint ls lab', ['nothing'])]
    """
    lines = text.splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start], lines[start + 1 : end]


def missing_line(shown: Iterable[str], printed: Iterable[str]) -> str | None:
    """The first shown line that is not among the printed ones, which come in the same order.

    >>> missing_line(["b", "d"], ["a", "b", "c"])
    'd'
    """
    rest = iter(printed)
    for expected in filter(None, shown):
        if not VARIES.search(expected) and expected.rstrip() not in (line.rstrip() for line in rest):
            return expected
    return None
