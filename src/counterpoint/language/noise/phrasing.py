"""Noise in phrasing: politeness, fillers, letter case and punctuation."""

from collections.abc import Iterator
from functools import cache
from random import Random

from counterpoint.language.lexicon.vocabulary import everyday_words
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.language.noise.protected_words import MARKS, ProtectedQuestion

_DETERMINERS = frozenset(split_list("the, a, an, this, these, that, those, his, her, their"))
_COURTESY = frozenset(split_list("please, thanks, thank, hello, hi, sorry, kindly"))


def add_politeness(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Add "please", then a request before the question, then greeting and thanks; none where it is polite already."""
    if not _COURTESY.isdisjoint(question.tokens.lower) or not question.is_single:
        return
    for number, form in enumerate(word_table("noise")["polite"]):
        body = _lowercase_start(question, question.body) if number else question.body
        yield form.format(question=body, mark=question.mark)


def add_fillers(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Add a filler before the question, then one inside it, then one after it."""
    if not question.is_single:
        return
    opening, inner, closing = [_draw_filler(kind, rng) for kind in ("opening", "inner", "closing")]
    yield f"{opening}, {_lowercase_start(question, question.body)}{question.mark}"
    filled = _insert_filler(question, inner)
    if filled is None:
        return
    body = f"{opening}, {_lowercase_start(question, filled.rstrip(MARKS))}"
    yield body + question.mark
    yield f"{body}, {closing}{question.mark}"


def change_case(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Change the first letter's case, then capitalize each word, then all letters."""
    tokens = question.tokens
    if not question.is_lowercase:
        return
    lower = tokens.text[:1].lower() + tokens.text[1:]
    yield lower if lower != tokens.text else tokens.text[:1].upper() + tokens.text[1:]
    yield tokens.replace({index: word[:1].upper() + word[1:] for index, word in enumerate(tokens.words)})
    yield tokens.text.upper()


def change_punctuation(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Remove the question mark (or add one, without one), then write three marks, then mixed ones."""
    text = question.tokens.text
    body = text.rstrip().rstrip(MARKS).rstrip()
    if text.strip() != text or text[len(body) :] not in ("", "?", " ?"):
        return
    yield body if body != text else f"{body}?"
    yield f"{body}???"
    yield f"{body} ?!?"


def _lowercase_start(question: ProtectedQuestion, text: str) -> str:
    """The text with a lowercase first letter, unless it may begin with a name."""
    first = question.tokens.words[0] if question.tokens.words else ""
    return text[:1].lower() + text[1:] if first != "I" and first.lower() in everyday_words() else text


def _insert_filler(question: ProtectedQuestion, filler: str) -> str | None:
    """The text with a filler before the last noun phrase that does not begin it."""
    tokens = question.tokens
    indices = [
        index
        for index in range(2, len(tokens.words) - 1)
        if tokens.lower[index] in _DETERMINERS and tokens.lower[index - 1][0].isalpha()
    ]
    if not indices:
        return None
    end = tokens.end(indices[-1] - 1)
    return f"{tokens.text[:end]}, {filler},{tokens.text[end:]}"


@cache
def _fillers(kind: str) -> tuple[str, ...]:
    return split_list(word_table("noise")["fillers"][kind])


def _draw_filler(kind: str, rng: Random) -> str:
    fillers = _fillers(kind)
    return fillers[int(rng.random() * len(fillers))]
