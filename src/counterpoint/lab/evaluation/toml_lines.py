"""Lines of a TOML file by key, which `tomllib` does not tell, for messages that lead to the place."""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
_KEY = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?")
_PAIR = re.compile(rf"\s*({_DOTTED})\s*=")
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|#.*')
_LONG_TEXT = re.compile(r'"""|\'\'\'')


def find_line(text: str, path: Sequence[str | int], value: object = None) -> int:
    """The line of a key, counted from 1, or that of the nearest table around it; of a list, the line of the value.

    >>> find_line("lab = 'x'\\n[[suites]]\\nsuite = 'order'\\nlimit = 0", ("suites", 0, "limit"))
    4
    >>> find_line("lab = 'x'\\n[[suite]]", ("suite",))
    2
    """
    lines = dict[KeyPath, int]()
    for line, place in _key_lines(text):
        lines.setdefault(place, line)
        if place[-1:] == (0,):  # an array has the line of its first table
            lines.setdefault(place[:-1], line)
    known = [tuple(path[:length]) for length in range(len(path), 0, -1)]
    line = next((lines[place] for place in known if place in lines), 1)
    if isinstance(value, str) and path and isinstance(path[-1], int):
        below = text.splitlines()[line - 1 :]
        line += next((offset for offset, content in enumerate(below) if value in content), 0)
    return line


def show_path(path: Sequence[str | int]) -> str:
    """A path as people write it.

    >>> show_path(("suites", 0, "limit"))
    'suites[0].limit'
    """
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _key_lines(text: str) -> Iterator[tuple[int, KeyPath]]:
    """Every table and key with its line; lines within a value that goes on are none."""
    table: KeyPath = ()
    counts = dict[KeyPath, int]()  # tables of each array so far
    depth, is_open = 0, False
    for number, line in enumerate(text.splitlines(), 1):
        if is_open or depth > 0:
            pair = None
        elif header := _HEADER.fullmatch(line):
            table = _table(header[2], counts, is_new=header[1] == "[[")
            yield number, table
            continue
        else:
            pair = _PAIR.match(line)
        if pair:
            yield number, (*table, *_steps(pair[1]))
        is_open ^= len(_LONG_TEXT.findall(line)) % 2 == 1
        plain = _TEXT.sub("", line[pair.end() :] if pair else line)
        depth += sum(plain.count(sign) for sign in "[{") - sum(plain.count(sign) for sign in "]}")


def _table(dotted: str, counts: dict[KeyPath, int], *, is_new: bool) -> KeyPath:
    """The path of a header, with the number of the table in each array that it is within."""
    path: KeyPath = ()
    steps = _steps(dotted)
    for depth, step in enumerate(steps):
        path = (*path, step)
        if is_new and depth == len(steps) - 1:
            counts[path] = counts.get(path, 0) + 1
        if path in counts:
            path = (*path, counts[path] - 1)
    return path


def _steps(dotted: str) -> list[str]:
    return [step.strip("\"'") for step in re.findall(_KEY, dotted)]
