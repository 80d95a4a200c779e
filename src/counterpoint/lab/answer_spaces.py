"""Answer spaces by name: those of a data set with its folder, of a classifier, or of a file of answers."""

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from counterpoint import catalog
from counterpoint.core.errors import CounterpointError, ModelError, SourceError
from counterpoint.language.answers.rule_sets import rule_set
from counterpoint.metrics.answer_spaces import AnswerSpace
from counterpoint.sources.dataset import DataSet
from counterpoint.studies.dataset_description import DescriptionRequest, Watch, answer_space, open_split

MODEL, HF = "model:", "hf/"
FORMS = "NAME=FOLDER or NAME:SPLIT=FOLDER, model:NAME, hf/NAME, or a file with one answer a line"
"""What can be named, for help texts."""


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
    source, folder = catalog.find("sources", name), reading.folder
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
        raise ModelError("transformers is not installed", hint="pip install 'counterpoint[hf]'")
    from counterpoint.models.hf.checkpoint import Checkpoint
    from counterpoint.models.hf.labels import read_labels

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
