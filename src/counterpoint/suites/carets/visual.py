"""Visual obfuscation: hiding the surroundings of the objects that a question is about does not change the answer.

The foreground keeps the boxes of all named objects that are present, every instance and related objects included; for
each named object that is absent, the box of another object, sampled at random (CARETS, 4.2 d).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property, partial
from random import Random

from counterpoint.core.groups import Group, Query
from counterpoint.core.pictures import Box, Edit, Size
from counterpoint.core.scenes import Scene
from counterpoint.pictures.edits import Foreground, blur_around, crop_around, mean_around
from counterpoint.pictures.folders import Means
from counterpoint.scenes.attributes import attribute_class
from counterpoint.scenes.cooccurrence import SceneStatistics, survey_scenes
from counterpoint.suites.balanced_sampling import Candidate
from counterpoint.suites.carets.question_kinds import KINDS
from counterpoint.suites.carets.question_sampling import RNG_KEY, Original, originals
from counterpoint.suites.carets.templates import QuestionContent, group_wordings
from counterpoint.suites.suite import Rejection, Suite

MIN_SIDE = 32
"""No side of a box is smaller: people need that many pixels to know a thing (Torralba et al. 2008)."""

_FULL = 0.9  # of the picture; what fills more leaves nothing to obscure
_MEASURED = ("size", "height", "length", "width")  # classes of values that are seen by what stands around a thing


def foreground(scene: Scene, content: QuestionContent, rng: Random, places: "Places | None" = None) -> Foreground | str:
    """The foreground of a question, or the reason why its picture cannot be obscured.

    `places` are those of the scene, where many questions ask about it.
    """
    if min(scene.size.width, scene.size.height) < MIN_SIDE:
        return "the picture is too small"
    if any(map(_names_measure, (*content.options, content.about, content.where))):
        return "how large a thing is cannot be seen by itself"
    places = Places(scene) if places is None else places
    named = [thing.id for thing in content.objects]
    boxes = [box for own in named if (box := places.boxes[own])]
    if len(boxes) < len(named):
        return "something that it names has no box"
    gone = int(dict(content.tags).get("gone", 0))
    others = _others(places, named, gone, rng) if gone else []
    boxes += others
    if not boxes:
        return "it names nothing that has a place"
    is_filled = not places.leaves_room and any(_share(box, scene.size) > _FULL for box in others)
    if is_filled or not places.full.isdisjoint(named):
        return "what it is about fills the picture"
    return Foreground(tuple(dict.fromkeys(boxes) if len(boxes) > 1 else boxes), scene.size)


class Places:
    """The boxes of a scene as a foreground has them, made once for all questions.

    Whatever is drawn beside them `leaves_room` in all but tiny pictures.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.boxes: dict[str, Box | None] = {}  # by id, at least 32 wide and high; None where none is in the picture
        self.full = set[str]()  # ids of objects whose boxes leave nothing to obscure
        self.large: dict[str, Box] = {}  # by id, those that a person knows a thing in and that leave room around it
        for thing in scene:
            self._add(thing.id, thing.box)
        self.leaves_room = min(scene.size.width, scene.size.height) >= 2 * MIN_SIDE and self.full.isdisjoint(self.large)

    def _add(self, own: str, box: Box | None) -> None:
        share = 0.0 if box is None else _share(box, self.scene.size)
        if box is None or share <= 0:
            self.boxes[own] = None
            return
        enlarged = self.boxes[own] = enlarge_box(box, self.scene.size)
        if _share(enlarged, self.scene.size) > _FULL:
            self.full.add(own)
        if box.width >= MIN_SIDE and box.height >= MIN_SIDE and share <= _FULL:
            self.large[own] = enlarged

    @cached_property
    def has_equal_boxes(self) -> bool:
        """Whether two of the large boxes are the same."""
        return len(set(self.large.values())) < len(self.large)


