"""Five captions of a picture, as five people would write them: each true, each about something else."""

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from counterpoint.core.items import Caption
from counterpoint.core.scenes import Link, Scene
from counterpoint.language.english import be, join_list, sentence
from counterpoint.world.facts import SceneFacts, Thing
from counterpoint.world.noun_phrases import count_phrase, noun_phrase, place_phrase, weather_phrase

MANY = 5
"""How many captions a picture has."""
LENGTH = range(6, 17)
"""How many words a caption has."""

_SMALL_WORDS = frozenset({"a", "an", "is", "are", "there", "of", "with", "and", "in", "on", "the", "some"})
_Writer: TypeAlias = Callable[[SceneFacts, Random], str]
_SIDES = ("to the left of", "to the right of", "in front of", "behind", "near", "on", "under", "above")
_POSE_VERBS = ("standing", "sitting", "lying", "running", "walking", "eating", "flying", "jumping", "waving")


def captions(scene: Scene, rng: Random) -> tuple[Caption, ...]:
    """Five different sentences about a scene."""
    facts = SceneFacts(scene)
    texts: list[str] = []
    for attempt in range(200):
        writer = rng.choices(_WRITERS, _WEIGHTS)[0] if attempt < 150 else _inventory
        text = sentence(writer(facts, rng))
        if (
            len(text.split()) in LENGTH
            and not facts.names_hidden(text)
            and not any(_repeats(text, other, attempt < 80) for other in texts)
        ):
            texts.append(text)
        if len(texts) == MANY:
            break
    assert len(texts) == MANY, f"scene {scene.id} is too bare for {MANY} captions"
    return tuple(Caption(f"{scene.id}-caption-{place}", scene.picture, text) for place, text in enumerate(texts))


def _repeats(text: str, other: str, strictly: bool) -> bool:
    """Whether two captions say much the same."""
    one, two = (frozenset(said.lower().rstrip(".").split()) - _SMALL_WORDS for said in (text, other))
    return 10 * len(one & two) > 5 * len(one | two) if strictly else one == two


def _action(facts: SceneFacts, rng: Random) -> str:
    """A man in a red shirt is riding a horse."""
    if not facts.actions:
        return ""
    link = rng.choice(facts.actions)
    agent = noun_phrase(facts.by_id[link.subject], facts, rng)
    patient = noun_phrase(facts.by_id[link.object], facts, rng)
    verb = rng.choice((link.name, f"is {link.name}"))
    return _ended(f"{agent} {verb} {patient}", facts, rng)


def _pose(facts: SceneFacts, rng: Random) -> str:
    """A brown dog is lying to the left of a bench."""
    idle = [one for one in facts.unworn if one.pose in _POSE_VERBS and not facts.is_busy(one)]
    if not idle:
        return ""
    thing = rng.choice(idle)
    links = [link for link in facts.scene.relations_of(thing.id) if link.name in _SIDES[:6] and _tellable(link, facts)]
    start = f"{noun_phrase(thing, facts, rng)} {rng.choice(('', 'is '))}{thing.pose}"
    if links and rng.random() < 0.7:
        link = rng.choice(links)
        return _ended(f"{start} {link.name} {noun_phrase(facts.by_id[link.object], facts, rng)}", facts, rng)
    return f"{start} {_around(facts, rng)}"


def _relation(facts: SceneFacts, rng: Random) -> str:
    """There is a red cup on a wooden table."""
    links = [link for name in _SIDES for link in facts.links.get(name, ()) if _tellable(link, facts)]
    if not links:
        return ""
    link = rng.choice(links)
    one, other = facts.by_id[link.subject], facts.by_id[link.object]
    subject, object_ = noun_phrase(one, facts, rng), noun_phrase(other, facts, rng)
    name = rng.choice(("near", "next to", "beside")) if link.name == "near" else link.name
    form = rng.choice(("there {be} {one} {name} {other}", "{one} {name} {other}", "{one} {be} {name} {other}"))
    return _ended(form.format(be=be(one.name), one=subject, name=name, other=object_), facts, rng)


def _inventory(facts: SceneFacts, rng: Random) -> str:
    """A kitchen with a table, two chairs, and an oven."""
    names = sorted({thing.name for thing in facts.unworn} - facts.hidden_names)
    chosen = rng.sample(names, min(len(names), rng.randint(2, 4)))
    things = join_list([count_phrase(facts.named(name)) for name in chosen])
    place = facts.place
    sky = f"{facts.weather} " if facts.weather and rng.random() < 0.4 else ""
    return rng.choice(
        (
            f"a {sky}{place} with {things}",
            f"a picture of {things} {place_phrase(facts)}",
            f"{things} {place_phrase(facts)}",
            f"{things} can be seen {place_phrase(facts)}",
            f"a {sky}{place} scene with {things}",
        )
    )


def _portrait(facts: SceneFacts, rng: Random) -> str:
    """A striped kite and a girl in a green dress at the beach."""
    if len(facts.unworn) < 2:
        return ""
    things = rng.sample(facts.unworn, 2)
    if things[0].name == things[1].name:
        return ""
    both = join_list([noun_phrase(thing, facts, rng) for thing in things])
    return rng.choice((f"{both} {_around(facts, rng)}", f"there is {both} {place_phrase(facts)}", f"a photo of {both}"))


def _single(facts: SceneFacts, rng: Random) -> str:
    """The brown door of this bedroom is open."""
    describable = [
        one for one in facts.unworn if (one.seen_states or one.seen_color) and len(facts.named(one.name)) == 1
    ]
    if not describable:
        return ""
    thing = rng.choice(describable)
    verb = rng.choice(("is seen", "can be seen")) if be(thing.name) == "is" else "can be seen"
    return f"{noun_phrase(thing, facts, rng, 3)} {verb} {_around(facts, rng)}"


def _around(facts: SceneFacts, rng: Random) -> str:
    """Where, and sometimes in which weather."""
    day = weather_phrase(facts)
    return f"{place_phrase(facts)} {day}" if day and rng.random() < 0.4 else place_phrase(facts)


def _ended(text: str, facts: SceneFacts, rng: Random) -> str:
    """A sentence with or without its place; one that is too short gets it."""
    if len(text.split()) < LENGTH.start or rng.random() < 0.45:
        return f"{text} {_around(facts, rng)}"
    return text


def _tellable(link: Link, facts: SceneFacts) -> bool:
    one, other = facts.by_id[link.subject], facts.by_id[link.object]
    return not one.is_worn and not other.is_worn and one.name != other.name and not _seated(one, link)


def _seated(one: Thing, link: Link) -> bool:
    return one.is_person and link.name == "on"


_WRITERS: tuple[_Writer, ...] = (_action, _pose, _relation, _inventory, _portrait, _single)
_WEIGHTS = (6, 3, 5, 4, 3, 1)
