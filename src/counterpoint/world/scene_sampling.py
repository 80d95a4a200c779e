"""Sampling of scenes before placement: kinds, appearances, sizes and actions of their members.

A scene consists of clusters. A cluster is a member that stands by itself, with the members attached to it: what lies on
a table, who rides a horse, what a woman holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random

from counterpoint.world.actions import FONDNESS, WorldAction, possible_actions
from counterpoint.world.kinds import COLORS, Kind, kind, kinds
from counterpoint.world.sketch import Appearance

PLACES = ("street", "park", "farm", "beach", "garden", "kitchen", "living room", "bedroom")
INDOORS = frozenset({"kitchen", "living room", "bedroom"})
WEATHERS = ("sunny", "cloudy", "rainy")
SIZES = {"small": 68, "": 100, "large": 142}
"""Per cent of the usual height."""

_PERSONS = ("man", "woman", "boy", "girl")
_FLOCKS = frozenset(
    {
        "dog",
        "cat",
        "cow",
        "sheep",
        "pig",
        "duck",
        "chicken",
        "rabbit",
        "bird",
        "horse",
        "crab",
        "chair",
        "car",
        "boat",
        "box",
    }
    | {
        "apple",
        "banana",
        "orange",
        "pear",
        "lemon",
        "strawberry",
        "tomato",
        "carrot",
        "pumpkin",
        "donut",
        "book",
        "cup",
    }
    | {"candle", "bottle", "bucket", "balloon", "kite", "ball", "flower", "tree", "umbrella"}
)
_TABLES = frozenset({"table", "cabinet", "bench", "oven", "bookshelf", "microwave", "box", "couch", "bed", "plate"})
_HEAVY = frozenset({"box", "suitcase", "pumpkin", "potted plant", "watermelon"})
_SMALL_ON_SOFT = frozenset({"cat", "teddy bear", "book", "phone", "laptop"})


@dataclass(frozen=True, slots=True)
class SceneMember:
    """One object of a scene: its appearance, its size for its kind, and how it is attached to its parent."""

    look: Appearance
    size: str = ""
    action: WorldAction | None = None  # of the person towards the other, whichever of them stands by itself
    spot: str = ""  # "on" or "under" the member above it
    others: tuple["SceneMember", ...] = ()


@dataclass(frozen=True, slots=True)
class SceneSample:
    """A place, its weather, and the clusters to be placed there, the most important first."""

    place: str
    weather: str
    clusters: tuple[SceneMember, ...]


def sample_scene(rng: Random, *, shifted: bool = False) -> SceneSample:
    """Sample a scene; a shifted one has another co-occurrence of kinds and places."""
    place = rng.choice(PLACES)
    weather = "" if place in INDOORS else rng.choices(WEATHERS, (5, 3, 2))[0]
    weights = kind_weights(place, shifted)
    clusters: list[SceneMember] = []
    for _ in range(rng.choices((0, 1, 2, 3), (20, 45, 28, 7))[0]):
        clusters.append(_doer(rng, weights, _drawn(rng, {name: weights.get(name, 1) for name in _PERSONS})))
    if rng.random() < 0.12 and (chase := _chase(rng, weights)):
        clusters.append(chase)
    if place in INDOORS:
        for names, chance in ((("couch", "bed"), 0.6), (("table", "cabinet"), 0.8), (("cabinet", "table"), 0.3)):
            here = {name: weights[name] for name in names if name in weights}
            if here and rng.random() < chance:
                clusters.append(_laden(rng, weights, _drawn(rng, here)))
    standing = {name: w for name, w in weights.items() if name not in _PERSONS and kind(name).spot != "top"}
    lying = {name: w for name, w in weights.items() if kind(name).spot == "top"}
    for _ in range(rng.randint(2, 5)):
        name = _drawn(rng, standing)
        standing[name] = max(standing[name] // 4, 1)
        clusters += [_laden(rng, weights, name) for _ in range(_flock(rng, name))]
    if place not in INDOORS and lying and rng.random() < 0.6:
        name = _drawn(rng, lying)
        clusters += [sample_member(rng, name) for _ in range(_flock(rng, name))]
    return SceneSample(place, weather, tuple(clusters))


@cache
def kind_weights(place: str, shifted: bool = False) -> Mapping[str, int]:
    """The weight of each kind at a place; shifted, that of a place three further on, if it could stand there at all."""
    indoors = place in INDOORS
    usual = PLACES[(PLACES.index(place) + 3) % len(PLACES)] if shifted else place
    impossible = {"sky", "worn"} if indoors else {"wall", "worn"}
    return {
        one.name: one.places[usual]
        for one in kinds().values()
        if one.places.get(usual) and one.spot not in impossible and not (indoors and one.height > 200)
    }


def sample_member(
    rng: Random, name: str, *, pose: str = "", wanted: Sequence[str] = (), size: str | None = None
) -> SceneMember:
    """A thing with a look of its own: material, one of each pair of states, pose, build, size, clothes for a person."""
    this = kind(name)
    states = tuple(next((one for one in pair if one in wanted), None) or rng.choice(pair) for pair in this.states)
    chosen = pose or (rng.choice(this.poses) if this.poses else "")
    if "asleep" in states:
        states, chosen = (states, "lying") if chosen in ("lying", "") or not pose else (("awake",), chosen)
    if this.family == "person" and chosen == "sitting" and not pose:
        chosen = "standing"
    look = Appearance(
        name,
        states,
        chosen,
        rng.choice(this.materials) if this.materials else "",
        rng.randrange(3),
        _clothes(rng, name) if this.family == "person" else (),
    )
    if size is None:
        alike = this.family == "person" or name == "door"
        size = "" if alike else rng.choices(("", "small", "large"), (70, 15, 15))[0]
    return SceneMember(look, size)


def sample_colors(rng: Random, look: Appearance, *, shifted: bool = False) -> dict[str, str]:
    """The names of the colours of a thing, by role: `main`, or one for each garment of a person."""
    if look.wearing:
        return {name: _color(rng, kind(name), shifted) for name in map(garment_kind, look.wearing)}
    return {"main": _color(rng, kind(look.kind), shifted)}


def garment_kind(worn: str) -> str:
    """The kind of what is worn, striped or not.

    >>> garment_kind("striped shirt")
    'shirt'
    """
    return worn.removeprefix("striped ")


def _color(rng: Random, this: Kind, shifted: bool) -> str:
    weights = dict(this.colors)
    if shifted and len(weights) > 1:
        most = max(weights.values())
        weights = {name: most + 1 - weights.get(name, 0) for name in COLORS}
    return _drawn(rng, weights)


def _drawn(rng: Random, weights: Mapping[str, int]) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


def _flock(rng: Random, name: str) -> int:
    return rng.choices((1, 2, 3, 4), (62, 18, 13, 7))[0] if name in _FLOCKS else 1


def _doer(rng: Random, weights: Mapping[str, int], name: str) -> SceneMember:
    """A person, busy with something more often than not."""
    options = possible_actions(weights, name)
    if not options or rng.random() < 0.25:
        return sample_member(rng, name)
    verbs: dict[str, int] = {}
    for action, _, weight in options:
        verbs[action.name] = max(verbs.get(action.name, 0), FONDNESS.get(action.name, 2) * min(weight, 4))
    verb = _drawn(rng, verbs)
    action, patient, _ = rng.choices(*_columns([row for row in options if row[0].name == verb]))[0]
    return action_member(rng, action, name, patient)


def action_member(rng: Random, action: WorldAction, agent: str, patient: str) -> SceneMember:
    """A cluster of two: who does something, and what it is done with; the one that bears the other comes first."""
    doer = replace(sample_member(rng, agent, pose=action.pose, wanted=("awake",)), action=action)
    wanted = (action.object_state, "awake", "upright", "intact")
    pose = action.object_pose if action.object_pose in kind(patient).poses else ""
    if action.hold in ("seat", "facing", "leash") and not pose:
        pose = "standing" if "standing" in kind(patient).poses else (kind(patient).poses or ("",))[0]
    other = sample_member(rng, patient, pose=pose, wanted=wanted, size=_handy(rng, action, agent, patient))
    if action.hold in ("seat", "deck"):
        return replace(other, others=(doer,))
    return replace(doer, others=(replace(other, action=action),), action=None)


def _handy(rng: Random, action: WorldAction, agent: str, patient: str) -> str | None:
    """The size that a thing has in somebody's hands; None if any will do."""
    child = agent in ("boy", "girl")
    if action.name == "carrying":
        return "small" if child and patient in _HEAVY else rng.choice(("", "", "small"))
    if patient == "bicycle":
        return "small" if child else ""
    if action.hold == "ahead":
        grown = action.pose == "wheeling" and not child
        return "large" if action.pose == "shoving" or grown else "" if patient in ("wheelbarrow", "car") else None
    if action.hold in ("seat", "deck", "hand"):
        return ""
    return None


