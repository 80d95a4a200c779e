"""Groups that need no generation: plain questions of a data set, and groups as their authors released them."""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import Question, ReadyGroup
from counterpoint.suites.question_groups import question_group, source_proof
from counterpoint.suites.suite import Rejection, Suite, draws_never


def propose_question(question: Question, statistics: None, rng: Random) -> Iterator[Group | Rejection]:
    """The question with its gold answers; one without any is rejected."""
    if question.gold.answers:
        yield question_group(question, relation=Relation.GOLD, proof=source_proof(question))
    else:
        yield Rejection(question.kind, "no gold is known")


def propose_group(item: ReadyGroup, statistics: None, rng: Random) -> Iterator[Group]:
    """The group, as it is."""
    yield item.group


plain = Suite(
    "plain",
    tests="a question is answered as its annotators answered it",
    propose=propose_question,
    takes="questions",
    draws=draws_never,
)
groups = Suite(
    "groups",
    tests="groups of one's own are answered as their relation says",
    propose=propose_group,
    takes="groups",
    reads_whole_source=True,
    draws=draws_never,
)
released = Suite(
    "released",
    tests="a published benchmark is answered as its authors intended",
    propose=propose_group,
    takes="groups",
    draws=draws_never,
)
