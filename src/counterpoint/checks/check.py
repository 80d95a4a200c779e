"""A check: the condition on the groups it keeps, a pure function from text pairs to rejections, default actions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from counterpoint.checks.text_pairs import Codes, Flags, TextPairs
from counterpoint.core.errors import CounterpointError, UnknownName

Setting: TypeAlias = bool | int | float | str
ModelFunction: TypeAlias = Callable[..., Any]
"""A model as a function; its arguments and result follow from the kind of model that a check needs."""


class Action(StrEnum):
    """What happens to a group that a check rejects."""

    DROP = "drop"
    MARK = "mark"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The input of a check beside the pairs: its settings, the seed of its rng, and the model it needs, if any."""

    settings: Mapping[str, Any]
    seed: int = 0
    model: ModelFunction | None = None


@dataclass(frozen=True, slots=True)
class Rejections:
    """The result of a check: for each pair the index of the reason against it, -1 where it passes."""

    codes: Codes
    reasons: Sequence[str]
    notes: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # statistics by test

    @classmethod
    def first_of(
        cls, reasons: Mapping[str, Flags], size: int, notes: Mapping[str, Mapping[str, float]] | None = None
    ) -> "Rejections":
        """Reject each pair for the first reason that applies to it."""
        codes = np.full(size, -1, np.int32)
        for number, pairs in enumerate(reasons.values()):
            codes[pairs & (codes < 0)] = number
        return cls(codes, list(reasons), notes or {})


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on pairs of texts, as a pure function: randomness comes from a seed, models are passed in."""

    name: str
    description: str  # the condition that kept pairs satisfy
    judge: Callable[[TextPairs, CheckContext], Rejections]
    settings: Mapping[str, Setting] = field(default_factory=dict)  # with their defaults
    model_kind: str = ""  # the kind of model it needs: grammar, entailment or language
    model: str = ""  # the default model
    tag: str = ""  # of every group that it judges and keeps: "yes", or "no" where it is rejected and only marked

    def setting(self, name: str, text: str) -> Setting:
        """Parse a setting by the type of its default.

        >>> from counterpoint.checks.text_checks import length
        >>> length.setting("tokens", "40")
        40
        """
        if name not in self.settings:
            raise UnknownName(f"setting of the check {self.name}", name, [*self.settings, *_COMMON])
        default = self.settings[name]
        if isinstance(default, bool):
            if text.lower() not in _BOOLEANS:
                raise self._type_error(name, text, "yes or no")
            return _BOOLEANS[text.lower()]
        try:
            return type(default)(text)
        except ValueError as problem:
            expected = "a whole number" if isinstance(default, int) else "a number"
            raise self._type_error(name, text, expected) from problem

    def _type_error(self, name: str, text: str, expected: str) -> CounterpointError:
        default = f"{self.name}.{name}={self.settings[name]}"
        return CounterpointError(f"{self.name}.{name} is {text!r}, not {expected}", hint=f"by default: {default}")


_BOOLEANS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}
_COMMON = ("action", "model", "args")


ORDER = ("duplicates", "length", "minimality", "grammar", "entailment", "distribution")
"""The checks applied by default: cheap ones first, balance last, because other checks would disturb it."""
EVERYWHERE: Mapping[str, Action] = MappingProxyType({"duplicates": Action.DROP, "length": Action.DROP})
"""The default actions in every test."""
_MINIMAL = ("existence", "counting-balanced", "counting-small", "counting-adversarial", "coreference-standard")
_MARKED, _SENTENCES = {"minimality": Action.MARK}, dict.fromkeys(("grammar", "entailment"), Action.DROP)
INSTRUMENTS: Mapping[str, Mapping[str, Action]] = MappingProxyType(
    {
        **dict.fromkeys((*_MINIMAL, "coreference-clean", "foil-it"), _MARKED),
        "plurals": _MARKED | _SENTENCES,
        "relations": _MARKED | _SENTENCES | {"distribution": Action.DROP},
        "action-replacement": _MARKED | {"entailment": Action.MARK},
        "actant-swap": {"entailment": Action.MARK},
    }
)
"""The additional default actions of each instrument."""


def default_action(check: str, test: str) -> Action:
    """The default action of a check in a test.

    >>> default_action("grammar", "relations"), default_action("grammar", "existence")
    (<Action.DROP: 'drop'>, <Action.OFF: 'off'>)
    """
    return EVERYWHERE.get(check) or INSTRUMENTS.get(test, {}).get(check, Action.OFF)
