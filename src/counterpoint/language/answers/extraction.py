"""Answer extraction rules: named pure functions from a free-text reply to a comparable value."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.language.answers.choices import match_choice, yes_or_no
from counterpoint.language.answers.final_answer import (
    concluding_answer,
    contains_refusal,
    final_answer,
    normalize,
    starts_with_refusal,
    strip_reasoning,
)
from counterpoint.language.english import number_value, number_word
from counterpoint.language.question_types import ParsedQuestion, QuestionType, parse_question

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
_SENTENCE_END = re.compile(r"\n|(?<=[.!?])\s")
_EDGES = " \t\"'*_`.!()~"


def parse_count(text: str) -> str | None:
    """The only count in a text, as digits; None where there are none, several, or only a bound.

    >>> [parse_count(text) for text in ("There are three dogs.", "a dozen", "No dogs.", "2 or 3", "1,000")]
    ['3', '12', '0', None, '1000']
    """
    answer = concluding_answer(text).lower().replace("’", "'")
    first = _SENTENCE_END.split(answer.strip(), maxsplit=1)[0].strip(_EDGES)
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


AUTO = "auto"
"""The rule that chooses among the others by question type."""

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
_ANY = ParsedQuestion()
_ARTICLES = frozenset(("a", "an", "the", "some"))
_VERBS = frozenset(("is", "are", "was", "were", "has", "have", "be", "being", "does", "do"))


@dataclass(frozen=True, slots=True)
class ExtractionRule:
    """A function that extracts a value from a text, or None, and its description."""

    extract: Callable[[str, ParsedQuestion], str | None]
    description: str


def extract_exact(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """The text as it is."""
    return text if text.strip() else None


def extract_normalized(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """The whole text normalized; None for a refusal.

    >>> extract_normalized("A red cup.")
    'red cup'
    """
    before = None
    while text != before and not starts_with_refusal(text):
        before, text = text, normalize(final_answer(text))
    return text or None if text == before else None


def extract_yes_no(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """Yes or no, said outright or by a sentence that affirms or denies the question."""
    restated = frozenset() if question.type is QuestionType.EITHER else question.words
    return yes_or_no(concluding_answer(text), restated)


def extract_choice(text: str, question: ParsedQuestion) -> str | None:
    """One of the choices, or of the options that the question offers."""
    return match_choice(text, question.options, question.words)


def extract_number(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """A number, as digits."""
    return parse_count(text)


def extract_free(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """A short answer: the first sentence without its opening phrase and words repeated from the question.

    >>> extract_free("It is a red cup."), extract_free("The answer is: a dog.\\n\\nIt has fur.")
    ('red cup', 'dog')
    >>> extract_free("The man is riding a bicycle.", parse_question("What is the man riding?"))
    'bicycle'
    """
    if starts_with_refusal(text):
        return None
    sentence = _FIRST.split(concluding_answer(text).strip(), maxsplit=1)[0]
    short = _OPENING.sub("", sentence, count=1) if _OPENING.match(sentence) else sentence
    return normalize(_strip_repetition(short, question.words)).removeprefix("some ") or None


EXTRACTION_RULES: Mapping[str, ExtractionRule] = MappingProxyType(
    {
        AUTO: ExtractionRule(lambda text, question: None, "by question type: choice, yes-no, number, else free"),
        "exact": ExtractionRule(extract_exact, "the text as it is"),
        "normal": ExtractionRule(
            extract_normalized, "the whole text in lowercase, without reasoning, articles and punctuation"
        ),
        "yes-no": ExtractionRule(
            extract_yes_no, "yes or no, outright or by a sentence that affirms or denies the question"
        ),
        "choice": ExtractionRule(extract_choice, "one of the choices, verbatim, by its letter, or named in a sentence"),
        "number": ExtractionRule(extract_number, "a number in digits or in words, as digits"),
        "free": ExtractionRule(extract_free, "a short answer: the first sentence without its opening phrase"),
    }
)
"""Every extraction rule by name."""

_AUTO_RULES: Mapping[QuestionType, tuple[str, ...]] = MappingProxyType(
    {
        QuestionType.CHOICE: ("choice",),
        QuestionType.EITHER: ("choice", "yes-no", "free"),
        QuestionType.YES_NO: ("yes-no",),
        QuestionType.NUMBER: ("number",),
        QuestionType.OPEN: ("free",),
    }
)
"""The rules that `auto` tries, in order, by question type."""


def extract_answer(raw: str, query: Query, *, rule: str = AUTO, top: Sequence[tuple[str, float]] = ()) -> Answer:
    """The answer to a query, with the value that a rule extracts from the raw text and the name of the rule.

    Without a value the state is `refused` for a refusal, else `unparsed`; in mode `score` the text is kept as it is.

    >>> extract_answer("Yes, there is one.", Query(None, "Is there a dog?")).value
    'yes'
    >>> extract_answer("I cannot tell.", Query(None, "Is there a dog?")).state
    <State.REFUSED: 'refused'>
    """
    value, name, state = extract_value(raw, query.text, query.choices, query.mode, rule)
    return Answer(raw=raw, value=value, rule=name, state=state, top=tuple(top))


def extract_value(raw: str, text: str, choices: tuple[str, ...], mode: Mode, rule: str) -> tuple[str, str, State]:
    """Value, rule and state of a raw reply to a query of this text, choices and mode."""
    if rule not in EXTRACTION_RULES:
        raise UnknownName("rule", rule, EXTRACTION_RULES)
    if mode is Mode.SCORE:
        return raw, "exact", State.OK
    question = parse_question(text, choices)
    return _extract(raw, question if " " in raw.strip() else question.without_words, rule)


@lru_cache(maxsize=1 << 17)
def _extract(raw: str, question: ParsedQuestion, rule: str) -> tuple[str, str, State]:
    reply = raw if rule == "exact" else strip_reasoning(raw)
    names = _AUTO_RULES[question.type] if rule == AUTO else (rule,)
    if not reply or not reply.strip():
        return "", names[0], State.UNPARSED
    for name in names:
        value = EXTRACTION_RULES[name].extract(reply, question)
        if value is not None:
            return value, name, State.OK
    return "", names[0], State.REFUSED if contains_refusal(reply) else State.UNPARSED


def _strip_repetition(text: str, words: frozenset[str]) -> str:
    """A sentence without the words of the question before and after its answer; a phrase without verb stays whole."""
    parts = text.split()
    plain = [normalize(part) for part in parts]
    known = [word in words or word in _VERBS or word in _ARTICLES for word in plain]
    if not words or all(known) or not any(word in _VERBS for word in plain):
        return text
    start = known.index(False)
    stop = len(known) - known[::-1].index(False)
    if any(word in _VERBS for word in plain[:start]):
        return " ".join(parts[start:])
    if any(word in _VERBS for word in plain[stop:]):
        return " ".join(parts[start:stop])
    return text
