"""Questions with yes or no: is it so, and does it stand to another as is said.

A maker first looks for something that is so and something that is not, and asks nothing unless it has both; then a coin
decides, so that neither answer can be guessed from the kind of question.
"""

from collections.abc import Sequence
from random import Random
from types import MappingProxyType

from counterpoint.language.english import a, any_of
from counterpoint.scenes.programs import add_step, join_programs
from counterpoint.world.actions import ACTIONS as WAYS
from counterpoint.world.confusable_names import confusable_names
from counterpoint.world.distractors import (
    choose_one,
    flip_coin,
    other_color,
    other_material,
    other_place,
    other_pose,
    other_weather,
    should_ask_color,
    state_phrase,
    yes_no,
)
from counterpoint.world.facts import OPPOSED_RELATIONS, SceneFacts, Thing, other_state
from counterpoint.world.kinds import kind
from counterpoint.world.question_programs import SCENE, QuestionDraft, draft_question
from counterpoint.world.referents import Referent, ReferentFinder
from counterpoint.world.relation_phrases import (
    is_askable_relation,
    place_question_phrase,
    refer_to_both,
    relation_program,
)

_ON_OR_UNDER = MappingProxyType({"on": "under", "under": "on"})
_LOOSE_CLOTHES = ("hat", "scarf", "glasses", "jacket", "dress", "skirt", "pants", "shorts")
_WEARING_RULES_OUT = MappingProxyType(
    {
        "dress": ("pants", "shorts"),
        "skirt": ("pants", "shorts"),
        "pants": ("dress", "skirt"),
        "shorts": ("pants", "dress", "skirt"),
    }
)


