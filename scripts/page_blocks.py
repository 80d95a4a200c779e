"""The blocks of a page: what a reader types, and what it shows as printed. The standard library alone is needed."""

import re
from collections.abc import Iterable, Iterator

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIES = re.compile(r"…|\d{4}-\d{2}-\d{2}|\bin \d+ s\b|127\.0\.0\.1")
"""Lines with an ellipsis, a date, a duration or a server are not compared."""

FRACTION = re.compile(r"\d+\.\d+")


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
        if not VARIES.search(expected) and not any(is_same_line(expected, line) for line in rest):
            return expected
    return None


def is_same_line(shown: str, printed: str) -> bool:
    """Whether lines are equal, but for the last digits of fractions, which may differ by one.

    Probabilities of a model depend on the processor, and with them, now and then, the last digit of a figure.

    >>> is_same_line("ece  2.5 (1.6–3.6)  720", "ece  2.5 (1.7–3.6)  720")
    True
    >>> is_same_line("ece  2.5 (1.6–3.6)  720", "ece  2.5 (1.6–3.6)  721")
    False
    >>> is_same_line("2.5", "2.7"), is_same_line("2.5 %", "2.5")
    (False, False)
    """
    if shown.rstrip() == printed.rstrip():
        return True
    if FRACTION.sub("", shown).rstrip() != FRACTION.sub("", printed).rstrip():
        return False
    pairs = zip(FRACTION.findall(shown), FRACTION.findall(printed), strict=True)
    return all(_places(one) == _places(other) and abs(_digits(one) - _digits(other)) <= 1 for one, other in pairs)


def _places(fraction: str) -> int:
    return len(fraction.partition(".")[2])


def _digits(fraction: str) -> int:
    return int(fraction.replace(".", ""))
