"""What a scene proves: what is surely present, what is surely absent, and which objects can be told apart."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import accumulate, combinations
from random import Random
from typing import NamedTuple

from msgspec import Struct

from counterpoint.core.grouping import group_pairs
from counterpoint.core.placement import are_apart, are_one_place
from counterpoint.core.scenes import Link, Scene, SceneObject
from counterpoint.language.english import be, is_mass, is_plural, singular
from counterpoint.scenes.absence import absence_doubt, lone_names
from counterpoint.scenes.ambiguity import (
    absence_proof,
    ambiguity_reasons,
    are_told_apart,
    doubt_beside,
    may_be,
    naming_doubt,
)
from counterpoint.scenes.attributes import (
    action_class,
    agent_kind,
    annotated_actions,
    attribute_class,
    denies,
    goes_before_noun,
    has_value,
    modified_noun,
    sure_actions,
    verb_of,
    visible_values,
)
from counterpoint.scenes.cooccurrence import SceneStatistics, WeightedWords, draw_weighted
from counterpoint.scenes.names import can_be_asked, is_body_part, is_known, may_show, word_set
from counterpoint.scenes.recognition import is_recognizable, visible_names
from counterpoint.scenes.relations import (
    SceneIndex,
    can_follow_noun,
    is_exclusive,
    may_be_joined,
    opposed_relation,
)

MOST_COUNTED = 9
"""The largest number of objects of a name that a question asks for."""
_TRIES = 24
_MANY = 100  # scenes, by which it can be seen how often each choice is correct
_TIMES_OF_FEW = 4
_WITH_ATTRIBUTE = 0.4
_WITH_OTHER_VALUE = 0.5  # of the absent objects with an attribute, the share that is present with another value


class SceneView(SceneIndex):
    """One scene with its annotated values, and the objects that a name could refer to."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self.names: Sequence[str] = sorted(scene.names)
        self._values: dict[str, tuple[str, ...]] = {}
        self._actions: dict[str, tuple[str, ...]] = {}
        self._called: dict[str, tuple[list[SceneObject], list[SceneObject]]] = {}
        self._rivals: dict[tuple[str, str], list[SceneObject] | None] = {}
        self._doubts: dict[str, str] = {}
        self._recognizable: dict[str, tuple[SceneObject, ...]] = {}
        self._expressions: dict[str, tuple[ReferringExpression, ...]] = {}

    @cached_property
    def obstacle(self) -> str:
        """Why nothing can be asked about the scene, if so: an object with an unknown name could be anything."""
        if not self.names:
            return "nothing is annotated"
        listed = self.scene.categories or ()
        known = all(is_known(name) or name in listed for name in self.names)
        return "" if known else "something has a name that no lexicon knows"

    @cached_property
    def visible_names(self) -> list[str]:
        """Names that a question may ask for as present, whether or not their absence could have been proved."""
        return visible_names(self.scene, self.names, self.recognizable)

    @cached_property
    def doers(self) -> list[SceneObject]:
        """The objects that are annotated with an action."""
        return [thing for thing in self.scene if annotated_actions(thing)]

    @cached_property
    def clear_names(self) -> list[str]:
        """Names of present objects that could as well have been proved absent, so that a name gives no answer away."""
        return [name for name in self.visible_names if not self.naming_doubt(name)]

    def absence_doubt(self, name: str) -> str:
        """Why it is not proved that no object of a name is present, or nothing."""
        doubt = self._doubts.get(name)
        if doubt is None:
            doubt = self._doubts[name] = absence_doubt(self.scene, name, self.names, self._lone_names)
        return doubt

    @cached_property
    def _lone_names(self) -> frozenset[str]:
        return lone_names(self.scene)

    def naming_doubt(self, name: str) -> str:
        """Why objects of other names leave it open whether one of this name is present, or nothing."""
        return naming_doubt(self.scene, name, self.names)

    def count_doubt(self, name: str) -> str:
        """Why the number of boxes of a name is not the number of objects that people would count, or nothing."""
        if self.scene.categories is None:
            return "not everything is annotated wherever it is visible"
        things, boxes = self.scene.named(name), [thing.box for thing in self.scene.named(name) if thing.box]
        if any(thing.is_crowd for thing in things):
            return "a crowd is annotated as one"
        if not all(map(self.scene.is_visible, things)):
            return "one is too small to be sure of, or has no box"
        if not all(are_apart(one, other) for one, other in combinations(boxes, 2)):
            return "two boxes of it overlap"
        return "too many to count at a glance" if len(things) > MOST_COUNTED else self.naming_doubt(name)

    @cached_property
    def links(self) -> Mapping[str, list[Link]]:
        """The relations that a sentence can say, by name in alphabetical order."""
        return dict(sorted(group_pairs((link.name, link) for link in self._links).items()))

    @cached_property
    def links_of(self) -> Mapping[str, list[Link]]:
        """The relations that a sentence can say, by the id of their subject."""
        return group_pairs((link.subject, link) for link in self._links)

    @cached_property
    def _links(self) -> list[Link]:
        """The relations that read well, of things that can be seen."""
        visible = {thing.id for thing in self.scene if not self.scene.is_hard_to_see(thing)}
        seen = (link for link in self.scene.relations if link.subject in visible and link.object in visible)
        said = [link for link in seen if _reads_well(link.name, self.scene[link.object].name)]
        return [link for link in said if not may_be_joined(self.scene, link)]

    @cached_property
    def has_attributes(self) -> bool:
        """Whether anything is annotated with any attribute."""
        return any(thing.attributes for thing in self.scene)

    def values(self, thing: SceneObject) -> tuple[str, ...]:
        """The values of an object that are beyond doubt."""
        if thing.id not in self._values:
            wearer = self.wearers.get(thing.id)
            beside = [self.scene[other] for other, owner in self.wearers.items() if owner == wearer] if wearer else ()
            self._values[thing.id] = visible_values(self.scene, thing, beside)
        return self._values[thing.id]

    def sure_actions(self, thing: SceneObject) -> tuple[str, ...]:
        """What a person or animal surely does."""
        if thing.id not in self._actions:
            self._actions[thing.id] = sure_actions(self.scene, thing)
        return self._actions[thing.id]

    def recognizable(self, name: str) -> tuple[SceneObject, ...]:
        """The objects of a name that a person sees and calls so."""
        if name not in self._recognizable:
            self._recognizable[name] = tuple(filter(self.is_recognizable, self.scene.named(name)))
        return self._recognizable[name]

    def is_recognizable(self, thing: SceneObject) -> bool:
        """Whether a person sees an object and calls it by its name."""
        return thing.id in self._recognizable_ids

    @cached_property
    def _recognizable_ids(self) -> frozenset[str]:
        return frozenset(thing.id for thing in self.scene if is_recognizable(self.scene, thing))

    def properties(self, thing: SceneObject) -> tuple[str, ...]:
        """The values and the actions of an object that are beyond doubt."""
        return (*self.values(thing), *self.sure_actions(thing))

    def having(self, things: Iterable[SceneObject], value: str) -> tuple[SceneObject, ...]:
        """Those of some objects that have a value or do something, or all of them where nothing is given."""
        return tuple(thing for thing in things if not value or has_value(self.properties(thing), value))

    def excluding_facts(self, things: Iterable[SceneObject], value: str) -> str:
        """The values of objects that exclude another one, as a proof has them."""
        own = [(thing, next(own for own in self.properties(thing) if denies([own], value))) for thing in things]
        return ", ".join(f"{thing.name} {thing.id} {be(thing.name)} {rival}" for thing, rival in own)

    def called(self, name: str) -> tuple[list[SceneObject], list[SceneObject]]:
        """The objects that could go by a name, and those that may show such an object unannotated."""
        called = self._called.get(name)
        if called is None:
            might, show = called = self._called[name] = [], []
            reasons = ambiguity_reasons(name).among(self.names)
            for other in [own for own in self.names if own in reasons]:
                if doubt_beside(name, other, self.names) and not are_told_apart(self.scene, name, other):
                    might += self.scene.named(other) if (might_be := may_be(other, name)) else ()
                    show += self.scene.named(other) if may_show(other, name) or not might_be else ()
        return called

    def may_show_another(self, thing: SceneObject, name: str) -> bool:
        """Whether something besides an object and its wearer may show an object of this name unannotated."""
        if name in word_set("spoken_of"):
            return False
        others = [other for other in self.called(name)[1] if other.id not in (thing.id, self.wearers.get(thing.id))]
        return bool(others) and not (len(others) == 1 and has_one(others[0].name, name))

    def may_be_unlisted(self, name: str) -> bool:
        """Whether objects of a name are annotated only here and there."""
        return self.scene.categories is not None and name not in self.scene.categories

    def rivals(self, thing: SceneObject, name: str) -> list[SceneObject] | None:
        """The other objects that a name could refer to, or None where something may show such an object besides."""
        key = thing.id, name
        if key not in self._rivals:
            others = [other for other in self.called(name)[0] if other.id != thing.id]
            others += [other for other in self.doubles(thing) if other not in others]
            is_open = self.may_be_unlisted(name) or self.may_show_another(thing, name)
            self._rivals[key] = None if is_open else others
        return self._rivals[key]

    def doubles(self, thing: SceneObject) -> list[SceneObject]:
        """Objects in the same place whose other name may be for the same body, as a man and a woman."""
        kind, box = agent_kind(thing.name), thing.box
        if not kind or not box:
            return []
        alike = (other for other in self.scene if other.id != thing.id and agent_kind(other.name) == kind)
        return [other for other in alike if other.box and are_one_place(box, other.box)]

    def modified_expressions(self, thing: SceneObject) -> tuple["ReferringExpression", ...]:
        """Expressions with the name of an object and a value or a relation."""
        if thing.id not in self._expressions:
            self._expressions[thing.id] = tuple(_modified_expressions(self, thing))
        return self._expressions[thing.id]

    def singles_out(self, thing: SceneObject, name: str, value: str = "") -> bool:
        """Whether this name, or this value and name, can refer to nothing else in the picture."""
        rivals = self.rivals(thing, name)
        if rivals is None:
            return False
        return not rivals or (value != "" and all(denies(self.values(other), value) for other in rivals))


