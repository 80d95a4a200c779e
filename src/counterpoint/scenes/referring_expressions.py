"""Referring expressions: "the cup", "the red cup", "the cup on the table", "the man behind the car"."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random

from counterpoint.core.scenes import Link, SceneObject
from counterpoint.scenes.ambiguity import can_be_asked, may_be
from counterpoint.scenes.attributes import action_class, attribute_class, goes_before_noun, modified_noun, verb_of
from counterpoint.scenes.relations import is_exclusive, opposed_relation
from counterpoint.scenes.views import SceneView

_PLAIN = 0.5  # how often the bare name is used where it serves


@dataclass(frozen=True, slots=True)
class ReferringExpression:
    """A phrase for an object: a noun, what follows it, the class that it reveals, and all objects that it names."""

    thing: SceneObject
    noun: str
    where: str = ""
    gives: str = ""  # a class of values or actions
    relation: str = ""
    others: tuple[SceneObject, ...] = ()

    @property
    def objects(self) -> tuple[SceneObject, ...]:
        """The object, and those it stands in relation to."""
        return (self.thing, *self.others)


def choose_expression(
    view: SceneView, thing: SceneObject, rng: Random, avoid: Collection[str] = ()
) -> ReferringExpression | None:
    """A random unambiguous expression for an object that reveals none of the classes to avoid, or None."""
    if not can_be_asked(thing.name):
        return None
    alone = view.singles_out(thing, thing.name)
    if alone and rng.random() < _PLAIN:
        return ReferringExpression(thing, thing.name)
    expressions = [phrase for phrase in modified_expressions(view, thing) if phrase.gives not in avoid]
    if expressions:
        return rng.choice(expressions)
    return ReferringExpression(thing, thing.name) if alone else None


def modified_expressions(view: SceneView, thing: SceneObject) -> Iterator[ReferringExpression]:
    """Expressions with the name of an object and a value or a relation."""
    for value in view.values(thing):
        if goes_before_noun(value) and view.singles_out(thing, thing.name, value):
            yield ReferringExpression(thing, modified_noun(value, thing.name), gives=attribute_class(value))
    yield from relation_expressions(view, thing, thing.name)


def relation_expressions(
    view: SceneView, thing: SceneObject, name: str, noun: str = ""
) -> Iterator[ReferringExpression]:
    """Expressions with a relation to another object, with the name of the object or a hypernym."""
    rivals = view.rivals(thing, name)
    for link in view.scene.relations_of(thing.id) if rivals is not None else ():
        other = view.scene[link.object]
        if not view.can_say(link) or may_be(name, other.name) or not view.singles_out(other, other.name):
            continue
        if all(_is_ruled_out(view, rival, link) for rival in rivals or ()):
            where = f"{link.name} the {other.name}"
            yield ReferringExpression(thing, noun or name, where, action_class(verb_of(link)), link.name, (other,))


def _is_ruled_out(view: SceneView, rival: SceneObject, link: Link) -> bool:
    """Whether another object surely is not in this relation: it is in the opposed one, or only one can be."""
    if (rival.id, link.name, link.object) in view.triples:
        return False
    return (rival.id, opposed_relation(link.name), link.object) in view.triples or is_exclusive(link.name)
