"""Result tables as padded text for a terminal, Markdown, LaTeX and HTML."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan
from textwrap import wrap
from types import MappingProxyType

_LATEX = {sign: f"\\{sign}" for sign in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "−": "$-$",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar{}",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "×": r"$\times$",
    "→": r"$\to$",
}
_MINUS = re.compile(r"(?<![\w.)])-(?=\.?\d)")  # of a negative number; in an interval TeX would join it to the dash
_MARKDOWN = re.compile(r"[\\|*`\[\]<>]|(?<!\w)_|_(?!\w)")  # an underscore within a word is not emphasis
_NAME, _HEAD = "text-align:left", "text-align:right"
_NUMBER = "text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums"


@dataclass(frozen=True, slots=True)
class TableCell:
    """A value with a detail in smaller type, such as its interval, and a hint that HTML shows on hover."""

    text: str
    detail: str = ""
    is_bold: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A title, column heads and cells; the first `names` columns name a row and the others hold numbers.

    `spans` are heads above the number columns, each with how many columns it covers; `note` follows the table.
    `plain_heads` replace the heads in a terminal, where width is scarce.
    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str | TableCell]]
    names: int = 1
    spans: Sequence[tuple[str, int]] = ()
    note: str = ""
    plain_heads: Sequence[str] = ()

    def plain(self, width: int = 0) -> str:
        """Columns padded to their widest cell, never cut off; rows below each other where they are wider than that."""
        lines = [self._flat_heads(self.plain_heads or self.heads), *(list(map(_plain_cell, row)) for row in self.rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.heads))]
        padded = ["  ".join(self._padded(line, widths)).rstrip() for line in lines]
        table = "\n".join([padded[0], "-" * max(map(len, padded)), *padded[1:]])
        if width and max(map(len, padded)) > width:
            table = "\n".join(self._stacked(lines[0], row, width) for row in lines[1:])
        prose = [wrap_line(text, width) if width else text for text in (self.title, self.note)]
        return "\n\n".join(filter(None, [prose[0], table, prose[1]]))

    def _stacked(self, heads: Sequence[str], row: Sequence[str], width: int) -> str:
        """A row in lines: what names it, then each number that it has, with its head."""
        name = wrap_line("  ".join(filter(None, row[: self.names])), width)
        numbers = zip(heads[self.names :], row[self.names :], strict=True)
        return "\n".join([name, *(wrap_line(f"    {head}: {value}", width) for head, value in numbers if value)])

    def markdown(self) -> str:
        """A table in GitHub's Markdown."""
        rule = ["---" if column < self.names else "---:" for column in range(len(self.heads))]
        lines = [list(map(_escape_markdown, self._flat_heads(self.heads))), rule]
        lines += [list(map(_markdown_cell, row)) for row in self.rows]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        note = "\n".join(f"*{_escape_markdown(line)}*" for line in self.note.splitlines())
        return "\n\n".join(filter(None, [f"**{self.title}**" if self.title else "", table, note]))

    def latex(self) -> str:
        """A tabular with the rules of the package booktabs."""
        alignment = "l" * self.names + "r" * (len(self.heads) - self.names)
        rows = [list(map(_escape_latex, self.heads)), *(list(map(_latex_cell, row)) for row in self.rows)]
        heads, *body = (" & ".join(row) + r" \\" for row in rows)
        spans = [f"\\multicolumn{{{columns}}}{{c}}{{{_escape_latex(text)}}}" for text, columns in self.spans]
        above = [" & ".join([*[""] * self.names, *spans]) + r" \\"] if spans else []
        inner = "\n".join([r"\toprule", *above, heads, r"\midrule", *body, r"\bottomrule"])
        comment = " ".join(self.title.split())
        note = "".join(f"\n% {line}" for line in self.note.splitlines())
        return f"% {comment}\n\\begin{{tabular}}{{{alignment}}}\n{inner}\n\\end{{tabular}}{note}"

    def html(self) -> str:
        """A `<table>` element that needs no style sheet: for notebooks and reports."""
        spans = "".join(
            f'<th colspan="{columns}" style="{_NAME if columns > 1 else _HEAD}">{escape(text)}</th>'
            for text, columns in self.spans
        )
        above = f'<tr><th colspan="{self.names}"></th>{spans}</tr>' if spans else ""
        heads = self._html_row(self.heads, "th")
        body = "\n".join(self._html_row(row, "td") for row in self.rows)
        caption = f'<caption style="text-align:left">{escape(self.title)}</caption>' if self.title else ""
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        return f"<table>{caption}<thead>{above}{heads}</thead>\n<tbody>{body}</tbody></table>{note}"

    def _flat_heads(self, heads: Sequence[str]) -> list[str]:
        """The heads of a format without spanning cells: each with the span above it."""
        above = [text for text, columns in self.spans for _ in range(columns)] or [""] * (len(heads) - self.names)
        joined = (f"{text} {head}".strip() for text, head in zip(above, heads[self.names :], strict=True))
        return [*heads[: self.names], *joined]

    def _padded(self, line: Sequence[str], widths: Sequence[int]) -> list[str]:
        return [
            cell.ljust(width) if column < self.names else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]

    def _html_row(self, cells: Sequence[str | TableCell], tag: str) -> str:
        styles = [_NAME] * self.names + [_HEAD if tag == "th" else _NUMBER] * (len(cells) - self.names)
        return f"<tr>{''.join(_html_cell(cell, tag, style) for cell, style in zip(cells, styles, strict=True))}</tr>"


