"""A hundred answers to choose from, of which one is right: like ones, popular ones, and any others."""

from functools import cache
from itertools import product
from random import Random

from counterpoint.language.english import a
from counterpoint.world.actions import ACTIONS
from counterpoint.world.distractors import PLACES
from counterpoint.world.facts import MATERIALS, POSES
from counterpoint.world.kinds import COLORS, kinds

OPTION_COUNT = 100
"""How many answers are offered."""

_POPULAR = (
    *("yes", "no", "yes, it is", "no, it is not", "yes, he is", "no, he is not", "yes, she is", "no, she is not"),
    *(
        "yes, there is",
        "no, i don't",
        "i can't tell",
        "not that i can see",
        "maybe",
        "no, none",
        "none",
        "yes, 1",
        "yes, 2",
    ),
    *("1", "2", "0", "3", "white", "black", "brown", "red", "blue", "green", "left", "right", "indoors", "outdoors"),
)
_LIKE = 40


def answer_options(answer: str, rng: Random) -> tuple[str, ...]:
    """The right answer among ninety-nine others, in a random order."""
    alike = [option for option in _alike(answer) if option != answer]
    chosen = dict.fromkeys(rng.sample(alike, min(_LIKE, len(alike))))
    chosen.update(dict.fromkeys(_POPULAR))
    pool = _pool()
    while len(chosen) < OPTION_COUNT + 1:
        chosen[rng.choice(pool)] = None
    others = [option for option in chosen if option != answer][: OPTION_COUNT - 1]
    listed = [answer, *others]
    rng.shuffle(listed)
    return tuple(listed)


@cache
def _alike(answer: str) -> tuple[str, ...]:
    """Answers to the same sort of question."""
    return next((group for group in _groups() if answer in group), ())


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    colors = tuple(COLORS)
    deeds = tuple(dict.fromkeys(f"{way.name} {a(name)}" for way in ACTIONS for name in way.objects))
    return (
        deeds,
        tuple(f"{it} is {deed}" for it, deed in product(("he", "she"), deeds)),
        (
            *colors,
            *(f"it is {color}" for color in colors),
            "tan",
            "dark green",
            "light blue",
            "black and white",
            "silver",
        ),
        tuple(phrase for n in range(10) for phrase in (str(n), f"i see {n}", f"just {n}", f"yes, {n}")),
        (*PLACES, *(f"no, it is {a(place)}" for place in PLACES), "office", "bathroom", "a city", "hallway", "zoo"),
        (*POSES, "sleeping", "playing", "looking at the camera", "talking", "nothing", "posing", "cooking"),
        (*MATERIALS.values(), "glass", "stone", "cloth", "paper", "leather", "i can't tell what it is made of"),
        ("left", "right", "on the left", "on the right", "in the middle", "in the back", "in front"),
    )


@cache
def _pool() -> tuple[str, ...]:
    return (*(one for group in _groups()[2:] for one in group), *kinds(), *(a(name) for name in kinds()))
