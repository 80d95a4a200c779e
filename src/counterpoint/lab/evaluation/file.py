"""Reading of evaluation files: every fault names the file, the line and the key, and suggests what was meant."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args, get_type_hints

from msgspec import ValidationError, convert

from counterpoint.core.errors import CounterpointError, StoreError, UnknownName, shorten
from counterpoint.core.mismatches import Mismatch
from counterpoint.lab.evaluation.file_checks import settings_checks
from counterpoint.lab.evaluation.settings import (
    EvaluationSettings,
    GateSettings,
    ModelSettings,
    PredictionSettings,
    SuiteSettings,
)
from counterpoint.lab.evaluation.toml_lines import KeyPath, find_line, show_path

FILE, PROJECT = "counterpoint.toml", "pyproject.toml"
"""Where an evaluation is written down: a file of its own, or a table of a project's file."""
TABLE = ("tool", "counterpoint")
_TABLES: Mapping[str, type] = {
    "suites": SuiteSettings,
    "models": ModelSettings,
    "predictions": PredictionSettings,
    "gates": GateSettings,
}
_SECRETS = ("api-key",)
"""Keys whose values are taken from the environment, and never shown."""


@dataclass(frozen=True, slots=True)
class TomlFile:
    """The text of a file with its content: that of the file, or of a table of it."""

    path: Path
    text: str
    content: Mapping[str, Any]
    prefix: tuple[str, ...] = ()

    def fault(self, place: Sequence[str | int], fact: str, *, hint: str = "") -> CounterpointError:
        """An error about a key, with its line."""
        line = find_line(self.text, (*self.prefix, *place), self.value(place))
        key = f", {show_path(place)}" if place else ""
        return CounterpointError(f"{self.path}, line {line}{key}: {fact}", hint=hint)

    def value(self, place: Sequence[str | int]) -> Any:
        """What stands at a key; None where there is nothing."""
        value: Any = self.content
        for step in place:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value


def find_file(given: Path | str | None = None, folder: Path | None = None) -> Path:
    """The file that is given, in a folder the one there, else that of the working directory."""
    place = Path(given) if given is not None else folder or Path()
    if not place.is_dir():
        return place
    own, project = place / FILE, place / PROJECT
    if own.exists():
        return own
    if project.exists() and _counterpoint_table(project) is not None:
        return project
    fact = f"{place.resolve().name or place} has no {FILE}, and no {PROJECT} with a table [tool.counterpoint]"
    raise StoreError(fact, hint="counterpoint init writes one; init --demo one that runs at once")


def _counterpoint_table(project: Path) -> Any:
    return read_toml(project).content.get("tool", {}).get("counterpoint")


def read_toml(path: Path) -> TomlFile:
    """A file of TOML."""
    try:
        return parse_toml(path, path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8"
        raise StoreError(f"{path} cannot be read: {reason}", hint="counterpoint init writes a file") from problem


def parse_toml(path: Path, text: str) -> TomlFile:
    """The TOML of a file whose text is at hand."""
    try:
        return TomlFile(path, text, tomllib.loads(text))
    except tomllib.TOMLDecodeError as problem:
        reason, _, place = str(problem).rpartition(" (at ")
        where = f", {place.removesuffix(')')}" if reason else ""
        raise StoreError(f"{path}{where}: {reason or problem}", hint="it is not TOML, see https://toml.io") from None


def read_settings(file: TomlFile) -> tuple[TomlFile, EvaluationSettings]:
    """The settings in a file, every name in it looked up; the first fault is an error."""
    path = file.path
    if path.name == PROJECT:
        table = file.content.get("tool", {}).get("counterpoint")
        if not isinstance(table, dict):
            raise StoreError(f"{path} has no table [tool.counterpoint]", hint=f"or write a {FILE}: counterpoint init")
        file = TomlFile(path, file.text, table, TABLE)
    for place, text in _texts(file.content):
        if "${" in text and place[-1] not in _SECRETS:
            hint = "variables of the environment are for secrets alone; write the value itself"
            raise file.fault(place, f"only {', '.join(_SECRETS)} takes a variable", hint=hint)
    try:
        settings = convert(file.content, EvaluationSettings)
    except ValidationError as problem:
        raise _explain(file, problem) from None
    for place, check in settings_checks(settings):
        try:
            check()
        except CounterpointError as problem:
            raise file.fault(place, str(problem), hint=problem.hint) from None
    return file, settings


def _texts(content: Any, place: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Every text in the file with its place."""
    if isinstance(content, str):
        yield place, content
    elif isinstance(content, dict | list):
        for step, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _texts(value, (*place, step))


def _explain(file: TomlFile, problem: ValidationError) -> CounterpointError:
    """A fault of names or types in the file's own words."""
    mismatch = Mismatch.of(problem)
    if mismatch is None:
        return file.fault((), str(problem))
    place, kind = mismatch.path, _kind_at(mismatch.path)
    if mismatch.unknown:
        unknown = UnknownName("key", mismatch.unknown, kind.__struct_encode_fields__)
        return file.fault((*place, mismatch.unknown), "there is no such key", hint=unknown.hint)
    if mismatch.missing:
        return file.fault(place, f"{mismatch.missing} is missing", hint=f'write {mismatch.missing} = "…" below it')
    if mismatch.is_choice:
        choices = _choices(kind, str(place[-1]))
        return file.fault(place, f"it is {_show(file, place)}, not one of {choices}")
    expected = mismatch.expected.replace("an object", "a table")
    if "[...]" in mismatch.where:
        return file.fault(place, f"a value in it is not {expected}")
    hint = f"tables of this kind begin with [[{place[0]}]]" if len(place) < 3 and place[0] in _TABLES else ""
    if place[-1] == "columns":
        hint = 'write columns = { question = "Q", answer = "A" }'
    return file.fault(place, f"it is {_show(file, place)}, not {expected}", hint=hint)


def _kind_at(place: Sequence[str | int]) -> Any:
    return _TABLES.get(str(place[0]), EvaluationSettings) if place else EvaluationSettings


def _choices(kind: Any, key: str) -> str:
    values = get_args(get_type_hints(kind)[key.replace("-", "_")])
    return ", ".join(repr(value) for value in values if value)


def _show(file: TomlFile, place: KeyPath) -> str:
    return "a secret that is not shown" if place[-1] in _SECRETS else shorten(repr(file.value(place)))
