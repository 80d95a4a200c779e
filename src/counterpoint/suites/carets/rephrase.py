"""Rephrasing invariance: a question in other words has the same answer."""

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.suites.carets.question_kinds import CHOICES, VERIFICATIONS
from counterpoint.suites.carets.question_sampling import Original, original_suite
from counterpoint.suites.carets.templates import fitting_templates, group_wordings

KINDS = (*VERIFICATIONS, *CHOICES)
"""All kinds of questions but attribute verification."""


def rephrase_question(scene: Scene, original: Original, draw: float) -> Group:
    """Ask in one wording, then in another."""
    fitting = fitting_templates(original.content)
    other = fitting[int(draw * (len(fitting) - 1))]
    other = fitting[-1] if other is original.template else other
    return group_wordings(scene, [(original.template.ask, original.content), (other.ask, original.content)])


suite = original_suite(
    "rephrase", tests="a question in other words has the same answer", kinds=KINDS, make=rephrase_question
)
