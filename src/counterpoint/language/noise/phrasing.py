"""Ways of putting a question that say nothing more: politeness, fillers, capitals and marks at its end."""

from collections.abc import Iterator
from functools import cache
from random import Random

from counterpoint.language.lexicon.vocabulary import everyday_words
from counterpoint.language.lexicon.word_lists import split_list, word_table
from counterpoint.language.noise.protected_words import MARKS, ProtectedQuestion

_BEFORE = frozenset(split_list("the, a, an, this, these, that, those, his, her, their"))
_COURTESY = frozenset(split_list("please, thanks, thank, hello, hi, sorry, kindly"))


def add_politeness(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """With "please", with a request before it, with greeting and thanks; not where it is polite already."""
    if not _COURTESY.isdisjoint(question.wording.small) or not question.is_single:
        return
    text, mark = question.bare, question.mark
    for number, form in enumerate(word_table("noise")["polite"]):
        yield form.format(question=_lowercase_start(question, text) if number else text, mark=mark)


def add_fillers(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """With a word of hesitation before it, one inside it, one behind it."""
    if not question.is_single:
        return
    opening, inner, closing = [_draw_filler(kind, rng) for kind in ("opening", "inner", "closing")]
    text, mark = question.bare, question.mark
    begun = f"{opening}, {_lowercase_start(question, text)}"
    yield begun + mark
    within = _insert_filler(question, inner)
    if within is None:
        return
    begun = f"{opening}, {_lowercase_start(question, within.rstrip(MARKS))}"
    yield begun + mark
    yield f"{begun}, {closing}{mark}"


def change_case(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """In small letters (or with a capital, if it is so already), each word with a capital, all in capitals."""
    text = question.wording.text
    if not question.is_plain:
        return
    small = text[:1].lower() + text[1:]
    yield small if small != text else text[:1].upper() + text[1:]
    yield question.wording.exchanged(
        {place: word[:1].upper() + word[1:] for place, word in enumerate(question.wording.words)}
    )
    yield text.upper()


def change_punctuation(question: ProtectedQuestion, rng: Random) -> Iterator[str]:
    """Without the mark at its end (or with one, if it has none), with three marks, with mixed ones."""
    text = question.wording.text
    bare = text.rstrip().rstrip(MARKS).rstrip()
    if text.strip() != text or text[len(bare) :] not in ("", "?", " ?"):
        return
    yield bare if bare != text else f"{bare}?"
    yield f"{bare}???"
    yield f"{bare} ?!?"


def _lowercase_start(question: ProtectedQuestion, text: str) -> str:
    """The text with a small letter at its start, unless a name may stand there."""
    first = question.wording.words[0] if question.wording.words else ""
    return text[:1].lower() + text[1:] if first != "I" and first.lower() in everyday_words() else text


def _insert_filler(question: ProtectedQuestion, filler: str) -> str | None:
    """The text with a filler before the last noun phrase that does not begin it."""
    wording = question.wording
    places = [place for place, word in enumerate(wording.small) if place > 1 and word in _BEFORE]
    places = [place for place in places if wording.small[place - 1][0].isalpha() and place + 1 < len(wording.words)]
    if not places:
        return None
    end = wording.end(places[-1] - 1)
    return f"{wording.text[:end]}, {filler},{wording.text[end:]}"


@cache
def _fillers(kind: str) -> tuple[str, ...]:
    return split_list(word_table("noise")["fillers"][kind])


def _draw_filler(kind: str, rng: Random) -> str:
    fillers = _fillers(kind)
    return fillers[int(rng.random() * len(fillers))]
