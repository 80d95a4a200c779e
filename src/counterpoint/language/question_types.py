"""Question types: the kind of answer that a question asks for, from its words alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from counterpoint.language.lexicon.word_lists import word_list


class QuestionType(StrEnum):
    """The types of questions, by their answers."""

    CHOICE = "choice"  # one of the choices that the query offers
    EITHER = "either"  # one of the words that the question itself offers: "Is it red or blue?"
    YES_NO = "yes-no"
    NUMBER = "number"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question as extraction rules see it: its type, the options it offers, and its words."""

    type: QuestionType = QuestionType.OPEN
    options: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()
    spans: tuple[str, ...] = ()  # longer forms of the first option: "short sleeved" where it is "sleeved"
    subject: str = ""  # of a yes/no question, one word

    @property
    def without_words(self) -> "ParsedQuestion":
        """The type and options alone, which are enough for a reply of one word and cache better."""
        return ParsedQuestion(self.type, self.options, spans=self.spans)


_LEAD_IN = re.compile(
    r"(?:please[, ]+)?(?:(?:in|on|at|from|within|looking at|based on|according to|judging by|judging from|given|"
    r"considering|taking)\b[^,?]*,\s*)?"
)
_INDIRECT = re.compile(
    r"(?:(?:can|could|would|will) you(?: please)? (?:tell|say|name|describe|state|explain|answer)(?: me| us)?|"
    r"(?:do|would) you (?:happen to )?know|(?:please )?(?:tell|say)(?: me)?|i wonder|determine)[,:]?\s+(?P<rest>.+)"
)
_SUBJECT = re.compile(r"\w+(?:n't)? (?:(?:the|this|that|these|those|his|her|any|all|both|a|an) )*(?P<noun>\w+)")
_WHETHER = re.compile(r"(?:if|whether)\s+")
_COUNT = re.compile(
    r"\bhow many\b|\b(?:what|which) number\b|\bwhat(?: is|'s) the (?:total )?(?:number|count)\b|^count\b"
)
_EXISTENCE = re.compile(
    r"\beither\b|\bat least one\b|\b(?:is|are|was|were|isn't|aren't) there\b|\bit (?:true|fair to say)\b|\byou agree\b"
    r"|\bor (?:not|no)\b|\byes or no\b"
    r"|\b(?:image|picture|photo|photograph|scene) (?:show|have|contain|include|depict|feature)s?\b"
    r"|\b(?:do|does|did|can|could|if|whether) (?:you|we|i|one|anyone) (?:see|spot|notice|find|make out|detect)\b"
)
_INDEFINITE = re.compile(r"(?:is|are|was|were) (?:a|an|any|some)\b")
_PREFACE = re.compile(r"[^:]*:\s+(?=(?:is|are|was|were|do|does|did)\b)")
_SIDE = re.compile(r"\b(?:which|what) side\b")
_REPORTED = re.compile(r"(?:if|whether|what|which|who|whose|whom|where|when|why|how)\b")
_OR = re.compile(r",?\s+or\s+")
_SEPARATOR = re.compile(r"\s*[,:]\s*")
_ARTICLE = re.compile(r"(?:(?:in|on|at|to|of|by|under|near|behind|with) )?(?:a|an|the|some|any) ")


@lru_cache(maxsize=1 << 16)
def parse_question(text: str, choices: tuple[str, ...] = ()) -> ParsedQuestion:
    """The type, options and words of a question.

    >>> parse_question("In the picture, is the cup red or blue?").options
    ('red', 'blue')
    >>> [str(parse_question(text).type) for text in ("Is there a dog or a cat?", "How many dogs?", "Who is it?")]
    ['yes-no', 'number', 'open']
    """
    lower = " ".join(text.lower().replace("’", "'").split())
    until = lower.rpartition("?")[0] or lower.rstrip(".")
    question = re.split(r"[.!?]\s+", until)[-1].strip()  # the last one, without its question mark
    words = frozenset(re.findall(r"[\w']+", question))
    if choices:
        return ParsedQuestion(QuestionType.CHOICE, choices, words)
    if _COUNT.search(question):
        return ParsedQuestion(QuestionType.NUMBER, words=words)
    direct, is_indirect = _strip_lead_in(question)
    if _SIDE.search(question):
        return ParsedQuestion(QuestionType.EITHER, ("left", "right"), words)
    if "or" in words and not (_EXISTENCE.search(question) or _INDEFINITE.match(direct)):
        options = tuple(dict.fromkeys(_options(direct)))
        if len(options) > 1:
            return ParsedQuestion(QuestionType.EITHER, options, words, tuple(_spans(direct, options[0])))
    first = direct.partition(" ")[0]
    polar = is_indirect or first in word_list("replies", "auxiliaries") or "yes or no" in text.lower()
    subject = _SUBJECT.match(direct) if polar else None
    return ParsedQuestion(
        QuestionType.YES_NO if polar else QuestionType.OPEN, words=words, subject=subject["noun"] if subject else ""
    )


