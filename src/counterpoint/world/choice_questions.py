"""Choice questions: two answers in random order, one of which is correct."""

from random import Random
from types import MappingProxyType

from counterpoint.language.english import a
from counterpoint.scenes.programs import add_step, join_programs
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
)
from counterpoint.world.facts import SceneFacts, Thing, family_members, other_state
from counterpoint.world.kinds import kind
from counterpoint.world.question_programs import SCENE, QuestionDraft, draft_question
from counterpoint.world.referents import Referent, ReferentFinder
from counterpoint.world.relation_phrases import is_askable_relation, refer_to_both, relation_program
from counterpoint.world.scene_sampling import INDOORS

_RIVALS = MappingProxyType(
    {
        "to the left of": "to the right of",
        "in front of": "behind",
        "above": "below",
        "on": "under",
        "to the right of": "to the left of",
        "behind": "in front of",
        "below": "above",
        "under": "on",
    }
)
_CONTRARY_ACTIONS = MappingProxyType(
    {
        "kicking": ("holding", "throwing"),
        "throwing": ("kicking",),
        "riding": ("pushing", "feeding"),
        "pushing": ("riding", "carrying"),
        "carrying": ("pushing", "kicking"),
        "feeding": ("riding", "chasing"),
        "chasing": ("feeding", "walking"),
        "walking": ("chasing", "feeding"),
        "reading": ("throwing",),
        "drinking from": ("throwing",),
        "watering": ("holding", "carrying"),
    }
)
_MUCH_LARGER = 3  # times the area in the picture, and one and a half times the height in life


