"""A question in other words: SEARs that apply, each kind of word noise, and a word swapped for another."""

from collections.abc import Iterator
from dataclasses import dataclass

from counterpoint.core.ids import seeded_rng
from counterpoint.language.lexicon.attributes import attribute_classes, classes_of
from counterpoint.language.noise.kinds import NOISE_KINDS, apply_noise, rejection_reason
from counterpoint.language.noise.protected_words import ProtectedQuestion
from counterpoint.language.sears import apply_sears
from counterpoint.language.tokens import TokenizedText, match_case

MAX_ALTERNATIVES = 12
"""Words that are offered in place of one."""


@dataclass(frozen=True, slots=True)
class Rewording:
    """A text derived from the question: by which family of edits, by which edit, and what it does."""

    family: str
    name: str
    does: str
    text: str


@dataclass(frozen=True, slots=True)
class SwappableWord:
    """A word of the question, and words of the same attribute class that can replace it."""

    word: str
    others: tuple[str, ...]


def list_rewordings(
    question: str, *, swap: str = "", into: str = "", severity: int = 1, seed: int = 1
) -> list[Rewording]:
    """All rewordings: first the swap, then the SEARs that apply, then noise in words.

    >>> [rewording.text for rewording in list_rewordings("What color is the car?", swap="car", into="bus")][:3]
    ['What color is the bus?', 'Which color is the car?', 'What colour is the car?']
    """
    sears = (Rewording("SEAR", rule.name, rule.description, text) for rule, text in apply_sears(question))
    return [*_swaps(question, swap, into), *sears, *_noise(question, severity, seed)]


def swappable_words(question: str) -> list[SwappableWord]:
    """The distinct words of a question, each with its alternatives.

    >>> swappable_words("Is the door open?")[-1].others[:1]
    ('closed',)
    """
    words = dict.fromkeys(word for word in TokenizedText.of(question).lower if word[0].isalpha())
    return [SwappableWord(word, _alternatives(word)) for word in words]


def noise_rejection(question: str) -> str:
    """The reason why a question gets no word noise; empty if it does."""
    return rejection_reason(ProtectedQuestion.of(question)) if question.strip() else ""


def _alternatives(word: str) -> tuple[str, ...]:
    values = (value[0] for name in classes_of(word) for value in attribute_classes()[name].values if word not in value)
    return tuple(dict.fromkeys(values))[:MAX_ALTERNATIVES]


def _swaps(question: str, swap: str, into: str) -> Iterator[Rewording]:
    tokens = TokenizedText.of(question)
    places = [place for place, word in enumerate(tokens.lower) if word == swap.strip().lower()]
    if places and into.strip():
        text = tokens.replace({place: match_case(tokens.words[place], into.strip()) for place in places})
        if text != question:
            yield Rewording("swap", f"{swap.strip()} → {into.strip()}", "one word replaced", text)


def _noise(question: str, severity: int, seed: int) -> Iterator[Rewording]:
    protected = ProtectedQuestion.of(question)
    if not question.strip() or rejection_reason(protected):
        return
    for kind in NOISE_KINDS:
        steps = apply_noise(protected, kind, seeded_rng("play", question, kind.name, seed), most=severity)
        if steps:
            yield Rewording("word noise", kind.name, kind.description, steps[-1][1])
