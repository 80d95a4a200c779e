"""Contact sheets: many small drawings on one, each with its name, to be looked at one by one."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from counterpoint.world.drawing import draw_appearance
from counterpoint.world.painting import FINE, Placement, paint
from counterpoint.world.sketch import GROUND, Appearance, Rgb

PAPER: Rgb = (250, 250, 248)
INK: Rgb = (40, 44, 52)
_TILES: tuple[Rgb, Rgb] = ((226, 233, 230), (234, 231, 224))
_LABEL = 18


def contact_sheet(pictures: Iterable[tuple[str, Image.Image]], *, columns: int = 4, gap: int = 10) -> Image.Image:
    """Pictures of one size in rows, each above its label."""
    tiles = list(pictures)
    wide, high = tiles[0][1].size
    rows = -(-len(tiles) // columns)
    sheet = Image.new("RGB", (columns * (wide + gap) + gap, rows * (high + _LABEL + gap) + gap), PAPER)
    draw = ImageDraw.Draw(sheet)
    for number, (label, picture) in enumerate(tiles):
        x, y = gap + number % columns * (wide + gap), gap + number // columns * (high + _LABEL + gap)
        sheet.paste(picture, (x, y))
        draw.text((x + wide // 2, y + high + _LABEL // 2 + 2), label, fill=INK, font=_font(), anchor="mm")
    return sheet


def portrait(look: Appearance, colors: Mapping[str, Rgb], *, size: int = 120, tile: int = 0) -> Image.Image:
    """One thing by itself, as large as a square allows."""
    side = size * FINE
    canvas = Image.new("RGB", (side, side), _TILES[tile % 2])
    shape = draw_appearance(look)
    left, top, right, bottom = shape.extent
    high, wide = max(bottom - min(top, 0), GROUND), max(right - left, 1)
    height = min((side - 30) * GROUND // high, (side - 24) * GROUND // wide)
    x, y = side // 2 - (left + right) // 2 * height // GROUND, side - 15 - (bottom - GROUND) * height // GROUND
    at = Placement(x, y, height)
    paint(ImageDraw.Draw(canvas), shape.sketch, colors, at)
    return canvas.reduce(FINE)


def portraits(
    rows: Sequence[tuple[str, Appearance, Mapping[str, Rgb]]], *, columns: int = 8, size: int = 120
) -> Image.Image:
    """A contact sheet of portraits on tiles of two shades."""
    tiles = (
        (label, portrait(look, colors, size=size, tile=k + k // columns))
        for k, (label, look, colors) in enumerate(rows)
    )
    return contact_sheet(tiles, columns=columns)


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(12)
