"""What can truly be asked about a scene: questions before they have words, each with its answer and the proof of it.

A maker first looks for something that is so and something that is not, and asks nothing unless it has both; then a coin
decides. Wrongs are drawn from what other scenes of the source have. So the words alone do not tell the answer.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from counterpoint.core.groups import Gold
from counterpoint.core.scenes import Scene, SceneObject
from counterpoint.language.english import be, head, is_countable, is_plural
from counterpoint.language.senses import hypernym_names
from counterpoint.suites.doubts import general_names, may_be
from counterpoint.suites.habits import Habits
from counterpoint.suites.looks import before_noun, denies, goes_before_noun, other_words, sort_of, usual
from counterpoint.suites.suite import Dropped
from counterpoint.suites.views import Mention, View

Tags: TypeAlias = tuple[tuple[str, str], ...]

EACH = 2
"""How many questions of each kind a scene is asked at most."""

_TRIES = 6
_BOTH_GONE = 0.25  # of the conjunctions that do not hold, the share in which neither part does


@dataclass(frozen=True, slots=True)
class Asked:
    """A question before it has words.

    `options` are what it lists: one thing or two, or a value, or the choices; `about` is the thing that these are said
    of, where there is one; `sort` is the class of the values or the general name of the choices.
    """

    kind: str
    options: tuple[str, ...]
    gold: Gold
    proof: str
    objects: tuple[SceneObject, ...] = ()
    about: str = ""
    sort: str = ""
    tags: Tags = ()

    def listing(self, *options: str) -> "Asked":
        """The same question with its options in another order."""
        assert sorted(options) == sorted(self.options), "the options stay the same"
        return replace(self, options=options)


Maker: TypeAlias = Callable[[View, Random], Asked | str]
"""Asks something about a scene, or says why not."""


def questions(kinds: Iterable[str], scene: Scene, habits: Habits, rng: Random) -> Iterator[Asked | Dropped]:
    """Up to two different questions of each kind, or the reasons why there are fewer."""
    view, seen = View(scene, habits), set[tuple[str, ...]]()
    for kind in (kind for kind in kinds for _ in range(EACH)):
        made = view.obstacle or MAKERS[kind](view, rng)
        if isinstance(made, str):
            yield Dropped(kind, made)
        elif (key := (kind, made.about, *sorted(made.options))) in seen:
            yield Dropped(kind, "asked before")
        else:
            seen.add(key)
            yield made


def _object(view: View, rng: Random) -> Asked | str:
    here, gone = view.present(rng), view.absent(rng)
    if here is None or gone is None:
        return "nothing is surely there" if here is None else "nothing plausible is surely absent"
    truth = rng.random() < 0.5
    one = here if truth else gone
    return _verified("object verification", (one,), truth)


def _conjunction(view: View, rng: Random) -> Asked | str:
    here, gone = _apart(view.present, rng), _apart(view.absent, rng)
    if len(here) < 2 or len(gone) < 2:
        return "no two things are surely there" if len(here) < 2 else "no two plausible things are surely absent"
    truth = rng.random() < 0.5
    if truth or rng.random() < _BOTH_GONE:
        return _verified("conjunctive verification", here if truth else gone, truth)
    return _mixed("conjunctive verification", here[0], gone[0], False, rng)


def _disjunction(view: View, rng: Random) -> Asked | str:
    here, gone = _apart(view.present, rng), _apart(view.absent, rng)
    if not here or len(gone) < 2:
        return "nothing is surely there" if not here else "no two plausible things are surely absent"
    if rng.random() < 0.5:
        return _mixed("disjunctive verification", here[0], gone[0], True, rng)
    return _verified("disjunctive verification", gone, False)


def _mixed(kind: str, here: Mention, gone: Mention, truth: bool, rng: Random) -> Asked | str:
    if may_be(here.name, gone.name):
        return "two names for what may be one thing"
    return _verified(kind, (here, gone) if rng.random() < 0.5 else (gone, here), truth)


def _apart(draw: Callable[[Random], Mention | None], rng: Random) -> tuple[Mention, ...]:
    """Two things that nobody could take for each other, or as many as there are."""
    first = draw(rng)
    if first is None:
        return ()
    others = (draw(rng) for _ in range(_TRIES))
    second = next((one for one in others if one and not may_be(first.name, one.name)), None)
    return (first, second) if second else (first,)


def _verified(kind: str, things: tuple[Mention, ...], truth: bool) -> Asked:
    general = [next(iter(hypernym_names(one.name)), "none") for one in things]
    return Asked(
        kind,
        tuple(one.phrase for one in things),
        Gold.of("yes" if truth else "no"),
        "; ".join(one.proof for one in things),
        tuple(found for one in things for found in one.objects),
        tags=(
            ("hypernym", " + ".join(general)),
            ("there", str(sum(bool(one.is_there) for one in things))),
            ("attribute", "yes" if any(one.value for one in things) else "no"),
        ),
    )


def _attribute(view: View, rng: Random) -> Asked | str:
    found = _look(view, rng)
    if isinstance(found, str):
        return found
    thing, phrase, value, wrong = found
    truth = rng.random() < 0.5
    said = value if truth else wrong
    fact = f"{thing.name} {thing.id} {be(thing.name)} annotated as {value}"
    return Asked(
        "attribute verification",
        (said,),
        Gold.of("yes" if truth else "no"),
        fact if truth else f"{fact}, which excludes {wrong}",
        (thing,),
        about=phrase,
        sort=sort_of(value),
        tags=(("class", sort_of(value)), *_hypernym(thing.name)),
    )


def _attribute_choice(view: View, rng: Random) -> Asked | str:
    found = _look(view, rng)
    if isinstance(found, str):
        return found
    thing, phrase, value, wrong = found
    sort, values = sort_of(value), view.values(thing)
    if any(one != value and sort_of(one) == sort for one in values):
        return "it has several values of the class"
    third = view.habits.values(thing.name, sort).draw(rng)
    options = [value, wrong]
    if rng.random() < 0.5 and denies([value], third) and denies([wrong], third):
        options.append(third)
    rng.shuffle(options)
    answers = (usual(value), *other_words(value)) if sort == "material" else other_words(value)
    return Asked(
        "attribute choice",
        tuple(options),
        Gold.of(*dict.fromkeys(answers)),
        f"{thing.name} {thing.id} {be(thing.name)} annotated as {value}, and the choices exclude each other",
        (thing,),
        about=phrase,
        sort=sort,
        tags=(("class", sort), ("choices", str(len(options))), *_hypernym(thing.name)),
    )


def _look(view: View, rng: Random) -> tuple[SceneObject, str, str, str] | str:
    """A thing, how to refer to it, a value it has, and one that it has not but might have had."""
    if not view.spoken_of:
        return "nothing can be referred to without doubt"
    thing, phrase, used = rng.choice(view.spoken_of)
    values = [value for value in view.values(thing) if sort_of(value) != used]
    if not values:
        return "nothing more is known of how it looks"
    value = rng.choice(values)
    usually = view.habits.values(thing.name, sort_of(value))
    if rng.random() < usually.share(value):
        return "too usual a value for its kind"
    wrong = next((one for one in (usually.draw(rng) for _ in range(_TRIES)) if denies(view.values(thing), one)), "")
    return (thing, phrase, value, wrong) if wrong else "no plausible value is excluded"


def _object_choice(view: View, rng: Random) -> Asked | str:
    rows = [
        (one, general)
        for one in view.scene
        if _is_one(one.name)
        for general in hypernym_names(one.name)
        if general in general_names() and general != head(one.name)
    ]
    if not rows:
        return "nothing is surely of a general kind"
    thing, general = rng.choice(rows)
    values = [value for value in view.values(thing) if goes_before_noun(value) and sort_of(value) != "size"]
    values = [value for value in values if view.singles_out(thing, general, value)]
    if not values:
        return "nothing of its kind can be referred to without doubt"
    members = view.habits.members(general)
    if rng.random() < members.share(thing.name):
        return "too usual a member of its kind"
    drawn = dict.fromkeys(members.draw(rng) for _ in range(_TRIES))
    wrong = [name for name in drawn if _is_one(name) and not may_be(name, thing.name) and head(name) != general]
    if not wrong:
        return "no plausible choice is excluded"
    options = [thing.name, *wrong[: rng.choice((1, 2))]]
    if any(may_be(one, other) for one, other in combinations(options, 2)):
        options = options[:2]
    rng.shuffle(options)
    value, spoken = rng.choice(values), general_names()[general]
    return Asked(
        "object choice",
        tuple(options),
        Gold.of(thing.name),
        f"{thing.name} {thing.id} is the only {spoken} that is {value}, and the choices exclude each other",
        (thing,),
        about=before_noun(value, spoken),
        sort=general,
        tags=(("hypernym", general), ("choices", str(len(options)))),
    )


def _is_one(name: str) -> bool:
    return is_countable(name) and not is_plural(name)


def _hypernym(name: str) -> Tags:
    return (("hypernym", next(iter(hypernym_names(name)), "none")),)


MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        "object verification": _object,
        "conjunctive verification": _conjunction,
        "disjunctive verification": _disjunction,
        "attribute verification": _attribute,
        "object choice": _object_choice,
        "attribute choice": _attribute_choice,
    }
)
"""The kinds of questions, each with who makes it."""
