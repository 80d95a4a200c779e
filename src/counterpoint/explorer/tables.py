"""Result tables for papers: the leaderboard in Markdown and in LaTeX."""

from collections.abc import Callable, Iterable, Iterator

from counterpoint.explorer.views import Cell, Leaderboard

NOTE = (
    "Share of pairs, in per cent, with 95 % intervals over pictures. What is bold cannot be told apart from the best "
    "of its column by a paired test at 5 % after Holm’s correction."
)

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def markdown(board: Leaderboard) -> str:
    """A table in Markdown: per cent with the interval, ties with the best in bold, a dash where nothing applies."""
    heads = ["Model", *(f"{column.test or column.suite} {column.term or column.label}" for column in board.columns)]
    lines = [_row(map(_plain, heads)), _row(["---", *("---:" for _ in board.columns)])]
    for line in board.lines:
        lines.append(_row([_plain(line.model), *(_shown(cell, _bold) for cell in line.cells)]))
    return "".join(f"{line}\n" for line in (*lines, "", NOTE))


def latex(board: Leaderboard) -> str:
    """A table in LaTeX, for the package booktabs; each cell has its interval in small figures."""
    return "".join(f"{line}\n" for line in _latex(board))


def _latex(board: Leaderboard) -> Iterator[str]:
    yield "% needs \\usepackage{booktabs}"
    yield f"\\begin{{tabular}}{{l{'r' * len(board.columns)}}}"
    yield "\\toprule"
    yield (
        " & ".join(["", *(f"\\multicolumn{{{head.columns}}}{{c}}{{{_tex(head.label)}}}" for head in board.heads)])
        + r" \\"
    )
    yield " & ".join(["Model", *(_tex(column.term or column.label) for column in board.columns)]) + r" \\"
    yield "\\midrule"
    for line in board.lines:
        cells = (
            _shown(cell, lambda text: f"\\textbf{{{text}}}", small="{{\\scriptsize {}}}", dash="--")
            for cell in line.cells
        )
        yield " & ".join([_tex(line.model), *cells]) + r" \\"
    yield "\\bottomrule"
    yield "\\end{tabular}"


def _shown(cell: Cell, bold: Callable[[str], str], *, small: str = "({})", dash: str = "–") -> str:
    if cell.value is None or cell.low is None or cell.high is None:
        return dash
    value = f"{100 * cell.value:.1f}"
    span = f"{100 * cell.low:.1f}{dash}{100 * cell.high:.1f}"
    return f"{bold(value) if cell.tie else value} {small.format(span)}"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _bold(text: str) -> str:
    return f"**{text}**"


def _plain(text: str) -> str:
    """Text that cannot end a cell, a line, or be taken for a mark."""
    return "".join(f"\\{sign}" if sign in "\\|*_`[]<>" else sign for sign in " ".join(text.split()))


def _tex(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in " ".join(text.split()))
