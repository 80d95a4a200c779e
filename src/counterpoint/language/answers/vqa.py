"""Answer normalization of the official VQA evaluation: articles, numbers, punctuation, contractions."""

import re
from functools import cache, lru_cache
from importlib.resources import files

from counterpoint.language.numbers import number_word

_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_ARTICLES = frozenset({"a", "an", "the"})
_NUMBERS = {"none": "0"} | {number_word(n): str(n) for n in range(11)}
_DIGIT_COMMA = re.compile(r"\d,\d")
_PERIOD = re.compile(r"\.(?!\d)")
_MOST_PERIODS = 32  # the official code passes the Unicode flag, 32, as the count of substitutions


@lru_cache(1 << 16)
def normalize_vqa(text: str) -> str:
    """Normalize an answer by the steps of the official code.

    Punctuation beside a space is removed, other punctuation becomes a space, and all is removed where a comma stands
    between digits; colons and apostrophes stay. Periods are removed unless a digit follows.

    >>> normalize_vqa("The  two dogs, dont they?")
    "2 dogs don't they"
    >>> normalize_vqa("10,000"), normalize_vqa("3.5 ft."), normalize_vqa("t-shirt")
    ('10000', '3.5 ft', 't shirt')
    """
    text = strip_whitespace(text)
    dropped = bool(_DIGIT_COMMA.search(text))
    changed = text
    for sign in filter(text.__contains__, _PUNCTUATION):
        beside_a_space = f"{sign} " in text or f" {sign}" in text
        changed = changed.replace(sign, "" if dropped or beside_a_space else " ")
    changed = _PERIOD.sub("", changed, count=_MOST_PERIODS)
    words = [_NUMBERS.get(word, word) for word in changed.lower().split()]
    return " ".join(_contractions().get(word, word) for word in words if word not in _ARTICLES)


@lru_cache(1 << 16)
def strip_whitespace(text: str) -> str:
    """An answer on one line, without surrounding whitespace."""
    return text.replace("\n", " ").replace("\t", " ").strip()


@cache
def _contractions() -> dict[str, str]:
    """Contractions by their spellings without an apostrophe."""
    listed = (files("counterpoint.language.answers") / "contractions.txt").read_text("utf-8").split()
    contractions = {"somebody'd": "somebodyd"}  # reversed in the official table
    for whole in listed:
        apostrophes = [index for index, char in enumerate(whole) if char == "'"]
        contractions |= {whole[:index] + whole[index + 1 :]: whole for index in apostrophes}
    return contractions
