"""Scene graphs: objects with names, attributes and boxes, and their relations."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import starmap
from typing import Any

from msgspec import Struct

from counterpoint.core.grouping import group_pairs
from counterpoint.core.ids import Plain, content_id
from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.placement import is_tiny


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One annotated object; its id is unique in its scene, its box refers to the size of the scene."""

    id: str
    name: str
    attributes: tuple[str, ...] = ()
    box: Box | None = None
    is_crowd: bool = False  # one box around several objects of its name
    is_hidden: bool = False  # behind others, or drawn in the color of what is behind it


class Link(Struct, frozen=True):
    """A relation of the scene, read from left to right: `subject` is `name` `object`, as in "cup on table"."""

    subject: str
    name: str
    object: str


@dataclass(frozen=True)
class Scene:
    """A scene graph, with objects indexed by id, by name, and by relation.

    >>> cup, table = SceneObject("1", "cup", ("red",)), SceneObject("2", "table")
    >>> scene = Scene("7", Picture("world:7.png"), Size(320, 240), (cup, table), (Link("1", "on", "2"),))
    >>> [item.name for item in scene.related("on", "2")]
    ['cup']
    """

    id: str
    picture: Picture
    size: Size
    objects: tuple[SceneObject, ...] = ()
    relations: tuple[Link, ...] = ()
    place: str = ""  # such as "beach"
    weather: str = ""
    categories: frozenset[str] | None = None  # the only names annotated wherever they are visible; None: no such list
    annotates_parts: bool = False  # whether a category is annotated on others too, as a helmet on a person
    is_complete: bool = False  # whether everything that can be seen is annotated, as in a drawn scene
    captions: tuple[str, ...] = ()  # what people wrote about the picture, where the source has that too

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle plain tuples, without indexes: a pickled object for each would take two to four times as long."""
        objects = [(o.id, o.name, o.attributes, _corners(o.box), o.is_crowd, o.is_hidden) for o in self.objects]
        links = [(link.subject, link.name, link.object) for link in self.relations]
        others = self.place, self.weather, self.categories, self.annotates_parts, self.is_complete, self.captions
        return _unpickle_scene, (self.id, self.picture, self.size, objects, links, others)

    def __getitem__(self, object_id: str) -> SceneObject:
        return self._by_id[object_id]

    def __iter__(self) -> Iterator[SceneObject]:
        return iter(self.objects)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of everything annotated."""
        return frozenset(self._by_name)

    def named(self, name: str) -> tuple[SceneObject, ...]:
        """The objects of exactly this name, in the order of annotation."""
        return self._by_name.get(name, ())

    def related(self, name: str, to: str) -> tuple[SceneObject, ...]:
        """The objects that are `name` the object whose id is `to`."""
        return tuple(self[link.subject] for link in self._to.get((name, to), ()))

    def relations_of(self, subject: str) -> tuple[Link, ...]:
        """The relations that start at this object."""
        return self._from.get(subject, ())

    def relations_between(self, subject: str, other: str) -> tuple[str, ...]:
        """The names of the relations from one object to another, in the order of annotation."""
        return self._between.get((subject, other), ())

    @property
    def is_sparse(self) -> bool:
        """Whether annotators named what they noticed: neither everything, nor all that is of a list of categories."""
        return self.categories is None and not self.is_complete

    def is_visible(self, thing: SceneObject) -> bool:
        """Whether an object has a box, and nothing makes it hard to see."""
        return thing.box is not None and not self.is_hard_to_see(thing)

    def is_hard_to_see(self, thing: SceneObject) -> bool:
        """Whether an object is too small, or too well hidden, for anyone to be sure of it."""
        return thing.is_hidden or (thing.box is not None and is_tiny(thing.box, self.size))

    @cached_property
    def content_id(self) -> int:
        """A hash of all annotations; what few scenes have, as crowds and captions, is part of it only where it is."""
        content: list[Plain] = [
            self.id,
            self.picture.content,
            [self.size.width, self.size.height, self.place, self.weather],
            [[o.id, o.name, list(o.attributes), _corners(o.box), *_marks(o)] for o in self.objects],
            [[link.subject, link.name, link.object] for link in self.relations],
        ]
        if self.categories is not None or self.captions:
            content.append([sorted(self.categories or ()), int(self.annotates_parts), list(self.captions)])
        return content_id(content)

    @cached_property
    def _by_id(self) -> dict[str, SceneObject]:
        return {o.id: o for o in self.objects}

    @cached_property
    def _by_name(self) -> dict[str, tuple[SceneObject, ...]]:
        groups = group_pairs((item.name, item) for item in self.objects)
        return {name: tuple(things) for name, things in groups.items()}

    @cached_property
    def _from(self) -> dict[str, tuple[Link, ...]]:
        groups = group_pairs((link.subject, link) for link in self.relations)
        return {subject: tuple(links) for subject, links in groups.items()}

    @cached_property
    def _between(self) -> dict[tuple[str, str], tuple[str, ...]]:
        groups = group_pairs(((link.subject, link.object), link.name) for link in self.relations)
        return {pair: tuple(names) for pair, names in groups.items()}

    @cached_property
    def _to(self) -> dict[tuple[str, str], list[Link]]:
        return group_pairs(((link.name, link.object), link) for link in self.relations)


def _unpickle_scene(
    scene_id: str, picture: Picture, size: Size, objects: Any, links: Any, others: tuple[Any, ...]
) -> Scene:
    things = [
        SceneObject(i, name, values, Box(*box) if box else None, *marks) for i, name, values, box, *marks in objects
    ]
    return Scene(scene_id, picture, size, tuple(things), tuple(starmap(Link, links)), *others)


def _marks(thing: SceneObject) -> list[str]:
    return ["crowd"] * thing.is_crowd + ["hidden"] * thing.is_hidden


def _corners(box: Box | None) -> list[int]:
    return [] if box is None else [box.x, box.y, box.width, box.height]
