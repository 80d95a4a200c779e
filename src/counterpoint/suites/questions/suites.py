"""Suites from questions alone: negated, with antonyms, reordered and rephrased, each confirmed by the referee."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Gold, Group, Query, Relation
from counterpoint.core.items import Question
from counterpoint.language.question_types import QuestionType, parse_question
from counterpoint.suites.question_groups import base_query, base_tags, disagreement, settled_answer
from counterpoint.suites.questions.referee import derive_answer
from counterpoint.suites.questions.rewriting import (
    QuestionRewrite,
    Rewrites,
    exchange_antonym,
    negate,
    reorder,
    rephrase,
)
from counterpoint.suites.rad.augmentation import match_style
from counterpoint.suites.suite import Rejection, Suite

_YES_OR_NO = re.compile(r"\W*(?:yes|yeah|yep|yup|no|nope|nah)\b", re.IGNORECASE)  # "yes, it is"


def propose_reworded(
    question: Question, statistics: None, rng: Random, *, rewrite: Callable[[Question], Rewrites], relation: Relation
) -> Iterator[Group | Rejection]:
    """The question with the rewrites that its words allow and the referee confirms; each rejection has its reason."""
    kind = str(parse_question(question.text, question.choices).type)
    rewrites = rewrite(question)
    if isinstance(rewrites, str):
        yield Rejection(kind, rewrites)
        return
    kept = list[tuple[QuestionRewrite, Query]]()
    base, answer = base_query(question), settled_answer(question) or ""
    for rewritten in rewrites:
        text = match_style(question.text, rewritten.text)
        if derive_answer(question.text, answer, text) != (rewritten.answer or answer):
            yield Rejection(kind, f"{rewritten.rule}: the referee does not derive the gold from the new words")
            continue
        query = Query(base.picture, text, base.mode, rewritten.choices or base.choices, base.context)
        kept.append((rewritten, query))
    if not kept:
        return
    gold = question.gold if question.gold.answers else None
    yield Group(
        relation,
        (base, *(query for _, query in kept)),
        (gold, *(Gold.of(rewritten.answer) if rewritten.answer else gold for rewritten, _ in kept)),
        proof="; ".join(dict.fromkeys(rewritten.proof for rewritten, _ in kept)),
        kind=question.kind or kind,
        tags=(base_tags(question), *((("rule", rewritten.rule), *base_tags(question)) for rewritten, _ in kept)),
    )


def _derive(question: Question, rewrite: Callable[[str, str], Rewrites]) -> Rewrites:
    """Rewrites with another gold, which follows from a yes or no that annotators agree on."""
    if parse_question(question.text, question.choices).type is not QuestionType.YES_NO:
        return "it is no yes/no question"
    answer = settled_answer(question)
    return rewrite(question.text, answer) if answer else "its answer is not yes or no, or people differ on it"


def _keep(question: Question, rewrite: Callable[[Question], Rewrites]) -> Rewrites:
    """Rewrites with the gold of the question, on which annotators agree."""
    return disagreement(question) or rewrite(question)


def _rephrase(question: Question) -> Rewrites:
    """The question in other words; what is put to yes or no must be answered so, or it was meant as a choice."""
    is_polar = parse_question(question.text, question.choices).type is QuestionType.YES_NO
    if is_polar and question.gold.answers and not _YES_OR_NO.match(question.gold.best):
        return "it asks for yes or no, and its answer is neither"
    return rephrase(question.text)


def _suite(name: str, tests: str, rewrite: Callable[[Question], Rewrites], relation: Relation) -> Suite[Question, None]:
    propose = partial(propose_reworded, rewrite=rewrite, relation=relation)
    return Suite(name, tests=tests, propose=propose, takes="questions")


negated = _suite(
    "negated-questions",
    "a yes/no question and its negation have different answers",
    partial(_derive, rewrite=negate),
    Relation.DIFFERS,
)
antonyms = _suite(
    "antonym-questions",
    "what has one of two opposites does not have the other",
    partial(_derive, rewrite=exchange_antonym),
    Relation.DIFFERS,
)
reordered = _suite(
    "reordered-questions",
    "the order of choices, or of what a question lists, does not change the answer",
    partial(_keep, rewrite=lambda question: reorder(question.text, question.choices)),
    Relation.SAME,
)
rephrased = _suite(
    "rephrased-questions",
    "a rewrite of a question by a rule that keeps its sense does not change the answer",
    partial(_keep, rewrite=_rephrase),
    Relation.SAME,
)
