"""Write the contact sheets of the world: `python scripts/contact_sheets.py [FOLDER]`, by default docs/pictures.

Every kind, state, material, colour, pose, action, relation and place can be looked at on one of them.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from counterpoint.core.pictures import Box
from counterpoint.core.scenes import Link
from counterpoint.pictures.edits import Foreground, apply_edits
from counterpoint.pictures.noise import PAPER_SEVERITY, STRENGTHS, noise_edit
from counterpoint.pictures.transforms import TRANSFORMS
from counterpoint.suites.carets.visual import enlarge_box, obfuscation_edits
from counterpoint.suites.robustness.picture_changes import DEFAULT_SEVERITY
from counterpoint.world.actions import ACTIONS
from counterpoint.world.contact_sheets import contact_sheet, portraits
from counterpoint.world.kinds import COLORS, OPPOSITES, Kind, kind, kinds
from counterpoint.world.scene_building import BuiltScene, build_scene
from counterpoint.world.scene_sampling import INDOORS, PLACES, WEATHERS
from counterpoint.world.sketch import Appearance, Rgb
from counterpoint.world.sketches.bodies import POSES
from counterpoint.world.source import World

Row = tuple[str, Appearance, Mapping[str, Rgb]]

FAMILIES = {
    "animals": ("animal",),
    "vehicles-and-buildings": ("vehicle", "building", "structure"),
    "furniture-and-appliances": ("furniture", "appliance"),
    "food": ("fruit", "vegetable", "food"),
    "plants-and-containers": ("plant", "container"),
    "toys-and-things": ("toy", "thing"),
}
PEOPLE = ("man", "woman", "boy", "girl")
SKINS: Sequence[Rgb] = ((250, 214, 184), (132, 88, 58), (232, 184, 146), (96, 62, 44), (190, 134, 92))
HAIRS: Sequence[Rgb] = ((92, 58, 32), (28, 26, 30), (214, 170, 86), (46, 34, 28), (170, 84, 40))
CLOTHES = {"shirt": "blue", "pants": "gray", "shorts": "green", "dress": "red", "skirt": "purple", "jacket": "brown",
           "hat": "orange", "scarf": "yellow", "glasses": "black", "shoes": "black"}  # fmt: skip
SHOWN = (
    23,
    852,
    115,
    474,
    93,
    83,
    39,
    50,
    222,
    1035,
    569,
    750,
    188,
    212,
    123,
    1771,
    126,
    646,
    608,
    415,
    337,
    377,
    156,
    1394,
)
"""The scenes of the picture in the README."""


def main(folder: Path = Path("docs/pictures")) -> None:
    """Write every sheet, and say how large each file is."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in SHEETS.items():
        path = folder / f"{name}.png"
        make().quantize(255, dither=Image.Dither.NONE).save(path, optimize=True)
        sys.stdout.write(f"{path}: {path.stat().st_size // 1000} kB\n")


def usual(this: Kind, number: int = 0) -> Mapping[str, Rgb]:
    """The colour that a kind has most often, or second most."""
    ranked = sorted(this.colors, key=lambda name: -this.colors[name])
    return {"main": COLORS[ranked[number % len(ranked)]]}


def look_of(this: Kind, states: Sequence[str] = (), variant: int = 0, pose: str = "", material: str = "") -> Appearance:
    """A look with the first of all that is not given."""
    given = tuple(next((one for one in pair if one in states), pair[0]) for pair in this.states)
    return Appearance(this.name, given, pose or (*this.poses, "")[0], material or (*this.materials, "")[0], variant)


def person(number: int, name: str, pose: str, *wearing: str) -> Row:
    """A person with skin, hair and build that go round with the number."""
    paints = {garment: COLORS[color] for garment, color in CLOTHES.items()}
    paints |= {"skin": SKINS[number % 5], "hair": HAIRS[number % 5]}
    return (
        pose or name,
        Appearance(name, (), pose or "standing", "", number % 3, wearing or ("shirt", "pants", "shoes")),
        paints,
    )


def kinds_sheet(families: Sequence[str]) -> Image.Image:
    """Each kind of some families in two builds."""
    chosen = [one for one in kinds().values() if one.family in families]
    return portraits(
        [(one.name, look_of(one, variant=v), usual(one, v)) for one in chosen for v in (0, 1)], columns=10, size=104
    )


def people_sheet() -> Image.Image:
    """The four kinds of people in three builds each, and all that they wear."""
    rows = [person(number, name, "") for number, name in enumerate(name for name in PEOPLE for _ in range(3))]
    worn = [one.name for one in kinds().values() if one.family == "clothing"]
    for number, garment in enumerate([*worn, *(f"striped {name}" for name in worn if kind(name).states)]):
        base = garment.removeprefix("striped ")
        rest = {"dress": (), "shirt": ("pants",), "pants": ("shirt",), "shorts": ("shirt",), "skirt": ("shirt",)}
        name = ("woman", "girl")[number % 2] if base in ("dress", "skirt") else PEOPLE[number % 4]
        rows.append((garment, *person(number, name, "", garment, *rest.get(base, ("shirt", "pants")))[1:]))
    return portraits(rows, columns=8, size=128)


