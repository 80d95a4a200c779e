"""What a visitor asked to see, read once from the address; an address says everything about what it shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Protocol
from urllib.parse import quote, urlencode

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Relation
from counterpoint.metrics.verdicts import INCONSISTENT, VERDICTS

STEPS = 20
"""Equal steps from 0 to 1 in which the score of a group can be asked for."""

_LONGEST = 200  # characters of anything that is looked for


class Named(Protocol):
    """Something with a name that is fit for an address."""

    @property
    def slug(self) -> str:
        """The name."""
        ...


@dataclass(frozen=True, slots=True)
class Filter:
    """Which groups in the hands of which model; what is empty fits all.

    `low` and `high` bound the score of a group by `measure`, in steps of a twentieth, and count only where a measure is
    named. `find` is set where the groups are those of Find, which may be of any suite.
    """

    model: str = ""
    suite: str = ""
    test: str = ""
    kind: str = ""
    verdict: str = ""
    relation: str = ""
    tag: str = ""  # name=value
    answer: str = ""  # a value that was said to any query of the group
    text: str = ""  # stands in any text of the group, in small or capital letters
    measure: str = ""
    low: str = ""
    high: str = ""
    also: str = ""  # another model with its verdict on the same group, as model:verdict
    find: str = ""
    of: str = ""  # the model whose entry is looked at, where the filter names none

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "Filter":
        """The filter that an address says; a verdict or a relation that nobody knows is refused."""
        said = {field.name: query.get(field.name, "")[:_LONGEST] for field in fields(cls)}
        every = (*VERDICTS, INCONSISTENT)
        other, _, its = said["also"].rpartition(":")
        for name, value, known in (
            ("verdict", said["verdict"], every),
            ("verdict", its, every),
            ("relation", said["relation"], tuple(Relation)),
        ):
            if value and value not in known:
                raise UnknownName(name, value, known)
        said["also"] = said["also"] if other and its else ""
        low, high = (step(said[name], none) for name, none in (("low", 0), ("high", STEPS)))
        said["low"] = f"{min(low, high) / STEPS:g}" if said["measure"] and min(low, high) else ""
        said["high"] = f"{max(low, high) / STEPS:g}" if said["measure"] and max(low, high) < STEPS else ""
        said["find"] = "1" if said["find"] else ""
        return cls(**said)

    @property
    def other(self) -> tuple[str, str]:
        """The other model and its verdict.

        >>> Filter(also="fusion:right").other, Filter().other
        (('fusion', 'right'), ('', ''))
        """
        model, _, verdict = self.also.rpartition(":")
        return model, verdict

    @property
    def steps(self) -> tuple[int, int]:
        """The bounds of the score, in steps."""
        return step(self.low, 0), step(self.high, STEPS)

    def said(self) -> dict[str, str]:
        """What of it an address has to say."""
        return _said(self)

    def address(self, suite: str, models: Sequence[Named], **changes: str) -> str:
        """The list of the groups that fit: in Find, else in the page of the model; without one, in the leaderboard."""
        if self.find:
            return self.found()
        if not self.model and not models:
            return f"/leaderboard?{urlencode({'suite': suite})}"
        asked = {name: value for name, value in (_said(self) | changes).items() if value and name != "model"}
        path = f"/suites/{quote(suite)}/models/{quote(self.model or models[0].slug)}"
        return f"{path}?{urlencode(asked)}#groups" if asked else path

    def found(self, ending: str = "", **changes: str) -> str:
        """The groups that fit in Find, with some of the filter changed, or something said beside it."""
        asked = {name: value for name, value in (_said(self) | changes).items() if value and name not in ("find", "of")}
        return f"/find{ending}?{urlencode(asked)}" if asked else f"/find{ending}"


def step(text: str, none: int) -> int:
    """A number from 0 to 1 in steps; what is no such number is `none`.

    >>> step("0.5", 0), step("half", 0), step("7", 0)
    (10, 0, 20)
    """
    if len(text) > 10 or not text.replace(".", "", 1).isdecimal() or not text.isascii():
        return none
    return min(round(float(text) * STEPS), STEPS)


def _said(choice: Filter) -> dict[str, str]:
    said = ((field.name, getattr(choice, field.name)) for field in fields(choice))
    return {name: value for name, value in said if value}
