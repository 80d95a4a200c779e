"""Phrases that single one thing out: "the cup", "the red cup", "the cup on the table", "the man behind the car"."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random

from counterpoint.core.scenes import Link, SceneObject
from counterpoint.scenes.actions import action_class, verb_of
from counterpoint.scenes.ambiguity import can_be_asked, may_be
from counterpoint.scenes.attributes import attribute_class, goes_before_noun, modified_noun
from counterpoint.scenes.relations import is_exclusive, opposed_relation
from counterpoint.scenes.views import SceneView

_PLAIN = 0.5  # how often the bare name is used where it serves


@dataclass(frozen=True, slots=True)
class ReferringExpression:
    """A phrase for a thing: a noun, what follows it, the class that it gives away, and all that it names."""

    thing: SceneObject
    noun: str
    where: str = ""
    gives: str = ""  # a class of values or actions
    relation: str = ""
    others: tuple[SceneObject, ...] = ()

    @property
    def objects(self) -> tuple[SceneObject, ...]:
        """The thing, and what it stands in relation to."""
        return (self.thing, *self.others)


def choose_expression(
    view: SceneView, thing: SceneObject, rng: Random, avoid: Collection[str] = ()
) -> ReferringExpression | None:
    """A phrase for a thing that nobody could take for another, and that gives no class to avoid away, or nothing."""
    if not can_be_asked(thing.name):
        return None
    alone = view.singles_out(thing, thing.name)
    if alone and rng.random() < _PLAIN:
        return ReferringExpression(thing, thing.name)
    expressions = [*_by_look(view, thing, thing.name), *relation_expressions(view, thing, thing.name)]
    expressions = [phrase for phrase in expressions if phrase.gives not in avoid]
    if expressions:
        return rng.choice(expressions)
    return ReferringExpression(thing, thing.name) if alone else None


def all_expressions(view: SceneView, thing: SceneObject) -> list[ReferringExpression]:
    """Every phrase for a thing, the plainest first."""
    if not can_be_asked(thing.name):
        return []
    plain = [ReferringExpression(thing, thing.name)] if view.singles_out(thing, thing.name) else []
    return [*plain, *_by_look(view, thing, thing.name), *relation_expressions(view, thing, thing.name)]


def _by_look(view: SceneView, thing: SceneObject, name: str) -> Iterator[ReferringExpression]:
    for value in view.values(thing):
        if goes_before_noun(value) and view.singles_out(thing, name, value):
            yield ReferringExpression(thing, modified_noun(value, name), gives=attribute_class(value))


def relation_expressions(
    view: SceneView, thing: SceneObject, name: str, noun: str = ""
) -> Iterator[ReferringExpression]:
    """Phrases that say what a thing stands in relation to, under its own name or a more general one."""
    rivals = view.rivals(thing, name)
    for link in view.scene.relations_of(thing.id) if rivals is not None else ():
        other = view.scene[link.object]
        if not view.can_say(link) or may_be(name, other.name) or not view.singles_out(other, other.name):
            continue
        if all(_is_ruled_out(view, rival, link) for rival in rivals or ()):
            where = f"{link.name} the {other.name}"
            yield ReferringExpression(thing, noun or name, where, action_class(verb_of(link)), link.name, (other,))


def _is_ruled_out(view: SceneView, rival: SceneObject, link: Link) -> bool:
    """Whether another thing surely does not stand in this relation: it stands in the opposed one, or only one can."""
    if (rival.id, link.name, link.object) in view.triples:
        return False
    return (rival.id, opposed_relation(link.name), link.object) in view.triples or is_exclusive(link.name)
