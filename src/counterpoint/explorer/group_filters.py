"""Group filters in addresses: an address says everything about the groups that its page shows."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from urllib.parse import quote, urlencode

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Relation
from counterpoint.metrics.verdicts import CHOICES, FAILS
from counterpoint.store.lab import LabModel
from counterpoint.store.outcomes.selection import ORDERS, STEPS, GroupFilter, score_step

PARAMETERS = tuple(field.name for field in fields(GroupFilter))
"""The parameters of an address that make up a filter."""

PICTURES = "pictures"
"""The view of a list as a grid of pictures."""

LONGEST_PARAMETER = 1000
"""Characters of a parameter that are read; a longer value is no choice of a filter."""


def read_filter(query: Mapping[str, str]) -> GroupFilter:
    """Return the filter of an address; an unknown verdict, relation or order raises UnknownName."""
    values = {name: query.get(name, "")[:LONGEST_PARAMETER] for name in PARAMETERS}
    other, _, other_verdict = values["also"].rpartition(":")
    for name, value, known in (
        ("verdict", values["verdict"], tuple(CHOICES)),
        ("verdict", other_verdict, tuple(CHOICES)),
        ("relation", values["relation"], tuple(Relation)),
        ("order", values["order"], tuple(ORDERS)),
    ):
        if value and value not in known:
            raise UnknownName(name, value, known)
    values["also"] = values["also"] if other and other_verdict else ""
    low, high = sorted(score_step(values[name], default) for name, default in (("low", 0), ("high", STEPS)))
    values["low"] = f"{low / STEPS:g}" if values["metric"] and low else ""
    values["high"] = f"{high / STEPS:g}" if values["metric"] and high < STEPS else ""
    values["browse"] = "1" if values["browse"] else ""
    values["view"] = PICTURES if values["view"] == PICTURES else ""
    return GroupFilter(**values)


def filter_parameters(chosen: GroupFilter) -> dict[str, str]:
    """Return the parameters by which an address says a filter."""
    values = ((name, getattr(chosen, name)) for name in PARAMETERS)
    return {name: value for name, value in values if value}


def browse_address(chosen: GroupFilter, ending: str = "", **changes: str) -> str:
    """Return where Browse lists the groups that fit, with some parameters changed or added."""
    values = filter_parameters(chosen) | changes
    asked = {name: value for name, value in values.items() if value and name != "browse"}
    return f"/browse{ending}?{urlencode(asked)}" if asked else f"/browse{ending}"


def failures_address(chosen: GroupFilter, *, lower_is_better: bool = False) -> str:
    """Return where Browse lists the groups behind a score that are not passed by its metric, or else fail.

    >>> failures_address(GroupFilter("fusion", "order", metric="accuracy"))
    '/browse?model=fusion&suite=order&metric=accuracy&high=0.95'
    >>> failures_address(GroupFilter("fusion", "order"))
    '/browse?model=fusion&suite=order&verdict=fails'
    """
    if not chosen.metric:
        return browse_address(chosen, verdict=FAILS)
    bound = {"low": f"{1 / STEPS:g}"} if lower_is_better else {"high": f"{(STEPS - 1) / STEPS:g}"}
    return browse_address(chosen, **bound)


def list_address(chosen: GroupFilter, suite: str, models: Sequence[LabModel]) -> str:
    """Return the page that lists the groups that fit: Browse, else the results of the model, else the overview."""
    if chosen.browse:
        return browse_address(chosen)
    if not chosen.model and not models:
        return f"/overview?{urlencode({'suite': suite})}"
    asked = {name: value for name, value in filter_parameters(chosen).items() if name != "model"}
    path = f"/suites/{quote(suite)}/models/{quote(chosen.model or models[0].slug)}"
    return f"{path}?{urlencode(asked)}#groups" if asked else path


def group_address(suite: str, group_id: str, chosen: GroupFilter | None = None) -> str:
    """Return the page of a group, among the groups that fit a filter."""
    asked = urlencode(filter_parameters(chosen)) if chosen else ""
    path = f"/suites/{quote(suite)}/groups/{group_id}"
    return f"{path}?{asked}" if asked else path
