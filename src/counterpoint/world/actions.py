"""What people and animals of the world do to things: the pose it takes, and with what it can be done.

An action joins two members of a scene. Its `hold` says how they touch: the second is at the hand, at the foot, in
front, on a string, or carries the first, as a horse does its rider.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WorldAction:
    """One verb, in the form that a relation has in a scene, with what its doer and its object can be."""

    name: str
    pose: str
    hold: str  # hand, foot, ahead, facing, string, leash, seat, deck
    objects: Mapping[str, int]
    agents: tuple[str, ...] = ("man", "woman", "boy", "girl")
    object_pose: str = ""
    object_state: str = ""


def _evenly(*names: str) -> dict[str, int]:
    return dict.fromkeys(names, 1)


_PETS = _evenly("dog", "cat", "horse", "cow", "sheep", "duck", "chicken", "rabbit", "pig")

ACTIONS = (
    WorldAction(
        "holding",
        "holding",
        "hand",
        _evenly(
            "umbrella",
            "balloon",
            "cup",
            "flower",
            "ball",
            "teddy bear",
            "book",
            "phone",
            "bottle",
            "flag",
            "banana",
            "lemon",
            "pear",
            "corn",
            "candle",
            "ice cream",
        ),
    ),
    WorldAction(
        "carrying",
        "carrying",
        "hand",
        _evenly("box", "basket", "suitcase", "bucket", "pumpkin", "potted plant", "cake", "watermelon", "pot", "vase"),
        object_state="closed",
    ),
    WorldAction("riding", "riding", "seat", {"bicycle": 3, "horse": 3, "motorcycle": 2, "tractor": 1}),
    WorldAction("riding", "balancing", "deck", {"skateboard": 6}),
    WorldAction("kicking", "kicking", "foot", _evenly("ball")),
    WorldAction("pushing", "wheeling", "ahead", _evenly("wheelbarrow")),
    WorldAction("pushing", "pushing", "ahead", _evenly("car"), ("man", "woman")),
    WorldAction("pushing", "shoving", "ahead", _evenly("box", "suitcase")),
    WorldAction("throwing", "throwing", "hand", _evenly("ball", "frisbee")),
    WorldAction("feeding", "feeding", "facing", _PETS),
    WorldAction(
        "eating",
        "eating",
        "hand",
        _evenly(
            "apple",
            "banana",
            "sandwich",
            "ice cream",
            "pizza",
            "donut",
            "carrot",
            "pear",
            "strawberry",
            "cheese",
            "bread",
        ),
    ),
    WorldAction("drinking from", "drinking", "hand", _evenly("cup", "bottle")),
    WorldAction("reading", "reading", "hand", _evenly("book"), object_state="open"),
    WorldAction("flying", "flying", "string", _evenly("kite")),
    WorldAction("walking", "leading", "leash", _evenly("dog")),
    WorldAction(
        "sitting on", "sitting", "seat", _evenly("chair", "bench", "couch", "stool", "bed"), object_state="upright"
    ),
    WorldAction("watering", "watering", "ahead", _evenly("flower", "bush", "potted plant", "cactus")),
    WorldAction(
        "chasing", "running", "fleeing", _evenly("cat", "rabbit", "chicken", "duck"), ("dog", "boy", "girl"), "running"
    ),
    WorldAction("chasing", "running", "fleeing", _evenly("rabbit", "chicken", "duck"), ("cat",), "running"),
    WorldAction("chasing", "running", "fleeing", _evenly("boy", "girl", "dog"), ("boy", "girl", "dog"), "running"),
)
"""All actions; the first match for a name, an agent and an object says how they are drawn."""

FONDNESS = {"riding": 5, "flying": 5, "sitting on": 5, "reading": 6, "holding": 4, "eating": 3, "walking": 2}
"""How often people take up an action for every two times they take up another."""


def possible_actions(names: Mapping[str, int], agent: str) -> list[tuple[WorldAction, str, int]]:
    """What an agent could do with the things that a place has, each with its weight."""
    return [
        (action, patient, weight * names[patient])
        for action in ACTIONS
        if agent in action.agents
        for patient, weight in action.objects.items()
        if patient in names and patient != agent
    ]
