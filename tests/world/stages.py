"""Scenes that many tests look at, staged once."""

from collections.abc import Sequence
from functools import cache

from counterpoint.world.scene_building import Staged, stage


@cache
def train() -> Sequence[Staged]:
    """Enough scenes of the training split for all there is in the world to occur."""
    return [stage("train", index) for index in range(1500)]


@cache
def shifted() -> Sequence[Staged]:
    """Scenes of the split in which habits are different."""
    return [stage("shifted", index) for index in range(400)]
