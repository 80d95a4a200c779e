"""Rule sets: how answers are normalized for comparison with gold, as VQA does it too, and the credit for votes."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from operator import itemgetter

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Gold
from counterpoint.language.answers.numerals import compounds_as_digits, parse_fraction, plain_digits
from counterpoint.language.english import number_word

_PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_ARTICLES = frozenset({"a", "an", "the"})
_NUMBERS = {"none": "0"} | {number_word(n): str(n) for n in range(11)}
_ALL_NUMBERS = _NUMBERS | {number_word(n): str(n) for n in range(11, 101)}
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


@lru_cache(1 << 16)
def normalize_gqa(text: str) -> str:
    """An answer on one line in lowercase, without surrounding whitespace and a final full stop.

    >>> normalize_gqa(" Dark green. ")
    'dark green'
    """
    return strip_whitespace(text).lower().removesuffix(".").rstrip()


def normalize_number(text: str) -> str:
    """A number in words as digits, whatever its case, and digits in one of their forms; any other text as it is.

    >>> normalize_number("Two"), normalize_number("two dogs"), normalize_number("two thirds"), normalize_number("2.50")
    ('2', 'two dogs', '2/3', '2.5')
    """
    lower = text.strip().lower()
    if known := _ALL_NUMBERS.get(lower):
        return known
    if lower[:1].isdecimal():
        return plain_digits(text.strip())
    found = parse_fraction(lower) or compounds_as_digits(lower)
    return plain_digits(found) if found[:1].isdecimal() and " " not in found else text


@cache
def _contractions() -> dict[str, str]:
    """Contractions by their spellings without an apostrophe."""
    listed = (files("counterpoint.language.answers") / "contractions.txt").read_text("utf-8").split()
    contractions = {"somebody'd": "somebodyd"}  # reversed in the official table
    for whole in listed:
        apostrophes = [index for index, char in enumerate(whole) if char == "'"]
        contractions |= {whole[:index] + whole[index + 1 :]: whole for index in apostrophes}
    return contractions


def short_credit(agreeing: int, annotators: int) -> float:
    """Credit as in the VQA paper: min(n/3, 1) for n agreeing annotators.

    >>> [round(short_credit(n, 10), 2) for n in range(5)]
    [0.0, 0.33, 0.67, 1.0, 1.0]
    """
    return min(agreeing / 3, 1.0)


@cache
def leave_one_out_credit(agreeing: int, annotators: int) -> float:
    """Credit as in the official VQA code: the short form, averaged over leaving out each annotator.

    >>> [round(leave_one_out_credit(n, 10), 2) for n in range(5)]
    [0.0, 0.3, 0.6, 0.9, 1.0]
    """
    others = (annotators - agreeing) * short_credit(agreeing, annotators - 1)
    return (agreeing * short_credit(agreeing - 1, annotators - 1) + others) / annotators if agreeing else 0.0


@dataclass(frozen=True, slots=True)
class RuleSet:
    """A named way of comparing answers, recorded in manifests and scores."""

    name: str
    description: str
    normalize: Callable[[str], str]
    credit: Callable[[int, int], float] = short_credit
    keeps_unanimous: bool = False  # whether unanimous gold is compared as written
    version: int = 1

    @property
    def label(self) -> str:
        """The name with the version, as scores record it; the first version has none.

        >>> RULE_SETS["gqa"].label, RULE_SETS["vqa"].label
        ('gqa@2', 'vqa')
        """
        return f"{self.name}@{self.version}" if self.version > 1 else self.name

    def gold(self, votes: Sequence[str]) -> Gold:
        """The gold of annotators' votes: their answers as written, the most frequent first, each with its credit."""
        agreeing: dict[str, int] = {}
        written: dict[str, str] = {}
        for vote in dict.fromkeys(votes):
            normalized = self.normalize(vote)
            agreeing[normalized] = agreeing.get(normalized, 0) + votes.count(vote)
            written.setdefault(strip_whitespace(vote), normalized)
        ranked = [(agreeing[normalized], answer) for answer, normalized in written.items()]
        ranked.sort(key=itemgetter(0), reverse=True)
        credit, annotators = self.credit, len(votes)
        return Gold(tuple([(answer, credit(count, annotators)) for count, answer in ranked]))


RULE_SETS: Mapping[str, RuleSet] = {
    rules.name: rules
    for rules in (
        RuleSet("exact", "the answer equals a gold answer", lambda text: text, version=3),
        RuleSet(
            "gqa", "the answer equals the gold answer but for case and a final full stop", normalize_gqa, version=2
        ),
        RuleSet("gqa-1", "the first version of gqa: case and a final full stop count", strip_whitespace),
        RuleSet("vqa", "VQA accuracy as in the official evaluation code", normalize_vqa, leave_one_out_credit, True),
        RuleSet("vqa-short", "VQA accuracy in the short form, min(n/3, 1), all answers normalized", normalize_vqa),
    )
}
"""Every rule set by name."""


def rule_set(name: str) -> RuleSet:
    """The rule set of this name."""
    if name not in RULE_SETS:
        raise UnknownName("rule set", name, RULE_SETS)
    return RULE_SETS[name]
