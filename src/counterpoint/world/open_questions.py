"""Open questions: of which color, made of what, who, what, where, which side, doing what, how many."""

from random import Random

from counterpoint.language.english import a, be, count, is_countable, plural
from counterpoint.scenes.programs import add_relation, add_step, select_objects
from counterpoint.world.distractors import ACTIVITIES, choose_one, should_ask_color
from counterpoint.world.facts import SceneFacts, Thing
from counterpoint.world.kinds import kind
from counterpoint.world.question_programs import SCENE, QuestionDraft, draft_question
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


def query_color(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What color is the cup?"""
    thing = choose_one(rng, [candidate for candidate in finder.facts.things if should_ask_color(candidate, rng)])
    referent = finder.refer(thing, rng, "color")
    if thing is None or referent is None:
        return None
    return draft_question(
        "query color",
        rng.choice(
            (
                f"what color {referent.be} {referent.text}",
                f"what is the color of {referent.text}",
                f"which color {referent.be} {referent.text}",
            )
        ),
        thing.color,
        add_step(referent.steps, "query", "color"),
        f"{thing.name} {thing.id} is annotated as {thing.color}",
        f"{referent.text} {referent.be} {thing.color}",
    )


def query_material(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is the table made of?"""
    thing = choose_one(
        rng,
        [candidate for candidate in finder.facts.things if candidate.material and len(candidate.kind.materials) > 1],
    )
    referent = finder.refer(thing, rng)
    if thing is None or referent is None:
        return None
    return draft_question(
        "query material",
        rng.choice(
            (f"what {referent.be} {referent.text} made of", f"what material {referent.be} {referent.text} made of")
        ),
        thing.material,
        add_step(referent.steps, "query", "material"),
        f"{thing.name} {thing.id} is annotated as made of {thing.material}",
        f"{referent.text} {referent.be} made of {thing.material}",
    )


def query_side(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """On which side of the photo is the dog?"""
    thing = choose_one(rng, [candidate for candidate in finder.facts.unworn if finder.facts.side(candidate.object)])
    referent = finder.refer(thing, rng, "hposition")
    if thing is None or referent is None:
        return None
    side = finder.facts.side(thing.object)
    return draft_question(
        "query side",
        rng.choice(
            (
                f"on which side of the photo {referent.be} {referent.text}",
                f"which side of the image {referent.be} {referent.text} on",
            )
        ),
        side,
        add_step(referent.steps, "query", "hposition"),
        f"the middle of {thing.name} {thing.id} is in the {side} half",
        f"{referent.text} {referent.be} on the {side} side",
    )


def query_activity(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is the woman doing?"""
    facts = finder.facts
    rows = [(one, activity(facts, one)) for one in facts.things if one.is_person or one.family == "animal"]
    row = choose_one(rng, [(one, doing) for one, doing in rows if doing])
    referent = row and finder.refer(row[0], rng, "pose", "relation")
    if row is None or referent is None:
        return None
    thing, doing = row
    return draft_question(
        "query activity",
        f"what is {referent.text} doing",
        doing,
        add_step(referent.steps, "query", "activity"),
        f"{thing.name} {thing.id} is annotated as {doing}",
        f"{referent.text} is {doing}",
    )


def activity(facts: SceneFacts, thing: Thing) -> str:
    """What someone is doing, in one word, where it is one thing only."""
    links = [link for link in facts.scene.relations_of(thing.id) if link in facts.actions]
    if not links:
        return thing.pose
    words = {ACTIVITIES.get(link.name, "") for link in links}
    return words.pop() if len(words) == 1 else ""


def query_object(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is the man holding?"""
    facts = finder.facts
    link = choose_one(
        rng,
        [candidate for candidate in facts.actions if candidate.name in (*_OBJECT_QUESTIONS, *_MORE_OBJECT_QUESTIONS)],
    )
    if link is None:
        return None
    referent = finder.refer(facts.by_id[link.subject], rng, link.name, "relation")
    thing = facts.by_id[link.object]
    if referent is None or len(facts.objects_of(referent.thing, link.name)) != 1 or not _answers(thing, facts):
        return None
    family = thing.family if thing.family in _CLASS_WORDS and rng.random() < 0.25 else ""
    question_word = f"what kind of {family}" if family else "what"
    if link.name == "chasing" and thing.is_person:
        question_word = "who"
    return draft_question(
        "query name",
        f"{question_word} is {referent.text} {link.name}",
        thing.name,
        add_step(add_relation(referent.steps, family or "_", link.name, "o", [thing.id]), "query", "name"),
        f"{referent.thing.name} {referent.thing.id} is {link.name} {thing.name} {thing.id}",
        f"{referent.text} is {link.name} {a(thing.name)}",
    )


def query_agent(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Who is holding the umbrella?"""
    facts = finder.facts
    worn = facts.links.get("wearing", ()) if len(facts.people) > 1 else ()
    links = [candidate for candidate in (*facts.actions, *worn) if facts.by_id[candidate.subject].is_person]
    link = choose_one(rng, links)
    if link is None:
        return None
    agent, thing = facts.by_id[link.subject], facts.by_id[link.object]
    object_referent = finder.refer(thing, rng, link.name, "relation", "wearing", "hides name")
    if object_referent is None or len(facts.subjects_of(link.name, thing)) != 1:
        return None
    return draft_question(
        "query name",
        f"who is {link.name} {object_referent.text}",
        agent.name,
        add_step(add_relation(object_referent.steps, "person", link.name, "s", [agent.id]), "query", "name"),
        f"{agent.name} {agent.id} is {link.name} {thing.name} {thing.id}",
        f"the {agent.name} is {link.name} {object_referent.text}",
    )


def query_worn(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is the man wearing on his legs?"""
    facts = finder.facts
    rows = [
        (person, garment_worn)
        for garment_worn in facts.things
        if garment_worn.name in _ON_LEGS and (person := facts.wearer(garment_worn))
    ]
    row = choose_one(rng, rows)
    referent = row and finder.refer(row[0], rng, "wearing")
    if row is None or referent is None:
        return None
    person, garment = row
    his = "his" if person.name in ("man", "boy") else "her"
    clothes = facts.objects_of(person, "wearing")
    steps = add_relation(referent.steps, "clothing", "wearing", "o", [garment_worn.id for garment_worn in clothes])
    return draft_question(
        "query name",
        f"what is {referent.text} wearing on {his} legs",
        garment.name,
        add_step(add_step(steps, "filter worn", "legs"), "query", "name"),
        f"{person.name} {person.id} wears {garment.name} {garment.id}",
        f"{referent.text} is wearing {a(garment.name).removeprefix('some ')}",
    )


def query_related(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What is on the table? What kind of animal is to the left of the bench?"""
    facts = finder.facts
    link = choose_one(rng, [candidate for name in _RELATIONS_TO for candidate in facts.links.get(name, ())])
    if link is None:
        return None
    thing, anchor = facts.by_id[link.subject], facts.by_id[link.object]
    where = finder.refer(anchor, rng, link.name, "relation", "hposition", thing.name, "hides name")
    if where is None or thing.is_worn or not _answers(thing, facts):
        return None
    rows = [candidate for candidate in facts.subjects_of(link.name, anchor) if not candidate.is_worn]
    family = thing.family if thing.family in (*_CLASS_WORDS, "person") else ""
    if len(rows) == 1 and link.name in ("on", "under") and not thing.is_person:
        family, text = rng.choice([("_", "what"), (family, f"what kind of {family}")] if family else [("_", "what")])
    elif family and sum(candidate.family == family for candidate in rows) == 1 and facts.clear_family(family):
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


def query_quality(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Which kind of furniture is green?"""
    facts = finder.facts
    thing = choose_one(
        rng, [candidate for candidate in facts.unworn if candidate.family in _CLASS_WORDS and candidate.seen_color]
    )
    if thing is None or not _answers(thing, facts) or not facts.clear_family(thing.family):
        return None
    relatives = facts.by_family[thing.family]
    fitting = [candidate for candidate in relatives if candidate.color == thing.color]
    if len(fitting) != 1 or len(relatives) < 2 or not all(candidate.seen_color for candidate in relatives):
        return None
    steps = add_step(
        select_objects(thing.family, [candidate.id for candidate in relatives]), "filter color", thing.color
    )
    return draft_question(
        "query name",
        rng.choice((f"which kind of {thing.family} is {thing.color}", f"what kind of {thing.family} is {thing.color}")),
        thing.name,
        add_step(steps, "query", "name"),
        f"of this kind only {thing.name} {thing.id} is {thing.color}",
        f"the {thing.name} is {thing.color}",
    )


def query_animal(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """What animal is this? Asked where there is one alone."""
    facts = finder.facts
    animals = facts.by_family.get("animal", ())
    if len(animals) != 1 or not facts.clear_family("animal"):
        return None
    name = animals[0].name
    return draft_question(
        "query name",
        "what kind of animal is in this photo",
        name,
        add_step(select_objects("animal", [animals[0].id]), "query", "name"),
        f"the only animal is {name} {animals[0].id}",
        f"the animal is {a(name)}",
    )


def query_support(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Where is the cat? Answered by what it is on."""
    facts = finder.facts
    links = [link for link in facts.links.get("on", ()) if not facts.by_id[link.subject].is_worn]
    link = choose_one(rng, links)
    referent = finder.refer(facts.by_id[link.subject] if link else None, rng, "relation")
    if link is None or referent is None or len(facts.objects_of(referent.thing, "on")) != 1:
        return None
    below = facts.by_id[link.object]
    return draft_question(
        "query support",
        f"what {referent.be} {referent.text} on",
        below.name,
        add_step(add_relation(referent.steps, "_", "on", "o", [below.id]), "query", "name"),
        f"{referent.thing.name} {referent.thing.id} is on {below.name} {below.id}",
        f"{referent.text} {referent.be} on the {below.name}",
    )


def query_place(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """Where was this picture taken?"""
    place = finder.facts.place
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


def query_weather(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """How is the weather?"""
    weather = finder.facts.weather
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


def count_things(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """How many dogs are there?"""
    facts = finder.facts
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
        add_step(select_objects(name, [thing.id for thing in found]), "count"),
        f"{count(number, name)} {be(number)} annotated",
        f"there {be(number)} {count(number, name) if number else 'no ' + plural(name)}",
    )


def _is_counted(name: str) -> bool:
    return is_countable(name) and kind(name).spot != "worn"


def count_related(finder: ReferentFinder, rng: Random) -> QuestionDraft | None:
    """How many cups are on the table?"""
    facts = finder.facts
    link = choose_one(rng, facts.links.get("on", ()))
    where = finder.refer(facts.by_id[link.object] if link else None, rng, "on", "relation", "hides name")
    if link is None or where is None:
        return None
    name = facts.by_id[link.subject].name
    things = [thing for thing in facts.subjects_of("on", where.thing) if thing.name == name]
    if not is_countable(name) or len(things) > MOST or len(facts.named(name)) < 2:
        return None
    return draft_question(
        "count",
        f"how many {plural(name)} are on {where.text}",
        str(len(things)),
        add_step(add_relation(where.steps, name, "on", "s", [thing.id for thing in things]), "count"),
        f"{count(len(things), name)} {be(len(things))} annotated on {where.thing.name} {where.thing.id}",
        f"there {be(len(things))} {count(len(things), name)} on {where.text}",
    )


def the_or_a(thing: Thing, facts: SceneFacts) -> str:
    """ "the cup" where there is one, else "a cup"."""
    return f"the {thing.name}" if len(facts.named(thing.name)) == 1 else a(thing.name)


def _answers(thing: Thing, facts: SceneFacts) -> bool:
    return not thing.is_worn and thing.name != "picture"
