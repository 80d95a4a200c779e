"""Relations of a scene: which read well in a sentence, which exclude each other, and whether one holds.

Annotations come first. Without one, boxes prove what they can, with margins: that one object is left of another, or at
least not right of it, that it is not above what it lies below, that two objects do not touch.
"""

from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from counterpoint.core.placement import (
    APART,
    HIGHER,
    LEFT,
    LOWER,
    RIGHT,
    SHIFTED,
    horizontal_placement,
    vertical_placement,
)
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import be
from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.language.nouns import singular
from counterpoint.scenes.names import DATA, is_part


@cache
def can_follow_noun(relation: str) -> bool:
    """Whether a relation reads well after a noun: "a cup on the table", but nothing "of" it."""
    return relation in word_list("relations", "said", DATA)


@lru_cache(1 << 16)
def can_be_placed(relation: str, *names: str) -> bool:
    """Whether people say so where such objects are: nobody asks for a tail, or for snow, to the right of a man.

    >>> can_be_placed("to the left of", "cup", "dog"), can_be_placed("to the left of", "paper", "shirt")
    (True, False)
    >>> can_be_placed("to the left of", "snow", "man"), can_be_placed("behind", "snow", "man")
    (False, True)
    """
    covers = word_list("relations", "covering", DATA)
    if relation in (LEFT, RIGHT) and any(singular(name) in covers for name in names):
        return False
    return not opposed_relation(relation) or not any(map(is_part, names))


@cache
def is_exclusive(relation: str) -> bool:
    """Whether an object has this relation with one other at a time: one umbrella is held by one person."""
    return relation in word_list("relations", "alone", DATA)


@cache
def opposed_relation(relation: str) -> str:
    """The relation that excludes this one between the same two objects, or nothing.

    >>> opposed_relation("behind"), opposed_relation("on")
    ('in front of', '')
    """
    pairs = [split_list(row) for row in word_table("relations", DATA)["opposed"]]
    return next((other for pair in pairs for one, other in (pair, pair[::-1]) if one == relation), "")


_MIRRORED = ((LEFT, RIGHT), ("above", "below"), ("in front of", "behind"), (HIGHER, LOWER))
_INVERSE = {one: other for pair in _MIRRORED for one, other in (pair, pair[::-1])}
OPPOSITE_RELATIONS: Mapping[str, str] = MappingProxyType(
    _INVERSE | {"on": "under", "under": "on", "on top of": "under"}
)
"""Relations that exclude each other, each with the one that a question may have in its place."""

SYMMETRIC_RELATIONS = frozenset({"near", "next to", "beside", "by", "close to"})
"""Relations that are the same both ways."""

_SAME = dict.fromkeys(SYMMETRIC_RELATIONS, "near") | {"on top of": "on", "beneath": "under", "underneath": "under"}
_PLACEMENTS = dict.fromkeys((LEFT, RIGHT), horizontal_placement) | dict.fromkeys((HIGHER, LOWER), vertical_placement)
_POSTURES = ("sitting", "standing", "lying")


class RelationFact(NamedTuple):
    """Whether a relation holds, and the proof."""

    holds: bool
    proof: str


def opposite_relation(relation: str) -> str:
    """The relation that excludes this one and takes its place in a question, or nothing.

    >>> opposite_relation("to the left of"), opposite_relation("sitting under"), opposite_relation("holding")
    ('to the right of', 'sitting on', '')
    """
    if relation in OPPOSITE_RELATIONS:
        return OPPOSITE_RELATIONS[relation]
    posture, _, rest = relation.partition(" ")
    return f"{posture} {OPPOSITE_RELATIONS[rest]}" if posture in _POSTURES and rest in OPPOSITE_RELATIONS else ""


def side_of_picture(scene: Scene, thing: SceneObject) -> str:
    """Left or right, for an object that lies clearly in one half of the picture; else nothing."""
    if thing.box is None:
        return ""
    width, middle = scene.size.width, thing.box.middle[0]
    if 20 * thing.box.right <= 11 * width and 5 * middle < 2 * width:
        return "left"
    return "right" if 20 * thing.box.x >= 9 * width and 5 * middle > 3 * width else ""


def relation_fact(scene: Scene, thing: SceneObject, relation: str, other: SceneObject) -> RelationFact | None:
    """Whether one object is in a relation to another, or None where that is open."""
    if thing.id == other.id:
        return None
    annotated = _annotated(scene, thing, relation, other)
    by_boxes = _by_boxes(scene, thing, relation, other)
    if annotated and by_boxes and annotated.holds != by_boxes.holds:
        return None  # annotators and boxes contradict each other
    return (by_boxes or annotated) if scene.categories is not None else (annotated or by_boxes)


