"""The templates of the pages: those of reports, and what only pages need."""

from jinja2 import Environment, PackageLoader

from counterpoint.explorer.pages.group import THRESHOLD
from counterpoint.explorer.views import BoxView
from counterpoint.reports import templating


def environment() -> Environment:
    """The templates of pages and reports."""
    templates = templating.environment(
        PackageLoader("counterpoint.explorer"), PackageLoader("counterpoint.explorer.play", "")
    )
    templates.filters["label"] = box_label
    templates.globals |= {"threshold": THRESHOLD, "live": True}
    return templates


def box_label(box: BoxView, width: int, height: int) -> dict[str, float]:
    """Where the name of a box goes: above it, or inside where there is no room, and never out of the picture."""
    font = max(width / 30, 7)
    long, tall = font * (0.56 * len(box.name) + 0.8), font * 1.45
    x = min(max(box.x, 0), max(width - long, 0))
    y = box.y - tall if box.y >= tall else min(box.y, max(height - tall, 0))
    found = {"x": x, "y": y, "width": long, "height": tall, "font": font, "text": long - font * 0.8}
    return {name: round(value, 2) for name, value in found.items()}
