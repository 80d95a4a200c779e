"""Adversarial rewrites: a question is answered alike after a rule has changed its words and not its sense."""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Group
from counterpoint.core.items import Question
from counterpoint.language.sears import apply_sears
from counterpoint.suites.robustness.reworded import group_rewordings
from counterpoint.suites.suite import Rejection, Suite


def propose_rewrites(question: Question, statistics: None, rng: Random) -> Iterator[Group | Rejection]:
    """The question with a variant for each rule that fits; one that no rule fits is left out."""
    found = list(apply_sears(question.text))
    if not found:
        yield Rejection(question.kind, "no rule fits")
        return
    done = "; ".join(rule.description for rule, _ in found)
    yield group_rewordings(
        question, [(text, (("rule", rule.name),)) for rule, text in found], f"these keep the sense: {done}"
    )


suite = Suite(
    "sears",
    tests="a question is answered alike after a rewrite that keeps its sense",
    propose=propose_rewrites,
    takes="questions",
)
