"""Scenes to write about: as the world stages them, and one made by hand."""

from functools import lru_cache

from hypothesis import strategies as st

from counterpoint.core.pictures import Box, Picture, Size
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.world.scene_building import SPLITS, build_scene


@lru_cache(maxsize=4096)
def staged(split: str, index: int) -> Scene:
    """One scene of the world, staged once."""
    return build_scene(split, index).scene


def scenes() -> st.SearchStrategy[Scene]:
    """Scenes of any split."""
    return st.builds(staged, st.sampled_from(sorted(SPLITS)), st.integers(0, 400))


def a_park() -> Scene:
    """A park made by hand: a man on a bicycle, a woman with an umbrella, two dogs, a bench with a book on it."""
    objects = (
        SceneObject("1", "man", (), Box(20, 60, 40, 100)),
        SceneObject("2", "bicycle", ("red",), Box(10, 110, 70, 60)),
        SceneObject("3", "shirt", ("blue", "striped"), Box(28, 80, 24, 30)),
        SceneObject("4", "pants", ("black",), Box(28, 110, 24, 40)),
        SceneObject("5", "woman", ("standing",), Box(200, 50, 40, 110)),
        SceneObject("6", "dress", ("green", "plain"), Box(205, 75, 30, 60)),
        SceneObject("7", "umbrella", ("yellow", "open", "plain"), Box(190, 20, 60, 60)),
        SceneObject("8", "dog", ("brown", "large", "awake", "sitting"), Box(100, 170, 40, 50)),
        SceneObject("9", "dog", ("white", "awake", "running"), Box(260, 180, 50, 40)),
        SceneObject("10", "bench", ("brown", "wooden"), Box(120, 110, 60, 40)),
        SceneObject("11", "book", ("red", "closed"), Box(140, 105, 20, 12)),
        SceneObject("12", "hat", ("purple",), Box(30, 56, 20, 10)),
    )
    both_ways = [("1", "5"), ("8", "9"), ("10", "5"), ("1", "10"), ("8", "5"), ("2", "9"), ("11", "5"), ("1", "9")]
    links = (
        Link("1", "riding", "2"),
        Link("1", "on", "2"),
        Link("1", "wearing", "3"),
        Link("1", "wearing", "4"),
        Link("1", "wearing", "12"),
        Link("5", "wearing", "6"),
        Link("5", "holding", "7"),
        Link("11", "on", "10"),
        Link("8", "near", "10"),
        Link("10", "near", "8"),
        *(Link(left, "to the left of", right) for left, right in both_ways),
        *(Link(right, "to the right of", left) for left, right in both_ways),
    )
    return Scene("park-1", Picture("world:test/000001.png"), Size(320, 240), objects, links, "park", "sunny")
