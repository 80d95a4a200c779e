"""Functional programs of questions in the manner of GQA, put together step by step."""

from collections.abc import Sequence

from counterpoint.core.items import Step


def select_objects(name: str, ids: Sequence[str] = ()) -> tuple[Step, ...]:
    """The first step of most programs: the objects of a name, with the ids GQA writes beside it."""
    return (Step("select", f"{name} ({','.join(ids) or '-'})"),)


def add_step(steps: tuple[Step, ...], operation: str, argument: str = "") -> tuple[Step, ...]:
    """One more step that builds on the last."""
    return (*steps, Step(operation, argument, (len(steps) - 1,)))


def add_relation(
    steps: tuple[Step, ...], name: str, relation: str, side: str, ids: Sequence[str] = ()
) -> tuple[Step, ...]:
    """Go on to what is the subject ("s") or the object ("o") of a relation with what was found."""
    return add_step(steps, "relate", f"{name},{relation},{side} ({','.join(ids) or '-'})")


def join_programs(
    first: tuple[Step, ...], second: tuple[Step, ...], operation: str, argument: str = ""
) -> tuple[Step, ...]:
    """Two programs side by side and a step that needs the results of both."""
    moved = (Step(step.operation, step.argument, tuple(place + len(first) for place in step.inputs)) for step in second)
    return (*first, *moved, Step(operation, argument, (len(first) - 1, len(first) + len(second) - 1)))