def verify_color(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the cup red?"""
    thing = choose_one(rng, [candidate for candidate in finder.facts.things if should_ask_color(candidate, rng)])
    referent = finder.refer(thing, rng, "color")
    if thing is None or referent is None:
        return None
    truth = flip_coin(rng)
    value = thing.color if truth else other_color(thing, rng, {thing.color})
    return _verified(referent, "color", value, thing.color, f"{referent.be} {referent.text} {value}") if value else None


def verify_material(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the table made of wood?"""
    thing = choose_one(
        rng,
        [candidate for candidate in finder.facts.things if candidate.material and len(candidate.kind.materials) > 1],
    )
    referent = finder.refer(thing, rng)
    if thing is None or referent is None:
        return None
    value = thing.material if flip_coin(rng) else other_material(thing, rng)
    return _verified(
        referent, "material", value, thing.material, f"{referent.be} {referent.text} made of {value}", "made of "
    )


def verify_state(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the door open?"""
    rows = [(thing, state) for thing in finder.facts.things for state in thing.seen_states]
    row = choose_one(rng, rows)
    referent = row and finder.refer(row[0], rng, "state")
    if row is None or referent is None:
        return None
    truth = flip_coin(rng)
    value = row[1] if truth else other_state(row[1])
    return _verified(referent, "state", value, row[1], f"{referent.be} {referent.text} {state_phrase(value)}")


def verify_size(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog large?"""
    thing = choose_one(rng, [candidate for candidate in finder.facts.things if candidate.size])
    referent = finder.refer(thing, rng, "size")
    if thing is None or referent is None:
        return None
    value = thing.size if flip_coin(rng) else {"small": "large", "large": "small"}[thing.size]
    return _verified(referent, "size", value, thing.size, f"{referent.be} {referent.text} {value}")


def verify_pose(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog sitting?"""
    thing = choose_one(rng, [candidate for candidate in finder.facts.things if other_pose(candidate, Random(0))])
    referent = finder.refer(thing, rng, "pose", "sitting on", "riding", "walking")
    if thing is None or referent is None:
        return None
    value = thing.pose if flip_coin(rng) else other_pose(thing, rng)
    return _verified(referent, "pose", value, thing.pose, f"{referent.be} {referent.text} {value}")


def _verified(referent: Referent, kind: str, value: str, actual: str, text: str, before: str = "") -> QuestionDraft:
    truth = value == actual
    fact = f"{referent.text} {referent.be} {before}{state_phrase(actual)}"
    return draft_question(
        "verify " + kind,
        text,
        yes_no(truth),
        add_step(referent.steps, f"verify {kind}", value),
        f"{referent.thing.name} {referent.thing.id} is annotated as {actual}",
        f"{yes_no(truth)}, {fact}",
    )


def verify_action(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the man holding an umbrella?"""
    facts = finder.facts
    link = choose_one(rng, [candidate for candidate in facts.actions if candidate.name != "chasing"])
    agent = finder.refer(facts.by_id[link.subject] if link else None, rng, "relation")
    if link is None or agent is None:
        return None
    patient = facts.by_id[link.object]
    gone = [name for name in _possible(link.name, facts) if not _acted_on(facts, agent.thing, name)]
    if not gone or not facts.surely_named(patient.name):
        return None
    truth = flip_coin(rng)
    present = [name for name in gone if name in facts.names]
    name = patient.name if truth else rng.choice(present if present and flip_coin(rng) else gone)
    steps = add_step(agent.steps, "verify rel", f"{name},{link.name},o ({patient.id if truth else '-'})")
    doing = f"{agent.text} is {link.name}"
    return draft_question(
        "verify relation",
        f"is {agent.text} {link.name} {a(name)}",
        yes_no(truth),
        steps,
        f"{agent.thing.name} {agent.thing.id} is {link.name} {patient.name} {patient.id}",
        f"{yes_no(truth)}, {doing} {a(patient.name)}",
    )


def verify_wearing(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the woman wearing a hat?"""
    facts = finder.facts
    worn: list[tuple[Thing, str]] = []
    bare: list[tuple[Thing, str]] = []
    for person in facts.people:
        names = [garment.name for garment in facts.objects_of(person, "wearing")]
        worn += [(person, name) for name in names if name in _LOOSE_CLOTHES]
        bare += [
            (person, name) for name in _LOOSE_CLOTHES if name not in names and _plainly_without(name, names, person)
        ]
    if not worn or not bare:
        return None
    truth = flip_coin(rng)
    person, name = rng.choice(worn if truth else bare)
    referent = finder.refer(person, rng, "wearing")
    if referent is None:
        return None
    ids = [garment.id for garment in facts.objects_of(person, "wearing") if garment.name == name]
    return draft_question(
        "verify relation",
        f"is {referent.text} wearing {worn_phrase(name)}",
        yes_no(truth),
        add_step(referent.steps, "verify rel", f"{name},wearing,o ({ids[0] if ids else '-'})"),
        f"{person.name} {person.id} wears {name} {ids[0]}" if ids else f"{person.name} {person.id} wears no {name}",
        f"yes, {referent.text} is wearing {worn_phrase(name)}"
        if ids
        else f"no, {referent.text} is not wearing {any_of(name)}",
    )


def worn_phrase(name: str) -> str:
    """What someone wears: a hat, shorts."""
    return a(name).removeprefix("some ")


def verify_relation(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog to the left of the bench?"""
    facts = finder.facts
    rivals = {**OPPOSED_RELATIONS, **_ON_OR_UNDER}
    link = choose_one(
        rng, [one for name in rivals for one in facts.links.get(name, ()) if is_askable_relation(one, facts)]
    )
    pair = refer_to_both(finder, link, rng)
    if link is None or pair is None:
        return None
    one, other = pair
    truth = flip_coin(rng)
    relation = link.name if truth else rivals[link.name]
    if not truth and facts.holds(one.thing, relation, other.thing):
        return None
    return draft_question(
        "verify relation",
        f"{one.be} {one.text} {relation} {other.text}",
        yes_no(truth),
        relation_program(one, other, relation, "verify rel"),
        f"{one.thing.name} {one.thing.id} is {link.name} {other.thing.name} {other.thing.id}",
        f"{yes_no(truth)}, {one.text} {one.be} {link.name} {other.text}",
    )


def same_color(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Are the cup and the plate the same color?"""
    named = [(thing, finder.plain(thing)) for thing in finder.facts.things if thing.seen_color]
    plain = [(thing, referent) for thing, referent in named if referent is not None]
    pairs = [(one, other) for i, one in enumerate(plain) for other in plain[i + 1 :]]
    same = [pair for pair in pairs if pair[0][0].color == pair[1][0].color]
    unlike = [pair for pair in pairs if pair[0][0].color != pair[1][0].color]
    if not same or not unlike:
        return None
    matching, asks_same = flip_coin(rng), flip_coin(rng)
    (first, one), (second, other) = rng.sample(rng.choice(same if matching else unlike), 2)
    truth = matching is asks_same
    word = "same color" if asks_same else "different color"
    text = (
        f"are {one.text} and {other.text} the same color"
        if asks_same
        else f"do {one.text} and {other.text} have different colors"
    )
    fact = (
        f"both {one.text} and {other.text} are {first.color}"
        if matching
        else f"{one.text} {one.be} {first.color} and {other.text} {other.be} {second.color}"
    )
    proof = f"{first.name} {first.id} is {first.color} and {second.name} {second.id} is {second.color}"
    return draft_question(
        "compare", text, yes_no(truth), join_programs(one.steps, other.steps, word), proof, f"{yes_no(truth)}, {fact}"
    )


def verify_place(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is this a kitchen?"""
    place = finder.facts.place
    candidate = place if flip_coin(rng) else other_place(place, rng)
    text = rng.choice((f"is this {a(candidate)}", f"was this picture taken {place_question_phrase(candidate)}"))
    return draft_question(
        "verify place",
        text,
        yes_no(candidate == place),
        add_step(SCENE, "verify place", candidate),
        f"the place of the scene is {place}",
        f"{yes_no(candidate == place)}, this is {a(place)}",
    )


def verify_weather(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is it raining?"""
    weather = finder.facts.weather
    if not weather:
        return None
    truth = flip_coin(rng)
    candidate = weather if truth else other_weather(weather, rng)
    text = rng.choice((f"is it {'raining' if candidate == 'rainy' else candidate}", f"is the weather {candidate}"))
    full = f"{yes_no(truth)}, it is {weather}"
    return draft_question(
        "verify weather",
        text,
        yes_no(truth),
        add_step(SCENE, "verify weather", candidate),
        f"the weather is {weather}",
        full,
    )


def _possible(action: str, facts: SceneFacts) -> list[str]:
    """What could be the object of an action at this place."""
    found = {name for way in WAYS if way.name == action for name in way.objects}
    return sorted(name for name in found if facts.named(name) or kind(name).places.get(facts.place))


def _acted_on(facts: SceneFacts, agent: Thing, name: str) -> bool:
    """Whether an agent does anything with a thing of this name, or with one that could be taken for it."""
    return any(facts.acts_on(agent, other) for near in (name, *confusable_names(name)) for other in facts.named(near))


def _plainly_without(name: str, worn: Sequence[str], person: Thing) -> bool:
    if name in ("dress", "skirt") and person.name in ("man", "boy"):
        return False
    ruling = _WEARING_RULES_OUT.get(name)
    return ruling is None or any(other in worn for other in ruling)
