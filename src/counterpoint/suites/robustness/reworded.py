"""A question beside what rules for words make of it: one group, each variant with the rule that made it."""

from collections.abc import Sequence

from counterpoint.core.groups import Group, Mode, Query, Relation
from counterpoint.core.items import Question
from counterpoint.suites.carets.questions import Tags


def group_rewordings(question: Question, variants: Sequence[tuple[str, Tags]], proof: str) -> Group:
    """The question and its new wordings with their tags; all have the right answers of the question, if it has any."""
    texts = (question.text, *(text for text, _ in variants))
    asked = tuple([Query(question.picture, text, Mode.ANSWER, question.choices, question.context) for text in texts])
    gold = question.gold if question.gold.answers else None
    return Group(
        Relation.SAME,
        asked,
        (gold,) * len(asked),
        proof=proof,
        kind=question.kind,
        tags=((("question", question.id), *question.tags), *(tags for _, tags in variants)),
    )
