"""Augmentations: how an open question is parsed and turned into a yes/no question."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from counterpoint.core.items import Question
from counterpoint.language.answers.rule_sets import normalize_vqa
from counterpoint.language.lexicon.word_lists import word_list
from counterpoint.suites.question_groups import SCATTERED, is_agreed
from counterpoint.suites.questions.flaws import flaw

DATA = Path(__file__).parent / "data"
"""The folder of the word lists."""
listed_words = partial(word_list, "questions", folder=DATA)
"""One word list: `listed_words("kind.general")`."""
NEGATED = "has a negation"
TWO_QUESTIONS = "more than one question, or a choice"
_NEGATION = re.compile(
    r"\b(?:not?|never|none|nobody|nothing|neither|nor|without|except|besides|lacks?|cannot)\b|n't\b|other than"
)
_SIGNS = re.compile(r"[?.,;:!\"()]|\b(?:or|what|which|who|where|why|how)\b")


@dataclass(frozen=True, slots=True)
class QuestionSubject:
    """What a question asks about: a noun, and the rest of the question that has to be repeated."""

    noun: str
    rest: str = ""


@dataclass(frozen=True, slots=True)
class Augmentation:
    """One kind of open question: its prefix, how its answers are parsed, and the yes/no question about a value."""

    name: str
    begins: str
    parse: Callable[[str], QuestionSubject | str]  # what stands between prefix and suffix, or why it is not understood
    value: Callable[[QuestionSubject, str], str]  # what an answer says, in one form for synonyms; "" for no value
    apart: Callable[[QuestionSubject, str, str], bool]  # whether a value is surely not what an answer says
    words: Callable[[QuestionSubject, str], str]  # the yes/no question; "" where it cannot be put
    no_value: str  # said of an answer that is no value
    belongs: Callable[[QuestionSubject, str], bool] | None = None  # whether a value fits a subject, if that matters
    ends: str = ""
    alike: Callable[[str, str], bool] | None = None  # whether a wrong value is of the form of the correct one

    def read(self, text: str) -> QuestionSubject | str:
        """What a question asks about, or the reason why that cannot be told."""
        words = " ".join(text.removesuffix("?").split())
        subject = words[len(self.begins) + 1 :]
        if not words.lower().startswith(f"{self.begins} ") or not subject.lower().endswith(self.ends):
            return f"is not '{self.begins} …{self.ends}'" if self.ends else f"does not begin with {self.begins!r}"
        subject = subject[: len(subject) - len(self.ends)]
        if _NEGATION.search(subject.lower()):
            return NEGATED
        parsed = TWO_QUESTIONS if _SIGNS.search(subject.lower()) else self.parse(subject)
        return parsed if isinstance(parsed, str) else flaw(words) or parsed


@dataclass(frozen=True, slots=True)
class InterpretedQuestion:
    """A parsed question: its subject, the majority value, the votes for that, and all answers in `said`."""

    subject: QuestionSubject
    value: str
    agreeing: int
    said: tuple[str, ...]


def interpret_question(augmentation: Augmentation, question: Question) -> InterpretedQuestion | str:
    """The parsed question with its majority answer, or the reason why it is rejected."""
    subject = augmentation.read(question.text)
    if isinstance(subject, str):
        return subject
    most = max((credit for _, credit in question.gold.answers), default=0.0)
    best = [answer for answer, credit in question.gold.answers if credit == most > 0]
    return interpret_answers(augmentation, subject, question.votes or best)


def interpret_answers(
    augmentation: Augmentation, subject: QuestionSubject, answers: Sequence[str]
) -> InterpretedQuestion | str:
    """The parsed question with the most frequent value, or the reason why there is none."""
    values = (augmentation.value(subject, answer) or f"? {normalize_vqa(answer)}" for answer in answers)
    ranked = Counter(values).most_common(1)
    if not ranked:
        return "no gold is known"
    value, agreeing = ranked[0]
    if not is_agreed(agreeing, len(answers)):
        return SCATTERED
    if value.startswith("?"):
        return augmentation.no_value
    if not augmentation.words(subject, value):
        return "its answer cannot be asked for"
    return InterpretedQuestion(subject, value, agreeing, tuple(answers))


def match_style(base: str, text: str) -> str:
    """A question in the style of another: with a capital and a question mark only if that has them.

    >>> match_style("How many dogs?", "are there two dogs"), match_style("how many dogs", "are there two dogs")
    ('Are there two dogs?', 'are there two dogs')
    """
    mark = "?" if base.rstrip().endswith("?") else ""
    return (text[:1].upper() + text[1:] if base[:1].isupper() else text) + mark
