"""Answer extraction rules: named pure functions from a free-text reply to a comparable value."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.language.answers.choices import match_choice, names_several
from counterpoint.language.answers.counts import is_range, parse_count
from counterpoint.language.answers.final_answer import ReplyText, normalize, read_reply, shown_symbol, strip_question
from counterpoint.language.answers.polarity import yes_or_no
from counterpoint.language.answers.refusals import is_hedge, is_refusal, is_tentative, settled_text
from counterpoint.language.answers.short_answers import short_answer
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.language.question_types import ParsedQuestion, QuestionType, parse_question

RULE_VERSION = 8
"""The version of the extraction rules; an answer names it with the rule, as in "choice@8"; the first is not named."""

AUTO = "auto"
"""The rule that chooses among the others by question type."""

_ANY = ParsedQuestion()
_MAX_PASSES = 8  # of normalization, until a text stays as it is


@dataclass(frozen=True, slots=True)
class ExtractionRule:
    """A function that extracts a value from a text, or None, and its description."""

    extract: Callable[[str, ParsedQuestion], str | None]
    description: str


def extract_exact(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """The text without blanks around it."""
    return text.strip() or None


def extract_normalized(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """The whole text normalized; None for a refusal or a hedge.

    >>> extract_normalized("A red cup.")
    'red cup'
    """
    before = None
    for _ in range(_MAX_PASSES):
        reply = read_reply(text)
        if reply is None or not reply.answer or is_refusal(reply.answer) or is_hedge(reply.answer):
            return None
        before, text = text, normalize(reply.answer)
        if text == before:
            return text
    return None


def extract_yes_no(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """Yes or no, said outright or by a sentence that affirms or denies the question."""
    words = frozenset() if question.type is QuestionType.EITHER else question.words
    return yes_or_no(text, words, question.subject)


def extract_choice(text: str, question: ParsedQuestion) -> str | None:
    """One of the choices, or of the options that the question offers."""
    if question.type is QuestionType.EITHER:
        heads = tuple(dict.fromkeys(option.split()[-1] for option in question.options))
        if len(heads) == len(question.options) and normalize(text) in heads:
            return normalize(text)
    option = match_choice(text, question.options, question.words, question.spans)
    return None if option is not None and _is_shared_head(option, question) else option


def _is_shared_head(option: str, question: ParsedQuestion) -> bool:
    """Whether an option is the word that two offers end in: "sleeved" of "short sleeved or long sleeved"."""
    endings = [other.removesuffix(f" {option}") for other in question.options if other.endswith(f" {option}")]
    return bool(question.spans) and any(word not in word_list("replies", "shades") for word in endings)


def extract_number(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """A number, as digits."""
    return parse_count(text, question.words)


def extract_free(text: str, question: ParsedQuestion = _ANY) -> str | None:
    """A short answer: the sentence that answers, without its opening phrase and words repeated from the question.

    >>> extract_free("The man is riding a bicycle.", parse_question("What is the man riding?"))
    'bicycle'
    """
    return short_answer(text, question.words)


EXTRACTION_RULES: Mapping[str, ExtractionRule] = MappingProxyType(
    {
        AUTO: ExtractionRule(lambda text, question: None, "by question type: choice, yes-no, number, else free"),
        "exact": ExtractionRule(extract_exact, "the text without blanks around it"),
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
        QuestionType.EITHER: ("choice", "yes-no"),
        QuestionType.YES_NO: ("yes-no",),
        QuestionType.NUMBER: ("number",),
        QuestionType.OPEN: ("free",),
    }
)
"""The rules that `auto` tries, in order, by question type."""


def extract_answer(raw: str, query: Query, *, rule: str = AUTO, top: Sequence[tuple[str, float]] = ()) -> Answer:
    """The answer to a query, with the value that a rule extracts from the raw text and the name of the rule.

    Without a value the state is `refused` for a refusal, `hedged` where the reply does not settle, else `unparsed`; in
    mode `score` the text is kept as it is.

    >>> extract_answer("Yes, there is one.", Query(None, "Is there a dog?")).value
    'yes'
    >>> extract_answer("I cannot tell.", Query(None, "Is there a dog?")).state
    <State.HEDGED: 'hedged'>
    """
    value, name, state = extract_value(raw, query.text, query.choices, query.mode, rule)
    return Answer(raw=raw, value=value, rule=name, state=state, top=tuple(top))


def seen_choices(offered: Sequence[str] | None, choices: tuple[str, ...]) -> tuple[str, ...]:
    """The choices of a query in the order in which a model saw them, where it saw the same ones; A is the first."""
    return tuple(offered) if offered and sorted(offered) == sorted(choices) else choices


def extract_value(raw: str, text: str, choices: tuple[str, ...], mode: Mode, rule: str) -> tuple[str, str, State]:
    """Value, rule and state of a raw reply to a query of this text, choices and mode."""
    if rule not in EXTRACTION_RULES:
        raise UnknownName("rule", rule, EXTRACTION_RULES)
    if mode is Mode.SCORE:
        return raw, "exact", State.OK
    if rule == "exact":  # whatever was asked
        return _extract(raw, _ANY, rule)
    question = parse_question(text, choices)
    if " " not in raw.strip():
        extracted = _extract(raw, question.without_words, rule)
        if extracted[2] is not State.UNPARSED:
            return extracted
    return _extract(raw, question, rule)


@lru_cache(maxsize=1 << 17)
def _extract(raw: str, question: ParsedQuestion, rule: str) -> tuple[str, str, State]:
    names = _AUTO_RULES[question.type] if rule == AUTO else (rule,)
    reply = ReplyText(raw, raw) if rule == "exact" else read_reply(raw, question)
    if reply is None or not reply.text.strip():
        return "", _label(names[0]), State.UNPARSED
    for name in names:
        value = _value(raw, reply, question, name)
        if value is not None:
            return value, _label(name), State.OK
    return "", _label(names[0]), _state_without_value(reply, question)


def _label(rule: str) -> str:
    return f"{rule}@{RULE_VERSION}"


def _value(raw: str, reply: ReplyText, question: ParsedQuestion, name: str) -> str | None:
    """The value that a rule takes from what a reply settles on."""
    if name == "number" and reply.boxes:
        return str(reply.boxes)
    extract = EXTRACTION_RULES[name].extract
    if name in ("exact", "normal") or (name == "choice" and raw.strip() in question.options):
        return extract(raw.strip(), question)
    if not reply.answer:
        return None
    if name == "free" and (symbol := shown_symbol(raw)):
        return symbol
    answer = strip_question(reply.answer, question.words)
    settled = settled_text(answer)
    value = extract(settled, question) if settled else None
    return _offered_hedge(answer, question, is_open=not settled) if value is None and name == "choice" else value


def _offered_hedge(answer: str, question: ParsedQuestion, *, is_open: bool) -> str | None:
    """The option that a reply chooses where options leave the answer open, as "Cannot be determined" does."""
    hedges = [option for option in question.options if is_hedge(option)]
    if not hedges:
        return None
    option = extract_choice(answer, question)
    return hedges[0] if option is None and is_open and len(hedges) == 1 and not is_refusal(answer) else option


def _state_without_value(reply: ReplyText, question: ParsedQuestion) -> State:
    if is_refusal(reply.text):
        return State.REFUSED
    text = reply.answer or reply.text
    hedges = (
        is_hedge(reply.text)
        or (question.type is QuestionType.NUMBER and is_range(text))
        or (question.type is QuestionType.YES_NO and is_tentative(text))
        or (bool(question.options) and names_several(text, question.options))
    )
    return State.HEDGED if hedges else State.UNPARSED
