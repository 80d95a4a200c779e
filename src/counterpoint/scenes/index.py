"""A scene graph indexed for lookups that both the suites and the built-in world make."""

from collections.abc import Mapping
from functools import cached_property

from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.scenes.spatial import side_of_picture


class SceneIndex:
    """Who wears what, which relations are annotated, and on which side an object is."""

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

    def side(self, thing: SceneObject) -> str:
        """Left or right, for an object that lies clearly in one half of the picture; else nothing."""
        return side_of_picture(self.scene, thing)
