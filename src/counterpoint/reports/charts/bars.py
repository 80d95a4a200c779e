"""Shares and counts as bars: rankings, histograms, stacked shares, and two sides beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from counterpoint.metrics.data_statistics import HistogramBin, RankedWord
from counterpoint.reports.charts.svg import (
    SMALL,
    TEXT,
    WIDTH,
    AxisScale,
    Chart,
    Colors,
    Drawing,
    are_finite,
    clean,
    percent_text,
    text_width,
)

NAMES, ROW, BAR = 128, 24, 14
"""Pixels for a name, for the height of a row, and for that of a bar."""
SIDES = {"captions": "right", "foils": "wrong"}
"""The two sides of a foil test and their colour tokens."""

_TEXT_TOKENS = {"right": "right-text", "wrong": "wrong-text"}  # where a colour is used for text


@dataclass(frozen=True, slots=True)
class BarChart(Chart):
    """One bar per word, its share in per cent beside it; a full bar is the largest share, or `full`."""

    title: str
    bars: tuple[RankedWord, ...]
    full: float | None = None

    def panels(self, colors: Colors) -> list[Drawing]:
        """One panel."""
        drawing = Drawing(colors)
        full = self.full or max((bar.share for bar in self.bars), default=1.0) or 1.0
        room = WIDTH - NAMES - 8 - 44
        for place, bar in enumerate(self.bars):
            y = ROW * place
            drawing.text(0, y + 16, bar.word, color="ink", size=TEXT, room=NAMES)
            length = room * min(max(bar.share / full, 0.0), 1.0)
            tip = f"{bar.word}: {bar.count:,}, {percent_text(bar.share)} %"
            with drawing.mark(tip, name=bar.word, count=bar.count, share=bar.share):
                drawing.rect(NAMES + 8, y + 5, max(length, 1.0), BAR, "accent")
            drawing.text(NAMES + 14 + length, y + 16, percent_text(bar.share), color="ink", size=TEXT)
        drawing.height = ROW * len(self.bars) + 4
        return [drawing]


@dataclass(frozen=True, slots=True)
class BarShare:
    """A part of a stacked bar: its share of the row from 0 to 1, and how many groups it is."""

    row: str
    part: str
    share: float
    count: int


@dataclass(frozen=True, slots=True)
class StackedBarChart(Chart):
    """One bar per row, cut into shares of 100 per cent; `colors` orders the parts and gives each its token.

    The number beside a bar is the share of the first part that any row has, in that part's colour.
    """

    title: str
    shares: tuple[BarShare, ...]
    colors: tuple[tuple[str, str], ...]

    def panels(self, colors: Colors) -> list[Drawing]:
        """One panel, with a legend of the parts that occur."""
        drawing = Drawing(colors)
        present = {share.part for share in self.shares if share.share}
        tokens = {part: token for part, token in self.colors if part in present}
        drawing.legend(tokens)
        rows = list(dict.fromkeys(share.row for share in self.shares))
        top, scale = drawing.height, AxisScale(0, 100, NAMES + 8, WIDTH - 48, most=4)
        drawing.rows_axis(scale, top, top + ROW * len(rows), "per cent of groups")
        for place, row in enumerate(rows):
            by_part = {share.part: share for share in self.shares if share.row == row}
            drawing.text(0, top + ROW * place + 16, row, color="ink", size=TEXT, room=NAMES)
            self._draw_row(
                drawing, [by_part[part] for part in tokens if part in by_part], tokens, scale, top + ROW * place
            )
            for part in list(tokens)[:1]:
                value = percent_text(by_part[part].share if part in by_part else 0.0)
                color = _TEXT_TOKENS.get(tokens[part], "ink")
                drawing.text(WIDTH, top + ROW * place + 16, value, color=color, size=TEXT, anchor="end")
        return [drawing]

    @staticmethod
    def _draw_row(
        drawing: Drawing, shares: Sequence[BarShare], tokens: dict[str, str], scale: AxisScale, y: float
    ) -> None:
        start = 0.0
        for share in shares:
            tip = f"{share.row}, {share.part}: {percent_text(share.share)} %, {share.count:,}"
            with drawing.mark(tip, name=share.row, column=share.part, share=share.share, count=share.count):
                left, right = scale(100 * start), scale(100 * (start + share.share))
                drawing.rect(left, y + 5, max(right - left - 1, 0.5), BAR, tokens[share.part])
            start += share.share


@dataclass(frozen=True, slots=True)
class Histogram(Chart):
    """How often values fall into each range: by count, or in per cent of all with the number above each column."""

    title: str
    bins: tuple[HistogramBin, ...]
    label: str = ""
    as_percent: bool = False

    def panels(self, colors: Colors) -> list[Drawing]:
        """One panel."""
        drawing, left, top, height = Drawing(colors), 36.0, 18.0, 140.0
        total = sum(part.count for part in self.bins) or 1
        heights = [100 * part.count / total if self.as_percent else part.count for part in self.bins]
        scale = AxisScale(0, 100 if self.as_percent else max([1, *heights]), top + height, top, most=4)
        drawing.columns_axis(scale, left)
        step = (WIDTH - left) / max(len(self.bins), 1)
        free = 0.0  # where the next label below may begin
        for place, (part, value) in enumerate(zip(self.bins, heights, strict=True)):
            middle, width = left + step * (place + 0.5), min(0.86 * step, 48)
            tip = f"{part.label}: {part.count:,}, {percent_text(part.count / total)} %"
            with drawing.mark(tip, name=part.label, count=part.count, share=part.count / total):
                drawing.rect(middle - width / 2, scale(value), width, top + height - scale(value), "accent")
            if self.as_percent and part.count and step >= text_width("99.9", SMALL):
                drawing.text(middle, scale(value) - 5, percent_text(value / 100), color="ink", anchor="middle")
            wide = text_width(clean(part.label), SMALL)
            if middle - wide / 2 >= free and middle + wide / 2 <= WIDTH + 8:
                drawing.text(middle, top + height + 15, part.label, anchor="middle")
                free = middle + wide / 2 + 6
        drawing.height = top + height + 20
        if self.label:
            drawing.text(WIDTH, top + height + 31, self.label, anchor="end", room=WIDTH)
            drawing.height += 16
        return [drawing]


@dataclass(frozen=True, slots=True)
class WordFrequency:
    """How often a word occurs on one side of a panel: its share of that side's words from 0 to 1, and its count."""

    panel: str
    side: str
    word: str
    share: float
    count: int


