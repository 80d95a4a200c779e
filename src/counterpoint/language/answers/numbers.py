"""Counts in free text, as digits: from digits, number words, or a negation."""

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
    """The only count in a text, as digits; None where there are none, several, or only a bound.

    >>> [parse_count(text) for text in ("There are three dogs.", "a dozen", "No dogs.", "2 or 3", "1,000")]
    ['3', '12', '0', None, '1000']
    """
    answer = concluding_answer(text).lower().replace("’", "'")
    first = _FIRST.split(answer.strip(), maxsplit=1)[0].strip(_EDGES)
    whole = _NUMBER.fullmatch(first)
    if whole is not None:
        return _digits(whole)
    if starts_with_refusal(answer) or _BOUND.search(answer):
        return None
    answer = answer.rpartition("=")[2]
    counts = {_digits(match) for match in _NUMBER.finditer(answer)}
    if not counts and _NONE.search(answer):
        return "0"
    return counts.pop() if len(counts) == 1 else None


def _digits(match: re.Match[str]) -> str:
    """A number as digits, without thousands separators and without a fraction of zero."""
    if size := match["size"]:
        many = match["digits"] or str(number_value(match["words"]) or 1)
        return str(int(float(many.replace(",", "")) * _SIZES[size])) if len(many) < 9 else many
    if match["alone"]:
        whole, _, rest = match["alone"].replace(",", "").partition(".")
        return f"{whole}.{rest}" if rest.strip("0") else whole
    return "6" if match["word"] is None else str(number_value(match["word"]))
