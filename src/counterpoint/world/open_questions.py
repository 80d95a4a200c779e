"""Open questions: of which color, made of what, who, what, where, which side, doing what, how many."""

from random import Random

from counterpoint.language.english import a, be, count, is_countable, plural
from counterpoint.world.distractors import ACTIVITIES, choose_one, should_ask_color
from counterpoint.world.facts import SceneFacts, Thing
from counterpoint.world.kinds import kind
from counterpoint.world.question_programs import (
    SCENE,
    QuestionDraft,
    add_relation,
    add_step,
    draft_question,
    select_objects,
)
from counterpoint.world.referents import ReferentFinder
from counterpoint.world.relation_phrases import place_question_phrase

MOST = 5
"""The highest count that is asked for."""

_OBJECT_QUESTIONS = ("holding", "carrying", "riding", "kicking", "pushing", "throwing", "eating", "reading", "feeding")
_MORE_OBJECT_QUESTIONS = ("drinking from", "flying", "watering", "sitting on", "chasing", "walking")
_CLASS_WORDS = ("animal", "furniture", "vehicle", "fruit", "vegetable", "food", "plant", "toy", "building", "appliance")
_COUNTED_FAMILIES = ("person", "animal", "vehicle")
_RELATIONS_TO = ("on", "under", "in front of", "behind", "to the left of", "to the right of")
_ON_LEGS = ("pants", "shorts", "skirt")


