"""How much a test covers: a sample in `make test`, everything in `make prove`.

The heavy remainder carries the marker `prove`, which `make test` deselects. Property tests run few examples, and tests
over many scenes take few, in the Hypothesis profile `test`; `make prove` runs the whole suite in the profile `prove`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

T = TypeVar("T")
SHARE = 8
"""The profile `test` runs this fraction of the examples of the profile `prove`."""
_LOAD = [HealthCheck.too_slow]  # whether a machine is busy is no property of the code


def register_profiles() -> None:
    """Register both profiles with Hypothesis and load the small one; `--hypothesis-profile=prove` loads the other."""
    settings.register_profile("test", deadline=None, max_examples=8, derandomize=True, suppress_health_check=_LOAD)
    settings.register_profile("prove", deadline=None, max_examples=100, suppress_health_check=_LOAD)
    settings.load_profile("test")


def scaled(count: int, least: int = 5) -> int:
    """So many in `make prove`, and a fraction of them, but at least so many, in `make test`."""
    small = settings.get_current_profile_name() == "test"
    return max(count // SHARE, min(count, least)) if small else count


def examples(count: int, *, suppress: Sequence[HealthCheck] = ()) -> Callable[[T], T]:
    """Run so many examples of a property in `make prove`, and a fraction of them in `make test`."""
    return settings(max_examples=scaled(count), suppress_health_check=[*_LOAD, *suppress])


def prove(*values: Any) -> Any:
    """A parameter set that only `make prove` runs."""
    assert not any(hasattr(value, "marks") for value in values), "a parameter set in another is no parameter"
    return pytest.param(*values, marks=pytest.mark.prove)


def sample(values: Iterable[Any], keep: int) -> list[Any]:
    """Parameters of which `make test` runs so many, evenly spread, and `make prove` the others."""
    listed = list(values)
    kept = {index * len(listed) // keep for index in range(keep)} if len(listed) > keep else set(range(len(listed)))
    return [value if index in kept else prove(value) for index, value in enumerate(listed)]
