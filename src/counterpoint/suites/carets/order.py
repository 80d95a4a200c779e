"""Order invariance: asking for a cat and a dog is asking for a dog and a cat."""

from itertools import permutations

from counterpoint.core.groups import Group
from counterpoint.core.scenes import Scene
from counterpoint.suites.carets.question_kinds import CHOICES
from counterpoint.suites.carets.question_sampling import Original, original_suite
from counterpoint.suites.carets.templates import group_wordings

KINDS = ("conjunctive verification", "disjunctive verification", *CHOICES)
"""The questions that list something."""


def reorder_question(scene: Scene, original: Original, draw: float) -> Group:
    """Ask for two objects, or offer two or three choices, then list them in another order."""
    sentence, content = original.template.ask, original.content
    others = [order for order in permutations(content.options) if order != content.options]
    other = content.listing(*others[int(draw * len(others))])
    return group_wordings(scene, [(sentence, content), (sentence, other)])


suite = original_suite(
    "order", tests="the order of what is listed does not change the answer", kinds=KINDS, make=reorder_question
)