def enlarge_box(box: Box, size: Size) -> Box:
    """A box that is at least 32 wide and high, as near to the middle of the one given as the picture allows.

    >>> enlarge_box(Box(4, 100, 10, 40), Size(320, 240))
    Box(x=0, y=100, width=32, height=40)
    """
    x, width = _grown(box.x, box.right, size.width)
    y, height = _grown(box.y, box.bottom, size.height)
    return Box(x, y, width, height)


def _grown(start: int, stop: int, end: int) -> tuple[int, int]:
    start, stop = max(start, 0), min(stop, end)
    length = max(stop - start, MIN_SIDE)
    return min(max(start - (length - (stop - start)) // 2, 0), end - length), length


def _share(box: Box, size: Size) -> float:
    """The part of the picture that a box covers, from 0 to 1."""
    across = min(box.x + box.width, size.width) - max(box.x, 0)
    down = min(box.y + box.height, size.height) - max(box.y, 0)
    return max(across, 0) * max(down, 0) / (size.width * size.height)


def _others(places: Places, named: Collection[str], count: int, rng: Random) -> list[Box]:
    """Boxes of objects that are not named and large enough, or random rectangles where there are too few."""
    different = [box for own, box in places.large.items() if own not in named]
    if places.has_equal_boxes:
        different = list(dict.fromkeys(different))
    chosen = rng.sample(different, k=min(count, len(different)))
    return chosen + [_anywhere(places.scene.size, rng) for _ in range(count - len(chosen))]


@cache
def _names_measure(words: str) -> bool:
    """Whether one of these words says how large a thing is."""
    return any(attribute_class(word) in _MEASURED for word in words.split())


def _anywhere(size: Size, rng: Random) -> Box:
    width, height = (rng.randint(MIN_SIDE, max(MIN_SIDE, side // 2)) for side in (size.width, size.height))
    return Box(rng.randint(0, size.width - width), rng.randint(0, size.height - height), width, height)


DEVIATIONS = ("3", "6", "9")
"""Standard deviations of the Gaussian blur: light, moderate, heavy."""

NO_MEANS = "the mean color of the training pictures is not known: set the option means, --means R,G,B"
"""Why no group is made without the mean color."""


def propose_obfuscations(
    scene: Scene, statistics: SceneStatistics, rng: Random, *, means: Means | None = None
) -> Iterator[Candidate | Rejection]:
    """Ask about the whole picture, then with the surroundings blurred, painted over or cropped."""
    places = Places(scene)
    for original in originals(KINDS, scene, statistics, rng):
        if isinstance(original, Rejection):
            yield original
            continue
        region = foreground(scene, original.content, rng, places)
        if means is None or isinstance(region, str):
            yield Rejection(original.content.kind, NO_MEANS if means is None else str(region))
        else:
            yield original.candidate(partial(_obfuscated_group, scene, original, region, means))


def obfuscation_edits(region: Foreground, means: Means) -> Mapping[str, Edit]:
    """The five edits around a foreground, by the name of their tag."""
    blurs = {f"blur-{deviation}": blur_around(region, deviation) for deviation in DEVIATIONS}
    return {**blurs, "mask": mean_around(region, means), "crop": crop_around(region)}


def _obfuscated_group(scene: Scene, original: Original, region: Foreground, means: Means) -> Group:
    group, edits = group_wordings(scene, [(original.template.ask, original.content)]), obfuscation_edits(region, means)
    variants = (Query(scene.picture.edited(edit), group.base.text) for edit in edits.values())
    return replace(
        group,
        queries=(group.base, *variants),
        gold=group.gold * (1 + len(edits)),
        tags=(*group.tags, *((("edit", name), *group.tags[0]) for name in edits)),
    )


suite = Suite(
    "visual",
    tests="the surroundings of an object do not change the answer about it",
    propose=propose_obfuscations,
    survey=survey_scenes,
    merges=True,
    rng_key=RNG_KEY,
    options=("means",),
    required=("means",),
)
