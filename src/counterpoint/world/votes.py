"""Ten answers as ten people would give them: most agree, some use another word, and now and then one is wrong."""

from collections.abc import Mapping
from random import Random
from types import MappingProxyType

from counterpoint.language.english import number_value, number_word

VOTERS = 10
"""How many people answer each question."""

_SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "couch": ("sofa", "loveseat"),
        "bicycle": ("bike",),
        "motorcycle": ("motorbike", "bike"),
        "man": ("guy", "person", "adult"),
        "woman": ("lady", "person", "girl"),
        "boy": ("kid", "child", "little boy"),
        "girl": ("kid", "child", "little girl"),
        "television": ("tv", "screen"),
        "refrigerator": ("fridge",),
        "phone": ("telephone", "cell phone"),
        "cup": ("mug", "glass"),
        "picture": ("painting", "frame"),
        "box": ("crate", "package"),
        "rabbit": ("bunny",),
        "chicken": ("hen", "bird"),
        "duck": ("bird", "goose"),
        "bird": ("pigeon", "seagull"),
        "donut": ("doughnut",),
        "street light": ("lamp", "light"),
        "traffic light": ("stoplight", "light"),
        "potted plant": ("plant",),
        "palm tree": ("tree", "palm"),
        "bush": ("plant", "shrub"),
        "laptop": ("computer",),
        "stool": ("chair",),
        "bottle": ("wine bottle", "glass bottle"),
        "pot": ("pan", "saucepan"),
        "backpack": ("bag",),
        "suitcase": ("luggage", "bag"),
        "teddy bear": ("bear", "stuffed animal"),
        "ball": ("beach ball", "toy"),
        "frisbee": ("disc",),
        "cabinet": ("cupboard", "dresser"),
        "pants": ("jeans", "trousers"),
        "living room": ("lounge", "family room"),
        "street": ("road", "city", "outside"),
        "garden": ("yard", "backyard"),
        "park": ("outside", "field"),
        "farm": ("field", "countryside"),
        "beach": ("ocean", "seaside"),
        "wood": ("wooden",),
        "sunny": ("clear", "nice"),
        "cloudy": ("overcast",),
        "rainy": ("raining", "wet"),
        "lying": ("laying down", "resting"),
        "sitting": ("sitting down", "resting"),
        "standing": ("standing still", "nothing"),
        "running": ("jogging", "playing"),
        "walking": ("going somewhere",),
        "waving": ("saying hi", "greeting"),
        "drinking": ("drinking water",),
        "eating": ("having a snack",),
        "throwing": ("playing",),
        "kicking": ("playing soccer", "playing"),
        "red": ("dark red", "maroon"),
        "orange": ("red", "tan"),
        "yellow": ("gold",),
        "green": ("dark green",),
        "blue": ("navy", "light blue"),
        "purple": ("violet", "blue"),
        "pink": ("light red", "rose"),
        "brown": ("tan", "dark brown"),
        "black": ("dark gray",),
        "white": ("off white", "cream"),
        "gray": ("grey", "silver"),
        "asleep": ("sleeping",),
        "lit": ("on",),
        "unlit": ("off",),
        "closed": ("shut",),
        "overturned": ("upside down",),
    }
)
_OPPOSITE = MappingProxyType({"yes": "no", "no": "yes", "left": "right", "right": "left"})
_DISSENT = (46, 26, 14, 9, 5)
"""How often none, one, two, three or four of the ten say something else."""


def votes(answer: str, rng: Random) -> tuple[str, ...]:
    """Ten answers of which most, and always more than of any other, are the right one."""
    dissent = rng.choices(range(len(_DISSENT)), _DISSENT)[0]
    others = [rng.choice(_others(answer)) for _ in range(min(dissent, _most(answer)))]
    answers = [answer] * (VOTERS - len(others)) + others
    rng.shuffle(answers)
    return tuple(answers)


def _most(answer: str) -> int:
    """Plain mistakes are rarer than other words for the same."""
    return 2 if answer in _OPPOSITE else 4


def _others(answer: str) -> tuple[str, ...]:
    if answer in _OPPOSITE:
        return (_OPPOSITE[answer],)
    number = number_value(answer)
    if number is not None:
        near = [str(n) for n in (number - 1, number + 1) if n >= 0] if number > 1 else []
        return (*near, number_word(number), *(("none",) if number == 0 else ()))
    return _SYNONYMS.get(answer, ("not sure", "unknown"))
