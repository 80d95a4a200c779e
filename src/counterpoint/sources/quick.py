"""Frozen values made in a third of the time, for files that hold hundreds of thousands of them."""

from dataclasses import field, fields, make_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def quick(kind: type[T]) -> type[T]:
    """What makes values of a frozen dataclass with slots as the class itself does, only sooner.

    A frozen class passes its own guard for every field. Here the fields are set on a twin without a guard, which
    becomes a value of the class as soon as it is whole.

    >>> from counterpoint.core.pictures import Size
    >>> quick(Size)(640, height=480)
    Size(width=640, height=480)
    """

    def close(twin: Any) -> None:
        twin.__class__ = kind

    own = [
        (one.name, one.type, field(default=one.default, default_factory=one.default_factory))
        for one in fields(kind)  # type: ignore[arg-type]
    ]
    twin: Any = make_dataclass(f"Open{kind.__name__}", own, namespace={"__post_init__": close}, slots=True)
    return twin  # type: ignore[no-any-return]
