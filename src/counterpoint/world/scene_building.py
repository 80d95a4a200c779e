"""Building scenes: a scene sample is placed with little occlusion, annotated and drawn.

`build_scene` maps a split and a number to a scene and its picture, the same on every machine. Colours are drawn last,
repeatedly until the scene falls into the split, so that no two splits share a scene.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from random import Random

from PIL import Image, ImageDraw

from counterpoint.core.errors import UnknownName
from counterpoint.core.ids import content_id, seeded_rng
from counterpoint.core.pictures import Picture
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.world.backdrops import Light, backdrop, finish, light
from counterpoint.world.cameras import CANVAS, PICTURE, Camera, indoor_camera, outdoor_camera
from counterpoint.world.drawing import MeasuredSketch, draw_appearance
from counterpoint.world.joints import HOLDS, Joint, anchor_middle, place_in_row
from counterpoint.world.kinds import COLORS, kind
from counterpoint.world.painting import FINE, Placement, box_of, paint, stroke
from counterpoint.world.scene_sampling import (
    INDOORS,
    SIZES,
    SceneMember,
    SceneSample,
    garment_kind,
    sample_colors,
    sample_scene,
)
from counterpoint.world.sketch import GROUND, Extent, Point, Rgb
from counterpoint.world.spatial_relations import PlacedBox, find_spatial_relations
from counterpoint.world.visibility import LEAST_SEEN, SeenShares

SPLITS = {"train": (0, 1, 2, 3, 4, 5, 6), "validation": (7,), "test": (8,), "shifted": (9,)}
"""The tenths of all scenes that belong to each split."""

_SKINS: tuple[Rgb, ...] = ((250, 214, 184), (232, 184, 146), (190, 134, 92), (132, 88, 58), (96, 62, 44))
_HAIRS: tuple[Rgb, ...] = ((46, 34, 28), (92, 58, 32), (214, 170, 86), (170, 84, 40), (28, 26, 30))
_GRAY_HAIR: Rgb = (150, 148, 150)
_LEAST = 42  # canvas pixels: everything on stage is fourteen pixels of the picture wide, or high
_APART = 12  # canvas pixels between two things on the wall, or in the sky
_HIDDEN = 30  # per cent of a thing that others may cover
_TRIES = 8
_LETTERED = frozenset({"stop sign"})  # what can be read has one right way round


@dataclass(frozen=True, slots=True)
class PlacedMember:
    """A member at its place. `root` numbers the cluster, `parent` the member it hangs on, `depth` how near it is."""

    member: SceneMember
    at: Placement
    extent: Extent
    root: int
    parent: int | None
    depth: tuple[int, int]
    colors: Mapping[str, str]

    @property
    def spot(self) -> str:
        """Where things of its kind are: on the floor, on top of something, on the wall, in the sky."""
        return kind(self.member.look.kind).spot


@dataclass(frozen=True)
class BuiltScene:
    """A scene and all that is needed to draw it; `plan` is the scene before it is known what is hidden in it."""

    plan: Scene
    camera: Camera
    light: Light
    placed: tuple[PlacedMember, ...]
    strings: tuple[tuple[Point, Point], ...]
    luck: int

    def draw(self) -> Image.Image:
        """The picture, 320 by 240."""
        canvas = self._backdrop()
        for _, paint_it in self._painters(canvas):
            paint_it()
        draw = ImageDraw.Draw(canvas)
        for start, end in self.strings:
            stroke(draw, start, end, FINE, (70, 62, 60))
        return finish(canvas, self.plan.weather, self.light, seeded_rng("finish", self.luck))

    @cached_property
    def scene(self) -> Scene:
        """What the picture shows, with a mark on every object that is hidden in it."""
        canvas, seen = self._backdrop(), SeenShares()
        for number, paint_it in self._painters(canvas):
            seen.add(number, self.placed[number].extent, canvas, paint_it)
        shares = (
            share
            for number, one in enumerate(self.placed)
            for share in seen.of(number, one.member.look, one.at).values()
        )  # of a thing and then of what it wears, as its objects are numbered
        objects = zip(self.plan.objects, shares, strict=True)
        return replace(self.plan, objects=tuple(replace(one, is_hidden=share < LEAST_SEEN) for one, share in objects))

    def _backdrop(self) -> Image.Image:
        extents, rng = [placed.extent for placed in self.placed], seeded_rng("backdrop", self.luck)
        return backdrop(self.plan.place, self.plan.weather, self.camera, rng, extents)

    def _painters(self, canvas: Image.Image) -> Iterator[tuple[int, Callable[[], None]]]:
        """From back to front, the number of each thing and what paints it on a canvas where its shadow is already."""
        draw, rng = ImageDraw.Draw(canvas), seeded_rng("paint", self.luck)
        paints = [_paints(rng, placed) for placed in self.placed]
        for number in _back_to_front(self.placed):
            placed = self.placed[number]
            if placed.parent is None and placed.spot in ("floor", "top"):
                _shadow(canvas, placed)
            sketch = draw_appearance(placed.member.look).sketch
            yield number, partial(paint, draw, sketch, paints[number], placed.at)


@lru_cache(512)
def build_scene(split: str, index: int, seed: int = 0) -> BuiltScene:
    """The scene of this number in a split; other seeds give other worlds. The last ones are kept."""
    if split not in SPLITS:
        raise UnknownName("split", split, SPLITS)
    luck = content_id(["world", seed, split, index])
    rng = seeded_rng("stage", luck)
    shifted = split == "shifted"
    while True:
        chosen = sample_scene(rng, shifted=shifted)
        camera = indoor_camera(rng) if chosen.place in INDOORS else outdoor_camera(rng)
        placed, strings = _arranged(rng, chosen, camera)
        if len({one.member.look.kind for one in placed}) >= 3:
            break
    painted = _painted(rng, chosen, placed, split)
    scene = _scene(seed, split, index, chosen, camera, painted)
    return BuiltScene(scene, camera, light(rng, chosen.place in INDOORS), tuple(painted), tuple(strings), luck)


def namespace(seed: int) -> str:
    """What the addresses of a world's pictures begin with: `world`, and for other seeds than 0 the seed as well."""
    return f"world-{seed}" if seed else "world"


