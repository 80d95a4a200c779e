"""What people and animals do: actions by class, as far as they are annotated and can be asked for."""

from collections.abc import Iterable
from functools import cache

from counterpoint.core.scenes import Link, SceneObject
from counterpoint.language.lexicon.attributes import are_synonyms, attribute_classes, classes_of
from counterpoint.language.lexicon.senses import is_a
from counterpoint.scenes.ambiguity import is_known

ACTION_CLASSES = ("pose", "sport", "activity")
"""The classes of actions that a question may choose within; of each, someone does one thing at a time."""
AGENT_KINDS = ("person", "bird", "insect", "fish", "animal")
"""Who does something, the special before the general: a bird is likelier to fly than a cow."""


@cache
def action_class(value: str) -> str:
    """The class of an action that answers "what is she doing?", or nothing.

    >>> action_class("sitting"), action_class("surfing"), action_class("perched"), action_class("red")
    ('pose', 'sport', '', '')
    """
    if not value.split()[0].endswith("ing"):
        return ""
    return next((name for name in classes_of(value) if name in ACTION_CLASSES), "")


@cache
def agent_kind(name: str) -> str:
    """What sort of doer a thing is, or nothing for what does nothing."""
    return next((kind for kind in AGENT_KINDS if is_a(name, kind)), "") if is_known(name) else ""


def annotated_actions(thing: SceneObject) -> list[str]:
    """What someone is annotated as doing."""
    return [value for value in thing.attributes if action_class(value)] if agent_kind(thing.name) else []


@cache
def action_synonyms(deed: str) -> tuple[str, ...]:
    """All words for an action, itself first."""
    row = next((row for row in attribute_classes()[action_class(deed)].values if deed in row), (deed,))
    return (deed, *(word for word in row if word != deed))


def is_contradicted(deed: str, links: Iterable[Link]) -> bool:
    """Whether a relation says that its subject does something else of the same class: sitting on a bench."""
    return any(
        action_class(verb) == action_class(deed) and not are_synonyms(verb, deed) for verb in map(verb_of, links)
    )


def verb_of(link: Link) -> str:
    """The first word of a relation, which is a verb if it says what someone does."""
    return link.name.partition(" ")[0]
