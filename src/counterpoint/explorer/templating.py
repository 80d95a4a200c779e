"""The templates of the pages, and what they call: numbers as they are read, counts of things, names beside boxes."""

from jinja2 import Environment, PackageLoader, StrictUndefined

from counterpoint.explorer.pages.group import THRESHOLD
from counterpoint.explorer.views import Boxed


def environment() -> Environment:
    """The templates: whatever they show is escaped, and a name that does not exist is an error."""
    made = Environment(
        loader=PackageLoader("counterpoint.explorer"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"thousands": thousands, "counted": counted, "label": label}
    made.globals |= {"threshold": THRESHOLD, "live": True}
    return made


def thousands(number: int) -> str:
    """A whole number as it is read.

    >>> thousands(41220)
    '41,220'
    """
    return f"{number:,}"


def counted(number: int, one: str, many: str = "") -> str:
    """So many of something.

    >>> counted(1, "model"), counted(2, "model")
    ('1 model', '2 models')
    """
    return f"{thousands(number)} {one if number == 1 else many or f'{one}s'}"


def label(box: Boxed, width: int, height: int) -> dict[str, float]:
    """Where the name of a box goes: above it, or inside where there is no room, and never out of the picture."""
    font = max(width / 30, 7)
    long, tall = font * (0.56 * len(box.name) + 0.8), font * 1.45
    x = min(max(box.x, 0), max(width - long, 0))
    y = box.y - tall if box.y >= tall else min(box.y, max(height - tall, 0))
    found = {"x": x, "y": y, "width": long, "height": tall, "font": font, "text": long - font * 0.8}
    return {name: round(value, 2) for name, value in found.items()}
