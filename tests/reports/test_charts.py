"""Every kind of chart is well-formed SVG that holds its values, whatever its names and however few its points."""

import re
from html import escape
from itertools import product
from xml.etree import ElementTree

import pytest

from counterpoint.metrics.calibration import ReliabilityBin
from counterpoint.metrics.data_statistics import HistogramBin, RankedWord
from counterpoint.reports.charts.bars import (
    BarChart,
    BarShare,
    Histogram,
    StackedBarChart,
    WordChart,
    WordFrequency,
)
from counterpoint.reports.charts.curves import ReliabilityChart, ReliabilityCurve
from counterpoint.reports.charts.dots import Dot, DotChart
from counterpoint.reports.charts.svg import LIGHT, WIDTH, Chart, clean, fit, round_ticks, text_width
from counterpoint.reports.templating import style

STYLE = style()
LIGHT_PAGE, DARK_PAGE = (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", part)) for part in STYLE.split("@media")[:2])

HOSTILE = "</svg><script>alert(1)</script> & \" ' \x00\x1b\ufffe\uffff\ud800 a\nb"
NAMES = {"ordinary": "fusion", "long": "our-vlm-sft-" + "x" * 68, "hostile": HOSTILE}
SVG = "{http://www.w3.org/2000/svg}"


def charts(name: str) -> dict[str, Chart]:
    """Every kind of chart, of several values, with `name` wherever there is one."""
    return {
        "dots": DotChart(
            name, tuple(Dot(row, column, 0.5, 0.4, 0.6) for row, column in product((name, "b"), (name, "y")))
        ),
        "overlaid": DotChart(
            name, (Dot("order", name, 0.5, 0.4, 0.6), Dot("order", "b", 0.7, 0.6, 0.8)), overlaid=True
        ),
        "stacked": StackedBarChart(
            name, (BarShare(name, name, 0.25, 1), BarShare(name, "bad", 0.75, 3)), ((name, "right"), ("bad", "wrong"))
        ),
        "bars": BarChart(name, (RankedWord(name, 3, 0.75), RankedWord("b", 1, 0.25))),
        "histogram": Histogram(name, (HistogramBin(0, 9, 30), HistogramBin(10, 19, 10)), name),
        "shares": Histogram(name, (HistogramBin(0, 10, 3), HistogramBin(10, 20, 1)), name, as_percent=True),
        "words": WordChart(name, tuple(WordFrequency(name, side, name, 0.1, 3) for side in ("captions", "foils"))),
        "reliability": ReliabilityChart(name, (_curve(name), _curve("b"))),
    }


def _curve(model: str) -> ReliabilityCurve:
    bins = (ReliabilityBin(0.6, 0.7, 12, 0.63, 0.5, 0.3, 0.7), ReliabilityBin(0.9, 1.0, 40, 0.98, 0.9, 0.8, 0.95))
    return ReliabilityCurve(model, bins)


EMPTY: list[Chart] = [
    DotChart("t", ()),
    DotChart("t", (), overlaid=True),
    StackedBarChart("t", (), ()),
    BarChart("t", ()),
    Histogram("t", ()),
    WordChart("t", ()),
    ReliabilityChart("t", ()),
    ReliabilityChart("t", (ReliabilityCurve("a", ()),)),
]
ONE_POINT: list[Chart] = [
    DotChart("t", (Dot("a", "x", 1.0, 1.0, 1.0),)),
    BarChart("t", (RankedWord("a", 0, 0.0),)),
    Histogram("t", (HistogramBin(3, 3, 1),)),
    StackedBarChart("t", (BarShare("a", "good", 1.0, 1),), (("good", "right"),)),
    DotChart("t", (Dot("a", "x", -0.2, -0.4, 0.1), Dot("b", "x", float("nan"), 0.0, 1.0))),
]


def parsed(text: str) -> ElementTree.Element:
    """The elements of a chart, whose text has no number that cannot be drawn."""
    assert not re.search(r'="[^"]*\b(nan|inf)\b', text)
    return ElementTree.fromstring(text)


@pytest.mark.parametrize("kind", charts("a"))
@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
def test_a_chart_is_well_formed_as_a_file_and_in_a_page(kind: str, name: str) -> None:
    chart = charts(name)[kind]
    file, page = parsed(chart.svg()), parsed(f"<div>{chart.html()}</div>")
    for root in (file, *page):
        assert root.tag == f"{SVG}svg"
        assert root.get("role") == "img"
        assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert clean(name) in "".join(file.find(f"{SVG}title").itertext())  # type: ignore[union-attr]
    assert not list(file.iter(f"{SVG}script"))


@pytest.mark.parametrize("chart", [*EMPTY, *ONE_POINT], ids=repr)
def test_few_or_no_values_are_drawn_too(chart: Chart) -> None:
    parsed(chart.svg())
    parsed(f"<div>{chart.html()}</div>")


@pytest.mark.parametrize("kind", charts("a"))
def test_every_value_can_be_read_from_its_mark(kind: str) -> None:
    root = parsed(charts("fusion")[kind].svg())
    marks = [mark for mark in root.iter(f"{SVG}g") if mark.get("data-name")]
    counts = {"dots": 4, "overlaid": 2, "stacked": 2, "bars": 2, "histogram": 2, "shares": 2, "words": 2}
    assert len(marks) == counts.get(kind, 4)
    for mark in marks:
        value = mark.get("data-value") or mark.get("data-share")
        assert value is not None
        assert float(value) <= 1
        assert mark.find(f"{SVG}title") is not None


@pytest.mark.parametrize("kind", charts("a"))
@pytest.mark.parametrize("name", NAMES.values(), ids=list(NAMES))
def test_text_is_large_enough_and_stays_inside_a_panel(kind: str, name: str) -> None:
    for root in parsed(f"<div>{charts(name)[kind].html()}</div>"):
        width = float(str(root.get("viewBox")).split()[2])
        assert width <= WIDTH
        for text in root.iter(f"{SVG}text"):
            size = float(str(text.get("font-size", root.get("font-size"))))
            x, shown = float(str(text.get("x"))), _shown(text)
            start = {"start": x, "middle": x - text_width(shown, size) / 2, "end": x - text_width(shown, size)}
            left = start[str(text.get("text-anchor", "start"))]
            assert size >= 11
            assert left >= -8, shown
            assert left + text_width(shown, size) <= WIDTH + 8, shown


def _shown(text: ElementTree.Element) -> str:
    return "".join([text.text or "", *(child.tail or "" for child in text)])


def test_a_name_that_is_cut_has_the_whole_as_a_tooltip() -> None:
    long = NAMES["long"]
    drawn = DotChart("t", (Dot(long, "x", 0.5, 0.4, 0.6),)).html()
    assert f"<title>{long}</title>{fit(long, 160, 12.5)}" in drawn


def test_a_page_gives_its_colours_and_a_file_has_its_own() -> None:
    for kind, chart in charts("a").items():
        used = re.findall(r"var\(--([a-z-]+), (#[0-9a-f]{6})\)", chart.html())
        assert used, kind
        assert all(LIGHT_PAGE[token] == color for token, color in used), kind
        assert "var(" not in chart.svg()


def test_text_that_looks_like_a_colour_is_left_alone() -> None:
    assert "var(--ink)" in BarChart("t", (RankedWord("var(--ink)", 1, 1.0),)).svg()


def test_a_notebook_shows_the_title_above_the_chart() -> None:
    shown = BarChart(HOSTILE, ()).__getattribute__("_repr_html_")()
    assert shown.startswith(f"<p><b>{escape(clean(HOSTILE))}</b></p><svg")


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-35, 100), (0, 123456), (0, 0.003), (7, 7)])
def test_ticks_are_round_and_enclose_their_values(low: float, high: float) -> None:
    ticks = round_ticks(low, high, 4)
    assert ticks[0] <= low <= high <= ticks[-1]
    assert 2 <= len(ticks) <= 5


def test_the_colours_of_files_are_those_of_a_light_page() -> None:
    assert {token: LIGHT_PAGE[token] for token in LIGHT} == dict(LIGHT)


def _luminance(color: str) -> float:
    channels = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colors", [LIGHT_PAGE, DARK_PAGE], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["ink", "muted", "faint", "accent", "right-text", "wrong-text"])
@pytest.mark.parametrize("ground", ["paper", "lifted"])
def test_text_stands_out_from_its_ground(colors: dict[str, str], name: str, ground: str) -> None:
    assert _contrast(colors[name], colors[ground]) >= 4.5


@pytest.mark.parametrize("colors", [LIGHT_PAGE, DARK_PAGE], ids=["light", "dark"])
def test_changed_words_can_be_read(colors: dict[str, str]) -> None:
    assert _contrast(colors["changed-ink"], colors["changed"]) >= 4.5


def test_dark_and_light_have_the_same_tokens() -> None:
    assert set(LIGHT_PAGE) == set(DARK_PAGE)


def test_marks_are_not_taken_for_the_rows_of_a_page() -> None:
    assert not any("data-row" in chart.html() for chart in charts("a").values())  # j and k go from row to row
