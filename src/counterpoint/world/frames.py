"""Actions of a scene as frames with roles, in the manner of SWiG: who does what to what, and where."""

from collections.abc import Iterator
from types import MappingProxyType

from counterpoint.core.items import Frame, Role
from counterpoint.core.scenes import Scene

_SECOND_ROLE = MappingProxyType(
    {
        "holding": ("holding", "item"),
        "carrying": ("carrying", "item"),
        "riding": ("riding", "vehicle"),
        "kicking": ("kicking", "item"),
        "pushing": ("pushing", "item"),
        "throwing": ("throwing", "item"),
        "feeding": ("feeding", "eater"),
        "eating": ("eating", "food"),
        "drinking from": ("drinking", "container"),
        "reading": ("reading", "reference"),
        "flying": ("flying", "item"),
        "walking": ("walking", "item"),
        "watering": ("watering", "item"),
        "sitting on": ("sitting", "contact"),
        "chasing": ("chasing", "chasee"),
    }
)


def frames(scene: Scene) -> Iterator[Frame]:
    """One frame for each action: its agent, what it is done with, and the place, which has no box."""
    actions = [link for link in scene.relations if link.name in _SECOND_ROLE]
    for number, link in enumerate(actions):
        verb, second = _SECOND_ROLE[link.name]
        agent, other = scene[link.subject], scene[link.object]
        if scene.is_hard_to_see(agent) or scene.is_hard_to_see(other):
            continue
        yield Frame(
            f"{scene.id}-frame-{number}",
            scene.picture,
            verb,
            (Role("agent", agent.name, agent.box), Role(second, other.name, other.box), Role("place", scene.place)),
            scene.size,
        )
