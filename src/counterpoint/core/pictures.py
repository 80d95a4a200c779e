"""Pictures by address, with the edits that are applied when they are shown; boxes and sizes."""

from dataclasses import dataclass, replace

from msgspec import Struct

from counterpoint.core.ids import Plain, content_id


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in pixels."""

    width: int
    height: int


class Box(Struct, frozen=True):
    """A rectangle in pixels: its upper left corner, width and height."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column to the right of the box."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first row below the box."""
        return self.y + self.height

    @property
    def area(self) -> int:
        """Its area in pixels."""
        return self.width * self.height

    @property
    def middle(self) -> tuple[float, float]:
        """The centre, as (x, y)."""
        return self.x + self.width / 2, self.y + self.height / 2

    def overlap(self, other: "Box") -> int:
        """The area that two boxes share, in pixels."""
        across = min(self.right, other.right) - max(self.x, other.x)
        down = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(across, 0) * max(down, 0)

    def scaled(self, before: Size, after: Size) -> "Box":
        """The same box after the picture was resized."""
        x, right = (round(v * after.width / before.width) for v in (self.x, self.right))
        y, bottom = (round(v * after.height / before.height) for v in (self.y, self.bottom))
        return Box(x, y, right - x, bottom - y)


@dataclass(frozen=True, slots=True)
class Edit:
    """One named operation with whole numbers or decimal strings as arguments, and a seed.

    >>> str(Edit("blur", ("6",)))
    'blur(6)'
    >>> str(Edit("gaussian", ("0.025",), seed=7))
    'gaussian(0.025)#7'
    """

    name: str
    arguments: tuple[str | int, ...] = ()
    seed: int = 0

    def __str__(self) -> str:
        listed = ",".join(map(str, self.arguments))
        return f"{self.name}({listed})" + (f"#{self.seed}" if self.seed else "")


@dataclass(frozen=True, slots=True)
class Picture:
    """An address, `namespace:relative/path`, and a chain of edits; without pixels.

    >>> Picture("coco:val2014/000000000285.jpg").edited(Edit("blur", ("6",)))
    Picture('coco:val2014/000000000285.jpg' | blur(6))
    """

    address: str
    edits: tuple[Edit, ...] = ()

    @property
    def namespace(self) -> str:
        """The part before the colon, which names the root of the path."""
        return self.address.partition(":")[0]

    @property
    def path(self) -> str:
        """The part after the colon."""
        return self.address.partition(":")[2]

    def edited(self, *edits: Edit) -> "Picture":
        """The same picture with more edits at the end of its chain."""
        return replace(self, edits=self.edits + edits)

    def __repr__(self) -> str:
        return f"Picture({' | '.join([repr(self.address), *map(str, self.edits)])})"

    @property
    def content(self) -> Plain:
        """The content that is hashed into the id."""
        return [self.address, *edits_content(self.edits)] if self.edits else [self.address]

    @property
    def id(self) -> int:
        """The content id of the picture as shown."""
        return content_id(self.content)


def edits_content(edits: tuple[Edit, ...]) -> list[Plain]:
    """A chain of edits as plain content."""
    return [[edit.name, list(edit.arguments), edit.seed] for edit in edits] if edits else []
