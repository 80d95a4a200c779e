"""Word noise: ten kinds of perturbation of a question that keep its meaning.

No kind touches numbers, names, offered answers, quoted words, colors, directions, negations or comparisons. Texts that
are not English, or have no letters, are rejected.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import islice
from random import Random

from counterpoint.language.english import article
from counterpoint.language.lexicon.senses import curated_names
from counterpoint.language.lexicon.vocabulary import is_word, possible_readings
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.language.noise.phrasing import add_fillers, add_politeness, change_case, change_punctuation, reorder
from counterpoint.language.noise.protected_words import ProtectedQuestion
from counterpoint.language.nouns import is_plural, plural, singular
from counterpoint.language.tokens import is_noun, match_case

LONGEST = 3
"""The words of the longest phrase in the list."""


def replace_synonym(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Replace one word or phrase by a synonym; never a part of a longer name, nor an offered answer.

    A synonym that the question already contains is not used: a lady beside a woman stays a lady.
    """
    phrases = [phrase for phrase in _replaceable_phrases(question) if _is_editable(question, *phrase[:2])]
    if not phrases:
        return
    index, length, synonyms = phrases[int(rng.random() * len(phrases))]
    synonym = synonyms[int(rng.random() * len(synonyms))]
    tokens = question.tokens
    replacements = dict.fromkeys(range(index, index + length), "")
    replacements[index] = match_case(tokens.words[index], synonym)
    if index and tokens.lower[index - 1] in ("a", "an"):
        replacements[index - 1] = match_case(tokens.words[index - 1], article(synonym))
    yield tokens.replace(replacements)


def _replaceable_phrases(question: ProtectedQuestion) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Index, length and synonyms of each phrase that has any, the longest match at each index."""
    lower, end = question.tokens.lower, 0
    for index in range(len(lower)):
        if index < end or lower[index] not in _first_words():
            continue
        for length in range(min(LONGEST, len(lower) - index), 0, -1):
            phrase = " ".join(lower[index : index + length])
            synonyms = _phrases().get(phrase) or _nouns(phrase)
            synonyms = tuple(synonym for synonym in synonyms if synonym not in lower)
            tags = (*question.tokens.tags, "")[index + length - 1 : index + length + 1]
            is_head = is_noun(tags[0]) and not is_noun(tags[1])  # "baby" in "baby elephant" is none
            if synonyms and (phrase in _phrases() or is_head):
                yield index, length, synonyms
                end = index + length
                break


def _is_editable(question: ProtectedQuestion, index: int, length: int) -> bool:
    lower = question.tokens.lower
    if not set(range(index, index + length)) <= set(question.editable):
        return False
    longer = ((index - 1, index + length), (index, index + length + 1))
    phrases = (" ".join(lower[start:end]) for start, end in longer if start >= 0 and end <= len(lower))
    return not any(singular(phrase) in curated_names() for phrase in phrases)


@cache
def _nouns(phrase: str) -> tuple[str, ...]:
    """Synonyms of a noun, in its grammatical number."""
    table: Mapping[str, str] = word_table("noise")["synonyms"]["nouns"]
    if phrase in table:
        return split_list(table[phrase])
    noun = singular(phrase)
    if noun == phrase or noun not in table or not is_plural(phrase):
        return ()
    return tuple(plural(synonym) for synonym in split_list(table[noun]))


@cache
def _phrases() -> Mapping[str, tuple[str, ...]]:
    return {phrase: split_list(others) for phrase, others in word_table("noise")["synonyms"]["phrases"].items()}


@cache
def _first_words() -> frozenset[str]:
    """The first words of all phrases that have synonyms."""
    nouns: Mapping[str, str] = word_table("noise")["synonyms"]["nouns"]
    return frozenset(phrase.split()[0] for phrase in (*_phrases(), *nouns, *map(plural, nouns)))


SHORTEST = 4
"""The letters of the shortest word that is misspelled; one more where a letter is dropped."""


@lru_cache(1 << 15)
def misspell(word: str, typo: str) -> tuple[str, ...]:
    """The misspellings of a lowercase word by a kind of typo that can be read as this word only.

    A misspelling is not a word itself, and no other everyday word is within one edit of it. First and last letters
    stay, but the last may be doubled. Short and unknown words have no misspellings.

    >>> misspell("people", "transposed"), misspell("where", "dropped")
    (('poeple', 'pepole', 'peolpe'), ())
    """
    if len(word) < SHORTEST + (typo == "dropped") or not (word.isascii() and word.isalpha() and is_word(word)):
        return ()
    texts = dict.fromkeys(text for start, end in _splits(word, typo) for text in TYPOS[typo](start, end))
    return tuple(text for text in texts if text != word and not is_word(text) and possible_readings(text) <= {word})


def _splits(word: str, typo: str) -> Iterator[tuple[str, str]]:
    """A word in two, before each letter that may be changed."""
    last = {"transposed": len(word) - 2, "doubled": len(word)}.get(typo, len(word) - 1)
    return ((word[:index], word[index:]) for index in range(1, last))


@cache
def _keyboard() -> Mapping[str, str]:
    """The neighbours of each key on the keyboard, whose rows are each shifted by half a key."""
    rows = split_list(word_table("noise")["keys"])
    neighbours: dict[str, str] = {}
    for number, row in enumerate(rows):
        above, below = rows[number - 1] if number else "", rows[number + 1] if number + 1 < len(rows) else ""
        for index, key in enumerate(row):
            beside = row[max(0, index - 1) : index] + row[index + 1 : index + 2]
            neighbours[key] = beside + above[index : index + 2] + below[max(0, index - 1) : index + 1]
    return neighbours


TYPOS: Mapping[str, Callable[[str, str], Iterable[str]]] = {
    "typo": lambda start, end: [start + key + end[1:] for key in _keyboard()[end[0]]],
    "transposed": lambda start, end: [start + end[1] + end[0] + end[2:]],
    "dropped": lambda start, end: [start + end[1:]],
    "doubled": lambda start, end: [start + end[0] + end] if end[0] not in (start[-1], end[1:2]) else [],
}
"""The kinds of typos: a neighbouring key, two letters transposed, a letter dropped, a letter doubled."""


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
_TYPOS = {
    "typo": "a letter becomes its neighbour on the keyboard",
    "transposed": "two letters change places",
    "dropped": "a letter is missing",
    "doubled": "a letter comes twice",
}
NOISE_KINDS = (
    *(NoiseKind(name, what, _UNCLEAR, partial(_misspell_words, typo=name)) for name, what in _TYPOS.items()),
    NoiseKind("order", "a place, a list or two adjectives in another order", "nothing can be moved", reorder),
    NoiseKind("synonym", "a word or phrase in other words", "no word has an unambiguous synonym", replace_synonym),
    NoiseKind("polite", "please and thank you", _ONE_QUESTION, add_politeness),
    NoiseKind("filler", "filler words", "more than one sentence", add_fillers),
    NoiseKind("casing", "letter case", "a name or abbreviation", change_case),
    NoiseKind("punctuation", "the mark at the end", "it does not end in one question mark", change_punctuation),
)
"""All kinds of noise, in the order of the docs."""