def _annotated(scene: Scene, thing: SceneObject, relation: str, other: SceneObject) -> RelationFact | None:
    forth, back = scene.relations_between(thing.id, other.id), scene.relations_between(other.id, thing.id)
    if not forth and not back:
        return None
    wanted = _plain(relation)
    ours = [name for name in forth if _plain(name) == wanted or _bare(name) == wanted]
    ours += [name for name in back if _plain(name) == wanted and wanted == "near"]
    turned = [name for name in back if _INVERSE.get(_bare(name)) == wanted]
    against = [name for name in forth if wanted in _excluded(name)]
    against += [name for name in back if _bare(name) == wanted and wanted in _INVERSE]
    if bool(ours or turned) == bool(against):
        return None
    if against and any(name.endswith(f" {_bare(wanted)}") for name in forth):
        return None  # who leans on a chair may as well be said to sit on it
    if ours or turned:
        stated, names = (ours or [wanted])[0], _pair(thing, other)
        return RelationFact(True, f"{names[0]} {be(thing.name)} annotated as {stated} {names[1]}")
    names = _pair(thing, other)
    if stated := next((name for name in against if name in forth), ""):
        proof = f"{names[0]} {be(thing.name)} annotated as {stated} {names[1]}, which excludes {relation}"
        return RelationFact(False, proof)
    return RelationFact(False, f"{names[1]} {be(other.name)} annotated as {against[0]} {names[0]}")


def _plain(relation: str) -> str:
    return _SAME.get(relation, relation)


@cache
def _bare(relation: str) -> str:
    """Without the posture: who sits behind a tree is behind it."""
    posture, _, rest = relation.partition(" ")
    return _plain(rest) if posture in _POSTURES and rest else _plain(relation)


@cache
def _excluded(relation: str) -> tuple[str, ...]:
    """The relations that a relation excludes."""
    opposite = OPPOSITE_RELATIONS.get(_bare(relation), "")
    return (opposite, *(f"{posture} {opposite}" for posture in _POSTURES)) if opposite else ()


def _by_boxes(scene: Scene, thing: SceneObject, relation: str, other: SceneObject) -> RelationFact | None:
    if thing.box is None or other.box is None:
        return None
    placement = _PLACEMENTS.get(relation)
    if placement and (place := placement(thing.box, other.box, scene.size)):
        names = _pair(thing, other)
        return RelationFact(place == relation, f"the box of {names[0]} lies {place} that of {names[1]}")
    length = max(scene.size.width, scene.size.height)
    if relation in (LEFT, RIGHT):
        shift = other.box.middle[0] - thing.box.middle[0]
        left, right = (thing.box, other.box) if shift > 0 else (other.box, thing.box)
        direction = LEFT if shift > 0 else RIGHT
        if abs(shift) < SHIFTED * length:
            return None
        if direction == relation or left.x > right.x or left.right > right.right:
            return None
        names = _pair(thing, other)
        proof = f"the box of {names[0]} lies further {direction[7:-3]} than that of {names[1]} on both edges"
        return RelationFact(False, proof)
    if relation in ("above", "below"):
        upper, lower = (thing.box, other.box) if relation == "above" else (other.box, thing.box)
        if upper.y - lower.bottom >= APART * length:
            names = _pair(thing, other)
            return RelationFact(False, f"the box of {names[0]} lies {OPPOSITE_RELATIONS[relation]} that of {names[1]}")
    if relation in word_list("relations", "touching", DATA):
        across = max(thing.box.x, other.box.x) - min(thing.box.right, other.box.right)
        down = max(thing.box.y, other.box.y) - min(thing.box.bottom, other.box.bottom)
        if max(across, down) >= APART * length:
            names = _pair(thing, other)
            return RelationFact(False, f"the boxes of {names[0]} and {names[1]} do not touch")
    return None


def _pair(thing: SceneObject, other: SceneObject) -> tuple[str, str]:
    return f"{thing.name} {thing.id}", f"{other.name} {other.id}"


class SceneIndex:
    """Who wears what, and which relations are annotated."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    @cached_property
    def wearers(self) -> Mapping[str, str]:
        """The id of the wearer, by the id of the garment."""
        return {link.object: link.subject for link in self.scene.relations if link.name == "wearing"}

    @cached_property
    def triples(self) -> frozenset[tuple[str, str, str]]:
        """Every annotated relation, as the ids of subject and object around its name."""
        return frozenset((link.subject, link.name, link.object) for link in self.scene.relations)
