"""Result tables as people want them: padded text for a terminal, Markdown, LaTeX."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

_LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
}


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A title, the heads of the columns and the cells as text; the first columns name a row, the others are numbers."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    names: int = 1  # how many columns name a row

    def plain(self) -> str:
        """Columns padded to their widest cell, never cut off."""
        lines = [self.heads, *self.rows]
        wide = [max(len(line[column]) for line in lines) for column in range(len(self.heads))]
        shown = ["  ".join(self._padded(line, wide)).rstrip() for line in lines]
        return "\n".join([self.title, "", shown[0], "-" * max(map(len, shown)), *shown[1:]])

    def markdown(self) -> str:
        """A table of GitHub's Markdown."""
        rule = ["---" if column < self.names else "---:" for column in range(len(self.heads))]
        lines = [self.heads, rule, *self.rows]
        shown = (f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
        return "\n".join([f"**{self.title}**", "", *shown])

    def latex(self) -> str:
        """A tabular with the rules of the package booktabs."""
        sides = "l" * self.names + "r" * (len(self.heads) - self.names)
        heads, *rows = (" & ".join(map(_escaped, line)) + r" \\" for line in [self.heads, *self.rows])
        inner = "\n".join([r"\toprule", heads, r"\midrule", *rows, r"\bottomrule"])
        return f"% {self.title}\n\\begin{{tabular}}{{{sides}}}\n{inner}\n\\end{{tabular}}"

    def _padded(self, line: Sequence[str], wide: Sequence[int]) -> list[str]:
        return [
            cell.ljust(width) if column < self.names else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, wide, strict=True))
        ]


TABLE_FORMATS: Mapping[str, Callable[[ResultTable], str]] = MappingProxyType(
    {"plain": ResultTable.plain, "markdown": ResultTable.markdown, "latex": ResultTable.latex}
)
"""How a sheet can be printed."""


def percent(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A share in per cent, with its interval where it has one; a dash where there is none.

    >>> percent(0.678, 0.65, 0.702), percent(None)
    ('67.8 (65.0–70.2)', '–')
    """
    if value is None:
        return "–"
    return f"{100 * value:.1f}" + ("" if low is None or high is None else f" ({100 * low:.1f}–{100 * high:.1f})")


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)
