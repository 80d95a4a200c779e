"""An independent judge of questions about boxes: it reads the words anew, and loops over the records of a COCO file.

It shares nothing with the generators but the inflection of nouns, and knows no margin but a slack of two pixels. So it
decides every question, also one that should never have been asked.
"""

import re
from itertools import combinations
from typing import Any, NamedTuple

from counterpoint.language.nouns import plural

_SLACK = 2  # pixels, since boxes are rounded when they are read
_RELATION = "to the left of|to the right of|higher in the picture than|lower in the picture than"
_OPPOSITE = {
    "to the left of": "to the right of",
    "to the right of": "to the left of",
    "higher in the picture than": "lower in the picture than",
    "lower in the picture than": "higher in the picture than",
}


class JudgedBox(NamedTuple):
    """One annotation of a picture: its category and its edges."""

    name: str
    left: float
    top: float
    right: float
    bottom: float
    is_crowd: bool


def boxes_of(file: dict[str, Any], image: int) -> list[JudgedBox]:
    """The annotations of one picture, in a loop over all."""
    names = {row["id"]: row["name"].replace("_", " ") for row in file["categories"]}
    return [
        JudgedBox(names[row["category_id"]], x, y, x + width, y + height, bool(row.get("iscrowd")))
        for row in file["annotations"]
        for x, y, width, height in [row["bbox"]]
        if row["image_id"] == image
    ]


def stands(one: JudgedBox, relation: str, other: JudgedBox) -> bool:
    """Whether a box lies wholly on a side of another."""
    return {
        "to the left of": one.right <= other.left + _SLACK,
        "to the right of": one.left >= other.right - _SLACK,
        "higher in the picture than": one.bottom <= other.top + _SLACK,
        "lower in the picture than": one.top >= other.bottom - _SLACK,
    }[relation]


def judge(text: str, boxes: list[JudgedBox], width: int) -> str | None:
    """The answer by the boxes alone, or None where they leave it open or the words are not known."""
    kind = r"(?:an? |any )?"
    if match := re.fullmatch(rf"(?:Is|Are) there {kind}(.+?) ({_RELATION}) (?:the |an? )?(.+)\?", text):
        return _some_stand(boxes, *match.groups())
    if match := re.fullmatch(rf"(?:Is|Are) the (.+?) ({_RELATION}) the (.+)\?", text):
        one, other = (_meant(boxes, match[part], width) for part in (1, 3))
        alone = len(one) == len(other) == 1
        return _some_stand([*one, *other], one[0].name, match[2], other[0].name) if alone else None
    if match := re.fullmatch(rf"(?:Is|Are) there either {kind}(.+?) or {kind}(.+)\?", text):
        return "yes" if any(_named(boxes, name) for name in match.groups()) else "no"
    if match := re.fullmatch(rf"(?:Is|Are) there {kind}(.+)\?", text):
        return "yes" if _named(boxes, match[1]) else "no"
    if match := re.fullmatch(r"On which side of the picture (?:is|are) the (.+)\?", text):
        found = _named(boxes, match[1])
        middle = (found[0].left + found[0].right) / 2 if len(found) == 1 else width / 2
        return "left" if middle < width / 2 else "right" if middle > width / 2 else None
    if match := re.fullmatch(r"How many (.+) are there\?", text):
        return str(len([box for box in boxes if plural(box.name) == match[1]]))
    return None


def _meant(boxes: list[JudgedBox], phrase: str, width: int) -> list[JudgedBox]:
    """The boxes of a name, or those in one half of the picture."""
    name, _, side = phrase.partition(" on the ")
    found = _named(boxes, name)
    return [box for box in found if not side or ((box.left + box.right) < width) is (side == "left")]


def _named(boxes: list[JudgedBox], name: str) -> list[JudgedBox]:
    return [box for box in boxes if name in (box.name, plural(box.name))]


def _some_stand(boxes: list[JudgedBox], name: str, relation: str, other: str) -> str | None:
    """Yes where one stands so; no where there is none, or all stand the other way round."""
    pairs = [(one, anchor) for one in _named(boxes, name) for anchor in _named(boxes, other)]
    if any(stands(one, relation, anchor) for one, anchor in pairs):
        return "yes"
    against = (
        stands(one, _OPPOSITE[relation], anchor) or _lies_further(one, relation, anchor) for one, anchor in pairs
    )
    return "no" if all(against) else None


def _lies_further(one: JudgedBox, relation: str, other: JudgedBox) -> bool:
    """Whether both edges of a box lie further to the other side, although the two share columns."""
    if relation == "to the left of":
        return one.left >= other.left and one.right >= other.right
    return relation == "to the right of" and one.left <= other.left and one.right <= other.right


def is_easily_counted(boxes: list[JudgedBox], name: str, width: int, height: int) -> bool:
    """Whether nobody would count the boxes of a category otherwise: no crowd, none tiny, none half within another."""
    own = [box for box in boxes if plural(box.name) == plural(name)]
    areas = [(box.right - box.left) * (box.bottom - box.top) for box in own]
    if any(box.is_crowd for box in own) or any(area < width * height / 800 * 0.9 for area in areas):
        return False
    for (one, area), (other, area_of_other) in combinations(zip(own, areas, strict=True), 2):
        across = min(one.right, other.right) - max(one.left, other.left)
        down = min(one.bottom, other.bottom) - max(one.top, other.top)
        if max(across, 0) * max(down, 0) > 0.55 * min(area, area_of_other):
            return False
    return True
