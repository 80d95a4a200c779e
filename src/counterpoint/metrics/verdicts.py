"""Verdicts: the outcome of each group for one model in one word, so that failures can be listed."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from counterpoint.metrics.outcomes import Outcomes

VERDICTS: Mapping[str, str] = MappingProxyType(
    {
        "right": "all correct",
        "broken": "correct, then incorrect",
        "gained": "incorrect, then correct",
        "wrong": "all incorrect",
        "holds": "relation satisfied",
        "breaks": "relation violated",
        "unanswered": "not answered",
    }
)
"""Each group has one of these, with its label; `holds` and `breaks` are for groups without gold."""

PASSING, FAILING = frozenset({"right", "holds"}), frozenset({"broken", "gained", "wrong", "breaks"})
"""The verdicts of groups that a model passes, and of those that it fails; one that is not answered is neither."""

INCONSISTENT = "inconsistent"
"""The answers violate the relation, correct or not."""

_CODES = {name: code for code, name in enumerate(VERDICTS)}
_NAMES = np.array(list(VERDICTS))
_FAILED = 3  # states from here on are no answers: failed, missing


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One place per group, in the order of the suite."""

    group_id: NDArray[np.uint64]
    test: NDArray[np.object_]
    kind: NDArray[np.object_]
    code: NDArray[np.int8]
    inconsistent: NDArray[np.bool_]
    row: NDArray[np.int64]  # of the base

    def name(self, place: int) -> str:
        """The verdict on the group at this place."""
        return str(_NAMES[self.code[place]])

    def where(self, *, test: str = "", kind: str = "", verdict: str = "") -> NDArray[np.int64]:
        """The places of the groups that match; an empty filter matches all."""
        fits = np.ones(len(self.code), np.bool_)
        if test:
            fits &= self.test == test
        if kind:
            fits &= self.kind == kind
        if verdict == INCONSISTENT:
            fits &= self.inconsistent
        elif verdict:
            fits &= self.code == _CODES[verdict]
        return np.flatnonzero(fits)


def group_verdicts(outcomes: Outcomes) -> Verdicts:
    """The verdict on every group."""
    starts = np.flatnonzero(outcomes.base == np.arange(len(outcomes.base)))
    if not len(starts):
        nothing = np.empty(0)
        return Verdicts(*(nothing.astype(kind) for kind in (np.uint64, object, object, np.int8, np.bool_, np.int64)))
    number = np.cumsum(outcomes.base == np.arange(len(outcomes.base))) - 1
    pairs = outcomes.pairs()

    def some(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.bincount(number[pairs.row], flags, minlength=len(starts)) > 0

    right, gold = outcomes.correct >= outcomes.threshold, ~np.isnan(outcomes.correct)
    inconsistent = some(pairs.known & ~pairs.related & pairs.counted)
    slipped, gained = some(~right[pairs.row] & gold[pairs.row]), some(right[pairs.row])
    judged = np.logical_or.reduceat(gold, starts)
    unanswered = np.logical_or.reduceat(outcomes.state >= _FAILED, starts)
    names = np.select(
        [unanswered, ~judged & inconsistent, ~judged, right[starts] & ~slipped, right[starts], gained],
        [_CODES[name] for name in ("unanswered", "breaks", "holds", "right", "broken", "gained")],
        _CODES["wrong"],
    )
    ids, test, kind = (outcomes.table[name].to_numpy()[starts] for name in ("group_id", "test", "kind"))
    return Verdicts(ids, test, kind, names.astype(np.int8), inconsistent, starts)