def wrap_line(text: str, width: int) -> str:
    """Every line in lines of at most so many characters; those that follow are indented, and no figure loses its unit.

    >>> print(wrap_line("Right in 43 % of 60 groups\\n2 rejected", 12))
    Right in
      43 % of 60
      groups
    2 rejected
    """
    bound = text.replace(" %", "\N{NO-BREAK SPACE}%").replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    wrapped = [row for line in bound.split("\n") for row in _wrap(line, width) or [""]]
    return "\n".join(wrapped).replace("\N{NO-BREAK SPACE}", " ")


def _wrap(line: str, width: int) -> list[str]:
    margin = " " * (len(line) - len(line.lstrip()) + 2)
    return wrap(line, width, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False)


TABLE_FORMATS: Mapping[str, Callable[[ResultTable], str]] = MappingProxyType(
    {"plain": ResultTable.plain, "markdown": ResultTable.markdown, "latex": ResultTable.latex}
)
"""The formats in which a command prints a table."""


def percent(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A share in per cent, with its interval where it has one; a dash where there is none.

    >>> percent(0.678, 0.65, 0.702), percent(None), percent(float("nan"))
    ('67.8 (65.0–70.2)', '–', '–')
    """
    return _plain_cell(percent_cell(None if value is None or isnan(value) else value, low, high))


def p_text(p: float | None) -> str:
    """A p value with three decimals; a dash where there is none.

    >>> p_text(0.0312), p_text(0.00001), p_text(None)
    ('0.031', '<0.001', '–')
    """
    return "–" if p is None or isnan(p) else f"{p:.3f}" if p >= 0.001 else "<0.001"


def percent_cell(
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    is_bold: bool = False,
    hint: str = "",
) -> TableCell:
    """A share in per cent as a cell, its interval as the detail.

    >>> percent_cell(0.678, 0.65, 0.702, is_bold=True)
    TableCell(text='67.8', detail='65.0–70.2', is_bold=True, hint='')
    """
    if value is None:
        return TableCell("–", hint=hint)
    interval = "" if low is None or high is None else f"{100 * low:.1f}–{100 * high:.1f}"
    return TableCell(f"{100 * value:.1f}", interval, is_bold, hint)


def _plain_cell(cell: str | TableCell) -> str:
    if isinstance(cell, str):
        return cell
    text = f"{cell.text} ({cell.detail})" if cell.detail else cell.text
    return f"{text}*" if cell.is_bold else text  # plain text has no bold


def _markdown_cell(cell: str | TableCell) -> str:
    if isinstance(cell, str):
        return _escape_markdown(cell)
    text = _escape_markdown(cell.text)
    return (f"**{text}**" if cell.is_bold else text) + (f" ({_escape_markdown(cell.detail)})" if cell.detail else "")


def _latex_cell(cell: str | TableCell) -> str:
    if isinstance(cell, str):
        return _escape_latex(cell)
    text, detail = _escape_latex(cell.text), _escape_latex(cell.detail)
    return (f"\\textbf{{{text}}}" if cell.is_bold else text) + (f" {{\\scriptsize {detail}}}" if detail else "")


def _html_cell(cell: str | TableCell, tag: str, style: str) -> str:
    if isinstance(cell, str):
        return f'<{tag} style="{style}">{escape(cell)}</{tag}>'
    text = f"<b>{escape(cell.text)}</b>" if cell.is_bold else escape(cell.text)
    detail = f" <small>{escape(cell.detail)}</small>" if cell.detail else ""
    hint = f' title="{escape(cell.hint)}"' if cell.hint else ""
    return f'<{tag} style="{style}"{hint}>{text}{detail}</{tag}>'


def _escape_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.split()))


def _escape_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in _MINUS.sub("−", " ".join(text.split())))
