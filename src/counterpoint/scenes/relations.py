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
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.language.english import be
from counterpoint.language.lexicon.word_lists import split_list, word_list, word_table
from counterpoint.language.nouns import singular
from counterpoint.scenes.names import DATA, is_listed, is_part, may_show


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


def may_be_joined(scene: Scene, link: Link) -> bool:
    """Whether nobody would place two objects so, since one may be a part of the other, or stand on it.

    A door that is annotated in front of its building is set in it, and a table beside a bowl may well carry the bowl.
    Where everything is annotated, or a source lists its categories, relations are what they say.
    """
    if not scene.is_sparse:
        return False
    pair = scene[link.subject], scene[link.object]
    if link.name in ("in front of", "behind"):
        return any(_may_be_set_in(one, other) for one, other in (pair, pair[::-1]))
    is_beside = link.name in (LEFT, RIGHT) or link.name in SYMMETRIC_RELATIONS
    return is_beside and any(_may_stand_on(scene, one, other) for one, other in (pair, pair[::-1]))


def _may_be_set_in(part: SceneObject, whole: SceneObject) -> bool:
    if not part.box or not whole.box or not may_show(whole.name, part.name):
        return False
    return 10 * part.box.overlap(whole.box) >= 9 * part.box.area


def _may_stand_on(scene: Scene, thing: SceneObject, carrier: SceneObject) -> bool:
    """Whether an object may stand on another: it stands on nothing else that is annotated."""
    if not is_listed("standing.carriers", carrier.name) or not is_listed("standing.carried", thing.name):
        return False
    return not any(_plain(link.name) == "on" and link.object != carrier.id for link in scene.relations_of(thing.id))


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
_BOX = "the box of "


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
    forth, back = scene.relations_between(thing.id, other.id), scene.relations_between(other.id, thing.id)
    annotated = _annotated(forth, back, relation, be(thing.name), be(other.name)) if forth or back else None
    by_boxes = _by_boxes(scene, thing, relation, other)
    if annotated and by_boxes and annotated.holds != by_boxes.holds:
        return None  # annotators and boxes contradict each other
    statement = (by_boxes or annotated) if scene.categories is not None else (annotated or by_boxes)
    return statement and statement.fact(thing, other)


class _Statement(NamedTuple):
    """Whether a relation holds, and the words of the proof before, between and after two objects."""

    holds: bool
    between: str
    before: str = ""
    after: str = ""
    is_turned: bool = False  # the other object comes first

    def fact(self, thing: SceneObject, other: SceneObject) -> RelationFact:
        holds, between, before, after, is_turned = self
        one, another = (other, thing) if is_turned else (thing, other)
        return RelationFact(holds, f"{before}{one.name} {one.id}{between}{another.name} {another.id}{after}")


@lru_cache(1 << 14)
def _annotated(
    forth: tuple[str, ...], back: tuple[str, ...], relation: str, verb: str, other_verb: str
) -> _Statement | None:
    """What the relations between two objects say of another; few combinations of relations occur in many scenes."""
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
        return _Statement(True, f" {verb} annotated as {(ours or [wanted])[0]} ")
    if stated := next((name for name in against if name in forth), ""):
        return _Statement(False, f" {verb} annotated as {stated} ", after=f", which excludes {relation}")
    return _Statement(False, f" {other_verb} annotated as {against[0]} ", is_turned=True)


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


def _by_boxes(scene: Scene, thing: SceneObject, relation: str, other: SceneObject) -> _Statement | None:
    box, its = thing.box, other.box
    if box is None or its is None:
        return None
    placement = _PLACEMENTS.get(relation)
    if placement and (place := placement(box, its, scene.size)):
        return _Statement(place == relation, f" lies {place} that of ", _BOX)
    length = max(scene.size.width, scene.size.height)
    if relation in (LEFT, RIGHT):
        shift = its.middle[0] - box.middle[0]
        left, right = (box, its) if shift > 0 else (its, box)
        direction = LEFT if shift > 0 else RIGHT
        if abs(shift) < SHIFTED * length:
            return None
        if direction == relation or left.x > right.x or left.right > right.right:
            return None
        return _Statement(False, f" lies further {direction[7:-3]} than that of ", _BOX, " on both edges")
    if relation in ("above", "below"):
        upper, lower = (box, its) if relation == "above" else (its, box)
        if upper.y - lower.bottom >= APART * length:
            return _Statement(False, f" lies {OPPOSITE_RELATIONS[relation]} that of ", _BOX)
    if _means_touching(relation):
        across = max(box.x, its.x) - min(box.right, its.right)
        down = max(box.y, its.y) - min(box.bottom, its.bottom)
        if max(across, down) >= APART * length:
            return _Statement(False, " and ", "the boxes of ", " do not touch")
    return None


@cache
def _means_touching(relation: str) -> bool:
    return relation in word_list("relations", "touching", DATA)


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
