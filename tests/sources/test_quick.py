"""Values that are made quickly are the values that their class makes, and all of them come."""

import gc
from collections.abc import Iterator
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold
from counterpoint.core.items import Question
from counterpoint.core.pictures import Picture
from counterpoint.sources.bulk_values import MANY, quick, undisturbed

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


def test_values_are_made_without_looking_for_garbage_and_it_is_looked_for_again() -> None:
    looked = []

    def values() -> Iterator[int]:
        for number in range(MANY + 1):
            looked.append(gc.isenabled())
            yield number

    assert list(undisturbed(values())) == list(range(MANY + 1))
    assert not any(looked)
    assert gc.isenabled()


def test_what_goes_wrong_is_said_after_the_values_before_it() -> None:
    def values() -> Iterator[int]:
        yield from (1, 2)
        raise SourceError("the file ends here")

    taken = list[int]()
    with pytest.raises(SourceError, match="ends here"):
        taken.extend(undisturbed(values()))
    assert taken == [1, 2]
    assert gc.isenabled()
