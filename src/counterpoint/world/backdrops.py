"""What is behind everything: sky and ground out of doors, wall and floor within, and the light on all of it.

Nothing here is a thing that has a name in a scene: hills, waves, tiles and clouds only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from PIL import Image, ImageDraw

from counterpoint.world.cameras import CANVAS, Camera
from counterpoint.world.painting import FINE, fill_polygon
from counterpoint.world.sketch import Extent, Rgb


@dataclass(frozen=True, slots=True)
class Light:
    """Per cent of red, green and blue that reach the eye."""

    red: int = 100
    green: int = 100
    blue: int = 100


_OUTDOOR_LIGHTS = (Light(), Light(104, 102, 98), Light(103, 96, 86), Light(92, 95, 100))
_INDOOR_LIGHTS = (Light(), Light(104, 100, 92), Light(95, 97, 101), Light(93, 91, 87))
_BAND = 15  # canvas rows
_SKIES: Mapping[str, Sequence[tuple[Rgb, Rgb]]] = {
    "sunny": (((92, 168, 232), (206, 232, 246)), ((120, 190, 240), (250, 236, 206)), ((70, 150, 222), (190, 226, 244))),
    "cloudy": (((158, 176, 194), (214, 222, 226)), ((176, 190, 204), (226, 228, 226))),
    "rainy": (((104, 118, 136), (166, 178, 188)), ((120, 130, 144), (178, 186, 192))),
}
_WALLS: Sequence[Rgb] = (
    (236, 226, 206),
    (214, 228, 226),
    (226, 214, 224),
    (222, 230, 208),
    (240, 218, 198),
    (206, 218, 232),
    (238, 234, 226),
)
_FLOORS: Sequence[Rgb] = ((186, 142, 100), (160, 118, 84), (206, 178, 142), (190, 178, 164), (172, 148, 134))


def light(rng: Random, indoors: bool) -> Light:
    """One of the lights there are."""
    return rng.choice(_INDOOR_LIGHTS if indoors else _OUTDOOR_LIGHTS)


def backdrop(place: str, weather: str, camera: Camera, rng: Random, taken: Sequence[Extent] = ()) -> Image.Image:
    """An empty stage of canvas size; the sun keeps clear of what is taken, where it can."""
    canvas = Image.new("RGB", (CANVAS.width, CANVAS.height))
    draw = ImageDraw.Draw(canvas)
    if weather:
        _sky(draw, weather, camera, rng, taken)
        _GROUNDS[place](draw, camera, rng)
    else:
        _room(draw, place, camera, rng)
    return canvas


def finish(canvas: Image.Image, weather: str, tint: Light, rng: Random) -> Image.Image:
    """The picture of a painted canvas: rained upon, reduced, and lit."""
    if weather == "rainy":
        draw = ImageDraw.Draw(canvas)
        slant = rng.randint(8, 26)
        for _ in range(64):
            x, y, long = rng.randrange(CANVAS.width), rng.randrange(CANVAS.height), rng.randint(26, 60)
            fill_polygon(draw, ((x, y), (x + 3, y), (x + 3 - slant, y + long), (x - slant, y + long)), (206, 220, 234))
    picture = canvas.reduce(FINE)
    return picture if tint == Light() else picture.point(_tables(tint))


@lru_cache(32)
def _tables(tint: Light) -> list[int]:
    return [min(255, v * share // 100) for share in (tint.red, tint.green, tint.blue) for v in range(256)]


def _gradient(draw: ImageDraw.ImageDraw, top: int, bottom: int, colors: tuple[Rgb, Rgb]) -> None:
    """Fill the rows from top to bottom with one colour going over into another, in bands too narrow to be seen."""
    for y in range(top, bottom, _BAND):
        shade = _mixed(colors[0], colors[1], 100 * (y - top) // (bottom - top))
        draw.rectangle((0, y, CANVAS.width, min(y + _BAND, bottom) - 1), fill=shade)


def _mixed(one: Rgb, other: Rgb, per_cent: int) -> Rgb:
    (r0, g0, b0), (r1, g1, b1) = one, other
    return r0 + (r1 - r0) * per_cent // 100, g0 + (g1 - g0) * per_cent // 100, b0 + (b1 - b0) * per_cent // 100


def _varied(rng: Random, color: Rgb, by: int = 10) -> Rgb:
    shift = rng.randint(-by, by)
    red, green, blue = (max(0, min(255, v + shift + rng.randint(-4, 4))) for v in color)
    return red, green, blue


def _sky(draw: ImageDraw.ImageDraw, weather: str, camera: Camera, rng: Random, taken: Sequence[Extent]) -> None:
    high, low = rng.choice(_SKIES[weather])
    _gradient(draw, 0, camera.horizon + 2, (_varied(rng, high), _varied(rng, low)))
    if weather == "sunny":
        x, y, size = _sun(camera, rng, taken)
        for grow, color in ((16, (255, 240, 178)), (0, (255, 220, 86))):
            draw.ellipse((x - size - grow, y - size - grow, x + size + grow, y + size + grow), fill=color)
    many, white = {"sunny": (rng.randint(0, 3), (250, 252, 254)), "cloudy": (7, (232, 236, 240))}.get(
        weather, (9, (150, 160, 172))
    )
    for _ in range(many):
        x, y, wide = (
            rng.randint(-40, CANVAS.width),
            rng.randint(10, max(camera.horizon * 2 // 3, 20)),
            rng.randint(90, 200),
        )
        shade = _varied(rng, white, 6)
        for part in range(4):
            left, size = x + part * wide // 5, wide * (30, 46, 40, 28)[part] // 100
            draw.ellipse((left, y - size // 2, left + size * 3 // 2, y + size // 3), fill=shade)


def _sun(camera: Camera, rng: Random, taken: Sequence[Extent]) -> tuple[int, int, int]:
    """The middle and the size of the sun: the first of a few places that nothing covers, or else the last of them."""
    size, x, y = rng.randint(28, 42), 0, 0
    for _ in range(12):
        x, y = rng.randint(60, CANVAS.width - 60), rng.randint(40, max(camera.horizon // 2, 60))
        reach = size + 16
        if all(
            right < x - reach or left > x + reach or bottom < y - reach or top > y + reach
            for left, top, right, bottom in taken
        ):
            break
    return x, y, size


def _hills(draw: ImageDraw.ImageDraw, camera: Camera, rng: Random, color: Rgb) -> None:
    for row in range(2):
        shade = _mixed(color, (190, 214, 226), 50 - 30 * row)
        for _ in range(4):
            x, wide, high = rng.randint(-200, CANVAS.width), rng.randint(320, 640), rng.randint(30, 74) - 12 * row
            draw.ellipse((x, camera.horizon - high, x + wide, camera.horizon + high), fill=shade)


def _ground(draw: ImageDraw.ImageDraw, camera: Camera, color: Rgb) -> None:
    _gradient(draw, camera.horizon, CANVAS.height, (_mixed(color, (226, 232, 214), 26), _mixed(color, (30, 60, 20), 8)))


def _tufts(draw: ImageDraw.ImageDraw, camera: Camera, rng: Random, color: Rgb, count: int) -> None:
    for _ in range(count):
        x, y = rng.randrange(CANVAS.width), rng.randint(camera.horizon + 30, CANVAS.height)
        size = 5 + (y - camera.horizon) // 18
        shade = _mixed(color, (20, 60, 20) if rng.random() < 0.6 else (250, 250, 190), 16)
        fill_polygon(draw, ((x - size // 2, y), (x, y - size), (x + size // 3, y)), shade)
        fill_polygon(draw, ((x, y), (x + size // 2, y - size * 3 // 4), (x + size, y)), shade)


def _meadow(draw: ImageDraw.ImageDraw, camera: Camera, rng: Random) -> None:
    grass = _varied(rng, (126, 184, 88), 14)
    _hills(draw, camera, rng, grass)
    _ground(draw, camera, grass)
    if rng.random() < 0.6:
        near, far, wide = rng.randint(100, 860), rng.randint(200, 760), rng.randint(120, 220)
        sand = _varied(rng, (224, 204, 160), 8)
        fill_polygon(
            draw,
            (
                (far - 14, camera.horizon + 2),
                (far + 14, camera.horizon + 2),
                (near + wide, CANVAS.height),
                (near - wide, CANVAS.height),
            ),
            sand,
        )
    _tufts(draw, camera, rng, grass, 30)


def _fields(draw: ImageDraw.ImageDraw, camera: Camera, rng: Random) -> None:
    grass = _varied(rng, (150, 180, 84), 12)
    _hills(draw, camera, rng, _varied(rng, (170, 190, 96), 14))
    _ground(draw, camera, grass)
    vanish = rng.randint(200, 760)
    crop = _mixed(grass, rng.choice(((222, 196, 90), (120, 92, 60), (110, 160, 60))), 34)
    for k in range(rng.randint(4, 7)):
        x = -200 + k * 260 + rng.randint(-20, 20)
        fill_polygon(draw, ((vanish, camera.horizon + 2), (x, CANVAS.height), (x + 110, CANVAS.height)), crop)
    _tufts(draw, camera, rng, grass, 22)


def _lawn(draw: ImageDraw.ImageDraw, camera: Camera, rng: Random) -> None:
    grass = _varied(rng, (118, 178, 92), 12)
    _ground(draw, camera, grass)
    planks = rng.choice(((244, 240, 230), (198, 162, 120), (176, 190, 190)))
    top, foot = camera.horizon - rng.randint(44, 70), camera.horizon + 18
    for x in range(-rng.randint(0, 30), CANVAS.width, 34):
        fill_polygon(draw, ((x, foot), (x, top + 12), (x + 12, top), (x + 24, top + 12), (x + 24, foot)), planks)
    for y in (top + 24, foot - 18):
        draw.rectangle((0, y, CANVAS.width, y + 8), fill=_mixed(planks, (60, 50, 40), 16))
    for band in range(4):
        x = rng.randint(-100, 200) + band * 300
        shade = _mixed(grass, (240, 250, 200), 12)
        fill_polygon(
            draw,
            ((480 + (x - 480) // 4, foot), (480 + (x - 380) // 4, foot), (x + 160, CANVAS.height), (x, CANVAS.height)),
            shade,
        )
    _tufts(draw, camera, rng, grass, 24)


def _street(draw: ImageDraw.ImageDraw, camera: Camera, rng: Random) -> None:
    haze = rng.choice(((176, 190, 206), (198, 190, 196), (186, 200, 200)))
    x = -rng.randint(0, 60)
    while x < CANVAS.width:
        wide, high = rng.randint(60, 130), rng.randint(30, max(camera.horizon * 6 // 10, 60))
        draw.rectangle((x, camera.horizon - high, x + wide - 6, camera.horizon), fill=_varied(rng, haze, 10))
        x += wide
    pavement = _varied(rng, (196, 192, 186), 8)
    _gradient(draw, camera.horizon, CANVAS.height, (_mixed(pavement, (236, 236, 236), 30), pavement))
    curb = camera.back + (camera.front - camera.back) * rng.randint(18, 42) // 100
    draw.rectangle((0, curb, CANVAS.width, curb + 9), fill=_mixed(pavement, (90, 90, 96), 35))
    asphalt = _varied(rng, (122, 124, 130), 12)
    draw.rectangle((0, curb + 9, CANVAS.width, CANVAS.height), fill=asphalt)
    middle, dash = (curb + CANVAS.height) // 2, rng.randint(70, 120)
    for left in range(-rng.randint(0, dash), CANVAS.width, dash * 2):
        fill_polygon(
            draw,
            ((left, middle + 8), (left + 8, middle), (left + dash, middle), (left + dash - 8, middle + 8)),
            (232, 226, 196),
        )


def _shore(draw: ImageDraw.ImageDraw, camera: Camera, rng: Random) -> None:
    sea = rng.choice(((48, 138, 186), (62, 160, 190), (70, 130, 170)))
    edge = camera.horizon + (camera.back - camera.horizon) * rng.randint(60, 100) // 100
    _gradient(draw, camera.horizon, edge + 4, (sea, _mixed(sea, (190, 232, 230), 46)))
    for _ in range(10):
        x, y, wide = rng.randrange(CANVAS.width), rng.randint(camera.horizon + 8, edge - 8), rng.randint(30, 90)
        draw.rectangle((x, y, x + wide, y + 3), fill=_mixed(sea, (255, 255, 255), 40))
    sand = _varied(rng, (238, 214, 162), 10)
    _gradient(draw, edge, CANVAS.height, (_mixed(sand, (200, 170, 120), 26), sand))
    for x in range(-40, CANVAS.width, 96):
        draw.ellipse((x, edge - 9, x + 130, edge + 8), fill=(250, 252, 250))
    for _ in range(28):
        x, y = rng.randrange(CANVAS.width), rng.randint(edge + 20, CANVAS.height)
        draw.ellipse(
            (x, y, x + 6, y + 4), fill=_mixed(sand, (130, 96, 60) if rng.random() < 0.5 else (255, 250, 230), 34)
        )


_GROUNDS: Mapping[str, Callable[[ImageDraw.ImageDraw, Camera, Random], None]] = {
    "park": _meadow,
    "farm": _fields,
    "garden": _lawn,
    "street": _street,
    "beach": _shore,
}


def _room(draw: ImageDraw.ImageDraw, place: str, camera: Camera, rng: Random) -> None:
    wall, floor = _varied(rng, rng.choice(_WALLS), 6), _varied(rng, rng.choice(_FLOORS), 10)
    foot = camera.back
    _gradient(draw, 0, foot, (_mixed(wall, (90, 90, 110), 10), wall))
    _gradient(draw, foot, CANVAS.height, (_mixed(floor, (60, 50, 50), 16), _mixed(floor, (255, 250, 240), 12)))
    if place == "kitchen":
        _tiles(draw, foot, wall)
        _boards(draw, camera, floor, across=True)
    elif place == "living room":
        for x in range(-rng.randint(0, 60), CANVAS.width, rng.randint(70, 110)):
            draw.rectangle((x, 0, x + 26, foot), fill=_mixed(wall, (255, 255, 255), 24))
        _boards(draw, camera, floor, across=False)
    else:
        soft = _mixed(wall, rng.choice(((140, 160, 200), (200, 150, 170), (150, 180, 150))), 42)
        draw.rectangle((0, foot - rng.randint(110, 160), CANVAS.width, foot), fill=soft)
        _gradient(draw, foot, CANVAS.height, (_mixed(soft, (70, 60, 70), 22), _mixed(soft, (255, 255, 255), 26)))
    draw.rectangle((0, foot - 16, CANVAS.width, foot), fill=_mixed(wall, (255, 255, 255), 60))
    draw.rectangle((0, foot, CANVAS.width, foot + 4), fill=_mixed(floor, (30, 24, 20), 45))


def _tiles(draw: ImageDraw.ImageDraw, foot: int, wall: Rgb) -> None:
    grout = _mixed(wall, (255, 255, 255), 62)
    for y in range(foot % 54, foot, 54):
        draw.rectangle((0, y, CANVAS.width, y + 3), fill=grout)
    for x in range(20, CANVAS.width, 54):
        draw.rectangle((x, 0, x + 3, foot), fill=grout)


def _boards(draw: ImageDraw.ImageDraw, camera: Camera, floor: Rgb, *, across: bool) -> None:
    """Lines that run away from us, and for tiles also those across, nearer to each other the farther they are."""
    line = _mixed(floor, (40, 28, 22), 26)
    span = CANVAS.height - camera.horizon
    for x in range(-960, 2 * CANVAS.width, 120):
        far = 480 + (x - 480) * (camera.back - camera.horizon) // span
        fill_polygon(
            draw, ((far, camera.back), (far + 2, camera.back), (x + 5, CANVAS.height), (x, CANVAS.height)), line
        )
    if across:
        for k in range(10, 30):
            y = camera.horizon + span * 10 // k
            if y > camera.back:
                draw.rectangle((0, y, CANVAS.width, y + 3), fill=line)
