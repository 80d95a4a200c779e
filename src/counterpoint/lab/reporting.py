"""The report of a lab as files: one HTML page, and the leaderboard for a paper."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from counterpoint.core.errors import StoreError
from counterpoint.lab.leaderboard import leaderboard
from counterpoint.lab.reader import LabReader
from counterpoint.lab.results import LabResult
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.store.lab import LabStore


@dataclass(frozen=True, slots=True, repr=False)
class WrittenFiles(LabResult[Path]):
    """The files that were written."""

    _rows: ClassVar[str] = "files"

    files: tuple[Path, ...]

    def records(self) -> list[dict[str, Any]]:
        """One row per file."""
        return [{"file": str(path)} for path in self.files]

    def notes(self) -> list[str]:
        """One sentence per file."""
        return [f"{path} is written" for path in self.files]


def write_report(store: LabStore, out: Path, *, markdown: bool = False, latex: bool = False) -> WrittenFiles:
    """Write the report, and the leaderboard beside it with the suffixes .md and .tex."""
    texts = {out: render_lab_report(LabReader(store))}
    if markdown or latex:
        board = leaderboard(store)
        texts |= {out.with_suffix(".md"): f"{board.text('markdown')}\n"} if markdown else {}
        texts |= {out.with_suffix(".tex"): f"{board.text('latex')}\n"} if latex else {}
    for path, text in texts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", errors="backslashreplace")
        except OSError as problem:
            raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from problem
    return WrittenFiles(tuple(texts))
