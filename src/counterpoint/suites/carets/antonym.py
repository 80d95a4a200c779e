"""Antonyms: a door that is open is not closed."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Gold, Group, Relation
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import be
from counterpoint.language.lexicon.attributes import opposites
from counterpoint.language.lexicon.senses import hypernym_names
from counterpoint.scenes.actions import contradicted, deed_of, deeds
from counterpoint.scenes.attributes import can_be_said, denies, has, sort_of
from counterpoint.scenes.cooccurrence import Habits, survey
from counterpoint.scenes.referring_expressions import Referent, referent
from counterpoint.scenes.views import View
from counterpoint.suites.carets.questions import Asked
from counterpoint.suites.carets.templates import fitting, grouped
from counterpoint.suites.suite import Dropped, Suite

KIND = "attribute verification"
EACH = 2
"""How many pairs a scene gives at most."""


def opposed(scene: Scene, habits: Habits, rng: Random, *, colors: bool = False) -> Iterator[Group | Dropped]:
    """Ask whether a thing is as it is annotated, and whether it is the opposite; a coin decides what comes first."""
    view = View(scene, habits)
    rows = [] if view.obstacle else [(one, *pair) for one in scene for pair in _pairs(view, one, colors)]
    if not rows:
        yield Dropped(
            KIND, view.obstacle or ("nothing has an opposite" if view.has_looks else "no attributes are annotated")
        )
        return
    for one, value, other in rng.sample(rows, min(EACH, len(rows))):
        who = referent(view, one, rng, avoid=(sort_of(value) or deed_of(value),))
        if who is None:
            yield Dropped(KIND, "it cannot be referred to without doubt")
        else:
            yield _asked(scene, who, value, other, rng)


def _pairs(view: View, one: SceneObject, colors: bool) -> Iterator[tuple[str, str]]:
    """What a thing is and a word for the opposite, which nothing of its name is."""
    does = [] if len(found := deeds(one)) != 1 or contradicted(found[0], view.scene.relations_of(one.id)) else found
    for value in (*view.values(one), *does):
        for other in opposites(value):
            sort = sort_of(value) or deed_of(value)
            if sort != (sort_of(other) or deed_of(other)) or (sort == "color" and not colors):
                continue
            if not (deed_of(other) or can_be_said(other, one.name)) or not denies((*view.values(one), *does), other):
                continue
            if not any(has(thing.attributes, other) for thing in view.scene.named(one.name)):
                yield value, other


def _asked(scene: Scene, who: Referent, value: str, other: str, rng: Random) -> Group:
    name, sort = who.thing.name, sort_of(value) or deed_of(value)
    fact = f"{name} {who.thing.id} {be(name)} annotated as {value}"
    pair = "-".join(sorted((value, other)))
    tags = (
        ("class", sort),
        ("pair", pair),
        ("colors", "yes" if sort == "color" else "no"),
        ("hypernym", next(iter(hypernym_names(name)), "none")),
        ("relation", who.relation or "none"),
    )
    proof = f"{fact}, which excludes {other}, and no {name} is annotated as {other}"
    both = [
        Asked(KIND, (word,), Gold.of(answer), proof, who.objects, who.noun, who.where, sort, tags)
        for word, answer in ((value, "yes"), (other, "no"))
    ]
    template = rng.choice(fitting(both[0])).ask
    rng.shuffle(both)
    return grouped(scene, [(template, one) for one in both], relation=Relation.DIFFERS)


suite = Suite("antonym", tests="what has an attribute has not the opposite one", propose=opposed, survey=survey)
with_colors = Suite(
    "antonym-colors",
    tests="what has an attribute has not the opposite one, black and white included",
    propose=partial(opposed, colors=True),
    survey=survey,
)
