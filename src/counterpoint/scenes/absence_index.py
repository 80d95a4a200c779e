"""An inverted index of scenes, to count in how many of them a name could be proved absent."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping

from counterpoint.core.scenes import Scene
from counterpoint.scenes.absence import absence_doubt, is_outdoors
from counterpoint.scenes.ambiguity import (
    PART_ANNOTATED,
    ambiguity_reasons,
    is_indoors,
    is_listed,
    is_part_of,
    name_marks,
)


class NameIndex:
    """Names by their marks, so that those that may raise doubts about another are found without comparing all pairs."""

    def __init__(self, names: Collection[str]) -> None:
        marked = {name: marks for name in names if (marks := name_marks(name))}
        self._names, self._unmarked = frozenset(names), frozenset(names) - marked.keys()
        self._has = _inverted({name: marks.has for name, marks in marked.items()})
        self._is_of = _inverted({name: marks.is_of for name, marks in marked.items()})
        self._around = _inverted({name: marks.around for name, marks in marked.items()})
        self._parts = _inverted({name: marks.parts for name, marks in marked.items()})

    def may_raise_doubt(self, name: str) -> frozenset[str]:
        """The names that `ambiguity.may_raise_doubt` holds of."""
        own = name_marks(name)
        if own is None:
            return self._names
        return self._unmarked.union(
            *(self._has[mark] for mark in own.is_of if mark in self._has),
            *(self._is_of[mark] for mark in own.part_of if mark in self._is_of),
            *(self._around[mark] for mark in own.names if mark in self._around),
            *(self._parts[mark] for mark in own.senses if mark in self._parts),
        )


def _inverted(marks: Mapping[str, Iterable[Hashable]]) -> Mapping[Hashable, set[str]]:
    index = defaultdict[Hashable, set[str]](set)
    for name, own in marks.items():
        for mark in own:
            index[mark].add(name)
    return dict(index)


class AbsenceIndex:
    """Scenes as bits of whole numbers: for each name, those that have such an object.

    Where a scene has captions or a list of categories, it is looked at by itself.
    """

    def __init__(self, scenes: Iterable[Scene]) -> None:
        every = list(scenes)
        plain = [scene for scene in every if scene.categories is None and not scene.captions]
        self._others = [scene for scene in every if scene.categories is not None or scene.captions]
        self._all = (1 << len(plain)) - 1
        self._having = defaultdict[str, int](int)
        for place, scene in enumerate(plain):
            for name in scene.names:
                self._having[name] |= 1 << place
        self._complete = _bits(scene.is_complete for scene in plain)
        self._indoors, self._outdoors = _bits(map(is_indoors, plain)), _bits(map(is_outdoors, plain))
        self._names = NameIndex(self._having.keys())
        self._wholes: dict[str, int] = {}

    def absences(self, name: str) -> int:
        """The number of scenes where nothing raises a doubt that an object of this name is absent."""
        left, reasons = self._all & ~self._having.get(name, 0), ambiguity_reasons(name)
        for other in self._names.may_raise_doubt(name):
            if reason := reasons[other]:
                explained = self._scenes_with_wholes(other) if reason == PART_ANNOTATED else 0
                left &= ~self._having[other] | explained
        if is_listed("background.anywhere", name):
            left &= self._complete
        if is_listed("background.open", name):
            left &= self._complete | self._indoors
        if is_listed("background.rooms", name):
            left &= self._complete | self._outdoors
        return left.bit_count() + sum(not absence_doubt(scene, name, scene.names) for scene in self._others)

    def _scenes_with_wholes(self, part: str) -> int:
        """The scenes that have a thing which has such a part."""
        if part not in self._wholes:
            self._wholes[part] = 0
            for name, scenes in self._having.items():
                self._wholes[part] |= scenes if is_part_of(part, name) else 0
        return self._wholes[part]


def _bits(values: Iterable[bool]) -> int:
    return sum(1 << place for place, value in enumerate(values) if value)
