"""The templates of the pages: those of reports, and what only pages need."""

from importlib.resources import files

from jinja2 import ChoiceLoader, Environment, FunctionLoader, PackageLoader

from counterpoint.explorer.group_parts import THRESHOLD, BoxView
from counterpoint.reports import templating


def environment() -> Environment:
    """The templates of pages and reports."""
    templates = templating.environment(PackageLoader("counterpoint.explorer"))
    assert templates.loader, "an environment has templates"
    templates.loader = ChoiceLoader([FunctionLoader(_read_template), templates.loader])
    templates.filters["label"] = box_label
    templates.globals |= {"threshold": THRESHOLD, "live": True}
    return templates


def _read_template(name: str) -> str | None:
    """Return the text of a template beside a module, by a name such as `package.module/template.html`."""
    module, _, file = name.partition("/")
    return files(module).joinpath(file).read_text("utf-8") if file else None


def box_label(box: BoxView, width: int, height: int) -> dict[str, float]:
    """Where the name of a box goes: above it, or inside where there is no room, and never out of the picture."""
    font = max(width / 30, 7)
    long, tall = font * (0.56 * len(box.name) + 0.8), font * 1.45
    x = min(max(box.x, 0), max(width - long, 0))
    y = box.y - tall if box.y >= tall else min(box.y, max(height - tall, 0))
    found = {"x": x, "y": y, "width": long, "height": tall, "font": font, "text": long - font * 0.8}
    return {name: round(value, 2) for name, value in found.items()}
