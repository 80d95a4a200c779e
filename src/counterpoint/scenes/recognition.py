"""Recognition: which annotated objects a person sees and calls by their names, so that a question may ask for them."""

from collections.abc import Callable, Collection
from functools import cache

from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.scenes.names import DATA, can_be_asked, is_known


def visible_names(
    scene: Scene, names: Collection[str], recognizable: Callable[[str], Collection[SceneObject]] | None = None
) -> list[str]:
    """Those names that a question may ask for as present: a person sees such a thing and calls it so.

    No tiny or hidden object proves that, and no toy, statue or drawing. Whether other objects might go by the name as
    well, or could have hidden one, does not matter: one is annotated. Where a source has a list of categories, only
    boxes prove anything, and nothing beyond the list does.

    `recognizable` gives the objects of a name that are known to be so already.
    """
    listed = scene.categories
    asked = [name for name in names if can_be_asked(name) and (listed is None or name in listed)]
    if recognizable is not None:
        return list(filter(recognizable, asked))
    return [name for name in asked if any(is_recognizable(scene, thing) for thing in scene.named(name))]


def is_recognizable(scene: Scene, thing: SceneObject) -> bool:
    """Whether a person sees an object and calls it by its name: not hidden, not tiny, no toy, no picture, no cab."""
    has_place = thing.box is not None or scene.categories is None
    return has_place and not (scene.is_hard_to_see(thing) or is_figure(scene, thing) or may_be_cab(scene, thing))


def is_figure(scene: Scene, thing: SceneObject) -> bool:
    """Whether an object called by the name of an animal or a person may be a toy, a statue or a drawing of one."""
    if not _is_alive(thing.name):
        return False
    if not _readings_list("figures.attributes").isdisjoint(thing.attributes):
        return True
    return _is_wild(thing.name) and is_indoors(scene)


def may_be_cab(scene: Scene, thing: SceneObject) -> bool:
    """Whether an object called by the name of a vehicle may be a part of another: its box lies in that of the other.

    Where everything is annotated, or the source has a list of categories, vehicles are told apart.
    """
    box = thing.box
    if box is None or not scene.is_sparse or not _is_vehicle(thing.name):
        return False
    others = (other for other in scene if other.name != thing.name and _is_vehicle(other.name))
    return any(other.box is not None and other.box.overlap(box) == box.area < other.box.area for other in others)


def is_indoors(scene: Scene) -> bool:
    """Whether a scene is said to be indoors, or something is annotated that stands in houses."""
    return scene.place == "indoors" or not _readings_list("figures.indoors").isdisjoint(scene.names)


@cache
def _readings_list(key: str) -> frozenset[str]:
    return word_list("readings", key, DATA)


@cache
def _is_alive(name: str) -> bool:
    return is_known(name) and (is_a(name, "animal") or is_a(name, "person"))


@cache
def _is_vehicle(name: str) -> bool:
    return is_known(name) and is_a(name, "vehicle")


@cache
def _is_wild(name: str) -> bool:
    """Whether an object is an animal that nobody keeps in a house."""
    kept = word_list("readings", "figures.kept", DATA)
    return is_a(name, "animal") and not is_a(name, "person") and not any(is_a(name, kind) for kind in kept)
