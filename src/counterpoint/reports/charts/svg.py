"""SVG drawing: marks with their values, text that fits and is well-formed, colours of a page or of a file."""

import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from math import ceil, floor, inf, isfinite, log10
from types import MappingProxyType
from unicodedata import east_asian_width

from counterpoint.core.errors import shorten

LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "paper": "#ffffff",
        "ink": "#1b2330",
        "muted": "#565f6d",
        "line": "#e4e7eb",
        "band": "#a9cde4",
        "slip": "#f3b892",
        "accent": "#0b5cad",
        "right": "#0072b2",
        "wrong": "#d55e00",
        "right-text": "#006aa6",
        "wrong-text": "#b34e00",
    }
)
"""The colour tokens of charts with their values on a light page; the style sheet of the pages has them too."""

FONT = "system-ui, -apple-system, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"
SMALL, TEXT, HEAD = 11.0, 12.5, 15.0
"""Sizes of type in pixels: axis labels, names and values, the title of a file."""
WIDTH = 356
"""Pixels of a panel, which a phone of 390 pixels shows at full size."""
GAP = 40
MOST_DESCRIBED = 40
"""Values that the description of a chart reads out."""

Colors = Callable[[str], str]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Drawing:
    """SVG elements of one panel, top to bottom; `height` grows with what is drawn."""

    def __init__(self, colors: Colors, name: str = "") -> None:
        self.colors, self.name = colors, clean(name)
        self.height = 0.0
        self.elements: list[str] = []
        self.tips: list[str] = []
        if self.name:
            self.text(0, 14, self.name, color="ink", room=WIDTH, size=TEXT, weight=600)
            self.height = 24.0

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        color: str = "muted",
        size: float = SMALL,
        anchor: str = "start",
        room: float = inf,
        weight: int = 400,
    ) -> None:
        """Text on its baseline; what does not fit into `room` pixels is cut, with the whole as a tooltip."""
        whole = clean(text)
        fitted = fit(whole, room, size)
        tip = f"<title>{escape(whole)}</title>" if fitted != whole else ""
        style = f' font-size="{number(size)}"' if size != SMALL else ""  # what differs from the whole element
        style += f' text-anchor="{anchor}"' if anchor != "start" else ""
        style += f' font-weight="{weight}"' if weight != 400 else ""
        self.elements.append(
            f'<text x="{number(x)}" y="{number(y)}" fill="{self.colors(color)}"{style}>{tip}{escape(fitted)}</text>'
        )

    def line(
        self, start: tuple[float, float], end: tuple[float, float], color: str, *, width: float = 1, dash: str = ""
    ) -> None:
        """A straight line with round ends where it is thick."""
        (x1, y1), (x2, y2) = start, end
        style = f' stroke-width="{number(width)}"' if width != 1 else ""
        style += (' stroke-linecap="round"' if width > 2 else "") + (f' stroke-dasharray="{dash}"' if dash else "")
        self.elements.append(
            f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
            f'stroke="{self.colors(color)}"{style}/>'
        )

    def rect(self, x: float, y: float, width: float, height: float, color: str) -> None:
        """A filled rectangle."""
        self.elements.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
            f'fill="{self.colors(color)}"/>'
        )

    def dot(self, x: float, y: float, color: str, *, radius: float = 4, diamond: bool = False) -> None:
        """A point, round or as a diamond."""
        if diamond:
            r = radius * 1.25
            corners = ((x, y - r), (x + r, y), (x, y + r), (x - r, y))
            steps = "L".join(f"{number(across)} {number(down)}" for across, down in corners)
            self.elements.append(f'<path d="M{steps}Z" fill="{self.colors(color)}"/>')
        else:
            self.elements.append(
                f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{self.colors(color)}"/>'
            )

    @contextmanager
    def mark(self, tip: str, **values: str | float) -> Iterator[None]:
        """What is drawn inside stands for one value: a tooltip for people, `data-` attributes for programs."""
        data = "".join(f' data-{name}="{escape(_plain(value))}"' for name, value in values.items())
        self.tips.append(clean(tip))
        self.elements.append(f"<g{data}><title>{escape(clean(tip))}</title>")
        yield
        self.elements.append("</g>")

    def legend(self, names: Mapping[str, str], *, diamonds: Sequence[str] = ()) -> None:
        """A line of names, each after a sample of its colour; it goes on in a second line where the first is full."""
        x, y = 0.0, self.height + 12
        for name, color in names.items():
            wide = min(text_width(clean(name), TEXT) + 32, WIDTH)
            if x and x + wide > WIDTH:
                x, y = 0.0, y + 20
            if name in diamonds:
                self.dot(x + 5, y - 4, color, diamond=True)
            else:
                self.rect(x, y - 9, 10, 10, color)
            self.text(x + 16, y, name, room=WIDTH - 20, size=TEXT)
            x += wide
        self.height = y + 10

    def rows_axis(self, scale: "AxisScale", top: float, bottom: float, label: str = "") -> None:
        """Vertical grid lines with their values below, and what the values are."""
        for tick in scale.ticks:
            x = scale(tick)
            self.line((x, top), (x, bottom), "line")
            self.text(x, bottom + 15, short(tick), anchor="middle")
        if label:
            self.text(scale(scale.ticks[-1]), bottom + 31, label, anchor="end")
        self.height = bottom + (36 if label else 20)

    def columns_axis(self, scale: "AxisScale", left: float) -> None:
        """Horizontal grid lines with their values at the left."""
        for tick in scale.ticks:
            y = scale(tick)
            self.line((left, y), (WIDTH, y), "line")
            self.text(left - 8, y + 4, short(tick), anchor="end")

    def svg(self, title: str) -> str:
        """The panel as an SVG element of its own."""
        return _element(title, self.tips, WIDTH, self.height, "".join(self.elements))