def _columns(rows: Sequence[tuple[WorldAction, str, int]]) -> tuple[Sequence[tuple[WorldAction, str, int]], list[int]]:
    return rows, [weight for _, _, weight in rows]


def _chase(rng: Random, weights: Mapping[str, int]) -> SceneMember | None:
    options = [row for agent in ("dog", "cat") if agent in weights for row in possible_actions(weights, agent)]
    if not options:
        return None
    action, patient, _ = rng.choices(*_columns(options))[0]
    agent = rng.choice([name for name in action.agents if name in weights and name != patient] or [action.agents[0]])
    return action_member(rng, action, agent, patient)


def _laden(rng: Random, weights: Mapping[str, int], name: str) -> SceneMember:
    """A thing that stands by itself, with small things on it or under it where it has room for them."""
    this = sample_member(rng, name)
    if name not in _TABLES:
        return this
    soft = name in ("couch", "bed", "bench")
    small = {n: w for n, w in weights.items() if kind(n).spot == "top" and n != name} or {
        "apple": 1,
        "cup": 1,
        "book": 1,
    }
    if soft:
        small = {n: w for n, w in weights.items() if n in _SMALL_ON_SOFT} or {"teddy bear": 1, "book": 1}
    others: list[SceneMember] = []
    for _ in range(rng.randint(2, 4) if name in ("table", "cabinet") else rng.randint(0, 1)):
        one = _drawn(rng, small)
        pose = {"cat": rng.choice(("lying", "sitting"))}.get(one, "")
        others += [replace(sample_member(rng, one, pose=pose), spot="on") for _ in range(_flock(rng, one))]
    if name in ("table", "bench") and rng.random() < 0.3:
        below = {
            n: weights[n]
            for n in ("cat", "dog", "ball", "box", "suitcase", "rabbit", "basket", "bucket")
            if n in weights
        }
        if below:
            one = _drawn(rng, below)
            pose = {"cat": "sitting", "dog": "lying"}.get(one, "")
            others.append(replace(sample_member(rng, one, pose=pose, size="small"), spot="under"))
    return replace(this, others=tuple(others))


def _clothes(rng: Random, name: str) -> tuple[str, ...]:
    """What a person of this kind may wear."""
    woman = name in ("woman", "girl")
    if woman and rng.random() < 0.35:
        worn = [_striped(rng, "dress")]
    else:
        below = (("pants", 5), ("shorts", 2), ("skirt", 3)) if woman else (("pants", 6), ("shorts", 3))
        worn = [_striped(rng, "shirt"), rng.choices([n for n, _ in below], [w for _, w in below])[0]]
        if rng.random() < 0.25:
            worn.append("jacket")
    if rng.random() < 0.85:
        worn.append("shoes")
    worn += [extra for extra, chance in (("hat", 0.3), ("scarf", 0.18), ("glasses", 0.2)) if rng.random() < chance]
    return tuple(worn)


def _striped(rng: Random, name: str) -> str:
    return f"striped {name}" if rng.random() < 0.3 else name
