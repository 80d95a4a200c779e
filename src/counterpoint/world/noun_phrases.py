"""Noun phrases for things as people mention them first: "a man in a red shirt", "an open umbrella", "three ducks"."""

from collections.abc import Sequence
from random import Random
from types import MappingProxyType

from counterpoint.language.english import a, count, is_countable, is_pair, plural
from counterpoint.world.facts import SceneFacts, Thing

_STATES_SAID = frozenset(
    {"open", "closed", "full", "empty", "lit", "dirty", "broken", "sliced", "bare", "wilted", "overturned", "striped"}
)
_SEEN_CLOTHES = ("jacket", "shirt", "dress", "hat", "scarf", "pants", "shorts", "skirt")
_AT = MappingProxyType({"beach": "at the beach", "farm": "on a farm", "street": "on the street"})
_DAYS = MappingProxyType({"sunny": "on a sunny day", "cloudy": "on a cloudy day", "rainy": "on a rainy day"})


def adjectives(thing: Thing, rng: Random, most: int = 2) -> list[str]:
    """Some of what can be said before the noun, in the order of English: size, state, color, material."""
    words = [
        *([thing.size] if thing.size else []),
        *[state for state in thing.seen_states if state in _STATES_SAID],
        *([thing.seen_color] if thing.seen_color else []),
        *([{"wood": "wooden"}.get(thing.material, thing.material)] if thing.material else []),
    ]
    chosen = sorted(rng.sample(range(len(words)), min(rng.randint(0, most), len(words))))
    return [words[place] for place in chosen]


def noun_phrase(thing: Thing, facts: SceneFacts, rng: Random, most: int = 2) -> str:
    """A thing at its first mention, with some of what can be seen of it."""
    if thing.is_person:
        return f"{a(thing.name)}{clothing_phrase(thing, facts, rng)}" if most else a(thing.name)
    words = " ".join([*adjectives(thing, rng, most), thing.name])
    return a(words) if not is_pair(thing.name) else words


def clothing_phrase(person: Thing, facts: SceneFacts, rng: Random) -> str:
    """What a person can be known by: " in a red shirt", or nothing."""
    clothes = [one for one in facts.objects_of(person, "wearing") if one.name in _SEEN_CLOTHES and one.seen_color]
    if not clothes or rng.random() < 0.35:
        return ""
    garment = rng.choice(clothes)
    words = f"{garment.seen_color} {garment.name}"
    if "striped" in garment.seen_states and rng.random() < 0.5:
        words = f"striped {garment.name}"
    return f" {rng.choice(('in', 'wearing'))} {words if is_pair(garment.name) else a(words)}"


def count_phrase(things: Sequence[Thing]) -> str:
    """All things of one name: "a dog", "three ducks"."""
    name = things[0].name
    if len(things) == 1 or not is_countable(name):
        return a(name)
    return count(len(things), name) if len(things) <= 4 else f"several {plural(name)}"


def place_phrase(facts: SceneFacts) -> str:
    """The place: in a kitchen, at the beach."""
    return _AT.get(facts.place, f"in {a(facts.place)}")


def weather_phrase(facts: SceneFacts) -> str:
    """The weather: on a rainy day; nothing indoors."""
    return _DAYS.get(facts.weather, "")
