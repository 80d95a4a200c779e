"""Values that are made quickly are the values that their class makes."""

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.quick import quick

QUICK = quick(Question)


@given(st.text(), st.text(), st.lists(st.text()).map(tuple))
def test_a_quick_value_is_that_of_its_class(one: str, text: str, votes: tuple[str, ...]) -> None:
    picture, gold = Picture("coco:a.jpg"), Gold.of("yes")
    made, plain = (make(one, picture, text, gold, votes=votes, kind="what") for make in (QUICK, Question))
    assert type(made) is Question
    assert made == plain
    assert (hash(made), repr(made)) == (hash(plain), repr(plain))


def test_a_quick_value_is_frozen() -> None:
    made = QUICK("1", Picture("coco:a.jpg"), "Is it?", Gold.of("yes"))
    with pytest.raises(FrozenInstanceError):
        made.id = "2"  # type: ignore[misc]


def test_a_quick_value_lacks_nothing() -> None:
    with pytest.raises(TypeError, match="gold"):
        QUICK("1", Picture("coco:a.jpg"), "Is it?")  # type: ignore[call-arg]