def picture_address(split: str, index: int, seed: int) -> str:
    """Where a picture of a world is.

    >>> picture_address("test", 7, 0)
    'world:test/000007.png'
    """
    return f"{namespace(seed)}:{split}/{index:06d}.png"


def _painted(rng: Random, chosen: SceneSample, placed: list[PlacedMember], split: str) -> list[PlacedMember]:
    while True:
        painted = [
            replace(one, colors=sample_colors(rng, one.member.look, shifted=split == "shifted")) for one in placed
        ]
        if scene_signature(chosen.place, painted) % 10 in SPLITS[split]:
            return painted


def scene_signature(place: str, placed: list[PlacedMember]) -> int:
    """A number that scenes share only if the same things in the same looks and colours are at the same place."""
    rows = (
        [one.member.look.kind, one.member.look.pose, *one.member.look.states, *map(":".join, one.colors.items())]
        for one in placed
    )
    return content_id([place, sorted(rows)])


def _arranged(rng: Random, chosen: SceneSample, camera: Camera) -> tuple[list[PlacedMember], list[tuple[Point, Point]]]:
    placed: list[PlacedMember] = []
    strings: list[tuple[Point, Point]] = []
    hidden: list[int] = []
    for cluster in sorted(chosen.clusters, key=_bulk, reverse=True):
        for _ in range(_TRIES):
            new = _place_cluster(rng, cluster, camera, len(placed))
            if new and (covered := _room(placed, new.members, hidden)):
                hidden = covered
                placed += new.members
                strings += new.strings
                break
    return placed, strings


def _bulk(cluster: SceneMember) -> int:
    """How much room a cluster needs; people and laden tables count for more, so that they are placed first."""
    left, _, right, _ = draw_appearance(cluster.look).extent
    peopled = any(kind(one.look.kind).family == "person" for one in (cluster, *cluster.others))
    return kind(cluster.look.kind).height ** 2 * (right - left) * (3 if peopled else 2 if cluster.others else 1)


@dataclass(frozen=True, slots=True)
class _Cluster:
    """Members that are placed together, and the strings between them."""

    first: int
    camera: Camera
    rng: Random
    members: list[PlacedMember]
    strings: list[tuple[Point, Point]]

    def enter(self, member: SceneMember, at: Placement, parent: int | None) -> bool:
        """Let a member in with all that hangs on it; False where something finds no place."""
        number, shape = len(self.members), draw_appearance(member.look)
        extent = at.extent(shape.extent)
        if not _visible(extent):
            return False
        above = None if parent is None else self.first + parent
        depth = self.members[0].depth if self.members else _depth(member, at)
        self.members.append(PlacedMember(member, at, extent, self.first, above, depth, {}))
        if not member.others:
            return True
        joints = [self._joint(shape, at, other) for other in member.others]
        for other, joint, where in zip(member.others, joints, _places(member.others, joints), strict=True):
            if where is None and other.spot:
                continue
            if where is None or not self.enter(other, where, number):
                return False
            if other.action and other.action.hold in ("string", "leash"):
                end = joint.other.anchors["grip" if other.action.hold == "string" else "collar"]
                self.strings.append((anchor_middle(joint.hand()), where.point(*anchor_middle(end))))
        return True

    def _joint(self, above: MeasuredSketch, at: Placement, other: SceneMember) -> Joint:
        root = self.members[0]
        ground = self.camera.back if kind(root.member.look.kind).spot in ("wall", "sky") else root.at.y
        height = self.camera.pixels(kind(other.look.kind).height, ground, SIZES[other.size])
        return Joint(above, at, draw_appearance(other.look), height, self.camera, self.rng)


