"""Picture noise: the pixel noise of a camera does not change the answer."""

from collections.abc import Iterator, Sequence
from functools import partial
from random import Random

from counterpoint.core.groups import Group, Relation
from counterpoint.core.items import Question
from counterpoint.pictures.noise import PAPER_SEVERITY, SEVERITIES, STRENGTHS, noise_edit
from counterpoint.suites.question_groups import edited_variants, question_group
from counterpoint.suites.suite import Suite

KINDS = tuple(STRENGTHS)
"""The kinds of noise of Beyond Accuracy."""
TRIALS = 3
"""How often each kind is drawn for a question, as in the authors' code: twelve pictures for four kinds."""

_PROOF = "noise of a camera changes no answer"


def propose_picture_noise(
    question: Question,
    statistics: None,
    rng: Random,
    *,
    kinds: Sequence[str] = KINDS,
    severities: Sequence[int] = (PAPER_SEVERITY,),
    trials: int = TRIALS,
) -> Iterator[Group]:
    """The question about the picture as it is, then with each kind of noise at each severity, drawn anew each time."""
    variants = [
        (
            noise_edit(kind, severity, rng.getrandbits(32)),
            (("edit", kind), ("severity", str(severity)), ("trial", str(trial))),
        )
        for kind in kinds
        for severity in severities
        for trial in range(1, trials + 1)
    ]
    yield question_group(question, edited_variants(question, variants), relation=Relation.SAME, proof=_PROOF)


def noise_suite(
    name: str, *, kinds: Sequence[str] = KINDS, severities: Sequence[int] = (PAPER_SEVERITY,), trials: int = TRIALS
) -> Suite[Question, None]:
    """A suite with these kinds of noise, at these severities from 1 to 5, so many draws of each."""
    return Suite(
        name,
        tests="pixel noise does not change the answer",
        propose=partial(propose_picture_noise, kinds=tuple(kinds), severities=tuple(severities), trials=trials),
        takes="questions",
    )


suite = noise_suite("noise")
with_severities = noise_suite("noise-severities", severities=range(1, SEVERITIES + 1), trials=1)