@dataclass(frozen=True, slots=True)
class WordChart(Chart):
    """The words of captions and foils side by side (VALSE, Figures 3 and 4): a row per word, a bar per side."""

    title: str
    frequencies: tuple[WordFrequency, ...]

    def panels(self, colors: Colors) -> list[Drawing]:
        """One panel per part of the suite, all on frequency scale."""
        words = list(dict.fromkeys(frequency.word for frequency in self.frequencies))
        most = max([0.01, *(frequency.share for frequency in self.frequencies if are_finite(frequency.share))])
        scale = AxisScale(0, 100 * most, NAMES + 8, WIDTH - 12, most=4)
        names = dict.fromkeys(frequency.panel for frequency in self.frequencies) or {"": None}
        return [self._panel(name, words, scale, colors) for name in names]

    def _panel(self, name: str, words: Sequence[str], scale: AxisScale, colors: Colors) -> Drawing:
        drawing = Drawing(colors, name)
        drawing.legend(SIDES)
        top, bar = drawing.height, 8
        drawing.rows_axis(scale, top, top + ROW * len(words), "per cent of words")
        by_word = {
            (frequency.word, frequency.side): frequency for frequency in self.frequencies if frequency.panel == name
        }
        for place, word in enumerate(words):
            y = top + ROW * place
            drawing.text(0, y + 16, word, color="ink", size=TEXT, room=NAMES)
            for number, (side, token) in enumerate(SIDES.items()):
                if frequency := by_word.get((word, side)):
                    tip = f"{word}, {side}: {percent_text(frequency.share)} %, {frequency.count:,}"
                    with drawing.mark(tip, name=word, column=side, share=frequency.share, count=frequency.count):
                        length = scale(100 * frequency.share) - scale(0)
                        drawing.rect(scale(0), y + 3.5 + number * (bar + 1), max(length, 0.5), bar, token)
        return drawing