def choose_color(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the cup red or blue?"""
    thing = choose_one(rng, [candidate for candidate in finder.facts.things if should_ask_color(candidate, rng)])
    referent = finder.refer(thing, rng, "color")
    wrong = thing and other_color(thing, rng, {thing.color})
    if thing is None or referent is None or not wrong:
        return None
    return _choice(referent, "color", thing.color, wrong, rng, f"{referent.be} {referent.text} %s or %s")


def choose_material(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the table made of wood or of metal?"""
    thing = choose_one(
        rng,
        [candidate for candidate in finder.facts.things if candidate.material and len(candidate.kind.materials) > 1],
    )
    referent = finder.refer(thing, rng)
    if thing is None or referent is None:
        return None
    wrong = other_material(thing, rng)
    return _choice(
        referent, "material", thing.material, wrong, rng, f"{referent.be} {referent.text} made of %s or %s", "made of "
    )


def choose_state(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the door open or closed?"""
    row = choose_one(rng, [(thing, state) for thing in finder.facts.things for state in thing.seen_states])
    referent = row and finder.refer(row[0], rng, "state")
    if row is None or referent is None:
        return None
    return _choice(referent, "state", row[1], other_state(row[1]), rng, f"{referent.be} {referent.text} %s or %s")


def choose_size(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog small or large?"""
    thing = choose_one(rng, [candidate for candidate in finder.facts.things if candidate.size])
    referent = finder.refer(thing, rng, "size")
    if thing is None or referent is None:
        return None
    wrong = "small" if thing.size == "large" else "large"
    return _choice(referent, "size", thing.size, wrong, rng, f"{referent.be} {referent.text} %s or %s")


def choose_pose(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog sitting or standing?"""
    thing = choose_one(rng, [candidate for candidate in finder.facts.things if other_pose(candidate, Random(0))])
    referent = finder.refer(thing, rng, "pose", "sitting on", "riding", "walking")
    if thing is None or referent is None:
        return None
    return _choice(referent, "pose", thing.pose, other_pose(thing, rng), rng, f"{referent.be} {referent.text} %s or %s")


def choose_side(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog on the left or on the right?"""
    thing = choose_one(rng, [one for one in finder.facts.unworn if finder.facts.side(one.object)])
    referent = finder.refer(thing, rng, "hposition")
    if thing is None or referent is None:
        return None
    side = finder.facts.side(thing.object)
    wrong = "left" if side == "right" else "right"
    text = rng.choice(("on the %s or on the %s side of the image", "in the %s or in the %s part of the photo"))
    one, other = _ordered(side, wrong, rng)
    return draft_question(
        "choose side",
        f"{referent.be} {referent.text} " + text % (one, other),
        side,
        add_step(referent.steps, "choose hposition", f"{one}|{other}"),
        f"the middle of {thing.name} {thing.id} is in the {side} half",
        f"{referent.text} {referent.be} on the {side}",
    )


def _choice(
    referent: Referent, attribute: str, right: str, wrong: str, rng: Random, text: str, before: str = ""
) -> QuestionDraft:
    first, second = _ordered(right, wrong, rng)
    return draft_question(
        f"choose {attribute}",
        text % (state_phrase(first), state_phrase(second)),
        right,
        add_step(referent.steps, f"choose {attribute}", f"{first}|{second}"),
        f"{referent.thing.name} {referent.thing.id} is annotated as {right}",
        f"{referent.text} {referent.be} {before}{state_phrase(right)}",
    )


def _ordered(right: str, wrong: str, rng: Random) -> tuple[str, str]:
    return (right, wrong) if flip_coin(rng) else (wrong, right)


def choose_name(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the animal on the couch a cat or a dog?"""
    facts = finder.facts
    rows = [
        (thing, referent) for thing in facts.unworn for referent in finder.all(thing) if "hides name" in referent.tells
    ]
    rows += [(thing, referent) for thing in facts.people for referent in finder.all(thing) if "name" in referent.tells]
    row = choose_one(rng, rows)
    wrong = row and _relative(row[0], facts, rng)
    if row is None or not wrong:
        return None
    thing, referent = row
    first, second = _ordered(thing.name, wrong, rng)
    return draft_question(
        "choose name",
        f"is {referent.text} {a(first)} or {a(second)}",
        thing.name,
        add_step(referent.steps, "choose name", f"{first}|{second}"),
        f"object {thing.id} is {a(thing.name)}",
        f"{referent.text} is {a(thing.name)}",
    )


def _relative(thing: Thing, facts: SceneFacts, rng: Random) -> str:
    """Another kind of the same family that could be here too."""
    weights = {
        name: kind(name).places.get(facts.place, 0)
        for name in family_members(thing.family)
        if name not in (thing.name, *confusable_names(thing.name))
        and not facts.named(name)
        and facts.surely_named(name)
    }
    weights = {name: weight for name, weight in weights.items() if weight}
    return rng.choices(list(weights), list(weights.values()))[0] if weights else ""


def choose_relation(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog to the left or to the right of the bench?"""
    facts = finder.facts
    link = choose_one(
        rng, [one for name in _RIVALS for one in facts.links.get(name, ()) if is_askable_relation(one, facts)]
    )
    pair = refer_to_both(finder, link, rng)
    if link is None or pair is None:
        return None
    one, other = pair
    wrong = _RIVALS[link.name]
    if facts.holds(one.thing, wrong, other.thing):
        return None
    first, second = _ordered(link.name, wrong, rng)
    choices = f"{first.removesuffix(' of')} or {second}" if first.startswith("to the") else f"{first} or {second}"
    answer = {"to the left of": "left", "to the right of": "right"}.get(link.name, link.name)
    return draft_question(
        "choose relation",
        f"{one.be} {one.text} {choices} {other.text}",
        answer,
        relation_program(one, other, f"{first}|{second}", "choose rel"),
        f"{one.thing.name} {one.thing.id} is {link.name} {other.thing.name} {other.thing.id}",
        f"{one.text} {one.be} {link.name} {other.text}",
    )


def choose_action(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the boy kicking or throwing the ball?"""
    facts = finder.facts
    link = choose_one(rng, [action for action in facts.actions if action.name in _CONTRARY_ACTIONS])
    if link is None:
        return None
    one = finder.refer(facts.by_id[link.subject], rng, "relation")
    other = finder.plain(facts.by_id[link.object])
    if one is None or other is None or one.thing.name == other.thing.name:
        return None
    if sum(facts.acts_on(one.thing, thing) for thing in facts.things) != 1:
        return None
    first, second = _ordered(link.name, rng.choice(_CONTRARY_ACTIONS[link.name]), rng)
    return draft_question(
        "choose relation",
        f"is {one.text} {first} or {second} {other.text}",
        link.name,
        relation_program(one, other, f"{first}|{second}", "choose rel"),
        f"{one.thing.name} {one.thing.id} is {link.name} {other.thing.name} {other.thing.id}",
        f"{one.text} is {link.name} {other.text}",
    )


def choose_place(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is this a kitchen or a park?"""
    place = finder.facts.place
    first, second = _ordered(place, other_place(place, rng), rng)
    return draft_question(
        "choose place",
        f"is this {a(first)} or {a(second)}",
        place,
        add_step(SCENE, "choose place", f"{first}|{second}"),
        f"the place of the scene is {place}",
        f"this is {a(place)}",
    )


def choose_location(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is it indoors or outdoors?"""
    right, wrong = ("indoors", "outdoors") if finder.facts.place in INDOORS else ("outdoors", "indoors")
    first, second = _ordered(right, wrong, rng)
    text = rng.choice((f"is it {first} or {second}", f"was this photo taken {first} or {second}"))
    proof = f"the place of the scene is {finder.facts.place}"
    return draft_question(
        "choose place", text, right, add_step(SCENE, "choose location", f"{first}|{second}"), proof, f"it is {right}"
    )


def choose_weather(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is it sunny or rainy?"""
    weather = finder.facts.weather
    if not weather:
        return None
    wrong = other_weather(weather, rng)
    first, second = _ordered(weather, wrong, rng)
    text = rng.choice((f"is it {first} or {second}", f"is the weather {first} or {second}"))
    steps = add_step(SCENE, "choose weather", f"{first}|{second}")
    return draft_question("choose weather", text, weather, steps, f"the weather is {weather}", f"it is {weather}")


def choose_larger(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Which is larger, the dog or the ball?"""
    named = [(thing, finder.plain(thing)) for thing in finder.facts.unworn]
    plain = [(thing, referent) for thing, referent in named if referent is not None]
    pairs = [(big, small) for big in plain for small in plain if _clearly_larger(big[0], small[0])]
    pair = choose_one(rng, pairs)
    if pair is None:
        return None
    (big, big_name), (small, small_name) = pair
    word = rng.choice(("larger", "smaller"))
    first, other = (big_name, small_name) if flip_coin(rng) else (small_name, big_name)
    answer = big.name if word == "larger" else small.name
    second = small.name if word == "larger" else big.name
    return draft_question(
        "compare",
        rng.choice((f"which is {word}, {first.text} or {other.text}", f"what is {word}, {first.text} or {other.text}")),
        answer,
        join_programs(first.steps, other.steps, f"choose {word}"),
        f"{big.name} {big.id} covers more of the picture than {small.name} {small.id}",
        f"the {answer} is {word} than the {second}",
    )


def _clearly_larger(thing: Thing, other: Thing) -> bool:
    """Larger both in the picture and in life."""
    if thing.object.box is None or other.object.box is None or thing.name == other.name:
        return False
    in_life = thing.kind.height * 2 >= other.kind.height * 3
    return in_life and thing.object.box.area >= _MUCH_LARGER * other.object.box.area
