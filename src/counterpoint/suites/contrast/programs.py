"""What the program of a question says of the objects it names: names, ids, values, sides and relations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from counterpoint.core.items import Step

_ARGUMENT = re.compile(r"(?P<words>.*?)\s*\((?P<ids>[^()]*)\)\s*")
_NOT_KNOWN = "the program has a step that is not known here"


class QuestionRejected(Exception):  # noqa: N818 - it reads as what it is
    """A question gets no contrasts; the message is the reason, which is counted by template."""


class UnknownWording(QuestionRejected):
    """The wording of a question matches no pattern of the template."""


@dataclass(frozen=True, slots=True)
class ClueRelation:
    """A relation to another object: it holds from this to the other, or the reverse where `forth` is false."""

    relation: str
    forth: bool
    other: "Clue"


@dataclass(frozen=True, slots=True)
class Clue:
    """What a program says of one object; `ids` are the objects it points at, none where it says there is none."""

    name: str
    ids: tuple[str, ...]
    values: tuple[str, ...] = ()
    side: str = ""  # of the picture, left or right
    link: ClueRelation | None = None


def read_clue(program: Sequence[Step], place: int) -> Clue:
    """The object that the step at this place selects."""
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
    """The name of an object, its relation, whether it is the subject, and its ids.

    >>> split_relation("umbrella, standing under, o (2028054)")
    ('umbrella', 'standing under', False, ('2028054',))
    """
    words, ids = split_ids(argument)
    parts = [part.strip() for part in words.split(",")]
    if len(parts) != 3 or parts[2] not in ("s", "o"):
        raise QuestionRejected(_NOT_KNOWN)
    return parts[0], parts[1], parts[2] == "s", ids
