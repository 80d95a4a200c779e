"""Word noise: ten kinds of perturbation of a question that keep its meaning.

No kind touches numbers, names, offered answers, quoted words, colors, directions, negations or comparisons. Texts that
are not English, or have no letters, are rejected.
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
    """A kind of noise: what it does, why it may not apply, and a generator of texts by rising severity."""

    name: str
    description: str
    rejection: str  # the reason where it does not apply
    generate: Callable[[ProtectedQuestion, Random], Iterator[str]]


def apply_noise(question: ProtectedQuestion, kind: NoiseKind, rng: Random, most: int = 1) -> list[tuple[int, str]]:
    """The noisy texts of a kind with their severities, from 1 to `most`, without texts equal to the question.

    >>> from counterpoint.core.ids import seeded_rng
    >>> apply_noise(ProtectedQuestion.of("Is there a dog on the couch?"), NOISE_KINDS[5], seeded_rng(1))
    [(1, 'Is there a dog on the sofa?')]
    """
    texts = enumerate(islice(kind.generate(question, rng), most), 1)
    return [(severity, text) for severity, text in texts if text != question.tokens.text]


def rejection_reason(question: ProtectedQuestion) -> str:
    """Why no noise applies to a question; empty where some may."""
    if not any(word[0].isalpha() for word in question.tokens.words):
        return NO_LETTERS
    return "" if question.is_english else NOT_ENGLISH


def _misspell_words(question: ProtectedQuestion, rng: Random, typo: str) -> Iterator[str]:
    """Misspell one word, then two, then three, but at most half of the editable words."""
    tokens, lower, replacements = question.tokens, question.tokens.lower, dict[int, str]()
    indices = [index for index in question.editable if misspell(lower[index], typo)]
    most = max(1, min(len(indices), len(question.editable) // 2))
    while len(replacements) < most and indices:
        index = indices.pop(int(rng.random() * len(indices)))
        misspellings = misspell(lower[index], typo)
        replacements[index] = match_case(tokens.words[index], misspellings[int(rng.random() * len(misspellings))])
        yield tokens.replace(replacements)


_UNCLEAR = "no word stays unambiguous when misspelled"
_ONE_QUESTION = "more than one sentence, or polite already"
NOISE_KINDS = (
    NoiseKind(
        "typo", "a letter becomes its neighbour on the keyboard", _UNCLEAR, partial(_misspell_words, typo="typo")
    ),
    NoiseKind("transposed", "two letters change places", _UNCLEAR, partial(_misspell_words, typo="transposed")),
    NoiseKind("dropped", "a letter is missing", _UNCLEAR, partial(_misspell_words, typo="dropped")),
    NoiseKind("doubled", "a letter comes twice", _UNCLEAR, partial(_misspell_words, typo="doubled")),
    NoiseKind("order", "a place, a list or two adjectives in another order", "nothing can be moved", reorder),
    NoiseKind("synonym", "a word or phrase in other words", "no word has an unambiguous synonym", replace_synonym),
    NoiseKind("polite", "please and thank you", _ONE_QUESTION, add_politeness),
    NoiseKind("filler", "filler words", "more than one sentence", add_fillers),
    NoiseKind("casing", "letter case", "a name or abbreviation", change_case),
    NoiseKind("punctuation", "the mark at the end", "it does not end in one question mark", change_punctuation),
)
"""All kinds of noise, in the order of the docs."""
