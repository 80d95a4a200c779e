"""Data sets described: the files that are expected, those that are there, and what is in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, SourceError, StoreError
from counterpoint.lab.answer_spaces import read_answer_space
from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.lab.results import LabResult
from counterpoint.reports.data_tables import description_blocks, description_to_dict, expected_file_blocks
from counterpoint.reports.tables import ResultTable
from counterpoint.sources.dataset import DataSet
from counterpoint.sources.file_checks import expected_files
from counterpoint.studies.dataset_description import DatasetDescription, DescriptionRequest, describe, open_split


@dataclass(frozen=True, slots=True)
class DescribeRequest:
    """Which split of which source is described, and with what its answers are compared."""

    name: str  # of a source
    data: Path | None = None  # the folder or file of a data set; without it the expected files are described
    split: str = ""  # by default the first split whose files are complete
    kinds: tuple[str, ...] = ()  # scenes, questions, …; by default all there are
    items: int | None = None  # of each kind, drawn by the seed; None reads all
    seed: int = 0
    rules: str = ""  # the rule set by which answers are compared; by default that of the data set
    columns: Mapping[str, str] = field(default_factory=dict)
    against: tuple[str, ...] = ()  # other answer spaces
    top: int = 10  # of the most frequent words that are shown


@dataclass(frozen=True, slots=True, repr=False)
class ExpectedFiles(LabResult):
    """The files that a data set expects in one folder."""

    name: str
    dataset: DataSet

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        dataset = self.dataset
        files = [
            {
                "part": file.part,
                "file": file.name,
                "also": list(file.others),
                "splits": list(file.splits),
                "kinds": list(file.kinds),
                "needed": file.needed,
                "from": file.origin,
            }
            for file in expected_files(dataset)
        ]
        return {
            "name": dataset.name,
            "title": dataset.title,
            "kinds": list(dataset.read),
            "splits": list(dataset.splits),
            "withheld": list(dataset.withheld),
            "rules": dataset.rules,
            "files": files,
            "pictures": {"folders": list(dataset.pictures), "holding": list(dataset.holds), "from": dataset.origin},
        }

    def records(self) -> list[dict[str, Any]]:
        """One row per file."""
        return list(self.to_dict()["files"])

    def tables(self) -> list[ResultTable]:
        """The files with their splits."""
        return [block for block in expected_file_blocks(self.name, self.dataset) if isinstance(block, ResultTable)]

    def write_html(self, path: Path) -> None:
        """Raise: there is nothing to chart before files are read."""
        raise CounterpointError("a report needs files", hint="name their folder with --data FOLDER")

    def require_complete(self) -> None:
        """Do nothing: no file was asked for."""

    def notes(self) -> list[str]:
        """Remarks on pictures, rules and splits."""
        return [block for block in expected_file_blocks(self.name, self.dataset) if isinstance(block, str)]


@dataclass(frozen=True, slots=True, repr=False)
class DataDescription(LabResult):
    """What is in one split of a source."""

    description: DatasetDescription
    top: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; shares are from 0 to 1."""
        return description_to_dict(self.description, self.top)

    def records(self) -> list[dict[str, Any]]:
        """One row per kind of items."""
        names = ("items", "pictures", "problem")
        return [{"kind": kind} | {name: row[name] for name in names} for kind, row in self.to_dict()["kinds"].items()]

    def tables(self) -> list[ResultTable]:
        """Files, counts, the most frequent words, and overlaps with other answer spaces; remarks become notes."""
        tables: list[ResultTable] = []
        for block in description_blocks(self.description, self.top):
            if isinstance(block, ResultTable):
                tables.append(block)
            elif block:
                tables[-1] = replace(tables[-1], note="\n".join(filter(None, [tables[-1].note, block])))
        return tables

    def require_complete(self) -> None:
        """Raise if a needed file is missing or could not be read to its end."""
        for part in self.description.parts:
            if part.problem:
                raise SourceError(part.problem, hint=part.hint)
        if not self.description.whole:
            fact = f"nothing could be read of {self.description.split} of {self.description.title}"
            raise SourceError(fact, hint="the skipped records are listed above, with the reasons")

    def write_html(self, path: Path) -> None:
        """Write the description as an HTML file with charts."""
        from counterpoint.reports.data_report import render_data_report  # imports templates

        text = render_data_report(self.description, self.top)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", errors="backslashreplace")
        except OSError as problem:
            raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from problem


def describe_source(
    request: DescribeRequest, progress: ProgressCallback = ignore_progress
) -> ExpectedFiles | DataDescription:
    """Describe a split of a source; of a data set without a folder, the files that it expects."""
    known, _, on_hub = request.name.partition("/")
    source = catalog.find("sources", known if on_hub else request.name)
    data = Path(on_hub) if on_hub else request.data
    if isinstance(source, DataSet) and data is None:
        return ExpectedFiles(request.name, source)
    reading = DescriptionRequest(
        data, request.split, request.kinds, request.items, request.seed, request.rules, request.columns
    )
    opening = open_split(request.name, source, reading)

    def watch(items: Any, task: str) -> Any:
        return track(items, task, progress)

    spaces = [read_answer_space(typed, opening.rules, watch, opening.split) for typed in request.against]
    return DataDescription(describe(opening, reading, spaces, watch), request.top)
