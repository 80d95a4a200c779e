"""What a visitor asked to see, read once from the address; an address says everything about what it shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Protocol
from urllib.parse import quote, urlencode

from counterpoint.core.errors import UnknownName
from counterpoint.explorer.verdicts import INCONSISTENT, VERDICTS


class Named(Protocol):
    """Something with a name that is fit for an address."""

    @property
    def slug(self) -> str:
        """The name."""
        ...


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """Which suite and which measure of the leaderboard; all, where nothing is said."""

    suite: str = ""
    measure: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str]) -> "BoardChoice":
        """The choice that an address says."""
        return cls(query.get("suite", ""), query.get("measure", ""))

    def address(self, path: str = "/leaderboard", **changes: str) -> str:
        """Where this choice is shown, with some of it changed."""
        asked = _said(replace(self, **changes))
        return f"{path}?{urlencode(asked)}" if asked else path


@dataclass(frozen=True, slots=True)
class Filter:
    """Which groups: of a test, of a kind, with a verdict on a model."""

    model: str = ""
    test: str = ""
    kind: str = ""
    verdict: str = ""

    @classmethod
    def read(cls, query: Mapping[str, str], *, model: str = "") -> "Filter":
        """The filter that an address says; a verdict that nobody gives is refused."""
        verdict = query.get("verdict", "")
        if verdict and verdict not in (*VERDICTS, INCONSISTENT):
            raise UnknownName("verdict", verdict, (*VERDICTS, INCONSISTENT))
        return cls(model or query.get("model", ""), query.get("test", ""), query.get("kind", ""), verdict)

    def said(self) -> dict[str, str]:
        """What of it an address has to say."""
        return _said(self)

    def address(self, suite: str, models: Sequence[Named], **changes: str) -> str:
        """The list of the groups that fit, in the page of the model; without a model, the suite in the leaderboard."""
        if not self.model and not models:
            return f"/leaderboard?{urlencode({'suite': suite})}"
        asked = {name: value for name, value in (_said(self) | changes).items() if value and name != "model"}
        path = f"/suites/{quote(suite)}/models/{quote(self.model or models[0].slug)}"
        return f"{path}?{urlencode(asked)}#groups" if asked else path


def _said(choice: BoardChoice | Filter) -> dict[str, str]:
    said = ((field.name, getattr(choice, field.name)) for field in fields(choice))
    return {name: value for name, value in said if value}
