"""Questions after what is there: one thing, a family, a thing of a color or beside another, two things at once.

A maker first looks for something that is so and something that is not, and asks nothing unless it has both; then a coin
decides, so that neither answer can be guessed from the kind of question.
"""

from random import Random
from types import MappingProxyType

from counterpoint.language.english import a, any_of, be, is_mass, plural
from counterpoint.scenes.programs import add_relation, add_step, join_programs, select_objects
from counterpoint.world.distractors import choose_one, flip_coin, other_color, should_ask_color, yes_no
from counterpoint.world.facts import OPPOSED_RELATIONS, SceneFacts, Thing, family_members
from counterpoint.world.kinds import kind
from counterpoint.world.question_programs import QuestionDraft, draft_question
from counterpoint.world.referents import ReferentFinder

_FAMILY_RATES = MappingProxyType({"person": 62, "animal": 45, "vehicle": 30, "toy": 27, "fruit": 18, "vegetable": 12})
"""Families that are asked after, with the per cent of pictures that have one; grass and houses are everywhere."""
_ON_OR_UNDER = MappingProxyType({"on": "under", "under": "on"})


def exist(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is there a cup?"""
    facts = finder.facts
    here = facts.asked_names
    truth = flip_coin(rng)
    name = rng.choice(here) if truth and here else next(facts.absent(rng), "")
    truth = name in facts.names
    if not name:
        return None
    ids = [thing.id for thing in facts.named(name)]
    return draft_question(
        "exist",
        _existence(name, rng),
        yes_no(truth),
        add_step(select_objects(name, ids), "exist", "?"),
        _presence(facts, name),
        _there(name, truth),
    )


def exist_family(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Are there any animals?"""
    facts = finder.facts
    clear = [family for family in _FAMILY_RATES if facts.clear_family(family)]
    here = [family for family in clear if family in facts.by_family]
    gone = [f for f in clear if f not in facts.by_family and next(facts.absent(rng, family_members(f)), "")]
    if not here or not gone:
        return None
    truth = flip_coin(rng)
    if truth:
        family = rng.choices(here, [100 - _FAMILY_RATES[member] for member in here])[0]
    else:
        family = rng.choices(gone, [_FAMILY_RATES[member] for member in gone])[0]
    members = facts.by_family.get(family, ())
    many = plural(family)
    word = family if is_mass(family) or family == "fruit" else many
    verb = "is" if word == family else "are"
    proof = f"{members[0].name} {members[0].id} is of this kind" if members else f"nothing annotated is {a(family)}"
    return draft_question(
        "exist",
        rng.choice((f"{verb} there any {word}", f"do you see any {word}", f"{verb} there any {word} in this image")),
        yes_no(truth),
        add_step(select_objects(family, [member.id for member in members]), "exist", "?"),
        proof,
        f"yes, there {be(members[0].name)} {a(members[0].name)}" if members else f"no, there {verb} no {word}",
    )


def exist_attribute(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is there a red cup?"""
    facts = finder.facts
    thing = choose_one(rng, [candidate for candidate in facts.unworn if should_ask_color(candidate, rng)])
    if thing is None or not facts.surely_named(thing.name):
        return None
    others = facts.named(thing.name)
    if not all(candidate.seen_color for candidate in others):
        return None
    colors = {candidate.color for candidate in others}
    truth = flip_coin(rng)
    color = thing.color if truth else other_color(thing, rng, colors)
    if not color:
        return None
    phrase = f"{color} {thing.name}"
    ids = [candidate.id for candidate in others if candidate.color == color]
    steps = add_step(
        add_step(select_objects(thing.name, [candidate.id for candidate in others]), "filter color", color),
        "exist",
        "?",
    )
    fact = f"every {thing.name} is annotated with its color and none is {color}"
    return draft_question(
        "exist",
        _existence(phrase, rng, thing.name),
        yes_no(truth),
        steps,
        f"{thing.name} {ids[0]} is {color}" if truth else fact,
        _there(phrase, truth, f"no, the {thing.name} is {thing.color}" if len(others) == 1 else ""),
    )


def exist_relation(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is there a cup on the table?"""
    facts = finder.facts
    links = [link for name in (*OPPOSED_RELATIONS, "on", "under") for link in facts.links.get(name, ())]
    link = choose_one(rng, [candidate for candidate in links if not facts.by_id[candidate.subject].is_worn])
    anchor = finder.refer(
        facts.by_id[link.object] if link else None, rng, *OPPOSED_RELATIONS, "hposition", "relation", "hides name"
    )
    if link is None or anchor is None or anchor.thing.is_worn:
        return None
    here = sorted({candidate.name for candidate in facts.subjects_of(link.name, anchor.thing) if not candidate.is_worn})
    here = [name for name in here if name != anchor.thing.name]
    gone = _surely_not(facts, link.name, anchor.thing, rng)
    if not here or not gone:
        return None
    truth = flip_coin(rng)
    name = rng.choice(here if truth else gone)
    subjects = [candidate for candidate in facts.subjects_of(link.name, anchor.thing) if candidate.name == name]
    steps = add_relation(anchor.steps, name, link.name, "s", [candidate.id for candidate in subjects])
    where = f"{link.name} {anchor.text}"
    proof = f"{name} {subjects[0].id} is {where}" if subjects else f"no {name} is annotated {where}"
    return draft_question(
        "exist relation",
        f"{be(name)} there {any_of(name)} {where}",
        yes_no(truth),
        add_step(steps, "exist", "?"),
        proof,
        f"yes, there {be(name)} {a(name)} {where}" if truth else f"no, there {be(name)} no {name} {where}",
    )


def conjunction(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Are there both a cat and a dog?"""
    return _joined(finder, rng, "and")


def disjunction(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is there either a cat or a dog?"""
    return _joined(finder, rng, "or")


def _joined(finder: ReferentFinder, rng: Random, joint: str) -> QuestionDraft | None:
    facts = finder.facts
    here = facts.asked_names
    absent = facts.absent(rng)
    gone = [name for name in (next(absent, ""), next(absent, "")) if name]
    if len(here) < 2 or len(gone) < 2:
        return None
    truth = flip_coin(rng)
    if joint == "and":
        names = rng.sample(here, 2) if truth else [rng.choice(here), gone[0]]
    else:
        names = [rng.choice(here), gone[0]] if truth else gone
    rng.shuffle(names)
    one, other = names
    programs = [add_step(select_objects(name, [t.id for t in facts.named(name)]), "exist", "?") for name in names]
    first, second = (name if is_mass(name) else a(name) for name in names)
    text = {
        "and": (f"are there both {first} and {second}", f"do you see both {first} and {second}"),
        "or": (f"is there either {first} or {second}", f"do you see either {first} or {second}"),
    }[joint]
    if joint == "or" and be(one) == "are":
        text = (text[1], text[1])
    present = [name for name in names if name in facts.names]
    full = {
        ("and", True): f"yes, there are both {first} and {second}",
        ("and", False): f"no, there {be(gone[0])} no {gone[0]}",
        ("or", True): f"yes, there {be((present or here)[0])} {a((present or here)[0])}",
        ("or", False): f"no, there {be(one)} no {one} and no {other}",
    }[joint, truth]
    return draft_question(
        joint,
        rng.choice(text),
        yes_no(truth),
        join_programs(programs[0], programs[1], joint),
        "; ".join(_presence(facts, name) for name in names),
        full,
    )


def _existence(phrase: str, rng: Random, name: str = "") -> str:
    many = phrase if is_mass(name or phrase) else phrase.removesuffix(name) + plural(name) if name else plural(phrase)
    options = [
        f"{be(phrase)} there {any_of(phrase)}",
        f"{be(phrase)} there {any_of(phrase)} in this image",
        f"do you see {any_of(phrase)}",
        f"do you see {any_of(phrase)} in this photo",
    ]
    if many != phrase:
        options += [f"are there any {many}", f"do you see any {many} there"]
    return rng.choice(options)


def _there(phrase: str, truth: bool, denial: str = "") -> str:
    if truth:
        return f"yes, there {be(phrase)} {a(phrase)}"
    return denial or f"no, there {be(phrase)} no {phrase}"


def _presence(facts: SceneFacts, name: str) -> str:
    found = facts.named(name)
    return f"object {found[0].id} is {a(name)}" if found else f"no {name} is annotated"


def _surely_not(facts: SceneFacts, relation: str, anchor: Thing, rng: Random) -> list[str]:
    """Names of which nothing can be in this relation to the anchor: absent, or all on the other side."""
    rival = OPPOSED_RELATIONS.get(relation) or _ON_OR_UNDER.get(relation, "")
    elsewhere = [
        name
        for name, things in facts.by_name.items()
        if not things[0].is_worn
        and name != anchor.name
        and facts.surely_named(name)
        and all(facts.holds(thing, rival, anchor) and not facts.holds(thing, relation, anchor) for thing in things)
    ]
    spots = ("top",) if relation in ("on", "under") else ("top", "floor")
    absent = facts.absent(rng)
    gone = [name for name in (next(absent, ""), next(absent, ""), next(absent, "")) if name]
    fitting = [name for name in gone if not facts.named(name) and _spot(name) in spots]
    return elsewhere or fitting[:1]


def _spot(name: str) -> str:
    return kind(name).spot