def _strip_lead_in(question: str) -> tuple[str, bool]:
    """A question without its lead-in, and whether it is an indirect yes/no question: "tell me if it is" is "it is"."""
    direct, is_indirect = question[_end(_LEAD_IN, question) :], False
    direct = direct[_end(_PREFACE, direct) :]
    indirect = _INDIRECT.fullmatch(direct)
    if indirect and (
        _REPORTED.match(indirect["rest"]) or indirect["rest"].partition(" ")[0] in word_list("replies", "auxiliaries")
    ):
        direct = indirect["rest"]
    if whether := _WHETHER.match(direct):
        direct, is_indirect = direct[whether.end() :], True
    return direct, is_indirect


def _end(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _options(question: str) -> Iterator[str]:
    """The options around the last "or", with those of a list before it: "a cat, a dog, or a bird"."""
    *before, last = _OR.split(question)
    parts = [part for part in _SEPARATOR.split(" , ".join(before)) if part]
    if not parts:
        return
    opening, *listed = parts
    ending = opening.split()
    if not listed and ending[-1] in word_list("replies", "relations"):
        yield from _relations(ending, last)
        return
    if not listed or ending[0] in word_list("replies", "auxiliaries"):
        yield _tail(opening, _ARTICLE.match(last) is not None)
    for part in [*listed, last]:
        yield _head(part)


def _spans(question: str, head: str) -> Iterator[str]:
    """Longer forms of the first option, shortest first: the words before its head, up to an article or preposition."""
    before = _SEPARATOR.split(_OR.split(question)[0])[0].split()
    first = len(before) - len(head.split())
    if " ".join(before[first:]) != head:
        return
    outside = (
        word_list("replies", "determiners") | word_list("replies", "auxiliaries") | word_list("replies", "relations")
    )
    for start in range(first - 1, max(first - 4, 0), -1):
        if before[start] in outside:
            return
        yield " ".join(before[start:])


def _relations(before: list[str], after: str) -> Iterator[str]:
    """Two relations to the same object: "in front of or behind the door"."""
    first = -1
    if before[-3:] == ["in", "front", "of"]:
        first = -3
    elif before[-2:][0].endswith("ing"):
        first = -2
    yield " ".join(before[first:])
    words = after.split()
    stop = next((index for index, word in enumerate(words) if word in word_list("replies", "determiners")), len(words))
    yield " ".join(words[: stop or 1])


def _tail(phrase: str, has_article: bool) -> str:
    """The first option, at the end of the phrase before "or"."""
    if has_article and (articles := list(_ARTICLE.finditer(phrase))):
        return phrase[articles[-1].end() :]
    words = phrase.split()
    shaded = len(words) > 1 and words[-2] in word_list("replies", "shades")
    return " ".join(words[-2:] if shaded else words[-1:])


def _head(phrase: str) -> str:
    """A later option, at the start of its phrase."""
    words = phrase.split()
    while len(words) > 1 and words[0] in word_list("replies", "before_options"):
        words.pop(0)
    stop = next(
        (index for index, word in enumerate(words) if index and word in word_list("replies", "behind_options")),
        len(words),
    )
    bound = words[0].endswith("ing") and words[1:2] == ["from"]
    return " ".join(words[: 2 if bound else stop])
