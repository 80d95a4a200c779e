"""A question in other words, to be asked beside it: each rewrite that fits, each kind of noise, a word exchanged."""

from collections.abc import Iterator
from dataclasses import dataclass

from counterpoint.core.ids import seeded_rng
from counterpoint.language.lexicon.attributes import attribute_classes, classes_of
from counterpoint.language.noise.kinds import NOISE_KINDS, apply_noise, rejection_reason
from counterpoint.language.noise.protected_words import ProtectedQuestion
from counterpoint.language.sears import apply_sears
from counterpoint.language.tokens import TokenizedText, match_case

MOST_OTHERS = 12
"""Words that are offered in the place of one."""


@dataclass(frozen=True, slots=True)
class Rewording:
    """A text that is asked beside another: where it comes from, what was done, and whether its answer must stay."""

    family: str
    name: str
    does: str
    text: str


@dataclass(frozen=True, slots=True)
class SwappableWord:
    """A word of the question, and words of the same class that could stand in its place."""

    word: str
    others: tuple[str, ...]


def list_rewordings(
    question: str, *, swap: str = "", into: str = "", severity: int = 1, draw: int = 1
) -> list[Rewording]:
    """What can be made of a question: first the exchange that is asked for, then the rewrites, then noise in words.

    >>> [one.text for one in reworded("What color is the car?", swap="car", into="bus")][:3]
    ['What color is the bus?', 'Which color is the car?', 'What colour is the car?']
    """
    found = [*_swapped(question, swap, into)]
    found += [Rewording("SEAR", rule.name, rule.description, text) for rule, text in apply_sears(question)]
    return [*found, *_noised(question, severity, draw)]


def swappable_words(question: str) -> list[SwappableWord]:
    """The words of a question, each once, with others of their class.

    >>> swappable("Is the door open?")[-1].others[:1]
    ('closed',)
    """
    small = dict.fromkeys(word for word in TokenizedText.of(question).lower if word[0].isalpha())
    return [SwappableWord(word, _others(word)) for word in small]


def noise_rejection(question: str) -> str:
    """Why there is no noise in the words of a question; empty where there may be some."""
    return rejection_reason(ProtectedQuestion.of(question)) if question.strip() else ""


def _others(word: str) -> tuple[str, ...]:
    own = (value[0] for name in classes_of(word) for value in attribute_classes()[name].values if word not in value)
    return tuple(dict.fromkeys(own))[:MOST_OTHERS]


def _swapped(question: str, swap: str, into: str) -> Iterator[Rewording]:
    tokens = TokenizedText.of(question)
    places = [place for place, word in enumerate(tokens.lower) if word == swap.strip().lower()]
    if places and into.strip():
        text = tokens.replace({place: match_case(tokens.words[place], into.strip()) for place in places})
        if text != question:
            yield Rewording("swap", f"{swap.strip()} → {into.strip()}", "a word exchanged", text)


def _noised(question: str, severity: int, draw: int) -> Iterator[Rewording]:
    loose = ProtectedQuestion.of(question)
    if not question.strip() or rejection_reason(loose):
        return
    for kind in NOISE_KINDS:
        made = apply_noise(loose, kind, seeded_rng("play", question, kind.name, draw), most=severity)
        if made:
            yield Rewording("word noise", kind.name, kind.description, made[-1][1])
