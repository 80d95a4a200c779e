"""Scenes that many tests look at, staged once."""

from collections.abc import Sequence
from functools import cache

from proving import scaled

from counterpoint.world.scene_building import BuiltScene, build_scene


@cache
def train() -> Sequence[BuiltScene]:
    """Enough scenes of the training split for all there is in the world to occur."""
    return [build_scene("train", index) for index in range(scaled(1500))]


@cache
def shifted() -> Sequence[BuiltScene]:
    """Scenes of the split in which habits are different."""
    return [build_scene("shifted", index) for index in range(scaled(400))]