def query_color(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What color is the cup?"""
    thing = choose_one(rng, [one for one in namer.facts.things if should_ask_color(one, rng)])
    who = namer.refer(thing, rng, "color")
    if thing is None or who is None:
        return None
    return draft_question(
        "query color",
        rng.choice(
            (f"what color {who.be} {who.text}", f"what is the color of {who.text}", f"which color {who.be} {who.text}")
        ),
        thing.color,
        add_step(who.steps, "query", "color"),
        f"{thing.name} {thing.id} is annotated as {thing.color}",
        f"{who.text} {who.be} {thing.color}",
    )


def query_material(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is the table made of?"""
    thing = choose_one(rng, [one for one in namer.facts.things if one.material and len(one.kind.materials) > 1])
    who = namer.refer(thing, rng)
    if thing is None or who is None:
        return None
    return draft_question(
        "query material",
        rng.choice((f"what {who.be} {who.text} made of", f"what material {who.be} {who.text} made of")),
        thing.material,
        add_step(who.steps, "query", "material"),
        f"{thing.name} {thing.id} is annotated as made of {thing.material}",
        f"{who.text} {who.be} made of {thing.material}",
    )


def query_side(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """On which side of the photo is the dog?"""
    thing = choose_one(rng, [one for one in namer.facts.unworn if namer.facts.side(one.object)])
    who = namer.refer(thing, rng, "hposition")
    if thing is None or who is None:
        return None
    side = namer.facts.side(thing.object)
    return draft_question(
        "query side",
        rng.choice(
            (f"on which side of the photo {who.be} {who.text}", f"which side of the image {who.be} {who.text} on")
        ),
        side,
        add_step(who.steps, "query", "hposition"),
        f"the middle of {thing.name} {thing.id} is in the {side} half",
        f"{who.text} {who.be} on the {side} side",
    )


def query_activity(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is the woman doing?"""
    facts = namer.facts
    rows = [(one, activity(facts, one)) for one in facts.things if one.is_person or one.family == "animal"]
    row = choose_one(rng, [(one, doing) for one, doing in rows if doing])
    who = row and namer.refer(row[0], rng, "pose", "relation")
    if row is None or who is None:
        return None
    thing, doing = row
    return draft_question(
        "query activity",
        f"what is {who.text} doing",
        doing,
        add_step(who.steps, "query", "activity"),
        f"{thing.name} {thing.id} is annotated as {doing}",
        f"{who.text} is {doing}",
    )


def activity(facts: SceneFacts, thing: Thing) -> str:
    """What someone is doing, in one word, where it is one thing only."""
    links = [link for link in facts.scene.relations_of(thing.id) if link in facts.actions]
    if not links:
        return thing.pose
    words = {ACTIVITIES.get(link.name, "") for link in links}
    return words.pop() if len(words) == 1 else ""


def query_object(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is the man holding?"""
    facts = namer.facts
    link = choose_one(rng, [one for one in facts.actions if one.name in (*_OBJECT_QUESTIONS, *_MORE_OBJECT_QUESTIONS)])
    if link is None:
        return None
    who = namer.refer(facts.by_id[link.subject], rng, link.name, "relation")
    thing = facts.by_id[link.object]
    if who is None or len(facts.objects_of(who.thing, link.name)) != 1 or not _answers(thing, facts):
        return None
    family = thing.family if thing.family in _CLASS_WORDS and rng.random() < 0.25 else ""
    what = f"what kind of {family}" if family else "what"
    if link.name == "chasing" and thing.is_person:
        what = "who"
    return draft_question(
        "query name",
        f"{what} is {who.text} {link.name}",
        thing.name,
        add_step(add_relation(who.steps, family or "_", link.name, "o", [thing.id]), "query", "name"),
        f"{who.thing.name} {who.thing.id} is {link.name} {thing.name} {thing.id}",
        f"{who.text} is {link.name} {a(thing.name)}",
    )


def query_agent(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Who is holding the umbrella?"""
    facts = namer.facts
    worn = facts.links.get("wearing", ()) if len(facts.people) > 1 else ()
    links = [one for one in (*facts.actions, *worn) if facts.by_id[one.subject].is_person]
    link = choose_one(rng, links)
    if link is None:
        return None
    agent, thing = facts.by_id[link.subject], facts.by_id[link.object]
    what = namer.refer(thing, rng, link.name, "relation", "wearing", "hides name")
    if what is None or len(facts.subjects_of(link.name, thing)) != 1:
        return None
    return draft_question(
        "query name",
        f"who is {link.name} {what.text}",
        agent.name,
        add_step(add_relation(what.steps, "person", link.name, "s", [agent.id]), "query", "name"),
        f"{agent.name} {agent.id} is {link.name} {thing.name} {thing.id}",
        f"the {agent.name} is {link.name} {what.text}",
    )


def query_worn(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is the man wearing on his legs?"""
    facts = namer.facts
    rows = [(person, one) for one in facts.things if one.name in _ON_LEGS and (person := facts.wearer(one))]
    row = choose_one(rng, rows)
    who = row and namer.refer(row[0], rng, "wearing")
    if row is None or who is None:
        return None
    person, garment = row
    his = "his" if person.name in ("man", "boy") else "her"
    clothes = facts.objects_of(person, "wearing")
    steps = add_relation(who.steps, "clothing", "wearing", "o", [one.id for one in clothes])
    return draft_question(
        "query name",
        f"what is {who.text} wearing on {his} legs",
        garment.name,
        add_step(add_step(steps, "filter worn", "legs"), "query", "name"),
        f"{person.name} {person.id} wears {garment.name} {garment.id}",
        f"{who.text} is wearing {a(garment.name).removeprefix('some ')}",
    )


def query_related(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is on the table? What kind of animal is to the left of the bench?"""
    facts = namer.facts
    link = choose_one(rng, [one for name in _RELATIONS_TO for one in facts.links.get(name, ())])
    if link is None:
        return None
    thing, anchor = facts.by_id[link.subject], facts.by_id[link.object]
    where = namer.refer(anchor, rng, link.name, "relation", "hposition", thing.name, "hides name")
    if where is None or thing.is_worn or not _answers(thing, facts):
        return None
    rows = [one for one in facts.subjects_of(link.name, anchor) if not one.is_worn]
    family = thing.family if thing.family in (*_CLASS_WORDS, "person") else ""
    if len(rows) == 1 and link.name in ("on", "under") and not thing.is_person:
        family, text = rng.choice([("_", "what"), (family, f"what kind of {family}")] if family else [("_", "what")])
    elif family and sum(one.family == family for one in rows) == 1 and facts.clear_family(family):
        text = "who" if family == "person" else f"{rng.choice(('what', 'which'))} kind of {family}"
    else:
        return None
    return draft_question(
        "query name",
        f"{text} is {link.name} {where.text}",
        thing.name,
        add_step(add_relation(where.steps, family, link.name, "s", [thing.id]), "query", "name"),
        f"only {thing.name} {thing.id} is {link.name} {anchor.name} {anchor.id}",
        f"{the_or_a(thing, facts)} is {link.name} {where.text}",
    )


def query_quality(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Which kind of furniture is green?"""
    facts = namer.facts
    thing = choose_one(rng, [one for one in facts.unworn if one.family in _CLASS_WORDS and one.seen_color])
    if thing is None or not _answers(thing, facts) or not facts.clear_family(thing.family):
        return None
    relatives = facts.by_family[thing.family]
    fitting = [one for one in relatives if one.color == thing.color]
    if len(fitting) != 1 or len(relatives) < 2 or not all(one.seen_color for one in relatives):
        return None
    steps = add_step(select_objects(thing.family, [one.id for one in relatives]), "filter color", thing.color)
    return draft_question(
        "query name",
        rng.choice((f"which kind of {thing.family} is {thing.color}", f"what kind of {thing.family} is {thing.color}")),
        thing.name,
        add_step(steps, "query", "name"),
        f"of this kind only {thing.name} {thing.id} is {thing.color}",
        f"the {thing.name} is {thing.color}",
    )


def query_animal(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What animal is this? Asked where there is one alone."""
    facts = namer.facts
    found = facts.by_family.get("animal", ())
    if len(found) != 1 or not facts.clear_family("animal"):
        return None
    name = found[0].name
    return draft_question(
        "query name",
        "what kind of animal is in this photo",
        name,
        add_step(select_objects("animal", [found[0].id]), "query", "name"),
        f"the only animal is {name} {found[0].id}",
        f"the animal is {a(name)}",
    )


def query_support(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Where is the cat? Answered by what it is on."""
    facts = namer.facts
    links = [link for link in facts.links.get("on", ()) if not facts.by_id[link.subject].is_worn]
    link = choose_one(rng, links)
    who = namer.refer(facts.by_id[link.subject] if link else None, rng, "relation")
    if link is None or who is None or len(facts.objects_of(who.thing, "on")) != 1:
        return None
    below = facts.by_id[link.object]
    return draft_question(
        "query support",
        f"what {who.be} {who.text} on",
        below.name,
        add_step(add_relation(who.steps, "_", "on", "o", [below.id]), "query", "name"),
        f"{who.thing.name} {who.thing.id} is on {below.name} {below.id}",
        f"{who.text} {who.be} on the {below.name}",
    )


def query_place(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Where was this picture taken?"""
    place = namer.facts.place
    text = rng.choice(("where was this picture taken", "which place is this", "what kind of place is this"))
    steps = add_step(SCENE, "query", "place")
    return draft_question(
        "query place",
        text,
        place,
        steps,
        f"the place of the scene is {place}",
        f"it was taken {place_question_phrase(place)}",
    )


def query_weather(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """How is the weather?"""
    weather = namer.facts.weather
    if not weather:
        return None
    text = rng.choice(("how is the weather", "what is the weather like"))
    return draft_question(
        "query weather",
        text,
        weather,
        add_step(SCENE, "query", "weather"),
        f"the weather is {weather}",
        f"it is {weather}",
    )


def count_things(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """How many dogs are there?"""
    facts = namer.facts
    options: dict[int, list[str]] = {0: [name for name in (next(facts.absent(rng), ""),) if name and _is_counted(name)]}
    for name, things in facts.by_name.items():
        if not things[0].is_worn and is_countable(name) and facts.surely_counted(name):
            options.setdefault(len(things), []).append(name)
    for family in _COUNTED_FAMILIES:
        if family in facts.by_family and facts.clear_family(family):
            options.setdefault(len(facts.by_family[family]), []).append(family)
    numbers = [n for n, names in options.items() if names and n <= MOST]
    if not numbers:
        return None
    number = rng.choice(sorted(numbers))
    name = rng.choice(options[number])
    found = facts.called(name)
    return draft_question(
        "count",
        rng.choice(
            (
                f"how many {plural(name)} are there",
                f"how many {plural(name)} do you see",
                f"how many {plural(name)} are in this image",
            )
        ),
        str(number),
        add_step(select_objects(name, [one.id for one in found]), "count"),
        f"{count(number, name)} {be(number)} annotated",
        f"there {be(number)} {count(number, name) if number else 'no ' + plural(name)}",
    )


def _is_counted(name: str) -> bool:
    return is_countable(name) and kind(name).spot != "worn"


def count_related(namer: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """How many cups are on the table?"""
    facts = namer.facts
    link = choose_one(rng, facts.links.get("on", ()))
    where = namer.refer(facts.by_id[link.object] if link else None, rng, "on", "relation", "hides name")
    if link is None or where is None:
        return None
    name = facts.by_id[link.subject].name
    found = [one for one in facts.subjects_of("on", where.thing) if one.name == name]
    if not is_countable(name) or len(found) > MOST or len(facts.named(name)) < 2:
        return None
    return draft_question(
        "count",
        f"how many {plural(name)} are on {where.text}",
        str(len(found)),
        add_step(add_relation(where.steps, name, "on", "s", [one.id for one in found]), "count"),
        f"{count(len(found), name)} {be(len(found))} annotated on {where.thing.name} {where.thing.id}",
        f"there {be(len(found))} {count(len(found), name)} on {where.text}",
    )


def the_or_a(thing: Thing, facts: SceneFacts) -> str:
    """ "the cup" where there is one, else "a cup"."""
    return f"the {thing.name}" if len(facts.named(thing.name)) == 1 else a(thing.name)


def _answers(thing: Thing, facts: SceneFacts) -> bool:
    return not thing.is_worn and thing.name != "picture"
