"""A question beside edits of its picture: one group, each variant with the edit that made it."""

from collections.abc import Sequence

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.items import Question
from counterpoint.core.pictures import Edit
from counterpoint.suites.carets.questions import Tags


def group_picture_edits(question: Question, variants: Sequence[tuple[Edit, Tags]], proof: str) -> Group:
    """The question about the picture as it is, then after each edit; all have its right answers, if it has any."""
    pictures = (question.picture, *(question.picture.edited(edit) for edit, _ in variants))
    gold = question.gold if question.gold.answers else None
    own = (("question", question.id), *question.tags)
    return Group(
        Relation.SAME,
        tuple(Query(one, question.text, choices=question.choices, context=question.context) for one in pictures),
        (gold,) * len(pictures),
        proof=proof,
        kind=question.kind,
        tags=(own, *((*tags, *own) for _, tags in variants)),
    )
