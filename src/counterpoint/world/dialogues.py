"""A dialogue about a picture, in VisDial's manner: a caption, then ten short questions and answers by two people.

The one who asks has read the caption only, and says "it", "he" or "she" of what was spoken of last.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import TypeAlias

from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.scenes import Scene
from counterpoint.language.english import a, be, is_countable, plural
from counterpoint.world.answer_options import answer_options
from counterpoint.world.captions import captions
from counterpoint.world.distractors import other_color, other_place, other_pose, other_weather, state_phrase
from counterpoint.world.facts import SceneFacts, Thing
from counterpoint.world.scene_sampling import INDOORS

TURNS = 10
"""How many questions are asked in a dialogue."""

_Exchange: TypeAlias = tuple[str, str]
_PERSONAL = ("hat", "scarf", "glasses", "jacket")


def dialogue(scene: Scene, rng: Random) -> Dialogue:
    """Ten exchanges about a scene, with a hundred answers to choose from for each question."""
    facts = SceneFacts(scene)
    caption = captions(scene, rng)[0].text.removesuffix(".").lower()
    turns: list[Turn] = []
    for question, answer in _talk(facts, caption, rng):
        if all(turn.question != question for turn in turns) and not facts.names_hidden(question, answer):
            turns.append(Turn(question, answer, answer_options(answer, rng)))
        if len(turns) == TURNS:
            break
    assert len(turns) == TURNS, f"scene {scene.id} is too bare for a dialogue"
    return Dialogue(f"{scene.id}-dialogue", scene.picture, caption, tuple(turns))


def _talk(facts: SceneFacts, caption: str, rng: Random) -> Iterator[_Exchange]:
    """First about what the caption names, then about the picture, then about what else turned up."""
    single = [one for one in facts.unworn if len(facts.named(one.name)) == 1 and one.name not in facts.hidden_names]
    topics = [thing for thing in single if thing.name in caption]
    rest = [thing for thing in single if thing not in topics]
    general = _general(facts, rng)
    for thing in topics[:2]:
        yield from _about(thing, facts, rng)
        yield from general[:1]
        general = general[1:]
    yield from general[:3]
    for thing in rng.sample(rest, len(rest)):
        yield f"is there {a(thing.name)}", _agreed("yes", "there is", rng)
        yield from _about(thing, facts, rng)
    yield from general[3:]
    yield from _denials(facts, rng)


def _about(thing: Thing, facts: SceneFacts, rng: Random) -> Iterator[_Exchange]:
    """Up to three questions about one thing: the first by its name, the others by a pronoun."""
    makers: tuple[Callable[[Thing, SceneFacts, Random], tuple[str, str]], ...] = (
        (_wearing, _doing, _posing, _side) if thing.is_person else (_color, _state, _posing, _material, _side, _size)
    )
    exchanges = [row for row in (maker(thing, facts, rng) for maker in rng.sample(makers, len(makers))) if row[0]]
    for place, (question, answer) in enumerate(exchanges[:3]):
        yield question.format(it=f"the {thing.name}" if place == 0 else _pronoun(thing)), answer


def _pronoun(thing: Thing) -> str:
    return {"man": "he", "boy": "he", "woman": "she", "girl": "she"}.get(thing.name, "it")


def _agreed(word: str, more: str, rng: Random) -> str:
    return word if rng.random() < 0.6 else f"{word}, {more}"


def _said(truth: bool, thing: Thing, rng: Random) -> str:
    it = _pronoun(thing)
    return _agreed("yes", f"{it} is", rng) if truth else _agreed("no", f"{it} is not", rng)


def _color(thing: Thing, facts: SceneFacts, rng: Random) -> _Exchange:
    if not thing.seen_color:
        return "", ""
    other = other_color(thing, rng, {thing.color})
    if other and rng.random() < 0.3:
        truth = rng.random() < 0.5
        return f"is {{it}} {thing.color if truth else other}", _said(truth, thing, rng)
    return "what color is {it}", rng.choice((thing.color, f"it is {thing.color}"))


def _state(thing: Thing, facts: SceneFacts, rng: Random) -> _Exchange:
    if not thing.seen_states:
        return "", ""
    state = rng.choice(thing.seen_states)
    pair = next(pair for pair in thing.kind.states if state in pair)
    asked = rng.choice(pair)
    return f"is {{it}} {state_phrase(asked)}", _said(asked == state, thing, rng)


def _material(thing: Thing, facts: SceneFacts, rng: Random) -> _Exchange:
    return ("what is {it} made of", thing.material) if thing.material else ("", "")


def _size(thing: Thing, facts: SceneFacts, rng: Random) -> _Exchange:
    if not thing.size:
        return "", ""
    asked = rng.choice(("small", "large"))
    return f"is {{it}} {asked}", _said(asked == thing.size, thing, rng)


def _posing(thing: Thing, facts: SceneFacts, rng: Random) -> _Exchange:
    other = other_pose(thing, rng)
    if not other or facts.is_busy(thing):
        return "", ""
    truth = rng.random() < 0.5
    return f"is {{it}} {thing.pose if truth else other}", _said(truth, thing, rng)


def _side(thing: Thing, facts: SceneFacts, rng: Random) -> _Exchange:
    side = facts.side(thing.object)
    return ("is {it} on the left or on the right", rng.choice((side, f"on the {side}"))) if side else ("", "")


def _wearing(thing: Thing, facts: SceneFacts, rng: Random) -> _Exchange:
    worn = facts.objects_of(thing, "wearing")
    colored = [one for one in worn if one.seen_color and one.name in ("shirt", "dress", "jacket", "pants", "hat")]
    if colored and rng.random() < 0.4:
        garment = rng.choice(colored)
        verb = be(garment.name)
        return f"what color {verb} the {garment.name} that {{it}} is wearing", garment.color
    name = rng.choice(_PERSONAL)
    truth = any(one.name == name for one in worn)
    return f"is {{it}} wearing {a(name).removeprefix('some ')}", _said(truth, thing, rng)


def _doing(thing: Thing, facts: SceneFacts, rng: Random) -> _Exchange:
    links = [link for link in facts.scene.relations_of(thing.id) if link in facts.actions]
    if len(links) != 1:
        return ("what is {it} doing", thing.pose) if thing.pose and not links else ("", "")
    other = facts.by_id[links[0].object]
    return "what is {it} doing", rng.choice(
        (f"{links[0].name} {a(other.name)}", f"{_pronoun(thing)} is {links[0].name} {a(other.name)}")
    )


def _general(facts: SceneFacts, rng: Random) -> list[_Exchange]:
    """Questions about the picture as a whole, in a random order."""
    people, animals = len(facts.people), len(facts.by_family.get("animal", ()))
    place = other_place(facts.place, rng)
    indoors = facts.place in INDOORS
    exchanges: list[_Exchange] = [
        ("how many people are there", _number(people, rng)),
        ("is this indoors or outdoors", "indoors" if indoors else "outdoors"),
        (f"is this {a(place)}", _agreed("no", f"it is {a(facts.place)}", rng)),
        ("what room is this" if indoors else "where is this", facts.place),
    ]
    if facts.clear_family("animal"):
        exchanges.append(
            ("are there any animals", _agreed("yes", str(animals), rng) if animals else _agreed("no", "none", rng))
        )
    if facts.weather:
        asked = rng.choice((facts.weather, other_weather(facts.weather, rng)))
        truth = asked == facts.weather
        exchanges.append(
            (f"is the weather {asked}", _agreed("yes", "it is", rng) if truth else _agreed("no", "it is not", rng))
        )
    several = [name for name, things in facts.by_name.items() if len(things) > 1 and is_countable(name)]
    several = [name for name in several if facts.surely_named(name) and not facts.named(name)[0].is_worn]
    exchanges += [(f"how many {plural(name)} are there", _number(len(facts.named(name)), rng)) for name in several[:2]]
    return rng.sample(exchanges, len(exchanges))


def _number(n: int, rng: Random) -> str:
    if n == 0:
        return rng.choice(("0", "none"))
    return rng.choice((str(n), f"i see {n}", f"just {n}" if n == 1 else str(n)))


def _denials(facts: SceneFacts, rng: Random) -> Iterator[_Exchange]:
    """Questions after what is not there; there are always enough of these."""
    for name in facts.absent(rng):
        yield f"do you see {a(name).replace('some ', 'any ')}", _agreed("no", "i don't", rng)
