"""Objects are left out of garbage collections by several users at a time, and all are put back at the end."""

import gc
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from counterpoint.engine.frozen_objects import frozen_objects


@pytest.fixture(autouse=True)
def nothing_frozen() -> Iterator[None]:
    gc.unfreeze()
    yield
    gc.unfreeze()


def test_objects_stay_frozen_until_the_last_user_ends_in_any_order() -> None:
    before = gc.get_freeze_count()
    first, second = ExitStack(), ExitStack()
    first.enter_context(frozen_objects())
    second.enter_context(frozen_objects())
    first.close()
    assert gc.get_freeze_count() > before
    second.close()
    assert gc.get_freeze_count() == before


def test_objects_are_put_back_where_a_run_fails() -> None:
    before = gc.get_freeze_count()
    with pytest.raises(ValueError, match="broken"), frozen_objects():
        raise ValueError("broken")
    assert gc.get_freeze_count() == before
