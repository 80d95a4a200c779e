"""Errors of msgspec in words: which key does not fit its type, and what was expected there."""

import re
from dataclasses import dataclass
from typing import Any

from msgspec import ValidationError

_EXPECTED = {
    "int | str": "a text",
    "str": "a text",
    "array": "a list",
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "int >= 1": "a whole number of 1 or more",
    "int >= 0": "a whole number of 0 or more",
}
_AT = r"(?: - at `\$(.*)`)?"
_MISMATCH = re.compile(rf"Expected `(.+?)`(?:, got `.+?`| (>= \d+)){_AT}")
_MISSING = re.compile(rf"Object missing required field `(.+?)`{_AT}")
_UNKNOWN = re.compile(rf"Object contains unknown field `(.+?)`{_AT}")
_CHOICE = re.compile(rf"Invalid enum value .+?{_AT}", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where content does not fit its type: a key that is missing or unknown, a value of another type, or no choice."""

    where: str = ""  # such as suites[0].limit; [...] is a member of a mapping
    missing: str = ""
    unknown: str = ""
    expected: str = ""
    is_choice: bool = False  # the value is none of those that there are

    @classmethod
    def of(cls, problem: ValidationError) -> "Mismatch | None":
        """What an error says; None for one that has no such form.

        >>> Mismatch.of(ValidationError("Expected `int`, got `str` - at `$.limit`"))
        Mismatch(where='limit', missing='', unknown='', expected='a number', is_choice=False)
        """
        message = str(problem)
        if match := _MISSING.fullmatch(message):
            return cls(_where(match[2]), missing=match[1])
        if match := _UNKNOWN.fullmatch(message):
            return cls(_where(match[2]), unknown=match[1])
        if match := _CHOICE.fullmatch(message):
            return cls(_where(match[1]), is_choice=True)
        if match := _MISMATCH.fullmatch(message):
            return cls(_where(match[3]), expected=_expectation(" ".join(filter(None, (match[1], match[2])))))
        return None

    @property
    def path(self) -> tuple[str | int, ...]:
        """The steps that lead to the place, as far as they are known: msgspec does not tell the key of a mapping."""
        steps = list[str | int]()
        for name, index in _STEP.findall(f".{self.where}"):
            if index == "...":
                break
            steps.append(name or int(index))
        return tuple(steps)

    def value_in(self, content: Any) -> Any:
        """What stands at the place."""
        for step in self.path:
            content = content[step]
        return content


def _where(path: str | None) -> str:
    return (path or "").removeprefix(".")


def _expectation(kinds: str) -> str:
    """The types that a value may have, in words."""
    named = [kind for kind in kinds.split(" | ") if kind != "null"]
    return _EXPECTED.get(" | ".join(named)) or " or ".join(
        dict.fromkeys(_EXPECTED.get(kind, f"an {kind}") for kind in named)
    )
