"""One sketch for every look: found by kind, drawn once, measured once, and kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from counterpoint.core.errors import UnknownName
from counterpoint.world.sketch import Anchor, Appearance, Extent, Sketch
from counterpoint.world.sketches import (
    animals,
    appliances,
    buildings,
    containers,
    food,
    furniture,
    people,
    plants,
    produce,
    structures,
    things,
    toys,
    vehicles,
)


@dataclass(frozen=True, slots=True)
class MeasuredSketch:
    """A sketch with what is asked of it most: how far it reaches, and how far each of its parts does."""

    sketch: Sketch
    extent: Extent
    parts: Mapping[str, Extent]

    @property
    def anchors(self) -> Mapping[str, Anchor]:
        """Where other things can be put."""
        return self.sketch.anchors


@lru_cache(8192)
def draw_appearance(look: Appearance) -> MeasuredSketch:
    """The sketch of a look."""
    try:
        sketch = sketches()[look.kind](look)
    except KeyError:
        raise UnknownName("sketch", look.kind, sketches()) from None
    parts = sketch.extents()
    whole = list(zip(*parts.values(), strict=True))
    extent = min(whole[0]), min(whole[1]), max(whole[2]), max(whole[3])
    return MeasuredSketch(sketch, extent, {part: reach for part, reach in parts.items() if part})


@cache
def sketches() -> Mapping[str, Callable[[Appearance], Sketch]]:
    """The function that draws each kind."""
    modules = (
        people, animals, vehicles, furniture, produce, food, containers,
        appliances, plants, toys, buildings, structures, things,
    )  # fmt: skip
    return {name: draw for module in modules for name, draw in module.SKETCHES.items()}
