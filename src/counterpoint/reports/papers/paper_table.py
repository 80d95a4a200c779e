"""A table as a paper prints it: names, numbers with their intervals, and what is to be known beside them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PaperCell:
    """One number, from 0 to 1 unless it is a count; or a word in its place, such as "not run"."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    said: str = ""

    @classmethod
    def printed(cls, percent: float | None) -> "PaperCell":
        """A number of the paper, which prints per cent and no interval."""
        return NOT_APPLICABLE if percent is None else cls(percent / 100)

    @classmethod
    def counted(cls, count: int) -> "PaperCell":
        """How many there are."""
        return cls(said=f"{count:,}", n=count)


NOT_APPLICABLE = PaperCell(said="–")
NOT_RUN = PaperCell(said="not run")


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A row: by what names it goes, its cells, and whether the numbers are the paper's own."""

    names: tuple[str, ...]
    cells: tuple[PaperCell, ...]
    printed: bool = False


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A whole table under the number that it has in the paper."""

    label: str  # "1", "figure-2"
    title: str
    names: tuple[str, ...]  # heads of the columns that name a row
    heads: tuple[str, ...]
    lines: tuple[PaperRow, ...]
    notes: tuple[str, ...] = ()

    @property
    def plain(self) -> dict[str, Any]:
        """As JSON has it: a cell is its number with both ends, or the word in its place."""
        return {
            "table": self.label,
            "title": self.title,
            "notes": list(self.notes),
            "rows": [
                dict(zip(self.names, line.names, strict=True))
                | {"printed": line.printed}
                | {head: _plain(cell) for head, cell in zip(self.heads, line.cells, strict=True)}
                for line in self.lines
            ],
        }


def _plain(cell: PaperCell) -> Any:
    if cell.value is None:
        return cell.said if cell.n is None else cell.n
    ends = {} if cell.low is None else {"low": cell.low, "high": cell.high, "n": cell.n}
    return {"value": cell.value, **ends}