class AxisScale:
    """Maps values between round ends to pixels from `start` to `stop`."""

    def __init__(self, low: float, high: float, start: float, stop: float, *, most: int = 5) -> None:
        self.ticks = round_ticks(low, high, most)
        self._start, self._stop = start, stop

    def __call__(self, value: float) -> float:
        """The pixel of a value; one beyond the ends is drawn at the end."""
        low, high = self.ticks[0], self.ticks[-1]
        share = (min(max(value, low), high) - low) / (high - low)
        return self._start + share * (self._stop - self._start)


class Chart(ABC):
    """A chart as a value: its fields are what a page's JSON twin shows, its title is the finding that it draws."""

    __slots__ = ()
    title: str

    @abstractmethod
    def panels(self, colors: Colors) -> list[Drawing]:
        """The panels of the chart."""

    def html(self) -> str:
        """SVG elements for a page, one per panel, in the page's colours, light or dark; the title is the page's."""
        title = clean(self.title)
        return "".join(
            panel.svg(f"{panel.name}: {title}" if panel.name else title) for panel in self.panels(_page_color)
        )

    def svg(self) -> str:
        """One SVG file with its title, in the colours of a light page."""
        panels = self.panels(LIGHT.__getitem__)
        across = min(max(len(panels), 1), 3)
        width = across * WIDTH + (across - 1) * GAP + 2 * 16
        head = Drawing(LIGHT.__getitem__)
        lines = textwrap.wrap(clean(self.title), int((width - 32) / (0.58 * HEAD))) or [""]
        for place, line in enumerate(lines):
            head.text(16, 28 + 20 * place, line, color="ink", size=HEAD, weight=600)
        top, parts = 28.0 + 20 * len(lines), []
        for start in range(0, len(panels), across):
            row = panels[start : start + across]
            for place, panel in enumerate(row):
                content = "".join(panel.elements)
                parts.append(f'<g transform="translate({16 + place * (WIDTH + GAP)} {number(top)})">{content}</g>')
            top += max(panel.height for panel in row) + 24
        body = f'<rect width="100%" height="100%" fill="{LIGHT["paper"]}"/>{"".join([*head.elements, *parts])}'
        tips = [tip for panel in panels for tip in panel.tips]
        return _element(clean(self.title), tips, width, top, body, style="font-variant-numeric: tabular-nums")

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(clean(self.title))}</b></p>{self.html()}"


