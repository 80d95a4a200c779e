"""Settings of a model as people type them, `k=v,k=v`, made into what its factory takes."""

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
    found = {}
    for part in line.replace(",,", "\0").split(","):
        if not part.strip():
            continue
        name, sign, value = part.replace("\0", ",").partition("=")
        if not sign or not name.strip():
            raise CounterpointError(f"{part.strip()!r} is no setting", hint="settings look like name=value,name=value")
        found[name.strip()] = value.strip()
    return found


def convert_settings(make: Callable[..., object], settings: Mapping[str, str], name: str) -> dict[str, Any]:
    """The settings as the keywords of a factory, by the types that it says they have; whole numbers stay whole.

    >>> def make(pictures: object, *, tokens: int = 16, trust: bool = False) -> None: ...
    >>> convert_settings(make, {"tokens": "8", "trust": "yes"}, "mine")
    {'tokens': 8, 'trust': True}
    """
    inner = make.func if isinstance(make, partial) else make
    taken = inspect.signature(inner).parameters.values() if settings else ()
    known = {one.name: one for one in taken if _settable(one)}
    open_ended = any(one.kind is one.VAR_KEYWORD for one in taken)
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in known and not open_ended:
            raise UnknownName(f"setting of {name}", key, known)
        found[key] = _value(value, _kind(known[key]) if key in known else "str", f"{name}: {key}")
    return found


def _settable(one: inspect.Parameter) -> bool:
    """Whether a parameter is a setting: one with a name and a default; the place of the pictures is none."""
    optional = one.kind is one.POSITIONAL_OR_KEYWORD and one.default is not one.empty
    return one.name != "pictures" and (optional or one.kind is one.KEYWORD_ONLY)


def _kind(one: inspect.Parameter) -> str:
    """The name of the type of a parameter: what it says, else that of its default."""
    if one.annotation is one.empty:
        return "str" if one.default in (one.empty, None) else type(one.default).__name__
    said = one.annotation if isinstance(one.annotation, str) else getattr(one.annotation, "__name__", None)
    return (said or str(one.annotation)).removesuffix(" | None")


def _value(text: str, named: str, place: str) -> object:
    try:
        match named:
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
        raise CounterpointError(f"{place} is {text!r}, not {words[named]}", hint=f"write {place}=…") from problem
    return text