@cache
def _reads_well(relation: str, other: str) -> bool:
    """Whether a relation to an object of a name can be said: nothing is left of the floor."""
    if not can_follow_noun(relation) or other in word_set("the_picture"):
        return False
    return not opposed_relation(relation) or can_be_asked(other)


@cache
def has_one(whole: str, part: str) -> bool:
    """Whether a single object has one such part at most: a dog one tail, a man one shirt that is seen."""
    return not is_plural(whole) and not is_mass(whole) and singular(part) in word_set("one_each") and is_known(whole)


class ObjectClaim(Struct, frozen=True):
    """An object that a question names, perhaps with a value: whether it is present, and the proof."""

    name: str
    value: str
    is_there: bool
    proof: str
    objects: tuple[SceneObject, ...] = ()

    @property
    def phrase(self) -> str:
        """The value and the name."""
        return modified_noun(self.value, self.name)


class DrawnObject(Struct, frozen=True):
    """An object that a question may name, before its proof is put into words."""

    name: str
    value: str
    is_there: bool
    things: tuple[SceneObject, ...] = ()  # that show it, or that have other values


class SceneSampler(SceneView):
    """Draws present objects and plausible absent ones; `rejected` counts, by reason, the draws that were no use."""

    def __init__(self, scene: Scene, statistics: SceneStatistics) -> None:
        super().__init__(scene)
        self.statistics = statistics
        self.rejected = Counter[str]()
        self._drawn = Counter[tuple[str, str, str]]()
        self._undrawn: dict[str, list[tuple[SceneObject, str]]] = {}

    @classmethod
    def of(cls, scene: Scene, statistics: SceneStatistics) -> "SceneSampler":
        """The sampler of a scene, the same for suites that are made together."""
        return statistics.keep(scene, lambda: cls(scene, statistics))

    def start_over(self) -> None:
        """Forget what was drawn, and keep what was found out about the scene."""
        self.rejected.clear()
        self._drawn.clear()
        self._undrawn.clear()

    def draw_once(
        self, kind: str, pairs: Callable[[], Iterable[tuple[SceneObject, str]]], rng: Random
    ) -> tuple[SceneObject, str] | None:
        """An object with a value or a name that was not drawn for this kind of question before, or None.

        `pairs` gives all of them, and is called once for each kind. Where a source has few scenes a pair is drawn up to
        four times, at the cost of balance that few could show.
        """
        if kind not in self._undrawn:
            self._undrawn[kind] = list(pairs())
        left = self._undrawn[kind]
        if not left:
            return None
        thing, word = rng.choice(left)
        if self.statistics.names.scenes < _MANY:
            self._drawn[kind, thing.id, word] += 1
            if self._drawn[kind, thing.id, word] < _TIMES_OF_FEW:
                return thing, word
        self._undrawn[kind] = [row for row in left if row[0].id != thing.id or row[1] != word]
        return thing, word

    @cached_property
    def weighted_names(self) -> tuple[list[str], list[float]]:
        """The names of present objects with cumulative weights, by how often each could be denied in the source."""
        return self._weighted(self.visible_names)

    @cached_property
    def weighted_clear_names(self) -> tuple[list[str], list[float]]:
        """Of these, the names that nothing else in the scene may go by or show."""
        return self._weighted(self.clear_names)

    def _weighted(self, names: list[str]) -> tuple[list[str], list[float]]:
        weights = [self.statistics.denial_share(name) for name in names]
        return (names, list(accumulate(weights))) if sum(weights) > 0 else ([], [])

    def present(self, rng: Random) -> "DrawnObject | None":
        """An object that is present, rare ones more often."""
        names, bounds = self.weighted_names
        if not names:
            return None
        name = draw_weighted(names, bounds, rng)
        things = self.recognizable(name)
        if rng.random() < _WITH_ATTRIBUTE:
            thing = things[0] if len(things) == 1 else rng.choice(things)
            value = self.draw_own_value(thing, rng)
            if value:
                return DrawnObject(name, value, True, (thing,))
        return DrawnObject(name, "", True, things)

    def absent(self, rng: Random) -> "DrawnObject | None":
        """An object that is absent, but often present in such scenes."""
        with_value = rng.random() < _WITH_ATTRIBUTE
        if with_value and rng.random() < _WITH_OTHER_VALUE:
            drawn = self._with_other_value(rng)
            if drawn:
                return drawn
        for _ in range(_TRIES if self.names else 0):
            name = self._draw_absent(rng.choice(self._companions), rng)
            if name:
                with_value = with_value and not is_body_part(name)  # nobody asks for a brown tail
                return DrawnObject(name, self.draw_usual_value(name, rng) if with_value else "", False)
        return None

    @cached_property
    def _companions(self) -> list[WeightedWords]:
        """What occurs together with each name of the scene."""
        return [self.statistics.companions(name) for name in self.names]

    def claim(self, drawn: "DrawnObject") -> ObjectClaim:
        """What a question says of an object that was drawn, with the proof."""
        name, value, things = drawn.name, drawn.value, drawn.things
        if not drawn.is_there:
            others = things and f"no {name} {be(name)} {value}: {self.excluding_facts(things, value)}"
            proof = others or absence_proof(name)
            return ObjectClaim(name, value, False, proof, things)
        proof = f"{name} {things[0].id} {be(name)} annotated"
        if not value:
            return ObjectClaim(name, "", True, proof, things)
        return ObjectClaim(name, value, True, f"{proof} as {value}", self.having(self.recognizable(name), value))

    def absent_from(self, words: WeightedWords, rng: Random) -> str:
        """One of some names that is provably absent, or nothing."""
        names = (self._draw_absent(words, rng) for _ in range(min(_TRIES, 2 * len(words.words))))
        return next(filter(None, names), "")

    def _draw_absent(self, words: WeightedWords, rng: Random) -> str:
        name = words.draw(rng)
        if name and (reason := self.absence_doubt(name)):
            self.rejected[reason] += 1
            return ""
        return name if can_be_asked(name) else ""

    def _with_other_value(self, rng: Random) -> "DrawnObject | None":
        names, bounds = self.weighted_clear_names
        name = draw_weighted(names, bounds, rng) if names else ""
        value = self.draw_usual_value(name, rng) if name else ""
        things = self.scene.named(name)
        if not value or not all(denies(self.values(thing), value) for thing in things):
            return None
        return DrawnObject(name, value, False, things)

    def draw_own_value(self, thing: SceneObject, rng: Random) -> str:
        """A value of an object that can stand before its name, or nothing."""
        values = [value for value in self.values(thing) if goes_before_noun(value)]
        value = rng.choice(values) if values else ""
        return value if value and self._accepts(thing.name, value, rng) else ""

    def draw_usual_value(self, name: str, rng: Random) -> str:
        """A value that such objects have, unless it is too frequent, or nothing."""
        value = self.statistics.counted("looks", name).draw(rng)
        return value if value and goes_before_noun(value) and self._accepts(name, value, rng) else ""

    def _accepts(self, name: str, value: str, rng: Random) -> bool:
        """Rejection sampling against frequent values, so that a value does not tell whether the object is present."""
        return rng.random() >= self.statistics.values(name, attribute_class(value)).share(value)