def states_sheet() -> Image.Image:
    """Each pair of opposite states side by side, on four kinds."""
    rows: list[Row] = []
    for pair in OPPOSITES:
        able = [one for one in kinds().values() if pair in one.states and one.spot != "worn"]
        for number in range(4):
            one = able[number % len(able)]
            variant = (number // len(able) + number) % 3 if len(able) > 1 else number % 3
            pose = "lying" if pair[0] == "awake" else ""
            rows += [
                (f"{state} {one.name}", look_of(one, (state,), variant, pose), usual(one, number)) for state in pair
            ]
    return portraits(rows, columns=8, size=104)


def materials_sheet() -> Image.Image:
    """Each kind that is made of several things, in each of them."""
    rows = [
        (f"{material} {one.name}", look_of(one, material=material, variant=number % 3), usual(one, number))
        for number, one in enumerate(one for one in kinds().values() if one.materials)
        for material in one.materials
    ]
    return portraits(rows, columns=8, size=104)


def colors_sheet() -> Image.Image:
    """Eleven colours on kinds that have them all, and on two that seldom do."""
    names = ("cup", "balloon", "backpack", "car", "bicycle", "umbrella", "chair", "dog")
    rows = [(color, look_of(kind(name)), {"main": COLORS[color]}) for name, color in product(names, COLORS)]
    return portraits(rows, columns=11, size=92)


def poses_sheet() -> Image.Image:
    """All that people and animals do with their limbs."""
    rows = [person(number, PEOPLE[number % 4], pose, "shirt", "pants", "shoes") for number, pose in enumerate(POSES)]
    for one in kinds().values():
        if one.family == "animal":
            rows += [(f"{one.name} {pose}", look_of(one, pose=pose), usual(one)) for pose in one.poses]
    return portraits(rows, columns=9, size=104)


@cache
def looked_through() -> Sequence[BuiltScene]:
    """Scenes among which examples are looked for."""
    return [build_scene("train", index) for index in range(3000)]


Fit = Callable[[BuiltScene, Link], bool]


def examples(name: str, count: int, fits: Sequence[Fit], used: set[str]) -> Iterator[tuple[BuiltScene, Link]]:
    """Scenes in which a relation can be seen, each of them new: with other objects if there are, or other subjects."""
    seen: set[tuple[str, ...]] = set()
    for fit, whose in product(fits, (slice(1, 2), slice(0, 2))):
        for staged in looked_through():
            if len(seen) >= count:
                return
            for link in staged.plan.relations if staged.plan.id not in used else ():
                names = (staged.plan[link.subject].name, staged.plan[link.object].name)
                if link.name == name and not any(names[whose] == one[whose] for one in seen) and fit(staged, link):
                    seen.add(names)
                    used.add(staged.plan.id)
                    yield staged, link
                    break


def actions_sheet() -> Image.Image:
    """Four people, or animals, at each action."""
    shown = []
    for name in dict.fromkeys(action.name for action in ACTIONS):
        found = examples(name, 4, (_alone, _large), set())
        shown += [(_said(staged, link), _around(staged, link)) for staged, link in found]
    return contact_sheet(shown, columns=8, gap=8)


def relations_sheet() -> Image.Image:
    """Two scenes for each relation, with its two things framed."""
    names = ("to the left of", "to the right of", "above", "below", "on", "under", "in front of", "behind", "near",
             "wearing", "holding", "riding")  # fmt: skip
    shown = []
    used: set[str] = set()
    for name in names:
        for staged, link in examples(name, 2, (_only,), used):
            picture = staged.draw()
            for box, color in zip(_boxes(staged, link), ((226, 30, 60), (20, 70, 220)), strict=True):
                frame = (box.x - 2, box.y - 2, box.right + 1, box.bottom + 1)
                ImageDraw.Draw(picture).rectangle(frame, outline=color, width=2)
            shown.append((_said(staged, link), picture.resize((240, 180), Image.Resampling.LANCZOS)))
    return contact_sheet(shown, columns=6, gap=8)


def _large(staged: BuiltScene, link: Link) -> bool:
    """Whether the two are large enough to be shown by themselves."""
    both = _both(staged, link)
    return (both.height >= 84 or both.width >= 120) and both.height <= 200 and both.width <= 250


def _alone(staged: BuiltScene, link: Link) -> bool:
    """Whether nothing else is where the two are."""
    both, own = _both(staged, link), _own(staged, link)
    return _large(staged, link) and not any(
        thing.box.overlap(both) for thing in staged.plan if thing.id not in own and thing.box
    )


def _both(staged: BuiltScene, link: Link) -> Box:
    """The box around the two."""
    one, other = _boxes(staged, link)
    x, y = min(one.x, other.x), min(one.y, other.y)
    return Box(x, y, max(one.right, other.right) - x, max(one.bottom, other.bottom) - y)


def _only(staged: BuiltScene, link: Link) -> bool:
    """Whether the two are the only ones of their names, and easily seen."""
    one, other = _boxes(staged, link)
    single = all(len(staged.plan.named(staged.plan[key].name)) == 1 for key in (link.subject, link.object))
    clear = link.name in ("on", "wearing") or min(one.height, other.height) >= 30
    return single and clear and min(one.height, other.height) >= 20 and len(staged.plan.objects) <= 12


def _own(staged: BuiltScene, link: Link) -> set[str]:
    """The two things, and what they wear."""
    worn = {relation.object for relation in staged.plan.relations if relation.name == "wearing"}
    return {link.subject, link.object, *worn}


def _boxes(staged: BuiltScene, link: Link) -> tuple[Box, Box]:
    one, other = staged.plan[link.subject].box, staged.plan[link.object].box
    assert one, "everything in the world has a box"
    assert other, "everything in the world has a box"
    return one, other


def _said(staged: BuiltScene, link: Link) -> str:
    return f"{staged.plan[link.subject].name} {link.name} {staged.plan[link.object].name}"


def _around(staged: BuiltScene, link: Link) -> Image.Image:
    """The part of a picture that holds two things, four wide and three high."""
    both = _both(staged, link)
    high = min(max(both.height + 16, (both.width + 16) * 3 // 4), 240)
    wide = high * 4 // 3
    x = max(min(both.x + (both.width - wide) // 2, 320 - wide), 0)
    y = max(min(both.y + (both.height - high) // 2, 240 - high), 0)
    return staged.draw().crop((x, y, x + wide, y + high)).resize((168, 126), Image.Resampling.LANCZOS)


def places_sheet() -> Image.Image:
    """Each place in three weathers, or three lights."""
    wanted = [(place, weather) for place in PLACES for weather in (WEATHERS if place not in INDOORS else ("",) * 3)]
    shown: dict[int, Image.Image] = {}
    for staged in looked_through():
        key = staged.plan.place, staged.plan.weather
        free = [number for number, one in enumerate(wanted) if one == key and number not in shown]
        if free and 6 <= len(staged.placed) <= 9:
            shown[free[0]] = staged.draw().resize((240, 180), Image.Resampling.LANCZOS)
        if len(shown) == len(wanted):
            break
    labels = [f"{place}, {weather}" if weather else place for place, weather in wanted]
    return contact_sheet([(labels[number], shown[number]) for number in range(len(wanted))], columns=6, gap=8)


def scenes_sheet(split: str, indices: Sequence[int]) -> Image.Image:
    """Whole scenes, each with its place."""
    found = [build_scene(split, index) for index in indices]
    shown = [(one.plan.place, one.draw().resize((256, 192), Image.Resampling.LANCZOS)) for one in found]
    return contact_sheet(shown, columns=6, gap=8)


def edits_sheet() -> Image.Image:
    """A scene as it is, with all but two of its things obscured, and with each noise and change of the whole."""
    staged, picked = build_scene("test", 121), ("flower", "ball")
    boxes = tuple(enlarge_box(one.box, staged.plan.size) for one in staged.plan if one.name in picked and one.box)
    around = obfuscation_edits(Foreground(boxes, staged.plan.size), World.means)
    noises = {f"{name} noise": noise_edit(name, PAPER_SEVERITY, seed=1) for name in STRENGTHS}
    whole = {name: made[min(DEFAULT_SEVERITY, len(made)) - 1] for name, made in TRANSFORMS.items()}
    pixels = np.asarray(staged.draw())
    shown = [("as it is", Image.fromarray(pixels))]
    for name, edit in (*((f"{one}, around", made) for one, made in around.items()), *noises.items(), *whole.items()):
        shown.append((name, Image.fromarray(apply_edits([edit], pixels))))
    return contact_sheet([(name, _within(image, 240, 180)) for name, image in shown], columns=5, gap=8)


def _within(image: Image.Image, width: int, height: int) -> Image.Image:
    """The picture as large as it may be, in the middle of white."""
    small = image.copy()
    small.thumbnail((width, height), Image.Resampling.LANCZOS)
    page = Image.new("RGB", (width, height), "white")
    page.paste(small, ((width - small.width) // 2, (height - small.height) // 2))
    return page


SHEETS: Mapping[str, Callable[[], Image.Image]] = {
    "kinds-people": people_sheet,
    **{f"kinds-{name}": partial(kinds_sheet, families) for name, families in FAMILIES.items()},
    "states": states_sheet,
    "materials": materials_sheet,
    "colors": colors_sheet,
    "poses": poses_sheet,
    "actions": actions_sheet,
    "relations": relations_sheet,
    "places": places_sheet,
    "scenes": lambda: scenes_sheet("train", SHOWN),
    "edits": edits_sheet,
    "shifted": lambda: scenes_sheet("shifted", range(12)),
}
"""Each sheet by the name of its file."""


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
