"""Settings of a model as typed, `k=v,k=v`, converted to the keyword arguments of its factory."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from counterpoint.core.errors import CounterpointError, UnknownName

_TRUTHS = {"true": True, "yes": True, "1": True, "on": True, "false": False, "no": False, "0": False, "off": False}


def parse_settings(line: str) -> dict[str, str]:
    """The settings in one line; a comma within a value is doubled.

    >>> parse_settings("dtype=float32, prompt=Yes,, or no?")
    {'dtype': 'float32', 'prompt': 'Yes, or no?'}
    """
    settings = {}
    for part in line.replace(",,", "\0").split(","):
        if not part.strip():
            continue
        name, sign, value = part.replace("\0", ",").partition("=")
        if not sign or not name.strip():
            raise CounterpointError(f"{part.strip()!r} is no setting", hint="settings look like name=value,name=value")
        settings[name.strip()] = value.strip()
    return settings


def convert_settings(make: Callable[..., object], settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The settings, as people type them or as plain values, as a factory takes them by its annotations.

    >>> def make(pictures: object, *, tokens: int = 16, trust: bool = False) -> None: ...
    >>> convert_settings(make, {"tokens": "8", "trust": "yes"}, "mine")
    {'tokens': 8, 'trust': True}
    """
    parameters = inspect.signature(make.func if isinstance(make, partial) else make).parameters if settings else {}
    known = {name: item for name, item in parameters.items() if name != "pictures" and _is_optional(item)}
    open_ended = any(item.kind is item.VAR_KEYWORD for item in parameters.values())
    arguments: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in known and not open_ended:
            raise UnknownName(f"setting of {name}", key, known)
        arguments[key] = _convert(str(value), _type_name(known[key]) if key in known else "str", f"{name}: {key}")
    return arguments


def _is_optional(item: inspect.Parameter) -> bool:
    return item.kind is item.KEYWORD_ONLY or (
        item.kind is item.POSITIONAL_OR_KEYWORD and item.default is not item.empty
    )


def _type_name(item: inspect.Parameter) -> str:
    """The name of the type of a parameter: its annotation, else the type of its default."""
    if item.annotation is item.empty:
        return "str" if item.default in (item.empty, None) else type(item.default).__name__
    name = item.annotation if isinstance(item.annotation, str) else getattr(item.annotation, "__name__", None)
    return (name or str(item.annotation)).removesuffix(" | None")


def _convert(text: str, type_name: str, place: str) -> object:
    try:
        match type_name:
            case "bool":
                return _TRUTHS[text.lower()]
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "Path":
                return Path(text)
    except (KeyError, ValueError) as problem:
        words = {"bool": "yes or no", "int": "a whole number", "float": "a number"}
        raise CounterpointError(f"{place} is {text!r}, not {words[type_name]}", hint=f"write {place}=…") from problem
    return text