_PLAIN = 0.5  # how often the bare name is used where it serves


class ReferringExpression(NamedTuple):
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
    can_be_named = can_be_asked(thing.name) or thing.name in word_set("spoken_of")
    if not can_be_named or not view.is_recognizable(thing):
        return None
    alone = view.singles_out(thing, thing.name)
    if alone and rng.random() < _PLAIN:
        return ReferringExpression(thing, thing.name)
    expressions = [phrase for phrase in view.modified_expressions(thing) if phrase.gives not in avoid]
    if expressions:
        return rng.choice(expressions)
    return ReferringExpression(thing, thing.name) if alone else None


def _modified_expressions(view: SceneView, thing: SceneObject) -> Iterator[ReferringExpression]:
    for value in view.values(thing):
        if goes_before_noun(value) and view.singles_out(thing, thing.name, value):
            yield ReferringExpression(thing, modified_noun(value, thing.name), gives=attribute_class(value))
    yield from relation_expressions(view, thing, thing.name)


def relation_expressions(
    view: SceneView, thing: SceneObject, name: str, noun: str = ""
) -> Iterator[ReferringExpression]:
    """Expressions with a relation to another object, with the name of the object or a hypernym."""
    rivals = view.rivals(thing, name)
    for link in view.links_of.get(thing.id, ()) if rivals is not None else ():
        other = view.scene[link.object]
        if may_be(name, other.name) or not view.singles_out(other, other.name):
            continue
        if all(_is_ruled_out(view, rival, link) for rival in rivals or ()):
            where = f"{link.name} the {other.name}"
            yield ReferringExpression(thing, noun or name, where, action_class(verb_of(link)), link.name, (other,))


def _is_ruled_out(view: SceneView, rival: SceneObject, link: Link) -> bool:
    """Whether another object surely is not in this relation: it is in the opposed one, or only one can be."""
    if (rival.id, link.name, link.object) in view.triples:
        return False
    return (rival.id, opposed_relation(link.name), link.object) in view.triples or is_exclusive(link.name)
