"""Word noise and adversarial rewrites (SEARs): misspellings and rewrites that keep the meaning of a question."""

from collections.abc import Iterator
from functools import partial
from random import Random

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import Question
from counterpoint.language.noise.kinds import NOISE_KINDS, SEVERITIES, apply_noise, rejection_reason
from counterpoint.language.noise.protected_words import ProtectedQuestion
from counterpoint.language.sears import apply_sears
from counterpoint.suites.question_groups import Tags, question_group, reworded_variants
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


_TAGS: dict[tuple[str, int], Tags] = {
    (kind.name, severity): (("rule", kind.name), ("severity", str(severity)))
    for kind in NOISE_KINDS
    for severity in SEVERITIES
}


def propose_word_noise(question: Question, statistics: None, rng: Random, *, most: int) -> Iterator[Group | Rejection]:
    """The question with a variant for each kind that can be applied, at severities up to `most`."""
    loose = ProtectedQuestion.of(question.text, question.choices)
    if reason := rejection_reason(loose):
        yield Rejection(question.kind, reason)
        return
    variants = list[tuple[str, Tags]]()
    for kind in NOISE_KINDS:
        noisy = apply_noise(loose, kind, rng, most)
        variants += [(text, _TAGS[kind.name, severity]) for severity, text in noisy]
        if not noisy:
            yield Rejection(kind.name, kind.rejection)
    if variants:
        proof = "noise that leaves the sense of the question alone"
        yield question_group(question, reworded_variants(question, variants), relation=Relation.SAME, proof=proof)


sears = Suite(
    "sears",
    tests="a rewrite that keeps the meaning of a question does not change the answer",
    propose=propose_rewrites,
    takes="questions",
)
suite = Suite(
    "word-noise",
    tests="noise in the words of a question does not change the answer",
    propose=partial(propose_word_noise, most=1),
    takes="questions",
)
severities = Suite(
    "word-noise-severities",
    tests="noise of any severity in the words of a question does not change the answer",
    propose=partial(propose_word_noise, most=len(SEVERITIES)),
    takes="questions",
)
