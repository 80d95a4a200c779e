"""An inverted index of scenes, to count in how many of them a name could be proved absent."""

from collections import defaultdict
from collections.abc import Iterable

from counterpoint.core.scenes import Scene
from counterpoint.scenes.absence import absence_doubt, is_outdoors, lone_names
from counterpoint.scenes.ambiguity import PART_ANNOTATED, ambiguity_reasons
from counterpoint.scenes.names import is_listed, is_part_of
from counterpoint.scenes.recognition import is_indoors


class AbsenceIndex:
    """Scenes as bits of whole numbers: for each name, those that have such an object.

    Where a scene has captions or a list of categories, it is looked at by itself.
    """

    def __init__(self, scenes: Iterable[Scene]) -> None:
        every = list(scenes)
        plain = [scene for scene in every if scene.categories is None and not scene.captions]
        others = [scene for scene in every if scene.categories is not None or scene.captions]
        self._others = [(scene, lone_names(scene)) for scene in others]
        self._all = (1 << len(plain)) - 1
        self._having, self._lone = defaultdict[str, int](int), defaultdict[str, int](int)
        for place, scene in enumerate(plain):
            for name in scene.names:
                self._having[name] |= 1 << place
            for name in lone_names(scene):
                self._lone[name] |= 1 << place
        self._complete = _bits(scene.is_complete for scene in plain)
        self._indoors, self._outdoors = _bits(map(is_indoors, plain)), _bits(map(is_outdoors, plain))
        self._wholes: dict[str, int] = {}

    def absences(self, name: str) -> int:
        """The number of scenes where nothing raises a doubt that an object of this name is absent."""
        left = self._all & ~self._having.get(name, 0)
        for other, reason in ambiguity_reasons(name).among(self._having.keys()).items():
            if other in self._having:
                explained = self._scenes_with_wholes(other) & ~self._lone[other] if reason == PART_ANNOTATED else 0
                left &= ~self._having[other] | explained
        if is_listed("background.anywhere", name):
            left &= self._complete
        if is_listed("background.open", name):
            left &= self._complete | self._indoors
        if is_listed("background.rooms", name):
            left &= self._complete | self._outdoors
        return left.bit_count() + sum(not absence_doubt(scene, name, scene.names, lone) for scene, lone in self._others)

    def _scenes_with_wholes(self, part: str) -> int:
        """The scenes that have a thing which has such a part."""
        if part not in self._wholes:
            self._wholes[part] = 0
            for name, scenes in self._having.items():
                self._wholes[part] |= scenes if is_part_of(part, name) else 0
        return self._wholes[part]


def _bits(values: Iterable[bool]) -> int:
    return sum(1 << place for place, value in enumerate(values) if value)
