"""Scenes for suites: drawn by hand, at random, and from the world."""

from functools import cache

from hypothesis import strategies as st

from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.world.source import World

NAMES = ("cat", "dog", "cup", "table", "bread", "pants", "shoes", "house", "door", "bird", "duck", "tree", "umbrella")
LOOKS = ("red", "blue", "white", "wooden", "metal", "open", "closed", "striped", "on", "off", "asleep", "delicious")


def scene(number: int, *things: tuple[str, ...]) -> Scene:
    """A scene of things, each a name and its attributes."""
    objects = tuple(SceneObject(str(n), name, tuple(looks)) for n, (name, *looks) in enumerate(things, 1))
    return Scene(f"scene {number}", Picture(f"test:{number}.png"), Size(320, 240), objects)


@st.composite
def scenes(draw: st.DrawFn, number: int = 0) -> Scene:
    """Up to seven things with names that are singular, plural, mass or pair, or that nobody knows."""
    name = st.sampled_from((*NAMES, "xyzzy") if draw(st.integers(0, 9)) == 0 else NAMES)
    looks = st.lists(st.sampled_from(LOOKS), max_size=2, unique=True)
    things = [(draw(name), *draw(looks)) for _ in range(draw(st.integers(0, 7)))]
    made = scene(number, *things)
    boxes = st.builds(Box, st.just(0), st.just(0), st.integers(1, 90), st.integers(1, 90))
    objects = tuple(SceneObject(o.id, o.name, o.attributes, draw(st.none() | boxes)) for o in made)
    return Scene(made.id, made.picture, made.size, objects)


def sources() -> st.SearchStrategy[list[Scene]]:
    """Sources of up to six scenes."""
    return st.integers(0, 6).flatmap(lambda count: st.tuples(*map(scenes, range(count))).map(list))


@cache
def world(count: int = 400) -> tuple[Scene, ...]:
    """The first scenes of the world."""
    return tuple(World("test", count).scenes())
