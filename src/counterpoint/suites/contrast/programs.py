"""What the program of a question says of the things it names: their names, objects, values, sides and relations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from counterpoint.core.items import Step

_ARGUMENT = re.compile(r"(?P<words>.*?)\s*\((?P<ids>[^()]*)\)\s*")
_NOT_KNOWN = "the program has a step that is not known here"


class QuestionRejected(Exception):  # noqa: N818 - it reads as what it is
    """Something about a question, its program or its scene that cannot be told for sure."""


class UnknownWording(QuestionRejected):
    """A wording that is none of the template's."""


@dataclass(frozen=True, slots=True)
class ClueRelation:
    """How a thing relates to another: it is `relation` the other, or the other is so to it where `forth` is false."""

    relation: str
    forth: bool
    other: "Clue"


@dataclass(frozen=True, slots=True)
class Clue:
    """What a program says of one thing; `ids` are the objects it points at, none where it says there is none."""

    name: str
    ids: tuple[str, ...]
    values: tuple[str, ...] = ()
    side: str = ""  # of the picture, left or right
    link: ClueRelation | None = None


def read_clue(program: Sequence[Step], place: int) -> Clue:
    """The thing that the step at this place has found."""
    step = program[place]
    if step.operation == "select":
        name, ids = split_ids(step.argument)
        return Clue(name, ids)
    if not step.inputs:
        raise QuestionRejected(_NOT_KNOWN)
    if step.operation == "relate":
        name, relation, forth, ids = split_relation(step.argument)
        return Clue(name, ids, link=ClueRelation(relation, forth, read_clue(program, step.inputs[0])))
    operation, _, sort = step.operation.partition(" ")
    if operation != "filter" or "(" in step.argument:
        raise QuestionRejected(_NOT_KNOWN)
    return _add_filter(read_clue(program, step.inputs[0]), sort, step.argument)


def _add_filter(clue: Clue, sort: str, value: str) -> Clue:
    if sort == "hposition" and value in ("left", "right"):
        return replace(clue, side=value)
    if sort.endswith("position"):
        raise QuestionRejected("the program has a place that boxes do not prove")
    return replace(clue, values=(*clue.values, value))


def split_ids(argument: str) -> tuple[str, tuple[str, ...]]:
    """A name and the ids of the objects that go by it here.

    >>> split_ids("wine glass (389020)"), split_ids("shark (-)")
    (('wine glass', ('389020',)), ('shark', ()))
    """
    match = _ARGUMENT.fullmatch(argument)
    if not match:
        raise QuestionRejected("the program names no objects")
    ids = (part.strip() for part in match["ids"].split(","))
    return match["words"].strip(), tuple(part for part in ids if part not in ("", "-"))


def split_relation(argument: str) -> tuple[str, str, bool, tuple[str, ...]]:
    """The name of a thing, its relation, whether the thing is the subject of it, and the ids of its objects.

    >>> split_relation("umbrella, standing under, o (2028054)")
    ('umbrella', 'standing under', False, ('2028054',))
    """
    words, ids = split_ids(argument)
    parts = [part.strip() for part in words.split(",")]
    if len(parts) != 3 or parts[2] not in ("s", "o"):
        raise QuestionRejected(_NOT_KNOWN)
    return parts[0], parts[1], parts[2] == "s", ids
