"""Adversarial rewrites (SEARs): a rule changes the words of a question and keeps its meaning."""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import Question
from counterpoint.language.sears import apply_sears
from counterpoint.suites.question_groups import question_group, reworded_variants
from counterpoint.suites.suite import Rejection, Suite


def propose_rewrites(question: Question, statistics: None, rng: Random) -> Iterator[Group | Rejection]:
    """The question with a variant for each rule that applies; one without any is rejected."""
    rewrites = list(apply_sears(question.text))
    if not rewrites:
        yield Rejection(question.kind, "no rule fits")
        return
    done = "; ".join(rule.description for rule, _ in rewrites)
    variants = reworded_variants(question, [(text, (("rule", rule.name),)) for rule, text in rewrites])
    yield question_group(question, variants, relation=Relation.SAME, proof=f"these keep the sense: {done}")


suite = Suite(
    "sears",
    tests="a rewrite that keeps the meaning of a question does not change the answer",
    propose=propose_rewrites,
    takes="questions",
)
