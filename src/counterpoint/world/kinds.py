"""The kinds of things in the world: what each is, how high, where it goes, and what it can look like."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from counterpoint.core.errors import UnknownName

COLORS = {
    "black": (40, 40, 44),
    "white": (244, 243, 238),
    "gray": (140, 142, 146),
    "red": (208, 40, 42),
    "orange": (243, 132, 24),
    "yellow": (247, 208, 38),
    "green": (56, 148, 66),
    "blue": (44, 104, 200),
    "purple": (126, 62, 164),
    "pink": (244, 146, 182),
    "brown": (122, 78, 44),
}
"""The eleven basic colours of English, each as (red, green, blue)."""

OPPOSITES = (
    ("open", "closed"),
    ("full", "empty"),
    ("lit", "unlit"),
    ("on", "off"),
    ("clean", "dirty"),
    ("intact", "broken"),
    ("whole", "sliced"),
    ("leafy", "bare"),
    ("blooming", "wilted"),
    ("upright", "overturned"),
    ("awake", "asleep"),
    ("striped", "plain"),
)
"""States that can be seen and exclude each other."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing. Weights are relative; a place that is not named never has it, but for the shifted split."""

    name: str
    family: str
    height: int  # in stage centimetres: life size, with small things drawn larger so that they can be seen
    spot: str  # floor, top (of something), wall, sky, worn
    places: Mapping[str, int] = field(default_factory=dict)
    colors: Mapping[str, int] = field(default_factory=dict)
    materials: tuple[str, ...] = ()
    states: tuple[tuple[str, str], ...] = ()
    poses: tuple[str, ...] = ()
    far: bool = False  # stands at the back


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by name, in the order of the file."""
    listed = tomllib.loads(files("counterpoint.world").joinpath("kinds.toml").read_text("utf-8"))
    palettes = listed.pop("palettes")
    return {
        name: Kind(
            name,
            family,
            row["height"],
            row["spot"],
            row.get("places", {}),
            row["colors"] if isinstance(row["colors"], dict) else palettes[row["colors"]],
            tuple(row.get("materials", ())),
            tuple((pair[0], pair[1]) for pair in row.get("states", ())),
            tuple(row.get("poses", ())),
            row.get("far", False),
        )
        for family, rows in listed.items()
        for name, row in rows.items()
    }


def kind(name: str) -> Kind:
    """The kind of this name."""
    try:
        return kinds()[name]
    except KeyError:
        raise UnknownName("kind of thing", name, kinds()) from None
