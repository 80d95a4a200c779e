"""Plain questions: a data set as it is, one question per group, for the usual accuracy."""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import Question
from counterpoint.suites.question_groups import question_group, source_proof
from counterpoint.suites.suite import Rejection, Suite


def propose_question(question: Question, statistics: None, rng: Random) -> Iterator[Group | Rejection]:
    """The question with its gold answers; one without any is rejected."""
    if not question.gold.answers:
        yield Rejection(question.kind, "no right answer is known")
        return
    yield question_group(question, relation=Relation.GOLD, proof=source_proof(question))


suite = Suite(
    "plain", tests="a question is answered as its annotators answered it", propose=propose_question, takes="questions"
)
