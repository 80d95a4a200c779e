"""Data sets described: the files that are expected, those that are there, and what is in them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, ModelError, SourceError
from counterpoint.core.extras import install_command
from counterpoint.lab.name_lists import name_list
from counterpoint.lab.progress import ProgressCallback, ignore_progress, track
from counterpoint.lab.remote_data import fetch_data
from counterpoint.lab.results import LabResult
from counterpoint.lab.source_items import resolve_source
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.metrics.data_statistics import AnswerSpace
from counterpoint.reports.data_tables import description_tables, description_to_dict, expected_files_table, file_remarks
from counterpoint.reports.tables import ResultTable
from counterpoint.sources.dataset import DataSet
from counterpoint.sources.file_checks import expected_files
from counterpoint.store.outputs import write_whole
from counterpoint.studies.dataset_description import (
    DatasetDescription,
    DescriptionRequest,
    Watch,
    answer_space,
    describe,
    open_split,
)

MODEL, HF = "model:", "hf/"
FORMS = "NAME=FOLDER or NAME:SPLIT=FOLDER, model:NAME, hf/NAME, or a file with one answer a line"
"""What can name an answer space, for help texts."""


@dataclass(frozen=True, slots=True, repr=False)
class ExpectedFiles(LabResult[dict[str, Any]]):
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
        return [expected_files_table(self.dataset)] if self.dataset.files else []

    def write_html(self, path: Path | str) -> None:
        """Raise: there is nothing to chart before files are read."""
        raise CounterpointError("a report needs files", hint="name their folder with --data FOLDER")

    def require_complete(self) -> None:
        """Do nothing: no file was asked for."""

    def notes(self) -> list[str]:
        """Remarks on pictures, rules and splits."""
        dataset, remarks = self.dataset, "\n".join(file_remarks(self.name, self.dataset))
        if dataset.files:
            return [remarks]
        kinds = " or ".join(dataset.read)
        return [f"{dataset.title}: any file with {kinds}; --data names it, or the folder it is in.", remarks]


@dataclass(frozen=True, slots=True, repr=False)
class DataDescription(LabResult[dict[str, Any]]):
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
        return description_tables(self.description, self.top)

    def require_complete(self) -> None:
        """Raise if a needed file is missing or could not be read to its end."""
        for part in self.description.parts:
            if part.problem:
                raise SourceError(part.problem, hint=part.hint)
        if not self.description.whole:
            fact = f"nothing could be read of {self.description.split} of {self.description.title}"
            raise SourceError(fact, hint="the skipped records are listed above, with the reasons")

    def write_html(self, path: Path | str) -> None:
        """Write the description as an HTML file with charts."""
        from counterpoint.reports.data_report import render_data_report  # imports templates

        write_whole(Path(path), render_data_report(self.description, self.top))


def describe_data(
    name: str,
    *,
    data: Path | str | None = None,
    split: str = "",
    kinds: Sequence[str] = (),
    items: int | None = None,
    seed: int = 0,
    rules: str = "",
    columns: Mapping[str, str] | None = None,
    against: Sequence[str] = (),
    top: int = 10,
    progress: ProgressCallback = ignore_progress,
) -> ExpectedFiles | DataDescription:
    """Describe a source: the files that a data set expects, or with `data=FOLDER` (or an address) what is in them.

    By default the first split whose files are complete is read, with all kinds of `items`, and answers are compared by
    the rule set of the data set. `against` names other answer spaces, `top` how many frequent words are shown.

    >>> describe_data("world", items=3, kinds=("scenes",)).records()[0]["items"]
    3
    """
    source, cached = resolve_source(name)
    folder = cached or (None if data is None else fetch_data(data))
    if isinstance(source, DataSet) and folder is None:
        return ExpectedFiles(name, source)
    reading = DescriptionRequest(folder, split, name_list(kinds), items, seed, rules, columns or {})
    opening = open_split(name, source, reading)

    def watch(items: Any, task: str) -> Any:
        return track(items, task, progress)

    spaces = [read_answer_space(typed, opening.rules, watch, opening.split) for typed in name_list(against)]
    return DataDescription(describe(opening, reading, spaces, watch), top)


def read_answer_space(name: str, rules: str, watch: Watch, preferred_split: str = "") -> AnswerSpace:
    """The answers behind a name, made comparable by a rule set; FORMS lists what a name can be."""
    comparable = rule_set(rules).normalize
    if name.startswith(MODEL):
        return AnswerSpace.listed(name, _model_answers(name.removeprefix(MODEL)), comparable)
    if name.startswith(HF):
        return AnswerSpace.listed(name, _classifier_labels(name.removeprefix(HF)), comparable)
    source, equals, folder = name.partition("=")
    source, _, split = source.partition(":")
    if equals or source in catalog.rows("sources"):
        reading = DescriptionRequest(Path(folder) if equals else None, split)
        return _source_answers(source, reading, rules, watch, preferred_split)
    if not Path(name).is_file():
        raise CounterpointError(f"there is no file {name}, and no data set of this name", hint=f"type {FORMS}")
    return AnswerSpace.listed(Path(name).name, _answers_in_file(Path(name)), comparable)


def _source_answers(
    name: str, reading: DescriptionRequest, rules: str, watch: Watch, preferred_split: str
) -> AnswerSpace:
    source, folder = catalog.resolve("sources", name), reading.folder
    if folder is not None and not folder.exists():
        raise SourceError(f"there is no folder {folder}", hint=f"{name}=FOLDER names the folder of its files")
    if isinstance(source, DataSet) and folder is None:
        raise CounterpointError(f"{source.title} is read from files", hint=f"type {name}=FOLDER")
    if not reading.split and isinstance(source, DataSet) and folder and preferred_split in source.splits:
        try:
            source.find_files(folder, preferred_split)
            reading = replace(reading, split=preferred_split)
        except SourceError:
            pass  # another split may be there
    opening = open_split(name, source, reading)
    return answer_space(f"{name}, {opening.split}", opening, rules, watch)


def _model_answers(name: str) -> tuple[str, ...]:
    """The answers that a model of the catalog can give, as its card lists them."""
    if name.startswith(HF):
        return _classifier_labels(name.removeprefix(HF))
    from counterpoint.world.source import World

    model = catalog.model(name, World(scenes=0))
    answers = tuple(getattr(getattr(model, "card", model), "answers", ()))
    if not answers:
        raise ModelError(f"{name} chooses from no list of answers", hint="a file with one answer a line works for any")
    return answers


def _classifier_labels(name: str) -> tuple[str, ...]:
    """The labels of a classifier in a folder or on the hub; its weights are not read."""
    if find_spec("transformers") is None:
        raise ModelError("transformers is not installed", hint=install_command("hf"))
    from counterpoint.models.answer_distributions import read_labels
    from counterpoint.models.hf.checkpoint import Checkpoint

    try:
        return tuple(read_labels(Checkpoint(name), ""))
    except ModelError as problem:
        hint = "only classifiers choose from a list; a file with one answer a line works for any model"
        raise ModelError(str(problem), hint=hint) from problem


def _answers_in_file(path: Path) -> list[str]:
    """The answers in a file: a list or the keys of an object in JSON, else one a line, empty lines skipped."""
    try:
        text = path.read_text("utf-8-sig")
        content = json.loads(text) if path.suffix == ".json" else [line for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as problem:
        raise SourceError(f"{path} cannot be read: {problem}", hint="it should hold one answer a line") from problem
    answers = list(content) if isinstance(content, list | dict) else []
    if not answers or not all(isinstance(answer, str) for answer in answers):
        raise SourceError(f"{path} holds no list of answers", hint="it should hold one answer a line")
    return answers
