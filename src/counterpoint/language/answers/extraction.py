"""From what a model said to a value that can be compared: named rules, each a pure function of text."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from counterpoint.core.answers import Answer, State
from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Mode, Query
from counterpoint.language.answers import choices as offers
from counterpoint.language.answers.final_answer import concluded, final, normal, spoken
from counterpoint.language.answers.numbers import count_said
from counterpoint.language.answers.polarity import yes_or_no
from counterpoint.language.answers.refusals import declines, refuses
from counterpoint.language.question_types import Asked, Sort, asked

AUTO = "auto"
"""The rule that chooses among the others by what is asked."""

_FIRST = re.compile(
    r"\n|(?<=[.!?])(?<!\bst\.)(?<!\bmr\.)(?<!\bms\.)(?<!\bdr\.)(?<!\bmt\.)(?<!\bmrs\.)\s", re.IGNORECASE
)
_OPENING = re.compile(
    r"(?:(?:sure|certainly|okay|ok|well|so)[,!.]\s+|(?:in|from) th(?:e|is) (?:image|picture|photo|scene),?\s+"
    r"|based on [^,]{1,60},\s+|i (?:can )?(?:see|think|believe|would say)(?: that)?\s+|i'd say(?: that)?\s+"
    r"|(?:the|this) (?:image|picture|photo) (?:shows|depicts|contains)\s+|it looks like\s+|there's\s+"
    r"|(?:it|this|that|he|she)(?: is|'s| was| looks like| appears to be| seems to be)(?: taken (?:in|on|at))?\s+"
    r"|they(?: are|'re| were)\s+|(?:these|those|there) (?:are|is|were|was)\s+)+",
    re.IGNORECASE,
)
_ANY = Asked()
_SMALL = frozenset(("a", "an", "the", "some"))
_VERBS = frozenset(("is", "are", "was", "were", "has", "have", "be", "being", "does", "do"))


@dataclass(frozen=True, slots=True)
class Rule:
    """How a value is taken from a text, if there is one to take; and a sentence about it."""

    take: Callable[[str, Asked], str | None]
    says: str


def exact(text: str, asked: Asked = _ANY) -> str | None:
    """The text as it is."""
    return text if text.strip() else None


def normalised(text: str, asked: Asked = _ANY) -> str | None:
    """The whole text in small letters, without articles and signs; nothing if it declines.

    >>> normalised("A red cup.")
    'red cup'
    """
    before = None
    while text != before and not declines(text):
        before, text = text, normal(final(text))
    return text or None if text == before else None


def yes_no(text: str, asked: Asked = _ANY) -> str | None:
    """Yes or no, said outright or by a sentence about what was asked."""
    restated = frozenset() if asked.sort is Sort.EITHER else asked.words
    return yes_or_no(concluded(text), restated)


def choice(text: str, asked: Asked) -> str | None:
    """One of the choices, or of the words that the question offers."""
    return offers.choice(text, asked.options, asked.words)


def number(text: str, asked: Asked = _ANY) -> str | None:
    """A number, as digits."""
    return count_said(text)


def free(text: str, asked: Asked = _ANY) -> str | None:
    """A short answer: its first sentence, without what is said around it or repeated from the question.

    >>> free("It is a red cup."), free("The answer is: a dog.\\n\\nIt has fur.")
    ('red cup', 'dog')
    >>> free("The man is riding a bicycle.", Asked(words=frozenset(("what", "is", "the", "man", "riding"))))
    'bicycle'
    """
    if declines(text):
        return None
    said = _FIRST.split(concluded(text).strip(), maxsplit=1)[0]
    short = _OPENING.sub("", said, count=1) if _OPENING.match(said) else said
    return normal(_unrepeated(short, asked.words)).removeprefix("some ") or None


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        AUTO: Rule(lambda text, asked: None, "chooses by what is asked: choice, yes-no, number, else free"),
        "exact": Rule(exact, "the text as it is"),
        "normal": Rule(normalised, "the whole text in small letters, without thinking, articles and signs"),
        "yes-no": Rule(yes_no, "yes or no, said outright or by a sentence about what was asked"),
        "choice": Rule(choice, "one of the choices, as it is, by its letter, or named in a sentence"),
        "number": Rule(number, "a number in digits or in words, as digits"),
        "free": Rule(free, "a short answer: the first sentence, without what is said around it"),
    }
)
"""Every rule by name."""

_BY_SORT: Mapping[Sort, tuple[str, ...]] = MappingProxyType(
    {
        Sort.CHOICE: ("choice",),
        Sort.EITHER: ("choice", "yes-no", "free"),
        Sort.YES_NO: ("yes-no",),
        Sort.NUMBER: ("number",),
        Sort.OPEN: ("free",),
    }
)
"""The rules that `auto` tries, in order, for each sort of question."""


def answered(raw: str, query: Query, *, rule: str = AUTO, top: Sequence[tuple[str, float]] = ()) -> Answer:
    """The answer to a query, its value taken from the raw text by a rule; it names the rule that gave the value.

    What has no value is `refused` if it declines, else `unparsed`; a text that was to be scored stays as it is.

    >>> answered("Yes, there is one.", Query(None, "Is there a dog?")).value
    'yes'
    >>> answered("I cannot tell.", Query(None, "Is there a dog?")).state
    <State.REFUSED: 'refused'>
    """
    value, name, state = taken(raw, query.text, query.choices, query.mode, rule)
    return Answer(raw=raw, value=value, rule=name, state=state, top=tuple(top))


def taken(raw: str, text: str, choices: tuple[str, ...], mode: Mode, rule: str) -> tuple[str, str, State]:
    """The value in a raw text, the rule that gave it, and the state, for a query of this text, choices and mode."""
    if rule not in RULES:
        raise UnknownName("rule", rule, RULES)
    if mode is Mode.SCORE:
        return raw, "exact", State.OK
    question = asked(text, choices)
    return _taken(raw, question if " " in raw.strip() else question.wordless, rule)


@lru_cache(maxsize=1 << 17)
def _taken(raw: str, question: Asked, rule: str) -> tuple[str, str, State]:
    said = raw if rule == "exact" else spoken(raw)
    names = _BY_SORT[question.sort] if rule == AUTO else (rule,)
    if not said or not said.strip():
        return "", names[0], State.UNPARSED
    for name in names:
        value = RULES[name].take(said, question)
        if value is not None:
            return value, name, State.OK
    return "", names[0], State.REFUSED if refuses(said) else State.UNPARSED


def _unrepeated(text: str, words: frozenset[str]) -> str:
    """A sentence without what it repeats from the question before and after its answer; a mere phrase stays whole."""
    parts = text.split()
    plain = [normal(part) for part in parts]
    known = [word in words or word in _VERBS or word in _SMALL for word in plain]
    if not words or all(known) or not any(word in _VERBS for word in plain):
        return text
    start = known.index(False)
    stop = len(known) - known[::-1].index(False)
    if any(word in _VERBS for word in plain[:start]):
        return " ".join(parts[start:])
    if any(word in _VERBS for word in plain[stop:]):
        return " ".join(parts[start:stop])
    return text
