"""The wordings of the six templates as regular expressions, with groups for phrases and agreeing verbs."""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from counterpoint.language.verbs import base_form

NEAR = "are there X near the Y"
EITHER = "do you see X or Y"
SIDE = "on which side is the X"
OBJECT = "is X relation Y: object"
RELATION = "is X relation Y: relation"
COLOR = "what color is the X"

TEMPLATES = (NEAR, EITHER, SIDE, OBJECT, RELATION, COLOR)
"""The six templates, as the paper names them."""

_PICTURE = r"(?: (?:in|of) (?:the|this) (?:photo|picture|image|scene|photograph)| there)?"
_CHOICE = r"(?:,? (?:the )?(?:left|right)(?: side)?,? or (?:the )?(?:left|right)(?: side)?)?"
_HALF = r"(?:on|to|in) the (?:left|right)(?: side| part| half)?"
_OR_HALF = rf"{_HALF}{_PICTURE},? or (?:(?:on |to |in )?the )?(?:left|right)(?: side| part| half)?{_PICTURE}"
_SEE = r"(?:do|can) you (?:also )?see"

_WORDINGS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        NEAR: (
            r"(?P<be>is|are) there (?P<x>.+?)(?: that (?P<be2>is|are))? {relation} (?P<y>the .+?)",
            rf"{_SEE} (?P<x>.+?)(?: that (?P<be2>is|are))? {{relation}} (?P<y>the .+?)",
        ),
        EITHER: (
            rf"(?P<be>is|are) there (?:either )?(?P<x>.+?) or (?P<y>.+?){_PICTURE}",
            rf"{_SEE} (?:either )?(?P<x>.+?) or (?P<y>.+?){_PICTURE}",
        ),
        SIDE: (
            rf"(?:on|in) (?:which|what) side{_PICTURE} (?P<be>is|are) (?P<x>the .+?){_CHOICE}",
            rf"(?:which|what) side{_PICTURE} (?P<be>is|are) (?P<x>the .+?) on{_CHOICE}",
            rf"(?P<x>the .+?) (?P<be>is|are) on (?:which|what) side{_PICTURE}{_CHOICE}",
            rf"(?P<be>is|are) (?P<x>the .+?) {_OR_HALF}",
        ),
        OBJECT: (
            rf"(?P<be>is|are) (?P<x>the .+?) (?P<relation>{{relation}}) (?P<y>.+?){_PICTURE}",
            r"do you think (?P<x>the .+?) (?P<be>is|are) (?P<relation>{relation}) (?P<y>.+?)",
            rf"(?P<do>does|do) (?P<x>the .+?) (?P<relation>{{verb}}) (?P<y>.+?){_PICTURE}",
        ),
        COLOR: (
            rf"(?:what|which) colou?r (?P<be>is|are) (?P<x>the .+?){_PICTURE}",
            rf"what is the colou?r of (?P<x>the .+?){_PICTURE}",
            r"(?P<x>the .+?) (?P<be>is|are) (?:of )?(?:what|which) colou?r",
            r"(?P<x>the .+?) (?P<have>has|have) (?:what|which) colou?r",
            r"(?:of )?(?:what|which) colou?r (?P<do>does|do) (?P<x>the .+?) have",
            r"(?:what|which) colou?r do you think (?P<x>the .+?) (?P<be>is|are)",
        ),
    }
)


def match_wording(template: str, text: str, relation: str = "") -> re.Match[str] | None:
    """A question read as one wording of a template, with the relation of its program where it has one.

    >>> found = match_wording(COLOR, "What is the color of the red cup?")
    >>> found and found["x"]
    'the red cup'
    """
    own = OBJECT if template == RELATION else template
    readings = (wording.fullmatch(text) for wording in _wordings(own, relation))
    return next((match for match in readings if match), None)


@cache
def _wordings(template: str, relation: str) -> tuple[re.Pattern[str], ...]:
    spelled, verb = re.escape(relation), re.escape(plain_form(relation))
    return tuple(
        re.compile(wording.replace("{relation}", spelled).replace("{verb}", verb) + r" ?[?.]*", re.IGNORECASE)
        for wording in _WORDINGS[template]
        if verb or "{verb}" not in wording
    )


def plain_form(relation: str) -> str:
    """The base form of a relation that begins with a gerund, as it follows "does"; else nothing.

    >>> plain_form("sitting on"), plain_form("to the left of")
    ('sit on', '')
    """
    return base_form(relation) if relation.partition(" ")[0].endswith("ing") else ""
