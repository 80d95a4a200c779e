"""Animals by name, those of the neighbouring modules and the crab."""

from collections.abc import Callable, Mapping

from counterpoint.world.sketch import Appearance, Sketch
from counterpoint.world.sketches.anatomy import INK, eye
from counterpoint.world.sketches.birds import bird, chicken, duck
from counterpoint.world.sketches.cattle import cow, horse, pig, sheep
from counterpoint.world.sketches.pets import cat, dog, rabbit


def crab(look: Appearance) -> Sketch:
    """A crab with raised claws, eyes on stalks and six legs."""
    s = Sketch()
    for side in (-1, 1):
        for knee, high, foot in ((640, 610, 580), (720, 650, 700), (780, 700, 840)):
            s.bar((420 * side, 700), (knee * side, high), 74, "main.dark", round_ends=False)
            s.disc(knee * side, high, 37, "main.dark")
            s.poly(((knee * side - 36, high), (knee * side + 36, high), (foot * side, 1000)), "main.dark")
        s.path(((480 * side, 560), (720 * side, 480), (700 * side, 300)), 100, "main.dark")
        for start, stop in ((-60, 80), (100, 240)):
            s.fan(700 * side, 220, 200, 220, start, stop)
        s.bar((180 * side, 500), (190 * side, 200), 60, "main.dark", round_ends=False)
    s.oval(-560, 380, 560, 940, "main.dark")
    s.oval(-560, 370, 560, 880)
    if look.variant == 1:
        for x, y in ((-360, 600), (-180, 500), (200, 500), (370, 600)):
            s.disc(x, y, 62, "main.line")
    elif look.variant == 2:
        for x in (-300, 0, 300):
            s.bar((x - 80, 540), (x + 80, 540), 40, "main.line")
    else:
        s.oval(-380, 420, -60, 540, "main.light")
    for side in (-1, 1):
        eye(s, 190 * side, 150, 110)
    s.path(((-130, 720), (0, 790), (130, 720)), 40, INK)
    s.anchor("mouth", 0, 780)
    return s


SKETCHES: Mapping[str, Callable[[Appearance], Sketch]] = {
    "dog": dog,
    "cat": cat,
    "horse": horse,
    "cow": cow,
    "sheep": sheep,
    "pig": pig,
    "duck": duck,
    "rabbit": rabbit,
    "chicken": chicken,
    "bird": bird,
    "crab": crab,
}
