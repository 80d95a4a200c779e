"""A picture by its address, and the edits that are applied to it when it is shown."""

from dataclasses import dataclass, replace

from counterpoint.core.ids import Plain, content_id


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in pixels."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels: its left upper corner, and how far it reaches to the right and down."""

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
        """How many pixels it covers."""
        return self.width * self.height

    @property
    def middle(self) -> tuple[float, float]:
        """The centre, as (x, y)."""
        return self.x + self.width / 2, self.y + self.height / 2

    def overlap(self, other: "Box") -> int:
        """How many pixels two boxes share."""
        across = min(self.right, other.right) - max(self.x, other.x)
        down = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(across, 0) * max(down, 0)

    def scaled(self, before: Size, after: Size) -> "Box":
        """The same part of the picture after it was resized."""
        x, right = (round(v * after.width / before.width) for v in (self.x, self.right))
        y, bottom = (round(v * after.height / before.height) for v in (self.y, self.bottom))
        return Box(x, y, right - x, bottom - y)


@dataclass(frozen=True, slots=True)
class Edit:
    """One named operation with whole numbers or decimal strings as arguments, and the seed of its luck.

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
    """An address, `namespace:relative/path`, and a chain of edits; no pixels, so it costs nothing to pass on.

    >>> Picture("coco:val2014/000000000285.jpg").edited(Edit("blur", ("6",)))
    Picture('coco:val2014/000000000285.jpg' | blur(6))
    """

    address: str
    edits: tuple[Edit, ...] = ()

    @property
    def namespace(self) -> str:
        """What stands before the colon: the root against which the path is resolved."""
        return self.address.partition(":")[0]

    @property
    def path(self) -> str:
        """What stands after the colon."""
        return self.address.partition(":")[2]

    def edited(self, *edits: Edit) -> "Picture":
        """The same picture with more edits at the end of its chain."""
        return replace(self, edits=self.edits + edits)

    def __repr__(self) -> str:
        return f"Picture({' | '.join([repr(self.address), *map(str, self.edits)])})"

    @property
    def content(self) -> Plain:
        """What its id is made of."""
        return [self.address, *edits_content(self.edits)]

    @property
    def id(self) -> int:
        """The content id of the picture as shown."""
        return content_id(self.content)


def edits_content(edits: tuple[Edit, ...]) -> list[Plain]:
    """A chain of edits as plain content."""
    return [[edit.name, list(edit.arguments), edit.seed] for edit in edits]
