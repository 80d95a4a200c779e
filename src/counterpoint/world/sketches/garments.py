"""Clothes, cut to the body that wears them: each is a part of its own, in a paint of its own name."""

from functools import lru_cache
from math import isqrt
from typing import TypeAlias

from counterpoint.world.sketch import Appearance, Point, Sketch
from counterpoint.world.sketches.bodies import Body, Leg, Limb, between, blob, minus, plus
from counterpoint.world.sketches.strokes import outline

TRUNKS = (150, 152, 158)

Line: TypeAlias = tuple[Point, Point]


def bottoms(s: Sketch, look: Appearance, body: Body, limb: Limb, *, near: bool) -> None:
    """One leg of what is worn on the legs."""
    leg, shade = body.build.leg, "" if near else ".dim"
    if look.wears("pants"):
        with s.part("pants"):
            ankle = between(limb.bend, limb.end, 92)
            s.poly(tube(limb.bend, leg * 10 // 11, ankle, leg * 10 // 11), f"pants{shade}")
            s.poly(blob((limb.root, leg + 8), (limb.bend, leg * 10 // 11)), f"pants{shade}")
    elif look.wears("shorts"):
        with s.part("shorts"):
            s.poly(tube(limb.root, leg + 8, between(limb.root, limb.bend, 96), leg + 16), f"shorts{shade}")


def seat(s: Sketch, look: Appearance, body: Body) -> None:
    """What joins the legs at the hips: of pants, of shorts, or plain trunks."""
    build = body.build
    discs = (
        (body.near_leg.root, build.leg + 8),
        (body.far_leg.root, build.leg + 8),
        (between(body.hip, body.chest, 16), build.hip),
    )
    worn = next((name for name in ("pants", "shorts") if look.wears(name)), "")
    if worn:
        with s.part(worn):
            s.poly(blob(*discs), worn)
    elif not look.wears("dress") and not look.wears("skirt"):
        s.poly(blob(*discs), TRUNKS)


def torso(body: Body, wider: int = 0, down: int = 6) -> tuple[Point, ...]:
    """The outline of the upper body, from the shoulders to so many hundredths above the hips."""
    build = body.build
    near, far = waist(body, down)
    r = build.hip * 8 // 10 + wider
    return blob(
        (body.near_arm.root, build.shoulder + wider),
        (body.far_arm.root, build.shoulder + wider),
        (near, r),
        (far, r),
    )


def waist(body: Body, up: int) -> Line:
    """The near and the far side of the body, so many hundredths of the way from hip to shoulder."""
    return between(body.near_leg.root, body.near_arm.root, up), between(body.far_leg.root, body.far_arm.root, up)


def top(s: Sketch, look: Appearance, body: Body) -> None:
    """A shirt, or a bare chest."""
    if not any(look.wears(name) for name in ("shirt", "jacket", "dress")):
        s.poly(torso(body), "skin")
    if look.wears("shirt"):
        with s.part("shirt"):
            s.poly(torso(body, 2), "shirt")
            if "striped shirt" in look.wearing:
                _stripes(s, _sides(body, 100), _sides(body, -6), 4, "shirt")


def _sides(body: Body, up: int) -> Line:
    (near, far), r = waist(body, up), body.build.shoulder - 1
    return plus(near, (-r, 0)), plus(far, (r, 0))


def _stripes(s: Sketch, above: Line, below: Line, count: int, name: str) -> None:
    """Stripes between two lines, dark and pale by turns, so that some stand out from any cloth."""
    for k in range(count):
        start, stop = (100 * (2 * k + 1 + j) // (2 * count + 1) for j in (0, 1))
        corners = [between(one, other, part) for part in (start, stop) for one, other in zip(above, below, strict=True)]
        s.poly(outline(corners), f"{name}.{'pale' if k % 2 else 'line'}")


def jacket(s: Sketch, look: Appearance, body: Body) -> None:
    """A jacket, open over a shirt or dress and zipped up without one."""
    if look.wears("jacket"):
        with s.part("jacket"):
            _jacket(s, body, closed=not look.wears("shirt") and not look.wears("dress"))


def _jacket(s: Sketch, body: Body, *, closed: bool) -> None:
    near, far = waist(body, -4)
    shoulder, low = body.build.shoulder + 8, body.build.hip * 8 // 10 + 10
    left, right = (body.near_arm.root, shoulder), (body.far_arm.root, shoulder)
    if closed:
        s.poly(blob(left, right, (near, low), (far, low)), "jacket")
        s.bar(between(left[0], right[0], 62), between(near, far, 62), 14, "jacket.line", round_ends=False)
        return
    third, aside = shoulder * 6 // 10, shoulder * 4 // 10
    s.poly(blob((plus(left[0], (-aside, 0)), third), (plus(near, (third - low, 0)), third)), "jacket")
    s.poly(blob((plus(right[0], (shoulder - 14, 0)), 14), (plus(far, (low - 16, 0)), 16)), "jacket.dim")


def sleeve(s: Sketch, look: Appearance, body: Body, limb: Limb, *, near: bool) -> None:
    """One arm in its sleeve: long in a jacket, short in a dress, either in a shirt."""
    arm, shade = body.build.arm, "" if near else ".dim"
    worn = next((name for name in ("jacket", "shirt", "dress") if look.wears(name)), "")
    if worn == "jacket" or (worn == "shirt" and look.variant == 1):
        s.disc(*limb.end, arm + 1, f"skin{shade}")
        with s.part(worn):
            _long(s, limb, arm, worn, near=near)
            _band(s, look, limb.root, limb.bend, arm, worn)
        return
    if near:
        s.poly(blob((limb.bend, arm + 5), (limb.end, arm * 8 // 10 + 5)), "skin.dark")
    s.poly(blob((limb.bend, arm), (limb.end, arm * 8 // 10)), f"skin{shade}")
    s.poly(blob((limb.root, arm), (limb.bend, arm)), f"skin{shade}")
    s.disc(*limb.end, arm + 1, f"skin{shade}")
    if worn:
        with s.part(worn):
            cuff = between(limb.root, limb.bend, 94 if worn == "shirt" else 62)
            if near:
                s.poly(tube(between(limb.root, limb.bend, 34), arm + 13, cuff, arm + 16), f"{worn}.dark")
            s.poly(tube(limb.root, arm + 9, cuff, arm + 10), f"{worn}{shade}")
            _band(s, look, limb.root, cuff, arm, worn)


def _long(s: Sketch, limb: Limb, arm: int, worn: str, *, near: bool) -> None:
    cuff, shade = between(limb.bend, limb.end, 88), "" if near else ".dim"
    if near:
        s.poly(blob((between(limb.root, limb.bend, 40), arm + 12), (limb.bend, arm + 13)), f"{worn}.dark")
        s.poly(tube(limb.bend, arm + 13, cuff, arm + 10), f"{worn}.dark")
    s.poly(tube(limb.bend, arm + 7, cuff, arm + 5), f"{worn}{shade}")
    s.poly(blob((limb.root, arm + 9), (limb.bend, arm + 7)), f"{worn}{shade}")


def _band(s: Sketch, look: Appearance, root: Point, cuff: Point, arm: int, worn: str) -> None:
    """One stripe around a sleeve that has stripes."""
    if f"striped {worn}" in look.wearing:
        s.poly(
            outline((*ends(root, between(root, cuff, 54), arm + 9), *ends(root, between(root, cuff, 80), arm + 9))),
            f"{worn}.line",
        )


@lru_cache(8192)
def tube(start: Point, first: int, end: Point, second: int) -> tuple[Point, ...]:
    """The outline of a sleeve or trouser leg: round where it starts, cut straight where it ends."""
    return tuple(outline((*blob((start, first)), *ends(start, end, second))))


def ends(start: Point, end: Point, half: int) -> Line:
    """The two ends of a cut through the end of a line, square to it."""
    (dx, dy), (x, y) = minus(end, start), end
    long = isqrt(dx * dx + dy * dy) or 1
    return (x + dy * half // long, y - dx * half // long), (x - dy * half // long, y + dx * half // long)


def skirt(s: Sketch, look: Appearance, body: Body) -> None:
    """A skirt, or the whole of a dress but its sleeves."""
    build = body.build
    name = next((name for name in ("dress", "skirt") if look.wears(name)), "")
    if not name:
        return
    striped = f"striped {name}" in look.wearing
    with s.part(name):
        near, far = waist(body, 14)
        hem = _hem(body, 106 if name == "dress" else 90)
        r = build.hip * 8 // 10
        s.poly(outline((*blob((near, r), (far, r), (body.hip, build.hip + 10)), *hem)), name)
        if striped:
            _stripes(s, (plus(near, (-r, 0)), plus(far, (r, 0))), (min(hem), max(hem)), 3, name)
        if name == "dress":
            s.poly(torso(body, 2, 20), name)
            if striped:
                _stripes(s, _sides(body, 100), _sides(body, 16), 3, name)
            low = waist(body, 22)
            s.bar(plus(low[0], (-r, 0)), plus(low[1], (r, 0)), 22, "dress.dark", round_ends=False)


def _hem(body: Body, percent: int) -> tuple[Point, ...]:
    """The corners of a skirt, as far down the thighs as it reaches."""
    legs = (body.near_leg, body.far_leg)
    return tuple(p for leg in legs for p in ends(leg.root, between(leg.root, leg.bend, percent), body.build.hip + 16))


def shoe(s: Sketch, look: Appearance, body: Body, leg: Leg, *, near: bool) -> None:
    """A shoe, or a bare foot."""
    sole, shade = body.build.sole, "" if near else ".dim"
    if look.wears("shoes"):
        with s.part("shoes"):
            s.poly(blob((leg.end, sole + 6), (between(leg.end, leg.toe, 110), sole * 8 // 10)), f"shoes{shade}")
    else:
        s.poly(blob((leg.end, sole * 8 // 10), (leg.toe, sole * 6 // 10)), f"skin{shade}")


def scarf(s: Sketch, look: Appearance, body: Body) -> None:
    """A scarf around the neck, with an end that hangs down in front."""
    if not look.wears("scarf"):
        return
    build = body.build
    neck, wide = between(body.chest, body.head, 28), build.head * 56 // 100
    end = between(body.chest, body.hip, 54)
    with s.part("scarf"):
        s.poly(tube(plus(neck, (-wide // 2, 16)), 24, plus(end, (-wide // 2, 0)), 34), "scarf.dim")
        s.poly(blob((plus(neck, (-wide, -4)), 36), (plus(neck, (wide, -4)), 36), (plus(neck, (0, 18)), 36)), "scarf")


def glasses(s: Sketch, eyes: tuple[Point, Point], ear: Point, radius: int) -> None:
    """Two dark rims with clear lenses, and a temple to the ear."""
    with s.part("glasses"):
        s.bar(ear, eyes[1], radius * 4 // 10, "glasses", round_ends=False)
        for x, y in eyes:
            s.disc(x, y, radius, "glasses")
        for x, y in eyes:
            s.disc(x, y, radius * 58 // 100, (236, 246, 250))


def hat(s: Sketch, look: Appearance, head: Point, r: int) -> None:
    """A cap with a peak, a hat with a brim, or a woollen hat with a bobble."""
    if not look.wears("hat"):
        return
    x, y = head

    def at(dx: int, dy: int) -> Point:
        return x + dx * r // 100, y + dy * r // 100

    with s.part("hat"):
        if look.variant == 0:
            s.dome(*at(-104, -144), *at(100, -30), "hat")
            s.poly(blob((at(60, -42), r * 16 // 100), (at(144, -30), r * 13 // 100)), "hat.dark")
            s.disc(*at(0, -142), r * 12 // 100, "hat.dark")
        elif look.variant == 1:
            crown = at(-80, -36), at(-66, -130), at(-30, -150), at(34, -150), at(70, -128), at(84, -36)
            s.poly(crown, "hat")
            s.poly((at(-84, -66), at(84, -66), at(86, -42), at(-86, -42)), "hat.line")
            s.poly(blob((at(-138, -32), r * 14 // 100), (at(142, -32), r * 14 // 100)), "hat")
        else:
            s.disc(*at(-10, -150), r * 28 // 100, "hat.line")
            s.dome(*at(-102, -148), *at(98, -36), "hat")
            s.poly(blob((at(-96, -40), r * 17 // 100), (at(94, -40), r * 17 // 100)), "hat.dark")
