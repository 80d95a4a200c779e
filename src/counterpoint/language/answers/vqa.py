"""Answers of many people made comparable, as the evaluation of VQA does it: articles, numbers, signs, contractions."""

import re
from functools import cache, lru_cache
from importlib.resources import files

from counterpoint.language.numbers import number_word

_SIGNS = ';/[]"{}()=+\\_-><@`,?!'
_ARTICLES = frozenset({"a", "an", "the"})
_NUMBERS = {"none": "0"} | {number_word(n): str(n) for n in range(11)}
_DIGITS_APART = re.compile(r"\d,\d")
_FULL_STOP = re.compile(r"\.(?!\d)")
_STOPS = 32  # the official program hands the flag for Unicode, 32, to the place of a count


@lru_cache(1 << 16)
def normalize_vqa(text: str) -> str:
    """An answer as the official program compares it, step by step as it does.

    Signs that touch a space somewhere in the answer are dropped, others become a space, and all are dropped where a
    comma stands between digits; colons and apostrophes stay. Full stops go unless a digit follows.

    >>> comparable("The  two dogs, dont they?")
    "2 dogs don't they"
    >>> comparable("10,000"), comparable("3.5 ft."), comparable("t-shirt"), comparable("none")
    ('10000', '3.5 ft', 't shirt', '0')
    """
    text = strip_whitespace(text)
    dropped = bool(_DIGITS_APART.search(text))
    changed = text
    for sign in filter(text.__contains__, _SIGNS):
        beside_a_space = f"{sign} " in text or f" {sign}" in text
        changed = changed.replace(sign, "" if dropped or beside_a_space else " ")
    changed = _FULL_STOP.sub("", changed, count=_STOPS)
    words = [_NUMBERS.get(word, word) for word in changed.lower().split()]
    return " ".join(_contractions().get(word, word) for word in words if word not in _ARTICLES)


@lru_cache(1 << 16)
def strip_whitespace(text: str) -> str:
    """An answer on one line, without white space around it."""
    return text.replace("\n", " ").replace("\t", " ").strip()


@cache
def _contractions() -> dict[str, str]:
    """Contractions by how people write them with an apostrophe left out."""
    listed = (files("counterpoint.language.answers") / "contractions.txt").read_text("utf-8").split()
    found = {"somebody'd": "somebodyd"}  # the one that the official table turns round
    for whole in listed:
        places = [place for place, sign in enumerate(whole) if sign == "'"]
        found |= {whole[:place] + whole[place + 1 :]: whole for place in places}
    return found