def _places(others: tuple[SceneMember, ...], joints: list[Joint]) -> list[Placement | None]:
    """Where each goes that hangs on one member: in a row on top of it or under it, or as its action says."""
    found: list[Placement | None] = [
        HOLDS[other.action.hold](joint) if other.action else None for other, joint in zip(others, joints, strict=True)
    ]
    for spot, line in (("on", "top"), ("under", "under")):
        here = [number for number, other in enumerate(others) if other.spot == spot]
        for number, where in zip(here, place_in_row([joints[number] for number in here], line), strict=True):
            found[number] = where
    return found


def _place_cluster(rng: Random, root: SceneMember, camera: Camera, first: int) -> _Cluster | None:
    """Try a place for a cluster: None where something would leave the picture or be too small to see."""
    at = _spot(rng, root, draw_appearance(root.look), camera)
    if at is None:
        return None
    cluster = _Cluster(first, camera, rng, [], [])
    return cluster if cluster.enter(root, at, None) else None


def _spot(rng: Random, root: SceneMember, shape: MeasuredSketch, camera: Camera) -> Placement | None:
    this, per_cent = kind(root.look.kind), SIZES[root.size]
    mirrored = rng.random() < 0.5 and this.name not in _LETTERED
    left, top, right, _ = shape.extent
    if this.spot == "wall":
        ground, height = camera.back, camera.pixels(this.height, camera.back, per_cent)
        low = ground if this.name == "door" else rng.randint(min(height + 24, ground - 60), ground - 60)
    elif this.spot == "sky":
        ground = camera.back
        height = this.height * rng.randint(110, 190) * per_cent // 10000
        low = rng.randint(height + 12, max(camera.horizon, height + 20))
    else:
        tall = camera.nearest(this.height, per_cent, CANVAS.height - 40)
        wide = camera.nearest(this.height * (right - left) // GROUND, per_cent, CANVAS.width * 7 // 10)
        nearest = min(camera.front, tall, wide)
        farthest = max(camera.back, camera.nearest(this.height, per_cent, _LEAST + 4) + 1)
        if this.far:
            nearest = min(nearest, camera.back + (camera.front - camera.back) // 4)
        if farthest > nearest:
            return None
        low = rng.randint(farthest, nearest)
        if rng.random() < 0.4:
            low = max(low, rng.randint(farthest, nearest))
        height = camera.pixels(this.height, low, per_cent)
        if height * (GROUND - top) // GROUND > low - 4:
            return None
    half = (right - left) * height // (2 * GROUND)
    if 2 * half > CANVAS.width - 20:
        return None
    x = rng.randint(half + 6, CANVAS.width - half - 6)
    middle = (left + right) // 2 * (-1 if mirrored else 1)
    return Placement(x - middle * height // GROUND, low, height, mirrored)


def _visible(extent: Extent) -> bool:
    left, top, right, bottom = extent
    inside = left >= 3 and top >= 3 and right < CANVAS.width - 3 and bottom < CANVAS.height - 3
    return inside and max(right - left, bottom - top) >= _LEAST


def _room(placed: list[PlacedMember], new: list[PlacedMember], hidden: list[int]) -> list[int] | None:
    """How much of each member is occluded once a cluster is placed; None if that is more than allowed.

    Two things on the wall, or two in the sky, may not even come near each other.
    """
    hidden = [*hidden, *(0 for _ in new)]
    for place, other in enumerate(new, len(placed)):
        left, top, right, bottom = other.extent
        for number, one in enumerate(placed):
            x0, y0, x1, y1 = one.extent
            across = (x1 if x1 < right else right) - (x0 if x0 > left else left)
            down = (y1 if y1 < bottom else bottom) - (y0 if y0 > top else top)
            if across <= -_APART or down <= -_APART:
                continue
            if other.spot in ("wall", "sky") and one.spot == other.spot:
                return None
            if across > 0 and down > 0:
                hidden[number if one.depth <= other.depth else place] += across * down
    fits = all(
        100 * covered <= _HIDDEN * _area(one.extent) for one, covered in zip([*placed, *new], hidden, strict=True)
    )
    return hidden if fits else None


def _area(extent: Extent) -> int:
    return max(extent[2] - extent[0], 1) * max(extent[3] - extent[1], 1)


def _depth(root: SceneMember, at: Placement) -> tuple[int, int]:
    """What is painted first: walls, then the sky, then the ground from far to near."""
    return {"wall": 0, "sky": 1}.get(kind(root.look.kind).spot, 2), at.y


def _back_to_front(placed: Sequence[PlacedMember]) -> list[int]:
    """The order of painting: each cluster together, what lies under a thing first."""

    def order(number: int) -> tuple[tuple[int, int], int, bool, int]:
        one = placed[number]
        return one.depth, one.root, one.member.spot != "under", number

    return sorted(range(len(placed)), key=order)


def _scene(seed: int, split: str, index: int, chosen: SceneSample, camera: Camera, placed: list[PlacedMember]) -> Scene:
    objects: list[SceneObject] = []
    links: list[Link] = []
    stands: list[PlacedBox] = []
    for number, one in enumerate(placed):
        look, own = one.member.look, str(len(objects) + 1)
        ground, hung = placed[one.root].at.y, one.spot in ("wall", "sky") and look.kind != "door"
        stands.append(
            PlacedBox(own, box_of(one.extent), one.root, ground, grounded=one.at.y == ground and not hung, hung=hung)
        )
        objects.append(SceneObject(own, look.kind, tuple(_attributes(one)), box_of(one.extent)))
        for worn, part in draw_appearance(look).parts.items():
            other = str(len(objects) + 1)
            objects.append(SceneObject(other, garment_kind(worn), tuple(_worn(one, worn)), box_of(one.at.extent(part))))
            links.append(Link(own, "wearing", other))
        if one.parent is not None:
            links += _joining(own, stands[one.parent].id, one.member)
        assert number == len(stands) - 1
    return Scene(
        f"{split}-{index:06d}",
        Picture(picture_address(split, index, seed)),
        PICTURE,
        tuple(objects),
        (*links, *find_spatial_relations(stands, links)),
        chosen.place,
        chosen.weather,
        is_complete=True,
    )


def _attributes(one: PlacedMember) -> Iterator[str]:
    look = one.member.look
    if "main" in one.colors and "bare" not in look.states:  # a bare tree has lost what had the colour
        yield one.colors["main"]
    if look.material:
        yield {"wood": "wooden"}.get(look.material, look.material)
    if one.member.size:
        yield one.member.size
    yield from look.states
    pose = {"balancing": "standing", "riding": "sitting", "leading": "walking"}.get(look.pose, look.pose)
    if pose in ("standing", "sitting", "lying", "running", "walking", "eating", "flying", "jumping", "waving") and not (
        kind(look.kind).family == "person" and look.pose in ("eating", "flying")
    ):
        yield pose


def _worn(one: PlacedMember, worn: str) -> Iterator[str]:
    yield one.colors[worn]
    if kind(worn).states:
        yield "striped" if f"striped {worn}" in one.member.look.wearing else "plain"


def _joining(own: str, parent: str, member: SceneMember) -> Iterator[Link]:
    if member.spot:
        yield Link(own, member.spot, parent)
    elif member.action and member.action.hold in ("seat", "deck"):
        yield Link(own, member.action.name, parent)
        yield Link(own, "on", parent)
    elif member.action:
        yield Link(parent, member.action.name, own)


def _paints(rng: Random, placed: PlacedMember) -> dict[str, Rgb]:
    paints = {role: _jitter(rng, COLORS[name]) for role, name in placed.colors.items()}
    if placed.member.look.wearing:
        hairs = _HAIRS if placed.member.look.kind in ("boy", "girl") else (*_HAIRS, _GRAY_HAIR)
        paints |= {"skin": rng.choice(_SKINS), "hair": rng.choice(hairs)}
    return paints


def _jitter(rng: Random, color: Rgb) -> Rgb:
    red, green, blue = (max(0, min(255, v + rng.randint(-9, 9))) for v in color)
    return red, green, blue


@lru_cache(256)
def _soft_disc(wide: int, high: int) -> Image.Image:
    mask = Image.new("L", (wide, high), 0)
    ImageDraw.Draw(mask).ellipse((0, 0, wide - 1, high - 1), fill=58)
    return mask


def _shadow(canvas: Image.Image, placed: PlacedMember) -> None:
    left, _, right, bottom = placed.extent
    wide = max((right - left) // 24 * 24, 24)
    high = max(wide // 9, 6)
    mask = _soft_disc(wide, high)
    canvas.paste((24, 26, 40), ((left + right - wide) // 2, min(bottom, placed.at.y) - high // 2), mask)
