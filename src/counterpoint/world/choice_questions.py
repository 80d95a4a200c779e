"""Questions that offer two answers, of which one is right; which comes first is a matter of luck."""

from random import Random
from types import MappingProxyType

from counterpoint.language.english import a
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
from counterpoint.world.question_programs import SCENE, QuestionDraft, add_step, draft_question, join_programs
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


def choose_color(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the cup red or blue?"""
    thing = choose_one(rng, [one for one in namer.facts.things if should_ask_color(one, rng)])
    who = namer.refer(thing, rng, "color")
    wrong = thing and other_color(thing, rng, {thing.color})
    if thing is None or who is None or not wrong:
        return None
    return _choice(who, "color", thing.color, wrong, rng, f"{who.be} {who.text} %s or %s")


def choose_material(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the table made of wood or of metal?"""
    thing = choose_one(rng, [one for one in namer.facts.things if one.material and len(one.kind.materials) > 1])
    who = namer.refer(thing, rng)
    if thing is None or who is None:
        return None
    wrong = other_material(thing, rng)
    return _choice(who, "material", thing.material, wrong, rng, f"{who.be} {who.text} made of %s or %s", "made of ")


def choose_state(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the door open or closed?"""
    row = choose_one(rng, [(thing, state) for thing in namer.facts.things for state in thing.seen_states])
    who = row and namer.refer(row[0], rng, "state")
    if row is None or who is None:
        return None
    return _choice(who, "state", row[1], other_state(row[1]), rng, f"{who.be} {who.text} %s or %s")


def choose_size(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog small or large?"""
    thing = choose_one(rng, [one for one in namer.facts.things if one.size])
    who = namer.refer(thing, rng, "size")
    if thing is None or who is None:
        return None
    wrong = "small" if thing.size == "large" else "large"
    return _choice(who, "size", thing.size, wrong, rng, f"{who.be} {who.text} %s or %s")


def choose_pose(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog sitting or standing?"""
    thing = choose_one(rng, [one for one in namer.facts.things if other_pose(one, Random(0))])
    who = namer.refer(thing, rng, "pose", "sitting on", "riding", "walking")
    if thing is None or who is None:
        return None
    return _choice(who, "pose", thing.pose, other_pose(thing, rng), rng, f"{who.be} {who.text} %s or %s")


def choose_side(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog on the left or on the right?"""
    thing = choose_one(rng, [one for one in namer.facts.unworn if namer.facts.side(one.object)])
    who = namer.refer(thing, rng, "hposition")
    if thing is None or who is None:
        return None
    side = namer.facts.side(thing.object)
    wrong = "left" if side == "right" else "right"
    text = rng.choice(("on the %s or on the %s side of the image", "in the %s or in the %s part of the photo"))
    one, other = _ordered(side, wrong, rng)
    return draft_question(
        "choose side",
        f"{who.be} {who.text} " + text % (one, other),
        side,
        add_step(who.steps, "choose hposition", f"{one}|{other}"),
        f"the middle of {thing.name} {thing.id} is in the {side} half",
        f"{who.text} {who.be} on the {side}",
    )


def _choice(
    who: Referent, what: str, right: str, wrong: str, rng: Random, text: str, before: str = ""
) -> QuestionDraft:
    one, other = _ordered(right, wrong, rng)
    return draft_question(
        f"choose {what}",
        text % (state_phrase(one), state_phrase(other)),
        right,
        add_step(who.steps, f"choose {what}", f"{one}|{other}"),
        f"{who.thing.name} {who.thing.id} is annotated as {right}",
        f"{who.text} {who.be} {before}{state_phrase(right)}",
    )


def _ordered(right: str, wrong: str, rng: Random) -> tuple[str, str]:
    return (right, wrong) if flip_coin(rng) else (wrong, right)


def choose_name(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the animal on the couch a cat or a dog?"""
    facts = namer.facts
    rows = [(thing, who) for thing in facts.unworn for who in namer.all(thing) if "hides name" in who.tells]
    rows += [(thing, who) for thing in facts.people for who in namer.all(thing) if "name" in who.tells]
    row = choose_one(rng, rows)
    wrong = row and _relative(row[0], facts, rng)
    if row is None or not wrong:
        return None
    thing, who = row
    one, other = _ordered(thing.name, wrong, rng)
    return draft_question(
        "choose name",
        f"is {who.text} {a(one)} or {a(other)}",
        thing.name,
        add_step(who.steps, "choose name", f"{one}|{other}"),
        f"object {thing.id} is {a(thing.name)}",
        f"{who.text} is {a(thing.name)}",
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


def choose_relation(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the dog to the left or to the right of the bench?"""
    facts = namer.facts
    link = choose_one(
        rng, [one for name in _RIVALS for one in facts.links.get(name, ()) if is_askable_relation(one, facts)]
    )
    pair = refer_to_both(namer, link, rng)
    if link is None or pair is None:
        return None
    one, other = pair
    wrong = _RIVALS[link.name]
    if facts.holds(one.thing, wrong, other.thing):
        return None
    first, second = _ordered(link.name, wrong, rng)
    said = f"{first.removesuffix(' of')} or {second}" if first.startswith("to the") else f"{first} or {second}"
    answer = {"to the left of": "left", "to the right of": "right"}.get(link.name, link.name)
    return draft_question(
        "choose relation",
        f"{one.be} {one.text} {said} {other.text}",
        answer,
        relation_program(one, other, f"{first}|{second}", "choose rel"),
        f"{one.thing.name} {one.thing.id} is {link.name} {other.thing.name} {other.thing.id}",
        f"{one.text} {one.be} {link.name} {other.text}",
    )


def choose_action(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is the boy kicking or throwing the ball?"""
    facts = namer.facts
    link = choose_one(rng, [one for one in facts.actions if one.name in _CONTRARY_ACTIONS])
    if link is None:
        return None
    one = namer.refer(facts.by_id[link.subject], rng, "relation")
    other = namer.plain(facts.by_id[link.object])
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


def choose_place(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is this a kitchen or a park?"""
    place = namer.facts.place
    first, second = _ordered(place, other_place(place, rng), rng)
    return draft_question(
        "choose place",
        f"is this {a(first)} or {a(second)}",
        place,
        add_step(SCENE, "choose place", f"{first}|{second}"),
        f"the place of the scene is {place}",
        f"this is {a(place)}",
    )


def choose_location(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is it indoors or outdoors?"""
    right, wrong = ("indoors", "outdoors") if namer.facts.place in INDOORS else ("outdoors", "indoors")
    first, second = _ordered(right, wrong, rng)
    text = rng.choice((f"is it {first} or {second}", f"was this photo taken {first} or {second}"))
    proof = f"the place of the scene is {namer.facts.place}"
    return draft_question(
        "choose place", text, right, add_step(SCENE, "choose location", f"{first}|{second}"), proof, f"it is {right}"
    )


def choose_weather(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Is it sunny or rainy?"""
    weather = namer.facts.weather
    if not weather:
        return None
    wrong = other_weather(weather, rng)
    first, second = _ordered(weather, wrong, rng)
    text = rng.choice((f"is it {first} or {second}", f"is the weather {first} or {second}"))
    steps = add_step(SCENE, "choose weather", f"{first}|{second}")
    return draft_question("choose weather", text, weather, steps, f"the weather is {weather}", f"it is {weather}")


def choose_larger(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Which is larger, the dog or the ball?"""
    named = [(thing, namer.plain(thing)) for thing in namer.facts.unworn]
    plain = [(thing, who) for thing, who in named if who is not None]
    pairs = [(big, small) for big in plain for small in plain if _clearly_larger(big[0], small[0])]
    pair = choose_one(rng, pairs)
    if pair is None:
        return None
    (big, big_name), (small, small_name) = pair
    word = rng.choice(("larger", "smaller"))
    one, other = (big_name, small_name) if flip_coin(rng) else (small_name, big_name)
    answer = big.name if word == "larger" else small.name
    second = small.name if word == "larger" else big.name
    return draft_question(
        "compare",
        rng.choice((f"which is {word}, {one.text} or {other.text}", f"what is {word}, {one.text} or {other.text}")),
        answer,
        join_programs(one.steps, other.steps, f"choose {word}"),
        f"{big.name} {big.id} covers more of the picture than {small.name} {small.id}",
        f"the {answer} is {word} than the {second}",
    )


def _clearly_larger(one: Thing, other: Thing) -> bool:
    """Larger both in the picture and in life."""
    if one.object.box is None or other.object.box is None or one.name == other.name:
        return False
    in_life = one.kind.height * 2 >= other.kind.height * 3
    return in_life and one.object.box.area >= _MUCH_LARGER * other.object.box.area
