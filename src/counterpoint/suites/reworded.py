"""A question beside what rules for words make of it: one group, each variant with the rule that made it."""

from collections.abc import Sequence

from counterpoint.core.groups import Group, Query, Relation
from counterpoint.core.items import Question
from counterpoint.suites.asked import Tags


def reworded(question: Question, variants: Sequence[tuple[str, Tags]], proof: str) -> Group:
    """The question and its new wordings with their tags; all have the right answers of the question, if it has any."""
    base = Query(question.picture, question.text, choices=question.choices, context=question.context)
    gold = question.gold if question.gold.answers else None
    return Group(
        Relation.SAME,
        (base, *(base.asking(text) for text, _ in variants)),
        (gold,) * (1 + len(variants)),
        proof=proof,
        kind=question.kind,
        tags=((("question", question.id), *question.tags), *(tags for _, tags in variants)),
    )
