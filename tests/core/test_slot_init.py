"""A value whose slots are filled directly is the value that the generated `__init__` makes."""

import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from inspect import signature

import pytest

from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.pictures import Picture
from counterpoint.core.slot_init import slot_init


@dataclass(frozen=True, slots=True)
class Generated:
    """A value with and without defaults."""

    name: str
    size: int = 3
    parts: tuple[str, ...] = ()


@slot_init
@dataclass(frozen=True, slots=True)
class Direct:
    """The same fields."""

    name: str
    size: int = 3
    parts: tuple[str, ...] = ()


def test_arguments_defaults_and_errors_are_those_of_the_generated_one() -> None:
    assert list(signature(Direct).parameters) == list(signature(Generated).parameters)
    direct = Direct("a", parts=("b",))
    assert (direct.name, direct.size, direct.parts) == ("a", 3, ("b",))
    assert direct == Direct("a", 3, ("b",))
    assert hash(direct) == hash(Direct("a", 3, ("b",)))
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'name'"):
        Direct()  # type: ignore[call-arg]
    with pytest.raises(FrozenInstanceError):
        direct.size = 4  # type: ignore[misc]


def test_queries_and_groups_are_copied_pickled_and_checked_as_before() -> None:
    query = Query(Picture("a:1.png"), "Is it?", choices=("yes", "no"))
    assert (query.mode, query.context, query.edits) == (Mode.ANSWER, "", ())
    assert pickle.loads(pickle.dumps(query)) == query
    assert replace(query, text="Is it red?").choices == query.choices
    with pytest.raises(AssertionError, match="one gold, or None, for each query"):
        Group(Relation.GOLD, (query,), (Gold.of("yes"),) * 2)
