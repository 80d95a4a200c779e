"""Noise in words: ten ways to put a question less well, or otherwise, without changing what is asked.

Each says when it is not applied. None touches numbers, names, the answers that a question offers, quoted words, colors,
directions or words that deny and compare. What is not English, or has no letters, is left as it is.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from random import Random

from counterpoint.language.noise.phrasing import add_fillers, add_politeness, change_case, change_punctuation
from counterpoint.language.noise.protected_words import ProtectedQuestion
from counterpoint.language.noise.reordering import reorder
from counterpoint.language.noise.synonyms import replace_synonym
from counterpoint.language.noise.typos import misspell
from counterpoint.language.tokens import match_case

SEVERITIES = (1, 2, 3)
NO_LETTERS, NOT_ENGLISH = "a text without letters", "a text that is not English"


@dataclass(frozen=True, slots=True)
class NoiseKind:
    """One kind of noise: what it does, when it cannot be applied, and what it makes, the mildest first."""

    name: str
    does: str
    unless: str
    makes: Callable[[ProtectedQuestion, Random], Iterator[str]]


def apply_noise(question: ProtectedQuestion, kind: NoiseKind, rng: Random, most: int = 1) -> list[tuple[int, str]]:
    """What a kind makes of a question at severities from 1, at most so many; nothing that is the question again.

    >>> from counterpoint.core.ids import seeded_rng
    >>> noised(Loose.of("Is there a dog on the couch?"), KINDS[5], seeded_rng(1))
    [(1, 'Is there a dog on the sofa?')]
    """
    made = enumerate(islice(kind.makes(question, rng), most), 1)
    return [(severity, text) for severity, text in made if text != question.wording.text]


def rejection_reason(question: ProtectedQuestion) -> str:
    """Why no noise is applied to a question; empty where some may be."""
    if not any(word[0].isalpha() for word in question.wording.words):
        return NO_LETTERS
    return "" if question.is_english else NOT_ENGLISH


def _misspell_words(question: ProtectedQuestion, rng: Random, slip: str) -> Iterator[str]:
    """One word misspelt, then two, then three, as long as half of the words that may be changed stay."""
    wording, small, changes = question.wording, question.wording.small, dict[int, str]()
    left = [place for place in question.free if misspell(small[place], slip)]
    most = max(1, min(len(left), len(question.free) // 2))
    while len(changes) < most and left:
        place = left.pop(int(rng.random() * len(left)))
        found = misspell(small[place], slip)
        changes[place] = match_case(wording.words[place], found[int(rng.random() * len(found))])
        yield wording.exchanged(changes)


_UNCLEAR = "no word of which a slip leaves no doubt"
_ONE_QUESTION = "more than one sentence, or polite already"
NOISE_KINDS = (
    NoiseKind(
        "typo", "a letter becomes its neighbour on the keyboard", _UNCLEAR, partial(_misspell_words, slip="typo")
    ),
    NoiseKind("transposed", "two letters change places", _UNCLEAR, partial(_misspell_words, slip="transposed")),
    NoiseKind("dropped", "a letter is missing", _UNCLEAR, partial(_misspell_words, slip="dropped")),
    NoiseKind("doubled", "a letter comes twice", _UNCLEAR, partial(_misspell_words, slip="doubled")),
    NoiseKind("order", "a place, a list or two adjectives in another order", "nothing that can be moved", reorder),
    NoiseKind("synonym", "a word or phrase in other words", "nothing of which the sense is clear", replace_synonym),
    NoiseKind("polite", "please and thank you", _ONE_QUESTION, add_politeness),
    NoiseKind("filler", "words of hesitation", "more than one sentence", add_fillers),
    NoiseKind("casing", "capitals and small letters", "a name or abbreviation", change_case),
    NoiseKind("punctuation", "the mark at the end", "another end than a question mark", change_punctuation),
)
"""All kinds, in the order of the docs."""
