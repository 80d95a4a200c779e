"""What a check is: a name, the sentence that holds of what it keeps, and a pure function from pairs to verdicts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np

from counterpoint.checks.text_pairs import Codes, Flags, TextPairs
from counterpoint.core.errors import CounterpointError, UnknownName

Setting: TypeAlias = bool | int | float | str
ModelFunction: TypeAlias = Callable[..., Any]
"""A model as a function; what it takes and gives follows from the kind of model that a check asks."""


class Action(StrEnum):
    """What becomes of a group that a check speaks against."""

    DROP = "drop"
    MARK = "mark"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class CheckContext:
    """What a check is given beside the pairs: its settings, a seed for its luck, and a model where it asks one."""

    settings: Mapping[str, Any]
    seed: int = 0
    ask: ModelFunction | None = None


@dataclass(frozen=True, slots=True)
class Rejections:
    """What a check says: the number of the reason against each pair, -1 where there is none."""

    codes: Codes
    reasons: Sequence[str]
    notes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by test: numbers worth knowing

    @classmethod
    def against(cls, pairs: Flags, reason: str) -> "Rejections":
        """The same reason against each of these pairs."""
        return cls(np.where(pairs, 0, -1).astype(np.int32), [reason])

    @classmethod
    def first(cls, reasons: Mapping[str, Flags], size: int) -> "Rejections":
        """The first of several reasons that speaks against each pair."""
        codes = np.full(size, -1, np.int32)
        for number, pairs in enumerate(reasons.values()):
            codes[pairs & (codes < 0)] = number
        return cls(codes, list(reasons))


@dataclass(frozen=True, slots=True)
class Check:
    """One condition on pairs of texts. It is pure: its luck comes from the seed, and models come in as functions."""

    name: str
    checks: str  # the sentence that holds of what it keeps
    judge: Callable[[TextPairs, CheckContext], Rejections]
    settings: Mapping[str, Setting] = field(default_factory=dict)  # with their defaults
    asks: str = ""  # the kind of model that it asks: grammar, entailment or language
    model: str = ""  # the one that is asked where none is named

    def setting(self, name: str, text: str) -> Setting:
        """A setting as people type it, as what its default is.

        >>> from counterpoint.checks.length import check
        >>> check.setting("tokens", "40")
        40
        """
        if name not in self.settings:
            raise UnknownName(f"setting of the check {self.name}", name, [*self.settings, *_COMMON])
        default = self.settings[name]
        if isinstance(default, bool):
            if text.lower() not in _TRUTH:
                raise self._misfit(name, text, "yes or no")
            return _TRUTH[text.lower()]
        if isinstance(default, str):
            return text
        try:
            return type(default)(text)
        except ValueError as problem:
            raise self._misfit(name, text, "a whole number" if isinstance(default, int) else "a number") from problem

    def _misfit(self, name: str, text: str, wanted: str) -> CounterpointError:
        return CounterpointError(
            f"{self.name}.{name} is {text!r}, not {wanted}", hint=f"by default: {self._said(name)}"
        )

    def _said(self, name: str) -> str:
        return f"{self.name}.{name}={self.settings[name]}"


_TRUTH = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_COMMON = ("action", "model", "args")
