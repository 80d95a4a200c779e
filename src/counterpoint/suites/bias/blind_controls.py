"""Blind controls: accuracy without the picture, or without the question.

Each control removes one input and keeps the gold answer, so that the loss of accuracy measures what that input
contributes: no picture, its mean color alone, an unrelated picture, its patches shuffled; and the picture alone.
"""

from collections.abc import Iterator
from random import Random

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.ids import content_id
from counterpoint.core.items import GroundedQuestion, Question
from counterpoint.core.pictures import Edit, Picture
from counterpoint.pictures.patch_shuffle import shuffle_edit
from counterpoint.suites.bias.modality_bias import (
    FEW_PICTURES,
    Item,
    SwapSurvey,
    extend_survey,
    manifest_entries,
    survey,
)
from counterpoint.suites.bias.topics import question_nouns
from counterpoint.suites.question_groups import question_group, source_proof
from counterpoint.suites.suite import Rejection, Suite

NO_PICTURE, MEAN_COLOR, OTHER_PICTURE, SHUFFLED = PICTURE = ("no-picture", "mean-color", "other-picture", "shuffled")
"""The controls that remove the picture."""
NO_QUESTION = "no-question"
"""The control that removes the question."""


def propose_controls(item: Item, others: SwapSurvey, rng: Random) -> Iterator[Group | Rejection]:
    """The question, then with each input removed; the gold answer stays."""
    question = item.question if isinstance(item, GroundedQuestion) else item
    if not question.gold.answers:
        yield Rejection(question.kind, "no right answer is known")
        return
    controls = dict(_controls(question, question_nouns(item), others, rng))
    if OTHER_PICTURE not in controls:
        yield Rejection(question.kind, FEW_PICTURES)
    variants = [(query, (("control", name),)) for name, query in controls.items()]
    yield question_group(question, variants, relation=Relation.SWAP, proof=source_proof(question))


def _controls(
    question: Question, nouns: frozenset[str], others: SwapSurvey, rng: Random
) -> Iterator[tuple[str, Query]]:
    """The query with one input removed, by the name of the control."""

    def shown(picture: Picture | None, context: str = "") -> Query:  # words read in a picture go with it
        return Query(picture, question.text, choices=question.choices, context=context)

    picture = question.picture
    seed = content_id(["patches", picture.content]) % 2**32  # all questions about a picture see the same patches
    yield NO_PICTURE, shown(None)
    yield MEAN_COLOR, shown(picture.edited(Edit("mean-color")))
    for other in others.pictures.sample(nouns, 1, rng) if nouns else []:
        yield OTHER_PICTURE, shown(other.picture, other.context)
    yield SHUFFLED, shown(picture.edited(shuffle_edit(seed=seed)))
    yield NO_QUESTION, Query(picture, "", choices=question.choices, context=question.context)


suite = Suite(
    "blind-controls",
    tests="a correct answer depends on the picture and on the question",
    propose=propose_controls,
    survey=survey,
    takes="questions",
    prefers="grounded",
    manifest_entries=manifest_entries,
    extend_survey=extend_survey,
)
