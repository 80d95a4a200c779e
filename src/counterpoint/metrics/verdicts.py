"""Verdicts: the outcome of each group for one model in one word, so that failures can be listed."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from counterpoint.core.groups import State
from counterpoint.metrics.outcomes import Outcomes
from counterpoint.metrics.units import STATES

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

PASSES, FAILS, REFUSED = "passes", "fails", "refused"
"""What several verdicts have in common, and that a model refused to answer a query of the group, which is no pass."""

CHOICES: Mapping[str, str] = MappingProxyType(
    {FAILS: "fails", PASSES: "passes", **VERDICTS, INCONSISTENT: INCONSISTENT, REFUSED: "refused"}
)
"""What groups can be filtered by, with its label."""

FLAGS: Mapping[str, int] = MappingProxyType({name: 1 << place for place, name in enumerate(CHOICES)})
"""A bit for each choice, so that the verdicts of several models on one group are one number."""

_CODES = {name: code for code, name in enumerate(VERDICTS)}
_NAMES = np.array(list(VERDICTS))
_REFUSED, _FAILED = STATES.index(State.REFUSED), STATES.index(State.FAILED)  # from the latter on there is no answer
_CODE_FLAGS = np.array(
    [FLAGS[name] | FLAGS[PASSES] * (name in PASSING) | FLAGS[FAILS] * (name in FAILING) for name in VERDICTS], np.uint16
)


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One place per group, in the order of the suite."""

    group_id: NDArray[np.uint64]
    test: NDArray[np.object_]
    kind: NDArray[np.object_]
    code: NDArray[np.int8]
    inconsistent: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    row: NDArray[np.int64]  # of the base

    @property
    def flags(self) -> NDArray[np.uint16]:
        """The bits of all choices that each group fits."""
        extra = FLAGS[INCONSISTENT] * self.inconsistent + FLAGS[REFUSED] * self.refused
        return np.asarray(_CODE_FLAGS[self.code] | extra.astype(np.uint16), np.uint16)

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
        kinds = (np.uint64, object, object, np.int8, np.bool_, np.bool_, np.int64)
        return Verdicts(*(nothing.astype(kind) for kind in kinds))
    number = np.cumsum(outcomes.base == np.arange(len(outcomes.base))) - 1
    pairs = outcomes.pairs()

    def some(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return np.bincount(number[pairs.row], flags, minlength=len(starts)) > 0

    right, gold = outcomes.correct >= outcomes.threshold, ~np.isnan(outcomes.correct)
    inconsistent = some(pairs.known & ~pairs.related & pairs.counted)
    slipped, gained = some(~right[pairs.row] & gold[pairs.row]), some(right[pairs.row])
    judged = np.logical_or.reduceat(gold, starts)
    unanswered = np.logical_or.reduceat(outcomes.state >= _FAILED, starts)
    refused = np.logical_or.reduceat(outcomes.state == _REFUSED, starts)
    names = np.select(
        [unanswered, ~judged & inconsistent, ~judged, right[starts] & ~slipped, right[starts], gained],
        [_CODES[name] for name in ("unanswered", "breaks", "holds", "right", "broken", "gained")],
        _CODES["wrong"],
    )
    bases = outcomes.table.select(["group_id", "test", "kind"]).take(pa.array(starts))
    ids, test, kind = (column.to_numpy() for column in bases.columns)
    return Verdicts(ids, test, kind, names.astype(np.int8), inconsistent, refused, starts)
