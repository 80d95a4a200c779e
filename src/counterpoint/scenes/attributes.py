"""Attribute values and actions of objects: their classes, what they exclude, and how a sentence says them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.language.english import is_mass, join_list, singular
from counterpoint.language.lexicon.attributes import are_synonyms, attribute_classes, classes_of, excludes
from counterpoint.language.lexicon.senses import curated_names, is_a
from counterpoint.scenes.names import is_known, word_set
from counterpoint.scenes.recognition import is_recognizable

_HIDDEN = 0.7  # the part of a garment's box that another garment of the same wearer may share


@cache
def attribute_class(value: str) -> str:
    """The class of an attribute that a question may ask for, or nothing: color for red, openness for closed."""
    classes = (name for name in classes_of(value) if attribute_classes()[name].kind == "attribute")
    return next((name for name in classes if name not in word_set("attributes.not_asked")), "")


@cache
def can_be_said(value: str, name: str) -> bool:
    """Whether a question may ask for a value of such an object: not whether an orange is orange, or ice cream large.

    Nor where value and name form a compound: an orange tree is not just any tree that is orange. Nor for one color of
    what always has the same: nobody speaks of a black zebra.

    >>> can_be_said("black", "dog"), can_be_said("black", "zebra"), can_be_said("orange", "tree")
    (True, False, False)
    """
    if attribute_class(value) == "" or value in name.split() or (attribute_class(value) == "size" and is_mass(name)):
        return False
    if attribute_class(value) == "color" and singular(name) in word_set("attributes.colored_by_nature"):
        return False
    return f"{value} {singular(name)}" not in curated_names()


@cache
def canonical_value(value: str) -> str:
    """The canonical word for a value: wood for wooden, gray for grey."""
    sort = attribute_class(value)
    return attribute_classes()[sort].canonical(value) if sort else value


@cache
def value_synonyms(value: str) -> tuple[str, ...]:
    """All words for a value, itself first, so that an answer in another spelling is correct."""
    rows = attribute_classes()[attribute_class(value)].values
    return (value, *(word for row in rows if value in row for word in row if word != value))


def visible_values(scene: Scene, thing: SceneObject, beside: Iterable[SceneObject] = ()) -> tuple[str, ...]:
    """The values of an object that are surely visible: none where it is tiny, hidden, or below another garment."""
    if scene.is_hard_to_see(thing) or any(_covers(other, thing) for other in beside):
        return ()
    has_color = word_set("attributes.hides_color").isdisjoint(thing.attributes)
    values = [value for value in thing.attributes if can_be_said(value, thing.name)]
    return tuple(value for value in values if has_color or attribute_class(value) != "color")


def denies(values: Sequence[str], value: str) -> bool:
    """Whether these values exclude another: some are of its class, and all of those exclude it."""
    return bool(values) and _denies(tuple(values), value)


@lru_cache(1 << 16)
def _denies(values: tuple[str, ...], value: str) -> bool:
    rivals = [rival for rival in values if _are_of_one_class(rival, value)]
    return bool(rivals) and all(excludes(rival, value) for rival in rivals)


@lru_cache(1 << 16)
def _are_of_one_class(one: str, other: str) -> bool:
    return not set(classes_of(one)).isdisjoint(classes_of(other))


def has_value(values: Sequence[str], value: str) -> bool:
    """Whether one of these values is a synonym of a value."""
    return bool(values) and _has_value(tuple(values), value)


@lru_cache(1 << 16)
def _has_value(values: tuple[str, ...], value: str) -> bool:
    return any(are_synonyms(own, value) for own in values)


def goes_before_noun(value: str) -> bool:
    """Whether the value can stand before a noun: "a red cup", but no "asleep dog"."""
    return value not in word_set("attributes.only_after_be")


def action_goes_before_noun(deed: str) -> bool:
    """Whether an action can stand before a noun: "a jogging woman", but no "eating dog"."""
    return deed in word_set("attributes.before_agent")


def modified_noun(value: str, noun: str) -> str:
    """A noun with a value before it, if any: "red cup", "wooden table"."""
    return f"{'wooden' if value == 'wood' else value} {noun}".strip()


def predicate(values: Sequence[str]) -> str:
    """Values as they follow "is".

    >>> predicate(["red"]), predicate(["wooden", "metal"]), predicate(["on", "off"]), predicate(["red", "blue", "tan"])
    ('red', 'made of wood or metal', 'turned on or off', 'red, blue, or tan')
    """
    return {"material": "made of ", "power": "turned "}.get(attribute_class(values[0]), "") + value_list(values)


def value_list(values: Sequence[str]) -> str:
    """Values as a list: "wood or metal"."""
    plain = [
        canonical_value(value) if attribute_class(value) == "material" else value.removeprefix("turned ")
        for value in values
    ]
    return join_list(plain, "or")


def _covers(other: SceneObject, thing: SceneObject) -> bool:
    """Whether two garments are in the same place, as a shirt and a jacket are."""
    if thing.box is None or other.box is None or thing.id == other.id:
        return False
    return thing.box.overlap(other.box) >= _HIDDEN * thing.box.area


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


def sure_actions(scene: Scene, thing: SceneObject) -> tuple[str, ...]:
    """What a person or animal surely does: one thing of each class, which no relation contradicts."""
    actions = annotated_actions(thing)
    if not actions or not is_recognizable(scene, thing):
        return ()
    classes, links = Counter(map(action_class, actions)), scene.relations_of(thing.id)
    return tuple(deed for deed in actions if classes[action_class(deed)] == 1 and not is_contradicted(deed, links))


@cache
def action_synonyms(deed: str) -> tuple[str, ...]:
    """All words for an action, itself first."""
    row = next((row for row in attribute_classes()[action_class(deed)].values if deed in row), (deed,))
    return (deed, *(word for word in row if word != deed))


def is_contradicted(deed: str, links: Iterable[Link]) -> bool:
    """Whether a relation says that its subject does something else of the same class: sitting on a bench."""
    verbs = (verb for verb in map(verb_of, links) if action_class(verb) == action_class(deed))
    return not all(are_synonyms(verb, deed) for verb in verbs)


def verb_of(link: Link) -> str:
    """The first word of a relation, which is a verb if it says what someone does."""
    return link.name.partition(" ")[0]
