"""What a question says: its program by names, ids, values and relations, and its wording by the six templates."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from counterpoint.core.items import Step
from counterpoint.core.placement import LEFT, RIGHT
from counterpoint.language.lexicon.word_lists import word_table
from counterpoint.language.verbs import base_form
from counterpoint.scenes.relations import OPPOSITE_RELATIONS, SYMMETRIC_RELATIONS, opposite_relation

_ARGUMENT = re.compile(r"(?P<words>.*?)\s*\((?P<ids>[^()]*)\)\s*")
_NOT_KNOWN = "the program has a step that is not known here"


class QuestionRejected(Exception):  # noqa: N818 - it reads as what it is
    """A question gets no contrasts; the message is the reason, which is counted by template."""


class UnknownWording(QuestionRejected):
    """The wording of a question matches no pattern of the template."""


class UnclearWording(QuestionRejected):
    """The words of a question fit several things, or not its program; other words may do."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RelativeClause(Generic[T]):
    """A relation to another object: it holds from this to the other, or the reverse where `forth` is false."""

    relation: str
    forth: bool
    other: T


class Clue(NamedTuple):
    """What a program says of one object; `ids` are the objects it points at, none where it says there is none."""

    name: str
    ids: tuple[str, ...]
    values: tuple[str, ...] = ()
    side: str = ""  # of the picture, left or right
    link: "RelativeClause[Clue] | None" = None


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
        return Clue(name, ids, link=RelativeClause(relation, forth, read_clue(program, step.inputs[0])))
    operation, _, sort = step.operation.partition(" ")
    if operation != "filter" or "(" in step.argument:
        raise QuestionRejected(_NOT_KNOWN)
    clue = read_clue(program, step.inputs[0])
    if sort == "hposition" and step.argument in ("left", "right"):
        return clue._replace(side=step.argument)
    return clue._replace(values=(*clue.values, step.argument))


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


NEAR = "are there X near the Y"
EITHER = "do you see X or Y"
SIDE = "on which side is the X"
OBJECT = "is X relation Y: object"
RELATION = "is X relation Y: relation"
COLOR = "what color is the X"

TEMPLATES = (NEAR, EITHER, SIDE, OBJECT, RELATION, COLOR)
"""The six templates, as the paper names them."""


def templates_of(program: Sequence[Step]) -> tuple[str, ...]:
    """The templates that a program can be an instance of, by its last step.

    A relation is exchanged where it has an opposite: the paper has relations of space.
    """
    if not program:
        return ()
    last = program[-1]
    if last.operation == "verify rel":
        parts = last.argument.split(",")
        return (OBJECT, RELATION) if len(parts) > 1 and opposite_relation(parts[1].strip()) else (OBJECT,)
    if last.operation == "exist":
        place = last.inputs[0] if last.inputs else 0
        while program[place].operation.startswith("filter") and program[place].inputs:
            place = program[place].inputs[0]
        return (NEAR,) if program[place].operation == "relate" else ()
    if last.operation == "query":
        return {"hposition": (SIDE,), "color": (COLOR,)}.get(last.argument, ())
    if last.operation == "choose rel":
        return (SIDE,) if {LEFT, RIGHT} == set(_named_relations(last.argument)) else ()
    return {"or": (EITHER,), "choose hposition": (SIDE,)}.get(last.operation, ())


def _named_relations(argument: str) -> list[str]:
    """The relations that a question lets choose between, as in "cup,to the left of|to the right of,s (1)"."""
    parts = argument.split(",")
    return [one.strip() for one in parts[1].split("|")] if len(parts) > 1 else []


def templates_of_text(text: str) -> tuple[str, ...]:
    """The templates whose wordings a question without a program has, whatever the relation."""
    spoken = "|".join(sorted((*OPPOSITE_RELATIONS, *SYMMETRIC_RELATIONS), key=len, reverse=True))
    return next(((name,) for name in (SIDE, COLOR, NEAR, EITHER, OBJECT) if _matches(name, text, spoken)), ())


def _matches(template: str, text: str, relations: str) -> bool:
    table = word_table("wordings", Path(__file__).parent / "data")
    slots = {**table["parts"], "relation": f"(?:{relations})", "verb": r"\0"}
    return any(
        re.fullmatch(one.format_map(slots) + r" ?[?.]*", text, re.IGNORECASE) for one in table["wordings"][template]
    )


def match_wording(template: str, text: str, relation: str = "") -> re.Match[str] | None:
    """A question read as one wording of a template, with the relation of its program where it has one.

    >>> found = match_wording(COLOR, "What is the color of the red cup?")
    >>> found and found["x"]
    'the red cup'
    """
    own = OBJECT if template == RELATION or (template == SIDE and relation) else template
    readings = (wording.fullmatch(text) for wording in _wordings(own, relation))
    return next((match for match in readings if match), None)


@cache
def _wordings(template: str, relation: str) -> tuple[re.Pattern[str], ...]:
    table, verb = word_table("wordings", Path(__file__).parent / "data"), plain_form(relation)
    slots = {**table["parts"], "relation": re.escape(relation), "verb": re.escape(verb)}
    return tuple(
        re.compile(wording.format_map(slots) + r" ?[?.]*", re.IGNORECASE)
        for wording in table["wordings"][template]
        if verb or "{verb}" not in wording
    )


def plain_form(relation: str) -> str:
    """The base form of a relation that begins with a gerund, as it follows "does"; else nothing.

    >>> plain_form("sitting on"), plain_form("to the left of")
    ('sit on', '')
    """
    return base_form(relation) if relation.partition(" ")[0].endswith("ing") else ""
