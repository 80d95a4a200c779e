"""A lab as files: a suite in the layout of another tool, and the report with the leaderboard for a paper."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from counterpoint.core.errors import CounterpointError, StoreError, UnknownName
from counterpoint.core.quantities import counted
from counterpoint.exports.crowd_tasks import CROWD_LAYOUTS, export_crowd_tasks, usual_task
from counterpoint.exports.datasets_folder import ExportedSuite, export_datasets
from counterpoint.exports.inspect_task import export_inspect
from counterpoint.exports.lmms_task import export_task, task_name
from counterpoint.exports.vlmevalkit_table import export_vlmevalkit
from counterpoint.lab.leaderboard import leaderboard
from counterpoint.lab.picture_locations import find_worlds
from counterpoint.lab.reader import LabReader
from counterpoint.lab.results import LabResult
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.store.lab import LabStore

EXPORT_LAYOUTS: Mapping[str, str] = MappingProxyType(
    {
        "datasets": "A folder of Hugging Face datasets.",
        "lmms-eval": "A task of lmms-eval.",
        "vlmevalkit": "A table of VLMEvalKit.",
        "inspect": "A task of Inspect.",
        "label-studio": "Tasks for people in Label Studio.",
        "mturk": "Tasks for people on Mechanical Turk.",
        "form": "A table of tasks for people, for any form.",
    }
)
"""What a suite can be written as, with a description."""


@dataclass(frozen=True, slots=True, repr=False)
class ExportReport(LabResult[dict[str, Any]]):
    """What was written, in which layout."""

    layout: str
    exported: ExportedSuite

    def to_dict(self) -> dict[str, Any]:
        """Suite, folder, counts and files, with the layout."""
        return asdict(self.exported) | {"layout": self.layout}

    def records(self) -> list[dict[str, Any]]:
        """One row."""
        return [self.to_dict() | {"files": ", ".join(self.exported.files)}]

    def notes(self) -> list[str]:
        """How much was written and where, and how the other tool loads it."""
        suite, folder, size = self.exported.suite, self.exported.folder, f"{self.exported.bytes / 2**20:,.1f} MB"
        pictures = counted(self.exported.pictures, "picture")
        rows = f"{suite}: {counted(self.exported.rows, 'row')} with {pictures}, {size}, in {folder}"
        if self.layout == "datasets":
            return [rows, f'  load it with datasets.load_dataset("{folder}", split="test")']
        if self.layout == "vlmevalkit":
            return [rows, f"  LMUData={folder} python run.py --data {task_name(suite)} --model …"]
        if self.layout in CROWD_LAYOUTS:
            votes = "votes are read by counterpoint votes LAB --import FILE"
            return [rows, f"  {', '.join(self.exported.files)}; {votes}"]
        if self.layout == "inspect":
            return [rows, f"  inspect eval {folder}/{task_name(suite)}.py --model …"]
        return [rows, f"  cd {folder} && lmms-eval --include_path . --tasks {task_name(suite)} --log_samples …"]


@dataclass(frozen=True, slots=True, repr=False)
class WrittenFiles(LabResult[Path], rows="files"):
    """The files that were written."""

    files: tuple[Path, ...]

    def records(self) -> list[dict[str, Any]]:
        """One row per file."""
        return [{"file": str(path)} for path in self.files]

    def notes(self) -> list[str]:
        """One sentence per file."""
        return [f"{path} is written" for path in self.files]


def export_suite(
    store: LabStore,
    suite: str,
    layout: str,
    out: Path,
    *,
    pictures: bool = True,
    task: str = "",
    picture_url: str = "",
) -> ExportReport:
    """Write a suite as a Hugging Face datasets folder, a task of lmms-eval or Inspect, a table of VLMEvalKit.

    Or as tasks for people. Without `pictures`, a datasets folder has their addresses alone; a task cannot do without.
    """
    if layout not in EXPORT_LAYOUTS:
        raise UnknownName("layout", layout, tuple(EXPORT_LAYOUTS))
    if not pictures and layout != "datasets":
        raise CounterpointError(f"the layout {layout} needs pictures", hint="leave them out with --layout datasets")
    if (task or picture_url) and layout not in CROWD_LAYOUTS:
        hint = f"they go with the layouts {', '.join(CROWD_LAYOUTS)}"
        raise CounterpointError(f"the layout {layout} has no task for people and no address of pictures", hint=hint)
    stored = store.suite(suite)
    shown = store.pictures(find_worlds(store, stored.table))
    if layout == "datasets":
        return ExportReport(layout, export_datasets(stored, out, shown if pictures else None))
    if layout in CROWD_LAYOUTS:
        chosen = task or usual_task(stored)
        return ExportReport(layout, export_crowd_tasks(stored, out, shown, layout, chosen, picture_url=picture_url))
    export = {"lmms-eval": export_task, "vlmevalkit": export_vlmevalkit, "inspect": export_inspect}[layout]
    return ExportReport(layout, export(stored, out, shown))


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