_LONGEST = 500  # signs of a label, which is cut to what fits, and shown whole by its tooltip


def clean(text: str) -> str:
    """Text on one line with only what XML can hold, and its beginning alone where it is no label.

    Other signs become replacement characters.

    >>> clean("a\\x00b\\nc")
    'a\ufffdb c'
    """
    return shorten(" ".join(_NOT_XML.sub("\ufffd", text).split()), _LONGEST)


def text_width(text: str, size: float) -> float:
    """About how many pixels a text takes: signs of East Asian scripts are as wide as they are high."""
    if text.isascii():
        return size * 0.57 * len(text)
    return size * sum(1.0 if east_asian_width(sign) in "WF" else 0.57 for sign in text)


def fit(text: str, room: float, size: float) -> str:
    """A text shortened in its middle so that it takes at most `room` pixels.

    >>> fit("a-model-with-a-long-name", 70, 12.5)
    'a-mo…name'
    """
    fitted = text
    kept = int(min(len(text), room / (0.57 * size) + 20))  # as many as may fit, with blanks at the cut
    while kept > 1 and text_width(fitted, size) > room:
        kept -= 1
        fitted = f"{text[: (kept + 1) // 2].rstrip()}…{text[len(text) - kept // 2 :].lstrip()}"
    return fitted


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` intervals between round numbers that enclose `low` and `high`.

    >>> round_ticks(0, 100, 5), round_ticks(0, 3, 3)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [0.0, 1.0, 2.0, 3.0])
    """
    span = max(high - low, 1e-9)
    power = 10.0 ** floor(log10(span / most))
    step = next(
        step * power for step in (*_STEPS, 20.0) if ceil(high / (step * power)) - floor(low / (step * power)) <= most
    )
    first, last = floor(low / step), ceil(high / step)
    return [round(place * step, 9) for place in range(first, max(last, first + 1) + 1)]


def short(value: float) -> str:
    """A number of an axis.

    >>> short(2500), short(40.0), short(-0.5)
    ('2.5k', '40', '−0.5')
    """
    size, unit = next(((size, unit) for size, unit in ((1e6, "M"), (1e3, "k")) if abs(value) >= size), (1.0, ""))
    return f"{value / size:.3g}{unit}".replace("-", "−")


def percent_text(value: float) -> str:
    """A share from 0 to 1 in per cent with one decimal.

    >>> percent_text(0.678), percent_text(-0.05)
    ('67.8', '−5.0')
    """
    return f"{100 * value:.1f}".replace("-", "−")


def interval_text(value: float, low: float, high: float) -> str:
    """A share with its interval, in per cent.

    >>> interval_text(0.678, 0.65, 0.702)
    '67.8 (65.0–70.2)'
    """
    return f"{percent_text(value)} ({percent_text(low)}–{percent_text(high)})"


def are_finite(*values: float) -> bool:
    """Whether all of these can be drawn."""
    return all(map(isfinite, values))


def number(value: float) -> str:
    """A coordinate.

    >>> number(12.0), number(1.23456)
    ('12', '1.23')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _plain(value: str | float) -> str:
    return clean(value) if isinstance(value, str) else f"{value:.6g}"


def _page_color(token: str) -> str:
    """A token of the page, with its light value where there is no such page, as in a notebook."""
    return f"var(--{token}, {LIGHT[token]})"


def _element(title: str, tips: Sequence[str], width: float, height: float, body: str, *, style: str = "") -> str:
    rest = len(tips) - MOST_DESCRIBED
    described = "; ".join([*tips[:MOST_DESCRIBED], *([f"and {rest} more"] if rest > 0 else [])]) or "nothing to show"
    styled = f' style="{style}"' if style else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{number(width)}" height="{number(height)}" font-family="{FONT}" '
        f'font-size="{number(SMALL)}"{styled}>'
        f"<title>{escape(title)}</title><desc>{escape(described)}</desc>{body}</svg>"
    )
