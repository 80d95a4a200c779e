"""Fast construction of frozen values."""

from dataclasses import FrozenInstanceError, dataclass, fields

import pytest

from counterpoint.core.construction import fast_constructor
from counterpoint.core.groups import Answer, Mode, Query, State, make_query
from counterpoint.core.pictures import Picture

PICTURE = Picture("world:1.png")


def test_it_makes_what_the_class_makes() -> None:
    quick = fast_constructor(Answer)
    for own, twin in (
        (Answer(), quick()),
        (Answer("a", score=0.5), quick("a", score=0.5)),
        (Answer.of("b"), quick("b", "b")),
    ):
        assert own == twin
        assert type(twin) is Answer
        assert hash(own) == hash(twin)
        assert repr(own) == repr(twin)


def test_defaults_are_those_of_the_class() -> None:
    query = make_query(PICTURE, "Is it?")
    assert [getattr(query, field.name) for field in fields(Query)] == [PICTURE, "Is it?", Mode.ANSWER, (), "", ()]
    assert Answer.scored(0.25).state is State.OK


def test_it_is_frozen() -> None:
    query = make_query(PICTURE, "Is it?")
    with pytest.raises(FrozenInstanceError):
        query.text = "Was it?"  # type: ignore[misc]


def test_what_it_computes_once_is_kept() -> None:
    query, own = make_query(PICTURE, "Is it?"), Query(PICTURE, "Is it?")
    assert query.id == own.id == query.memo


def test_a_field_without_a_default_is_needed() -> None:
    with pytest.raises(TypeError):
        make_query(PICTURE)


def test_a_class_that_does_more_than_set_its_fields_is_refused() -> None:
    @dataclass(frozen=True, slots=True)
    class Checked:
        number: int

        def __post_init__(self) -> None:
            assert self.number

    with pytest.raises(AssertionError, match="left out"):
        fast_constructor(Checked)
