"""Answer spaces by what people type: a data set with its folder, a model with a list of answers, a file of answers."""

import json
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
"""What can be typed."""


def space_of(typed: str, rules: str, watch: Watch, like: str = "") -> AnswerSpace:
    """The answers that are meant, made comparable by a rule set; `like` is the split to prefer where none is typed."""
    comparable = rule_set(rules).comparable
    name, equals, folder = typed.partition("=")
    if typed.startswith(MODEL):
        return AnswerSpace.listed(typed, _said_by(typed.removeprefix(MODEL)), comparable)
    if typed.startswith(HF):
        return AnswerSpace.listed(typed, _labels(typed.removeprefix(HF)), comparable)
    name, _, split = name.partition(":")
    if equals or name in catalog.rows("sources"):
        return _data(typed, name, split, Path(folder) if equals else None, rules, watch, like)
    if not Path(typed).is_file():
        raise CounterpointError(f"there is no file {typed}, and no data set of this name", hint=f"type {FORMS}")
    return AnswerSpace.listed(Path(typed).name, _lines(Path(typed)), comparable)


def _data(typed: str, name: str, split: str, folder: Path | None, rules: str, watch: Watch, like: str) -> AnswerSpace:
    found = catalog.find("sources", name)
    if folder is not None and not folder.exists():
        raise SourceError(f"there is no folder {folder}", hint=f"{typed} should name the folder of its files")
    if isinstance(found, DataSet) and folder is None:
        raise CounterpointError(f"{found.title} is read from files", hint=f"type {name}=FOLDER")
    if not split and isinstance(found, DataSet) and folder is not None and like in found.splits:
        try:
            found.found(folder, like)
            split = like
        except SourceError:
            pass  # another split may be there
    opening = open_split(name, found, DescriptionRequest(folder, split))
    return answer_space(f"{name}, {opening.split}", opening, rules, watch)


def _said_by(name: str) -> tuple[str, ...]:
    """The answers that a model of the catalog can give, as its card lists them."""
    if name.startswith(HF):
        return _labels(name.removeprefix(HF))
    from counterpoint.world.source import World

    made = catalog.model(name, World(scenes=0))
    listed = tuple(getattr(getattr(made, "card", made), "answers", ()))
    if not listed:
        raise ModelError(f"{name} chooses from no list of answers", hint="a file with one answer a line works for any")
    return listed


def _labels(name: str) -> tuple[str, ...]:
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


def _lines(path: Path) -> list[str]:
    """The answers in a file: a list or the keys of an object in JSON, else one a line, empty lines left out."""
    try:
        text = path.read_text("utf-8-sig")
        found = json.loads(text) if path.suffix == ".json" else [line for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as problem:
        raise SourceError(f"{path} cannot be read: {problem}", hint="it should hold one answer a line") from problem
    listed = list(found) if isinstance(found, list | dict) else []
    if not listed or not all(isinstance(answer, str) for answer in listed):
        raise SourceError(f"{path} holds no list of answers", hint="it should hold one answer a line")
    return listed
