"""Lists of names in which one name may stand alone: `suites="mine"` is no list of letters."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from counterpoint.metrics.metric import Metric

T = TypeVar("T")
_LISTS = frozenset(("suites", "models", "tables", "kinds", "against", "exclude"))


def name_list(names: str | Sequence[T]) -> tuple[T | str, ...]:
    """The names of a list, or the one that was given by itself.

    >>> name_list("mine"), name_list(["mine", "yours"]), name_list("")
    (('mine',), ('mine', 'yours'), ())
    """
    if isinstance(names, str):
        return (names,) if names else ()
    return tuple(names)


def metric_list(metrics: "str | Sequence[str | Metric]") -> "list[Metric]":
    """The metrics that are named or given."""
    from counterpoint import catalog

    return [catalog.resolve_metric(metric) if isinstance(metric, str) else metric for metric in name_list(metrics)]


def with_name_lists(request: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a request, in which lists of names are lists.

    >>> with_name_lists({"suites": "mine", "seed": 1, "kinds": True})
    {'suites': ('mine',), 'seed': 1, 'kinds': True}
    """
    return {
        key: name_list(value) if key in _LISTS and isinstance(value, Sequence) else value
        for key, value in request.items()
    }
