"""Distractors: plausible wrong values, sampled so that a text-only model cannot guess the answer."""

from collections.abc import Collection, Sequence
from random import Random
from types import MappingProxyType
from typing import TypeVar

from counterpoint.world.facts import Thing

_T = TypeVar("_T")

ACTIVITIES = MappingProxyType(
    {
        "riding": "riding",
        "kicking": "kicking",
        "pushing": "pushing",
        "throwing": "throwing",
        "feeding": "feeding",
        "eating": "eating",
        "drinking from": "drinking",
        "reading": "reading",
        "watering": "watering",
        "sitting on": "sitting",
    }
)
"""Actions that say by themselves what someone is doing, as one word."""
PLACES = ("street", "park", "farm", "beach", "garden", "kitchen", "living room", "bedroom")
"""All places of the world."""

_LIKE_PLACES = MappingProxyType({"park": ("garden",), "garden": ("park", "farm"), "farm": ("garden",)})
_EXCLUDING_POSES = ("standing", "sitting", "lying", "running", "walking", "jumping", "flying")
_LIKE_POSES = MappingProxyType({"walking": ("running", "standing"), "running": ("walking",), "standing": ("walking",)})
_SAID = MappingProxyType({"lit": "lit", "unlit": "unlit", "on": "turned on", "off": "turned off", "plain": "plain"})


def should_ask_color(thing: Thing, rng: Random) -> bool:
    """Whether to ask for a colour: the more usual it is for the kind, the less often, so that priors cancel out.

    An object of a color with share p is asked about with chance 1 - p, and wrong colors are drawn by their shares: then
    "is it red?" is as often right as wrong, whatever p is.
    """
    if not thing.seen_color:
        return False
    weights = thing.kind.colors
    share = weights.get(thing.color, 0) / max(sum(weights.values()), 1)
    return rng.random() >= share


def other_color(thing: Thing, rng: Random, taken: Collection[str]) -> str:
    """A colour that the kind could have, but none of the taken ones."""
    weights = {color: weight for color, weight in thing.kind.colors.items() if color not in (*taken, thing.name)}
    return rng.choices(list(weights), list(weights.values()))[0] if weights else ""


def other_material(thing: Thing, rng: Random) -> str:
    """A material that the kind could have, but has not here."""
    return rng.choice([name for name in thing.kind.materials if name != thing.material])


def other_pose(thing: Thing, rng: Random) -> str:
    """A pose that its kind could take and that excludes its own; nothing where there is none."""
    if thing.pose not in _EXCLUDING_POSES:
        return ""
    ruled_out = (thing.pose, *_LIKE_POSES.get(thing.pose, ()))
    poses = [pose for pose in thing.kind.poses if pose in _EXCLUDING_POSES and pose not in ruled_out]
    return rng.choice(poses) if poses else ""


def other_place(place: str, rng: Random) -> str:
    """A place that is not confusable with this one."""
    return rng.choice([one for one in PLACES if one != place and one not in _LIKE_PLACES.get(place, ())])


def other_weather(weather: str, rng: Random) -> str:
    """A weather that it plainly is not (rain brings clouds too); the chances make each as often right as wrong."""
    if weather == "sunny":
        return "cloudy" if rng.random() < 0.6 else "rainy"
    return "sunny"


def state_phrase(state: str) -> str:
    """A state as a sentence says it: a television is turned on."""
    return _SAID.get(state, state)


def flip_coin(rng: Random) -> bool:
    """True or false at even odds."""
    return rng.random() < 0.5


def choose_one(rng: Random, items: Sequence[_T]) -> _T | None:
    """A random item, or None if there is none."""
    return rng.choice(items) if items else None


def yes_no(truth: bool) -> str:
    """The answer for a truth value."""
    return "yes" if truth else "no"
