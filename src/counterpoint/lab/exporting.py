"""A lab as files: a suite in the layout of another tool, and the report with the leaderboard for a paper."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, UnknownName
from counterpoint.core.quantities import counted
from counterpoint.exports.crowd_tasks import CROWD_LAYOUTS, export_crowd_tasks, usual_task
from counterpoint.exports.datasets_folder import ExportedSuite, export_datasets
from counterpoint.exports.hub import check_push, push_folder
from counterpoint.exports.inspect_task import export_inspect
from counterpoint.exports.lmms_task import export_task, task_name
from counterpoint.exports.model_card import write_model_card
from counterpoint.exports.suite_card import CARD, SuiteFacts, suite_license
from counterpoint.exports.vlmevalkit_table import export_vlmevalkit
from counterpoint.lab.gating import GateReport
from counterpoint.lab.leaderboard import leaderboard
from counterpoint.lab.picture_locations import find_worlds
from counterpoint.lab.reader import LabReader
from counterpoint.lab.results import LabResult
from counterpoint.lab.scores import Scores
from counterpoint.lab.suite_probe import read_probe
from counterpoint.reports.lab_report import render_lab_report
from counterpoint.store.lab import LabStore
from counterpoint.store.outputs import output_address, output_path, write_whole
from counterpoint.store.suites import StoredSuite

EXPORT_LAYOUTS: Mapping[str, str] = MappingProxyType(
    {
        "datasets": "A folder of Hugging Face datasets, with a card.",
        "model-card": "The scores of a model as a card of Hugging Face, with a model-index.",
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
    pushed: str = ""  # the address of the commit or pull request on a hub

    def at(self, place: Path | str) -> "ExportReport":
        """The same of the place where it ended up."""
        return replace(self, exported=replace(self.exported, folder=str(place)))

    def to_dict(self) -> dict[str, Any]:
        """Suite, folder, counts and files, with the layout, and where it was pushed to."""
        return asdict(self.exported) | {"layout": self.layout} | ({"pushed": self.pushed} if self.pushed else {})

    def records(self) -> list[dict[str, Any]]:
        """One row."""
        return [self.to_dict() | {"files": ", ".join(self.exported.files)}]

    def notes(self) -> list[str]:
        """How much was written and where, how the other tool loads it, and where it was pushed to."""
        return [*self._written(), *([f"  pushed: {self.pushed}"] if self.pushed else [])]

    def _written(self) -> list[str]:
        if self.layout == "model-card":
            return [f"{self.exported.suite}: {counted(self.exported.rows, 'score')} in {self.exported.folder}/{CARD}"]
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
class WrittenFiles(LabResult[Path | str], rows="files"):
    """The files that were written: paths, or addresses."""

    files: tuple[Path | str, ...]

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
    license_id: str = "",
    push: str = "",
) -> ExportReport:
    """Write a suite as a Hugging Face datasets folder, a task of lmms-eval or Inspect, a table of VLMEvalKit.

    Or as tasks for people. Without `pictures`, a datasets folder has their addresses alone; a task cannot do without.
    """
    if layout not in EXPORT_LAYOUTS or layout == "model-card":
        raise UnknownName("layout", layout, [name for name in EXPORT_LAYOUTS if name != "model-card"])
    if (license_id or push) and layout != "datasets":
        hint = "they go with the layout datasets"
        raise CounterpointError(f"the layout {layout} has no license and no place on a hub", hint=hint)
    if not pictures and layout != "datasets":
        raise CounterpointError(f"the layout {layout} needs pictures", hint="leave them out with --layout datasets")
    if (task or picture_url) and layout not in CROWD_LAYOUTS:
        hint = f"they go with the layouts {', '.join(CROWD_LAYOUTS)}"
        raise CounterpointError(f"the layout {layout} has no task for people and no address of pictures", hint=hint)
    stored = store.suite(suite)
    shown = store.pictures(find_worlds(store, stored.table))
    if layout == "datasets":
        facts = _facts(store, stored, license_id)
        if push and not facts.license:
            hint = "name the one under which pictures and annotations may be passed on: --license cc-by-4.0"
            raise CounterpointError(f"{suite} has no license, so it cannot be pushed", hint=hint)
        if push:
            check_push(push)
        exported = export_datasets(stored, out, shown if pictures else None, facts)
        return ExportReport(layout, exported, push_folder(out, push, "dataset") if push else "")
    if layout in CROWD_LAYOUTS:
        chosen = task or usual_task(stored)
        return ExportReport(layout, export_crowd_tasks(stored, out, shown, layout, chosen, picture_url=picture_url))
    export = {"lmms-eval": export_task, "vlmevalkit": export_vlmevalkit, "inspect": export_inspect}[layout]
    return ExportReport(layout, export(stored, out, shown))


def _facts(store: LabStore, stored: StoredSuite, license_id: str) -> SuiteFacts:
    """What a card says beyond the suite: the claim, the license, and how well text alone does."""
    name = stored.manifest.suite
    try:
        claim = str(catalog.find("suites", name).tests)  # never what a manifest names
    except (CounterpointError, AttributeError):  # a suite of another package, or one written by hand
        claim = ""
    probe = read_probe(store, name)
    sentences = tuple(sentence.rstrip(".") for sentence in probe.sentences()) if probe else ()
    return SuiteFacts(claim, license_id or suite_license(stored.manifest), sentences)


def export_model_card(store: LabStore, model: str, out: Path, scores: Scores, *, push: str = "") -> ExportReport:
    """Write the scores of a model as a card of Hugging Face, and propose it to the repository `push`."""
    rows = scores.leading_rows()
    if not rows:
        raise CounterpointError(f"{model} has no scores", hint=f"counterpoint run {store.address} --model {model}")
    if push:
        check_push(push)
    manifests = {suite: store.manifest(suite) for suite in {row["suite"] for row in rows}}
    files = write_model_card(out, model, rows[0]["fingerprint"], rows, manifests, scores.text("markdown"))
    written = ExportedSuite(model, str(out), len(rows), 0, 0, (out / CARD).stat().st_size, files)
    return ExportReport("model-card", written, push_folder(out, push, "model") if push else "")


def write_report(
    store: LabStore, out: Path | str, *, markdown: bool = False, latex: bool = False, gates: Sequence[GateReport] = ()
) -> WrittenFiles:
    """Write the report, which begins with the verdicts of gates, and the leaderboard beside it as .md and .tex."""
    with output_path(out, overwrite=True) as path:
        if path.suffix in (".md", ".tex", ".pdf"):
            hint = (
                f"name an HTML file, such as {path.stem}.html; --markdown and --latex write the leaderboard beside it"
            )
            raise CounterpointError(f"{out} would hold HTML, since a report is a page", hint=hint)
        texts = {path: render_lab_report(LabReader(store), gates)}
        if markdown or latex:
            board = leaderboard(store)
            texts |= {path.with_suffix(".md"): f"{board.text('markdown')}\n"} if markdown else {}
            texts |= {path.with_suffix(".tex"): f"{board.text('latex')}\n"} if latex else {}
        for file, text in texts.items():
            write_whole(file, text)
    return WrittenFiles(tuple(output_address(out, file) for file in texts))
