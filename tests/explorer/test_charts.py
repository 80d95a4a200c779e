"""Charts and the style sheet agree, and whatever is read can be read."""

import re
from importlib.resources import files
from itertools import product

import pytest

from counterpoint.reports.charts import Dot, Part, dots, stacked, svg, tokens

STYLE = files("counterpoint.explorer").joinpath("static/style.css").read_text("utf-8")
LIGHT, DARK = (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", part)) for part in STYLE.split("@media")[:2])

DOTS = [Dot(row, column, 0.5, 0.4, 0.6) for row, column in product("ab", "xy")]
SPECS = [
    dots(DOTS, title="both are alike"),
    stacked(
        [Part("a", "good", 0.25, 1), Part("a", "bad", 0.75, 3)],
        {"good": "var(--right)", "bad": "var(--wrong)"},
        title="a",
    ),
]


def _light(color: str) -> float:
    channels = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_light(one), _light(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "muted", "faint", "accent", "right-text", "wrong-text"])
@pytest.mark.parametrize("ground", ["paper", "lifted"])
def test_text_stands_out_from_its_ground(colors: dict[str, str], name: str, ground: str) -> None:
    assert _contrast(colors[name], colors[ground]) >= 4.5


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_changed_words_can_be_read(colors: dict[str, str]) -> None:
    assert _contrast(colors["changed-ink"], colors["changed"]) >= 4.5


def test_dark_and_light_have_the_same_tokens() -> None:
    assert set(LIGHT) == set(DARK) == set(tokens())


@pytest.mark.parametrize("spec", SPECS, ids=["dots", "stacked"])
def test_a_chart_is_drawn_in_the_tokens_of_the_page(spec: dict[str, object]) -> None:
    used = set(re.findall(r"var\(--([a-z-]+)\)", str(spec)))
    assert used <= set(LIGHT)
    drawn = svg(spec)
    assert drawn.startswith("<svg")
    assert "var(--right)" in drawn
    assert "NaN" not in drawn


def test_a_chart_by_itself_is_light() -> None:
    drawn = svg(SPECS[0], light=True)
    assert "var(" not in drawn
    assert LIGHT["right"] in drawn
