"""Annotated actions of people and animals, by class."""

from collections.abc import Iterable
from functools import cache

from counterpoint.core.scenes import Link, SceneObject
from counterpoint.language.lexicon.attributes import are_synonyms, attribute_classes, classes_of
from counterpoint.language.lexicon.senses import is_a
from counterpoint.scenes.ambiguity import is_known

ACTION_CLASSES = ("pose", "sport", "activity")
"""The classes of actions that a question may choose within; actions of one class exclude each other."""
AGENT_KINDS = ("person", "bird", "insect", "fish", "animal")
"""Kinds of agents, the special before the general."""


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
    """The kind of agent that a name denotes, or nothing."""
    return next((kind for kind in AGENT_KINDS if is_a(name, kind)), "") if is_known(name) else ""


def annotated_actions(thing: SceneObject) -> list[str]:
    """The actions that an object is annotated with."""
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
