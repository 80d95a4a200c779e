"""A number in free text, as digits: written in digits or in words, or said to be none."""

import re

from counterpoint.language.answers.final_answer import concluding_answer
from counterpoint.language.answers.refusals import starts_with_refusal
from counterpoint.language.numbers import number_value, number_word

_WORDS = "|".join(sorted((number_word(n).replace("-", "[- ]") for n in range(101)), key=len, reverse=True))
_SIZES = {"hundred": 100, "thousand": 1000, "dozen": 12}
_DIGITS = r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+(?:\.[0-9]+)?"
_NUMBER = re.compile(
    r"\bhalf a dozen\b"
    rf"|(?<![\w.,$€£])(?:(?P<digits>{_DIGITS})|(?P<words>{_WORDS}|a|an))[ -](?P<size>{'|'.join(_SIZES)})\b"
    rf"|(?<![\w.,])(?P<alone>{_DIGITS})(?!\w|[.,:][0-9])"
    rf"|\b(?P<word>{_WORDS}|single|dozen)\b(?! of (?:them|the|these|those|which))"
)
_NONE = re.compile(
    r"\bnone\b|\bnobody\b|\bno one\b|\bno (?!doubt|idea|way|question|image|picture)\w+|(?:\bnot|n't) (?:\w+ ){0,2}any\b"
)
_BOUND = re.compile(
    r"\b(?:more|less|fewer|greater|other|rather) than\b|\bat (?:least|most)\b|\bup to\b|\bnot\b[^.]{0,20}\bbut\b"
)
_FIRST = re.compile(r"\n|(?<=[.!?])\s")
_EDGES = " \t\"'*_`.!()~"


def parse_count(text: str) -> str | None:
    """The number that a text says, as digits; nothing where it says none, several, or only a bound.

    >>> [count_said(text) for text in ("There are three dogs.", "a dozen", "No dogs.", "2 or 3", "1,000", "at least 2")]
    ['3', '12', '0', None, '1000', None]
    """
    said = concluding_answer(text).lower().replace("’", "'")
    first = _FIRST.split(said.strip(), maxsplit=1)[0].strip(_EDGES)
    whole = _NUMBER.fullmatch(first)
    if whole is not None:
        return _digits(whole)
    if starts_with_refusal(said) or _BOUND.search(said):
        return None
    said = said.rpartition("=")[2]
    found = {_digits(hit) for hit in _NUMBER.finditer(said)}
    if not found and _NONE.search(said):
        return "0"
    return found.pop() if len(found) == 1 else None


def _digits(found: re.Match[str]) -> str:
    """A number as digits, without marks of thousands and without an empty fraction."""
    if size := found["size"]:
        many = found["digits"] or str(number_value(found["words"]) or 1)
        return str(int(float(many.replace(",", "")) * _SIZES[size])) if len(many) < 9 else many
    if found["alone"]:
        whole, _, rest = found["alone"].replace(",", "").partition(".")
        return f"{whole}.{rest}" if rest.strip("0") else whole
    return "6" if found["word"] is None else str(number_value(found["word"]))
